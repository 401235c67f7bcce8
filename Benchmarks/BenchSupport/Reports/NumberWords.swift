// SPDX-License-Identifier: Apache-2.0

/// The text of numbers in reports.
package enum NumberWords {
    /// Returns a number with three decimals, or none from 100 on.
    package static func number(_ x: Double) -> String {
        guard x.isFinite, abs(x) < 1e15 else { return "\(x)" }
        let thousandths = abs(x) >= 100 ? x.rounded() * 1_000 : (x * 1_000).rounded()
        let whole = thousandths / 1_000
        return whole == whole.rounded() ? String(Int(whole)) : String(whole)
    }

    package static func time(_ seconds: Double) -> String {
        switch seconds {
        case 0: "-"
        case ..<1e-6: "\(number(seconds * 1e9)) ns"
        case ..<1e-3: "\(number(seconds * 1e6)) µs"
        case ..<1: "\(number(seconds * 1e3)) ms"
        default: "\(number(seconds)) s"
        }
    }

    package static func bytes(_ bytes: Int) -> String {
        switch bytes {
        case ..<10_240: "\(bytes) B"
        case ..<10_485_760: "\(number(Double(bytes) / 1_024)) KiB"
        default: "\(number(Double(bytes) / 1_048_576)) MiB"
        }
    }

    /// Returns a count with a unit: `1 M` for 1000000.
    package static func count(_ n: Int) -> String {
        switch n {
        case ..<1_000: String(n)
        case ..<1_000_000: "\(number(Double(n) / 1e3)) k"
        case ..<1_000_000_000: "\(number(Double(n) / 1e6)) M"
        default: "\(number(Double(n) / 1e9)) G"
        }
    }

    /// Returns a count with its noun: `1 hourly bucket`, `24 hourly buckets`.
    package static func plural(_ n: Int, _ one: String) -> String { "\(n) \(one)\(n == 1 ? "" : "s")" }
}

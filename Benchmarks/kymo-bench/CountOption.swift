// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Numbers on the command line, each between limits.
enum CountOption {
    /// The range of `--runs`; queries run three times as often.
    static let runs = 1...10_000
    static let threads = 1...64

    /// Parses a number.
    ///
    /// Options that use this are parsed unconditionally, so that `--runs -1` is a wrong number and not a missing one.
    ///
    /// - Throws: a `ValidationError` that names the option and the limits.
    static func parse(_ text: String, _ option: String, _ range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw ValidationError(
                "\(option) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(text).")
        }
        return number
    }

    static func runs(_ text: String) throws -> Int { try parse(text, "--runs", runs) }

    /// Parses comma-separated numbers without repetitions.
    static func list(_ text: String, _ option: String, _ range: ClosedRange<Int>) throws -> [Int] {
        try NameOption.list(text, option).map { part in
            guard let number = Int(part), range.contains(number) else {
                let limits = "from \(range.lowerBound) to \(range.upperBound)"
                throw ValidationError("\(option) takes comma-separated numbers \(limits), not \(text).")
            }
            return number
        }
    }
}

/// Comma-separated names on the command line.
enum NameOption {
    /// Parses names without repetitions.
    static func list(_ text: String, _ option: String) throws -> [String] {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if text.isEmpty { throw ValidationError("nothing to measure: \(option) names nothing.") }
        var seen = Set<String>()
        for name in names {
            if name.isEmpty {
                throw ValidationError("\(option) takes names separated by commas, not \"\(text)\".")
            }
            if !seen.insert(name).inserted { throw ValidationError("\(option) names \(name) twice.") }
        }
        return names
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Columns that are difficult or typical, by name.
enum Shapes {
    static let integerNames = [
        "random", "small", "constant", "ramp", "milliseconds", "outliers", "low outliers", "extremes", "alternating",
        "smooth", "runs", "few", "counter", "multiples of 2^63", "one jump", "clock", "filtered",
    ]

    static func integers(_ name: String, _ n: Int, _ g: inout TestRandom) -> [Int64] {
        var time: Int64 = 1_767_225_600_000_000_000
        var filter = (level: 0.0, slope: 0.0, change: 0.0)
        return (0..<n).map { i in
            switch name {
            case "filtered":
                // A measurement after a filter: the change of the slope is smooth, too.
                filter.change = 0.9 * filter.change + (g.unit() - 0.5) * (g.unit() - 0.5)
                filter.slope = 0.95 * filter.slope + filter.change
                filter.level += filter.slope
                return Int64(filter.level * 1_000)
            case "random": return Int64(bitPattern: g.next())
            case "small": return Int64(g.below(100)) - 50
            case "constant": return 42
            case "ramp": return 7 + Int64(i) * 1_953_125
            case "milliseconds":
                time += 1_000_000_000 + (Int64(g.below(40)) - 20) * 1_000_000
                return time
            case "outliers":
                return g.below(40) == 0 ? Int64(bitPattern: g.next() >> UInt64(g.below(60))) : Int64(g.below(16))
            case "low outliers": return g.below(50) == 0 ? -Int64(bitPattern: g.next() >> 3) : Int64(g.below(300))
            case "extremes": return [Int64.min, Int64.max, 0, -1, 1, Int64.min + 1][g.below(6)]
            case "alternating": return i % 2 == 0 ? Int64.min : Int64.max
            case "smooth": return Int64(i) * Int64(i) * 3 + Int64(g.below(3))
            case "runs": return Int64(i / 37) * 1_000_003 % 17
            case "few": return [5, 1_000_000_007, -3, 77][g.below(4)]
            case "counter": return Int64(i) + 1_000_000_000_000
            case "clock": return clockTime(Double(i) + g.unit() * 0.1 - 3)
            case "multiples of 2^63": return g.below(2) == 0 ? 0 : Int64.min
            default: return i < n / 2 ? 10 : Int64.max - Int64(i)
            }
        }
    }

    /// Returns the time of `Date()` at `seconds` after a fixed moment, in nanoseconds since 1970. A `Date` stores a
    /// double of seconds since 2001.
    static func clockTime(_ seconds: Double) -> Int64 {
        let reference = 788_918_400 + seconds
        let whole = reference.rounded(.down)
        return (Int64(whole) + 978_307_200) * 1_000_000_000 + Int64(((reference - whole) * 1e9).rounded())
    }

    static let realNames = [
        "random bits", "integers", "constant", "decimals", "decimals with outliers", "heart rates per second", "floats",
        "negative zeros", "denormals", "extremes", "NaN payloads", "runs", "few", "smooth", "uniform", "alternating",
        "repeating", "tiny and huge", "stages", "gain", "computed decimals", "altitudes", "gain with outliers",
    ]

    static func reals(_ name: String, _ n: Int, _ g: inout TestRandom) -> [Double] {
        let pool = (0..<300).map { _ in g.unit() * 1000 }
        return (0..<n).map { i in
            switch name {
            case "random bits": return Double(bitPattern: g.next())
            case "integers": return Double(60 + g.below(40))
            case "constant": return 0.1
            case "decimals": return Double(g.below(20000) - 10000) / 1000
            case "decimals with outliers": return g.below(50) == 0 ? g.unit() : Double(g.below(2000)) / 100
            case "heart rates per second": return Double(60 + g.below(40)) / 60
            case "floats": return Double(Float(g.unit() * 200 - 100))
            case "negative zeros": return [-0.0, 0.0, 1.0, -1.0][g.below(4)]
            case "denormals": return Double(bitPattern: g.next() >> 13)
            case "extremes":
                return [
                    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, -0.0, .infinity,
                ][
                    g.below(6)]
            case "NaN payloads":
                return g.below(3) == 0 ? Double(bitPattern: 0x7ff0_0000_0000_0001 | g.next() >> 13) : 1.5
            case "runs": return Double(i / 50 % 7) * 0.5
            case "few": return pool[g.below(5)]
            case "smooth": return (Double(i) * Double(i) * 0.001).rounded() / 100
            case "uniform": return g.unit()
            case "alternating": return i % 2 == 0 ? -1e300 : 1e300
            case "repeating": return pool[(i / 3) % 300]
            case "gain": return Double(g.below(3000) - 1000) / 2281
            case "computed decimals": return Double(g.below(9000)) / 1000 - 0.981
            case "altitudes": return Double(g.below(900)) / 5 - 500
            case "gain with outliers": return g.below(90) == 0 ? -0.0 : Double(g.below(3000)) / 1856
            case "tiny and huge": return g.below(2) == 0 ? 1e-300 * g.unit() : 1e300 * g.unit()
            default: return Double([1, 3, 4, 5][(i / 20) % 4])
            }
        }
    }

    /// Counts around the edges of mini-blocks, and some between.
    static let counts = [1, 2, 3, 4, 7, 8, 9, 63, 64, 65, 127, 128, 129, 255, 256, 257, 500, 1024, 1025, 1535, 1536]
}

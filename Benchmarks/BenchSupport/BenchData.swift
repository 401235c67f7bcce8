// SPDX-License-Identifier: Apache-2.0
// BenchSupport: data sets, clocks, plain recomputation and reports for the benchmarks.

import FileSystem
import Foundation

/// One series of a data set, in memory: times in nanoseconds since 1970-01-01 UTC, ascending, and values.
package struct BenchSeries: Sendable {
    /// The name, such as `hr_0`.
    package let name: String
    /// Ascending.
    package let times: [Int64]
    package let values: [Double]
}

/// A named group of series.
package struct BenchSet: Sendable {
    package let name: String
    package let series: [BenchSeries]
    /// The first instant of the set's span.
    package let origin: Int64
    /// The number of whole days that the set spans, at least 1.
    package let days: Int

    package var samples: Int { series.reduce(0) { $0 + $1.times.count } }
}

/// Why a data set cannot be used.
package struct BenchError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension BenchSet {
    private struct Manifest: Decodable {
        struct Group: Decodable { let series: [String] }
        let t0_us: Int64
        let scale: Double
        let sets: [String: Group]
    }

    /// Reads sets written by `Benchmarks/data/gen.py`: `NAME.ts` holds microseconds as little-endian Int64,
    /// `NAME.val` doubles.
    package static func load(_ directory: String, sets wanted: [String]) throws -> [BenchSet] {
        let disk = RealDisk()
        let manifest: Manifest
        do {
            let bytes = try disk.contents(of: directory + "/manifest.json", limit: 1 << 24)
            manifest = try JSONDecoder().decode(Manifest.self, from: Data(bytes))
        } catch {
            throw BenchError(
                "\(directory) holds no data set (\(error)); make one with Benchmarks/data/gen.py --out \(directory)")
        }
        return try wanted.compactMap { name in
            guard let group = manifest.sets[name] else { return nil }
            let series = try group.series.map { try loadSeries(directory, $0, disk) }
            return BenchSet(
                name: name, series: series, origin: manifest.t0_us * 1_000,
                days: max(1, Int((30 * manifest.scale).rounded())))
        }
    }

    private static func loadSeries(_ directory: String, _ name: String, _ disk: RealDisk) throws -> BenchSeries {
        func words(_ suffix: String) throws -> [UInt64] {
            let bytes = try disk.contents(of: "\(directory)/\(name).\(suffix)", limit: 1 << 34)
            return (0..<bytes.count / 8).map { i in
                var word: UInt64 = 0
                for b in (0..<8).reversed() { word = word << 8 | UInt64(bytes[i * 8 + b]) }
                return word
            }
        }
        let times = try words("ts").map { Int64(bitPattern: $0) * 1_000 }
        let values = try words("val").map { Double(bitPattern: $0) }
        guard times.count == values.count, !times.isEmpty else {
            throw BenchError("\(directory)/\(name): \(times.count) times and \(values.count) values")
        }
        return BenchSeries(name: name, times: times, values: values)
    }

    /// Small sets of the same shapes, made here: seconds of work, for tests.
    package static func small() -> [BenchSet] {
        let origin: Int64 = 1_767_225_600_000_000_000
        var random = BenchRandom(seed: 1)
        let pulse = (0..<2).map { subject in
            var times = [Int64]()
            var values = [Double]()
            var level = 65.0
            for i in 0..<3 * 86_400 where i % 86_400 > 15_000 && random.below(300) > 0 {
                level = min(190, max(40, level + Double(random.below(5)) - 2))
                times.append(origin + Int64(i) * 1_000_000_000 + Int64(random.below(80)) * 1_000_000)
                values.append(level)
            }
            return BenchSeries(name: "hr_\(subject)", times: times, values: values)
        }
        var wave = [Double]()
        var waveTimes = [Int64]()
        for i in 0..<512 * 120 {
            wave.append(Double(i % 512) + Double(i * i % 1_999) / 1_000)
            // Whole microseconds, as a 512 Hz clock that counts them gives.
            let microseconds: Int64 = Int64(i) * 15_625 / 8
            waveTimes.append(origin + microseconds * 1_000)
        }
        return [
            BenchSet(name: "hr", series: pulse, origin: origin, days: 3),
            BenchSet(
                name: "ecg", series: [BenchSeries(name: "ecg_0", times: waveTimes, values: wave)], origin: origin,
                days: 1),
        ]
    }
}

/// A small pseudo-random generator whose numbers stay the same for ever (SplitMix64).
package struct BenchRandom {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number in `0 ..< bound`.
    package mutating func below(_ bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(max(1, bound))).high) }

    /// A number in `0 ..< 1`.
    package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}

// SPDX-License-Identifier: Apache-2.0
// BenchSupport: data sets, clocks, plain recomputation and reports for the benchmarks.

import FileSystem
import Foundation
import Kernels
import Kymograph

/// One series of a data set, in memory: times in nanoseconds since 1970-01-01 UTC, ascending, and values.
package struct BenchSeries: Sendable {
    /// The name, such as `hr_0`.
    package let name: String
    /// Ascending.
    package let times: [Int64]
    package let values: [Double]

    package init(name: String, times: [Int64], values: [Double]) {
        self.name = name
        self.times = times
        self.values = values
    }
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
    /// The sets that a run is about unless it is told otherwise.
    package static let names = ["hr", "ecg", "dist", "energy"]

    private struct Manifest: Decodable {
        struct Group: Decodable { let series: [String] }
        let t0_us: Int64
        let scale: Double
        let sets: [String: Group]
    }

    /// Reads sets written by `Benchmarks/data/gen.py`: `NAME.ts` holds microseconds as little-endian Int64,
    /// `NAME.val` doubles. Without names, those of `names` that are there.
    package static func load(_ directory: String, sets wanted: [String]? = nil) throws -> [BenchSet] {
        let disk = RealDisk()
        let manifest: Manifest
        do {
            let bytes = try disk.contents(of: directory + "/manifest.json", limit: 1 << 24)
            manifest = try JSONDecoder().decode(Manifest.self, from: Data(bytes))
        } catch {
            throw BenchError(
                "\(directory) holds no data set (\(error)); make one with Benchmarks/data/gen.py --out \(directory)")
        }
        let (origin, overflow) = manifest.t0_us.multipliedReportingOverflow(by: 1_000)
        guard !overflow, abs(origin / 2) < TimeLimits.latest / 4, manifest.scale > 0, manifest.scale <= 1_000 else {
            throw BenchError("\(directory)/manifest.json: t0_us \(manifest.t0_us) or scale \(manifest.scale) is odd")
        }
        return try (wanted ?? Self.names.filter { manifest.sets[$0] != nil }).map { name in
            guard let group = manifest.sets[name], !group.series.isEmpty else {
                let there = manifest.sets.keys.sorted().joined(separator: ", ")
                throw BenchError("there is no set \"\(name)\" in \(directory); it has \(there)")
            }
            let series = try group.series.map { try loadSeries(directory, $0, disk) }
            return BenchSet(
                name: name, series: series, origin: origin, days: max(1, Int((30 * manifest.scale).rounded())))
        }
    }

    private static func loadSeries(_ directory: String, _ name: String, _ disk: RealDisk) throws -> BenchSeries {
        func words(_ suffix: String) throws -> [UInt64] {
            let bytes: [UInt8]
            do {
                bytes = try disk.contents(of: "\(directory)/\(name).\(suffix)", limit: 1 << 34)
            } catch {
                throw BenchError("the set's manifest names \(name), but: \(error)")
            }
            return (0..<bytes.count / 8).map { i in
                var word: UInt64 = 0
                for b in (0..<8).reversed() { word = word << 8 | UInt64(bytes[i * 8 + b]) }
                return word
            }
        }
        let microseconds = try words("ts").map { Int64(bitPattern: $0) }
        let values = try words("val").map { Double(bitPattern: $0) }
        guard microseconds.count == values.count, let first = microseconds.first, let last = microseconds.last else {
            throw BenchError("\(directory)/\(name): \(microseconds.count) times and \(values.count) values")
        }
        // What lies between these two may be multiplied.
        guard Kernel.isAscending(microseconds, microseconds.indices), first >= TimeLimits.earliest / 1_000,
            last <= TimeLimits.latest / 1_000
        else { throw BenchError("\(directory)/\(name).ts: the times do not ascend, or are not of these centuries") }
        guard Kernel.allFinite(values, values.indices) else {
            throw BenchError("\(directory)/\(name).val: a value is not finite")
        }
        return BenchSeries(name: name, times: microseconds.map { $0 * 1_000 }, values: values)
    }
}

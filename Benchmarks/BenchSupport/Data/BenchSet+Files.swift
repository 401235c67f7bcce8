// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kernels
import Kymograph

extension BenchSet {
    /// The manifest of `Benchmarks/data/gen.py`. The files are compared with its entries; missing entries are not
    /// checked.
    private struct Manifest: Decodable {
        struct Group: Decodable {
            let series: [String]
            /// The number of samples of all series.
            let n: Int?
        }
        struct Facts: Decodable {
            let n: Int?
            let first_us: Int64?
            let last_us: Int64?
            let min: Double?
            let max: Double?
        }
        let t0_us: Int64
        let scale: Double
        let sets: [String: Group]
        let series: [String: Facts]?
    }

    /// Reads sets written by `Benchmarks/data/gen.py`: `NAME.ts` holds microseconds as little-endian Int64, `NAME.val`
    /// doubles.
    ///
    /// - Parameter wanted: the sets to read; nil for all sets of `names` in the manifest.
    /// - Throws: `BenchError` if files are missing or differ from the manifest.
    package static func load(_ directory: String, sets wanted: [String]? = nil) throws -> [BenchSet] {
        let path = directory + "/manifest.json"
        let manifest: Manifest = try BenchJSON.read(
            path, "manifest of a data set", hint: "create one with Benchmarks/data/gen.py --out \(directory)")
        let (origin, overflow) = manifest.t0_us.multipliedReportingOverflow(by: 1_000)
        guard !overflow, abs(origin / 2) < TimeLimits.latest / 4, manifest.scale > 0, manifest.scale <= 1_000 else {
            throw BenchError("\(path): t0_us \(manifest.t0_us) or scale \(manifest.scale) is out of range")
        }
        let present = names.filter { manifest.sets[$0] != nil }
        if wanted == nil, present.isEmpty {
            throw BenchError("nothing to measure: \(path) contains none of \(names.joined(separator: ", "))")
        }
        return try (wanted ?? present).map { name in
            guard let group = manifest.sets[name] else {
                let there = manifest.sets.keys.sorted().joined(separator: ", ")
                throw BenchError("no set \"\(name)\" in \(directory); it has \(there)", isUsage: true)
            }
            if group.series.isEmpty || Set(group.series).count < group.series.count {
                throw BenchError("\(path): the set \(name) has no series, or the same series twice")
            }
            let series = try group.series.map { try loadSeries(directory, $0, manifest.series?[$0]) }
            let set = BenchSet(
                name: name, series: series, origin: origin, days: max(1, Int((30 * manifest.scale).rounded())))
            try hold("\(directory): samples of the set \(name)", set.samples, group.n)
            return set
        }
    }

    /// Compares a value with the manifest, if the manifest has it.
    private static func hold<T: Equatable>(_ what: String, _ found: T, _ expected: T?) throws {
        if let expected, expected != found {
            throw BenchError("\(what): the manifest says \(expected), found \(found)")
        }
    }

    private static func loadSeries(_ directory: String, _ name: String, _ facts: Manifest.Facts?) throws -> BenchSeries
    {
        let path = "\(directory)/\(name)"
        let microseconds = try words(path + ".ts").map { Int64(bitPattern: $0) }
        let values = try words(path + ".val").map { Double(bitPattern: $0) }
        try hold("\(path).ts: samples", microseconds.count, facts?.n)
        try hold("\(path).val: samples", values.count, facts?.n)
        guard microseconds.count == values.count, let first = microseconds.first, let last = microseconds.last else {
            throw BenchError("\(path): \(microseconds.count) times and \(values.count) values")
        }
        // Times between these two limits can be multiplied.
        guard Kernel.isAscending(microseconds, microseconds.indices), first >= TimeLimits.earliest / 1_000,
            last <= TimeLimits.latest / 1_000
        else { throw BenchError("\(path).ts: the times do not ascend, or are out of range") }
        guard Kernel.allFinite(values, values.indices) else {
            throw BenchError("\(path).val: a value is not finite")
        }
        try hold("\(path).ts: the first time in microseconds", first, facts?.first_us)
        try hold("\(path).ts: the last time in microseconds", last, facts?.last_us)
        try hold("\(path).val: the least value", values.min() ?? 0, facts?.min)
        try hold("\(path).val: the greatest value", values.max() ?? 0, facts?.max)
        return BenchSeries(name: name, times: microseconds.map { $0 * 1_000 }, values: values)
    }

    /// Returns the little-endian words of a file.
    private static func words(_ path: String) throws -> [UInt64] {
        let bytes: [UInt8]
        do {
            bytes = try RealDisk().contents(of: path, limit: 1 << 34)
        } catch {
            throw BenchError("the manifest names an unreadable file:  \(error)")
        }
        guard bytes.count % 8 == 0 else {
            throw BenchError("\(path): \(bytes.count) bytes are not a multiple of 8")
        }
        return (0..<bytes.count / 8).map { i in
            var word: UInt64 = 0
            for b in (0..<8).reversed() { word = word << 8 | UInt64(bytes[i * 8 + b]) }
            return word
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem
import Kymograph

/// The real recordings in a store, created and read through the public API: their size and speed.
package struct RealStore {
    /// The size of one series in bytes.
    package struct Usage: Sendable, Equatable {
        /// The starts and the values, each as encoded columns of the blocks.
        package var times = 0
        package var values = 0
        /// All other bytes of the series: ends, identities, commits, headers and checksums of blocks, index.
        package var rest = 0
        /// The encodings of the values, with the number of blocks of each.
        package var encodings: [String: Int] = [:]
        package var timeEncodings: [String: Int] = [:]

        package var bytes: Int { times + values + rest }
    }

    /// The sizes by series name.
    package private(set) var usage: [String: Usage] = [:]
    /// The best samples per second of durable loads and of reads into arrays, by series name.
    package private(set) var ingest: [String: Double] = [:]
    package private(set) var reading: [String: Double] = [:]
    /// The bytes of all files.
    package private(set) var bytes = 0

    /// Loads all series into a new store, reads each back and compares every bit.
    package init(at path: String, _ all: [RealSeries], runs: Int) throws {
        BenchFiles.removeTree(path)
        let store = try TimeSeriesStore.create(at: path)
        var names: [UInt64: String] = [:]
        for one in all {
            let name = one.series.name
            let id = try store.series(name, kind: .discrete).id
            names[UInt64(id.rawValue)] = name
            var watch = Stopwatch()
            _ = try watch.measure {
                try store.bulkLoad { loader in
                    try loader.append(to: id, starts: one.series.times.span, values: one.series.values.span)
                }
            }
            ingest[name] = Double(one.series.times.count) / watch.min
        }
        store.close()
        try read(path, all, runs)
        for (file, size) in try BenchFiles.sizes(under: path) {
            bytes += size
            if file.hasSuffix(".kseg") { try measure("\(path)/\(file)", size, names) }
        }
    }

    private mutating func read(_ path: String, _ all: [RealSeries], _ runs: Int) throws {
        let store = try TimeSeriesStore.open(at: path, mode: .readOnly)
        defer { store.close() }
        let snapshot = store.snapshot()
        for one in all {
            guard let series = snapshot.series(named: one.series.name) else {
                throw BenchError("\(one.series.name) is missing in the store")
            }
            var (starts, values) = ([Int64](), [Double]())
            starts.reserveCapacity(one.series.times.count)
            values.reserveCapacity(one.series.times.count)
            var watch = Stopwatch()
            for _ in 0..<max(1, runs) {
                starts.removeAll(keepingCapacity: true)
                values.removeAll(keepingCapacity: true)
                try watch.measure { try snapshot.read(series.id, starts: &starts, values: &values) }
            }
            guard Self.isSame(one.series, starts, values) else {
                throw BenchError("\(one.series.name): the samples read differ from the samples written")
            }
            reading[one.series.name] = Double(starts.count) / watch.min
        }
    }

    /// Returns whether the samples are identical bit by bit; samples with the same start may be in any order.
    private static func isSame(_ series: BenchSeries, _ starts: [Int64], _ values: [Double]) -> Bool {
        guard starts == series.times else { return false }
        let (found, wanted) = (values.map(\.bitPattern), series.values.map(\.bitPattern))
        if found == wanted { return true }
        var first = 0
        while first < starts.count {
            var end = first + 1
            while end < starts.count, starts[end] == starts[first] { end += 1 }
            guard found[first..<end].sorted() == wanted[first..<end].sorted() else { return false }
            first = end
        }
        return true
    }

    private mutating func measure(_ path: String, _ size: Int, _ names: [UInt64: String]) throws {
        let spare = [UInt8](repeating: 0, count: SegmentFormat.spareBytes)
        let bytes = try RealDisk().contents(of: path, limit: 1 << 32) + spare
        let header = try SegmentHeader.decode(Array(bytes.prefix(SegmentHeader.size)))
        var scanner = UnitScanner(bytes, end: size, store: header.store, segment: header.segment)
        while let unit = scanner.next() {
            guard let name = names[unit.series] else { continue }
            var used = usage[name] ?? Usage()
            used.rest += unit.length
            if unit.kind == .block {
                let anatomy = try BlockAnatomy(bytes, at: Int(unit.offset))
                for place in anatomy.columns {
                    guard place.column == nil || place.column == .start else { continue }
                    used.rest -= place.range.count
                    let encoding = place.encodingName(bytes, anatomy.header)
                    if place.column == nil {
                        used.values += place.range.count
                        used.encodings[encoding, default: 0] += 1
                    } else {
                        used.times += place.range.count
                        used.timeEncodings[encoding, default: 0] += 1
                    }
                }
            }
            usage[name] = used
        }
    }
}

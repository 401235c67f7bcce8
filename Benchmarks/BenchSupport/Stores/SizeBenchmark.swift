// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import ColumnCodec
import FileSystem

/// The bytes of a store by column and encoding, and outside columns. The sum of all parts equals the size of the files.
package struct SizeBenchmark {
    /// One part of a store.
    package struct Part: Sendable, Equatable {
        /// The name: `value: decimal`, `index`, `catalog`.
        package let name: String
        package var bytes: Int
        /// The samples of columns in this encoding; all samples of the store for other parts.
        package var samples: Int
    }

    /// The parts in disk order, and their samples.
    package private(set) var parts: [Part] = []
    package private(set) var samples = 0
    package var bytes: Int { parts.reduce(0) { $0 + $1.bytes } }

    /// Reads all files of a closed store. Throws if the parts of a file do not add up to its size.
    package init(store path: String) throws {
        var blocks = [String: Part]()
        var rest = [String: Int]()
        // SQLite's shared memory is a file only while the catalog is open, and contains only derived data.
        for (name, bytes) in try BenchFiles.sizes(under: path) where !name.hasSuffix("-shm") {
            if name.hasSuffix(".kseg") {
                try Self.segment("\(path)/\(name)", bytes, &blocks, &rest, &samples)
            } else if name.hasPrefix("kymograph.sqlite") {
                rest["catalog", default: 0] += bytes
            } else {
                rest["lock and witness", default: 0] += bytes
            }
        }
        let order = ["block header and trailer", "start", "end", "value"] + IntegerColumn.allCases.map(\.name)
        func rank(_ name: String) -> Int { order.firstIndex { name.hasPrefix($0) } ?? order.count }
        parts = blocks.values.sorted { (rank($0.name), $1.bytes, $0.name) < (rank($1.name), $0.bytes, $1.name) }
        for name in ["index", "directory", "file header and footer", "catalog", "lock and witness"] {
            if let bytes = rest[name] { parts.append(Part(name: name, bytes: bytes, samples: samples)) }
        }
    }

    private static func segment(
        _ path: String, _ size: Int, _ blocks: inout [String: Part], _ rest: inout [String: Int],
        _ samples: inout Int
    ) throws {
        let bytes =
            try RealDisk().contents(of: path, limit: 1 << 32)
            + [UInt8](repeating: 0, count: SegmentFormat.spareBytes)
        let header = try SegmentHeader.decode(Array(bytes.prefix(SegmentHeader.size)))
        var scanner = UnitScanner(bytes, end: size, store: header.store, segment: header.segment)
        var sum = SegmentHeader.size
        rest["file header and footer", default: 0] += SegmentHeader.size
        while let unit = scanner.next() {
            guard let at = Int(exactly: unit.offset), unit.isIntact else {
                throw BenchError("\(path): the unit at \(unit.offset) is damaged")
            }
            sum += unit.length
            switch unit.kind {
            case .block: try block(bytes, at, unit.length, &blocks, &samples)
            case .indexPage: rest["index", default: 0] += unit.length
            case .directory: rest["directory", default: 0] += unit.length
            case .footer: rest["file header and footer", default: 0] += unit.length
            }
        }
        guard sum == size, scanner.damage.isEmpty else {
            throw BenchError("\(path) has \(size) bytes, but its parts have \(sum)")
        }
    }

    private static func block(
        _ bytes: [UInt8], _ at: Int, _ length: Int, _ blocks: inout [String: Part], _ samples: inout Int
    ) throws {
        let anatomy = try BlockAnatomy(bytes, at: at)
        let count = anatomy.header.count
        samples += count
        func add(_ name: String, _ bytes: Int) {
            var part = blocks[name] ?? Part(name: name, bytes: 0, samples: 0)
            part.bytes += bytes
            part.samples += count
            blocks[name] = part
        }
        let columns = anatomy.columns.reduce(0) { $0 + $1.range.count }
        add("block header and trailer", length - columns)
        for place in anatomy.columns { add("\(place.name): \(encoding(place, bytes))", place.range.count) }
    }

    /// Returns the name of a column's encoding.
    private static func encoding(_ place: ColumnPlace, _ bytes: [UInt8]) -> String {
        switch place.form {
        case .absent: return "absent"
        case .constant: return "one value"
        case .sequence: return "counter"
        case .coded:
            guard let coded = place.coded, coded.count >= 2 else { return "unknown" }
            let packed = bytes[coded.lowerBound + 1] & Encoding.lz4Flag != 0
            return Encoding.name(bytes[coded.lowerBound]) + (packed ? ", LZ4" : "")
        }
    }

    /// Returns a row for the whole store, then one for each part.
    package func rows(_ set: String) -> [BenchResult] {
        let whole = Part(name: "all files", bytes: bytes, samples: samples)
        return ([whole] + parts).map { part in
            BenchResult(
                id: "size", set: set, mode: part.name, samples: part.samples,
                bytesPerSample: samples > 0 ? Double(part.bytes) / Double(samples) : 0, bytes: part.bytes,
                what: part.name == whole.name ? "bytes of the store's directory" : "of these")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import ColumnCodec
import Kernels

/// The bytes of one encoding of one column in a file.
struct ColumnUsage {
    let column: String
    let encoding: String
    var blocks = 0
    var values = 0
    var bytes = 0

    var json: JSON {
        .object([
            ("column", .string(column)), ("encoding", .string(encoding)), ("blocks", .int(blocks)),
            ("values", .int(values)), ("bytes", .int(bytes)),
        ])
    }
}

extension SegmentImage {
    /// Returns the parts of a block; nil if it is damaged.
    func anatomy(of block: BlockInfo) -> BlockAnatomy? {
        guard block.isIntact, let at = Int(exactly: block.offset) else { return nil }
        return try? BlockAnatomy(bytes, at: at)
    }

    /// Returns the bytes by column and encoding over all intact blocks, and the bytes outside columns, in disk order.
    func columnUsage() -> [ColumnUsage] {
        var order = ["(block)"]
        var found: [String: [ColumnUsage]] = [:]
        for block in blocks {
            guard let anatomy = anatomy(of: block) else {
                if isClosed, block.state == .closed { add("(block)", "encrypted", 0, block.length, &found) }
                continue
            }
            add("(block)", "header and trailer", 0, BlockHeader.size + SegmentFormat.trailerBytes, &found)
            if key != nil { add("(block)", "tag", 0, Self.tagBytes, &found) }
            for place in anatomy.columns {
                if !order.contains(place.name) { order.append(place.name) }
                let encoding = place.encodingName(bytes, anatomy.header)
                add(place.name, encoding, anatomy.header.count, place.range.count, &found)
            }
        }
        let names = ["(block)", "start", "end", "value"] + IntegerColumn.allCases.dropFirst(2).map(\.name)
        var list: [ColumnUsage] = []
        for name in names where order.contains(name) {
            list += (found[name] ?? []).sorted { ($0.bytes, $1.encoding) > ($1.bytes, $0.encoding) }
        }
        for (kind, name) in [(UnitKind.indexPage, "(index)"), (.directory, "(directory)"), (.footer, "(footer)")] {
            var use = ColumnUsage(column: name, encoding: "")
            for unit in units where unit.kind == kind { use.bytes += unit.length }
            if use.bytes > 0 { list.append(use) }
        }
        return list
    }

    private func add(
        _ column: String, _ encoding: String, _ values: Int, _ bytes: Int, _ found: inout [String: [ColumnUsage]]
    ) {
        let at = found[column, default: []].firstIndex { $0.encoding == encoding }
        var use = at.flatMap { found[column]?[$0] } ?? ColumnUsage(column: column, encoding: encoding)
        use.blocks += 1
        use.values += values
        use.bytes += bytes
        if let at { found[column]?[at] = use } else { found[column, default: []].append(use) }
    }

    func little32(_ at: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) }
    }

    func checksum(_ range: Range<Int>) -> UInt32 { Kernel.crc32c(bytes, range) }
}

extension Summary {
    var json: JSON {
        .object([
            ("count", .integer(count)), ("sum", .number(sum.value)), ("min", .number(min)), ("max", .number(max)),
            ("firstStart", .integer(firstStart)), ("firstEnd", .integer(firstEnd)), ("firstValue", .number(firstValue)),
            ("lastStart", .integer(lastStart)), ("lastEnd", .integer(lastEnd)), ("lastValue", .number(lastValue)),
            ("maxEnd", .integer(maxEnd)), ("maxEndExceptLast", count > 1 ? .integer(maxEndExceptLast) : .null),
            ("sumOfSquares", .number(sumOfSquares.value)), ("integral", .number(integral.value)),
            ("durationSum", .string("\(durationSum)")), ("minBorn", .integer(minBorn)), ("maxBorn", .integer(maxBorn)),
        ])
    }
}

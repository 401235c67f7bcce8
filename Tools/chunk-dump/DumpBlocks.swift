// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import ColumnCodec
import Kernels

// Level 2: the list of blocks.
extension SegmentImage {
    func blocksText(_ wanted: [BlockInfo], _ output: Output) throws(DumpFailure) {
        for block in wanted where output.isOpen {
            try output.line(title(block) + (block.isIndexed || block.state == .closed ? "" : ", not indexed"))
            if let summary = block.summary {
                try output.line("  \(Text.instant(summary.firstStart)) to \(Text.instant(summary.maxEnd))")
                try output.line("  min \(summary.min)  max \(summary.max)  sum \(summary.sum.value)")
            }
            guard let anatomy = anatomy(of: block) else { continue }
            var table = Table(["column", "encoding", "bytes", "bits/sample"], left: [0, 1])
            for place in anatomy.columns {
                table.add([
                    place.name, place.encodingName(bytes, anatomy.header), String(place.range.count),
                    Text.ratio(place.range.count * 8, anatomy.header.count),
                ])
            }
            try output.put(table, indent: 4)
        }
    }

    /// Returns the line of a block on levels 2 and 3.
    func title(_ block: BlockInfo) -> String {
        let content = "series \(block.series), \(block.samples) samples, "
        // Without its content, a block has no series; the index may have named it.
        let isUnknown = !block.isIntact && !block.isIndexed && assumed.encryption != nil
        return "block \(block.number) at \(block.offset): \(Text.count(block.length, "byte")), "
            + (isUnknown ? "" : content) + "checksum \(verdict(block))"
    }

    private func verdict(_ block: BlockInfo) -> String {
        switch block.state {
        case .intact: return "ok"
        case .forged: return "ok, forged"
        case .closed: return "ok, encrypted"
        case .damaged: break
        }
        guard let stored = block.stored, let computed = block.computed else { return "BAD (no block header there)" }
        return "BAD (stored \(Text.hex(stored)), computed \(Text.hex(computed)))"
    }

    func blockJSON(_ block: BlockInfo) -> JSON {
        var fields: [(String, JSON)] = [
            ("number", .int(block.number)), ("offset", .unsigned(block.offset)), ("bytes", .int(block.length)),
            ("series", block.state == .closed ? .null : .unsigned(block.series)),
            ("samples", block.state == .closed ? .null : .int(block.samples)), ("indexed", .bool(block.isIndexed)),
            ("checksum", .string(Text.verdict(block.state != .damaged))),
        ]
        if block.state == .forged { fields.append(("forged", .bool(true))) }
        if let stored = block.stored { fields.append(("stored", .string(Text.hex(stored)))) }
        if let computed = block.computed { fields.append(("computed", .string(Text.hex(computed)))) }
        if let summary = block.summary { fields.append(("summary", summary.json)) }
        if let anatomy = anatomy(of: block) {
            let columns = anatomy.columns.map { place in
                JSON.object([
                    ("name", .string(place.name)), ("encoding", .string(place.encodingName(bytes, anatomy.header))),
                    ("offset", .int(place.range.lowerBound)), ("bytes", .int(place.range.count)),
                ])
            }
            fields.append(("columns", .array(columns)))
        }
        return .object(fields)
    }
}

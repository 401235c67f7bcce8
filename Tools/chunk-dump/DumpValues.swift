// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat

// Level 4: the samples.
extension SegmentImage {
    func valuesText(_ wanted: [BlockInfo], _ output: Output) throws(DumpFailure) {
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        for block in wanted where output.isOpen {
            if let error = decode(block, &decoder, buffer) {
                let series = block.state == .closed ? "" : ", series \(block.series)"
                try output.line("block \(block.number)\(series): \(error)")
                continue
            }
            try output.line("block \(block.number), series \(block.series), \(buffer.count) samples")
            var table = Table(
                ["start", "end", "value", "created", "provenance", "metadata", "uuid", "born"], left: [0, 1, 3, 6])
            for row in 0..<buffer.count {
                table.add([
                    Text.time(buffer.starts[row]), buffer.hasEnds ? Text.time(buffer.ends[row]) : "(point)",
                    "\(buffer.values[row])", number(buffer, .created, row).map { Text.time($0) } ?? "-",
                    text(buffer, .provenance, row), text(buffer, .metadata, row), uuid(buffer, row) ?? "-",
                    text(buffer, .born, row),
                ])
            }
            try output.put(table)
        }
    }

    func valuesJSON(_ wanted: [BlockInfo], _ output: Output) throws(DumpFailure) {
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        for block in wanted where output.isOpen {
            if let error = decode(block, &decoder, buffer) {
                let fields: [(String, JSON)] = [("block", .int(block.number)), ("error", .string("\(error)"))]
                try output.put(.object(fields), indented: false)
                continue
            }
            for row in 0..<buffer.count {
                var fields: [(String, JSON)] = [
                    ("block", .int(block.number)), ("series", .unsigned(block.series)),
                    ("start", .string(Text.time(buffer.starts[row]))),
                    ("startNanoseconds", .integer(buffer.starts[row])),
                    ("end", .string(Text.time(buffer.end(at: row)))), ("endNanoseconds", .integer(buffer.end(at: row))),
                    ("value", .number(buffer.values[row])),
                    ("createdNanoseconds", .optional(number(buffer, .created, row))),
                    ("provenance", .optional(number(buffer, .provenance, row))),
                    ("metadata", .optional(number(buffer, .metadata, row))),
                ]
                fields.append(("uuid", uuid(buffer, row).map { .string($0) } ?? .null))
                fields.append(("born", .optional(number(buffer, .born, row))))
                try output.put(.object(fields), indented: false)
            }
        }
    }

    private func number(_ buffer: BlockBuffer, _ column: IntegerColumn, _ row: Int) -> Int64? {
        buffer.value(of: column, at: row)
    }

    private func text(_ buffer: BlockBuffer, _ column: IntegerColumn, _ row: Int) -> String {
        number(buffer, column, row).map(String.init) ?? "-"
    }

    private func uuid(_ buffer: BlockBuffer, _ row: Int) -> String? {
        guard let high = number(buffer, .identityHigh, row), let low = number(buffer, .identityLow, row) else {
            return nil
        }
        return UUIDBytes(high: high, low: low).text
    }
}

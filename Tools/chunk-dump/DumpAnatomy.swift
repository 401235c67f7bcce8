// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import ColumnCodec

// Level 3: every byte of a block with name and meaning, and the reasons for each column's encoding.
extension SegmentImage {
    /// A byte range of a block with its meaning.
    struct Note {
        let range: Range<Int>
        let name: String
        let meaning: String
        /// Whether the range counts from the start of the LZ4-decompressed bytes.
        var inPlain = false
    }

    func anatomyText(_ block: BlockInfo, _ output: Output) throws(DumpFailure) {
        if !output.isOpen { return }
        try output.line(title(block))
        guard let anatomy = anatomy(of: block) else {
            if block.state == .closed || block.state == .forged { return try text(closedNotes(block), output) }
            try hexText(Int(block.offset)..<min(size, Int(block.offset) + block.length), output)
            return
        }
        if key != nil {
            try output.line(
                "  the bytes are decrypted, except kind, tag and checksum; the stored length is \(block.length)")
        }
        try text(notes(block, anatomy), output)
        try output.line("  why:")
        for reason in reasons(block, anatomy) { try output.put(reason.text) }
    }

    private func text(_ notes: [Note], _ output: Output) throws(DumpFailure) {
        for note in notes {
            let place = note.inPlain ? "+\(note.range.lowerBound)" : String(note.range.lowerBound)
            let shown = note.inPlain ? "" : Text.hex(bytes[note.range.prefix(12)]) + (note.range.count > 12 ? ".." : "")
            try output.line(
                "  " + pad(place, 9) + " " + pad(String(note.range.count), 6) + "  " + left(shown, 26) + "  "
                    + left(note.name, 18) + "  " + note.meaning)
        }
    }

    private func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Writes bytes without an interpretation.
    private func hexText(_ range: Range<Int>, _ output: Output) throws(DumpFailure) {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 32) {
            let end = min(start + 32, range.upperBound)
            try output.line("  " + pad(String(start), 9) + "  " + Text.hex(bytes[start..<end]))
        }
    }

    /// Returns all byte ranges of a block in order.
    func notes(_ block: BlockInfo, _ anatomy: BlockAnatomy) -> [Note] {
        let at = Int(block.offset)
        let header = anatomy.header
        var list = BlockHeader.fields.map { field in
            Note(range: field.range(from: at), name: field.name, meaning: meaning(field.name, header))
        }
        for place in anatomy.columns { list += notes(place, header) }
        if key != nil { return list + endNotes(block) }
        let end = at + header.length
        list.append(
            Note(
                range: end - SegmentFormat.trailerBytes..<end, name: "checksum",
                meaning: "CRC-32C \(Text.hex(block.stored ?? 0)) over identity and bytes"))
        return list
    }

    private func meaning(_ field: String, _ header: BlockHeader) -> String {
        switch field {
        case "kind": return "a block"
        case "flags":
            let base =
                switch header.createdBase {
                case .absolute: "as they are"
                case .start: "from the start"
                case .end: "from the end"
                }
            let ends = header.endFromNextStart ? "from the next start" : "from their own start"
            return "ends \(ends), creation times \(base)"
        case "count": return "\(header.count) samples"
        case "length": return "\(header.length) bytes, checksum included"
        case "series": return "series \(header.series)"
        case "forms":
            return IntegerColumn.allCases.map { "\($0.name) \(header.form(of: $0))" }.joined(separator: ", ")
        case "grid": return "cut on: \(CutGrid(rawValue: header.grid).map { "\($0)" } ?? "\(header.grid)")"
        default: return ""
        }
    }

    private func notes(_ place: ColumnPlace, _ header: BlockHeader) -> [Note] {
        var list: [Note] = []
        if let last = place.lastDuration {
            list.append(
                Note(range: last.range, name: place.name, meaning: "the last sample lasts \(last.nanoseconds) ns"))
        }
        guard let coded = place.coded else {
            let start = place.lastDuration?.range.upperBound ?? place.range.lowerBound
            list.append(
                Note(
                    range: start..<place.range.upperBound, name: place.name,
                    meaning: "\(place.encodingName(bytes, header)): \(place.number.map(String.init) ?? "?")"))
            return list
        }
        list.append(Note(range: coded, name: place.name, meaning: place.encodingName(bytes, header)))
        for note in ColumnDecoder.describe(
            bytes, at: coded.lowerBound, end: coded.upperBound, count: place.count)
        {
            list.append(
                Note(range: note.range, name: "  \(note.name)", meaning: note.meaning, inPlain: note.inPlain))
        }
        return list
    }

    func anatomyJSON(_ block: BlockInfo) -> JSON {
        guard case .object(var fields) = blockJSON(block) else { return .null }
        guard let anatomy = anatomy(of: block) else {
            if block.state == .closed || block.state == .forged { fields.append(("ranges", json(closedNotes(block)))) }
            return .object(fields)
        }
        if key != nil { fields.append(("decrypted", .bool(true))) }
        fields.append(("ranges", json(notes(block, anatomy))))
        fields.append(("reasons", .array(reasons(block, anatomy).map { $0.json })))
        return .object(fields)
    }

    private func json(_ notes: [Note]) -> JSON {
        let ranges = notes.map { note in
            JSON.object([
                ("offset", .int(note.range.lowerBound)), ("bytes", .int(note.range.count)),
                ("name", .string(note.name.trimmingSpaces)), ("meaning", .string(note.meaning)),
                ("inPlain", .bool(note.inPlain)),
                ("hex", note.inPlain ? .null : .string(Text.hex(bytes[note.range]))),
            ])
        }
        return .array(ranges)
    }
}

extension String {
    fileprivate var trimmingSpaces: String { String(drop { $0 == " " }) }
}

// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import ColumnCodec
import Kernels

// Level 1: header, sections, footer, totals, and bytes by column and encoding.
extension SegmentImage {
    /// A section of the file with its checksums.
    struct Section {
        let name: String
        let offset: Int
        let length: Int
        var stored: UInt32?
        var computed: UInt32?
        /// For sections of several units: the number of units, and of damaged units.
        var units: (count: Int, bad: Int)?
        /// The number of units whose checksum is right, but which do not open.
        var forged = 0

        var verdict: String {
            if let units {
                let bad = units.bad == 0 ? "" : "\(units.bad) of \(units.count) BAD"
                let forged = forged == 0 ? "" : "\(forged) of \(units.count) forged"
                if bad.isEmpty, forged.isEmpty { return "\(units.count) ok" }
                return bad + (bad.isEmpty || forged.isEmpty ? "" : ", ") + forged
            }
            guard let stored, let computed else { return "?" }
            return stored == computed && forged > 0 ? "forged" : Text.verdict(stored == computed)
        }
    }

    /// Returns the known sections in order.
    func sections() -> [Section] {
        let length = assumed.length
        let sum = length - SegmentFormat.trailerBytes
        var list = [
            Section(
                name: "header", offset: 0, length: min(size, length), stored: size >= length ? little32(sum) : nil,
                computed: size >= length ? checksum(0..<sum) : nil)
        ]
        let bad = blocks.count { $0.state == .damaged }
        if let first = blocks.first {
            let end = footer.map { Int($0.blocksEnd) } ?? blocks.map { Int($0.offset) + $0.length }.max() ?? 0
            list.append(
                Section(
                    name: "blocks", offset: Int(first.offset), length: end - Int(first.offset),
                    units: (blocks.count, bad), forged: blocks.count { $0.state == .forged }))
        }
        let pages = units.filter { $0.kind == .indexPage }
        let forged = pages.count { state(of: $0) == .forged }
        if let footer {
            let start = Int(footer.blocksEnd)
            let length = Int(footer.directoryOffset) - start
            let lost = damage.count { $0.overlaps(start..<start + length) }
            list.append(
                Section(
                    name: "index pages", offset: start, length: length, units: (pages.count + lost, lost),
                    forged: forged))
        } else if let first = pages.first, let last = pages.last {
            let length = Int(last.offset) + last.length - Int(first.offset)
            list.append(
                Section(
                    name: "index pages", offset: Int(first.offset), length: length, units: (pages.count, 0),
                    forged: forged))
        }
        for (kind, name) in [(UnitKind.directory, "run directory"), (.footer, "footer")] {
            guard let unit = units.last(where: { $0.kind == kind }) ?? expected(kind) else { continue }
            list.append(
                Section(
                    name: name, offset: Int(unit.offset), length: unit.length, stored: unit.stored,
                    computed: unit.computed, forged: state(of: unit) == .forged ? 1 : 0))
        }
        return list
    }

    /// Returns the directory or footer at its required position, if the scan did not find it intact.
    private func expected(_ kind: UnitKind) -> FoundUnit? {
        var scanner = UnitScanner(bytes, header: assumed, end: size)
        if kind == .footer { return scanner.unit(at: size - assumed.footerLength) }
        return footer.flatMap { scanner.unit(at: Int($0.directoryOffset)) }
    }

    // MARK: text

    func fileText(_ output: Output) throws(DumpFailure) {
        try output.line("\(path): \(Text.count(size, "byte"))")
        try headerText(output)
        if isAlone { try keys?.write(output) }
        try closedText(output)
        try output.line("sections")
        var table = Table(["section", "offset", "bytes", "stored", "computed", "checksum"], left: [0, 5])
        for part in sections() {
            table.add([
                part.name, String(part.offset), String(part.length), part.stored.map { Text.hex($0) } ?? "",
                part.computed.map { Text.hex($0) } ?? "", part.verdict,
            ])
        }
        try output.put(table)
        try footerText(output)
        try runsText(output)
        try encodingsText(output)
    }

    private func headerText(_ output: Output) throws(DumpFailure) {
        if let header {
            try output.line("header")
            try output.line("  version \(version)")
            try output.line("  store   \(Text.uuid(header.store))")
            try output.line("  segment \(Text.uuid(header.segment))")
            try output.line("  commit  \(header.commit)")
        } else {
            let proof = key == nil ? "assuming" : "a unit opens with the key for"
            let ids = "\(Text.uuid(assumed.store)) and \(Text.uuid(assumed.segment))"
            try output.line("header damaged; \(proof) the ids \(ids)")
        }
        guard let encryption = assumed.encryption else { return }
        try output.line("  key     generation \(encryption.generation)")
        try output.line("  cipher  \(Self.cipherName)")
        try output.line("  salt    \(Text.hex(encryption.salt[...]))")
    }

    /// The version of the segment.
    private var version: UInt16 {
        assumed.encryption == nil ? SegmentFormat.version : SegmentFormat.encryptedVersion
    }

    private func footerText(_ output: Output) throws(DumpFailure) {
        if isClosed { return }
        guard let footer else {
            let samples = blocks.reduce(0) { $0 + $1.samples }
            let found = "\(Text.count(blocks.count, "block")), \(Text.count(samples, "sample"))"
            try output.line("no footer; found by scanning: \(found)")
            return
        }
        try output.line("footer")
        try output.line("  runs      \(footer.runs)")
        try output.line("  blocks    \(footer.blocks)")
        try output.line("  samples   \(footer.samples)")
        try output.line("  from      \(Text.instant(footer.minStart))")
        try output.line("  to        \(Text.instant(footer.maxEnd))")
        let each = Text.ratio(size, Int(clamping: footer.samples), 3)
        try output.line("  file      \(Text.count(footer.fileLength, "byte")), \(each) per sample")
    }

    private func runsText(_ output: Output) throws(DumpFailure) {
        if runs.isEmpty { return }
        try output.line("runs")
        var table = Table(["series", "blocks", "samples", "levels", "root", "from", "to"])
        for run in runs {
            table.add([
                String(run.series), String(run.blocks), String(run.summary.count), String(run.levels),
                String(run.rootOffset), Text.instant(run.summary.firstStart), Text.instant(run.summary.maxEnd),
            ])
        }
        try output.put(table)
    }

    private func encodingsText(_ output: Output) throws(DumpFailure) {
        let usage = columnUsage()
        if usage.isEmpty { return }
        try output.line("bytes by column and encoding")
        var table = Table(["column", "encoding", "blocks", "values", "bytes", "bits/value", "of file"], left: [0, 1])
        for use in usage {
            table.add([
                use.column, use.encoding, String(use.blocks), String(use.values), String(use.bytes),
                Text.ratio(use.bytes * 8, use.values), Text.ratio(use.bytes * 100, size, 1) + "%",
            ])
        }
        try output.put(table)
    }

    // MARK: JSON

    func fileJSON() -> [(String, JSON)] {
        var fields: [(String, JSON)] = [("bytes", .int(size))]
        if let header {
            fields.append(
                (
                    "header",
                    .object([
                        ("version", .int(Int(version))), ("store", .string(Text.uuid(header.store))),
                        ("segment", .string(Text.uuid(header.segment))), ("commit", .unsigned(header.commit)),
                    ])
                ))
        }
        fields.append(("sections", .array(sections().map { $0.json })))
        if let footer {
            fields.append(
                (
                    "footer",
                    .object([
                        ("runs", .int(Int(footer.runs))), ("blocks", .unsigned(footer.blocks)),
                        ("samples", .unsigned(footer.samples)), ("minStart", .integer(footer.minStart)),
                        ("maxEnd", .integer(footer.maxEnd)), ("fileLength", .unsigned(footer.fileLength)),
                        ("checksum", .string(Text.hex(footer.checksum))),
                    ])
                ))
        }
        fields.append(("runs", .array(runs.map { $0.json })))
        fields.append(("columns", .array(columnUsage().map { $0.json })))
        return fields
    }
}

extension SegmentImage.Section {
    fileprivate var json: JSON {
        var fields: [(String, JSON)] = [
            ("name", .string(name)), ("offset", .int(offset)), ("bytes", .int(length)),
        ]
        if let stored { fields.append(("stored", .string(Text.hex(stored)))) }
        if let computed { fields.append(("computed", .string(Text.hex(computed)))) }
        if let units { fields += [("units", .int(units.count)), ("damaged", .int(units.bad))] }
        fields.append(("verdict", .string(verdict)))
        return .object(fields)
    }
}

extension RunEntry {
    fileprivate var json: JSON {
        .object([
            ("series", .unsigned(series)), ("rootOffset", .unsigned(rootOffset)),
            ("rootLength", .int(Int(rootLength))), ("levels", .int(Int(levels))), ("blocks", .int(Int(blocks))),
            ("summary", summary.json),
        ])
    }
}

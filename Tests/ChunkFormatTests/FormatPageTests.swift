// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Foundation
import Testing

/// Compares the field tables of `Docs/Format` with the layouts in the code.
@Suite("Format pages agree with the code")
struct FormatPageTests {
    /// Returns the rows `| offset | size | name |` of the table under a heading.
    private func table(_ page: String, under heading: String) throws -> [Field] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("Docs/Format/\(page)"), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == heading }, "no heading \(heading) in \(page)")
        var rows: [Field] = []
        for line in lines[(start + 1)...] {
            if line.hasPrefix("#") { break }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 3, let offset = Int(cells[0]), let size = Int(cells[1]) else { continue }
            rows.append(Field(cells[2], at: offset, size: size))
        }
        return rows
    }

    /// The fixed fields of a run in the directory.
    private static let entry = [
        Field("series", at: 0, size: 8), Field("rootOffset", at: 8, size: 8), Field("rootLength", at: 16, size: 4),
        Field("levels", at: 20, size: 1), Field("blocks", at: 21, size: 4),
    ]

    @Test("Tables of segment header, run directory, run entry and footer agree with the code")
    func segment() throws {
        #expect(try table("Segment.md", under: "## Header") == SegmentHeader.fields)
        #expect(try table("Segment.md", under: "## Run directory") == RunDirectory.fields + Self.entry)
        #expect(try table("Segment.md", under: "## Footer") == SegmentFooter.fields)
        #expect(
            try table("Segment.md", under: "### Header of an encrypted segment") == SegmentHeader.encryptedFields)
    }

    @Test("The fixed fields of a run have the stated places in an encoded segment")
    func runs() throws {
        let blocks = [0, 3].map { first in
            let block = BlockBuffer()
            block.count = 3
            for i in 0..<3 { (block.starts[i], block.values[i]) = (Int64(first + i), Double(i)) }
            return block
        }
        let bytes = try TestSegment.build([(0x1122_3344_5566_7788, blocks)])
        let header = try SegmentHeader.decode(Array(bytes.prefix(SegmentHeader.size)))
        let footer = try SegmentFooter.decode(
            Array(bytes.suffix(SegmentFooter.size)), fileLength: UInt64(bytes.count), header: header)
        let at = Int(footer.directoryOffset)
        let run = try RunDirectory.decode(
            Array(bytes[at..<at + Int(footer.directoryLength)]), header: header, footer: footer)[0]
        let values: [String: UInt64] = [
            "series": run.series, "rootOffset": run.rootOffset, "rootLength": UInt64(run.rootLength),
            "levels": UInt64(run.levels), "blocks": UInt64(run.blocks),
        ]
        #expect(Set(values.values).count == 5 && run.blocks == 2)
        for field in Self.entry {
            let start = at + RunDirectory.headerBytes + field.offset
            let stored = bytes[start..<start + field.size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            #expect(stored == values[field.name], "\(field.name)")
        }
    }

    @Test("The table of the block header agrees with the code")
    func block() throws {
        #expect(try table("Block.md", under: "## Header") == BlockHeader.fields)
    }

    @Test("The table of the trailer of an attached file agrees with the code")
    func attachedFile() throws {
        #expect(try table("AttachedFile.md", under: "## Trailer") == AttachedUnit.fields)
        #expect(try table("AttachedFile.md", under: "### Header of an encrypted file") == AttachedHeader.fields)
        #expect(
            try table("AttachedFile.md", under: "### Trailer of an encrypted unit") == AttachedUnit.encryptedFields)
        #expect(AttachedLayout.contentBytes == 65_536)
    }

    @Test("Fields are contiguous up to the size")
    func gapless() {
        let layouts: [([Field], Int)] = [
            (SegmentHeader.fields, SegmentHeader.size),
            (SegmentHeader.encryptedFields, SegmentHeader.encryptedSize),
            (RunDirectory.fields, RunDirectory.headerBytes),
            (Self.entry, RunEntry.fixedBytes), (SegmentFooter.fields, SegmentFooter.size),
            (BlockHeader.fields, BlockHeader.size), (AttachedUnit.fields, AttachedUnit.trailerBytes),
            (AttachedUnit.encryptedFields, AttachedUnit.encryptedTrailerBytes),
            (AttachedHeader.fields, AttachedHeader.size),
        ]
        for (fields, size) in layouts {
            var next = 0
            for field in fields {
                #expect(field.offset == next, "\(field.name)")
                next += field.size
            }
            #expect(next == size)
        }
    }

    @Test("Kinds, magic and limits of the pages agree with the code")
    func numbers() throws {
        #expect(UnitKind.allCases.map(\.rawValue) == [0xA1, 0xB1, 0xD1, 0xF1])
        #expect(SegmentFormat.magic == Array("KYMOKSEG".utf8) && SegmentFormat.endMagic == Array("KSEGDONE".utf8))
        #expect(SegmentFormat.version == 1 && SegmentFormat.encryptedVersion == 2)
        #expect(SegmentFooter.encryptedSize == 112)
        #expect(SegmentFormat.maximumSamples == 6144 && SegmentFormat.maximumBlockBytes == 262_144)
        #expect(IntegerColumn.allCases.map(\.rawValue) == Array(0...7))
        #expect(
            [ColumnForm.absent, .constant, .sequence, .coded].map(\.rawValue) == [0, 1, 2, 3])
        #expect([CreatedBase.absolute, .start, .end].map(\.rawValue) == [0, 1, 2])
    }
}

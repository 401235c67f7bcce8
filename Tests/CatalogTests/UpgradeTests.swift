// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import Testing

@Suite("E-18 a catalog of the first format is upgraded to checksums")
struct UpgradeTests {
    /// Returns a catalog as the first release made it: pages without checksums.
    static func first() throws -> (Scratch, CatalogImage) {
        let scratch = try Scratch()
        try scratch.create(format: 1)
        // The system's own VFS has no checksums, so this writer upgrades nothing.
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false, vfs: "unix")
        var dice = Dice(seed: 9)
        var commit = CatalogCommit(seq: 1, tail: dice.bytes(9_000))
        for id in 1...3 as ClosedRange<Int64> { commit.series.append(SeriesRow(id: id, name: "s\(id)", kind: 1)) }
        commit.segments = [dice.segment(1, born: 1, series: [1, 3])]
        try writer.commit(commit)
        for seq in 2...6 as ClosedRange<Int64> { try writer.commit(tail(seq, dice.bytes(500))) }
        try writer.commit(CatalogCommit(seq: 7, sealedTail: [1, 2]))
        let image = try writer.load()
        try writer.close()
        let bytes = try scratch.bytes()
        #expect(
            stride(from: 4056, to: bytes.count, by: 4096).allSatisfy { at in
                bytes[at..<at + 40].allSatisfy { $0 == 0 }
            })
        return (scratch, image)
    }

    private func expectSame(_ found: CatalogImage, _ wanted: CatalogImage, _ note: String = "") {
        #expect(found.seq == wanted.seq && found.series == wanted.series, "\(note)")
        #expect(found.segments == wanted.segments && found.tail == wanted.tail, "\(note)")
    }

    @Test("A reader leaves the format, a writer upgrades it, and open readers continue")
    func upgrades() throws {
        let (scratch, image) = try Self.first()
        let before = try scratch.bytes()
        let reader = try scratch.reader()
        expectSame(try reader.load(), image)
        #expect(try reader.load().formatVersion == 1)
        #expect(try reader.integrityProblems().isEmpty)
        #expect(try scratch.bytes() == before)

        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        #expect(try writer.load().formatVersion == 2)
        expectSame(try writer.load(), image)
        #expect(try writer.damagedPages().isEmpty)
        expectSame(try reader.load(), image)
        #expect(try reader.load().formatVersion == 2)
        #expect(try reader.damagedPages().isEmpty)
        try writer.commit(tail(8, [1, 2]))
        #expect(try reader.load().seq == 8)
        // The earlier reader verifies checksums from now on.
        let file = try OpenFile(scratch.catalog)
        #expect(try file.flipping(4_096 + 7, 1) { try reader.damagedPages() }.count == 1)
        try writer.close()
        try reader.close()
        #expect(try scratch.bytes().count % 4096 == 0)
        let bytes = try scratch.bytes()
        #expect(stride(from: 4056, to: bytes.count, by: 4096).allSatisfy { bytes[$0] == UInt8(ascii: "K") })
    }

    @Test("A crash at any point of the upgrade leaves the old catalog or the new one")
    func crashes() throws {
        let (scratch, image) = try Self.first()
        let old = try scratch.bytes()
        // While a reader holds the old version, the upgrade stays in the log.
        let reader = try scratch.reader()
        var log: [UInt8] = []
        try reader.read { _ in
            let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
            log = try scratch.log()
            #expect(try writer.load().formatVersion == 2)
            try writer.close()
        }
        try reader.close()
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        try writer.close()
        let new = try scratch.bytes()
        let frames = (log.count - 32) / 4120
        #expect(frames > 6 && new != old)
        var cases: [(String, [UInt8], [UInt8])] = [("before", old, [])]
        for frame in 0...frames {
            cases.append(("frame \(frame)", old, Array(log.prefix(32 + frame * 4120))))
            cases.append(("in frame \(frame)", old, Array(log.prefix(32 + frame * 4120 + 2_000))))
        }
        for page in 0...new.count / 4096 {
            let rest = page * 4096 < old.count ? Array(old[(page * 4096)...]) : []
            cases.append(("\(page) pages copied", Array(new.prefix(page * 4096)) + rest, log))
        }
        for (note, database, log) in cases {
            for readerFirst in [true, false] {
                let place = try Scratch()
                try Data(database).write(to: URL(fileURLWithPath: place.catalog))
                if !log.isEmpty { try Data(log).write(to: URL(fileURLWithPath: place.catalog + "-wal")) }
                if readerFirst {
                    let reader = try place.reader()
                    expectSame(try reader.load(), image, note)
                    #expect(try reader.damagedPages().isEmpty, "\(note)")
                    try reader.close()
                }
                let writer = try CatalogDatabase.open(at: place.catalog, readOnly: false)
                expectSame(try writer.load(), image, note)
                #expect(try writer.load().formatVersion == 2)
                #expect(try writer.integrityProblems().isEmpty, "\(note)")
                try writer.commit(tail(8, [1]))
                try writer.close()
                let bytes = try place.bytes()
                #expect(
                    stride(from: 4056, to: bytes.count, by: 4096).allSatisfy { bytes[$0] == UInt8(ascii: "K") },
                    "\(note)")
            }
        }
    }

    @Test("A page without a checksum is damage once all pages have one, also page 1")
    func lostChecksums() throws {
        let (scratch, _) = try Self.first()
        try CatalogDatabase.open(at: scratch.catalog, readOnly: false).close()
        let sound = try scratch.bytes()
        for page in 0..<sound.count / 4096 {
            var bytes = sound
            bytes.replaceSubrange(page * 4096 + 4056..<page * 4096 + 4096, with: [UInt8](repeating: 0, count: 40))
            try Data(bytes).write(to: URL(fileURLWithPath: scratch.catalog))
            do {
                let reader = try scratch.reader()
                #expect(try reader.damagedPages().count == 1)
                try reader.close()
            } catch { #expect((error as? CatalogError)?.kind == .corrupt, "page \(page): \(error)") }
        }
    }

    @Test("Without the layer, a catalog with checksums is refused")
    func pastTheLayer() throws {
        let scratch = try Scratch()
        try scratch.create()
        for readOnly in [true, false] {
            expect(.other) { _ = try CatalogDatabase.open(at: scratch.catalog, readOnly: readOnly, vfs: "unix") }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import Kernels
import TestSupport
import Testing
import TimeIndex

@Suite("Index pages: encoding, decoding and refused input")
struct IndexPageTests {
    private func page(_ count: Int, seed: UInt64, level: UInt8 = 0) -> IndexPage {
        var random = TestRandom(seed: seed)
        return IndexPage(level: level, entries: TestTree.entries(count, &random))
    }

    private func encode(_ page: IndexPage, at position: UInt64 = TestTree.place) throws -> [UInt8] {
        var writer = ByteWriter()
        try page.encode(identity: TestTree.identity, position: position, into: &writer)
        return writer.bytes
    }

    private func decode(
        _ bytes: [UInt8], level: UInt8 = 0, at position: UInt64 = TestTree.place
    ) throws(IndexError) -> IndexPage {
        try IndexPage.decode(
            bytes, length: bytes.count, identity: TestTree.identity, position: position, level: level)
    }

    @Test("Pages of every size from 1 to 64 round-trip", arguments: 1...64)
    func roundTrip(count: Int) throws {
        let page = page(count, seed: UInt64(count), level: UInt8(count % 3))
        let bytes = try encode(page)
        #expect(try decode(bytes, level: page.level) == page)
        let padded = [9, 9, 9] + bytes + [UInt8](repeating: 1, count: 64)
        let again = try IndexPage.decode(
            padded, at: 3, length: bytes.count, identity: TestTree.identity, position: TestTree.place,
            level: page.level)
        #expect(again == page)
    }

    @Test("The index of a regular series needs few bytes per block")
    func compact() throws {
        var entries: [IndexEntry] = []
        for index in 0..<64 {
            let starts = (0..<100).map { Int64(index * 100 + $0) * 1_000_000_000 }
            let values = (0..<100).map { Double(60 + ($0 * 7 + index) % 30) }
            let summary = Kernel.summarize(
                starts: starts, ends: nil, values: values, range: 0..<100, minBorn: 7, maxBorn: 7)
            entries.append(IndexEntry(offset: UInt64(64 + index * 300), length: 300, summary: summary))
        }
        let bytes = try encode(IndexPage(level: 0, entries: entries))
        #expect(bytes.count < 64 * 24)
    }

    @Test("Every flipped bit is detected")
    func flips() throws {
        let bytes = try encode(page(3, seed: 9))
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: IndexError.self, "byte \(index), bit \(bit)") { try decode(changed) }
            }
        }
    }

    @Test("Every other length, offset, level and identity is refused")
    func wrongPlace() throws {
        let bytes = try encode(page(5, seed: 10))
        for length in 0..<bytes.count + 10 where length != bytes.count {
            #expect(throws: IndexError.self) {
                try IndexPage.decode(
                    bytes, length: length, identity: TestTree.identity, position: TestTree.place, level: 0)
            }
        }
        #expect(throws: IndexError.self) { try decode(bytes, at: TestTree.place + 1) }
        #expect(throws: IndexError.self) { try decode(bytes, level: 1) }
        var identity = TestTree.identity
        identity.series = 6
        #expect(throws: IndexError.self) {
            try IndexPage.decode(bytes, length: bytes.count, identity: identity, position: TestTree.place, level: 0)
        }
        identity = IndexIdentity(store: [1], segment: TestTree.segment, series: 5)
        #expect(throws: IndexError.self) {
            try IndexPage.decode(bytes, length: bytes.count, identity: identity, position: TestTree.place, level: 0)
        }
        for at in [-1, bytes.count + 1, Int.max] {
            #expect(throws: IndexError.self) {
                try IndexPage.decode(
                    bytes, at: at, length: bytes.count, identity: TestTree.identity, position: TestTree.place,
                    level: 0)
            }
        }
    }

    @Test("A page changed and resealed gives an error or a page that satisfies the rules", arguments: [1, 2, 30])
    func resealed(count: Int) throws {
        let bytes = try encode(page(count, seed: UInt64(count)))
        var random = TestRandom(seed: 4)
        for index in 0..<bytes.count - 4 {
            for change: UInt8 in [0x01, 0x80, UInt8(truncatingIfNeeded: random.next()) | 2] {
                var changed = bytes
                changed[index] ^= change
                seal(&changed)
                guard let page = try? decode(changed) else { continue }
                var reached: UInt64 = 0
                var last = Int64.min
                for entry in page.entries {
                    #expect(entry.offset >= reached && entry.summary.firstStart >= last && entry.summary.count > 0)
                    reached = entry.offset + UInt64(entry.length)
                    last = entry.summary.lastStart
                }
                #expect(reached <= TestTree.place && (1...64).contains(page.entries.count))
            }
        }
    }

    private func seal(_ bytes: inout [UInt8]) {
        let end = bytes.count - 4
        let sum = TestTree.identity.checksum(bytes, 0..<end, position: TestTree.place) ?? 0
        for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
    }

    @Test("Entries that no page can hold are refused")
    func misuse() throws {
        func refused(_ change: (inout IndexPage) -> Void) {
            var page = page(3, seed: 20)
            change(&page)
            #expect(throws: IndexError.self) { try encode(page) }
        }
        refused { $0.entries = [] }
        refused { $0.entries = Array(repeating: $0.entries[0], count: 65) }
        refused { $0.entries.swapAt(0, 2) }
        refused { $0.entries[1].length = 0 }
        refused { $0.entries[1].length = .max }
        refused { $0.entries[2].offset = .max }
        refused { $0.entries[0].summary = Summary() }
        refused { $0.entries[0].summary.count = 1 << 40 + 1 }
        refused { $0.entries[1].summary.firstStart = .min }
        refused { $0.entries[1].summary.maxEnd = $0.entries[1].summary.lastStart - 1 }
        refused { $0.level = 8 }
        var builder = IndexBuilder(store: [], segment: TestTree.segment, series: 1)
        try builder.add(page(1, seed: 1).entries[0])
        #expect(throws: IndexError.self) { try builder.finish(at: 100_000) }
    }

    @Test("The field table of Docs/Format/TimeIndex.md equals the layout in the code")
    func formatPage() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("Docs/Format/TimeIndex.md"), encoding: .utf8)
        var rows: [(String, Int, Int)] = []
        for line in text.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 3, let offset = Int(cells[0]), let size = Int(cells[1]) else { continue }
            rows.append((cells[2], offset, size))
        }
        let page = page(3, seed: 1, level: 2)
        let bytes = try encode(page)
        let values: [String: UInt64] = [
            "kind": UInt64(IndexFormat.kind), "level": 2, "count": 3, "length": UInt64(bytes.count),
            "series": TestTree.identity.series, "firstOffset": page.entries[0].offset,
        ]
        var next = 0
        for (name, offset, size) in rows {
            #expect(offset == next, "\(name)")
            next = offset + size
            let stored = bytes[offset..<next].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            #expect(stored == values[name], "\(name)")
        }
        #expect(rows.count == values.count && next == IndexFormat.headerBytes)
        #expect(text.contains("0x\(String(IndexFormat.kind, radix: 16, uppercase: true))"))
    }
}

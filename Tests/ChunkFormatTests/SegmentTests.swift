// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TestSupport
import Testing

@Suite("Segments: runs of blocks round-trip through a file")
struct SegmentTests {
    /// Returns runs whose blocks follow each other in time.
    private func runs(_ seed: UInt64, series: Int, blocks: Int, most: Int) -> [(UInt64, [BlockBuffer])] {
        var maker = BlockMaker(seed: seed)
        var id: UInt64 = 0
        return (0..<series).map { _ in
            id += UInt64(maker.random.within(1...1000))
            var from: Int64 = 1_600_000_000_000_000_000
            var list: [BlockBuffer] = []
            for _ in 0..<maker.random.within(1...blocks) {
                let block = maker.block(count: maker.random.within(1...most), from: from)
                from = block.starts[block.count - 1]
                list.append(block)
            }
            return (id, list)
        }
    }

    @Test("All content round-trips", arguments: 0..<6)
    func roundTrip(part: Int) throws {
        let runs = runs(UInt64(part), series: 1 + part, blocks: 5, most: 200)
        let bytes = try TestSegment.build(runs)
        let content = try TestSegment.read(bytes)
        #expect(content.runs.map(\.series) == runs.map(\.0))
        #expect(content.runs.map(\.blocks) == runs.map { $0.1.map { Rows($0) } })
        #expect(content.header.store == testStore && content.header.segment == testSegment)
        #expect(content.header.commit == 41)
        let blocks = runs.flatMap(\.1)
        #expect(content.footer.blocks == UInt64(blocks.count))
        #expect(content.footer.samples == UInt64(blocks.reduce(0) { $0 + $1.count }))
        #expect(content.footer.minStart == blocks.map { $0.starts[0] }.min())
        #expect(content.footer.maxEnd == blocks.flatMap { b in (0..<b.count).map { b.end(at: $0) } }.max())
        #expect(try TestSegment.build(runs) == bytes, "the same blocks give the same bytes")
    }

    @Test("Segments with several levels of index pages round-trip")
    func deep() throws {
        var blocks: [BlockBuffer] = []
        for index in 0..<4200 {
            let block = BlockBuffer()
            block.count = 1
            block.starts[0] = Int64(index)
            block.values[0] = Double(index)
            blocks.append(block)
        }
        let bytes = try TestSegment.build([(3, blocks)])
        let content = try TestSegment.read(bytes)
        #expect(content.runs[0].blocks.count == 4200)
        #expect(content.runs[0].blocks.flatMap(\.starts) == (0..<4200).map(Int64.init))
    }

    @Test("Every truncated length is an error")
    func truncated() throws {
        let bytes = try TestSegment.build(runs(11, series: 2, blocks: 2, most: 20))
        for length in 0..<bytes.count {
            let cut = Array(bytes.prefix(length))
            #expect(throws: FormatError.self, "\(length) of \(bytes.count) bytes") { try TestSegment.read(cut) }
        }
        #expect(throws: FormatError.self) { try TestSegment.read(bytes + [0]) }
    }

    @Test("Units of another segment are refused")
    func swapped() throws {
        let runs = runs(12, series: 1, blocks: 3, most: 30)
        let mine = try TestSegment.build(runs)
        let other = try TestSegment.build(runs, segment: [UInt8](repeating: 5, count: 16))
        #expect(mine.count == other.count)
        for (start, end) in [(mine.count - 96, mine.count), (0, 64), (64, mine.count - 96)] {
            var mixed = mine
            mixed.replaceSubrange(start..<end, with: other[start..<end])
            #expect(throws: (any Error).self) { try TestSegment.read(mixed) }
        }
    }

    @Test("Files that are not segments, and segments of newer versions, are reported as such")
    func kinds() throws {
        func kind(_ bytes: [UInt8]) -> FormatError.Kind? {
            do throws(FormatError) {
                _ = try SegmentHeader.decode(bytes)
                return nil
            } catch { return error.kind }
        }
        var bytes = Array(try TestSegment.build(runs(13, series: 1, blocks: 1, most: 5)).prefix(64))
        #expect(kind(bytes) == nil)
        #expect(kind([]) == .notASegment)
        #expect(kind(Array("SQLite format 3".utf8)) == .notASegment)
        #expect(kind(Array(bytes.prefix(40))) == .truncated)
        func seal() {
            let sum = Kernel.crc32c(bytes, 0..<60)
            for index in 0..<4 { bytes[60 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
        }
        bytes[8] = 2
        #expect(kind(bytes) == .checksum)
        seal()
        #expect(kind(bytes) == .newerVersion)
        (bytes[8], bytes[10]) = (1, 1)
        seal()
        #expect(kind(bytes) == .newerVersion)
        (bytes[8], bytes[10]) = (0, 0)
        seal()
        #expect(kind(bytes) == .malformed)
    }

    @Test("A builder refuses calls that would produce an invalid file")
    func misuse() throws {
        func builder() throws -> SegmentBuilder {
            var builder = SegmentBuilder(store: testStore, segment: testSegment)
            try builder.begin()
            return builder
        }
        let block = BlockBuffer()
        block.count = 1
        block.starts[0] = 10
        var early = SegmentBuilder(store: testStore, segment: testSegment)
        #expect(throws: FormatError.self) { try early.add(block, series: 1) }
        #expect(throws: FormatError.self) { try early.finish(runs: []) }
        var twice = try builder()
        #expect(throws: FormatError.self) { try twice.begin() }
        var down = try builder()
        try down.add(block, series: 5)
        #expect(throws: FormatError.self) { try down.add(block, series: 4) }
        let before = BlockBuffer()
        before.count = 1
        before.starts[0] = 9
        #expect(throws: FormatError.self) { try down.add(before, series: 5) }
        try down.append(index: [1, 2, 3])
        #expect(throws: FormatError.self) { try down.add(block, series: 6) }
        #expect(throws: FormatError.self) { try down.finish(runs: []) }
        var ids = SegmentBuilder(store: [], segment: testSegment)
        #expect(throws: FormatError.self) { try ids.begin() }
    }

    @Test("A scan finds every unit, and after damage all undamaged units")
    func scan() throws {
        let runs = runs(14, series: 3, blocks: 4, most: 100)
        let bytes = try TestSegment.build(runs)
        func units(_ bytes: [UInt8]) -> (found: [FoundUnit], damage: [Range<Int>]) {
            var scanner = UnitScanner(bytes, store: testStore, segment: testSegment)
            var found: [FoundUnit] = []
            while let unit = scanner.next() { found.append(unit) }
            return (found, scanner.damage)
        }
        let all = units(bytes)
        #expect(all.damage.isEmpty)
        #expect(all.found.filter { $0.kind == .block }.count == runs.reduce(0) { $0 + $1.1.count })
        #expect(all.found.suffix(2).map(\.kind) == [.directory, .footer])
        var random = TestRandom(seed: 3)
        for _ in 0..<60 {
            let hit = random.within(64...bytes.count - 1)
            var changed = bytes
            changed[hit] ^= UInt8(1 << random.below(8))
            let left = units(changed)
            let lost = all.found.filter { Int($0.offset)..<Int($0.offset) + $0.length ~= hit }
            #expect(left.found == all.found.filter { !lost.contains($0) }, "byte \(hit)")
            #expect(left.damage == lost.map { Int($0.offset)..<Int($0.offset) + $0.length }, "byte \(hit)")
        }
        let cut = units(Array(bytes.prefix(bytes.count - 100)))
        #expect(cut.found.elementsEqual(all.found.prefix(cut.found.count)))
    }
}

// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TestSupport
import Testing
import TimeIndex

@Suite("Segments: every byte is protected by a checksum")
struct SegmentDamageTests {
    /// Returns a small segment with two runs, one of them with all side columns.
    private func small() throws -> [UInt8] {
        var maker = BlockMaker(seed: 21)
        let first = maker.block(count: 5, from: 0)
        let second = maker.block(count: 3, from: first.starts[4])
        let plain = BlockBuffer()
        plain.count = 2
        plain.starts[1] = 1_000_000_000
        plain.values[1] = 2.5
        return try TestSegment.build([(1, [plain]), (9, [first, second])])
    }

    @Test("Every changed byte is an error of some read and never changes a result")
    func flips() throws {
        let bytes = try small()
        let good = try TestSegment.read(bytes)
        #expect(good.runs.count == 2)
        for index in bytes.indices {
            for change: UInt8 in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF] {
                var changed = bytes
                changed[index] ^= change
                #expect(throws: (any Error).self, "byte \(index), change \(change)") {
                    try TestSegment.read(changed)
                }
            }
        }
    }

    /// Finds the units, changes one byte of one unit and reseals it with its right identity.
    @Test("Directory and footer that are changed and resealed never trap", arguments: [UnitKind.directory, .footer])
    func resealed(kind: UnitKind) throws {
        let bytes = try small()
        var scanner = UnitScanner(bytes, store: testStore, segment: testSegment)
        var target: FoundUnit?
        while let unit = scanner.next() { if unit.kind == kind { target = unit } }
        let unit = try #require(target)
        let start = Int(unit.offset)
        var rejected = 0
        for index in start..<start + unit.length - 4 {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = bytes
                changed[index] ^= change
                seal(&changed, unit)
                if (try? TestSegment.read(changed)) == nil { rejected += 1 }
            }
        }
        #expect(rejected > unit.length)
    }

    private func seal(_ bytes: inout [UInt8], _ unit: FoundUnit) {
        let end = Int(unit.offset) + unit.length - 4
        var scanner = UnitScanner(bytes, store: testStore, segment: testSegment)
        guard let now = scanner.unit(at: Int(unit.offset)), now.length == unit.length else { return }
        for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: now.computed >> UInt32(8 * index)) }
    }

    @Test("A scan of arbitrary bytes ends")
    func nonsense() {
        var random = TestRandom(seed: 8)
        for fill in [UnitKind.block, .indexPage, .directory, .footer] {
            var bytes = [UInt8](repeating: fill.rawValue, count: 3000)
            for _ in 0..<20 { bytes[random.below(3000)] = UInt8(truncatingIfNeeded: random.next()) }
            var scanner = UnitScanner(bytes, store: testStore, segment: testSegment)
            #expect(scanner.next() == nil)
            #expect(scanner.damage == [64..<3000])
        }
        var empty = UnitScanner([], store: [], segment: [])
        #expect(empty.next() == nil)
    }
}

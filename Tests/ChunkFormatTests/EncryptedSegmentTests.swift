// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Cipher
import Foundation
import TestSupport
import Testing

@Suite("E-21 encryption: segments of version 2")
struct EncryptedSegmentTests {
    init() { NonceWatch.start() }

    private func block(_ first: Int64, _ count: Int) -> BlockBuffer {
        let block = BlockBuffer()
        block.count = count
        for i in 0..<count {
            block.starts[i] = first + Int64(i) * 1_000_000_007
            block.values[i] = Double((first + Int64(i)) % 50) / 10
        }
        block.born = .constant(3)
        return block
    }

    private func small() -> [(series: UInt64, blocks: [BlockBuffer])] {
        [(3, [block(0, 5), block(90_000_000_000, 7)]), (9, [block(5, 30)])]
    }

    private func kind(_ body: () throws -> Void) -> FormatError.Kind? {
        do { try body() } catch { return (error as? FormatError)?.kind }
        return nil
    }

    @Test("All samples come back, as from a plain segment, and each unit is 16 bytes longer")
    func roundTrip() throws {
        let keys = try EncryptedSegment.keys()
        let tree: [(series: UInt64, blocks: [BlockBuffer])] = [
            (1, (0..<150).map { block(Int64($0) * 4_000_000_000_000, 20) }), (7, [block(1, 1)]),
            (8, (0..<3).map { block(Int64($0) * 7_000_000_000_000, 1_536) }),
        ]
        for runs in [small(), tree] {
            let plain = try EncryptedSegment.build(runs, keys: nil)
            let encrypted = try EncryptedSegment.build(runs, keys: keys)
            let content = try EncryptedSegment.read(encrypted, keys: keys)
            #expect(try content == EncryptedSegment.read(plain, keys: nil))
            #expect(try content == TestSegment.read(plain).runs)
            let units = try EncryptedSegment.units(encrypted)
            // Offsets in index pages differ, and with them the bytes of their columns.
            let pages = units.count { $0.kind == .indexPage }
            let longer = encrypted.count - plain.count - 64 - 16 * units.count
            #expect(abs(longer) <= 8 * pages)
            #expect(units.allSatisfy { $0.isIntact && $0.series == 0 })
            #expect(units.map(\.kind) == (try EncryptedSegment.units(plain)).map(\.kind))
        }
    }

    @Test("Batches that were drafted before give the same bytes as blocks added one by one")
    func batches() throws {
        let keys = try EncryptedSegment.keys()
        let runs = small()
        let one = try EncryptedSegment.build(runs, keys: keys, random: .seeded(5))
        let batches = try EncryptedSegment.build(runs, keys: keys, random: .seeded(5), inBatches: true)
        #expect(one == batches)
        let other = try EncryptedSegment.build(runs, keys: keys, random: .seeded(6))
        #expect(one.count == other.count && zip(one, other).count { $0 == $1 } < one.count / 3)
        let plain = try EncryptedSegment.build(runs, keys: nil)
        #expect(try EncryptedSegment.build(runs, keys: nil, inBatches: true) == plain)
    }

    @Test("No time, value or identity of a sample is in the file")
    func canaries() throws {
        let canary = block(0x2162_6364_6566_6768, 1)
        canary.values[0] = Double(bitPattern: 0x3FF1_2233_4455_6677)
        canary.identityHigh = .constant(0x1122_3344_5566_7788)
        canary.identityLow = .constant(-0x7766_5544_3322_1101)
        let runs: [(series: UInt64, blocks: [BlockBuffer])] = [(0x5152_5354_5556_5758, [canary])]
        func has(_ bytes: [UInt8], _ number: UInt64) -> Bool {
            let little = (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
            return Data(bytes).range(of: Data(little)) != nil || Data(bytes).range(of: Data(little.reversed())) != nil
        }
        let plain = try EncryptedSegment.build(runs, keys: nil)
        let encrypted = try EncryptedSegment.build(runs, keys: EncryptedSegment.keys())
        #expect(has(plain, 0x5152_5354_5556_5758) && has(plain, 0x2162_6364_6566_6768))
        let canaries: [UInt64] = [
            0x5152_5354_5556_5758, 0x2162_6364_6566_6768, 0x3FF1_2233_4455_6677, 0x1122_3344_5566_7788,
        ]
        for number in canaries { #expect(!has(encrypted, number)) }
        #expect(Data(encrypted).range(of: Data("KSEGDONE".utf8)) == nil)
    }

    @Test("Each changed bit of the file is noticed")
    func flips() throws {
        let keys = try EncryptedSegment.keys()
        let bytes = try EncryptedSegment.build([(3, [block(0, 5)])], keys: keys)
        for bit in 0..<8 * bytes.count {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let found = kind { _ = try EncryptedSegment.read(changed, keys: keys) }
            #expect([.checksum, .notASegment, .truncated, .malformed].contains(found), "bit \(bit): \(found as Any)")
        }
        for count in 0..<bytes.count {
            #expect(kind { _ = try EncryptedSegment.read(Array(bytes[..<count]), keys: keys) } != nil)
        }
    }

    @Test("Each changed bit with all checksums made right again is refused, and no sample comes out")
    func forging() throws {
        let keys = try EncryptedSegment.keys()
        let bytes = try EncryptedSegment.build([(3, [block(0, 5)])], keys: keys)
        let units = try EncryptedSegment.units(bytes)
        var kinds: [FormatError.Kind: Int] = [:]
        for bit in 0..<8 * bytes.count {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            changed = EncryptedSegment.repaired(changed, units: units)
            // The changed bit was in a checksum.
            if changed == bytes { continue }
            let found = try #require(kind { _ = try EncryptedSegment.read(changed, keys: keys) }, "bit \(bit)")
            kinds[found, default: 0] += 1
        }
        #expect(kinds[.forged, default: 0] > 8 * bytes.count / 2, "\(kinds)")
        #expect(kinds[.checksum] == nil || kinds[.checksum, default: 0] < 8 * 16, "\(kinds)")
    }

    @Test("Units at another place, of another segment, store or generation are forged")
    func swapping() throws {
        let keys = try EncryptedSegment.keys()
        let runs: [(series: UInt64, blocks: [BlockBuffer])] = [(3, (0..<4).map { block(Int64($0) * 9_000_000_000, 5) })]
        let files = try [
            EncryptedSegment.build(runs, keys: keys), EncryptedSegment.build(runs, keys: keys),
            EncryptedSegment.build(runs, keys: EncryptedSegment.keys(2)),
            EncryptedSegment.build(runs, keys: keys.addingGeneration(day: "2027-01-01")),
        ]
        let units = try EncryptedSegment.units(files[0])
        for other in files[1...] {
            #expect(try EncryptedSegment.units(other).map(\.offset) == units.map(\.offset))
            for unit in units {
                var mixed = files[0]
                let place = Int(unit.offset)..<Int(unit.offset) + unit.length
                mixed.replaceSubrange(place, with: other[place])
                mixed = EncryptedSegment.repaired(mixed, units: units)
                #expect(kind { _ = try EncryptedSegment.read(mixed, keys: keys) } != nil, "\(unit.kind)")
            }
            // Everything of another file, under this file's header.
            let mixed = EncryptedSegment.repaired(Array(files[0][..<128] + other[128...]), units: units)
            #expect(kind { _ = try EncryptedSegment.read(mixed, keys: keys) } == .forged)
        }
        let blocks = units.filter { $0.kind == .block }
        for (a, b) in zip(blocks, blocks.dropFirst()) where a.length == b.length {
            var swapped = files[0]
            let (first, second) = (Int(a.offset)..<Int(a.offset) + a.length, Int(b.offset)..<Int(b.offset) + b.length)
            swapped.replaceSubrange(first, with: files[0][second])
            swapped.replaceSubrange(second, with: files[0][first])
            swapped = EncryptedSegment.repaired(swapped, units: units)
            #expect(kind { _ = try EncryptedSegment.read(swapped, keys: keys) } == .forged)
        }
    }

    @Test("Without keys, with other keys, and a plain segment in an encrypted store")
    func keys() throws {
        let keys = try EncryptedSegment.keys()
        let bytes = try EncryptedSegment.build(small(), keys: keys)
        #expect(kind { _ = try EncryptedSegment.read(bytes, keys: nil) } == .needsKey)
        #expect(kind { _ = try EncryptedSegment.read(bytes, keys: EncryptedSegment.keys(2)) } == .forged)
        let plain = try EncryptedSegment.build(small(), keys: nil)
        #expect(kind { _ = try EncryptedSegment.read(plain, keys: keys) } == .forged)
        let later = try keys.addingGeneration(day: "2027-01-01")
        let newer = try EncryptedSegment.build(small(), keys: later)
        #expect(kind { _ = try EncryptedSegment.read(newer, keys: keys) } == .needsKey)
        #expect(throws: Never.self) { try EncryptedSegment.read(bytes, keys: later) }
        // A program of version 1 names the cause, not damage.
        #expect(kind { _ = try SegmentHeader.decode(bytes) } == .newerVersion)
        #expect(kind { _ = try TestSegment.read(bytes) } == .newerVersion)
        let header = try SegmentHeader.decode(bytes, latest: SegmentFormat.encryptedVersion)
        #expect(kind { _ = try SegmentFooter.decode(bytes, fileLength: 999, header: header) } == .needsKey)
    }

    @Test("A scan without a key finds each unit, and each damaged one")
    func scan() throws {
        let bytes = try EncryptedSegment.build(small(), keys: EncryptedSegment.keys())
        let units = try EncryptedSegment.units(bytes)
        #expect(units.map(\.kind) == [.block, .block, .block, .indexPage, .indexPage, .directory, .footer])
        for unit in units {
            for at in stride(from: Int(unit.offset), to: Int(unit.offset) + unit.length, by: 7) {
                var changed = bytes
                changed[at] ^= 0x10
                let found = try EncryptedSegment.units(changed)
                #expect(found == units.filter { $0.offset != unit.offset })
            }
        }
    }

    @Test("A position is encrypted at most once: a repeated batch, a copied builder and a lower position are refused")
    func positions() throws {
        let keys = try EncryptedSegment.keys()
        var builder = try SegmentBuilder(store: testStore, segment: testSegment, commit: 1, keys: keys)
        try builder.begin()
        _ = builder.takePending()
        var copy = builder
        try builder.add(block(0, 5), series: 1)
        #expect(kind { try copy.add(block(0, 6), series: 1) } == .misuse)
        #expect(kind { try copy.add(block(0, 5), series: 1) } == .misuse)
        _ = builder.takePending()
        var encoder = BlockBatchEncoder(store: testStore, segment: testSegment, isEncrypted: true)
        encoder.begin(series: 1, position: 0)
        try encoder.add(block(1 << 40, 5))
        let drafted = encoder.finish()
        var (first, second) = (drafted, drafted)
        var twin = builder
        try builder.add(&first)
        #expect(kind { try twin.add(&second) } == .misuse)
        // Blocks of the wrong kind.
        var plain = BlockBatchEncoder(store: testStore, segment: testSegment)
        plain.begin(series: 1, position: 0)
        try plain.add(block(1 << 41, 5))
        var batch = plain.finish()
        #expect(kind { try builder.add(&batch) } == .misuse)
        var other = SegmentBuilder(store: testStore, segment: testSegment)
        try other.begin()
        _ = other.takePending()
        #expect(kind { try other.add(&second) } == .misuse)
        #expect(kind { try builder.append(index: [1, 2, 3]) } == .misuse)
    }

    @Test("Hostile lengths and offsets are errors")
    func hostile() throws {
        let keys = try EncryptedSegment.keys()
        let bytes = try EncryptedSegment.build(small(), keys: keys)
        let header = try SegmentHeader.decode(bytes, latest: SegmentFormat.encryptedVersion)
        let key = try SegmentKey.of(header, keys: keys)
        var opener = UnitOpener()
        let identity = BlockIdentity(store: header.store, segment: header.segment, series: 3, position: 128)
        for (at, length) in [(0, -1), (-1, 40), (0, .max), (.max, 40), (0, 0), (0, 27), (bytes.count, 28), (200, 30)] {
            var copy = bytes
            #expect(throws: FormatError.self) {
                try opener.open(&copy, at: at, length: length, of: identity, key: key)
            }
            #expect(throws: FormatError.self) {
                try opener.open(&copy, at: at, length: length, of: identity, key: nil)
            }
        }
        #expect(kind { _ = try SegmentBuilder(store: [], segment: [], commit: 0, keys: keys).offset } == nil)
        var bad = try SegmentBuilder(store: [1], segment: testSegment, commit: 0, keys: keys)
        #expect(kind { try bad.begin() } == .misuse)
    }

    @Test("Salts differ from file to file, also with constant random bytes")
    func salts() throws {
        let keys = try EncryptedSegment.keys()
        let salts = try (0..<50).map { _ in
            let bytes = try EncryptedSegment.build([(3, [block(0, 5)])], keys: keys, random: .constant)
            return Array(bytes[64..<96])
        }
        #expect(Set(salts).count == 50)
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KymographHealth

@Suite("Compression of objects and documents")
struct ObjectCodecTests {
    private let summary = Array(
        #"<ActivitySummary dateComponents="2022-01-03" activeEnergyBurned="631.409" activeEnergyBurnedGoal="500" "#.utf8
    )

    @Test("compressed bytes expand to the original", arguments: [true, false])
    func roundTrip(dictionary: Bool) throws {
        var random = SeededGenerator(seed: 11)
        let compressor = ObjectCompressor(level: 6, dictionary: dictionary)
        var cases = [[], [0], summary, random.bytes(10_000), [UInt8](repeating: 7, count: 1_000_000)]
        for _ in 0..<50 {
            cases.append((0..<random.below(300)).flatMap { _ in random.pick([summary, Array("x".utf8)]) })
        }
        for plain in cases {
            let stored = compressor.encode(plain)
            #expect(try ObjectExpander.decode(stored) == plain)
            #expect(stored.count <= plain.count + 6)
        }
    }

    @Test("the dictionary makes short typical objects shorter")
    func dictionary() {
        #expect(ObjectCompressor(level: 6, dictionary: true).encode(summary).count < 45)
        #expect(ObjectCompressor(level: 6, dictionary: false).encode(summary).count > 70)
    }

    @Test("the dictionary is part of the format and never changes")
    func constant() {
        #expect(ObjectDictionary.first.count == 5_381)
        let sum = ObjectDictionary.first.reduce(UInt32(5_381)) { ($0 &* 33) ^ UInt32($1) }
        #expect(sum == 1_924_025_083)
    }

    @Test("damaged bytes are an error, never a trap")
    func damage() {
        var random = SeededGenerator(seed: 12)
        let good = ObjectCompressor(level: 6, dictionary: true).encode((0..<40).flatMap { _ in summary })
        for _ in 0..<2_000 {
            var bad = good
            switch random.below(3) {
            case 0: bad.removeLast(random.below(bad.count) + 1)
            case 1: bad[random.below(bad.count)] ^= UInt8(1 + random.below(255))
            default: bad = random.bytes(random.below(40))
            }
            _ = try? ObjectExpander.decode(bad)
        }
        #expect(throws: HealthStoreError.self) { try ObjectExpander.decode([]) }
        #expect(throws: HealthStoreError.self) { try ObjectExpander.decode(Array(good.dropLast())) }
        #expect(throws: HealthStoreError.self) { try ObjectExpander.decode(good + [0]) }
        // A stated length of a terabyte allocates nothing.
        #expect(throws: HealthStoreError.self) { try ObjectExpander.decode([2, 128, 128, 128, 128, 128, 64, 1, 2, 3]) }
    }

    @Test("two texts that differ only in heap addresses have the same digest, all others differ")
    func addresses() {
        func digest(_ text: String) -> [UInt8] { HeapAddress.stripped(Array(text.utf8)) }
        let one = #"<Workout device="&lt;&lt;HKDevice: 0x2800000a0&gt;, name:A&gt;"/>"#
        #expect(digest(one) == digest(one.replacing("0x2800000a0", with: "0x1")))
        #expect(digest(one) != digest(one.replacing("name:A", with: "name:B")))
        #expect(digest("no device") == Array("no device".utf8))
        #expect(
            digest("HKDevice: 0x12HKDevice: 0xFF, HKDevice: 0x") == Array("HKDevice: 0xHKDevice: 0x, HKDevice: 0x".utf8)
        )
    }
}

// SPDX-License-Identifier: Apache-2.0

import Bytes
import Cipher
import Synchronization
import TestSupport
import Testing

@Suite("E-21 encryption: slots, generations and derived keys")
struct KeyRingTests {
    init() { NonceWatch.start() }

    private func kind(_ body: () throws -> Void) -> CipherError.Kind? {
        do { try body() } catch { return (error as? CipherError)?.kind }
        return nil
    }

    @Test("A wrong secret is a wrong key, never damage, and the error names the slots")
    func wrongKeys() throws {
        let image = try KeySamples.full().image
        for number in 0..<1_000 {
            let error = #expect(throws: CipherError.self) { try KeyRing.open(image, with: .random()) }
            #expect(error?.kind == .wrongKey)
            if number == 0 { #expect(error?.message.contains("usb stick, Büro, paper") == true) }
        }
        for text in ["correct hors", "Correct horse", "correct horse "] {
            let error = #expect(throws: CipherError.self) { try KeyRing.open(image, with: passphrase(text)) }
            #expect(error?.kind == .wrongKey && error?.message.contains("(mine)") == true)
        }
        let keysOnly = try KeySamples.ring().image
        let error = #expect(throws: CipherError.self) { try KeyRing.open(keysOnly, with: passphrase("x")) }
        #expect(error?.kind == .wrongKey && error?.message.contains("file") == true)
    }

    @Test("Slots are added, replaced and removed; only present secrets open the keys, and the keys stay")
    func slots() throws {
        let first = try KeySamples.ring()
        let page = try first.pageKey(generation: 1)
        let second = try first.adding(KeySamples.file(2, "two"))
        let third = try second.replacing(KeySamples.file(3, "one"))
        let fourth = try third.removing("two")
        let expected: [(KeyRing, [UInt8])] = [(first, [1]), (second, [1, 2]), (third, [2, 3]), (fourth, [3])]
        for (place, (ring, keys)) in expected.enumerated() {
            #expect(ring.image.number == UInt64(place + 1))
            let image = try KeysImage.decode(ring.image.encoded())
            for key in UInt8(1)...3 {
                let found = kind {
                    let opened = try KeyRing.open(image, with: KeySamples.key(key))
                    #expect(try opened.pageKey(generation: 1).isEqual(page))
                }
                #expect(found == (keys.contains(key) ? nil : .wrongKey))
            }
        }
        #expect(third.image.slots.map(\.label) == ["one", "two"])
    }

    @Test("Refused: the last slot's removal, taken, unknown and bad labels, secrets of another kind, a 33rd slot")
    func refusals() throws {
        let ring = try KeySamples.ring()
        let words = try passphrase("words")
        let refused: [() throws -> Void] = [
            { _ = try ring.removing("one") }, { _ = try ring.removing("two") },
            { _ = try ring.adding(KeySamples.file(2, "one")) }, { _ = try ring.replacing(KeySamples.file(2, "two")) },
            { _ = try ring.adding(KeyRing.NewSlot(words, kind: .file, label: "w")) },
            { _ = try ring.adding(KeyRing.NewSlot(KeySamples.key(2), kind: .passphrase, label: "w")) },
            { _ = try ring.adding(KeyRing.NewSlot(words, kind: .passphrase, label: "w", cost: ScryptCost(logN: 13))) },
            { _ = try ring.addingGeneration(day: "today") }, { _ = try ring.removingGeneration(1) },
            { _ = try ring.removingGeneration(9) },
        ]
        for body in refused { #expect(kind(body) == .invalidArgument) }
        for label in ["", "a\"b", "a\\b", "a\nb", "\u{0}", "a\u{9F}", String(repeating: "ü", count: 33)] {
            #expect(kind { _ = try ring.adding(KeySamples.file(2, label)) } == .invalidArgument, "\(label)")
        }
        var full = ring
        for number in 2...32 { full = try full.adding(KeySamples.file(2, "slot \(number)")) }
        #expect(full.image.encoded().count <= KeysImage.maximumBytes)
        #expect(kind { _ = try full.adding(KeySamples.file(2, "more")) } == .invalidArgument)
        #expect(try KeysImage.decode(full.image.encoded()) == full.image)
    }

    @Test("Generations: each keeps its key; 255 fit with 32 slots; an unknown one is an error")
    func generations() throws {
        var ring = try KeySamples.ring()
        let first = try ring.pageKey(generation: 1)
        for number in 2...255 {
            ring = try ring.addingGeneration(day: "2027-01-02")
            #expect(ring.image.newest == UInt8(number))
        }
        for number in 2...32 {
            ring = try ring.adding(KeySamples.file(2, String(repeating: "x", count: 60) + "\(number)"))
        }
        #expect(kind { _ = try ring.addingGeneration(day: "2027-01-02") } == .invalidArgument)
        let bytes = ring.image.encoded()
        #expect(bytes.count <= KeysImage.maximumBytes)
        let opened = try KeyRing.open(KeysImage.decode(bytes), with: KeySamples.key(1))
        #expect(try opened.pageKey(generation: 1).isEqual(first))
        #expect(try opened.pageKey(generation: 255).isEqual(ring.pageKey(generation: 255)))
        let fewer = try opened.removingGeneration(1)
        #expect(kind { _ = try fewer.pageKey(generation: 1) } == .corrupt)
        #expect(kind { _ = try ring.pageKey(generation: 0) } == .corrupt)
        #expect(try KeyRing.open(KeysImage.decode(fewer.image.encoded()), with: KeySamples.key(2)).image == fewer.image)
    }

    @Test("Derived keys differ by purpose, generation, salt and header, and are the same after opening")
    func derived() throws {
        let ring = try KeySamples.full()
        let again = try KeyRing.open(ring.image, with: KeySamples.key(2))
        func keys(_ ring: KeyRing) throws -> [[UInt8]] {
            let (salt, other) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
            return try [
                ring.pageKey(generation: 1), ring.pageKey(generation: 2), ring.witnessKey(), ring.manifestKey(),
                ring.segmentKey(generation: 1, salt: salt, header: [1]),
                ring.segmentKey(generation: 2, salt: salt, header: [1]),
                ring.segmentKey(generation: 1, salt: other, header: [1]),
                ring.segmentKey(generation: 1, salt: salt, header: [2]),
            ].map { try $0.copy() }
        }
        let found = try keys(ring)
        #expect(Set(found).count == found.count && found.allSatisfy { $0.count == 32 })
        #expect(try keys(again) == found)
        let stranger = try KeyRing.create(
            store: UUIDBytes(high: 1 as UInt64, low: 2), slot: KeySamples.file(1, "one"), day: "2026-11-24")
        #expect(try Set(keys(stranger.addingGeneration(day: "2026-11-24"))).isDisjoint(with: found))
    }

    @Test("With random bytes that are always the same, salts differ and no nonce repeats under a key")
    func constantRandom() throws {
        try #require(NonceWatch.start())
        let found = try NonceWatch.repetitions {
            var ring = try KeyRing.create(
                store: KeySamples.store, slot: KeySamples.file(1, "one"), day: "2026-11-24", random: .constant)
            for number in 2...20 {
                ring = try ring.adding(KeySamples.file(1, "slot \(number)"), random: .constant)
                ring = try ring.addingGeneration(day: "2026-11-24", random: .constant)
                // A change that was never written, and another one in its place.
                _ = try ring.addingGeneration(day: "2026-11-25", random: .constant)
                _ = try ring.replacing(KeySamples.file(1, "one"), random: .constant)
            }
            let salts = try (0..<1_000).map { _ in try ring.newSalt(random: .constant) }
            #expect(Set(salts).count == 1_000 && salts.allSatisfy { $0.count == 32 })
        }
        #expect(found.isEmpty)
    }

    @Test("A failing source of random bytes is an error at each call")
    func failingRandom() throws {
        func full(_ random: RandomSource) throws {
            _ = try KeyRing.create(
                store: KeySamples.store, slot: KeySamples.file(1, "a"), day: "2026-11-24", random: random
            )
            .adding(KeySamples.file(2, "b"), random: random).addingGeneration(day: "2026-11-24", random: random)
        }
        var failures = 0
        for call in 1...100 {
            let left = Counter(call)
            let source = unsafe RandomSource { (_) throws(CipherError) in
                if left.countDown() == 0 { throw CipherError(.failed, "no random bytes") }
            }
            guard kind({ try full(source) }) == .failed else { break }
            failures += 1
        }
        #expect(4...99 ~= failures)
    }
}

final class Counter: Sendable {
    private let left: Atomic<Int>
    init(_ count: Int) { left = Atomic(count) }
    func countDown() -> Int { left.subtract(1, ordering: .relaxed).newValue }
}

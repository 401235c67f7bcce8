// SPDX-License-Identifier: Apache-2.0

import Cipher
import TestSupport
import Testing

@Suite("E-21 encryption: messages")
struct MessageCipherTests {
    init() { NonceWatch.start() }

    @Test("Random messages of 0 to 5,000 bytes at any offset come back, and differ while encrypted")
    func roundTrips() throws {
        var random = SeededGenerator(seed: 1)
        for round in 0..<3_000 {
            let algorithm = random.pick(MessageCipher.Algorithm.allCases)
            let cipher = try MessageCipher(algorithm, key: SecretBytes(random: 32))
            let count = round < 300 ? round : random.below(5_000)
            let (before, after) = (random.below(70), random.below(70))
            let original = random.bytes(before + count + after)
            let (nonce, associated) = (random.bytes(algorithm.nonceBytes), random.bytes(random.below(40)))
            var bytes = original
            let range = before..<before + count
            let tag = try cipher.encrypt(&bytes, range, nonce: nonce, associated: associated)
            #expect(
                bytes[..<before] == original[..<before] && bytes[range.upperBound...] == original[range.upperBound...])
            #expect(count < 16 || bytes[range] != original[range])
            try cipher.decrypt(&bytes, range, nonce: nonce, associated: associated, tag: tag)
            #expect(bytes == original)
        }
    }

    @Test("Two ranges are one message: the result equals that of the joined bytes")
    func ranges() throws {
        var random = SeededGenerator(seed: 2)
        for round in 0..<2_000 {
            let key = try SecretBytes(random: 32)
            let lengths = (random.below(21), random.below(round < 100 ? 20 : 3_000))
            // Lengths and gaps up to 16 are joined for one call of libcrypto; longer ones are not.
            let gaps = (random.below(20), random.below(21), random.below(20))
            let first = gaps.0..<gaps.0 + lengths.0
            let second = first.upperBound + gaps.1..<first.upperBound + gaps.1 + lengths.1
            let original = random.bytes(second.upperBound + 16 + gaps.2)
            let (number, associated) = (random.next(), random.next())
            var bytes = original
            let nonce = NumberNonce(number)
            try MessageCipher(.aes256GCM, key: key).encrypt(&bytes, first, second, nonce: nonce, associated: associated)
            var joined = Array(original[first] + original[second])
            let more = (0..<8).map { UInt8(truncatingIfNeeded: associated >> UInt64(8 * $0)) }
            let tag = try MessageCipher(.aes256GCM, key: key).encrypt(
                &joined, 0..<joined.count, nonce: nonce.bytes, associated: more)
            #expect(Array(bytes[first] + bytes[second]) == joined)
            #expect(Array(bytes[second.upperBound..<second.upperBound + 16]) == tag)
            #expect(bytes[..<first.lowerBound] == original[..<first.lowerBound])
            #expect(bytes[first.upperBound..<second.lowerBound] == original[first.upperBound..<second.lowerBound])
            #expect(bytes.suffix(gaps.2) == original.suffix(gaps.2))
            try MessageCipher(.aes256GCM, key: key).decrypt(&bytes, first, second, nonce: nonce, associated: associated)
            #expect(Array(bytes[..<second.upperBound]) == Array(original[..<second.upperBound]))
        }
    }

    @Test("Each changed bit of text, tag, nonce and associated data is forged, and no plain byte comes out")
    func flips() throws {
        var random = SeededGenerator(seed: 3)
        for algorithm in MessageCipher.Algorithm.allCases {
            let cipher = try MessageCipher(algorithm, key: SecretBytes(random: 32))
            let (nonce, associated) = (random.bytes(algorithm.nonceBytes), random.bytes(13))
            var text = random.bytes(50)
            let tag = try cipher.encrypt(&text, 0..<50, nonce: nonce, associated: associated)
            let all = text + tag + nonce + associated
            for bit in 0..<8 * all.count {
                var changed = all
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                let (tagEnd, nonceEnd) = (66, 66 + nonce.count)
                let error = #expect(throws: CipherError.self) {
                    try cipher.decrypt(
                        &changed, 0..<50, nonce: Array(changed[tagEnd..<nonceEnd]),
                        associated: Array(changed[nonceEnd...]), tag: Array(changed[50..<66]))
                }
                #expect(error?.kind == .forged && changed[..<50].allSatisfy { $0 == 0 })
            }
            try cipher.decrypt(&text, 0..<50, nonce: nonce, associated: associated, tag: tag)
        }
    }

    @Test("A cipher changes its key, and another key opens nothing")
    func keys() throws {
        var random = SeededGenerator(seed: 4)
        for algorithm in MessageCipher.Algorithm.allCases {
            let keys = try (0..<3).map { _ in try SecretBytes(random: 32) }
            let cipher = try MessageCipher(algorithm, key: keys[0])
            for _ in 0..<200 {
                let place = random.below(3)
                var bytes = random.bytes(100)
                let (original, nonce) = (bytes, random.bytes(algorithm.nonceBytes))
                try cipher.setKey(keys[place])
                let tag = try cipher.encrypt(&bytes, 0..<100, nonce: nonce)
                var other = bytes
                try cipher.setKey(keys[(place + 1) % 3])
                #expect(throws: CipherError.self) { try cipher.decrypt(&other, 0..<100, nonce: nonce, tag: tag) }
                try cipher.setKey(keys[place])
                try cipher.decrypt(&bytes, 0..<100, nonce: nonce, tag: tag)
                #expect(bytes == original)
            }
        }
    }

    @Test("Arguments of wrong sizes are errors")
    func sizes() throws {
        #expect(throws: CipherError.self) { try MessageCipher(.aes256GCM, key: SecretBytes(random: 31)) }
        let cipher = try MessageCipher(.aes256GCM, key: SecretBytes(random: 32))
        #expect(throws: CipherError.self) { try cipher.setKey(SecretBytes(random: 33)) }
        var bytes: [UInt8] = [1, 2, 3]
        #expect(throws: CipherError.self) { try cipher.encrypt(&bytes, 0..<3, nonce: [1, 2]) }
        let nonce = [UInt8](repeating: 0, count: 12)
        #expect(throws: CipherError.self) { try cipher.decrypt(&bytes, 0..<3, nonce: [1], tag: []) }
        #expect(throws: CipherError.self) { try cipher.decrypt(&bytes, 0..<3, nonce: nonce, tag: [1]) }
        #expect(bytes == [1, 2, 3])
        #expect(throws: CipherError.self) { try Derivation.hkdf(SecretBytes(random: 32), info: [], count: 0) }
        #expect(throws: CipherError.self) { try Derivation.hkdf(secret([]), info: [1]) }
        #expect(throws: CipherError.self) { try Derivation.hmac(secret([]), [1]) }
    }

    @Test("Hostile costs of scrypt are refused at once")
    func scryptLimits() throws {
        let word = try secret(Array("word".utf8))
        for cost in [(0, 8, 1), (21, 8, 1), (63, 8, 1), (64, 8, 1), (17, 0, 1), (17, 9, 1), (17, 8, 0), (17, 8, 17)] {
            let cost = ScryptCost(logN: cost.0, r: cost.1, p: cost.2)
            let error = #expect(throws: CipherError.self) { try Derivation.scrypt(word, salt: [1], cost) }
            #expect(error?.kind == .invalidArgument)
        }
        #expect(throws: CipherError.self) {
            try Derivation.scrypt(word, salt: [], ScryptCost(logN: .min, r: .max, p: .max))
        }
    }

    @Test("Threads encrypt at the same time, each with a cipher of its own")
    func threads() {
        let results = onThreads(8) { thread -> Bool in
            var random = SeededGenerator(seed: UInt64(100 + thread))
            do {
                let cipher = try MessageCipher(.aes256GCM, key: SecretBytes(random: 32))
                for _ in 0..<2_000 {
                    var bytes = random.bytes(random.below(2_000))
                    let (original, nonce) = (bytes, random.bytes(12))
                    let tag = try cipher.encrypt(&bytes, 0..<bytes.count, nonce: nonce)
                    try cipher.decrypt(&bytes, 0..<bytes.count, nonce: nonce, tag: tag)
                    if bytes != original { return false }
                }
                return true
            } catch { return false }
        }
        #expect(results == [Bool](repeating: true, count: 8))
    }

    @Test("A forked child can neither decrypt with its parent's ciphers nor read its keys")
    func fork() throws {
        let key = try SecretBytes(random: 32)
        let ciphers = try MessageCipher.Algorithm.allCases.map { try MessageCipher($0, key: key) }
        for cipher in ciphers {
            var bytes: [UInt8] = [1, 2, 3]
            let nonce = [UInt8](repeating: 0, count: cipher.algorithm.nonceBytes)
            let tag = try cipher.encrypt(&bytes, 0..<3, nonce: nonce)
            let child = ForkedChild {
                var copy = bytes
                do throws(CipherError) {
                    try cipher.decrypt(&copy, 0..<3, nonce: nonce, tag: tag)
                    return 1
                } catch { if error.kind != .forked || copy != [0, 0, 0] { return 2 } }
                do throws(CipherError) { try cipher.setKey(key) } catch { if error.kind != .forked { return 3 } }
                do throws(CipherError) {
                    _ = try key.copy()
                    return 4
                } catch { return error.kind == .forked ? 42 : 5 }
            }
            #expect(child.wait() == 42)
            try cipher.decrypt(&bytes, 0..<3, nonce: nonce, tag: tag)
            #expect(bytes == [1, 2, 3])
        }
    }

    @Test("A second message under a nonce is reported; the same message is not")
    func repeatedNonce() throws {
        try #require(NonceWatch.start(), "this build does not report encryptions")
        for algorithm in MessageCipher.Algorithm.allCases {
            let (key, nonce) = (try SecretBytes(random: 32), [UInt8](repeating: 9, count: algorithm.nonceBytes))
            func encrypt(_ text: [UInt8], _ associated: [UInt8] = []) throws {
                var bytes = text
                // A new cipher each time: the identity of a key follows from its bytes.
                _ = try MessageCipher(algorithm, key: key).encrypt(
                    &bytes, 0..<bytes.count, nonce: nonce, associated: associated)
            }
            #expect(try NonceWatch.repetitions { for _ in 0..<3 { try encrypt([1, 2]) } }.isEmpty)
            let found = try NonceWatch.repetitions { for text in [[1], [2]] as [[UInt8]] { try encrypt(text) } }
            #expect(found.count == 1 && found.first?.nonce == nonce && found.first?.key.count == 16)
            let other = try NonceWatch.repetitions {
                try encrypt([1, 2])
                try encrypt([1, 2], [3])
                try encrypt([1], [2])
            }
            #expect(other.count == 2)
        }
        var bytes: [UInt8] = [1]
        let nonce = [UInt8](repeating: 0, count: 12)
        _ = try MessageCipher(.aes256GCM, key: SecretBytes(random: 32)).encrypt(&bytes, 0..<1, nonce: nonce)
        #expect(NonceWatch.count > 0)
    }
}

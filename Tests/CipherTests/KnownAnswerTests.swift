// SPDX-License-Identifier: Apache-2.0

import Cipher
import Testing

@Suite("E-21 encryption: known answers")
struct KnownAnswerTests {
    @Test("AES-256-GCM: NIST's vectors with nonces of 96 and tags of 128 bits, right and wrong ones")
    func gcm() throws {
        let lines = try VectorFile.lines("aes-256-gcm.txt")
        #expect(lines.count == 150)
        for line in lines {
            let cipher = try MessageCipher(.aes256GCM, key: secret(hex(line[0])))
            let (nonce, associated, tag) = (hex(line[1]), hex(line[2]), hex(line[4]))
            var bytes = hex(line[3])
            if line[5] == "FAIL" {
                let error = #expect(throws: CipherError.self) {
                    try cipher.decrypt(&bytes, 0..<bytes.count, nonce: nonce, associated: associated, tag: tag)
                }
                #expect(error?.kind == .forged && bytes.allSatisfy { $0 == 0 })
                continue
            }
            try cipher.decrypt(&bytes, 0..<bytes.count, nonce: nonce, associated: associated, tag: tag)
            #expect(bytes == hex(line[5]))
            let found = try cipher.encrypt(&bytes, 0..<bytes.count, nonce: nonce, associated: associated)
            #expect(bytes == hex(line[3]) && found == tag)
        }
    }

    @Test("XAES-256-GCM: C2SP's two vectors")
    func xaes() throws {
        let vectors = [
            (UInt8(1), "", "ce546ef63c9cc60765923609", "b33a9a1974e96e52daf2fcf7075e2271"),
            (3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a17943", "7fd083bf3fdb41abd740a21f71eb769d"),
        ]
        for (key, associated, text, tag) in vectors {
            let cipher = try MessageCipher(.xaes256GCM, key: secret([UInt8](repeating: key, count: 32)))
            var bytes = Array("XAES-256-GCM".utf8)
            let nonce = Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8)
            let found = try cipher.encrypt(&bytes, 0..<12, nonce: nonce, associated: Array(associated.utf8))
            #expect(bytes == hex(text) && found == hex(tag))
        }
    }

    @Test("XAES-256-GCM: the hash of C2SP's 10,000 random messages")
    func accumulated() throws {
        var source = Shake128()
        var sum = Shake128()
        var cipher: MessageCipher?
        for _ in 0..<10_000 {
            let key = try secret(source.read(32))
            let nonce = source.read(24)
            let text = source.read(Int(source.read(1)[0]))
            let associated = source.read(Int(source.read(1)[0]))
            if let cipher { try cipher.setKey(key) } else { cipher = try MessageCipher(.xaes256GCM, key: key) }
            var bytes = text
            let tag = try #require(
                try cipher?.encrypt(&bytes, 0..<bytes.count, nonce: nonce, associated: associated))
            sum.write(bytes + tag)
            try cipher?.decrypt(&bytes, 0..<bytes.count, nonce: nonce, associated: associated, tag: tag)
            #expect(bytes == text)
        }
        #expect(sum.read(32) == hex("e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939"))
    }

    @Test("HKDF-SHA256: the vectors of RFC 5869")
    func hkdf() throws {
        for line in try VectorFile.lines("hkdf-sha256.txt") {
            let expected = hex(line[3])
            let found = try Derivation.hkdf(
                secret(hex(line[0])), salt: hex(line[1]), info: hex(line[2]), count: expected.count)
            #expect(try found.equals(expected))
        }
    }

    @Test("HMAC-SHA256: the vectors of RFC 4231")
    func hmac() throws {
        for line in try VectorFile.lines("hmac-sha256.txt") {
            #expect(try Derivation.hmac(secret(hex(line[0])), hex(line[1])) == hex(line[2]))
        }
    }

    @Test("scrypt: the first three vectors of RFC 7914")
    func scrypt() throws {
        for line in try VectorFile.lines("scrypt.txt") {
            let numbers = line[2...4].compactMap { Int($0) }
            let cost = ScryptCost(logN: numbers[0].trailingZeroBitCount, r: numbers[1], p: numbers[2])
            let found = try Derivation.scrypt(secret(hex(line[0])), salt: hex(line[1]), cost, count: 64)
            #expect(try found.equals(hex(line[5])))
        }
    }
}

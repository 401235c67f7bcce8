// SPDX-License-Identifier: Apache-2.0

import Kernels

/// Keys and other bytes as text.
package enum KeyText {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Returns bytes as base64 (RFC 4648) with padding.
    static func base64(_ bytes: [UInt8]) -> String {
        var text = [UInt8]()
        append(base64: bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(base64 bytes: [UInt8], to text: inout [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = (0..<3).map { start + $0 < bytes.count ? UInt32(bytes[start + $0]) : 0 }
            let bits = part[0] << 16 | part[1] << 8 | part[2]
            for place in 0..<4 {
                let isPadding = start + place > bytes.count
                text.append(isPadding ? UInt8(ascii: "=") : letters[Int(bits >> UInt32(18 - 6 * place)) & 63])
            }
        }
    }

    /// Returns the bytes of a base64 text with a known number of bytes; nil for any other text.
    static func bytes(base64 text: some Collection<UInt8>, count: Int) -> [UInt8]? {
        guard text.count == (count + 2) / 3 * 4 else { return nil }
        var result = [UInt8]()
        result.reserveCapacity(count + 2)
        var bits: UInt32 = 0
        var padding = 0
        for (place, letter) in text.enumerated() {
            guard let value = value(letter, &padding) else { return nil }
            bits = bits << 6 | value
            guard place % 4 == 3 else { continue }
            for shift in [16, 8, 0] as [UInt32] { result.append(UInt8(truncatingIfNeeded: bits >> shift)) }
            bits = 0
        }
        guard padding == result.count - count else { return nil }
        // The padding hides bits, which are zero in the only valid text.
        guard result[count...].allSatisfy({ $0 == 0 }) else { return nil }
        result.removeLast(result.count - count)
        return result
    }

    private static func value(_ letter: UInt8, _ padding: inout Int) -> UInt32? {
        if letter == UInt8(ascii: "=") {
            padding += 1
            return 0
        }
        guard padding == 0 else { return nil }
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return UInt32(letter) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): return UInt32(letter) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return UInt32(letter) + 4
        case UInt8(ascii: "+"): return 62
        case UInt8(ascii: "/"): return 63
        default: return nil
        }
    }

    // MARK: Key files

    private static let fileTitle = "kymograph-key-1 "

    /// Returns the line of text of a key file. It holds the key: wipe it after use.
    package static func file(_ key: SecretBytes) throws(CipherError) -> [UInt8] {
        var bytes = try key.copy()
        defer { SecretBytes.wipe(&bytes) }
        var text = [UInt8]()
        // Enough for all of it, so that no part of the key stays in memory that an array has left.
        text.reserveCapacity(fileTitle.utf8.count + 2 * bytes.count + 4)
        text.append(contentsOf: fileTitle.utf8)
        append(base64: bytes, to: &text)
        text.append(UInt8(ascii: "\n"))
        return text
    }

    /// Returns the key of a key file's content; nil for other content.
    ///
    /// - Throws: `invalidArgument` for a damaged key file.
    static func key(file bytes: some BidirectionalCollection<UInt8>) throws(CipherError) -> SecretBytes? {
        guard bytes.starts(with: fileTitle.utf8) else { return nil }
        let line = bytes.dropFirst(fileTitle.utf8.count)
        let rest = line.last == UInt8(ascii: "\n") ? line.dropLast() : line
        guard var key = Self.bytes(base64: rest, count: MessageCipher.keyBytes) else {
            throw CipherError(.invalidArgument, "the key file is damaged: its line is not complete")
        }
        return try SecretBytes(wiping: &key)
    }

    // MARK: Recovery keys

    private static let recoveryLetters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Returns a key of 32 bytes as 13 groups of four letters. The last four bits are a check.
    package static func recovery(_ key: SecretBytes) throws(CipherError) -> String {
        var bytes = try key.copy()
        defer { SecretBytes.wipe(&bytes) }
        guard bytes.count == MessageCipher.keyBytes else {
            throw CipherError(.invalidArgument, "a recovery key of \(bytes.count) bytes")
        }
        let sum = check(bytes)
        var text = ""
        for place in 0..<52 {
            if place > 0, place % 4 == 0 { text += "-" }
            text.append(Character(Unicode.Scalar(recoveryLetters[Int(bits(bytes, sum, at: 5 * place))])))
        }
        return text
    }

    /// Returns the key of 13 groups of four letters. Case, spaces and hyphens have no meaning; the letters I and L
    /// count as 1, the letter O as 0.
    ///
    /// - Returns: nil if the text is no recovery key, or if its check does not fit.
    package static func key(recovery text: some Collection<UInt8>) throws(CipherError) -> SecretBytes? {
        var bytes = [UInt8](repeating: 0, count: MessageCipher.keyBytes + 1)
        defer { SecretBytes.wipe(&bytes) }
        var place = 0
        for letter in text where ![UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "\n")].contains(letter) {
            guard place < 52, let value = recoveryValue(letter) else { return nil }
            for bit in 0..<5 where value >> UInt8(4 - bit) & 1 == 1 {
                let at = 5 * place + bit
                if at < 8 * bytes.count { bytes[at / 8] |= 0x80 >> UInt8(at % 8) }
            }
            place += 1
        }
        guard place == 52 else { return nil }
        let sum = bytes.removeLast()
        guard sum == check(bytes) << 4 else { return nil }
        return try SecretBytes(wiping: &bytes)
    }

    private static func check(_ bytes: [UInt8]) -> UInt8 {
        UInt8(truncatingIfNeeded: Kernel.crc32c(bytes, 0..<MessageCipher.keyBytes) & 15)
    }

    /// Returns five bits of the bytes and the check after them.
    private static func bits(_ bytes: [UInt8], _ sum: UInt8, at start: Int) -> UInt8 {
        (start..<start + 5).reduce(0) { value, at in
            value << 1 | (at < 8 * bytes.count ? bytes[at / 8] : sum << 4) >> UInt8(7 - at % 8) & 1
        }
    }

    private static func recoveryValue(_ letter: UInt8) -> UInt8? {
        var upper = letter
        if UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter { upper -= 32 }
        if upper == UInt8(ascii: "O") { upper = UInt8(ascii: "0") }
        if upper == UInt8(ascii: "I") || upper == UInt8(ascii: "L") { upper = UInt8(ascii: "1") }
        return recoveryLetters.firstIndex(of: upper).map { UInt8($0) }
    }
}

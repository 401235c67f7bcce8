// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels

extension KeysImage {
    /// Decodes the bytes of a file.
    ///
    /// - Throws: `newerFormat` if a later version wrote the file, `corrupt` for any other bytes than `encoded` returns.
    /// - Complexity: O(bytes); no number in the file has an effect on time or memory.
    package static func decode(_ bytes: [UInt8], path: String? = nil) throws(CipherError) -> KeysImage {
        func corrupt(_ what: String) -> CipherError {
            CipherError(.corrupt, "the keys are damaged: \(what)", path: path)
        }
        guard bytes.count <= maximumBytes else { throw corrupt("\(bytes.count) bytes") }
        let body = bytes.count - end([], 0).utf8.count
        guard body > 0, bytes[body...].elementsEqual(end(bytes, body).utf8) else { throw corrupt("the checksum") }
        guard let text = String(validating: bytes[..<body], as: UTF8.self) else { throw corrupt("not UTF-8") }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard lines.popLast() == "", let first = lines.popFirst(), first.hasPrefix(title),
            let version = Int(first.dropFirst(title.count)), version >= 1
        else { throw corrupt("the first line") }
        guard version == Self.version else {
            throw CipherError(
                .newerFormat, "the keys have format \(version); this version reads format \(Self.version)", path: path)
        }
        guard let store = value(lines.popFirst(), "store ").flatMap({ UUIDBytes(text: String($0)) }),
            let number = value(lines.popFirst(), "number ").flatMap({ UInt64($0) }), number > 0
        else { throw corrupt("the store or the number") }
        guard let cipher = value(lines.popFirst(), "cipher ") else { throw corrupt("the cipher") }
        guard cipher == Self.cipher else {
            throw CipherError(.newerFormat, "the keys name a cipher that this version does not have", path: path)
        }
        guard let mac = value(lines.popLast(), "mac ").flatMap({ KeyText.bytes(base64: $0.utf8, count: 32) }) else {
            throw corrupt("the authentication code")
        }
        var image = KeysImage(store: store, number: number, generations: [], slots: [], mac: mac)
        for line in lines {
            if line.hasPrefix("generation "), image.slots.isEmpty, let generation = generation(line) {
                guard generation.number > image.newest else { throw corrupt("the order of generations") }
                image.generations.append(generation)
            } else if line.hasPrefix("slot "), let slot = slot(line) {
                image.slots.append(slot)
            } else {
                throw corrupt("a line of a generation or a slot")
            }
        }
        guard !image.generations.isEmpty, 1...maximumSlots ~= image.slots.count,
            Set(image.slots.map(\.label)).count == image.slots.count
        else { throw corrupt("the number of generations or slots, or a label that occurs twice") }
        // Only one text is valid for each image.
        guard image.encoded() == bytes else { throw corrupt("the form of a number or a text") }
        return image
    }

    private static func value(_ line: Substring?, _ name: String) -> Substring? {
        guard let line, line.hasPrefix(name) else { return nil }
        return line.dropFirst(name.count)
    }

    private static func generation(_ line: Substring) -> Generation? {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, let number = UInt8(parts[1]), number > 0, KeyRing.isDay(String(parts[2])),
            let bytes = KeyText.bytes(base64: parts[3].utf8, count: 12 + wrappedBytes)
        else { return nil }
        return Generation(
            number: number, day: String(parts[2]), nonce: Array(bytes[..<12]), wrapped: Array(bytes[12...]))
    }

    private static func slot(_ line: Substring) -> KeySlot? {
        // The label may have spaces; it has no quotation marks.
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasPrefix("slot "), parts[0].hasSuffix(" "), parts[2].hasPrefix(" "),
            let kind = KeySlot.Kind(rawValue: String(parts[0].dropFirst(5).dropLast())), KeySlot.isLabel(parts[1])
        else { return nil }
        var fields = parts[2].dropFirst().split(separator: " ", omittingEmptySubsequences: false)[...]
        var cost: ScryptCost?
        if kind == .passphrase {
            guard fields.popFirst() == "scrypt", let logN = fields.popFirst().flatMap({ Int($0) }),
                let r = fields.popFirst().flatMap({ Int($0) }), let p = fields.popFirst().flatMap({ Int($0) })
            else { return nil }
            let found = ScryptCost(logN: logN, r: r, p: p)
            guard found.isAllowed else { return nil }
            cost = found
        }
        guard fields.count == 3, let salt = fields.popFirst(), let check = fields.popFirst(),
            let key = fields.popFirst(),
            let salt = KeyText.bytes(base64: salt.utf8, count: KeySlot.saltBytes),
            let check = KeyText.bytes(base64: check.utf8, count: KeySlot.checkBytes),
            let wrapped = KeyText.bytes(base64: key.utf8, count: wrappedBytes)
        else { return nil }
        return KeySlot(kind: kind, label: String(parts[1]), cost: cost, salt: salt, check: check, wrapped: wrapped)
    }
}

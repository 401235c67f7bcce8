// SPDX-License-Identifier: Apache-2.0

package import Bytes
import Kernels

/// The content of the file KEYS. `Docs/Format/Keys.md` describes the bytes.
///
/// The image has only encrypted keys: `KeyRing` decrypts them with a secret.
package struct KeysImage: Sendable, Equatable {
    /// The version of the format.
    package static let version = 1
    /// The maximum size of the file in bytes.
    package static let maximumBytes = 65_536
    /// The maximum number of slots.
    package static let maximumSlots = 32
    /// The maximum number of generations.
    package static let maximumGenerations = 255
    /// The size of an encrypted key with its tag, in bytes.
    static let wrappedBytes = MessageCipher.keyBytes + MessageCipher.tagBytes

    static let title = "kymograph keys "
    static let cipher = "aes-256-gcm"

    /// One data key, encrypted by the root key.
    package struct Generation: Sendable, Equatable {
        /// 1 to 255. New data is encrypted by the generation with the greatest number.
        package var number: UInt8
        /// The day on which it was created, as `2026-11-24`.
        package var day: String
        package var nonce: [UInt8]
        /// The encrypted key, 32 bytes, and its tag, 16 bytes.
        package var wrapped: [UInt8]

        /// The part of the line that is authenticated together with the key.
        var prefix: String { "generation \(number) \(day) " }
    }

    /// The store's id.
    package var store: UUIDBytes
    /// Counts changes of the file, from 1.
    package var number: UInt64
    /// Ascending by number; at least one.
    package var generations: [Generation]
    /// At least one.
    package var slots: [KeySlot]
    /// The authentication code over all lines before it, 32 bytes.
    package var mac: [UInt8]

    /// The generation that encrypts new data.
    package var newest: UInt8 { generations.last?.number ?? 0 }

    /// The lines that the authentication code covers.
    var body: String {
        var text = "\(Self.title)\(Self.version)\nstore \(store.text)\nnumber \(number)\ncipher \(Self.cipher)\n"
        for generation in generations {
            text += generation.prefix + KeyText.base64(generation.nonce + generation.wrapped) + "\n"
        }
        for slot in slots { text += slot.prefix + KeyText.base64(slot.wrapped) + "\n" }
        return text
    }

    /// Returns the bytes of the file.
    package func encoded() -> [UInt8] {
        let bytes = Array("\(body)mac \(KeyText.base64(mac))\n".utf8)
        return bytes + Array(Self.end(bytes, bytes.count).utf8)
    }

    /// Returns the last line of a file whose other lines are the first `count` bytes.
    static func end(_ bytes: [UInt8], _ count: Int) -> String {
        let digits = String(Kernel.crc32c(bytes, 0..<count), radix: 16)
        return "end " + String(repeating: "0", count: 8 - digits.count) + digits + "\n"
    }
}

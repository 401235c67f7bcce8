// SPDX-License-Identifier: Apache-2.0

import Bytes
import Cipher
import Kernels
import TestSupport

/// Keys for tests, with cheap slots.
enum KeySamples {
    static let store = UUIDBytes(high: 0x3c35_42d7_391d_eea8 as UInt64, low: 0x80a0_d86f_89cb_00a7)
    /// The least cost that files may have.
    static let cheap = ScryptCost(logN: 14)

    /// A key that follows from a number.
    static func key(_ number: UInt8) throws -> StoreSecret {
        try StoreSecret(key: secret([UInt8](repeating: number, count: 32)))
    }

    static func file(_ number: UInt8, _ label: String) throws -> KeyRing.NewSlot {
        KeyRing.NewSlot(try key(number), kind: .file, label: label)
    }

    /// Keys with one slot for the key 1.
    static func ring(seed: UInt64 = 1) throws -> KeyRing {
        try KeyRing.create(store: store, slot: file(1, "one"), day: "2026-11-24", random: .seeded(seed))
    }

    /// Keys with a slot of each kind and two generations: passphrase `correct horse`, key 2 in a file, key 3 on paper.
    static func full() throws -> KeyRing {
        let random = RandomSource.seeded(7)
        let words = KeyRing.NewSlot(try passphrase("correct horse"), kind: .passphrase, label: "mine", cost: cheap)
        return try KeyRing.create(store: store, slot: words, day: "2026-11-24", random: random)
            .adding(file(2, "usb stick"), random: random)
            .adding(KeyRing.NewSlot(key(3), kind: .recovery, label: "Büro, paper"), random: random)
            .addingGeneration(day: "2027-01-02", random: random)
    }

    /// Returns the bytes with a correct last line.
    static func repaired(_ bytes: [UInt8]) -> [UInt8] {
        let count = bytes.count - 13
        let digits = String(Kernel.crc32c(bytes, 0..<count), radix: 16)
        return bytes[..<count] + Array("end \(String(repeating: "0", count: 8 - digits.count))\(digits)\n".utf8)
    }

    /// Returns the bytes of a text with a correct last line.
    static func repaired(_ text: String) -> [UInt8] { repaired(Array((text + "end 00000000\n").utf8)) }
}

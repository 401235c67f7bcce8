// SPDX-License-Identifier: Apache-2.0

/// The checksum of FIT files: CRC-16 with the polynomial 0x8005, computed four bits at a time.
struct FITChecksum {
    private(set) var value: UInt16 = 0

    private static let table: [UInt16] = [
        0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401, 0xA001, 0x6C00, 0x7800, 0xB401, 0x5000, 0x9C01,
        0x8801, 0x4400,
    ]

    mutating func add(_ byte: UInt8) {
        for half in [byte & 0xF, byte >> 4] {
            value = value >> 4 ^ Self.table[Int(value & 0xF)] ^ Self.table[Int(half)]
        }
    }
}

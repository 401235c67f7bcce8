// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bytes

@Suite("E-7 UUIDs")
struct UUIDBytesTests {
    private static let bytes: [UInt8] = [
        0x0f, 0x3a, 0x1b, 0x2c, 0x4d, 0x5e, 0x8f, 0x60, 0x80, 0x00, 0x00, 0x00, 0xff, 0x00, 0x01, 0x17,
    ]
    private static let text = "0f3a1b2c-4d5e-8f60-8000-0000ff000117"

    @Test("bytes, halves and text convert into each other, with the highest byte first")
    func conversions() {
        let one = UUIDBytes(Self.bytes)
        #expect(one.high == 0x0f3a_1b2c_4d5e_8f60 && one.low == 0x8000_0000_ff00_0117)
        #expect(one == UUIDBytes(high: one.high, low: one.low))
        #expect(one == UUIDBytes(high: Int64(bitPattern: one.high), low: Int64(bitPattern: one.low)))
        #expect(one.bytes == Self.bytes)
        #expect(one.text == Self.text)
        #expect(UUIDBytes(text: Self.text) == one)
    }

    @Test("the edges of the signed halves keep their bits", arguments: [Int64.min, -1, 0, 1, .max])
    func edges(_ half: Int64) {
        let one = UUIDBytes(high: half, low: ~half)
        #expect(UUIDBytes(one.bytes) == one && UUIDBytes(text: one.text) == one)
        #expect(Int64(bitPattern: one.high) == half && Int64(bitPattern: one.low) == ~half)
    }

    @Test("text may be in upper case and without hyphens")
    func forms() {
        let one = UUIDBytes(Self.bytes)
        #expect(UUIDBytes(text: Self.text.uppercased()) == one)
        #expect(UUIDBytes(text: Self.text.filter { $0 != "-" }) == one)
    }

    @Test(
        "other text is refused",
        arguments: [
            "", "-", String(text.dropLast()), text + "0", "+" + text.dropFirst(), "g" + text.dropFirst(),
            " " + text.dropFirst(), String(repeating: "é", count: 16), String(repeating: "\u{ff11}", count: 32),
        ])
    func refused(_ text: String) { #expect(UUIDBytes(text: text) == nil) }
}

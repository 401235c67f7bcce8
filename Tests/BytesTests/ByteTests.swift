// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bytes

@Suite("Numbers to bytes and back")
struct ByteTests {
    @Test("Little-endian integers, doubles and strings have the documented layout")
    func layout() throws {
        var w = ByteWriter(capacity: 64)
        w.put(UInt8(1))
        w.put(UInt16(0x0203))
        w.put(UInt32(0x0405_0607))
        w.put(UInt64(0x0809_0a0b_0c0d_0e0f))
        w.put(Int64(-2))
        w.put(double: -0.0)
        w.put(string: "Puls é")
        w.put(bytes: [9, 8])
        w.put(bytes: [7, 6, 5][1...])
        #expect(
            w.bytes == [
                1, 3, 2, 7, 6, 5, 4, 15, 14, 13, 12, 11, 10, 9, 8, 0xfe, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0,
                0, 0,
                0, 0x80, 7, 80, 117, 108, 115, 32, 0xc3, 0xa9, 9, 8, 6, 5,
            ])
        var r = ByteReader(w.bytes)
        #expect(try r.u8() == 1)
        #expect(try r.u16() == 0x0203)
        #expect(try r.u32() == 0x0405_0607)
        #expect(try r.u64() == 0x0809_0a0b_0c0d_0e0f)
        #expect(try r.i64() == -2)
        #expect(try r.double().bitPattern == (-0.0).bitPattern)
        #expect(try r.string() == "Puls é")
        #expect(try r.bytes(2) == [9, 8])
        try r.skip(1)
        #expect(r.remaining == 1)
        #expect(try r.u8() == 5)
        #expect(r.offset == r.end)
        w.patch(0xa1b2_c3d4, at: 3)
        #expect(w.bytes[3..<7] == [0xd4, 0xc3, 0xb2, 0xa1])
    }

    @Test("Varints and zigzag numbers of every length round-trip")
    func varints() throws {
        for shift in 0..<64 {
            for value in [UInt64(1) << shift, (UInt64(1) << shift) - 1, UInt64.max >> shift] {
                var w = ByteWriter()
                w.put(varint: value)
                #expect(w.count == Varint.length(value))
                var r = ByteReader(w.bytes)
                #expect(try r.varint() == value)
                #expect(r.remaining == 0)
                let signed = Int64(bitPattern: value)
                var z = ByteWriter()
                z.put(zigzag: signed)
                z.put(zigzag: 0 &- signed)
                var zr = ByteReader(z.bytes)
                #expect(try zr.zigzag() == signed)
                #expect(try zr.zigzag() == 0 &- signed)
            }
        }
        #expect([0, -1, 1, -2, Int64.max, Int64.min].map(Zigzag.encode) == [0, 1, 2, 3, .max - 1, .max])
    }

    @Test("Reads past the end, overlong varints and invalid strings throw an error with the offset")
    func errors() {
        var short = ByteReader([1, 2, 3], at: 1)
        #expect(throws: ByteError(offset: 1, what: "ran past the end")) { try short.u32() }
        #expect(short.offset == 1)
        #expect(throws: ByteError(offset: 1, what: "ran past the end")) { try short.skip(-1) }
        #expect(throws: ByteError(offset: 1, what: "ran past the end")) { try short.bytes(Int.max) }
        var open = ByteReader([0x80, 0x80])
        #expect(throws: ByteError(offset: 0, what: "ran past the end")) { try open.varint() }
        var long = ByteReader([UInt8](repeating: 0x80, count: 9) + [2])
        #expect(throws: ByteError(offset: 0, what: "varint too long")) { try long.varint() }
        var string = ByteReader([200, 1, 65])
        #expect(throws: ByteError(offset: 0, what: "string runs past the end")) { try string.string() }
        #expect(string.offset == 0)
        var bad = ByteReader([2, 0xc3, 0x28])
        #expect(throws: ByteError(offset: 0, what: "string is not UTF-8")) { try bad.string() }
        var outside = ByteReader([1], at: 5, end: 9)
        #expect(throws: ByteError.self) { try outside.u8() }
    }
}

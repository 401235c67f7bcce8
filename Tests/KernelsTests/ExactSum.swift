// SPDX-License-Identifier: Apache-2.0

/// The exact sum of doubles, as one long integer in units of 2^-1074. Serves as the oracle.
struct ExactSum {
    /// Limbs of 32 bits, lowest first, each with room for carries; normalized to two's complement at the end.
    private var limbs = [Int64](repeating: 0, count: 80)

    mutating func add(_ x: Double) {
        precondition(x.isFinite)
        let (significand, exponent) = Self.parts(x)
        add(UInt128(significand), shifted: exponent, negative: x < 0)
    }

    /// Adds the exact product of two numbers. The product must be far from the denormals.
    mutating func add(_ a: Double, times b: Double) {
        let ((x, e), (y, f)) = (Self.parts(a), Self.parts(b))
        if x == 0 || y == 0 { return }
        add(UInt128(x) * UInt128(y), shifted: e + f - 1074, negative: (a < 0) != (b < 0))
    }

    /// Splits x so that |x| = significand * 2^(exponent - 1074).
    private static func parts(_ x: Double) -> (significand: UInt64, exponent: Int) {
        (x.significandBitPattern | (x.exponentBitPattern > 0 ? 1 << 52 : 0), max(Int(x.exponentBitPattern), 1) - 1)
    }

    private mutating func add(_ significand: UInt128, shifted: Int, negative: Bool) {
        precondition(shifted >= 0)
        var rest = significand
        var carried: UInt128 = 0
        for limb in (shifted / 32)..<(shifted / 32 + 6) {
            // Adds 32 bits at a time, shifted by the remainder of the exponent.
            let piece = (rest & 0xffff_ffff) << UInt128(shifted % 32) + carried
            limbs[limb] += negative ? -Int64(piece & 0xffff_ffff) : Int64(piece & 0xffff_ffff)
            carried = piece >> 32
            rest >>= 32
        }
        // A limb has room for 2^31 pieces before a carry is needed; the tests add far fewer.
    }

    /// The sum rounded to nearest, ties to even.
    var value: Double {
        var digits = limbs
        var carry: Int64 = 0
        for index in digits.indices {
            let sum = digits[index] + carry
            digits[index] = sum & 0xffff_ffff
            carry = sum >> 32
        }
        let negative = carry < 0
        if negative {
            var borrow: Int64 = 1
            for index in digits.indices {
                let sum = (~digits[index] & 0xffff_ffff) + borrow
                digits[index] = sum & 0xffff_ffff
                borrow = sum >> 32
            }
        }
        guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
        let highBit = 32 * top + 31 - UInt32(digits[top]).leadingZeroBitCount
        func bit(_ index: Int) -> UInt64 { index < 0 ? 0 : UInt64(digits[index / 32] >> Int64(index % 32)) & 1 }
        if highBit < 53 {
            let small = UInt64(digits[1]) << 32 | UInt64(digits[0])
            let magnitude = Double(bitPattern: small)
            return negative ? -magnitude : magnitude
        }
        var significand: UInt64 = 0
        for offset in 0..<53 { significand = significand << 1 | bit(highBit - offset) }
        let below = highBit - 53
        let half = bit(below) == 1
        var rest = false
        for index in 0..<max(below, 0) where bit(index) == 1 { rest = true }
        var pattern = UInt64(highBit - 52 + 1) << 52 | significand & ((1 << 52) - 1)
        if half, rest || significand & 1 == 1 { pattern += 1 }
        let magnitude = Double(bitPattern: pattern)
        return negative ? -magnitude : magnitude
    }
}

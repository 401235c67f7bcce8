// SPDX-License-Identifier: Apache-2.0

import Bytes

/// A lossless encoding of voltages, as described in `Docs/Format/Catalog.md`.
///
/// Decimal voltages, as from every file and converter, become integer multiples of a step. Each is predicted from the
/// two preceding ones, and the difference takes the bits that it needs.
enum VoltageCodec {
    /// The forms of voltages.
    private static let steps: UInt8 = 1
    private static let doubles: UInt8 = 2

    /// The maximum number of decimals to try.
    private static let mostDecimals = 15

    /// Writes voltages.
    ///
    /// - Returns: whether they are multiples of a step; if not, the bytes are worth compressing.
    static func encode(_ values: [Double], into writer: inout ByteWriter) -> Bool {
        guard let found = Steps(values, mostDecimals: mostDecimals) else {
            writer.put(doubles)
            // Bytes of equal significance are adjacent: those of signs and exponents are nearly all equal.
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                for value in values { writer.put(UInt8(truncatingIfNeeded: value.bitPattern >> shift)) }
            }
            return false
        }
        writer.put(steps)
        writer.put(UInt8(truncatingIfNeeded: found.decimals))
        writer.put(varint: UInt64(found.step))
        writer.put(varint: UInt64(found.minusZeros.count))
        var last = -1
        for place in found.minusZeros {
            writer.put(varint: UInt64(place - last - 1))
            last = place
        }
        RiceFrames.encode(found.numbers, into: &writer)
        return true
    }

    /// Parses the bytes of `encode`.
    ///
    /// - Requires: the caller has limited `count` to the available memory.
    /// - Parameter count: the number of voltages.
    static func decode(_ count: Int, _ reader: inout ByteReader) throws(ByteError) -> [Double] {
        let at = reader.offset
        switch try reader.u8() {
        case steps: return try decodeSteps(count, &reader)
        case doubles:
            guard count <= reader.remaining / 8 else {
                throw ByteError(offset: reader.offset, what: "more voltages than bytes")
            }
            var bits = [UInt64](repeating: 0, count: count)
            for _ in 0..<8 {
                let plane = try reader.bytes(count)
                for (place, byte) in plane.enumerated() { bits[place] = bits[place] << 8 | UInt64(byte) }
            }
            return bits.map { Double(bitPattern: $0) }
        default: throw ByteError(offset: at, what: HealthMetadata.unknownPart)
        }
    }

    private static func decodeSteps(_ count: Int, _ reader: inout ByteReader) throws(ByteError) -> [Double] {
        // A voltage takes at least one bit.
        guard count / 8 <= reader.remaining else {
            throw ByteError(offset: reader.offset, what: "more voltages than bits")
        }
        let at = reader.offset
        let decimals = Int(try reader.u8())
        guard decimals <= mostDecimals else { throw ByteError(offset: at, what: "\(decimals) decimals") }
        let step = Int64(truncatingIfNeeded: try reader.varint())
        let zeros = try reader.varint()
        guard zeros <= UInt64(count) else { throw ByteError(offset: at, what: "more zeros than voltages") }
        var places: [Int] = []
        var next: UInt64 = 0
        for _ in 0..<zeros {
            let (place, isLarge) = next.addingReportingOverflow(try reader.varint())
            guard !isLarge, place < UInt64(count) else { throw ByteError(offset: at, what: "zero beyond the end") }
            places.append(Int(place))
            next = place + 1
        }
        let scale = Steps.power(decimals)
        var values = try RiceFrames.decode(count, &reader).map { Double($0 &* step) / scale }
        for place in places { values[place] = -0.0 }
        return values
    }
}

/// Voltages as multiples of a step, which is itself a multiple of a decimal unit.
struct Steps {
    let decimals: Int
    let step: Int64
    let numbers: [Int64]
    /// The places of negative zeros, which an integer cannot represent.
    let minusZeros: [Int]

    /// Returns an exact power of ten, up to 10^22.
    static func power(_ exponent: Int) -> Double {
        var power = 1.0
        for _ in 0..<exponent { power *= 10 }
        return power
    }

    /// Finds the fewest decimals that represent all voltages; nil if `mostDecimals` are not sufficient.
    init?(_ values: [Double], mostDecimals: Int) {
        for decimals in 0...mostDecimals {
            let scale = Self.power(decimals)
            guard let numbers = Self.whole(values, scale) else { continue }
            let step = max(1, numbers.reduce(0) { Self.divisor($0, $1) })
            self.decimals = decimals
            self.step = step
            self.numbers = step == 1 ? numbers : numbers.map { $0 / step }
            minusZeros = values.indices.filter { values[$0] == 0 && values[$0].sign == .minus }
            return
        }
        return nil
    }

    private static func whole(_ values: [Double], _ scale: Double) -> [Int64]? {
        var numbers: [Int64] = []
        numbers.reserveCapacity(values.count)
        for value in values {
            let scaled = (value * scale).rounded()
            // Up to this bound every whole number is a distinct double, and the quotient is the double nearest to the
            // decimal.
            guard scaled.magnitude <= 0x1p53, Double(Int64(scaled)) / scale == value else { return nil }
            numbers.append(Int64(scaled))
        }
        return numbers
    }

    /// Returns the greatest common divisor.
    private static func divisor(_ a: Int64, _ b: Int64) -> Int64 {
        var (a, b) = (abs(a), abs(b))
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import Bytes

extension ColumnDecoder {
    /// Decodes the payload at the reader's position.
    ///
    /// - Parameter offset: the offset for errors if the payload is a copy; nil if it is not.
    mutating func reals(
        _ encoding: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Double],
        offset: Int?
    ) throws(ByteError) {
        do throws(ByteError) {
            switch encoding {
            case Encoding.realConstant:
                let value = try reader.double()
                for index in 0..<count { out[index] = value }
            case Encoding.realRunLength:
                try realRuns(bytes, &reader, count, into: &out)
            case Encoding.realDictionary:
                try realDictionary(bytes, &reader, count, into: &out)
            case Encoding.xor:
                let first = try reader.double().bitPattern
                try Self.planes(bytes, &reader, count, previous: first, into: &out)
            case Encoding.scaled:
                try scaled(bytes, &reader, count, into: &out)
            case Encoding.shuffled:
                try Self.planes(bytes, &reader, count, previous: nil, into: &out)
            default:
                try scalars(encoding, bytes, &reader, count, into: &out)
            }
            try Self.finish(reader)
        } catch {
            throw ByteError(offset: offset ?? error.offset, what: error.what)
        }
    }

    private static func planes(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, previous: UInt64?, into out: inout [Double]
    ) throws(ByteError) {
        let mask = try reader.u8()
        let length = mask.nonzeroBitCount * count
        guard length <= reader.remaining else {
            throw ByteError(offset: reader.offset, what: "byte planes run past the end")
        }
        ColumnKernels.unshuffle(bytes, at: reader.offset, count, previous: previous, mask: mask, into: &out)
        reader.offset += length
    }

    /// Decodes scalars: the body of decimal, ratio, float32, ordered or raw.
    private mutating func scalars(
        _ encoding: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Double]
    ) throws(ByteError) {
        Self.reserve(&integers, count, 0)
        switch encoding {
        case Encoding.decimal, Encoding.ratio:
            let divisor = try Self.divisor(encoding, &reader)
            let exceptions = try Self.readExceptions(&reader, count)
            try Self.nested(bytes, &reader, count, into: &integers)
            ColumnKernels.fromScaled(integers, count, divisor: divisor, into: &out)
            for (position, value) in exceptions { out[position] = value }
        case Encoding.float32:
            let exceptions = try Self.readExceptions(&reader, count)
            try Self.nested(bytes, &reader, count, into: &integers)
            ColumnKernels.fromFloat32(integers, count, into: &out)
            for (position, value) in exceptions { out[position] = value }
        case Encoding.ordered:
            try Self.nested(bytes, &reader, count, into: &integers)
            ColumnKernels.fromOrdered(integers, count, into: &out)
        case Encoding.raw:
            guard reader.remaining >= 8 * count else {
                throw ByteError(offset: reader.offset, what: "values run past the end")
            }
            for index in 0..<count { out[index] = try reader.double() }
        default:
            throw ByteError(offset: reader.offset, what: "unknown encoding \(encoding)")
        }
    }

    /// Reads the divisor of decimals or ratios.
    static func divisor(_ encoding: UInt8, _ reader: inout ByteReader) throws(ByteError) -> Double {
        let divisors = encoding == Encoding.decimal ? Encoding.powersOfTen : Encoding.divisors
        let number = Int(try reader.u8())
        guard number < divisors.count, !divisors[number].isNaN else {
            throw ByteError(offset: reader.offset - 1, what: "unknown divisor \(number)")
        }
        return divisors[number]
    }

    /// Reads the exceptions: their number, the gaps between their positions, and their bit patterns.
    static func readExceptions(
        _ reader: inout ByteReader, _ count: Int
    ) throws(ByteError) -> [(position: Int, value: Double)] {
        let start = reader.offset
        let number = try reader.varint()
        guard number <= UInt64(count), number * 9 <= UInt64(reader.remaining) else {
            throw ByteError(offset: start, what: "too many exceptions")
        }
        var found: [(position: Int, value: Double)] = []
        found.reserveCapacity(Int(number))
        var next = 0
        for _ in 0..<number {
            let gap = try reader.varint()
            guard gap < UInt64(count - next) else {
                throw ByteError(offset: reader.offset, what: "exception out of place")
            }
            found.append((next + Int(gap), 0))
            next += Int(gap) + 1
        }
        for index in found.indices { found[index].value = try reader.double() }
        return found
    }

    private mutating func realRuns(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Double]
    ) throws(ByteError) {
        let runs = try Self.entryCount(&reader, most: count)
        try readEntries(bytes, &reader, runs)
        try readLengths(bytes, &reader, runs, total: count)
        var next = 0
        for run in 0..<runs {
            let value = realEntries[run]
            for _ in 0..<integers[run] {
                out[next] = value
                next += 1
            }
        }
    }

    private mutating func realDictionary(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Double]
    ) throws(ByteError) {
        let size = try Self.entryCount(&reader, most: min(count, Encoding.maximumDictionary))
        try readEntries(bytes, &reader, size)
        try readCodes(bytes, &reader, count, below: size)
        for index in 0..<count { out[index] = realEntries[Int(codes[index])] }
    }

    /// Decodes nested scalars, an encoding and its body, into `realEntries`.
    private mutating func readEntries(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int
    ) throws(ByteError) {
        var out = realEntries
        realEntries = []
        Self.reserve(&out, count, 0)
        try scalars(try reader.u8(), bytes, &reader, count, into: &out)
        realEntries = out
    }

    /// Decodes scaled reals: divisor, offset, the numbers of steps and the corrections as sequences.
    mutating func scaled(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Double]
    ) throws(ByteError) {
        let start = reader.offset
        let divisor = try reader.double()
        let offset = try reader.double()
        guard divisor.isFinite, divisor != 0, offset.isFinite else {
            throw ByteError(offset: start, what: "unknown divisor \(divisor)")
        }
        Self.reserve(&integers, count, 0)
        Self.reserve(&entries, count, 0)
        try Self.nested(bytes, &reader, count, into: &integers)
        try Self.nested(bytes, &reader, count, into: &entries)
        ColumnKernels.fromSteps(integers, entries, count, divisor: divisor, offset: offset, into: &out)
    }
}

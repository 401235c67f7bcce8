// SPDX-License-Identifier: Apache-2.0

internal import Bytes

extension ColumnDecoder {
    /// Decodes the payload at the reader's position.
    ///
    /// - Parameter offset: the offset for errors if the payload is a copy; nil if it is not.
    mutating func integers(
        _ encoding: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Int64],
        offset: Int?
    ) throws(ByteError) {
        do throws(ByteError) {
            switch encoding {
            case Encoding.runLength:
                try runs(bytes, &reader, count, into: &out)
            case Encoding.dictionary:
                try dictionary(bytes, &reader, count, into: &out)
            case Encoding.clock:
                let second = try reader.zigzag()
                try Self.nested(bytes, &reader, count, into: &out)
                ColumnKernels.fromTicks(&out, count, second: second)
            default:
                try Self.sequence(encoding, bytes, &reader, count, into: &out)
            }
            try Self.finish(reader)
        } catch {
            throw ByteError(offset: offset ?? error.offset, what: error.what)
        }
    }

    /// Throws if bytes are left in the payload.
    static func finish(_ reader: ByteReader) throws(ByteError) {
        guard reader.remaining == 0 else { throw ByteError(offset: reader.offset, what: "bytes left over") }
    }

    /// Decodes a sequence: the body of one of its forms.
    static func sequence(
        _ form: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Int64]
    ) throws(ByteError) {
        switch form {
        case Encoding.constant:
            let value = try reader.zigzag()
            for index in 0..<count { out[index] = value }
        case Encoding.linear:
            var value = try reader.zigzag()
            let step = try reader.zigzag()
            for index in 0..<count {
                out[index] = value
                value &+= step
            }
        case _ where Encoding.isForm(form):
            try streamed(form, bytes, &reader, count, into: &out)
        default:
            throw ByteError(offset: reader.offset, what: "unknown encoding \(form)")
        }
    }

    private static func streamed(
        _ form: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Int64]
    ) throws(ByteError) {
        let kind = Encoding.base(form)
        let base = try reader.zigzag()
        let slope = kind == Encoding.deltaOfDelta ? try reader.zigzag() : 0
        let unit = try reader.varint()
        guard unit > 0 else { throw ByteError(offset: reader.offset, what: "unit is zero") }
        let predictor = form == Encoding.predicted ? try Predictor(&reader) : nil
        if predictor != nil {
            try ColumnKernels.decodeAdaptive(bytes, &reader, count, into: &out)
        } else if kind == form {
            reader.offset = try ColumnKernels.decodeStream(bytes, at: reader.offset, end: reader.end, count, into: &out)
        } else {
            reader.offset = try ColumnKernels.decodeWindows(
                bytes, at: reader.offset, end: reader.end, count, into: &out)
        }
        predictor?.addPredictions(to: &out, count)
        switch kind {
        case Encoding.packed:
            ColumnKernels.scale(&out, count, unit: unit, base: base)
        case Encoding.delta:
            ColumnKernels.accumulate(&out, count, unit: unit, base: base)
        default:
            ColumnKernels.accumulate(&out, count, unit: 1, base: slope)
            ColumnKernels.accumulate(&out, count, unit: unit, base: base)
        }
    }

    /// Decodes a nested sequence: its form, then its body.
    static func nested(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Int64]
    ) throws(ByteError) {
        try sequence(try reader.u8(), bytes, &reader, count, into: &out)
    }

    /// Reads a number of entries; throws unless it is between 1 and `most`.
    static func entryCount(_ reader: inout ByteReader, most: Int) throws(ByteError) -> Int {
        let start = reader.offset
        let count = try reader.varint()
        guard count >= 1, count <= UInt64(most) else {
            throw ByteError(offset: start, what: "number of entries is out of range")
        }
        return Int(count)
    }

    static func reserve<T>(_ array: inout [T], _ count: Int, _ zero: T) {
        if array.count < count + Encoding.spare { array = [T](repeating: zero, count: count + Encoding.spare) }
    }

    private mutating func runs(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Int64]
    ) throws(ByteError) {
        let runs = try Self.entryCount(&reader, most: count)
        Self.reserve(&entries, runs, 0)
        try Self.nested(bytes, &reader, runs, into: &entries)
        try readLengths(bytes, &reader, runs, total: count)
        var next = 0
        for run in 0..<runs {
            let value = entries[run]
            for _ in 0..<integers[run] {
                out[next] = value
                next += 1
            }
        }
    }

    /// Decodes the lengths of runs into `integers`; throws unless each is at least 1 and their sum is `total`.
    mutating func readLengths(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ runs: Int, total: Int
    ) throws(ByteError) {
        let start = reader.offset
        Self.reserve(&integers, runs, 0)
        try Self.nested(bytes, &reader, runs, into: &integers)
        var left = total
        for run in 0..<runs {
            let length = integers[run]
            guard length >= 1, length <= Int64(left) else {
                throw ByteError(offset: start, what: "lengths of runs do not add up")
            }
            left -= Int(length)
        }
        guard left == 0 else { throw ByteError(offset: start, what: "lengths of runs do not add up") }
    }

    private mutating func dictionary(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Int64]
    ) throws(ByteError) {
        let size = try Self.entryCount(&reader, most: min(count, Encoding.maximumDictionary))
        Self.reserve(&entries, Encoding.maximumDictionary, 0)
        try Self.nested(bytes, &reader, size, into: &entries)
        try readCodes(bytes, &reader, count, below: size)
        ColumnKernels.lookUp(codes, count, table: entries, into: &out)
    }

    /// Decodes the width and the codes into `codes`; throws unless each code is below `limit`.
    mutating func readCodes(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, below limit: Int
    ) throws(ByteError) {
        let start = reader.offset
        let width = Int(try reader.u8())
        guard width <= 8 else { throw ByteError(offset: start, what: "codes of \(width) bits") }
        let length = (count * width + 7) / 8
        guard length <= reader.remaining else { throw ByteError(offset: start, what: "codes run past the end") }
        Self.reserve(&codes, count, 0)
        ColumnKernels.unpack(bytes, at: reader.offset, count, width: width, into: &codes)
        reader.offset += length
        for index in 0..<count where codes[index] >= UInt64(limit) {
            throw ByteError(offset: start, what: "code without an entry")
        }
    }
}

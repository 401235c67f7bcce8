// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// Decoding directly into the caller's span. The encodings of nearly all columns decode in one pass from bits to
/// values; the others decode into scratch arrays and are copied.
extension ColumnDecoder {
    /// The result of decoding a column.
    package struct Outcome: Sendable {
        /// Offset of the first byte after the column.
        package let end: Int
        /// Whether the encoding proves that integers never descend, or that reals are finite. False proves nothing.
        package let isProven: Bool
    }

    /// Decodes the column of `count` integers that starts at `at` and ends at or before `end` into the first elements
    /// of a span. Other elements are not written.
    ///
    /// A payload without 64 spare bytes after `end` is copied first.
    package mutating func integers(
        _ bytes: [UInt8], at: Int, end: Int, count: Int, into out: inout MutableSpan<Int64>
    ) throws(ByteError) -> Outcome {
        let frame = try Self.frame(bytes, at: at, end: end, count: count, room: out.count)
        let proven: Bool
        if try unpackPayload(bytes, frame) {
            let payload = plain
            var reader = ByteReader(payload, at: 0, end: frame.plain)
            proven = try integers(frame.encoding, payload, &reader, count, &out, offset: frame.payload.lowerBound)
        } else {
            var reader = ByteReader(bytes, at: frame.payload.lowerBound, end: frame.payload.upperBound)
            proven = try integers(frame.encoding, bytes, &reader, count, &out, offset: nil)
        }
        return Outcome(end: frame.payload.upperBound, isProven: proven)
    }

    /// Decodes a column of doubles into the first elements of a span; otherwise like `integers`.
    package mutating func reals(
        _ bytes: [UInt8], at: Int, end: Int, count: Int, into out: inout MutableSpan<Double>
    ) throws(ByteError) -> Outcome {
        let frame = try Self.frame(bytes, at: at, end: end, count: count, room: out.count)
        let proven: Bool
        if try unpackPayload(bytes, frame) {
            let payload = plain
            var reader = ByteReader(payload, at: 0, end: frame.plain)
            proven = try reals(frame.encoding, payload, &reader, count, &out, offset: frame.payload.lowerBound)
        } else {
            var reader = ByteReader(bytes, at: frame.payload.lowerBound, end: frame.payload.upperBound)
            proven = try reals(frame.encoding, bytes, &reader, count, &out, offset: nil)
        }
        return Outcome(end: frame.payload.upperBound, isProven: proven)
    }

    // MARK: integers

    private mutating func integers(
        _ encoding: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, _ out: inout MutableSpan<Int64>,
        offset: Int?
    ) throws(ByteError) -> Bool {
        do throws(ByteError) {
            var proven = false
            switch encoding {
            case _ where Self.isDirect(encoding):
                proven = try Self.sequence(encoding, bytes, &reader, count, &out)
            case Encoding.clock where Self.directClock(bytes, reader):
                let second = try reader.zigzag()
                _ = try Self.sequence(try reader.u8(), bytes, &reader, count, &out)
                ColumnKernels.fromTicks(&out, count, second: second)
            default:
                try besides(encoding, bytes, &reader, count, &out)
                return false
            }
            try Self.finish(reader)
            return proven
        } catch {
            throw ByteError(offset: offset ?? error.offset, what: error.what)
        }
    }

    /// Decodes into a scratch array and copies the result.
    private mutating func besides(
        _ encoding: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, _ out: inout MutableSpan<Int64>
    ) throws(ByteError) {
        var values = stagedIntegers
        stagedIntegers = []
        defer { stagedIntegers = values }
        Self.reserve(&values, count, 0)
        try integers(encoding, bytes, &reader, count, into: &values, offset: nil)
        ColumnKernels.copy(values, count, into: &out)
    }

    /// Whether the next fields are a zigzag and the form of a sequence that decodes in one pass.
    private static func directClock(_ bytes: [UInt8], _ reader: ByteReader) -> Bool {
        var ahead = reader
        guard (try? ahead.zigzag()) != nil, let form = try? ahead.u8() else { return false }
        return isDirect(form)
    }

    /// Whether a sequence of this form decodes in one pass: all forms except delta of delta.
    private static func isDirect(_ form: UInt8) -> Bool {
        Encoding.isForm(form) && Encoding.base(form) != Encoding.deltaOfDelta
    }

    /// Decodes a sequence in one pass; returns whether it is known to ascend.
    private static func sequence(
        _ form: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, _ out: inout MutableSpan<Int64>
    ) throws(ByteError) -> Bool {
        switch form {
        case Encoding.constant:
            let value = try reader.zigzag()
            for index in 0..<count { out[index] = value }
            return true
        case Encoding.linear:
            let first = try reader.zigzag()
            let step = try reader.zigzag()
            var value = first
            for index in 0..<count {
                out[index] = value
                value &+= step
            }
            let (rise, tooFar) = step.multipliedReportingOverflow(by: Int64(count))
            return step >= 0 && !tooFar && !first.addingReportingOverflow(rise).overflow
        default:
            return try stream(form, bytes, &reader, count, .integers, &out)
        }
    }

    /// Decodes and converts a packed or delta sequence; returns whether its integers are known to ascend.
    private static func stream<T: BitwiseCopyable>(
        _ form: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, _ meaning: ColumnKernels.Meaning,
        _ out: inout MutableSpan<T>
    ) throws(ByteError) -> Bool {
        let base = try reader.zigzag()
        let unit = try reader.varint()
        guard unit > 0 else { throw ByteError(offset: reader.offset, what: "unit is zero") }
        let (next, ascends) = try ColumnKernels.decode(
            .init(form: form, base: base, unit: unit, meaning: meaning), bytes, at: reader.offset, end: reader.end,
            count, into: &out)
        reader.offset = next
        return ascends
    }

    // MARK: reals

    private mutating func reals(
        _ encoding: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, _ out: inout MutableSpan<Double>,
        offset: Int?
    ) throws(ByteError) -> Bool {
        do throws(ByteError) {
            var proven = false
            switch encoding {
            case Encoding.realConstant:
                let value = try reader.double()
                for index in 0..<count { out[index] = value }
                proven = value.isFinite
            case Encoding.decimal, Encoding.ratio, Encoding.ordered:
                proven = try scalars(encoding, bytes, &reader, count, &out)
            case Encoding.raw:
                guard reader.remaining >= 8 * count else {
                    throw ByteError(offset: reader.offset, what: "values run past the end")
                }
                ColumnKernels.doubles(bytes, at: reader.offset, count, into: &out)
                reader.offset += 8 * count
            default:
                try besides(encoding, bytes, &reader, count, &out)
                return false
            }
            try Self.finish(reader)
            return proven
        } catch {
            throw ByteError(offset: offset ?? error.offset, what: error.what)
        }
    }

    /// Decodes into a scratch array and copies the result.
    private mutating func besides(
        _ encoding: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, _ out: inout MutableSpan<Double>
    ) throws(ByteError) {
        var values = stagedReals
        stagedReals = []
        defer { stagedReals = values }
        Self.reserve(&values, count, 0)
        try reals(encoding, bytes, &reader, count, into: &values, offset: nil)
        ColumnKernels.copy(values, count, into: &out)
    }

    /// Decodes decimals, ratios and ordered patterns; returns whether the values are known to be finite.
    private mutating func scalars(
        _ encoding: UInt8, _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, _ out: inout MutableSpan<Double>
    ) throws(ByteError) -> Bool {
        let start = reader
        var meaning = ColumnKernels.Meaning.ordered
        var exceptions: [(position: Int, value: Double)] = []
        if encoding != Encoding.ordered {
            meaning = .quotients(try Self.divisor(encoding, &reader))
            exceptions = try Self.readExceptions(&reader, count)
        }
        let form = try reader.u8()
        guard Self.isDirect(form), form != Encoding.constant, form != Encoding.linear else {
            reader = start
            try besides(encoding, bytes, &reader, count, &out)
            return false
        }
        _ = try Self.stream(form, bytes, &reader, count, meaning, &out)
        var finite = encoding != Encoding.ordered
        for (position, value) in exceptions {
            out[position] = value
            if !value.isFinite { finite = false }
        }
        return finite
    }
}

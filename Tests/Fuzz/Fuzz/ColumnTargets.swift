// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels

@testable import ColumnCodec

/// A column as bytes and the number of its values, made from an input.
struct ColumnInput {
    let bytes: [UInt8]
    let count: Int

    /// A byte of flags, an encoding, a count, and the rest: a whole column, or the payload of one, whose frame is made
    /// here so that its lengths are right. `encoding` replaces that of the input.
    init(_ input: [UInt8], encoding fixed: UInt8?, reals: Bool) {
        var input = Input(input)
        let flags = input.byte()
        let encoding = fixed ?? input.byte()
        if fixed != nil { _ = input.byte() }
        let size = (low: Int(input.byte()), high: Int(input.byte()))
        // Most columns are short, because those are fast.
        count = min(Encoding.maximumCount, size.high < 0x80 ? size.low : size.low + (size.high & 7) << 8)
        guard flags & 1 == 1 || fixed != nil else {
            bytes = input.rest
            return
        }
        var payload = input.rest
        if flags & 2 == 2 {
            // What is left over behind the payload is cut off, so that more inputs are whole columns.
            var reader = NaiveReader(payload)
            let fits =
                reals
                ? (try? NaiveColumn.reals(encoding, &reader, count)) != nil
                : (try? NaiveColumn.integers(encoding, &reader, count)) != nil
            if fits { payload = Array(payload[..<reader.at]) }
        }
        var writer = ByteWriter()
        writer.put(encoding)
        writer.put(UInt8(flags >> 2 & 1))
        if flags >> 2 & 1 == 1 {
            let stored = NaiveLZ4.literals(payload)
            writer.put(varint: UInt64(stored.count))
            writer.put(varint: UInt64(payload.count))
            writer.put(bytes: stored)
        } else {
            writer.put(varint: UInt64(payload.count))
            writer.put(bytes: payload)
        }
        bytes = writer.bytes
    }
}

/// What a column is worth according to one decoder: the bits of the values and the offset after them.
struct ColumnOutcome {
    var values: [UInt64]
    var end: Int
}

enum ColumnTargets {
    /// Decodes with every level and compares with the naive decoder.
    static func compare(_ bytes: [UInt8], count: Int, reals: Bool) {
        let expected = naive(bytes, count: count, reals: reals)
        let padded = bytes + [UInt8](repeating: 0xA5, count: Encoding.spare)
        var decoder = ColumnDecoder()
        defer { Kernel.force(level: -1) }
        for level in 0...Kernel.highestLevel {
            Kernel.force(level: level)
            for whole in level == 0 ? [bytes, padded] : [padded] {
                let found = decode(&decoder, whole, bytes.count, count, reals)
                check(found, expected, "level \(level), \(count) values of \(hex(bytes))")
            }
        }
        if case .success(let outcome)? = expected {
            let next = try? ColumnDecoder.skip(bytes, at: 0, end: bytes.count)
            require(next == outcome.end, "skip ends at \(String(describing: next)), decoding at \(outcome.end)")
        }
        let notes = ColumnDecoder.describe(bytes, at: 0, end: bytes.count, count: count)
        let failed = notes.contains { $0.name == "error" && !NaiveLZ4.isRefusal($0.meaning) }
        if case .success? = expected, count > 0 { require(!failed, "a sound column is described as damaged") }
    }

    /// Nil where the two may differ.
    private static func naive(_ bytes: [UInt8], count: Int, reals: Bool) -> Result<ColumnOutcome, any Error>? {
        do {
            let frame = try NaiveColumn.frame(bytes, at: 0, end: bytes.count, count: count)
            guard var reader = NaiveColumn.payload(bytes, frame) else { return nil }
            let values =
                reals
                ? try NaiveColumn.reals(frame.encoding, &reader, count)
                : try NaiveColumn.integers(frame.encoding, &reader, count).map { UInt64(bitPattern: $0) }
            guard reader.left == 0 else { throw Refused("bytes left over") }
            return .success(ColumnOutcome(values: values, end: frame.payload.upperBound))
        } catch {
            return .failure(error)
        }
    }

    /// Decodes into a span of exactly as many values, with others behind it that must stay as they are.
    private static func decode(
        _ decoder: inout ColumnDecoder, _ bytes: [UInt8], _ end: Int, _ count: Int, _ reals: Bool
    ) -> Result<ColumnOutcome, CodecError> {
        let outcome: ColumnDecoder.Outcome
        var values: [UInt64]
        do throws(CodecError) {
            if reals {
                var out = [Double](repeating: guardValue, count: count + 8)
                outcome = try unsafe out.withUnsafeMutableBufferPointer { (all) throws(CodecError) in
                    var span = unsafe MutableSpan(_unsafeElements: all.extracting(0..<count))
                    return try decoder.reals(bytes, at: 0, end: end, count: count, into: &span)
                }
                values = out.map(\.bitPattern)
                if outcome.isProven { require(out.prefix(count).allSatisfy(\.isFinite), "proven finite, but is not") }
            } else {
                var out = [Int64](repeating: Int64(bitPattern: guardValue.bitPattern), count: count + 8)
                outcome = try unsafe out.withUnsafeMutableBufferPointer { (all) throws(CodecError) in
                    var span = unsafe MutableSpan(_unsafeElements: all.extracting(0..<count))
                    return try decoder.integers(bytes, at: 0, end: end, count: count, into: &span)
                }
                values = out.map { UInt64(bitPattern: $0) }
                if outcome.isProven {
                    let pairs = zip(out.prefix(count), out.prefix(count).dropFirst())
                    require(pairs.allSatisfy { $0 <= $1 }, "proven to ascend, but does not")
                }
            }
        } catch {
            require(error.offset >= 0 && error.offset <= end, "an error outside of the bytes: \(error)")
            return .failure(error)
        }
        require(values.suffix(8).allSatisfy { $0 == guardValue.bitPattern }, "values were written past the end")
        values.removeLast(8)
        return .success(ColumnOutcome(values: values, end: outcome.end))
    }

    private static let guardValue = Double(bitPattern: 0x5EED_5EED_5EED_5EED)

    private static func check(
        _ found: Result<ColumnOutcome, CodecError>, _ expected: Result<ColumnOutcome, any Error>?,
        _ place: @autoclosure () -> String
    ) {
        switch (found, expected) {
        case (.failure, .failure), (.failure, nil): break
        case (.success, nil): finding("LZ4 that the naive decoder refuses: \(place())")
        case (.success, .failure(let error)): finding("decoded what the page refuses (\(error)): \(place())")
        case (.failure(let error), .success) where NaiveLZ4.isRefusal(error.what): break
        case (.failure(let error), .success): finding("refused what the page allows (\(error)): \(place())")
        case (.success(let a), .success(let b)):
            require(a.end == b.end, "ends at \(a.end), not \(b.end): \(place())")
            let first = zip(a.values, b.values).enumerated().first { $0.element.0 != $0.element.1 }
            if let first {
                finding("value \(first.offset) is \(first.element.0), not \(first.element.1): \(place())")
            }
            require(a.values.count == b.values.count, "another number of values: \(place())")
        }
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    // MARK: targets

    static let integerEncodings: ClosedRange<UInt8> = 1...11
    static let realEncodings: ClosedRange<UInt8> = 17...27

    static var all: [Target] {
        let asserts = "every level decodes what the naive decoder does, or both refuse; nothing is written past the end"
        let whole = [false, true].map { reals in
            Target(
                name: reals ? "reals" : "integers", maximumLength: 2048, asserts: asserts,
                seeds: { _ in ColumnSeeds.columns(reals: reals) },
                run: { bytes in
                    let column = ColumnInput(bytes, encoding: nil, reals: reals)
                    compare(column.bytes, count: column.count, reals: reals)
                })
        }
        let parts = (Array(integerEncodings) + Array(realEncodings)).map { encoding in
            let reals = realEncodings.contains(encoding)
            let parent = reals ? "reals" : "integers"
            let name = Encoding.name(encoding).replacing(" ", with: "-")
            return Target(
                name: "\(parent)-\(name)", maximumLength: 2048, asserts: asserts, partOf: parent,
                seeds: { _ in [] },
                run: { bytes in
                    let column = ColumnInput(bytes, encoding: encoding, reals: reals)
                    compare(column.bytes, count: column.count, reals: reals)
                })
        }
        return whole + roundTrips + parts
    }

    private static var roundTrips: [Target] {
        [false, true].map { reals in
            Target(
                name: reals ? "reals-round-trip" : "integers-round-trip", maximumLength: 4096,
                asserts: "what is encoded, in any way and on any level, is decoded to the same bits",
                seeds: { _ in ColumnSeeds.values(reals: reals) },
                run: { reals ? realRoundTrip($0) : integerRoundTrip($0) })
        }
    }

    /// Two bytes say how to encode, then come shapes of values.
    private static func integerRoundTrip(_ bytes: [UInt8]) {
        var input = Input(bytes)
        var encoder = IntegerColumnEncoder()
        let way = input.byte()
        encoder.forced = way % 12 == 0 ? nil : way % 12
        encoder.lz4 = [.automatic, .always, .never][Int(input.byte() % 3)]
        let columns = Shapes.integers(&input)
        defer { Kernel.force(level: -1) }
        for values in columns {
            var first: [UInt8]?
            let before = encoder
            for level in 0...Kernel.highestLevel {
                Kernel.force(level: level)
                encoder = before
                var writer = ByteWriter()
                _ = encoder.encode(values, values.indices, into: &writer)
                require(writer.bytes == first ?? writer.bytes, "level \(level) encodes otherwise: \(values)")
                first = writer.bytes
            }
            Kernel.force(level: -1)
            let expected = values.map { UInt64(bitPattern: $0) }
            checkRoundTrip(first ?? [], expected, reals: false)
        }
    }

    private static func realRoundTrip(_ bytes: [UInt8]) {
        var input = Input(bytes)
        var encoder = RealColumnEncoder()
        let way = input.byte()
        encoder.forced = way % 12 == 0 ? nil : 16 + way % 12
        encoder.lz4 = [.automatic, .always, .never][Int(input.byte() % 3)]
        let columns = Shapes.reals(&input)
        defer { Kernel.force(level: -1) }
        for values in columns {
            var first: [UInt8]?
            let before = encoder
            for level in 0...Kernel.highestLevel {
                Kernel.force(level: level)
                encoder = before
                var writer = ByteWriter()
                _ = encoder.encode(values, values.indices, into: &writer)
                require(writer.bytes == first ?? writer.bytes, "level \(level) encodes otherwise: \(values)")
                first = writer.bytes
            }
            Kernel.force(level: -1)
            checkRoundTrip(first ?? [], values.map(\.bitPattern), reals: true)
        }
    }

    private static func checkRoundTrip(_ column: [UInt8], _ expected: [UInt64], reals: Bool) {
        compare(column, count: expected.count, reals: reals)
        guard case .success(let outcome)? = naive(column, count: expected.count, reals: reals) else {
            finding("what was encoded cannot be decoded: \(expected)")
        }
        require(outcome.values == expected && outcome.end == column.count, "other values came back: \(expected)")
    }
}

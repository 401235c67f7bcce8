// SPDX-License-Identifier: Apache-2.0

@testable import ColumnCodec

/// A column as bytes, the number of its values, and the result of the naive decoder.
struct ColumnInput {
    /// The column, followed by spare bytes of no meaning.
    let bytes: [UInt8]
    let end: Int
    let count: Int
    /// Nil where the two decoders may differ.
    let expected: Result<Outcome, any Error>?

    /// The values, and the offset after them.
    struct Outcome {
        var values: NaiveValues
        var end: Int
    }

    /// Creates a column from a byte of flags, an encoding, a count, and the rest: a whole column, or the payload of
    /// one, for which a frame with the right lengths is generated. `encoding` replaces that of the input.
    init(_ input: [UInt8], encoding fixed: UInt8?, reals: Bool, spare: Int) {
        var front = Input(input)
        let flags = front.byte()
        let given = front.byte()
        let encoding = fixed ?? given
        if fixed == nil, flags & 1 == 0 {
            count = Self.count(&front)
            bytes = Exact.copy(of: input, front.at..<input.count, spare: spare)
            end = bytes.count - spare
            expected = Self.naive(bytes, end: end, count: count, reals: reals)
            return
        }
        count = Self.count(&front)
        var payload = front.at..<input.count
        var reader = NaiveReader(input, at: front.at)
        let values = Self.values(encoding, &reader, count, reals)
        // Cuts unused bytes after the payload, so that more inputs are complete columns.
        if flags & 2 == 2, case .success = values { payload = payload.lowerBound..<reader.at }
        bytes = Self.column(encoding, flags >> 2 & 1, input, payload, spare)
        let end = bytes.count - spare
        self.end = end
        let isWhole = reader.at == payload.upperBound
        expected = values.flatMap { values in
            isWhole ? .success(Outcome(values: values, end: end)) : .failure(Refused("bytes left over"))
        }
    }

    /// Creates a column that must decode to the given values.
    init(_ column: [UInt8], _ values: NaiveValues) {
        bytes = Exact.copy(of: column, 0..<column.count)
        end = column.count
        count = values.count
        expected = .success(Outcome(values: values, end: column.count))
    }

    /// Returns a count that is mostly small, because short columns are fast.
    private static func count(_ front: inout Input) -> Int {
        let size = (low: Int(front.byte()), high: Int(front.byte()))
        return min(Encoding.maximumCount, size.high < 0x80 ? size.low : size.low + (size.high & 7) << 8)
    }

    /// Returns a frame around a payload; as LZ4 of literals only if `flags` is 1.
    private static func column(
        _ encoding: UInt8, _ flags: UInt8, _ input: [UInt8], _ payload: Range<Int>, _ spare: Int
    ) -> [UInt8] {
        var head = Exact.Head()
        head.put(encoding)
        head.put(flags)
        if flags == 1 {
            let stored = NaiveLZ4.literals(Array(input[payload]))
            head.put(varint: stored.count)
            head.put(varint: payload.count)
            return Exact.copy(of: stored, 0..<stored.count, behind: head, spare: spare)
        }
        head.put(varint: payload.count)
        return Exact.copy(of: input, payload, behind: head, spare: spare)
    }

    /// Decodes a whole column with the naive decoder.
    static func naive(_ bytes: [UInt8], end: Int, count: Int, reals: Bool) -> Result<Outcome, any Error>? {
        do {
            let frame = try NaiveColumn.frame(bytes, at: 0, end: end, count: count)
            guard var reader = NaiveColumn.payload(bytes, frame) else { return nil }
            let values = try values(frame.encoding, &reader, count, reals).get()
            guard reader.left == 0 else { throw Refused("bytes left over") }
            return .success(Outcome(values: values, end: frame.payload.upperBound))
        } catch {
            return .failure(error)
        }
    }

    private static func values(
        _ encoding: UInt8, _ reader: inout NaiveReader, _ count: Int, _ reals: Bool
    ) -> Result<NaiveValues, any Error> {
        do {
            return reals
                ? .success(.reals(try NaiveColumn.reals(encoding, &reader, count)))
                : .success(.integers(try NaiveColumn.integers(encoding, &reader, count)))
        } catch { return .failure(error) }
    }
}

/// Integers, or the bits of doubles.
enum NaiveValues: Equatable {
    case integers([Int64])
    case reals([UInt64])

    var count: Int {
        switch self {
        case .integers(let values): values.count
        case .reals(let values): values.count
        }
    }

    /// The bits of one value.
    subscript(_ index: Int) -> UInt64 {
        switch self {
        case .integers(let values): UInt64(bitPattern: values[index])
        case .reals(let values): values[index]
        }
    }

    func withBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        switch self {
        case .integers(let values): unsafe values.withUnsafeBytes { unsafe body($0) }
        case .reals(let values): unsafe values.withUnsafeBytes { unsafe body($0) }
        }
    }
}

/// Arrays that end at the end of their allocation, so that a read past the end is detected.
enum Exact {
    /// A few bytes before the others, at most eight.
    struct Head {
        private(set) var bytes: UInt64 = 0
        private(set) var count = 0

        mutating func put(_ byte: UInt8) {
            bytes |= UInt64(byte) << UInt64(8 * count)
            count += 1
        }

        mutating func put(varint number: Int) {
            var rest = number
            while rest >= 0x80 {
                put(UInt8(rest & 0x7F | 0x80))
                rest >>= 7
            }
            put(UInt8(rest))
        }
    }

    /// Returns a copy with `spare` bytes of no meaning after the end.
    static func copy(
        of bytes: [UInt8], _ range: Range<Int>, behind head: Head = Head(), spare: Int = 0
    ) -> [UInt8] {
        let count = head.count + range.count + spare
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { out, initialized in
            for index in 0..<head.count {
                unsafe out[index] = UInt8(truncatingIfNeeded: head.bytes >> UInt64(8 * index))
            }
            unsafe bytes.withUnsafeBufferPointer { from in
                guard let to = out.baseAddress, let from = from.baseAddress else { return }
                unsafe (to + head.count).initialize(from: from + range.lowerBound, count: range.count)
                unsafe (to + head.count + range.count).initialize(repeating: 0xA5, count: spare)
            }
            initialized = count
        }
    }
}

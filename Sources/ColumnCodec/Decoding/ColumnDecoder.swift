// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// Decodes columns. Any bytes yield values or an error, never a trap; memory is bounded by the count.
package struct ColumnDecoder: Sendable {
    /// Scratch arrays: integers of a column of reals, entries of a dictionary, lengths of runs.
    var integers: [Int64] = []
    var entries: [Int64] = []
    var realEntries: [Double] = []
    var codes: [UInt64] = []
    /// Scratch arrays for encodings that cannot decode directly into the caller's span.
    var stagedIntegers: [Int64] = []
    var stagedReals: [Double] = []
    /// A decompressed payload, or the copy of a payload without spare bytes.
    private(set) var plain: [UInt8] = []

    package init() {}

    /// The frame of a column.
    struct Frame {
        var encoding: UInt8
        var lz4: Bool
        /// The bytes of the stored payload.
        var payload: Range<Int>
        /// Length before compression, in bytes.
        var plain: Int
    }

    /// Decodes the column of `count` integers that starts at `at` and ends at or before `end` into the first elements
    /// of `out`, and returns the offset after it.
    ///
    /// A payload without 64 spare bytes after `end` is copied first.
    /// - Requires: `out.count >= count + 64`; an error is thrown otherwise.
    /// - Throws: `ByteError`. Its offset is in `bytes`; for an error in a compressed payload, it is the payload's.
    package mutating func integers(
        _ bytes: [UInt8], at: Int, end: Int, count: Int, into out: inout [Int64]
    ) throws(ByteError) -> Int {
        guard out.count - Encoding.spare >= count else { throw Self.tooMany(count, at) }
        var span = out.mutableSpan
        return try integers(bytes, at: at, end: end, count: count, into: &span).end
    }

    /// Decodes a column of `count` doubles; otherwise like `integers`.
    package mutating func reals(
        _ bytes: [UInt8], at: Int, end: Int, count: Int, into out: inout [Double]
    ) throws(ByteError) -> Int {
        guard out.count - Encoding.spare >= count else { throw Self.tooMany(count, at) }
        var span = out.mutableSpan
        return try reals(bytes, at: at, end: end, count: count, into: &span).end
    }

    /// Returns the offset after the column that starts at `at`, without decoding it.
    package static func skip(_ bytes: [UInt8], at: Int, end: Int) throws(ByteError) -> Int {
        try frame(bytes, at: at, end: end, count: Encoding.maximumCount, room: .max).payload.upperBound
    }

    private static func tooMany(_ count: Int, _ at: Int) -> ByteError {
        ByteError(offset: at, what: "\(count) values exceed the limit of a column or its output")
    }

    /// Decodes and checks the frame of a column.
    static func frame(
        _ bytes: [UInt8], at: Int, end: Int, count: Int, room: Int
    ) throws(ByteError) -> Frame {
        guard at >= 0, at <= end, end <= bytes.count else {
            throw ByteError(offset: at, what: "the column is outside of the bytes")
        }
        guard count >= 0, count <= Encoding.maximumCount, room >= count else {
            throw tooMany(count, at)
        }
        var reader = ByteReader(bytes, at: at, end: end)
        let encoding = try reader.u8()
        let flags = try reader.u8()
        guard flags & ~Encoding.lz4Flag == 0 else { throw ByteError(offset: at + 1, what: "unknown flags") }
        let stored = try reader.varint()
        let lz4 = flags & Encoding.lz4Flag != 0
        let plain = lz4 ? try reader.varint() : stored
        guard stored <= UInt64(reader.remaining) else {
            throw ByteError(offset: reader.offset, what: "payload runs past the end")
        }
        guard plain <= UInt64(Encoding.maximumPayload(count)) else {
            throw ByteError(offset: reader.offset, what: "payload of \(plain) bytes is too long")
        }
        let payload = reader.offset..<(reader.offset + Int(stored))
        return Frame(encoding: encoding, lz4: lz4, payload: payload, plain: Int(plain))
    }

    /// Copies or decompresses the payload into `plain` if it is compressed or lacks spare bytes; returns whether it
    /// did.
    mutating func unpackPayload(_ bytes: [UInt8], _ frame: Frame) throws(ByteError) -> Bool {
        if !frame.lz4, bytes.count - frame.payload.upperBound >= Encoding.spare { return false }
        if plain.count < frame.plain + Encoding.spare {
            plain = [UInt8](repeating: 0, count: frame.plain + 1024)
        }
        if !frame.lz4 {
            ColumnKernels.load(bytes, frame.payload, into: &plain)
        } else if !LZ4.decompress(bytes, frame.payload, into: &plain, count: frame.plain) {
            throw ByteError(offset: frame.payload.lowerBound, what: "LZ4 block is damaged")
        }
        return true
    }
}

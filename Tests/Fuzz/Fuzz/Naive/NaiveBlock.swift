// SPDX-License-Identifier: Apache-2.0

/// The samples of a block as defined by `Docs/Format/Block.md`, without the checksum.
struct NaiveBlock: Equatable {
    var starts: [Int64] = []
    var ends: [Int64] = []
    /// The bits of the values.
    var values: [UInt64] = []
    /// created, provenance, metadata, identityHigh, identityLow, born; nil where the block has none.
    var sides: [[Int64]?] = []

    /// Decodes the fixed fields and then each column.
    ///
    /// Returns nil if a column is in LZ4 that the naive decoder refuses.
    init?(_ bytes: [UInt8], series: UInt64) throws {
        var reader = NaiveReader(bytes, at: 0, end: bytes.count - 4)
        guard try reader.byte() == 0xB1 else { throw Refused("kind") }
        let flags = try reader.byte()
        let count = Int(try reader.number(2))
        let length = try reader.number(4)
        guard try reader.number(8) == series, length == UInt64(bytes.count), length <= 262_144 else {
            throw Refused("series or length")
        }
        let bits = try reader.number(2)
        _ = try reader.byte()
        let forms = (0..<8).map { Int(bits >> UInt64(2 * $0) & 3) }
        let byGap = flags & 1 == 1
        let base = flags >> 1
        guard (1...6144).contains(count), flags < 8, base < 3, length >= 25, forms[0] != 0,
            (forms[5] == 0) == (forms[6] == 0), !byGap || (forms[1] != 0 && count > 1),
            base == 0 || (forms[2] != 0 && (base == 1 || forms[1] != 0))
        else { throw Refused("count, flags or forms") }

        guard let starts = try Self.column(&reader, forms[0], count) else { return nil }
        self.starts = starts
        guard zip(starts, starts.dropFirst()).allSatisfy({ $0 <= $1 }) else { throw Refused("starts descend") }
        guard let ends = try Self.ends(&reader, forms[1], byGap, starts) else { return nil }
        self.ends = ends
        guard zip(starts, ends).allSatisfy({ $0 <= $1 }) else { throw Refused("an end before its start") }
        guard let values = try Self.coded(&reader, count, NaiveColumn.reals) else { return nil }
        self.values = values
        guard values.allSatisfy({ Double(bitPattern: $0).isFinite }) else { throw Refused("not finite") }
        for number in 2..<8 {
            if forms[number] == 0 {
                sides.append(nil)
                continue
            }
            guard var side = try Self.column(&reader, forms[number], count) else { return nil }
            if number == 2, base > 0 {
                for (index, origin) in (base == 1 ? starts : ends).enumerated() { side[index] &+= origin }
            }
            sides.append(side)
        }
        guard reader.left == 0 else { throw Refused("bytes after the last column") }
    }

    private static func ends(
        _ reader: inout NaiveReader, _ form: Int, _ byGap: Bool, _ starts: [Int64]
    ) throws -> [Int64]? {
        if form == 0 { return starts }
        if !byGap {
            guard let durations = try column(&reader, form, starts.count) else { return nil }
            return zip(starts, durations).map { $0 &+ $1 }
        }
        let last = try reader.zigzag()
        guard let gaps = try column(&reader, form, starts.count - 1) else { return nil }
        return zip(starts.dropFirst(), gaps).map { $0 &+ $1 } + [starts[starts.count - 1] &+ last]
    }

    /// Decodes an integer column of any form but absent.
    private static func column(_ reader: inout NaiveReader, _ form: Int, _ count: Int) throws -> [Int64]? {
        if form == 3 { return try coded(&reader, count, NaiveColumn.integers) }
        let first = try reader.zigzag()
        return (0..<count).map { form == 1 ? first : first &+ Int64($0) }
    }

    private static func coded<T>(
        _ reader: inout NaiveReader, _ count: Int, _ decode: (UInt8, inout NaiveReader, Int) throws -> [T]
    ) throws -> [T]? {
        let frame = try NaiveColumn.frame(reader.bytes, at: reader.at, end: reader.end, count: count)
        guard var payload = NaiveColumn.payload(reader.bytes, frame) else { return nil }
        let values = try decode(frame.encoding, &payload, count)
        guard payload.left == 0 else { throw Refused("bytes left over") }
        reader.at = frame.payload.upperBound
        return values
    }
}

// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec

/// The position and storage of one column of a block, for inspection; its values are not decoded.
package struct ColumnPlace: Sendable, Equatable {
    /// The name on the format page.
    package let name: String
    /// Nil for the value column.
    package let column: IntegerColumn?
    package let form: ColumnForm
    /// The bytes of the column, as offsets in the array.
    package let range: Range<Int>
    /// The bytes of the encoded column, if its form is `coded`.
    package let coded: Range<Int>?
    /// Number of stored values: one less than the samples if ends are stored relative to the next start.
    package let count: Int
    /// The number stored by the forms `constant` and `sequence`.
    package let number: Int64?
    /// The last sample's duration and its bytes, if ends are stored relative to the next start.
    package let lastDuration: (range: Range<Int>, nanoseconds: Int64)?

    package static func == (a: ColumnPlace, b: ColumnPlace) -> Bool { a.name == b.name && a.range == b.range }
}

package struct BlockAnatomy: Sendable {
    package let header: BlockHeader
    /// The columns of the block, in the order on disk.
    package let columns: [ColumnPlace]

    /// Finds the parts of the block at `at`. Checks the rules of the header, but not the checksum.
    package init(_ bytes: [UInt8], at: Int) throws(FormatError) {
        header = try BlockHeader.decode(bytes, at: at, end: bytes.count)
        let end = at + header.length - SegmentFormat.trailerBytes
        var walker = Walker(
            bytes: bytes, header: header, reader: ByteReader(bytes, at: at + BlockHeader.size, end: end))
        columns = try walker.columns()
        guard walker.reader.remaining == 0 else {
            throw FormatError(.malformed, at: UInt64(walker.reader.offset), "bytes after the last column")
        }
    }

    private struct Walker {
        let bytes: [UInt8]
        let header: BlockHeader
        var reader: ByteReader

        mutating func columns() throws(FormatError) -> [ColumnPlace] {
            var list: [ColumnPlace] = []
            for column in IntegerColumn.allCases {
                if let place = try integers(column) { list.append(place) }
                if column == .end { list.append(try value()) }
            }
            return list
        }

        private mutating func value() throws(FormatError) -> ColumnPlace {
            let start = reader.offset
            try skipCoded()
            let range = start..<reader.offset
            return ColumnPlace(
                name: "value", column: nil, form: .coded, range: range, coded: range, count: header.count, number: nil,
                lastDuration: nil)
        }

        private mutating func integers(_ column: IntegerColumn) throws(FormatError) -> ColumnPlace? {
            let form = header.form(of: column)
            if form == .absent { return nil }
            let start = reader.offset
            var last: (range: Range<Int>, nanoseconds: Int64)?
            if column == .end, header.endFromNextStart {
                let number = try zigzag()
                last = (start..<reader.offset, number)
            }
            let body = reader.offset
            var number: Int64?
            if form == .coded { try skipCoded() } else { number = try zigzag() }
            return ColumnPlace(
                name: column.name, column: column, form: form, range: start..<reader.offset,
                coded: form == .coded ? body..<reader.offset : nil, count: header.count - (last == nil ? 0 : 1),
                number: number, lastDuration: last)
        }

        private mutating func zigzag() throws(FormatError) -> Int64 {
            do { return try reader.zigzag() } catch { throw FormatError(error) }
        }

        private mutating func skipCoded() throws(FormatError) {
            do {
                reader.offset = try ColumnDecoder.skip(bytes, at: reader.offset, end: reader.end)
            } catch { throw FormatError(error) }
        }
    }
}

extension ColumnPlace {
    /// Returns a description of the column's storage: encoding, base, LZ4.
    ///
    /// - Parameter bytes: the array that contains the column.
    package func encodingName(_ bytes: [UInt8], _ header: BlockHeader) -> String {
        var name: String
        switch form {
        case .absent: name = "absent"
        case .constant: name = "one value"
        case .sequence: name = "counter"
        case .coded:
            guard let coded, coded.count >= 2, coded.upperBound <= bytes.count else { return "?" }
            name = Encoding.name(bytes[coded.lowerBound])
            if bytes[coded.lowerBound + 1] & Encoding.lz4Flag != 0 { name += "+lz4" }
        }
        if column == .end { name += header.endFromNextStart ? " from next start" : " from start" }
        if column == .created {
            switch header.createdBase {
            case .absolute: break
            case .start: name += " from start"
            case .end: name += " from end"
            }
        }
        return name
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// Encodes and verifies the units of one attached file. `Docs/Format/AttachedFile.md` describes the bytes; a test
/// compares its field table with the fields here.
///
/// The checksum of a unit includes the store, the file and the number of the unit, so that misplaced units are refused.
package struct AttachedUnit {
    /// The number of content bytes of every unit but the last one, which may have fewer.
    package static let contentBytes = 65_536
    /// The size of the trailer after the content, in bytes.
    package static let trailerBytes = 36

    static let file = Field("file", at: 0, size: 16)
    static let number = Field("number", at: 16, size: 8)
    static let length = Field("length", at: 24, size: 4)
    static let last = Field("last", at: 28, size: 4)
    static let checksum = Field("checksum", at: 32, size: 4)
    /// The fields of the trailer.
    package static let fields = [file, number, length, last, checksum]

    private let store: [UInt8]
    private let file: [UInt8]
    private var seal = Seal()

    /// - Parameters:
    ///   - store: the store's id, 16 bytes.
    ///   - file: the file's identity, 16 bytes.
    package init(store: [UInt8], file: [UInt8]) {
        self.store = store
        self.file = file
    }

    /// Returns the number of units of a file with a number of content bytes: an empty file has one unit.
    package static func count(content: Int64) -> Int64 {
        max(1, (max(0, content) + Int64(contentBytes) - 1) / Int64(contentBytes))
    }

    /// Returns the length of the file with a number of content bytes.
    package static func fileBytes(content: Int64) -> UInt64 {
        UInt64(max(0, content) + count(content: content) * Int64(trailerBytes))
    }

    /// Returns the number of content bytes of a file with a length; nil if no file has this length.
    package static func content(fileBytes: UInt64) -> Int64? {
        let unit = UInt64(contentBytes + trailerBytes)
        guard fileBytes < 1 << 50, fileBytes >= trailerBytes else { return nil }
        let content = Int64(fileBytes) - Int64((fileBytes + unit - 1) / unit) * Int64(trailerBytes)
        return self.fileBytes(content: content) == fileBytes ? content : nil
    }

    private func identity(_ number: UInt64) -> BlockIdentity {
        BlockIdentity(store: store, segment: file, series: 0, position: number)
    }

    /// Appends the trailer of the unit whose content starts at `start` of the writer.
    package mutating func close(
        _ writer: inout ByteWriter, from start: Int, number: UInt64, isLast: Bool
    ) throws(FormatError) {
        let length = UInt32(truncatingIfNeeded: writer.count - start)
        writer.put(bytes: file)
        writer.put(number)
        writer.put(length)
        writer.put(UInt32(isLast ? 1 : 0))
        try seal.close(&writer, from: start, of: identity(number))
    }

    /// Verifies the unit `bytes[range]`.
    ///
    /// - Requires: the range lies inside `bytes`, and is not shorter than a trailer.
    /// - Returns: the range of the content.
    package mutating func verify(
        _ bytes: [UInt8], _ range: Range<Int>, number: UInt64, isLast: Bool
    ) throws(FormatError) -> Range<Int> {
        try seal.verify(
            bytes, at: range.lowerBound, length: range.count, of: identity(number), "unit of an attached file")
        let trailer = range.upperBound - Self.trailerBytes
        func word(_ field: Field) -> UInt32 { load32(bytes, trailer + field.offset) }
        let isConsistent =
            bytes[Self.file.range(from: trailer)] == file[...]
            && word(Self.number) == UInt32(truncatingIfNeeded: number)
            && Int(word(Self.length)) == range.count - Self.trailerBytes && word(Self.last) == (isLast ? 1 : 0)
        guard isConsistent else {
            throw FormatError(.malformed, at: UInt64(range.lowerBound), "the trailer of unit \(number) is inconsistent")
        }
        return range.lowerBound..<trailer
    }
}

// SPDX-License-Identifier: Apache-2.0

package import ChunkFormat
import TimeIndex

/// Reads units of a segment whose whole file is in memory, and opens those of an encrypted segment.
package struct SegmentUnits {
    private let bytes: [UInt8]
    private let store: [UInt8]
    private let segment: [UInt8]
    /// The key of the segment; nil for a plain one.
    private let key: SegmentKey?
    private var opener = UnitOpener()
    private var decoder = BlockDecoder()

    /// - Parameter bytes: the bytes of the file.
    package init(_ bytes: [UInt8], store: [UInt8], segment: [UInt8], key: SegmentKey?) {
        self.bytes = bytes
        self.store = store
        self.segment = segment
        self.key = key
        decoder.isVerifying = key == nil
    }

    private func identity(_ series: UInt64, _ offset: UInt64) -> BlockIdentity {
        BlockIdentity(store: store, segment: segment, series: series, position: offset)
    }

    /// Returns an opened copy of an encrypted unit, with the length of the plain unit.
    private mutating func opened(
        _ offset: UInt64, _ length: Int, _ key: SegmentKey, _ unit: StaticString
    ) throws(FormatError) -> ([UInt8], Int) {
        guard length >= 0, offset <= UInt64(bytes.count), length <= bytes.count - Int(offset) else {
            throw FormatError(.truncated, at: offset, "the file ends before the unit does")
        }
        var copy = Array(bytes[Int(offset)..<Int(offset) + length])
        let plain = try opener.open(&copy, at: 0, length: length, of: identity(0, offset), key: key, unit)
        return (copy, plain)
    }

    /// Decodes the block at an offset into a buffer. Returns its series.
    package mutating func block(at offset: UInt64, length: Int, into buffer: BlockBuffer) throws(FormatError) -> UInt64
    {
        guard let key else {
            let series = try BlockHeader.decode(bytes, at: Int(offset), end: Int(offset) + length).series
            try decoder.decode(
                bytes, at: Int(offset), length: length, identity: identity(series, offset), columns: .all, into: buffer)
            return series
        }
        let (unit, plain) = try opened(offset, length, key, "block")
        let series = try BlockHeader.decode(unit, at: 0, end: plain).series
        try decoder.decode(
            unit, at: 0, length: plain, identity: identity(series, offset), columns: .all, into: buffer)
        return series
    }

    /// Decodes the index page of a series at an offset.
    mutating func page(
        of series: UInt64, at offset: UInt64, length: UInt32, level: UInt8
    ) throws(IndexError) -> IndexPage {
        guard offset <= UInt64(bytes.count), UInt64(length) <= UInt64(bytes.count) - offset else {
            throw IndexError(.truncated, at: offset, "the file ends before the page does")
        }
        let owner = IndexIdentity(store: store, segment: segment, series: series)
        guard let key else {
            return try IndexPage.decode(
                bytes, at: Int(offset), length: Int(length), identity: owner, position: offset, level: level)
        }
        let unit: ([UInt8], Int)
        do throws(FormatError) { unit = try opened(offset, Int(length), key, "page") } catch {
            throw IndexError(error.kind == .forged ? .forged : .checksum, at: offset, error.what)
        }
        return try IndexPage.decode(opened: unit.0, length: unit.1, identity: owner, position: offset, level: level)
    }
}

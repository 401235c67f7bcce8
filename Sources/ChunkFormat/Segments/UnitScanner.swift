// SPDX-License-Identifier: Apache-2.0

import Bytes

/// A unit found in the bytes of a segment.
package struct FoundUnit: Sendable, Equatable {
    package let kind: UnitKind
    /// Offset in the file.
    package let offset: UInt64
    /// Size in bytes, including the trailer.
    package let length: Int
    /// The series of the unit; 0 for directory and footer.
    package let series: UInt64
    package let stored: UInt32
    package let computed: UInt32
    /// Whether the stored and the computed checksum are equal.
    package var isIntact: Bool { stored == computed }
}

/// Finds units in the bytes of a damaged segment, for inspection and repair only.
///
/// The scanner moves from unit to unit. Where no intact unit begins, it tries every following byte until kind, length
/// and checksum match; the skipped bytes are recorded as damage.
package struct UnitScanner {
    private let bytes: [UInt8]
    private let end: Int
    private let store: [UInt8]
    private let segment: [UInt8]
    private let isEncrypted: Bool
    private var unitChecksum = UnitChecksum()
    private var position: Int
    /// Bytes that may still be checksummed without success; bounds the scan of a file crafted to resemble units
    /// everywhere.
    private var patience: Int
    /// Ranges without an intact unit, in order.
    package private(set) var damage: [Range<Int>] = []

    /// Scans `bytes[from..<end]` of a file.
    ///
    /// - Parameters:
    ///   - store: the store's id.
    ///   - segment: the segment's id.
    package init(_ bytes: [UInt8], from: Int = SegmentHeader.size, end: Int? = nil, store: [UInt8], segment: [UInt8]) {
        self.init(
            bytes, from: from, end: end,
            SegmentHeader(store: store, segment: segment, commit: 0))
    }

    /// Scans the bytes of a file after its header. Units of an encrypted segment are found without a key; they have the
    /// series 0.
    ///
    /// - Parameter end: the end of the file; nil for the end of the bytes.
    package init(_ bytes: [UInt8], header: SegmentHeader, end: Int? = nil) {
        self.init(bytes, from: header.length, end: end, header)
    }

    private init(_ bytes: [UInt8], from: Int, end: Int?, _ header: SegmentHeader) {
        self.bytes = bytes
        self.end = max(0, min(end ?? bytes.count, bytes.count))
        store = header.store
        segment = header.segment
        isEncrypted = header.encryption != nil
        position = max(0, min(from, self.end))
        patience = (64 << 20) + self.end * 64
    }

    /// Returns the next intact unit; nil at the end.
    package mutating func next() -> FoundUnit? {
        let start = position
        while position < end, patience > 0 {
            if let unit = unit(at: position) {
                if unit.isIntact {
                    note(start..<position)
                    position += unit.length
                    return unit
                }
                patience -= unit.length
            }
            position += 1
        }
        position = end
        note(start..<end)
        return nil
    }

    /// Returns the unit at an offset, intact or not; nil if kind, length or header fields are invalid.
    package mutating func unit(at offset: Int) -> FoundUnit? {
        guard offset >= 0, offset < end, let kind = UnitKind(rawValue: bytes[offset]) else { return nil }
        guard let (length, series) = shape(kind, at: offset), length <= end - offset else { return nil }
        let identity = BlockIdentity(store: store, segment: segment, series: series, position: UInt64(offset))
        let last = offset + length - SegmentFormat.trailerBytes
        guard let computed = unitChecksum.checksum(bytes, offset..<last, of: identity) else { return nil }
        return FoundUnit(
            kind: kind, offset: UInt64(offset), length: length, series: series, stored: load32(bytes, last),
            computed: computed)
    }

    /// Returns the length and series of a unit if its fixed fields are within their limits.
    private func shape(_ kind: UnitKind, at offset: Int) -> (Int, UInt64)? {
        guard end - offset >= 20 else { return nil }
        let length = Int(load32(bytes, offset + 4))
        if isEncrypted { return encryptedShape(kind, length) }
        switch kind {
        case .block:
            guard let header = try? BlockHeader.decode(bytes, at: offset, end: end) else { return nil }
            return (header.length, header.series)
        case .indexPage:
            return length >= 20 && length <= SegmentFormat.maximumPageBytes ? (length, load64(bytes, offset + 8)) : nil
        case .directory:
            return length >= 20 && load32(bytes, offset) >> 8 == 0 ? (length, 0) : nil
        case .footer:
            return length == SegmentFooter.size ? (length, 0) : nil
        }
    }

    /// Returns the length of an encrypted unit if it is within its limits; the other fields are not readable.
    private func encryptedShape(_ kind: UnitKind, _ length: Int) -> (Int, UInt64)? {
        let isPossible =
            switch kind {
            case .block:
                length >= BlockHeader.minimumBlockBytes + EncryptedUnit.tagBytes
                    && length <= SegmentFormat.maximumBlockBytes
            case .indexPage: length >= EncryptedUnit.minimumBytes && length <= SegmentFormat.maximumPageBytes
            case .directory: length >= EncryptedUnit.minimumBytes
            case .footer: length == SegmentFooter.encryptedSize
            }
        return isPossible ? (length, 0) : nil
    }

    private mutating func note(_ range: Range<Int>) {
        if !range.isEmpty { damage.append(range) }
    }
}

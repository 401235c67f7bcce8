// SPDX-License-Identifier: Apache-2.0

/// The integer columns of a block in their order on disk; the raw value is the index of their form bits.
@usableFromInline
package enum IntegerColumn: Int, Sendable, CaseIterable {
    case start = 0
    case end = 1
    case created = 2
    case provenance = 3
    case metadata = 4
    case identityHigh = 5
    case identityLow = 6
    case born = 7

    /// The name on the format page and in a dump.
    package var name: String { Self.names[rawValue] }

    private static let names = [
        "start", "end", "created", "provenance", "metadata", "identityHigh", "identityLow", "born",
    ]
}

/// The storage form of an integer column in a block: two bits in the header.
package enum ColumnForm: UInt16, Sendable {
    case absent = 0
    case constant = 1
    case sequence = 2
    case coded = 3
}

/// The base that stored creation times are relative to.
package enum CreatedBase: UInt8, Sendable {
    case absolute = 0
    case start = 1
    case end = 2
}

/// The fixed part of a block, as `Docs/Format/Block.md` lists it byte by byte.
package struct BlockHeader: Sendable, Equatable {
    static let kind = Field("kind", at: 0, size: 1)
    static let flags = Field("flags", at: 1, size: 1)
    static let count = Field("count", at: 2, size: 2)
    static let length = Field("length", at: 4, size: 4)
    static let series = Field("series", at: 8, size: 8)
    static let forms = Field("forms", at: 16, size: 2)
    static let grid = Field("grid", at: 18, size: 1)

    /// The fields in order.
    package static let fields = [kind, flags, count, length, series, forms, grid]
    /// Bytes before the first column.
    package static let size = 19
    /// Size of the smallest possible block in bytes: header, two columns of one byte, trailer.
    package static let minimumBlockBytes = size + 2 + SegmentFormat.trailerBytes

    static let endFromNextStartBit: UInt8 = 0b001
    static let createdBaseShift: UInt8 = 1
    static let knownFlags: UInt8 = 0b111

    /// Number of samples, 1 to 6,144.
    package var count: Int
    /// Size of the block in bytes, including the trailer.
    package var length: Int
    package var series: UInt64
    /// Whether ends are stored as differences from the next start.
    package var endFromNextStart: Bool
    /// The base that creation times are relative to.
    package var createdBase: CreatedBase
    /// Two bits for each integer column.
    package var forms: UInt16
    /// The stored grid byte; unknown numbers are allowed.
    package var grid: UInt8

    @inline(__always)
    package func form(of column: IntegerColumn) -> ColumnForm {
        switch forms >> UInt16(column.rawValue * 2) & 3 {
        case 0: .absent
        case 1: .constant
        case 2: .sequence
        default: .coded
        }
    }

    mutating func setForm(_ form: ColumnForm, of column: IntegerColumn) {
        let shift = UInt16(column.rawValue * 2)
        forms = forms & ~(3 << shift) | form.rawValue << shift
    }

    var flagByte: UInt8 {
        (endFromNextStart ? Self.endFromNextStartBit : 0) | createdBase.rawValue << Self.createdBaseShift
    }

    /// Decodes the fixed part of a block that starts at `at` and ends at or before `end`.
    ///
    /// Checks structure and limits, but not the checksum. Errors contain offsets in `bytes`.
    package static func decode(_ bytes: [UInt8], at: Int, end: Int) throws(FormatError) -> BlockHeader {
        guard at >= 0, end <= bytes.count, at <= end, end - at >= minimumBlockBytes else {
            throw FormatError(.truncated, at: UInt64(max(at, 0)), "a block has at least \(minimumBlockBytes) bytes")
        }
        let here = UInt64(at)
        guard bytes[at] == UnitKind.block.rawValue else {
            throw FormatError(.malformed, at: here, "kind \(bytes[at]) is not a block")
        }
        let flags = bytes[at + 1]
        let base = CreatedBase(rawValue: (flags & knownFlags) >> createdBaseShift)
        guard flags & ~knownFlags == 0, let base else {
            throw FormatError(.malformed, at: here + 1, "unknown flags \(flags)")
        }
        let header = BlockHeader(
            count: Int(load16(bytes, at + 2)), length: Int(load32(bytes, at + 4)), series: load64(bytes, at + 8),
            endFromNextStart: flags & endFromNextStartBit != 0, createdBase: base, forms: load16(bytes, at + 16),
            grid: bytes[at + 18])
        guard header.count >= 1, header.count <= SegmentFormat.maximumSamples else {
            throw FormatError(.malformed, at: here + 2, "\(header.count) samples")
        }
        guard header.length >= minimumBlockBytes, header.length <= SegmentFormat.maximumBlockBytes else {
            throw FormatError(.malformed, at: here + 4, "a length of \(header.length) bytes")
        }
        guard header.length <= end - at else {
            throw FormatError(.truncated, at: here + 4, "\(header.length) bytes, but only \(end - at) exist")
        }
        try header.checkForms(at: here)
        return header
    }

    /// Checks the rules that relate forms and flags.
    private func checkForms(at here: UInt64) throws(FormatError) {
        guard form(of: .start) != .absent else {
            throw FormatError(.malformed, at: here + 16, "no start column")
        }
        guard (form(of: .identityHigh) == .absent) == (form(of: .identityLow) == .absent) else {
            throw FormatError(.malformed, at: here + 16, "half an identity")
        }
        if endFromNextStart, form(of: .end) == .absent || count < 2 {
            throw FormatError(.malformed, at: here + 1, "ends relative to the next start, but there is no such column")
        }
        let base = createdBase
        if base != .absolute, form(of: .created) == .absent || (base == .end && form(of: .end) == .absent) {
            throw FormatError(.malformed, at: here + 1, "creation times relative to an absent column")
        }
    }
}

// Little-endian loads. Callers check the bounds once; array accesses check them again.

@inline(__always)
func load16(_ bytes: [UInt8], _ at: Int) -> UInt16 { UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8 }

@inline(__always)
func load32(_ bytes: [UInt8], _ at: Int) -> UInt32 { UInt32(load16(bytes, at)) | UInt32(load16(bytes, at + 2)) << 16 }

@inline(__always)
func load64(_ bytes: [UInt8], _ at: Int) -> UInt64 { UInt64(load32(bytes, at)) | UInt64(load32(bytes, at + 4)) << 32 }

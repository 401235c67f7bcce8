// SPDX-License-Identifier: Apache-2.0

/// The columns of a block that a reader asks for.
@usableFromInline
package struct ColumnSet: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt16
    @inlinable
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    // Computed properties: a set is then a constant in the caller's code, without a call for each element.
    @inlinable package static var starts: ColumnSet { ColumnSet(rawValue: 1 << 0) }
    @inlinable package static var ends: ColumnSet { ColumnSet(rawValue: 1 << 1) }
    @inlinable package static var values: ColumnSet { ColumnSet(rawValue: 1 << 2) }
    @inlinable package static var created: ColumnSet { ColumnSet(rawValue: 1 << 3) }
    @inlinable package static var provenance: ColumnSet { ColumnSet(rawValue: 1 << 4) }
    @inlinable package static var metadata: ColumnSet { ColumnSet(rawValue: 1 << 5) }
    /// Both halves of the UUID.
    @inlinable package static var identity: ColumnSet { ColumnSet(rawValue: 1 << 6) }
    @inlinable package static var born: ColumnSet { ColumnSet(rawValue: 1 << 7) }
    /// All columns except starts, ends and values.
    @inlinable package static var sides: ColumnSet { ColumnSet(rawValue: 0xF8) }
    @inlinable package static var all: ColumnSet { ColumnSet(rawValue: 0xFF) }
}

/// The samples of one block, decoded or to be encoded. One buffer is reused for many blocks.
///
/// The arrays are longer than `count`; elements after the samples are undefined. Not thread-safe.
@usableFromInline
package final class BlockBuffer {
    /// Number of samples for which a new buffer has room; `reserve` makes room for more.
    package static let capacity = SegmentFormat.usualSamples
    /// Length of the arrays of a new buffer.
    package static let arrayLength = length(for: capacity)

    /// Returns the length of the arrays for a number of samples: decoders may write up to 64 elements after the last
    /// sample.
    package static func length(for count: Int) -> Int { count + 64 }

    /// Number of samples, at most `SegmentFormat.maximumSamples`.
    @usableFromInline package var count = 0
    /// Starts, ns since 1970 UTC, in ascending order (repeats allowed).
    @usableFromInline package var starts: [Int64]
    /// Ends, ns since 1970 UTC, never before their starts. Valid only if `hasEnds`.
    @usableFromInline package var ends: [Int64]
    /// False if every sample is a point, whose end is its start.
    @usableFromInline package var hasEnds = false
    /// Values, finite and bit-exact.
    @usableFromInline package var values: [Double]
    /// Creation times, ns since 1970 UTC.
    @usableFromInline package var created = IntColumn.absent
    /// Ids of interned source, version and device.
    @usableFromInline package var provenance = IntColumn.absent
    /// Ids of interned metadata sets; 0 for none.
    @usableFromInline package var metadata = IntColumn.absent
    /// First eight bytes of the UUIDs as big-endian numbers.
    @usableFromInline package var identityHigh = IntColumn.absent
    /// Last eight bytes of the UUIDs as big-endian numbers.
    @usableFromInline package var identityLow = IntColumn.absent
    /// Sequence numbers of the commits that made the samples visible.
    @usableFromInline package var born = IntColumn.absent
    /// The grid on which the block was cut.
    package var grid = CutGrid.none
    /// The columns that the last decoding filled: the requested columns and their dependencies.
    package var decoded: ColumnSet = []

    package init() {
        starts = [Int64](repeating: 0, count: Self.arrayLength)
        ends = [Int64](repeating: 0, count: Self.arrayLength)
        values = [Double](repeating: 0, count: Self.arrayLength)
    }

    /// Makes room for a number of samples. The arrays lose their content if they are too short.
    package func reserve(_ count: Int) {
        let length = Self.length(for: count)
        if starts.count >= length { return }
        starts = [Int64](repeating: 0, count: length)
        ends = starts
        values = [Double](repeating: 0, count: length)
    }

    /// Empties the buffer for the next block and keeps its arrays.
    package func reset() {
        count = 0
        hasEnds = false
        created = .absent
        provenance = .absent
        metadata = .absent
        identityHigh = .absent
        identityLow = .absent
        born = .absent
        grid = .none
        decoded = []
    }

    /// Returns the end of sample `index`: its start if all samples are points.
    @inlinable
    package func end(at index: Int) -> Int64 { hasEnds ? ends[index] : starts[index] }

    /// Returns the value of an integer column for sample `index`; nil if the column is absent.
    @inlinable
    package func value(of column: IntegerColumn, at index: Int) -> Int64? {
        switch column {
        case .start: starts[index]
        case .end: end(at: index)
        case .created: created.value(at: index)
        case .provenance: provenance.value(at: index)
        case .metadata: metadata.value(at: index)
        case .identityHigh: identityHigh.value(at: index)
        case .identityLow: identityLow.value(at: index)
        case .born: born.value(at: index)
        }
    }
}

/// The grid on which a block was cut, in the order of its step. No result of a reader depends on it. A writer that
/// merges blocks cut by count cuts the result by count.
package enum CutGrid: UInt8, Sendable {
    case none = 0
    case quarterHours = 1
    case hours = 2
    case quarterDays = 3
    case days = 4
    /// By count only, because statistics of hours and days are not needed.
    case count = 5
}

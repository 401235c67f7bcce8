// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec
import Kernels

/// One pass over the columns of a block.
///
/// - Requires: the block's checksum has been verified.
struct BlockBody {
    let header: BlockHeader
    /// The position of the next column; ends before the trailer.
    var reader: ByteReader

    init(_ header: BlockHeader, _ bytes: [UInt8], at: Int) {
        self.header = header
        reader = ByteReader(bytes, at: at + BlockHeader.size, end: at + header.length - SegmentFormat.trailerBytes)
    }

    /// Decodes the requested columns and those they depend on; stops after the last column needed.
    mutating func decode(
        _ bytes: [UInt8], _ asked: ColumnSet, _ buffer: BlockBuffer, _ codec: inout ColumnDecoder,
        _ spare: inout SpareArrays
    ) throws(FormatError) {
        let wanted = closure(of: asked)
        buffer.reserve(header.count)
        buffer.hasEnds = header.form(of: .end) != .absent
        buffer.grid = CutGrid(rawValue: header.grid) ?? .none
        if wanted.contains(.starts) {
            try starts(bytes, &buffer.starts, &codec)
        } else {
            try skip(.start, bytes)
        }
        if wanted.contains(.ends) { try ends(bytes, buffer, &codec) } else { try skipEnds(bytes) }
        if wanted.contains(.values) {
            try values(bytes, &buffer.values, &codec)
        } else if !wanted.isDisjoint(with: .sides) {
            try skipCoded(bytes)
        }
        let last = try sideColumns(bytes, wanted, buffer, &codec, &spare)
        if last, reader.remaining != 0 { throw error("\(reader.remaining) bytes after the last column") }
        buffer.decoded = wanted
    }

    /// Returns the requested columns and the columns that they are stored relative to.
    private func closure(of asked: ColumnSet) -> ColumnSet {
        var wanted = asked
        if wanted.contains(.created) {
            if header.createdBase == .end { wanted.formUnion([.ends, .starts]) }
            if header.createdBase == .start { wanted.insert(.starts) }
        }
        if wanted.contains(.ends) { wanted.insert(.starts) }
        return wanted
    }

    private func error(_ what: String) -> FormatError { FormatError(.malformed, at: UInt64(reader.offset), what) }

    // MARK: start, end, value

    /// Decodes only starts and values; the spans have at least one element for each sample.
    mutating func samples(
        _ bytes: [UInt8], _ startSpan: inout MutableSpan<Int64>, _ valueSpan: inout MutableSpan<Double>,
        _ codec: inout ColumnDecoder
    ) throws(FormatError) {
        try starts(bytes, &startSpan, &codec)
        try skipEnds(bytes)
        try values(bytes, &valueSpan, &codec)
    }

    /// Decodes the starts into the first elements of an array.
    mutating func starts(
        _ bytes: [UInt8], _ array: inout [Int64], _ codec: inout ColumnDecoder
    ) throws(FormatError) {
        var span = array.mutableSpan
        try starts(bytes, &span, &codec)
    }

    private mutating func starts(
        _ bytes: [UInt8], _ span: inout MutableSpan<Int64>, _ codec: inout ColumnDecoder
    ) throws(FormatError) {
        let isProven = try numbers(.start, bytes, header.count, &codec, into: &span)
        guard isProven || Kernel.isAscending(span.span, header.count) else { throw error("starts descend") }
    }

    /// Decodes the values into the first elements of an array.
    ///
    /// - Ordering: after the end column was decoded or skipped.
    mutating func values(
        _ bytes: [UInt8], _ array: inout [Double], _ codec: inout ColumnDecoder
    ) throws(FormatError) {
        var span = array.mutableSpan
        try values(bytes, &span, &codec)
    }

    private mutating func values(
        _ bytes: [UInt8], _ span: inout MutableSpan<Double>, _ codec: inout ColumnDecoder
    ) throws(FormatError) {
        let outcome: ColumnDecoder.Outcome
        do {
            outcome = try codec.reals(bytes, at: reader.offset, end: reader.end, count: header.count, into: &span)
        } catch { throw FormatError(error) }
        reader.offset = outcome.end
        guard outcome.isProven || Kernel.allFinite(span.span, header.count) else {
            throw error("a value that is not finite")
        }
    }

    private mutating func ends(
        _ bytes: [UInt8], _ buffer: BlockBuffer, _ codec: inout ColumnDecoder
    ) throws(FormatError) {
        guard buffer.hasEnds else { return }
        let count = header.count
        if header.endFromNextStart {
            let last = try zigzag()
            try numbers(.end, bytes, count - 1, &codec, into: &buffer.ends)
            ColumnLoop.addNext(buffer.starts, to: &buffer.ends, count: count - 1)
            buffer.ends[count - 1] = buffer.starts[count - 1] &+ last
        } else {
            try numbers(.end, bytes, count, &codec, into: &buffer.ends)
            ColumnLoop.add(buffer.starts, to: &buffer.ends, count: count)
        }
        guard ColumnLoop.neverBefore(buffer.ends, buffer.starts, count: count) else {
            throw error("an end before its start")
        }
    }

    mutating func skipEnds(_ bytes: [UInt8]) throws(FormatError) {
        if header.endFromNextStart { _ = try zigzag() }
        try skip(.end, bytes)
    }

    // MARK: side columns

    /// Decodes the requested side columns; returns whether all columns up to the end of the block were passed.
    private mutating func sideColumns(
        _ bytes: [UInt8], _ wanted: ColumnSet, _ buffer: BlockBuffer, _ codec: inout ColumnDecoder,
        _ spare: inout SpareArrays
    ) throws(FormatError) -> Bool {
        var left = wanted.intersection(.sides)
        if left.isEmpty { return false }
        buffer.created = try side(.created, bytes, left.contains(.created), &codec, &spare)
        if case .values(var array) = buffer.created, header.createdBase != .absolute {
            // Take the array out of the column first: with two owners the addition would copy it.
            buffer.created = .absent
            let base = header.createdBase == .end && buffer.hasEnds ? buffer.ends : buffer.starts
            ColumnLoop.add(base, to: &array, count: header.count)
            buffer.created = .values(array)
        }
        left.remove(.created)
        if left.isEmpty { return false }
        buffer.provenance = try side(.provenance, bytes, left.contains(.provenance), &codec, &spare)
        left.remove(.provenance)
        if left.isEmpty { return false }
        buffer.metadata = try side(.metadata, bytes, left.contains(.metadata), &codec, &spare)
        left.remove(.metadata)
        if left.isEmpty { return false }
        buffer.identityHigh = try side(.identityHigh, bytes, left.contains(.identity), &codec, &spare)
        buffer.identityLow = try side(.identityLow, bytes, left.contains(.identity), &codec, &spare)
        left.remove(.identity)
        if left.isEmpty { return header.form(of: .born) == .absent }
        buffer.born = try side(.born, bytes, true, &codec, &spare)
        return true
    }

    private mutating func side(
        _ column: IntegerColumn, _ bytes: [UInt8], _ wanted: Bool, _ codec: inout ColumnDecoder,
        _ spare: inout SpareArrays
    ) throws(FormatError) -> IntColumn {
        guard wanted else {
            try skip(column, bytes)
            return .absent
        }
        // A difference is not a value: creation times relative to a start need an array even if their differences are
        // constant.
        let isDistance = column == .created && header.createdBase != .absolute
        switch header.form(of: column) {
        case .absent: return .absent
        case .constant where !isDistance: return .constant(try zigzag())
        case .sequence where !isDistance: return .sequence(first: try zigzag())
        default:
            var array = spare.take(header.count)
            try numbers(column, bytes, header.count, &codec, into: &array)
            return .values(array)
        }
    }

    // MARK: one column

    /// Decodes a column of any form but absent into the first `count` elements of `target`.
    private mutating func numbers(
        _ column: IntegerColumn, _ bytes: [UInt8], _ count: Int, _ codec: inout ColumnDecoder,
        into target: inout [Int64]
    ) throws(FormatError) {
        var span = target.mutableSpan
        _ = try numbers(column, bytes, count, &codec, into: &span)
    }

    /// Decodes a column into a span; returns whether the numbers are known to ascend.
    private mutating func numbers(
        _ column: IntegerColumn, _ bytes: [UInt8], _ count: Int, _ codec: inout ColumnDecoder,
        into span: inout MutableSpan<Int64>
    ) throws(FormatError) -> Bool {
        switch header.form(of: column) {
        case .absent: return false
        case .constant:
            ColumnLoop.fill(&span, count: count, first: try zigzag(), step: 0)
            return true
        case .sequence:
            ColumnLoop.fill(&span, count: count, first: try zigzag(), step: 1)
            return false
        case .coded:
            do {
                let outcome = try codec.integers(
                    bytes, at: reader.offset, end: reader.end, count: count, into: &span)
                reader.offset = outcome.end
                return outcome.isProven
            } catch { throw FormatError(error) }
        }
    }

    private mutating func skip(_ column: IntegerColumn, _ bytes: [UInt8]) throws(FormatError) {
        switch header.form(of: column) {
        case .absent: break
        case .constant, .sequence: _ = try zigzag()
        case .coded: try skipCoded(bytes)
        }
    }

    private mutating func skipCoded(_ bytes: [UInt8]) throws(FormatError) {
        do {
            reader.offset = try ColumnDecoder.skip(bytes, at: reader.offset, end: reader.end)
        } catch { throw FormatError(error) }
    }

    private mutating func zigzag() throws(FormatError) -> Int64 {
        do { return try reader.zigzag() } catch { throw FormatError(error) }
    }
}

/// Unused arrays of side columns, reused from block to block.
struct SpareArrays {
    private var arrays: [[Int64]] = []

    /// Returns an array with room for a number of samples, and with no other owner.
    mutating func take(_ count: Int) -> [Int64] {
        let length = BlockBuffer.length(for: count)
        if let last = arrays.popLast(), last.count >= length { return last }
        return [Int64](repeating: 0, count: max(length, BlockBuffer.arrayLength))
    }

    /// Reclaims the arrays of a buffer's side columns and sets the columns to absent.
    mutating func reclaim(_ buffer: BlockBuffer) {
        reclaim(&buffer.created)
        reclaim(&buffer.provenance)
        reclaim(&buffer.metadata)
        reclaim(&buffer.identityHigh)
        reclaim(&buffer.identityLow)
        reclaim(&buffer.born)
    }

    private mutating func reclaim(_ column: inout IntColumn) {
        if case .values(let array) = column, array.count >= BlockBuffer.arrayLength, arrays.count < 8 {
            arrays.append(array)
        }
        column = .absent
    }
}

extension FormatError {
    /// Creates an error for bytes that cannot be decoded, with the decoder's message.
    init(_ error: ByteError) { self.init(.malformed, at: UInt64(max(error.offset, 0)), error.what) }
}

// SPDX-License-Identifier: Apache-2.0

package import ChunkFormat

/// Samples in order, as a scan hands them out. Valid only during the call it is given to.
public struct SampleBatch {
    package let block: BlockBuffer
    package let rows: Range<Int>
    /// The series that the samples belong to.
    public let series: SeriesID
    /// The commit that brought samples of which no column says so.
    let runBorn: Int64

    /// The number of samples, at least 1.
    public var count: Int { rows.count }

    /// The sample at a place, `0 ..< count`. Any other place stops the program, as with an array.
    public subscript(position: Int) -> Sample {
        let row = row(position)
        return Sample(start: block.starts[row], end: block.end(at: row), value: block.values[row])
    }

    /// The block's row of a place: another place would be the row of a sample outside of the batch.
    private func row(_ position: Int) -> Int {
        precondition(position >= 0 && position < rows.count, "a batch of \(rows.count) samples has no \(position)")
        return rows.lowerBound + position
    }

    /// The identity of the sample at a place; nil unless the scan was asked for it, and of samples without.
    public func identity(at position: Int) -> SampleIdentity? {
        let row = row(position)
        if !block.decoded.contains(.identity) || block.identityHigh.isAbsent { return nil }
        return SampleIdentity(block, row)
    }

    /// The commit that brought the sample at a place; nil unless the scan was asked for it.
    public func born(at position: Int) -> Int64? {
        let row = row(position)
        if !block.decoded.contains(.born) { return nil }
        return block.born.isAbsent ? runBorn : block.born.at(row)
    }

    /// The samples at some places, `0 ..< count`.
    package func part(_ places: Range<Int>) -> SampleBatch {
        let first = rows.lowerBound
        return SampleBatch(
            block: block, rows: first + places.lowerBound..<first + places.upperBound, series: series,
            runBorn: runBorn)
    }

    /// Gives the columns without copying them: starts and ends in nanoseconds since 1970-01-01 UTC, and values.
    public func withColumns<R, E: Error>(
        _ body: (_ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>) throws(E) -> R
    ) throws(E) -> R {
        let starts = block.starts
        let ends = block.hasEnds ? block.ends : block.starts
        let values = block.values
        return try body(starts.span.extracting(rows), ends.span.extracting(rows), values.span.extracting(rows))
    }
}

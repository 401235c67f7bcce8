// SPDX-License-Identifier: Apache-2.0

package import ChunkFormat

/// Samples in order, as passed by a scan. A batch is valid only during the call that receives it.
public struct SampleBatch {
    package let block: BlockBuffer
    package let rows: Range<Int>
    /// The series of the samples.
    public let series: SeriesID
    /// The commit of samples without an entry in the `born` column.
    let runBorn: Int64

    /// The number of samples, at least 1.
    public var count: Int { rows.count }

    /// The sample at a position in `0 ..< count`. Any other position traps, as with an array.
    public subscript(position: Int) -> Sample {
        let row = row(position)
        return Sample(start: block.starts[row], end: block.end(at: row), value: block.values[row])
    }

    /// Returns the block's row of a position. Traps if the position is outside of the batch.
    private func row(_ position: Int) -> Int {
        precondition(position >= 0 && position < rows.count, "no sample \(position) in a batch of \(rows.count)")
        return rows.lowerBound + position
    }

    /// Returns the identity of the sample at a position; nil if the sample has none or the scan did not request
    /// identities.
    public func identity(at position: Int) -> SampleIdentity? {
        let row = row(position)
        if !block.decoded.contains(.identity) || block.identityHigh.isAbsent { return nil }
        return SampleIdentity(block, row)
    }

    /// Returns the commit that added the sample at a position; nil unless the scan requested commits.
    public func born(at position: Int) -> Int64? {
        let row = row(position)
        if !block.decoded.contains(.born) { return nil }
        return block.born.isAbsent ? runBorn : block.born.at(row)
    }

    /// Returns the samples at some positions in `0 ..< count`.
    package func part(_ places: Range<Int>) -> SampleBatch {
        let first = rows.lowerBound
        return SampleBatch(
            block: block, rows: first + places.lowerBound..<first + places.upperBound, series: series,
            runBorn: runBorn)
    }

    /// Calls `body` with the columns, without a copy: starts and ends in nanoseconds since 1970-01-01 UTC, and values.
    public func withColumns<R, E: Error>(
        _ body: (_ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>) throws(E) -> R
    ) throws(E) -> R {
        let starts = block.starts
        let ends = block.hasEnds ? block.ends : block.starts
        let values = block.values
        return try body(starts.span.extracting(rows), ends.span.extracting(rows), values.span.extracting(rows))
    }
}

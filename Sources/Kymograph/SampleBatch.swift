// SPDX-License-Identifier: Apache-2.0

package import ChunkFormat

/// Samples in order, as a scan hands them out. Valid only during the call it is given to.
public struct SampleBatch {
    package let block: BlockBuffer
    package let rows: Range<Int>
    /// The series that the samples belong to.
    public let series: SeriesID

    /// The number of samples, at least 1.
    public var count: Int { rows.count }

    /// The sample at a place, `0 ..< count`.
    public subscript(position: Int) -> Sample {
        let row = rows.lowerBound + position
        return Sample(start: block.starts[row], end: block.end(at: row), value: block.values[row])
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

// SPDX-License-Identifier: Apache-2.0

public import ChunkFormat

/// Samples in order, as passed by a scan. A batch is valid only during the call that receives it.
public struct SampleBatch {
    @usableFromInline let block: BlockBuffer
    @usableFromInline let rows: Range<Int>
    /// The series of the samples.
    public let series: SeriesID
    /// The commit of samples without an entry in the `born` column.
    let runBorn: Int64

    /// The number of samples, at least 1.
    @inlinable public var count: Int { rows.count }

    /// The sample at a position in `0 ..< count`. Any other position traps, as with an array.
    @inlinable public subscript(position: Int) -> Sample {
        let row = row(position)
        return Sample(start: block.starts[row], end: block.end(at: row), value: block.values[row])
    }

    /// Returns the block's row of a position. Traps if the position is outside of the batch.
    @inlinable
    func row(_ position: Int) -> Int {
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

// Columns for the health layer. A column is undefined unless the scan requested it.
extension SampleBatch {
    /// Returns the start of the sample at a position.
    @inlinable package func start(at position: Int) -> Int64 { block.starts[row(position)] }

    /// Returns the end of the sample at a position.
    @inlinable package func end(at position: Int) -> Int64 { block.end(at: row(position)) }

    /// The creation times, in nanoseconds since 1970-01-01 UTC.
    @inlinable package var created: BatchColumn { BatchColumn(block.created, rows.lowerBound) }

    /// The row numbers of source, version and device.
    @inlinable package var provenance: BatchColumn { BatchColumn(block.provenance, rows.lowerBound) }

    /// The row numbers of metadata sets; 0 for none.
    @inlinable package var metadata: BatchColumn { BatchColumn(block.metadata, rows.lowerBound) }

    @inlinable package var identities: BatchIdentities {
        BatchIdentities(
            BatchColumn(block.identityHigh, rows.lowerBound), BatchColumn(block.identityLow, rows.lowerBound))
    }

    /// Returns the position of the first sample with an identity; nil if the batch has none.
    package func position(of identity: SampleIdentity) -> Int? {
        if case .constant(let high) = block.identityHigh, high != identity.high { return nil }
        return (0..<count).first { self.identity(at: $0) == identity }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import ChunkFormat

/// A side column of a batch: one number for each sample, by position in the batch.
///
/// A loop over many samples copies the column out of the batch once.
@usableFromInline
package struct BatchColumn {
    @usableFromInline let column: IntColumn
    /// The block's row of position 0.
    @usableFromInline let first: Int

    @inlinable
    init(_ column: IntColumn, _ first: Int) {
        self.column = column
        self.first = first
    }

    /// The number of the sample at a position; 0 if the column is absent.
    @inlinable package subscript(position: Int) -> Int64 { column.at(first &+ position) }

    /// Returns the number of the sample at a position; nil if the column is absent.
    @inlinable package func value(at position: Int) -> Int64? { column.value(at: first &+ position) }

    /// The number that all samples share, 0 if the column is absent; nil if the numbers may differ.
    package var shared: Int64? {
        switch column {
        case .absent: 0
        case .constant(let number): number
        case .sequence, .values: nil
        }
    }
}

/// The identities of a batch, by position in the batch; zeros if the samples have none.
@usableFromInline
package struct BatchIdentities {
    @usableFromInline package let high: BatchColumn
    @usableFromInline package let low: BatchColumn

    @inlinable
    init(_ high: BatchColumn, _ low: BatchColumn) {
        self.high = high
        self.low = low
    }

    @inlinable package subscript(position: Int) -> SampleIdentity {
        SampleIdentity(high: high[position], low: low[position])
    }
}

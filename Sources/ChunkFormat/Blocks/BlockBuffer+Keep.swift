// SPDX-License-Identifier: Apache-2.0

extension BlockBuffer {
    /// Keeps the rows of some ranges and drops all others. O(rows kept).
    ///
    /// - Requires: the ranges ascend and do not overlap.
    package func keep(_ stretches: [Range<Int>]) {
        let left = stretches.reduce(0) { $0 + $1.count }
        if left == count { return }
        Self.keep(stretches, of: &starts)
        if hasEnds { Self.keep(stretches, of: &ends) }
        Self.keep(stretches, of: &values)
        created = created.keeping(stretches)
        provenance = provenance.keeping(stretches)
        metadata = metadata.keeping(stretches)
        identityHigh = identityHigh.keeping(stretches)
        identityLow = identityLow.keeping(stretches)
        born = born.keeping(stretches)
        count = left
    }

    /// Moves the elements of the ranges to the front of a column.
    fileprivate static func keep<T: BitwiseCopyable>(_ stretches: [Range<Int>], of column: inout [T]) {
        var to = 0
        for stretch in stretches {
            if to != stretch.lowerBound {
                for from in stretch { column[to + from - stretch.lowerBound] = column[from] }
            }
            to += stretch.count
        }
    }
}

extension IntColumn {
    /// Returns the column reduced to the rows of some ranges.
    fileprivate consuming func keeping(_ stretches: [Range<Int>]) -> IntColumn {
        switch self {
        case .absent, .constant: return self
        case .sequence(let first):
            // The rest of a sequence is a sequence only if one range is left.
            if stretches.count < 2 { return .sequence(first: first &+ Int64(stretches.first?.lowerBound ?? 0)) }
            return .values(stretches.joined().map { first &+ Int64($0) })
        case .values(var array):
            // A column that was not decoded may be shorter: it is a leftover of an earlier block.
            guard array.count >= stretches.last?.upperBound ?? 0 else { return .absent }
            self = .absent
            BlockBuffer.keep(stretches, of: &array)
            return .values(array)
        }
    }
}

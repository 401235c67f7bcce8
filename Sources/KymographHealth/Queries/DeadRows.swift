// SPDX-License-Identifier: Apache-2.0

import Bytes

/// The quantities of series that one commit deleted. These rows are not objects of their own.
struct DeadRows {
    /// The time ranges of the series.
    private(set) var ranges: Set<TimeRange> = []
    /// The low halves of the rows' identities, by the high half.
    private var spans: [Int64: [Span]] = [:]

    private struct Span {
        let first: Int64
        let count: Int
    }

    var isEmpty: Bool { ranges.isEmpty }

    mutating func add(_ range: TimeRange, _ record: QuantitySeriesRecord) {
        ranges.insert(range)
        let first = record.firstIdentity
        spans[first.high, default: []].append(Span(first: first.low, count: record.summary.count))
    }

    /// Sorts the spans.
    ///
    /// - Ordering: after the last `add`, before `has`.
    mutating func sort() {
        for high in spans.keys { spans[high]?.sort { $0.first < $1.first } }
    }

    /// Returns whether a row of the deleted series has an identity.
    ///
    /// - Complexity: O(log series).
    func has(_ identity: SampleIdentity) -> Bool {
        guard let spans = spans[identity.high] else { return false }
        let next = spans.indices.partitioningIndex { spans[$0].first > identity.low }
        guard next > 0 else { return false }
        let (place, isFar) = identity.low.subtractingReportingOverflow(spans[next - 1].first)
        return !isFar && place < spans[next - 1].count
    }
}

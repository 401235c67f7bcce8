// SPDX-License-Identifier: Apache-2.0

/// The quantities of series that one commit deleted: rows that are no objects of their own.
struct DeadRows {
    /// Where the series lay.
    private(set) var ranges: Set<TimeRange> = []
    /// The low halves of their identities, by the high one.
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

    /// To be called once all are added.
    mutating func sort() {
        for high in spans.keys { spans[high]?.sort { $0.first < $1.first } }
    }

    /// Whether a row of one of the series has an identity. O(log series).
    func has(_ identity: SampleIdentity) -> Bool {
        guard let spans = spans[identity.high] else { return false }
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].first <= identity.low { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return false }
        let (place, isFar) = identity.low.subtractingReportingOverflow(spans[low - 1].first)
        return !isFar && place < spans[low - 1].count
    }
}

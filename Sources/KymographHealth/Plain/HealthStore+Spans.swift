// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

/// A sample of a category as a span of time.
package struct CategorySpan: Sendable, Hashable {
    /// The start, in nanoseconds since 1970-01-01 UTC.
    package var start: Int64
    package var end: Int64
    /// The number of the value; -1 for an unknown one.
    package var value: Int

    package init(start: Int64, end: Int64, value: Int) {
        self.start = start
        self.end = end
        self.value = value
    }
}

/// The samples of a category that one source recorded.
package struct CategorySpans: Sendable {
    /// The name of the source.
    package var source: String
    /// The spans, by start.
    package var spans: [CategorySpan]

    package init(source: String, spans: [CategorySpan]) {
        self.source = source
        self.spans = spans
    }
}

extension HealthStore {
    /// Returns the samples of a category that overlap a range, by source in order of priority.
    ///
    /// - Parameters:
    ///   - sources: the names of the sources; nil for all sources.
    ///   - priority: names of sources by descending priority; if empty, the chosen source order of the type.
    /// - Complexity: O(log n + samples of the blocks that may overlap the range).
    package func categorySpans(
        _ type: HealthType, overlapping range: TimeRange, sources: Set<String>? = nil, priority: [String] = [],
        asOf commit: Int64? = nil
    ) throws(HealthStoreError) -> [CategorySpans] {
        let view = try view(asOf: commit)
        let parts = try view.parts(of: type.identifier).only(sources, view)
        var wanted = RunScan(TimeRange(.min, range.end), [.starts, .ends, .values])
        wanted.instant = range.start
        var found: [CategorySpans] = []
        for source in try parts.byPriority(priority, view) {
            var spans: [CategorySpan] = []
            try inEngine { () throws(StoreError) in
                try view.snapshot.scan(source.series, wanted, limit: .max) { batch throws(StoreError) in
                    for place in 0..<batch.count {
                        let sample = batch[place]
                        guard sample.start >= range.start || sample.end > range.start else { continue }
                        let value = Int(exactly: sample.value) ?? -1
                        spans.append(CategorySpan(start: sample.start, end: sample.end, value: value))
                    }
                    return true
                }
            }
            found.append(CategorySpans(source: source.name, spans: spans))
        }
        return found
    }
}

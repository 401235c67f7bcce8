// SPDX-License-Identifier: Apache-2.0

package import Kymograph

/// What a follower of the change feed knows: a copy of the store, kept by what each page told, and from where to go on.
package struct FeedCopy: Sendable {
    private struct Held: Sendable, Equatable {
        var series: SeriesID
        var sample: Sample
    }

    /// As a program keeps it over its restarts: a text.
    private var anchor: String?
    private var samples: [SampleIdentity: Held] = [:]

    package init() {}

    /// Asks for all that changed, page by page, and holds what is known then against the store; what is wrong, or nil.
    ///
    /// - Parameter store: not written, and not refreshed, meanwhile.
    package mutating func follow(_ store: TimeSeriesStore, limit: Int = 150) throws -> String? {
        while true {
            var came: [(identity: SampleIdentity?, held: Held)] = []
            let page = try store.changes(
                since: anchor.flatMap { ChangeAnchor(text: $0) }, limit: limit, including: .identity
            ) { batch in
                for i in 0..<batch.count {
                    came.append((batch.identity(at: i), Held(series: batch.series, sample: batch[i])))
                }
                return true
            }
            for deletion in page.deletions { remove(deletion) }
            for (identity, held) in came {
                guard let identity else { return "a sample of the feed has no identity" }
                if samples.updateValue(held, forKey: identity) != nil { return "sample \(identity) came twice" }
            }
            anchor = page.anchor.text
            if page.isComplete { break }
        }
        return try fault(store.snapshot())
    }

    private mutating func remove(_ deletion: ChangedDeletion) {
        guard let identities = deletion.samples else {
            samples = samples.filter {
                $0.value.series != deletion.series || !deletion.range.contains($0.value.sample.start)
            }
            return
        }
        for identity in identities where samples[identity]?.series == deletion.series { samples[identity] = nil }
    }

    /// Whether a snapshot shows exactly what was told.
    private func fault(_ snapshot: Snapshot) throws -> String? {
        var count = 0
        var fault: String?
        for series in snapshot.series {
            try snapshot.scan(series.id, including: .identity) { batch in
                for i in 0..<batch.count {
                    count += 1
                    let held = Held(series: series.id, sample: batch[i])
                    if let identity = batch.identity(at: i), samples[identity] == held { continue }
                    fault = fault ?? "the feed did not tell of a sample of \(series.name) at \(batch[i].start)"
                }
                return true
            }
        }
        if fault == nil, count != samples.count {
            fault = "the feed told of \(samples.count) samples, and \(count) are there"
        }
        return fault
    }
}

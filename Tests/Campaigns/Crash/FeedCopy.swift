// SPDX-License-Identifier: Apache-2.0

package import Kymograph

/// A follower of the change feed: a copy of the store made from the pages, and the anchor of the last one.
package struct FeedCopy: Sendable {
    private struct Held: Sendable, Equatable {
        var series: SeriesID
        var sample: Sample
    }

    /// The anchor as text, as a program stores it between runs.
    private var anchor: String?
    private var samples: [SampleIdentity: Held] = [:]

    package init() {}

    /// Follows all changes page by page and compares the copy with the store. Returns a description of a difference, or
    /// nil.
    ///
    /// - Requires: the store is neither written nor refreshed during the call.
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
                if samples.updateValue(held, forKey: identity) != nil { return "sample \(identity) was added twice" }
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

    /// Compares a snapshot with the copy. Returns a description of a difference, or nil.
    private func fault(_ snapshot: Snapshot) throws -> String? {
        var count = 0
        var fault: String?
        for series in snapshot.series {
            try snapshot.scan(series.id, including: .identity) { batch in
                for i in 0..<batch.count {
                    count += 1
                    let held = Held(series: series.id, sample: batch[i])
                    if let identity = batch.identity(at: i), samples[identity] == held { continue }
                    fault = fault ?? "the feed lacks a sample of \(series.name) at \(batch[i].start)"
                }
                return true
            }
        }
        if fault == nil, count != samples.count {
            fault = "the feed has \(samples.count) samples, the store \(count)"
        }
        return fault
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Kymograph

/// An append with identities of the caller's, which may be done again whatever became of it.
package struct IdentifiedPlan: Sendable {
    /// Tells its identities from those of other plans. Two of one number say the same, as far as both go.
    package var number: Int64
    package var parts: [(name: String, samples: [Sample])]

    /// The places of identities between two parts.
    private static let room: Int64 = 1 << 32

    package var count: Int { parts.reduce(0) { $0 + $1.samples.count } }

    /// The same with more samples at the end of each part.
    package func extended(by more: [[Sample]]) -> IdentifiedPlan {
        let parts = zip(parts, more).map { (name: $0.name, samples: $0.samples + $1) }
        return IdentifiedPlan(number: number, parts: parts)
    }

    /// What is handed to a store.
    func batches(_ snapshot: Snapshot) throws(StoreError) -> [IdentifiedSamples] {
        var batches: [IdentifiedSamples] = []
        for (place, part) in parts.enumerated() {
            guard let series = snapshot.series(named: part.name) else {
                throw StoreError(.unknownSeries, "there is no series \(part.name)")
            }
            let first = Int64(place) * Self.room
            let identities = part.samples.indices.map { SampleIdentity(high: number, low: first + Int64($0)) }
            batches.append(IdentifiedSamples(series: series.id, samples: part.samples, identities: identities))
        }
        return batches
    }
}

extension TimeSeriesStore {
    /// Appends what is not there yet.
    ///
    /// - Returns: how many samples were new.
    @discardableResult
    package func perform(_ plan: IdentifiedPlan) throws -> Int {
        let receipt = try append(plan.batches(snapshot()))
        if receipt.added + receipt.known != plan.count {
            throw StoreError(
                .cancelled, "of \(plan.count) samples \(receipt.added) are said to be new, \(receipt.known) known")
        }
        return receipt.added
    }

    /// Deletes what starts in a range at a second that a number divides, by a predicate or by identities.
    func delete(_ plan: DividedDeletion) throws {
        guard let series = snapshot().series(named: plan.name) else {
            throw StoreError(.unknownSeries, "there is no series \(plan.name)")
        }
        if !plan.byIdentity {
            try delete(from: series.id, startingIn: plan.range) { plan.deletes($0.sample) }
            return
        }
        var chosen: [SampleIdentity] = []
        try snapshot().scan(series.id, over: plan.range, including: .identity) { batch in
            for i in 0..<batch.count where plan.deletes(batch[i]) {
                if let identity = batch.identity(at: i) { chosen.append(identity) }
            }
            return true
        }
        let receipt = try delete(chosen, from: series.id, startingIn: plan.range)
        if receipt.count != chosen.count || !receipt.unknown.isEmpty {
            throw StoreError(.cancelled, "of \(chosen.count) samples named, \(receipt.count) were deleted")
        }
    }

    /// Appends to memory, and returns when that is committed.
    func append(relaxed samples: [Sample], to id: SeriesID) throws(StoreError) {
        // Nobody waits for the interval; the appender is kept so long.
        let appender = try relaxed(interval: .seconds(1))
        let (starts, ends) = (samples.map(\.start), samples.map(\.end))
        let values = samples.map(\.value)
        let receipt = try appender.append(to: id, starts: starts.span, ends: ends.span, values: values.span)
        let flushed = Result { () throws(StoreError) in try appender.flush() }
        // What became of the samples is told to both.
        let commit = try receipt.wait()
        guard let last = try flushed.get(), last.sequence >= commit.sequence else {
            throw StoreError(.cancelled, "what was flushed is not what the receipt says")
        }
    }
}

/// A deletion of some of the samples in a range.
package struct DividedDeletion: Sendable {
    package var name: String
    package var range: TimeRange
    /// Seconds that it divides go.
    package var every: Int64
    package var byIdentity: Bool

    package func deletes(_ sample: Sample) -> Bool {
        range.contains(sample.start) && sample.start / 1_000_000_000 % every == 0
    }
}

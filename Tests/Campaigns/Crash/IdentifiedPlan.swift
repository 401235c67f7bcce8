// SPDX-License-Identifier: Apache-2.0

package import Kymograph

/// An append with the caller's identities, which may be repeated after any outcome.
package struct IdentifiedPlan: Sendable {
    /// The number that its identities derive from. Two plans of one number have the same samples, up to their lengths.
    package var number: Int64
    package var parts: [(name: String, samples: [Sample])]

    /// The distance of identities between two parts.
    private static let room: Int64 = 1 << 32

    package var count: Int { parts.reduce(0) { $0 + $1.samples.count } }

    /// Returns the plan with more samples at the end of each part.
    package func extended(by more: [[Sample]]) -> IdentifiedPlan {
        let parts = zip(parts, more).map { (name: $0.name, samples: $0.samples + $1) }
        return IdentifiedPlan(number: number, parts: parts)
    }

    /// Returns the arguments of the append.
    func batches(_ snapshot: Snapshot) throws(StoreError) -> [IdentifiedSamples] {
        var batches: [IdentifiedSamples] = []
        for (place, part) in parts.enumerated() {
            guard let series = snapshot.series(named: part.name) else {
                throw StoreError(.unknownSeries, "unknown series \(part.name)")
            }
            let first = Int64(place) * Self.room
            let identities = part.samples.indices.map { SampleIdentity(high: number, low: first + Int64($0)) }
            batches.append(IdentifiedSamples(series: series.id, samples: part.samples, identities: identities))
        }
        return batches
    }
}

extension TimeSeriesStore {
    /// Appends the samples that are not stored yet.
    ///
    /// - Returns: the number of new samples.
    @discardableResult
    package func perform(_ plan: IdentifiedPlan) throws -> Int {
        let receipt = try append(plan.batches(snapshot()))
        if receipt.added + receipt.known != plan.count {
            throw StoreError(
                .cancelled, "of \(plan.count) samples \(receipt.added) are reported as new, \(receipt.known) as known")
        }
        return receipt.added
    }

    /// Deletes the samples of a range whose second is divisible by a number, by predicate or by identities.
    func delete(_ plan: DividedDeletion) throws {
        guard let series = snapshot().series(named: plan.name) else {
            throw StoreError(.unknownSeries, "unknown series \(plan.name)")
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
            throw StoreError(.cancelled, "of \(chosen.count) samples, \(receipt.count) were deleted")
        }
    }

    /// Appends to memory, and returns when the samples are committed.
    func append(relaxed samples: [Sample], to id: SeriesID) throws(StoreError) {
        // The flush commits at once; the interval only keeps the appender alive.
        let appender = try relaxed(interval: .seconds(1))
        let (starts, ends) = (samples.map(\.start), samples.map(\.end))
        let values = samples.map(\.value)
        let receipt = try appender.append(to: id, starts: starts.span, ends: ends.span, values: values.span)
        let flushed = Result { () throws(StoreError) in try appender.flush() }
        // Receipt and flush both report the commit.
        let commit = try receipt.wait()
        guard let last = try flushed.get(), last.sequence >= commit.sequence else {
            throw StoreError(.cancelled, "the flush reports an earlier commit than the receipt")
        }
    }
}

/// A deletion of some of the samples in a range.
package struct DividedDeletion: Sendable {
    package var name: String
    package var range: TimeRange
    /// The divisor of the seconds of deleted samples.
    package var every: Int64
    package var byIdentity: Bool

    package func deletes(_ sample: Sample) -> Bool {
        range.contains(sample.start) && sample.start / 1_000_000_000 % every == 0
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import HealthCatalog
import HealthModel

extension HealthStore {
    /// Saves the samples that are not saved, durably, in one commit.
    ///
    /// - Parameter alongside: changes tables in the same commit.
    func saveNew(
        _ samples: [HKSample], as revision: HKSourceRevision,
        alongside: (@Sendable (CatalogTransaction) throws -> Void)? = nil
    ) throws(HKError) {
        do throws(HKError) {
            try save(samples, as: revision, alongside: alongside)
        } catch {
            guard error.code == .errorInvalidArgument else { throw error }
            let known = try HKError.converting { try stored(samples) }
            var seen = known
            let rest = samples.filter { seen.insert($0.uuid).inserted }
            // Not because of samples that are saved already.
            if rest.count == samples.count { throw error }
            try save(rest, as: revision, alongside: alongside)
        }
    }

    /// Returns the identities of the samples that are in the store.
    private func stored(_ samples: [HKSample]) throws -> Set<UUID> {
        var found: Set<UUID> = []
        for (_, group) in Dictionary(grouping: samples, by: \.sampleType.identifier) {
            guard let type = group.first?.sampleType else { continue }
            var search = SampleSearch(type: type, predicate: .uuids(Set(group.map(\.uuid))))
            let starts = group.compactMap { StoredTime.nanoseconds($0.startDate) }
            if let first = starts.min(), let last = starts.max() { search.range = SearchWindow.around(first, last) }
            try self.search(search) { batch in
                found.formUnion(batch.samples.map(\.uuid))
                return true
            }
        }
        return found
    }

    /// Returns the quantities of a type among the samples of a workout in progress, sorted by start.
    func workoutItems(
        of type: HKQuantityType, _ members: IdentityRuns
    ) throws -> [(unit: HKUnit, item: WorkoutTally.Item)] {
        var found: [(unit: HKUnit, item: WorkoutTally.Item)] = []
        try search(SampleSearch(type: type, predicate: .identities(members))) { batch in
            for (sample, start) in zip(batch.samples, batch.starts) {
                guard let sample = sample as? HKQuantitySample,
                    let end = StoredTime.nanoseconds(sample.endDate)
                else { continue }
                found.append(
                    (sample.quantity.unit, WorkoutTally.Item(sample, start: start, end: max(start, end))))
            }
            return true
        }
        return found
    }

    /// Adds samples to a saved workout, and saves those that are not saved, without a device.
    ///
    /// Totals, dates and duration of the workout stay. Statistics of types that the workout has no statistics of are
    /// added.
    func add(_ samples: [HKSample], to workout: HKWorkout, as revision: HKSourceRevision) throws(HKError) {
        guard !samples.isEmpty else {
            throw HKError(
                .errorInvalidArgument, reason: "there are no samples", place: "\(workout)",
                advice: "give at least one sample")
        }
        _ = try HKError.converting { try body(of: workout, .workout, "workout") }
        try saveNew(samples, as: revision)
        try write { transaction in
            let found = try HealthCatalog.savedObjects(uuids: [SampleIdentity(workout.uuid).bytes], transaction)
            guard let row = found.first.flatMap({ $0 }) else {
                throw HKError(
                    .errorInvalidArgument, reason: "the workout is not in the store", place: "\(workout)",
                    advice: "use a workout that a query of this store returned")
            }
            var record = try WorkoutRecord(row.body)
            var draft = WorkoutDraft(WorkoutConfiguration(record.content.activity))
            draft.include(samples)
            record.members = record.members.union(draft.members)
            for (type, statistic) in draft.tally.statistics where record.content.statistics[type] == nil {
                record.content.statistics[type] = statistic
            }
            try HealthCatalog.rewrite(
                savedObject: row.id, body: record.body, metadata: row.metadata, transaction)
        }
    }
}

extension HKHealthStore {
    /// Adds samples to a saved workout; the handler is called on a thread of the store. See ``addSamples(_:to:)``.
    @available(*, deprecated, message: "use HKWorkoutBuilder")
    public func add(
        _ samples: [HKSample], to workout: HKWorkout,
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in
            try self.store().add(samples, to: workout, as: self.revision)
        }
    }

    /// Adds samples to a saved workout, and saves those that are not saved. Totals, dates and duration of the workout
    /// stay.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` without samples, or for a workout that is not in the store.
    @available(*, deprecated, message: "use HKWorkoutBuilder")
    public func addSamples(_ samples: [HKSample], to workout: HKWorkout) async throws {
        try await BlockingQueue.result { () throws(HKError) in
            try self.store().add(samples, to: workout, as: self.revision)
        }
    }
}

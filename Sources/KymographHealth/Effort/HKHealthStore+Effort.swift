// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import HealthCatalog
public import HealthModel
import Synchronization

extension HealthStore {
    private static let effortTypes: Set<String> = [
        HKQuantityTypeIdentifier.workoutEffortScore.rawValue,
        HKQuantityTypeIdentifier.estimatedWorkoutEffortScore.rawValue,
    ]

    /// Relates an effort sample to a workout or one of its activities. An unsaved sample is saved.
    func relate(
        _ sample: HKSample, _ workout: HKWorkout, _ activity: HKWorkoutActivity?, as revision: HKSourceRevision
    ) throws(HKError) {
        guard Self.effortTypes.contains(sample.sampleType.identifier) else {
            throw HKError(
                .errorInvalidArgument, reason: "the sample is not an effort score", place: "\(sample)",
                advice: "use a sample of the type workoutEffortScore or estimatedWorkoutEffortScore")
        }
        try requireSharing([sample.sampleType.identifier])
        let stored = try HKError.converting { try body(of: workout, .workout, "workout") }
        let parts = try HKError.converting { try WorkoutRecord.content(stored).activities }
        if let activity, !parts.contains(where: { $0.uuid == activity.uuid }) {
            throw HKError(
                .errorInvalidArgument, reason: "the activity is not part of the workout", place: "\(activity)",
                advice: "use an activity of the workout's workoutActivities")
        }
        try saveNew([sample], as: revision)
        let relation = EffortRecord(workout: workout.uuid, activity: activity?.uuid, sample: sample.uuid)
        let known = try HKError.converting {
            try catalog([EffortRecord]()) { try EffortRecord.all(of: workout.uuid, $0).map(\.record) }
        }
        if known.contains(relation) { return }
        guard let start = StoredTime.nanoseconds(workout.startDate), let end = StoredTime.nanoseconds(workout.endDate)
        else { return }
        var batch = SaveBatch(try SavingProgram(revision), created: SystemClock.wallNanoseconds())
        batch.append(relation, start: start, end: max(start, end))
        try commit(batch, identities: .unchecked)
    }

    /// Removes the relation between an effort sample and a workout or one of its activities. A client with limits
    /// removes its own relations only.
    func unrelate(_ sample: HKSample, _ workout: HKWorkout, _ activity: HKWorkoutActivity?) throws(HKError) {
        try requireSharing([sample.sampleType.identifier])
        let tables = try HKError.converting { try currentView().tables }
        let access = try HKError.converting { try self.access(tables) }
        let relation = EffortRecord(workout: workout.uuid, activity: activity?.uuid, sample: sample.uuid)
        let count = Mutex(0)
        try write { transaction in
            let ids = try EffortRecord.all(of: workout.uuid, transaction).filter { known in
                guard known.record == relation, let access else { return known.record == relation }
                // A provenance that is newer than the tables is one of another program.
                let row = try? tables.provenance(known.provenance)
                return SamplePredicate.sources([access.client]).mayMatch(row.flatMap { tables.sources[$0.source] })
            }.map(\.id)
            count.withLock { $0 = ids.count }
            try HealthCatalog.retire(savedObjects: ids, transaction)
        }
        if count.withLock({ $0 }) == 0 {
            throw HKError(
                .errorInvalidArgument, reason: "the sample is not related to the workout", place: "\(sample)",
                advice: "pass the workout and the activity that it was related to")
        }
    }
}

extension HKHealthStore {
    /// Relates an effort sample to a workout or one of its activities; the handler is called on a thread of the store.
    /// See ``relateWorkoutEffortSample(_:with:activity:)``.
    @preconcurrency public func relateWorkoutEffortSample(
        _ sample: HKSample, with workout: HKWorkout, activity: HKWorkoutActivity?,
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in
            try self.store().relate(sample, workout, activity, as: self.revision)
        }
    }

    /// Relates an effort sample to a workout or one of its activities. An unsaved sample is saved. A second call with
    /// the same arguments changes nothing.
    ///
    /// - Parameters:
    ///   - sample: a sample of the type `workoutEffortScore` or `estimatedWorkoutEffortScore`.
    ///   - activity: an activity of the workout; nil for the workout itself.
    /// - Returns: true, always.
    /// - Throws: ``HKError``: `errorInvalidArgument` for another type, for a workout that is not in the store, and for
    ///   an activity of another workout; `errorDatabaseInaccessible`.
    @discardableResult
    public func relateWorkoutEffortSample(
        _ sample: HKSample, with workout: HKWorkout, activity: HKWorkoutActivity?
    ) async throws -> Bool {
        try await BlockingQueue.result { () throws(HKError) in
            try self.store().relate(sample, workout, activity, as: self.revision)
        }
        return true
    }

    /// Removes a relation; the handler is called on a thread of the store. See
    /// ``unrelateWorkoutEffortSample(_:from:activity:)``.
    @preconcurrency public func unrelateWorkoutEffortSample(
        _ sample: HKSample, from workout: HKWorkout, activity: HKWorkoutActivity?,
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in
            try self.store().unrelate(sample, workout, activity)
        }
    }

    /// Removes the relation between an effort sample and a workout or one of its activities. The sample stays in the
    /// store.
    ///
    /// - Returns: true, always.
    /// - Throws: ``HKError``: `errorInvalidArgument` without such a relation; `errorDatabaseInaccessible`.
    @discardableResult
    public func unrelateWorkoutEffortSample(
        _ sample: HKSample, from workout: HKWorkout, activity: HKWorkoutActivity?
    ) async throws -> Bool {
        try await BlockingQueue.result { () throws(HKError) in
            try self.store().unrelate(sample, workout, activity)
        }
        return true
    }
}

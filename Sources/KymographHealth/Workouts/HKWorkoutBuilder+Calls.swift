// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

// The changes of a builder. Each change is an asynchronous function, and a function with a completion handler, which is
// called on a thread of the store. Errors are `HKError`: `errorInvalidArgument` for a call out of order and for an
// invalid argument, `errorDatabaseInaccessible`.
extension HKWorkoutBuilder {
    /// The handler of a change: receives whether the change was made, and the error otherwise.
    public typealias Completion = @Sendable (Bool, (any Error)?) -> Void

    // MARK: - Collection

    /// Begins the collection. See ``beginCollection(at:)``.
    @preconcurrency public func beginCollection(withStart startDate: Date, completion: @escaping Completion) {
        queue.run(completion) { () throws(HKError) in try self.begin(startDate) }
    }

    /// Begins the collection at a date, which becomes the start of the workout.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a second call, and for a date that cannot be stored, after
    ///   which the builder cannot be used; `errorDatabaseInaccessible`.
    public func beginCollection(at startDate: Date) async throws {
        try await queue.result { () throws(HKError) in try self.begin(startDate) }
    }

    /// Ends the collection. See ``endCollection(at:)``.
    @preconcurrency public func endCollection(withEnd endDate: Date, completion: @escaping Completion) {
        queue.run(completion) { () throws(HKError) in try self.end(endDate) }
    }

    /// Ends the collection at a date, which becomes the end of the workout.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` out of order, and for a date before the start of the workout, an
    ///   event or the start of an activity; `errorDatabaseInaccessible`.
    public func endCollection(at endDate: Date) async throws {
        try await queue.result { () throws(HKError) in try self.end(endDate) }
    }

    // MARK: - Contents

    /// Adds samples. See ``addSamples(_:)``.
    @preconcurrency public func add(_ samples: [HKSample], completion: @escaping Completion) {
        queue.run(completion) { () throws(HKError) in try self.include(samples) }
    }

    /// Adds samples, and saves the unsaved samples in one commit before it returns. A sample that is added twice counts
    /// once.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` before `beginCollection`, without samples, and for a sample that
    ///   starts before the workout or, after `endCollection`, after its end; `errorDatabaseInaccessible`.
    public func addSamples(_ samples: [HKSample]) async throws {
        try await queue.result { () throws(HKError) in try self.include(samples) }
    }

    /// Adds events. See ``addWorkoutEvents(_:)``.
    @preconcurrency public func addWorkoutEvents(_ workoutEvents: [HKWorkoutEvent], completion: @escaping Completion) {
        queue.run(completion) { () throws(HKError) in try self.includeEvents(workoutEvents) }
    }

    /// Adds events, all or none. They must lie within the workout.
    public func addWorkoutEvents(_ workoutEvents: [HKWorkoutEvent]) async throws {
        try await queue.result { () throws(HKError) in try self.includeEvents(workoutEvents) }
    }

    /// Adds metadata to the workout. A new value replaces the old value of its key. Also allowed before
    /// `beginCollection`.
    @preconcurrency public func addMetadata(_ metadata: [String: Any], completion: @escaping Completion) {
        let values = HealthMetadataValues(metadata)
        queue.run(completion) { () throws(HKError) in try self.includeMetadata(values) }
    }

    /// Adds metadata to the workout. A new value replaces the old value of its key. Also allowed before
    /// `beginCollection`.
    public func addMetadata(_ metadata: [String: Any]) async throws {
        let values = HealthMetadataValues(metadata)
        try await queue.result { () throws(HKError) in try self.includeMetadata(values) }
    }

    // MARK: - Activities

    /// Adds an activity. See ``addWorkoutActivity(_:)``.
    @preconcurrency public func addWorkoutActivity(
        _ workoutActivity: HKWorkoutActivity, completion: @escaping Completion
    ) {
        queue.run(completion) { () throws(HKError) in try self.includeActivity(workoutActivity) }
    }

    /// Adds an activity to the workout. Activities must not overlap. An end of nil can be set later with
    /// ``updateActivity(uuid:end:)``; without it the activity ends with the workout.
    public func addWorkoutActivity(_ workoutActivity: HKWorkoutActivity) async throws {
        try await queue.result { () throws(HKError) in try self.includeActivity(workoutActivity) }
    }

    /// Sets the end of an activity.
    @preconcurrency public func updateActivity(uuid: UUID, end endDate: Date, completion: @escaping Completion) {
        queue.run(completion) { () throws(HKError) in try self.setEnd(endDate, of: uuid) }
    }

    /// Sets the end of an activity.
    public func updateActivity(uuid: UUID, end endDate: Date) async throws {
        try await queue.result { () throws(HKError) in try self.setEnd(endDate, of: uuid) }
    }

    /// Adds metadata to an activity. A new value replaces the old value of its key.
    @preconcurrency public func updateActivity(
        uuid: UUID, adding metadata: [String: Any], completion: @escaping Completion
    ) {
        let values = HealthMetadataValues(metadata)
        queue.run(completion) { () throws(HKError) in try self.add(values, to: uuid) }
    }

    /// Adds metadata to an activity. A new value replaces the old value of its key.
    public func updateActivity(uuid: UUID, adding metadata: [String: Any]) async throws {
        let values = HealthMetadataValues(metadata)
        try await queue.result { () throws(HKError) in try self.add(values, to: uuid) }
    }

    // MARK: - End

    /// Saves the workout in one commit. See ``finishWorkout()``.
    @preconcurrency public func finishWorkout(completion: @escaping @Sendable (HKWorkout?, (any Error)?) -> Void) {
        queue.run(completion) { () throws(HKError) in try self.finish() }
    }

    /// Saves the workout with its events, activities, statistics, zones and route in one commit.
    ///
    /// - Returns: the workout, never nil. HealthKit returns nil while the store of a locked device cannot be read.
    /// - Throws: ``HKError``: `errorInvalidArgument` before `endCollection`, after `finishWorkout` or
    ///   `discardWorkout`, and if an event or an activity is outside of the workout; `errorDatabaseInaccessible`.
    ///   After an error the call can be repeated.
    @discardableResult
    public func finishWorkout() async throws -> HKWorkout? {
        try await queue.result { () throws(HKError) in try self.finish() }
    }

    // MARK: - Changes

    private func includeEvents(_ events: [HKWorkoutEvent]) throws(HKError) {
        try change { draft throws(HKError) in try draft.add(events) }
    }

    private func includeMetadata(_ values: HealthMetadataValues) throws(HKError) {
        try change { draft throws(HKError) in try draft.add(values) }
    }

    private func includeActivity(_ activity: HKWorkoutActivity) throws(HKError) {
        try change { draft throws(HKError) in try draft.add(activity.value) }
    }

    private func setEnd(_ date: Date, of uuid: UUID) throws(HKError) {
        try change { draft throws(HKError) in try draft.update(uuid, end: date) }
    }

    private func add(_ values: HealthMetadataValues, to uuid: UUID) throws(HKError) {
        try change { draft throws(HKError) in try draft.update(uuid, adding: values) }
    }
}

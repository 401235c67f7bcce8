// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

// The changes of a builder, each with a completion handler, which is called on a thread of the store, and as an
// asynchronous function. Errors are `HKError`: `errorInvalidArgument` for a call out of order or an invalid argument,
// `errorDatabaseInaccessible`.
extension HKWorkoutBuilder {
    /// The handler of a change: whether it was made, and the error if not.
    public typealias Completion = @Sendable (Bool, (any Error)?) -> Void

    // MARK: - Collection

    /// Starts the collection at a date, which becomes the start of the workout.
    public func beginCollection(withStart startDate: Date, completion: @escaping Completion) {
        queue.run(completion) { () throws(HKError) in try self.begin(startDate) }
    }

    /// Starts the collection at a date, which becomes the start of the workout.
    public func beginCollection(at startDate: Date) async throws {
        try await queue.result { () throws(HKError) in try self.begin(startDate) }
    }

    /// Ends the collection at a date, which becomes the end of the workout.
    public func endCollection(withEnd endDate: Date, completion: @escaping Completion) {
        queue.run(completion) { () throws(HKError) in try self.end(endDate) }
    }

    /// Ends the collection at a date, which becomes the end of the workout.
    public func endCollection(at endDate: Date) async throws {
        try await queue.result { () throws(HKError) in try self.end(endDate) }
    }

    // MARK: - Contents

    /// Adds samples, which start at the builder's start or later. Samples that are not saved are saved in one commit
    /// before this returns; a sample that was added before counts once.
    public func add(_ samples: [HKSample], completion: @escaping Completion) {
        queue.run(completion) { () throws(HKError) in try self.include(samples) }
    }

    /// Adds samples. See ``add(_:completion:)``.
    public func addSamples(_ samples: [HKSample]) async throws {
        try await queue.result { () throws(HKError) in try self.include(samples) }
    }

    /// Adds events within the workout.
    public func addWorkoutEvents(_ workoutEvents: [HKWorkoutEvent], completion: @escaping Completion) {
        queue.run(completion) { () throws(HKError) in try self.includeEvents(workoutEvents) }
    }

    /// Adds events within the workout.
    public func addWorkoutEvents(_ workoutEvents: [HKWorkoutEvent]) async throws {
        try await queue.result { () throws(HKError) in try self.includeEvents(workoutEvents) }
    }

    /// Adds metadata; a new value replaces the old one of its key. Allowed before the collection begins.
    public func addMetadata(_ metadata: [String: Any], completion: @escaping Completion) {
        let values = HealthMetadataValues(metadata)
        queue.run(completion) { () throws(HKError) in try self.includeMetadata(values) }
    }

    /// Adds metadata; a new value replaces the old one of its key. Allowed before the collection begins.
    public func addMetadata(_ metadata: [String: Any]) async throws {
        let values = HealthMetadataValues(metadata)
        try await queue.result { () throws(HKError) in try self.includeMetadata(values) }
    }

    // MARK: - Activities

    /// Adds a part of the workout. Parts do not overlap; the end may be nil and set later.
    public func addWorkoutActivity(_ workoutActivity: HKWorkoutActivity, completion: @escaping Completion) {
        queue.run(completion) { () throws(HKError) in try self.includeActivity(workoutActivity) }
    }

    /// Adds a part of the workout. Parts do not overlap; the end may be nil and set later.
    public func addWorkoutActivity(_ workoutActivity: HKWorkoutActivity) async throws {
        try await queue.result { () throws(HKError) in try self.includeActivity(workoutActivity) }
    }

    /// Sets the end of a part.
    public func updateActivity(uuid: UUID, end endDate: Date, completion: @escaping Completion) {
        queue.run(completion) { () throws(HKError) in try self.setEnd(endDate, of: uuid) }
    }

    /// Sets the end of a part.
    public func updateActivity(uuid: UUID, end endDate: Date) async throws {
        try await queue.result { () throws(HKError) in try self.setEnd(endDate, of: uuid) }
    }

    /// Adds metadata to a part; a new value replaces the old one of its key.
    public func updateActivity(uuid: UUID, adding metadata: [String: Any], completion: @escaping Completion) {
        let values = HealthMetadataValues(metadata)
        queue.run(completion) { () throws(HKError) in try self.add(values, to: uuid) }
    }

    /// Adds metadata to a part; a new value replaces the old one of its key.
    public func updateActivity(uuid: UUID, adding metadata: [String: Any]) async throws {
        let values = HealthMetadataValues(metadata)
        try await queue.result { () throws(HKError) in try self.add(values, to: uuid) }
    }

    // MARK: - End

    /// Saves the workout with its samples, events, parts and statistics, in one commit.
    public func finishWorkout(completion: @escaping @Sendable (HKWorkout?, (any Error)?) -> Void) {
        queue.run(completion) { () throws(HKError) in try self.finish() }
    }

    /// Saves the workout with its samples, events, parts and statistics, in one commit.
    ///
    /// - Returns: the workout, never nil. HealthKit returns nil while the store of a locked device cannot be read.
    /// - Throws: ``HKError``: `errorInvalidArgument` before `endCollection`, after the end of the builder, or if an
    ///   event or a part is outside of the workout. After an error the call can be repeated.
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

// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
public import Foundation
public import HealthModel
import Synchronization

/// A builder of a workout. It collects samples, events and activities during or after the workout, and saves it.
///
/// ```swift
/// let builder = HKWorkoutBuilder(healthStore: health, configuration: configuration, device: nil)
/// try await builder.beginCollection(at: start)
/// try await builder.addSamples(samples)  // saved when this returns
/// try await builder.endCollection(at: end)
/// let workout = try await builder.finishWorkout()
/// ```
///
/// - Ordering: `beginCollection`, `endCollection`, then `finishWorkout` or `discardWorkout`. Samples, events and
///   activities can be added after `beginCollection`, metadata also before. A call out of order fails with
///   `errorInvalidArgument` and changes nothing. If `beginCollection` refuses its date, create a new
///   builder.
///
/// Samples are saved as they are added, and stay in the store if the workout is discarded. `finishWorkout` saves the
/// workout in one commit. All methods may be called from any thread. Changes are made one after the other.
public class HKWorkoutBuilder: NSObject, @unchecked Sendable {
    private let given: HKHealthStore
    /// The device of the workout.
    public let device: HKDevice?
    private let configuration: WorkoutConfiguration
    /// The identity of the future workout.
    let uuid: UUID
    let draft: Mutex<WorkoutDraft>
    private let route = Mutex<HKWorkoutRouteBuilder?>(nil)
    /// Runs the calls of the program, in order.
    let queue = CallQueue("builder")
    /// Held during a change, which may wait for the disk. Reads do not take this lock.
    private let changes = Mutex(())

    /// Creates a builder. It retains the store.
    ///
    /// - Parameters:
    ///   - configuration: the configuration of the workout, which is copied.
    ///   - device: the device of the workout; nil if unknown.
    public convenience init(healthStore: HKHealthStore, configuration: HKWorkoutConfiguration, device: HKDevice?) {
        self.init(healthStore, WorkoutDraft(configuration.value), device, uuid: ObjectIdentity.next())
    }

    init(_ store: HKHealthStore, _ draft: WorkoutDraft, _ device: HKDevice?, uuid: UUID) {
        given = store
        self.device = device
        self.uuid = uuid
        configuration = draft.configuration
        self.draft = Mutex(draft)
        super.init()
    }

    /// The store of the workout.
    var store: HKHealthStore { given }

    // MARK: - State

    /// A copy of the configuration.
    public var workoutConfiguration: HKWorkoutConfiguration { HKWorkoutConfiguration(configuration) }
    /// The start of the workout; nil before `beginCollection`.
    public var startDate: Date? { draft.withLock { $0.start } }
    /// The end of the workout; nil before `endCollection`.
    public var endDate: Date? { draft.withLock { $0.end } }
    /// The metadata added so far.
    public var metadata: [String: Any] { draft.withLock { $0.metadata }.anyValues }
    /// The events added so far, in the order in which they were added.
    public var workoutEvents: [HKWorkoutEvent] { draft.withLock { $0.events } }
    /// The activities added so far, in ascending order, with their statistics.
    public var workoutActivities: [HKWorkoutActivity] {
        bringUpToDate()
        let now = Date()
        return draft.withLock { $0.parts(now: now) }
    }

    /// The statistics of all types with samples, so far. See ``statistics(for:)``.
    public var allStatistics: [HKQuantityType: HKStatistics] {
        let (tally, start, end) = state
        var found: [HKQuantityType: HKStatistics] = [:]
        for type in tally.types {
            found[type] = tally.statistic(of: type)?.statistics(of: type, start: start, end: end)
        }
        return found
    }

    /// Returns the statistics of a type over the samples added so far; nil without samples of the type.
    ///
    /// - Complexity: O(1). After the addition of a series, or of a sample that starts before the latest 512 samples of
    ///   its type, the first call is O(samples of the type).
    public func statistics(for quantityType: HKQuantityType) -> HKStatistics? {
        let (tally, start, end) = state
        return tally.statistic(of: quantityType)?.statistics(of: quantityType, start: start, end: end)
    }

    /// The tally, and the interval of its statistics.
    private var state: (tally: WorkoutTally, start: Date, end: Date) {
        bringUpToDate()
        return draft.withLock { draft in
            let start = draft.start ?? .distantPast
            return (draft.tally, start, draft.end ?? max(start, Date()))
        }
    }

    /// Returns the time from the start to a date in seconds, without pauses; 0 before the collection begins.
    ///
    /// - Complexity: O(events).
    public func elapsedTime(at date: Date) -> TimeInterval { draft.withLock { $0.elapsedTime(at: date) } }

    /// Computes the stale statistics again from the saved samples. On an error the present values stay.
    func bringUpToDate() {
        guard draft.withLock({ !$0.tally.staleTypes.isEmpty }) else { return }
        changes.withLock { _ in try? recount() }
    }

    /// Computes the stale statistics again from the saved samples.
    ///
    /// - Requires: the lock of changes.
    private func recount() throws(HKError) {
        var (tally, members) = draft.withLock { ($0.tally, $0.members) }
        let types = tally.staleTypes
        if types.isEmpty { return }
        let store = try store.store()
        try HKError.converting { for type in types { try store.count(type, of: members, again: &tally) } }
        tally.noteRecounted()
        let counted = tally
        draft.withLock { $0.tally = counted }
    }

    // MARK: - Changes

    /// Changes the draft, after all earlier changes.
    func change(_ body: (inout WorkoutDraft) throws(HKError) -> Void) throws(HKError) {
        try changes.withLock { _ throws(HKError) in
            var next = draft.withLock { $0 }
            try body(&next)
            try keep(next, [], isSaving: false)
            adopt(next, isNoted: true)
        }
    }

    /// Makes the present draft durable, after all earlier changes.
    func keepPresent() throws(HKError) {
        try changes.withLock { _ throws(HKError) in try keep(draft.withLock { $0 }, [], isSaving: false) }
    }

    /// Changes the draft and the state of its session.
    ///
    /// - Parameters:
    ///   - keepBoth: makes the new state and draft durable.
    ///   - body: changes the draft and returns the new state; nil for no change.
    func changeBoth(
        _ keepBoth: (SessionState, WorkoutDraft) throws(HKError) -> Void,
        _ body: (inout WorkoutDraft) throws(HKError) -> SessionState?
    ) throws(HKError) {
        try changes.withLock { _ throws(HKError) in
            var next = draft.withLock { $0 }
            guard let state = try body(&next) else { return }
            try keepBoth(state, next)
            adopt(next, isNoted: false)
        }
    }

    /// Replaces the draft, unless the workout was discarded meanwhile.
    ///
    /// - Parameter isNoted: whether `noteChange` is called; false for a change of the session.
    private func adopt(_ next: WorkoutDraft, isNoted: Bool) {
        let before: WorkoutDraft? = draft.withLock { draft in
            guard draft.phase != .discarded else { return nil }
            defer { draft = next }
            return draft
        }
        if let before, isNoted { noteChange(from: before, to: next) }
    }

    /// Handles a change that is durable and visible. Subclasses notify their delegates.
    func noteChange(from before: WorkoutDraft, to next: WorkoutDraft) {}

    /// Handles samples that are durable and included. Subclasses notify their delegates.
    func note(_ samples: [HKSample], _ zones: ZoneChanges) {}

    /// Makes a change durable before it is visible. The base class saves only the samples; the builder of a session
    /// also stores the draft.
    ///
    /// - Parameters:
    ///   - samples: the samples that are added.
    ///   - isSaving: whether some of the samples may be unsaved.
    func keep(_ next: WorkoutDraft, _ samples: [HKSample], isSaving: Bool) throws(HKError) {
        if isSaving { try store.store().saveNew(samples, as: store.revision) }
    }

    /// Returns a change of tables for the commit that saves the workout; nil for none.
    func atFinish() -> (@Sendable (CatalogTransaction) throws -> Void)? { nil }

    func begin(_ date: Date) throws(HKError) {
        // A failed beginning is also stored.
        var failure: HKError?
        try change { draft in
            do throws(HKError) {
                try draft.begin(at: date)
                try didBegin(&draft, at: date)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Changes the draft in the commit in which its collection begins.
    func didBegin(_ draft: inout WorkoutDraft, at date: Date) throws(HKError) {}

    func end(_ date: Date) throws(HKError) {
        try change { draft throws(HKError) in try draft.endCollection(at: date) }
    }

    /// Saves the unsaved samples, and includes all samples in the workout.
    ///
    /// - Parameter isSaving: whether some of the samples may be unsaved.
    func include(_ samples: [HKSample], isSaving: Bool = true) throws(HKError) {
        try changes.withLock { _ throws(HKError) in
            let (new, zones) = try keepNew(samples, isSaving)
            if new.isEmpty { return }
            // In place: a copy of the draft would copy the lists of its samples.
            let zoneChanges: ZoneChanges? = draft.withLock { draft in
                guard draft.phase != .discarded else { return nil }
                let before = draft.tally.zones.positions
                if let zones { draft.complete(zones) }
                draft.include(new)
                return ZoneChanges(before: before, after: draft.tally)
            }
            if let zoneChanges { note(new, zoneChanges) }
        }
    }

    /// Makes the samples durable that are new in the workout.
    ///
    /// - Returns: the new samples; and the person's zones if the samples needed them, else nil.
    private func keepNew(
        _ samples: [HKSample], _ isSaving: Bool
    ) throws(HKError) -> (samples: [HKSample], zones: [HKWorkoutZoneConfiguration]?) {
        var next = draft.withLock { $0 }
        try next.check(samples)
        let new = samples.filter { !next.members.contains($0.uuid) }
        if new.isEmpty { return ([], nil) }
        let zones = try missingZones(next, for: new)
        if let zones { next.complete(zones) }
        try keep(next, new, isSaving: isSaving)
        return (new, zones)
    }

    /// Saves the workout in one commit.
    func finish() throws(HKError) -> HKWorkout {
        try changes.withLock { _ throws(HKError) in
            try draft.withLock { draft throws(HKError) in try draft.beginFinish() }
            do throws(HKError) {
                let workout = try save()
                draft.withLock { $0.endFinish(isSaved: true) }
                return workout
            } catch {
                let phase = draft.withLock { draft in
                    draft.endFinish(isSaved: false)
                    return draft.phase
                }
                if phase == .discarded { route.withLock { $0 }?.discard() }
                throw error
            }
        }
    }

    private func save() throws(HKError) -> HKWorkout {
        try recount()
        let draft = draft.withLock { $0 }
        let (content, metadata) = try draft.finished()
        guard let start = draft.start, let end = draft.end else {
            throw HKError(.errorInvalidArgument, reason: "the collection has not ended", place: "HKWorkoutBuilder")
        }
        let header = ObjectHeader(
            uuid: uuid, sourceRevision: store.revision, device: device, metadata: metadata.isEmpty ? nil : metadata)
        let workout = HKWorkout(header: header, start: start, end: end, content: content)
        try HealthSaveRules.check(workout)
        let record = WorkoutRecord(content, members: draft.members)
        // A discarded route is not saved.
        guard let route = route.withLock({ $0 }), route.isOpen else {
            try commit(workout, record) { _ in nil }
            return workout
        }
        try route.finish(within: uuid) { addRoute throws(HKError) in try commit(workout, record, addRoute) }
        return workout
    }

    /// Saves the workout and its route in one commit.
    private func commit(
        _ workout: HKWorkout, _ record: WorkoutRecord,
        _ addRoute: (inout SaveBatch) throws(HKError) -> HKWorkoutRoute?
    ) throws(HKError) {
        var batch = SaveBatch(try SavingProgram(store.revision), created: SystemClock.wallNanoseconds())
        try batch.append(workout, record)
        _ = try addRoute(&batch)
        batch.alongside = atFinish()
        try store.store().commit(batch, identities: .unchecked)
    }

    /// Returns the builder of the workout's route, a ``HKWorkoutRouteBuilder``; nil for another type. Every call
    /// returns the same builder.
    ///
    /// Insert locations into it, and do not finish it. `finishWorkout` saves the route together with the workout.
    public func seriesBuilder(for seriesType: HKSeriesType) -> HKSeriesBuilder? {
        guard seriesType.identifier == HKWorkoutRouteTypeIdentifier else { return nil }
        return route.withLock { route in
            let builder = route ?? newRouteBuilder()
            route = builder
            return builder
        }
    }

    /// Creates the builder of the workout's route.
    func newRouteBuilder() -> HKWorkoutRouteBuilder { HKWorkoutRouteBuilder(healthStore: store, device: device) }

    /// Sets the builder of the route.
    func use(_ builder: HKWorkoutRouteBuilder) { route.withLock { $0 = builder } }

    /// Discards the workout and its route. Samples that were added stay in the store. Has no effect on a saved workout.
    /// During `finishWorkout` it takes effect only if the workout cannot be saved.
    public func discardWorkout() {
        let phase = draft.withLock { draft in
            draft.discard()
            return draft.phase
        }
        if phase == .discarded { route.withLock { $0 }?.discard() }
    }
}

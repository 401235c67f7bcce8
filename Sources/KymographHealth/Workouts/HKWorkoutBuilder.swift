// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
public import Foundation
public import HealthModel
import Synchronization

/// A builder of a workout: collects samples, events and parts while it happens, or afterwards, and saves the workout.
///
/// ```swift
/// let builder = HKWorkoutBuilder(healthStore: health, configuration: configuration, device: nil)
/// try await builder.beginCollection(at: start)
/// try await builder.addSamples(samples)  // saved when this returns
/// try await builder.endCollection(at: end)
/// let workout = try await builder.finishWorkout()
/// ```
///
/// The order of calls: `beginCollection`, then samples, events, metadata and activities, `endCollection`, then perhaps
/// more of these, and `finishWorkout` or `discardWorkout`. A call out of order fails with `errorInvalidArgument` and
/// changes nothing; a failed `beginCollection` is final.
///
/// Samples are saved as they are added, and stay if the workout is discarded. The workout itself is saved in one commit
/// by `finishWorkout`. All methods may be called from any thread; changes are made one after the other.
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
    /// Held during a change, which may wait for the disk; reads do not wait for it.
    private let changes = Mutex(())

    /// Creates a builder, which retains the store until the workout is finished or discarded.
    ///
    /// - Parameters:
    ///   - configuration: is copied.
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
    /// The start of the collection; nil before it.
    public var startDate: Date? { draft.withLock { $0.start } }
    /// The end of the collection; nil before it.
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

    /// The statistics of all types with samples.
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
    /// - Complexity: O(1), except after samples that came more than some minutes late: then O(samples of the type),
    ///   once.
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

    /// Computes statistics again whose samples came out of order. On an error, the present values stay.
    func bringUpToDate() {
        guard draft.withLock({ !$0.tally.staleTypes.isEmpty }) else { return }
        changes.withLock { _ in try? recount() }
    }

    /// Computes the stale statistics from the saved samples.
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

    /// Changes the draft; changes are made one after the other.
    func change(_ body: (inout WorkoutDraft) throws(HKError) -> Void) throws(HKError) {
        try changes.withLock { _ throws(HKError) in
            var next = draft.withLock { $0 }
            try body(&next)
            try keep(next, [], isSaving: false)
            adopt(next, isNoted: true)
        }
    }

    /// Changes the draft together with the state of its session, which `body` returns; nil for no change.
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
    /// - Parameter isNoted: false for a change of the session.
    private func adopt(_ next: WorkoutDraft, isNoted: Bool) {
        let before: WorkoutDraft? = draft.withLock { draft in
            guard draft.phase != .discarded else { return nil }
            defer { draft = next }
            return draft
        }
        if let before, isNoted { noteChange(from: before, to: next) }
    }

    /// Takes note of a change that is durable and visible.
    func noteChange(from before: WorkoutDraft, to next: WorkoutDraft) {}

    /// Takes note of samples that are durable and included.
    func note(_ samples: [HKSample], _ positions: ZonePositions) {}

    /// Makes a change durable before it is visible. A workout of a session survives the process.
    ///
    /// - Parameters:
    ///   - samples: samples that the draft includes for the first time, or again.
    ///   - isSaving: whether some of the samples may not be saved.
    func keep(_ next: WorkoutDraft, _ samples: [HKSample], isSaving: Bool) throws(HKError) {
        if isSaving { try store.store().saveNew(samples, as: store.revision) }
    }

    /// The change of tables in the commit that saves the workout.
    func atFinish() -> (@Sendable (CatalogTransaction) throws -> Void)? { nil }

    func begin(_ date: Date) throws(HKError) {
        // A failed beginning is kept, too.
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

    /// Changes a draft whose collection begins, in the same commit.
    func didBegin(_ draft: inout WorkoutDraft, at date: Date) throws(HKError) {}

    func end(_ date: Date) throws(HKError) {
        try change { draft throws(HKError) in try draft.endCollection(at: date) }
    }

    /// Saves the samples that are not saved, and includes all of them.
    ///
    /// - Parameter isSaving: false if all samples are saved.
    func include(_ samples: [HKSample], isSaving: Bool = true) throws(HKError) {
        try changes.withLock { _ throws(HKError) in
            let (new, zones) = try keepNew(samples, isSaving)
            if new.isEmpty { return }
            // In place: a copy of the draft would copy the lists of its samples.
            let positions: ZonePositions? = draft.withLock { draft in
                guard draft.phase != .discarded else { return nil }
                let before = draft.tally.zones.positions
                if let zones { draft.complete(zones) }
                draft.include(new)
                return ZonePositions(before: before, after: draft.tally.zones.positions)
            }
            if let positions { note(new, positions) }
        }
    }

    /// Makes the samples durable that the workout does not have yet.
    ///
    /// - Returns: these samples, and the person's zones if they were looked up for them.
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
                draft.withLock { $0.endFinish(isSaved: false) }
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
        // A discarded route is none.
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

    /// Returns the builder of the workout's route, always the same; nil for another type.
    ///
    /// Insert locations into it, and do not finish it: `finishWorkout` saves the route with the workout, if it has
    /// locations.
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

    /// Uses a route builder that has locations.
    func use(_ builder: HKWorkoutRouteBuilder) { route.withLock { $0 = builder } }

    /// Discards the workout. Samples that were added stay in the store. A finished workout is not affected.
    public func discardWorkout() {
        draft.withLock { $0.discard() }
        route.withLock { $0 }?.discard()
    }
}

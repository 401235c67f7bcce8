// SPDX-License-Identifier: Apache-2.0

import Catalog
import CoreLocation
public import Foundation
public import HealthModel
import Synchronization

/// The builder of a session's workout. It collects samples, events and activities by itself, and survives the process.
///
/// ```swift
/// let builder = session.associatedWorkoutBuilder()
/// builder.dataSource = HKLiveWorkoutDataSource(healthStore: health, workoutConfiguration: configuration)
/// session.startActivity(with: start)
/// try await builder.beginCollection(at: start)
/// // ... delegate calls ...
/// session.end()
/// try await builder.endCollection(at: Date())
/// let workout = try await builder.finishWorkout()
/// ```
///
/// It collects no samples from before the session and the collection have started, in pauses, and after the session has
/// stopped. Every change is durable before a delegate is called. After a crash
/// ``HKHealthStore/recoverActiveWorkoutSession()`` returns the session with its builder in their last state.
public final class HKLiveWorkoutBuilder: HKWorkoutBuilder, @unchecked Sendable {
    let core: SessionCore
    private let live = Mutex(Live())

    private struct Live {
        weak var delegate: (any HKLiveWorkoutBuilderDelegate)?
        weak var session: HKWorkoutSession?
        var source: HKLiveWorkoutDataSource?
        var collector: WorkoutCollector?
        /// The work that runs after the workout is saved.
        var works: [@Sendable () -> Void] = []
    }

    init(_ core: SessionCore, _ draft: WorkoutDraft, _ device: HKDevice?) {
        self.core = core
        super.init(core.health, draft, device, uuid: core.uuid)
    }

    override var store: HKHealthStore { core.health }

    /// The object that is notified of collected data.
    public weak var delegate: (any HKLiveWorkoutBuilderDelegate)? {
        get { live.withLock { Sent($0.delegate) }.value }
        set {
            let new = Sent(newValue)
            live.withLock { $0.delegate = new.value }
        }
    }

    /// The session of the workout.
    public internal(set) weak var workoutSession: HKWorkoutSession? {
        get { live.withLock { $0.session } }
        set { live.withLock { $0.session = newValue } }
    }

    /// Whether the events of the session are added to the workout; true by default. Set it before the collection
    /// begins.
    public var shouldCollectWorkoutEvents: Bool {
        get { core.collectsEvents }
        set { core.collectsEvents = newValue }
    }

    /// The types that are collected; nil to collect no samples.
    public var dataSource: HKLiveWorkoutDataSource? {
        get { live.withLock { $0.source } }
        set {
            let old = live.withLock { live in
                defer { live.source = newValue }
                return live.source
            }
            if old !== newValue { old?.whenChanged(nil) }
            newValue?.follow(core.state.activity)
            newValue?.whenChanged { [weak self] in self?.collectAnew() }
            collectAnew()
        }
    }

    /// The time in seconds from the start of the collection until its end or until now, without pauses. It may decrease
    /// when an event is added.
    public var elapsedTime: TimeInterval { elapsedTime(at: endDate ?? core.now) }

    /// The activity in progress; nil without one.
    public var currentWorkoutActivity: HKWorkoutActivity? { workoutActivities.last { $0.endDate == nil } }

    // MARK: - Durable changes

    override func keep(_ next: WorkoutDraft, _ samples: [HKSample], isSaving: Bool) throws(HKError) {
        try core.keep(nil, next, samples, isSaving: isSaving)
    }

    override func noteChange(from before: WorkoutDraft, to next: WorkoutDraft) {
        if next.events.count > before.events.count {
            core.calls.async { [weak self] in
                if let self { delegate?.workoutBuilderDidCollectEvent(self) }
            }
        }
        if next.phase == .collecting, before.phase == .new {
            core.commands.async { [weak self] in self?.collectAnew() }
        }
    }

    override func note(_ samples: [HKSample], _ zones: ZoneChanges) {
        let types = Set(samples.map(\.sampleType))
        core.calls.async { [weak self] in
            guard let self else { return }
            delegate?.workoutBuilder(self, didCollectDataOf: types)
            notify(of: zones)
        }
    }

    override func didBegin(_ draft: inout WorkoutDraft, at date: Date) throws(HKError) {
        // An activity that began with the collection or before it.
        guard var current = core.state.current, !draft.activities.contains(where: { $0.uuid == current.uuid }) else {
            return
        }
        current.start = max(current.start, date)
        try draft.add(current)
    }

    /// Applies a command to the session and to the draft, in one commit.
    ///
    /// - Returns: the effects, for the delegates.
    func apply(_ command: SessionState.Command) throws(HKError) -> [SessionState.Effect] {
        var effects: [SessionState.Effect] = []
        try changeBoth { state, draft throws(HKError) in
            try core.keep(state, draft)
        } _: { draft throws(HKError) in
            var state = core.state
            effects = state.apply(command)
            if effects.isEmpty { return nil }
            for effect in effects { Self.apply(effect, to: &draft, collectsEvents: core.collectsEvents) }
            return state
        }
        return effects
    }

    /// Adds an effect to the draft. An event that is not collected, or that does not fit the collection, such as a
    /// pause before its start, only pauses or resumes the collection. An activity that does not fit is left out.
    private static func apply(
        _ effect: SessionState.Effect, to draft: inout WorkoutDraft, collectsEvents: Bool
    ) {
        switch effect {
        case .changed: return
        case .event(let event):
            do throws(HKError) {
                if collectsEvents { try draft.add([event]) } else { draft.hide(event) }
            } catch {
                draft.hide(event)
            }
        case .began(let activity): try? draft.add(activity)
        case .ended(let activity):
            if let end = activity.end { try? draft.update(activity.uuid, end: end) }
        }
    }

    override func newRouteBuilder() -> HKWorkoutRouteBuilder { routeBuilder(RouteLocations(), [:]) }

    /// Sets the locations and the metadata of the route of a recovered session.
    func restore(_ locations: RouteLocations, _ metadata: HealthMetadataValues) {
        use(routeBuilder(locations, metadata))
    }

    private func routeBuilder(_ locations: RouteLocations, _ metadata: HealthMetadataValues) -> HKWorkoutRouteBuilder {
        HKWorkoutRouteBuilder(store, device, locations, metadata, keeper: Keeper(builder: self))
    }

    /// Makes the locations of the workout's route durable.
    private struct Keeper: RouteKeeper {
        weak var builder: HKLiveWorkoutBuilder?

        func keep(_ locations: RouteLocations, _ metadata: HealthMetadataValues) throws(HKError) {
            guard let builder else { return }
            try builder.core.keep(locations, metadata, builder.draft.withLock { $0 })
        }

        func discard() { builder?.core.discardLocations() }
    }

    override func atFinish() -> (@Sendable (CatalogTransaction) throws -> Void)? { core.removal() }

    override func finish() throws(HKError) -> HKWorkout {
        // Commands of the session before this call, such as `end`, take effect first.
        core.commands.sync {}
        try workoutSession?.deliverWaiting()
        let state = core.state
        if draft.withLock({ $0.phase }) == .collecting, state.state == .ended, let end = state.end {
            try self.end(end)
        }
        let workout: HKWorkout
        do throws(HKError) { workout = try super.finish() } catch {
            if draft.withLock({ $0.phase }) == .discarded { forget() }
            throw error
        }
        over()
        runWaitingWorks()
        return workout
    }

    /// Runs work after the workout is saved, at once if it is saved already. The work never runs if the workout is
    /// discarded.
    func whenSaved(_ work: @escaping @Sendable () -> Void) {
        live.withLock { $0.works.append(work) }
        switch draft.withLock({ $0.phase }) {
        case .finished: runWaitingWorks()
        case .new, .failed, .discarded: live.withLock { $0.works = [] }
        case .collecting, .ended, .finishing: break
        }
    }

    private func runWaitingWorks() {
        let works = live.withLock { live in
            defer { live.works = [] }
            return live.works
        }
        for work in works { work() }
    }

    /// Discards the workout and its route. Samples that were added stay in the store.
    ///
    /// While another process writes, the session repeats the change for a minute. Other errors of the store are
    /// ignored: after a crash the recovered session may then have the workout again.
    public override func discardWorkout() {
        let before = draft.withLock { $0.phase }
        super.discardWorkout()
        // During finishWorkout the outcome decides.
        if before != .discarded, draft.withLock({ $0.phase }) == .discarded { forget() }
    }

    /// Removes what is stored of a discarded workout.
    private func forget() {
        live.withLock { $0.works = [] }
        if core.state.state == .ended { return remove() }
        // A recovered session must not have the discarded workout.
        if core.isStored {
            whileBusy { [self] () throws(HKError) in try keepPresent() }
        }
    }

    /// Removes the rows of the session.
    func remove() {
        guard let removal = core.removal() else { return over() }
        whileBusy { [self] () throws(HKError) in
            try store.store().write(removal)
        } done: { [self] in
            over()
        }
    }

    /// Makes a change at once; while another process writes, repeats it on the queue of the session. Other errors are
    /// ignored.
    ///
    /// - Parameter done: called after the last attempt.
    private func whileBusy(
        _ change: @escaping @Sendable () throws(HKError) -> Void, done: @escaping @Sendable () -> Void = {}
    ) {
        do throws(HKError) { try change() } catch {
            if error.isBusy {
                core.commands.async { [core] in
                    try? core.patiently(change)
                    done()
                }
                return
            }
        }
        done()
    }

    private func over() {
        live.withLock { live in
            live.collector?.stop()
            live.collector = nil
        }
        core.noteOver()
        ActiveSessions.remove(core.id)
    }

    // MARK: - Collection

    /// Starts to collect the present types of the data source, if the collection has begun.
    func collectAnew() {
        let (phase, start) = draft.withLock { ($0.phase, $0.start) }
        let source = dataSource
        let new: WorkoutCollector? =
            if phase == .collecting, let start, let source, !source.typesToCollect.isEmpty {
                WorkoutCollector(self, source, from: start)
            } else {
                nil
            }
        let old = live.withLock { live in
            defer { live.collector = new }
            return live.collector
        }
        old?.stop()
        new?.start(store)
    }

}

extension HKLiveWorkoutBuilder {
    /// Includes the samples that belong to the workout. Invalid samples are left out.
    ///
    /// - Parameters:
    ///   - samples: the samples of a source, or saved samples.
    ///   - isSaving: whether the samples are unsaved.
    /// - Throws: `errorDatabaseInaccessible`. The call can be repeated then.
    func collect(_ samples: [HKQuantitySample], isSaving: Bool) throws(HKError) {
        guard let source = dataSource, let times = collection else { return }
        let fitting = samples.filter { times.contains($0.startDate) && source.collects($0) }
        if fitting.isEmpty { return }
        do throws(HKError) { try include(fitting, isSaving: isSaving) } catch {
            if error.code != .errorInvalidArgument { throw error }
            for sample in fitting {
                do throws(HKError) { try include([sample], isSaving: isSaving) } catch {
                    if error.code != .errorInvalidArgument { throw error }
                }
            }
        }
    }

    /// Adds the locations that belong to the workout to its route. Invalid locations are left out.
    ///
    /// - Throws: `errorDatabaseInaccessible`. The call can be repeated then.
    func collect(_ locations: [CLLocation]) throws(HKError) {
        guard let times = collection else { return }
        let fitting = locations.filter { location in
            var one = RouteLocations()
            return times.contains(location.timestamp) && (try? one.append([location])) != nil
        }
        guard !fitting.isEmpty, let route = seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder else {
            return
        }
        try route.insert(fitting)
    }

    /// Adds an event of a source. An event that the workout refuses is left out.
    ///
    /// - Throws: `errorDatabaseInaccessible`. The call can be repeated then.
    func collect(_ event: HKWorkoutEvent) throws(HKError) {
        do throws(HKError) { try change { draft throws(HKError) in try draft.add([event]) } } catch {
            if error.code != .errorInvalidArgument { throw error }
        }
    }

    /// The times at which data belongs to the workout. The date of the data decides, not the present state of the
    /// session, because the data may have waited for the store.
    private struct Times {
        let start: Date
        /// The end of the session or of the collection; nil before.
        let end: Date?
        let pauses: WorkoutPauses

        func contains(_ date: Date) -> Bool {
            date >= start && date < end ?? .distantFuture && !pauses.contains(date)
        }
    }

    /// The times of the collection; nil before the session and the collection have started, and after the workout is
    /// saved or discarded.
    private var collection: Times? {
        let state = core.state
        return draft.withLock { draft in
            guard [.collecting, .ended, .finishing].contains(draft.phase), let start = draft.start,
                let running = state.start
            else { return nil }
            let ends = [state.end, draft.end].compactMap { $0 }
            return Times(start: max(start, running), end: ends.min(), pauses: draft.allPauses)
        }
    }
}

/// A reference that is passed through a lock.
struct Sent<T>: @unchecked Sendable {
    let value: T
    init(_ value: T) { self.value = value }
}

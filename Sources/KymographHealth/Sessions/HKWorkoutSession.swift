// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation
public import HealthModel
import Synchronization

/// A workout that is recorded live. It has a state, and a builder that collects its data.
///
/// ```swift
/// let session = try HKWorkoutSession(healthStore: health, configuration: configuration)
/// let builder = session.associatedWorkoutBuilder()
/// session.startActivity(with: Date())
/// ```
///
/// All calls return at once and take effect one after the other. The delegate is called on a serial queue. A change is
/// durable before the delegate is called. A call that is not possible in the present state is ignored
/// and reported to the observers of the store.
///
/// One session of a store is active at a time. A second session of the same program fails with
/// `errorAnotherWorkoutSessionStarted`; a session of another program ends it with the same error.
///
/// Attach sensors to the store as objects that conform to ``SampleSource``.
public final class HKWorkoutSession: NSObject, @unchecked Sendable {
    let core: SessionCore
    let builder: HKLiveWorkoutBuilder
    let link = Mutex(Link())
    /// Held while deliveries are added, so that they keep their order.
    let deliveries = Mutex(())
    /// Held while the session waits for its mirror, so that it has one mirror.
    let starts = Mutex(())

    /// What the session refers to.
    struct Link {
        weak var delegate: (any HKWorkoutSessionDelegate)?
        /// The sources that were started.
        var sources: [any SampleSource] = []
        var isFollowed = false
        var recovery: CardioRecovery?
        var mirror: MirrorLink?
        /// Deliveries that could not be stored yet, the oldest first.
        var waiting: [SampleReceiver.Delivery] = []
    }

    /// Creates a session that is not started.
    ///
    /// - Parameter configuration: the configuration of the workout, which is copied.
    /// - Throws: ``HKError``: `errorInvalidArgument` for an invalid configuration, `errorWorkoutActivityNotAllowed` for
    ///   a transition.
    public convenience init(healthStore: HKHealthStore, configuration: HKWorkoutConfiguration) throws {
        let value = configuration.value
        try value.check(isSession: true)
        self.init(SessionCore(healthStore, value), WorkoutDraft(value), .local())
    }

    /// Creates a session of the default store.
    ///
    /// - Throws: the errors of ``init(healthStore:configuration:)``.
    @available(*, deprecated, message: "use init(healthStore:configuration:)")
    public convenience init(configuration: HKWorkoutConfiguration) throws {
        try self.init(healthStore: HKHealthStore(), configuration: configuration)
    }

    /// Creates a session. Its store is the store that starts it with ``HKHealthStore/start(_:)``, otherwise the default
    /// store. A session with an invalid activity type fails when it starts.
    @available(*, deprecated, message: "use init(healthStore:configuration:)")
    public convenience init(activityType: HKWorkoutActivityType, locationType: HKWorkoutSessionLocationType) {
        let value = WorkoutConfiguration(activityType, locationType)
        self.init(SessionCore(HKHealthStore(), value, isStoreOpen: true), WorkoutDraft(value), .local())
    }

    /// Creates the mirror of a session of another process. Its builder refuses all calls.
    convenience init(mirroring state: SessionState, _ health: HKHealthStore) {
        let core = SessionCore(health, state.configuration)
        core.adopt(state)
        core.noteOver()
        self.init(core, WorkoutDraft(state.configuration), nil, type: .mirrored)
    }

    init(
        _ core: SessionCore, _ draft: WorkoutDraft, _ device: HKDevice?, type: HKWorkoutSessionType = .primary
    ) {
        self.core = core
        self.type = type
        core.set(device: device.map { DeviceDescription($0).text })
        builder = HKLiveWorkoutBuilder(core, draft, device)
        super.init()
        builder.workoutSession = self
    }

    // MARK: - State

    /// The object that is notified of changes.
    public weak var delegate: (any HKWorkoutSessionDelegate)? {
        get { link.withLock { Sent($0.delegate) }.value }
        set {
            let new = Sent(newValue)
            link.withLock { $0.delegate = new.value }
        }
    }

    /// The state of the session.
    public var state: HKWorkoutSessionState { core.state.state }
    /// Whether the session collects data itself, or is the mirror of a session in another process.
    public let type: HKWorkoutSessionType
    /// The start of the workout; nil before ``startActivity(with:)``.
    public var startDate: Date? { core.state.start }
    /// The end of the workout: the date of ``stopActivity(with:)``, or of ``end()`` without it; nil before.
    public var endDate: Date? { core.state.end }
    /// A copy of the configuration.
    public var workoutConfiguration: HKWorkoutConfiguration { HKWorkoutConfiguration(core.state.configuration) }
    /// The activity type of the configuration.
    @available(*, deprecated, message: "use workoutConfiguration")
    public var activityType: HKWorkoutActivityType { core.state.configuration.activity }
    /// The location of the configuration.
    @available(*, deprecated, message: "use workoutConfiguration")
    public var locationType: HKWorkoutSessionLocationType { core.state.configuration.location }

    /// A copy of the running activity; without a running activity, the whole workout as an activity.
    public var currentActivity: HKWorkoutActivity {
        let state = core.state
        if let current = state.current {
            return builder.workoutActivities.first { $0.uuid == current.uuid } ?? HKWorkoutActivity(current, events: [])
        }
        let start = state.start ?? core.now
        let whole = WorkoutActivity(uuid: core.uuid, configuration: state.configuration, start: start, end: state.end)
        return HKWorkoutActivity(whole, events: builder.workoutEvents, now: state.end ?? core.now)
    }

    /// Returns the builder of the session's workout. Every call returns the same builder.
    public func associatedWorkoutBuilder() -> HKLiveWorkoutBuilder { builder }

    // MARK: - Calls

    /// Starts the sensors, without collecting data.
    public func prepare() { run(.prepare(core.now)) }

    /// Starts the workout. The builder collects data after its `beginCollection`.
    ///
    /// - Parameter date: the start; nil for now.
    public func startActivity(with date: Date? = nil) { run(.start(date ?? core.now)) }

    /// Pauses the workout. Time and data of a pause do not count.
    public func pause() { run(.pause(core.now)) }

    /// Resumes a paused workout.
    public func resume() { run(.resume(core.now)) }

    /// Ends the workout and its running activity. The session continues until ``end()``.
    ///
    /// - Parameter date: the end; nil for now. A call with a date before the start is ignored.
    public func stopActivity(with date: Date? = nil) { run(.stop(date ?? core.now)) }

    /// Ends the session, and its workout if that is not stopped.
    public func end() { run(.end(core.now)) }

    /// Begins an activity of the workout, and ends the running activity. In a `swimBikeRun` workout activities are
    /// swimming, cycling, running or transition. In any other workout they have the activity type of the workout.
    public func beginNewActivity(
        configuration workoutConfiguration: HKWorkoutConfiguration, date: Date, metadata: [String: Any]?
    ) {
        run(
            .beginActivity(
                WorkoutActivity(
                    uuid: ObjectIdentity.next(), configuration: workoutConfiguration.value, start: date, end: nil,
                    metadata: metadata.map { HealthMetadataValues($0) })))
    }

    /// Ends the running activity of the workout.
    public func endCurrentActivity(on date: Date) { run(.endActivity(date)) }

    /// Applies a command on the session's queue. A mirror sends it to its primary session.
    func run(_ command: SessionState.Command) {
        core.commands.async { [self] in
            if type == .primary { return apply(command) }
            guard let message = command.message else { return noteIgnored(command) }
            try? mirror?.send(.command, message)
        }
    }

    /// The connection to the other side of a mirrored session.
    var mirror: MirrorLink? {
        get { link.withLock { $0.mirror } }
        set { link.withLock { $0.mirror = newValue } }
    }

    private func apply(_ command: SessionState.Command) {
        if core.isOver { return endAfterFinish(command) }
        let effects: [SessionState.Effect]
        do throws(HKError) {
            // Another process that writes for a long time does not end the workout.
            effects = try core.patiently { () throws(HKError) in
                try begin(command)
                return try builder.apply(command)
            }
        } catch {
            return fail(error)
        }
        if effects.isEmpty { noteIgnored(command) } else { note(effects) }
    }

    /// Ends a stopped session whose workout is saved. Stores nothing, because the row of the session is removed.
    private func endAfterFinish(_ command: SessionState.Command) {
        guard case .end(let date) = command else { return noteIgnored(command) }
        let effects = core.fail(date)
        if effects.isEmpty { noteIgnored(command) } else { note(effects) }
    }

    /// Reports a call that has no effect in the present state to the observers of the store, if the store is open.
    private func noteIgnored(_ command: SessionState.Command) {
        guard let call = command.name else { return }
        core.health.storeIfOpen?.engine.note(ignoredSessionCall: call, in: "\(core.state.state)")
    }

    /// Checks a session that becomes active.
    private func begin(_ command: SessionState.Command) throws(HKError) {
        switch (command, core.state.state) {
        case (.prepare, .notStarted), (.start, .notStarted): break
        default: return
        }
        try core.state.configuration.check(isSession: true)
        let store = try core.health.store()
        ActiveSessions.add(self, core.id)
        follow(store)
    }

    /// Passes effects to sources, data source and delegates.
    private func note(_ effects: [SessionState.Effect]) {
        let state = core.state
        builder.dataSource?.follow(state.activity)
        let sources = startSources()
        for source in sources { source.update(state.state, HKWorkoutConfiguration(state.activity)) }
        core.calls.async { [self] in for effect in effects { tell(effect) } }
        mirror(effects, state)
        if state.state == .stopped { endSources() }
        if state.state == .ended { finish() }
    }

    func tell(_ effect: SessionState.Effect) {
        switch effect {
        case .changed(let to, let from, let date):
            delegate?.workoutSession(self, didChangeTo: to, from: from, date: date)
        case .event(let event):
            delegate?.workoutSession(self, didGenerate: event)
            if core.collectsEvents { builder.delegate?.workoutBuilderDidCollectEvent(builder) }
        case .began(let activity):
            let configuration = HKWorkoutConfiguration(activity.configuration)
            delegate?.workoutSession(self, didBeginActivityWith: configuration, date: activity.start)
            builder.delegate?.workoutBuilder(builder, didBegin: part(activity))
        case .ended(let activity):
            let configuration = HKWorkoutConfiguration(activity.configuration)
            delegate?.workoutSession(self, didEndActivityWith: configuration, date: activity.end ?? activity.start)
            builder.delegate?.workoutBuilder(builder, didEnd: part(activity))
        }
    }

    private func part(_ activity: WorkoutActivity) -> HKWorkoutActivity {
        builder.workoutActivities.first { $0.uuid == activity.uuid } ?? HKWorkoutActivity(activity, events: [])
    }

    /// Ends the session because of an error. The delegate receives the error, then the end.
    func fail(_ error: HKError) {
        let effects = (try? builder.apply(.fail(core.now))) ?? core.fail(core.now)
        if effects.isEmpty { return }
        mirror(effects, core.state, error)
        core.calls.async { [self] in
            delegate?.workoutSession(self, didFailWithError: error)
            for effect in effects { tell(effect) }
        }
        finish()
    }

    /// Stops the sources of an ended session, and removes its row if it has no workout. The builder may still be
    /// finished.
    private func finish() {
        let isUnused = builder.draft.withLock { draft in
            switch draft.phase {
            case .new, .failed, .discarded: true
            default: false
            }
        }
        endSources()
        if isUnused { builder.remove() }
    }

    // MARK: - Other sessions

    /// Follows the commits of other programs. Such a commit may interrupt the session, which then ends.
    func follow(_ store: HealthStore) {
        let isNew = link.withLock { link in
            defer { link.isFollowed = true }
            return !link.isFollowed
        }
        if !isNew { return }
        let (core, id) = (core, core.id)
        Task { [weak self] in
            for await _ in store.engine.commits() {
                if self == nil || core.isOver || core.state.state == .ended { return }
                let isInterrupted = try? await BlockingQueue.result { () throws(HKError) in
                    try store.isInterrupted(session: id)
                }
                guard isInterrupted == true else { continue }
                core.commands.async { [weak self] in
                    self?.fail(
                        HKError(
                            .errorAnotherWorkoutSessionStarted, reason: "another program started a workout session",
                            place: "HKWorkoutSession"))
                }
                return
            }
        }
    }
}

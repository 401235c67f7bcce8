// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileSystem
import HealthModel
import Synchronization

/// A running observer query: the reported position of each type, and the calls that wait for acknowledgement.
final class ObserverRun: Sendable {
    /// The retries of a call that is not acknowledged: the delay before the first retry, which doubles with each retry,
    /// and the maximum number of calls.
    struct Patience: Sendable {
        var first = Duration.seconds(60)
        var calls = 3
    }

    private struct State {
        /// The position up to which changes were reported, by part.
        var seen: [FeedPosition]
        /// The number of consecutive calls without acknowledgement, by part.
        var calls: [Int]
        /// The call that a part waits for; a new call invalidates the timers of earlier calls.
        var waitsFor: [Int?]
        var lastCall = 0
        /// The number of the decision about the access to each part's type.
        var decisions: [Int64]
        /// The time of the next timer, in monotonic nanoseconds; later timers are not needed.
        var nextTimer: Int64?
    }

    private let health: HealthStore
    private let owner: String
    private let parts: [SampleSearch.Part]
    private let lifecycle: QueryLifecycle
    private let patience: Patience
    private let state: Mutex<State>
    /// Serialises steps: commits and timers.
    private let turn = DispatchQueue(label: "kymograph.health.observer")
    private let handler: @Sendable (Set<HKSampleType>, @escaping @Sendable () -> Void) -> Void

    /// - Parameter handler: receives the changed types, and a closure to call when the changes are handled.
    init(
        _ health: HealthStore, _ owner: String, _ parts: [SampleSearch.Part], _ lifecycle: QueryLifecycle,
        _ patience: Patience, handler: @escaping @Sendable (Set<HKSampleType>, @escaping @Sendable () -> Void) -> Void
    ) throws {
        self.health = health
        self.owner = owner
        self.parts = parts
        self.lifecycle = lifecycle
        self.patience = patience
        self.handler = handler
        let now = try health.feedPosition()
        let seen = try parts.map { part in
            // Changes that were not acknowledged, and changes since then, are reported now. For an unreadable anchor,
            // every change is reported.
            try health.subscription(of: owner, to: part.type.identifier)
                .map { FeedPosition(text: $0.anchor) ?? FeedPosition() } ?? now
        }
        state = Mutex(
            State(
                seen: seen, calls: parts.map { _ in 0 }, waitsFor: parts.map { _ in nil },
                decisions: try Self.decisions(parts, health)))
    }

    /// Returns the numbers of the decisions about the access to the types of parts.
    ///
    /// - Throws: `errorAuthorizationNotDetermined`.
    private static func decisions(_ parts: [SampleSearch.Part], _ health: HealthStore) throws(HKError) -> [Int64] {
        guard let access = try health.access() else { return parts.map { _ in 0 } }
        return try parts.map { part throws(HKError) in
            try access.requireReading(part.type)
            return access.decision(part.type)
        }
    }

    /// Reports all types once, with or without changes.
    func start() throws { try turn.sync { try reportChanges(isFirst: true) } }

    /// Checks for changes, and reports them.
    func step() throws { try turn.sync { try reportChanges() } }

    /// - Parameter isFirst: whether to report also the types without changes.
    private func reportChanges(isFirst: Bool = false) throws {
        if lifecycle.isStopped { return }
        let now = try health.feedPosition()
        var changed: Set<HKSampleType> = isFirst ? Set(parts.map(\.type)) : []
        var subscribed: [Int] = []
        let decisions = try Self.decisions(parts, health)
        for (place, part) in parts.enumerated() {
            let (seen, isWaiting) = state.withLock { ($0.seen[place], $0.waitsFor[place] != nil) }
            if seen == now { continue }
            let subscription = try health.subscription(of: owner, to: part.type.identifier)
            // If delivery was disabled meanwhile, no acknowledgement is needed.
            if isWaiting, subscription != nil { continue }
            // A program is called after each decision, so that it cannot tell a grant from a refusal.
            let isDecided = state.withLock { $0.decisions[place] != decisions[place] }
            guard try isDecided || hasChanged(part, since: seen) else {
                state.withLock { $0.seen[place] = now }
                continue
            }
            if let subscription {
                if let pause = pause(before: subscription) {
                    reportLater(after: pause)
                    continue
                }
                subscribed.append(place)
            } else {
                // Changes after `now` are reported with the next commit, possibly twice; none is missed.
                state.withLock { state in
                    state.seen[place] = now
                    state.waitsFor[place] = nil
                    state.calls[place] = 0
                }
            }
            state.withLock { $0.decisions[place] = decisions[place] }
            changed.insert(part.type)
        }
        if changed.isEmpty || lifecycle.isStopped { return }
        let places = subscribed
        begin(places)
        handler(changed) { [self] in acknowledge(places, now) }
    }

    private func hasChanged(_ part: SampleSearch.Part, since position: FeedPosition) throws -> Bool {
        do {
            return try health.feed([part], since: position, limit: 1, lifecycle).count > 0
        } catch {
            // The deletions since the position are no longer known, so there was at least one.
            if (error as? HKError)?.place == HKError.anchorPlace { return true }
            throw error
        }
    }

    /// Returns the remaining time before the next call of a subscription; nil if it is due.
    private func pause(before subscription: Subscription) -> Duration? {
        let interval = subscription.frequency.interval
        let passed = Duration.nanoseconds(SystemClock.wallNanoseconds() - subscription.acknowledged)
        // A clock that was set back must not block deliveries for years.
        return passed >= .zero && passed < interval ? interval - passed : nil
    }

    private func reportLater(after pause: Duration) {
        let now = SystemClock.monotonicNanoseconds()
        let (seconds, rest) = (pause.components.seconds, pause.components.attoseconds / 1_000_000_000)
        let due = now &+ seconds &* 1_000_000_000 &+ rest
        let isSooner = state.withLock { state in
            if let next = state.nextTimer, next > now, next <= due { return false }
            state.nextTimer = due
            return true
        }
        if !isSooner { return }
        turn.asyncAfter(deadline: .now() + pause.onQueue) { [weak self] in self?.lookOnTime() }
    }

    /// Checks for changes from a timer; after an error, another timer follows.
    private func lookOnTime() {
        state.withLock { $0.nextTimer = nil }
        do { try reportChanges() } catch { reportLater(after: .seconds(60)) }
    }

    /// Records calls for subscribed parts, and schedules a retry in case of no acknowledgement.
    private func begin(_ places: [Int]) {
        let (call, count, again) = state.withLock { state in
            state.lastCall += 1
            for place in places {
                state.waitsFor[place] = state.lastCall
                state.calls[place] += 1
            }
            let again = places.filter { state.calls[$0] < patience.calls }
            return (state.lastCall, again.map { state.calls[$0] }.max() ?? 0, again)
        }
        if again.isEmpty { return }
        var pause = patience.first
        for _ in 1..<max(1, count) { pause *= 2 }
        turn.asyncAfter(deadline: .now() + pause.onQueue) { [weak self] in
            guard let self else { return }
            let isLate = state.withLock { state in
                let late = again.filter { state.waitsFor[$0] == call }
                for place in late { state.waitsFor[place] = nil }
                return !late.isEmpty
            }
            if isLate { lookOnTime() }
        }
    }

    /// Stores the acknowledged position of subscribed parts, and continues.
    private func acknowledge(_ places: [Int], _ position: FeedPosition) {
        if places.isEmpty { return }
        BlockingQueue.run { [self] in
            turn.sync {
                let done = state.withLock { state in
                    // A repeated call may be acknowledged twice, the later one first.
                    let done = places.filter { state.seen[$0].commit < position.commit }
                    for place in done {
                        state.waitsFor[place] = nil
                        state.calls[place] = 0
                        state.seen[place] = position
                    }
                    return done
                }
                for place in done {
                    let type = parts[place].type.identifier
                    // If the position cannot be stored, the next execution reports the changes again.
                    try? health.change(subscriptionOf: owner, to: type) { subscription in
                        subscription.anchor = position.text
                        subscription.acknowledged = SystemClock.wallNanoseconds()
                    }
                }
                lookOnTime()
            }
        }
    }
}

extension Duration {
    /// The duration for Dispatch: whole milliseconds, at least one.
    fileprivate var onQueue: DispatchTimeInterval {
        let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        return .milliseconds(Int(clamping: max(1, milliseconds)))
    }
}

extension FeedPosition {
    /// The commit up to which all changes were reported.
    fileprivate var commit: Int64 { samples?.sequence ?? -1 }
}

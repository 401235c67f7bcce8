// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileSystem
import Synchronization

/// What one opening of a store counts, and whom it tells. Outlives the opening where segments of its snapshots do.
final class Telemetry: Sendable {
    /// Events that wait for slow observers at most.
    private static let mostWaiting = 1_024
    /// Places of damage that are remembered, so that each is told once.
    private static let mostPlaces = 1_024
    /// Whether the caller is an observer.
    @TaskLocal private static var isInside = false

    let commits = Atomic(0)
    let commitsFailed = Atomic(0)
    let commitNanoseconds = Atomic(0)
    let syncs = Atomic(0)
    let catalogBytes = Atomic(0)
    let tailBytes = Atomic(0)
    let segmentBytes = Atomic(0)
    let appends = Atomic(0)
    let appendsGrouped = Atomic(0)
    let samplesAppended = Atomic(0)
    let samplesLoaded = Atomic(0)
    let samplesDeleted = Atomic(0)
    let seals = Atomic(0)
    let damagedReads = Atomic(0)
    let fullErrors = Atomic(0)
    let roomWaits = Atomic(0)
    let roomNanoseconds = Atomic(0)
    let overloads = Atomic(0)
    let turns = Atomic(0)
    let turnNanoseconds = Atomic(0)
    private let isFull = Atomic(false)
    /// Whether the opening was told, and its end not yet.
    private let isOpen = Atomic(false)

    private struct State {
        var observers: [Int: @Sendable (StoreEvent) -> Void] = [:]
        var next = 0
        var waiting = 0
        /// Events that were not told, in all and since that was told last.
        var lost = 0
        var lostUntold = 0
        /// Where damage was met.
        var places: Set<String> = []
        var mergeFailures: [StoreError.Kind: Int] = [:]
        /// Made for the first event that somebody wants.
        var delivery: DispatchQueue?
    }

    private let path: String
    private let state = Mutex(State())
    private let isObserved = Atomic(false)

    init(_ path: String, _ observer: (@Sendable (StoreEvent) -> Void)?) {
        self.path = path
        if let observer { _ = add(observer) }
    }

    var eventsLost: Int { state.withLock { $0.lost } }
    var mergeFailures: [StoreError.Kind: Int] { state.withLock { $0.mergeFailures } }

    func add(_ observer: @escaping @Sendable (StoreEvent) -> Void) -> Int {
        isObserved.store(true, ordering: .relaxed)
        return state.withLock { state in
            defer { state.next += 1 }
            state.observers[state.next] = observer
            return state.next
        }
    }

    func remove(_ number: Int) {
        // What goes with the closure goes after the lock.
        _ = state.withLock { $0.observers.removeValue(forKey: number) }
    }

    /// Tells an event, later and on another thread; may be called with locks held.
    func post(_ what: @autoclosure () -> StoreEvent.What) {
        guard isObserved.load(ordering: .relaxed) else { return }
        let event = StoreEvent(path: path, what: what())
        state.withLock { state in
            if state.observers.isEmpty { return }
            guard state.waiting < Self.mostWaiting else {
                state.lost += 1
                state.lostUntold += 1
                return
            }
            state.waiting += 1
            let queue = state.delivery ?? DispatchQueue(label: "kymograph.events", qos: .utility)
            state.delivery = queue
            // In here, so that they come in the order in which they happened.
            queue.async { self.tell(event) }
        }
    }

    private func tell(_ event: StoreEvent) {
        let (observers, lost) = state.withLock { state in
            state.waiting -= 1
            // Without an observer nobody hears of them now.
            defer { if !state.observers.isEmpty { state.lostUntold = 0 } }
            return (state.observers.sorted { $0.key < $1.key }.map(\.value), state.lostUntold)
        }
        Self.$isInside.withValue(true) {
            for observer in observers {
                observer(event)
                if lost > 0 { observer(StoreEvent(path: path, what: .eventsLost(lost))) }
            }
        }
    }

    /// Waits until all events are told, unless the caller is who is told.
    func drain() {
        if Self.isInside { return }
        state.withLock { $0.delivery }?.sync {}
    }
}

// What is more than adding to a number.
extension Telemetry {
    /// The store is open.
    func noteOpening(_ mode: OpenMode, sequence: Int64, took: Duration) {
        isOpen.store(true, ordering: .relaxed)
        post(.opened(mode, sequence: sequence, took: took))
    }

    /// The store is closed. Returns when everything is told, unless the caller is who is told.
    func noteClosing(sequence: Int64) {
        if isOpen.exchange(false, ordering: .relaxed) { post(.closed(sequence: sequence)) }
        drain()
    }

    /// Counts a commit.
    func noteCommit(tail bytes: Int, took nanoseconds: Int) {
        commits.add(1, ordering: .relaxed)
        commitNanoseconds.add(nanoseconds, ordering: .relaxed)
        tailBytes.add(bytes, ordering: .relaxed)
        noteRoom()
    }

    /// Counts a commit that failed.
    func noteFailed(_ error: StoreError, took nanoseconds: Int) {
        commitsFailed.add(1, ordering: .relaxed)
        commitNanoseconds.add(nanoseconds, ordering: .relaxed)
        note(error)
        if [.outcomeUnknown, .writerFailed].contains(error.kind) { post(.writerStopped(error)) }
    }

    /// Counts the appends of one commit.
    func countAppends(_ group: [PendingAppend]) {
        appends.add(group.count, ordering: .relaxed)
        if group.count > 1 { appendsGrouped.add(group.count - 1, ordering: .relaxed) }
        let samples = group.reduce(0) { $0 + Int($1.draft.samples) }
        samplesAppended.add(samples, ordering: .relaxed)
    }

    /// Notes what a call failed of.
    func note(_ error: StoreError) {
        guard error.kind == .diskFull else { return }
        fullErrors.add(1, ordering: .relaxed)
        if !isFull.exchange(true, ordering: .relaxed) { post(.diskFullEntered(error)) }
    }

    /// Notes that a commit found room.
    func noteRoom() {
        guard isFull.load(ordering: .relaxed), isFull.exchange(false, ordering: .relaxed) else { return }
        post(.diskFullLeft)
    }

    /// Notes what a reader met.
    func noteDamage(_ error: StoreError) {
        guard error.kind == .corrupt else { return }
        damagedReads.add(1, ordering: .relaxed)
        let place = "\(error.path ?? ""):\(error.offset ?? 0)"
        let isNew = state.withLock { state in
            state.places.count < Self.mostPlaces && state.places.insert(place).inserted
        }
        if isNew { post(.damageFound(error)) }
    }

    /// Notes a merge that was not committed.
    func noteMerge(_ error: StoreError) {
        state.withLock { $0.mergeFailures[error.kind, default: 0] += 1 }
        note(error)
        post(.mergeFailed(error))
    }
}

/// A moment from which a duration is measured.
struct Stopwatch {
    private let began = SystemClock.monotonicNanoseconds()

    var nanoseconds: Int { Int(SystemClock.monotonicNanoseconds() - began) }
    var elapsed: Duration { .nanoseconds(nanoseconds) }
}

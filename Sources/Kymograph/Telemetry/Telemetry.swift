// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileSystem
import Synchronization

/// The counters and observers of one opening of a store. They outlive the opening while segments of its snapshots
/// exist.
final class Telemetry: Sendable {
    /// The maximum number of events that wait for slow observers.
    private static let mostWaiting = 1_024
    /// The maximum number of remembered damage locations; each is reported once.
    private static let mostPlaces = 1_024
    /// Whether the current task runs an observer.
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
    /// Whether the opening was reported and its close was not.
    private let isOpen = Atomic(false)

    private struct State {
        var observers: [Int: @Sendable (StoreEvent) -> Void] = [:]
        var next = 0
        var waiting = 0
        /// Dropped events: in total, and since the last report.
        var lost = 0
        var lostUnreported = 0
        /// The known damage locations.
        var places: Set<String> = []
        var mergeFailures: [StoreError.Kind: Int] = [:]
        /// Created for the first event with an observer.
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
        // Release the closure after the lock, since its captured values may run code.
        _ = state.withLock { $0.observers.removeValue(forKey: number) }
    }

    /// Delivers an event later on another thread. May be called with locks held.
    func post(_ what: @autoclosure () -> StoreEvent.What) {
        guard isObserved.load(ordering: .relaxed) else { return }
        let event = StoreEvent(path: path, what: what())
        state.withLock { state in
            if state.observers.isEmpty { return }
            guard state.waiting < Self.mostWaiting else {
                state.lost += 1
                state.lostUnreported += 1
                return
            }
            state.waiting += 1
            let queue = state.delivery ?? DispatchQueue(label: "kymograph.events", qos: .utility)
            state.delivery = queue
            // Enqueued under the lock, so that events are delivered in order.
            queue.async { self.notifyObservers(event) }
        }
    }

    private func notifyObservers(_ event: StoreEvent) {
        let (observers, lost) = state.withLock { state in
            state.waiting -= 1
            // Keep the number of dropped events until an observer exists.
            defer { if !state.observers.isEmpty { state.lostUnreported = 0 } }
            return (state.observers.sorted { $0.key < $1.key }.map(\.value), state.lostUnreported)
        }
        Self.$isInside.withValue(true) {
            for observer in observers {
                observer(event)
                if lost > 0 { observer(StoreEvent(path: path, what: .eventsLost(lost))) }
            }
        }
    }

    /// Waits until all events are delivered. Returns at once if an observer calls it.
    func drain() {
        if Self.isInside { return }
        state.withLock { $0.delivery }?.sync {}
    }

    // Notes that also report an event or keep a state.

    /// Reports that the store is open.
    func noteOpening(_ mode: OpenMode, sequence: Int64, took: Duration) {
        isOpen.store(true, ordering: .relaxed)
        post(.opened(mode, sequence: sequence, took: took))
    }

    /// Reports that the store is closed. Returns after all events are delivered, or at once if an observer calls it.
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

    /// Counts a failed commit.
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

    /// Counts an error of a call if the disk is full.
    func note(_ error: StoreError) {
        guard error.kind == .diskFull else { return }
        fullErrors.add(1, ordering: .relaxed)
        if !isFull.exchange(true, ordering: .relaxed) { post(.diskFullEntered(error)) }
    }

    /// Ends the disk-full state after a successful commit.
    func noteRoom() {
        guard isFull.load(ordering: .relaxed), isFull.exchange(false, ordering: .relaxed) else { return }
        post(.diskFullLeft)
    }

    /// Counts damage found by a reader.
    func noteDamage(_ error: StoreError) {
        guard [.corrupt, .forged].contains(error.kind) else { return }
        damagedReads.add(1, ordering: .relaxed)
        let place = "\(error.path ?? ""):\(error.offset ?? 0)"
        let isNew = state.withLock { state in
            state.places.count < Self.mostPlaces && state.places.insert(place).inserted
        }
        if isNew { post(.damageFound(error)) }
    }

    /// Counts a merge without a commit.
    func noteMerge(_ error: StoreError) {
        state.withLock { $0.mergeFailures[error.kind, default: 0] += 1 }
        note(error)
        post(.mergeFailed(error))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import Dispatch
import FileSystem
import Foundation
import HealthCatalog
import HealthModel
import Synchronization

/// The shared state of a session and its builder: the stored row, the lock of the owner, and the queues.
final class SessionCore: Sendable {
    /// The number of the row. It is random, so that it is never used again.
    let id: Int64
    let uuid: UUID
    /// The store of the session, and whether the start of the session may replace it.
    private let home: Mutex<(store: HKHealthStore, isOpen: Bool)>
    /// Runs the session's commands, one after the other.
    let commands = DispatchQueue(label: "kymograph.session.commands", qos: .userInitiated)
    /// Calls the delegates, one call after the other.
    let calls = DispatchQueue(label: "kymograph.session.delegates", qos: .userInitiated)

    /// The source whose clock dates the session's calls; nil for the system's clock.
    private let clock = Mutex<(any SampleSource)?>(nil)

    private struct Kept {
        var state: SessionState
        var device: String?
        var collectsEvents = true
        var types: Set<String> = []
        /// Whether the zones of the stored draft are final.
        var hasFinalZones = false
        /// The list of samples that grows, and its number; nil before the first sample.
        var part: Int64?
        var members = IdentityRuns()
        /// The list of locations that grows, and its number; nil before the first location.
        var routePart: Int64?
        var locations = RouteLocations()
        /// Whether the row exists.
        var isStored = false
        var isOver = false
        var lock: (any DiskLock)?
    }

    private let kept: Mutex<Kept>
    /// Held while the row is inserted, so that it is inserted once.
    private let insertion = Mutex(())
    /// A list with more runs of samples than this is not extended; a new list begins.
    private static let longestPart = 128
    /// A list with this number of locations, or more, is not extended; a new list begins.
    private static let mostLocations = 64
    /// The time in which a change is repeated while another process writes.
    private let patience = Mutex(Duration.seconds(60))

    /// Creates the core of a new session.
    ///
    /// - Parameter isStoreOpen: whether the store that starts the session becomes the store of the session.
    init(_ health: HKHealthStore, _ configuration: WorkoutConfiguration, isStoreOpen: Bool = false) {
        id = Int64.random(in: 1..<(1 << 40))
        uuid = ObjectIdentity.next()
        home = Mutex((health, isStoreOpen))
        kept = Mutex(Kept(state: SessionState(configuration)))
    }

    /// Creates the core of a stored session, of which this process becomes the owner.
    init(_ health: HKHealthStore, _ row: SessionRow, _ record: SessionRecord, lock: any DiskLock) {
        id = row.id
        uuid = SampleIdentity(row.uuid).uuid
        home = Mutex((health, false))
        kept = Mutex(
            Kept(
                state: record.state, device: record.device, collectsEvents: record.collectsEvents, types: record.types,
                hasFinalZones: record.draft.hasFinalZones, isStored: true, lock: lock))
    }

    var health: HKHealthStore { home.withLock { $0.store } }

    /// Sets the store of a session that was created without one. No effect on other sessions, and later.
    func adopt(_ store: HKHealthStore) {
        home.withLock { home in
            if home.isOpen { home = (store, false) }
        }
    }

    var state: SessionState { kept.withLock { $0.state } }
    /// The present time.
    var now: Date { clock.withLock { $0 }?.currentDate ?? Date() }

    func use(clockOf source: (any SampleSource)?) { clock.withLock { $0 = source } }

    var isOver: Bool { kept.withLock { $0.isOver } }
    var isStored: Bool { kept.withLock { $0.isStored } }

    var collectsEvents: Bool {
        get { kept.withLock { $0.collectsEvents } }
        set { kept.withLock { $0.collectsEvents = newValue } }
    }

    func set(device: String?) { kept.withLock { $0.device = device } }

    // MARK: - A busy store

    /// Sets how long a change is repeated while another process writes; 60 s by default.
    func set(patience time: Duration) { patience.withLock { $0 = time } }

    /// Makes a change, and repeats it while another process writes.
    ///
    /// - Throws: the error of the last attempt.
    func patiently<Result>(_ change: () throws(HKError) -> Result) throws(HKError) -> Result {
        let clock = ContinuousClock()
        let end = clock.now + patience.withLock { $0 }
        while true {
            do throws(HKError) { return try change() } catch {
                if !error.isBusy || clock.now >= end { throw error }
            }
        }
    }

    // MARK: - The owner's lock

    /// Returns the byte of LOCK that the owner of a session locks. Other locks of the file are at smaller bytes.
    static func lockByte(_ id: Int64) -> Int64 { 1 << 61 + id }

    /// Takes the lock of a session; nil if its owner lives.
    static func lock(_ id: Int64, _ store: HealthStore) throws(HKError) -> (any DiskLock)? {
        try HKError.converting {
            try store.engine.disk.lock(store.path + "/LOCK", exclusive: true, byte: lockByte(id))
        }
    }

    // MARK: - Changes

    /// Makes a state and a draft durable in one commit, together with samples. Then the state is visible.
    ///
    /// - Parameters:
    ///   - state: the new state; nil for the present one.
    ///   - samples: samples that the draft includes.
    ///   - isSaving: whether some of the samples may be unsaved.
    func keep(
        _ state: SessionState?, _ draft: WorkoutDraft, _ samples: [HKSample] = [], isSaving: Bool = false
    ) throws(HKError) {
        if isStored { return try write(state, draft, samples, isSaving) }
        try insertion.withLock { _ throws(HKError) in try write(state, draft, samples, isSaving) }
    }

    /// Makes a session durable that is not stored yet.
    private func insert(_ draft: WorkoutDraft) throws(HKError) {
        try insertion.withLock { _ throws(HKError) in
            if !isStored { try write(nil, draft, [], false) }
        }
    }

    private func write(
        _ state: SessionState?, _ draft: WorkoutDraft, _ samples: [HKSample], _ isSaving: Bool
    ) throws(HKError) {
        let store = try health.store()
        let next = try prepared(state, draft, samples, store)
        let row = next.row
        let (part, body, id) = (next.part, next.partBody, id)
        let starts = state?.state.isActive ?? false && !self.state.state.isActive
        let number = Mutex<Int64?>(part)
        let alongside: @Sendable (CatalogTransaction) throws -> Void = { transaction in
            if starts { try store.makeRoom(forSession: id, of: row.client, transaction) }
            if next.isNew {
                try HealthCatalog.insert(row, transaction)
            } else if next.isRowChanged {
                try HealthCatalog.update(session: id, isActive: row.isActive, body: row.body, transaction)
            }
            guard let body else { return }
            let kept = try HealthCatalog.keep(
                part: part, ofSession: id, count: Int64(clamping: next.members.count), body: body, transaction)
            number.withLock { $0 = kept }
        }
        if samples.isEmpty || !isSaving {
            try store.write(alongside)
        } else {
            try store.saveNew(samples, as: health.revision, alongside: alongside)
        }
        kept.withLock { kept in
            kept.isStored = true
            kept.types = next.types
            kept.hasFinalZones = draft.hasFinalZones
            if let state { kept.state = state }
            if body != nil {
                let isFull = next.members.runs.count > Self.longestPart
                kept.part = isFull ? nil : number.withLock { $0 }
                kept.members = isFull ? IdentityRuns() : next.members
            }
        }
    }

    /// The rows of a change.
    private struct Change: Sendable {
        var row: SessionRow
        var isNew: Bool
        var isRowChanged: Bool
        var types: Set<String>
        var part: Int64?
        var partBody: [UInt8]?
        var members: IdentityRuns
    }

    private func prepared(
        _ state: SessionState?, _ draft: WorkoutDraft, _ samples: [HKSample], _ store: HealthStore
    ) throws(HKError) -> Change {
        var kept = kept.withLock { $0 }
        if kept.isOver { throw Self.over }
        if kept.lock == nil, !kept.isStored {
            kept.lock = try Self.lock(id, store)
            let lock = kept.lock
            self.kept.withLock { $0.lock = lock }
        }
        let types = kept.types.union(samples.lazy.map(\.sampleType.identifier))
        let isRowChanged =
            samples.isEmpty || types != kept.types || draft.hasFinalZones != kept.hasFinalZones
        var record = SessionRecord(state: state ?? kept.state, draft: draft, device: kept.device)
        record.collectsEvents = kept.collectsEvents
        record.types = types
        let row = SessionRow(
            id: id, uuid: SampleIdentity(uuid).bytes, client: health.revision.source.bundleIdentifier,
            isActive: record.state.state.isActive, body: isRowChanged || !kept.isStored ? record.body : [])
        var change = Change(
            row: row, isNew: !kept.isStored, isRowChanged: isRowChanged, types: types, part: kept.part,
            members: kept.members)
        if !samples.isEmpty {
            change.members.insert(samples)
            change.partBody = SessionPart.samples(change.members).body
        }
        return change
    }

    /// Makes locations and metadata of the workout's route durable, in one commit.
    func keep(
        _ locations: RouteLocations, _ metadata: HealthMetadataValues, _ draft: WorkoutDraft
    ) throws(HKError) {
        try insert(draft)
        let store = try health.store()
        let (isOver, part, before) = kept.withLock { ($0.isOver, $0.routePart, $0.locations) }
        if isOver { throw Self.over }
        var all = before
        all.append(locations)
        // Metadata is written once, so a list with metadata is not extended.
        let list = SessionPart.locations(metadata.isEmpty ? all : locations, metadata)
        let (id, body, count) = (id, list.body, list.count)
        let number = Mutex<Int64?>(part)
        try store.write { transaction in
            let kept = try HealthCatalog.keep(
                part: metadata.isEmpty ? part : nil, ofSession: id, count: count, body: body, transaction)
            number.withLock { $0 = kept }
        }
        kept.withLock { kept in
            let isFull = !metadata.isEmpty || all.count >= Self.mostLocations
            kept.routePart = isFull ? nil : number.withLock { $0 }
            kept.locations = isFull ? RouteLocations() : all
        }
    }

    /// Removes the locations of a discarded route.
    func discardLocations() {
        guard isStored, let store = try? health.store() else { return }
        try? store.write { [id] transaction in
            for part in try HealthCatalog.parts(ofSession: id, transaction) {
                guard case .locations = try SessionPart(part.body) else { continue }
                try HealthCatalog.remove(sessionPart: part.id, transaction)
            }
        }
        kept.withLock { kept in
            kept.routePart = nil
            kept.locations = RouteLocations()
        }
    }

    private static let over = HKError(
        .errorInvalidArgument, reason: "the workout is over", place: "HKLiveWorkoutBuilder",
        advice: "create a new session")

    /// Returns the removal of the session's rows, for the commit that saves its workout.
    func removal() -> (@Sendable (CatalogTransaction) throws -> Void)? {
        guard isStored else { return nil }
        return { [id] transaction in try HealthCatalog.remove(session: id, transaction) }
    }

    /// Sets the state of a mirror to the state of the primary session.
    func adopt(_ state: SessionState) { kept.withLock { $0.state = state } }

    /// Marks the session as over, after its rows were removed.
    func noteOver() {
        let lock = kept.withLock { kept in
            defer { kept.lock = nil }
            kept.isOver = true
            return kept.lock
        }
        lock?.release()
    }

    /// Ends the session without storing its state, for a session that failed or whose workout is saved.
    func fail(_ date: Date) -> [SessionState.Effect] { kept.withLock { $0.state.apply(.fail(date)) } }
}

extension IdentityRuns {
    /// Inserts the identities of samples, with the range of their starts.
    ///
    /// - Returns: for each sample whether it is new.
    @discardableResult
    mutating func insert(_ samples: [HKSample]) -> [Bool] {
        for sample in samples {
            // The quantities of a series may start after the start of the series.
            let isSeries = (sample as? HKQuantitySample).map { $0.count > 1 } ?? false
            let last = isSeries ? sample.endDate : sample.startDate
            let first = min(starts?.lowerBound ?? sample.startDate, sample.startDate)
            starts = first...max(starts?.upperBound ?? last, last)
        }
        return insert(samples.map(\.uuid.halves))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import Dispatch
import FileSystem
import HealthCatalog
public import HealthModel

extension HKHealthStore {
    /// Returns the workout session of this program whose process is gone; nil without such a session.
    ///
    /// The session and its builder have their last state. Do not start them again, but set the delegates and the data
    /// source. The calling process owns the session then.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func recoverActiveWorkoutSession() async throws -> HKWorkoutSession? {
        try await BlockingQueue.result { () throws(HKError) in try self.recover() }
    }

    /// Passes the workout session of this program whose process is gone to a handler, which is called on a thread of
    /// the store. See ``recoverActiveWorkoutSession()``.
    @preconcurrency public func recoverActiveWorkoutSession(
        completion: @escaping @Sendable (HKWorkoutSession?, (any Error)?) -> Void
    ) {
        BlockingQueue.run {
            do throws(HKError) {
                completion(try self.recover(), nil)
            } catch {
                completion(nil, error)
            }
        }
    }

    private func recover() throws(HKError) -> HKWorkoutSession? {
        let store = try store()
        let rows = try HKError.converting {
            _ = try store.currentView()
            return try store.catalog([SessionRow]()) { try HealthCatalog.sessions($0) }
        }
        // The active session first; at most one session is active.
        let own = rows.filter { $0.client == revision.source.bundleIdentifier }
        var failure: HKError?
        for row in own.filter(\.isActive) + own.filter({ !$0.isActive }) {
            guard let lock = try SessionCore.lock(row.id, store) else { continue }
            do throws(HKError) { return try session(row, lock, store) } catch { failure = failure ?? error }
        }
        // A damaged row does not hide an intact row.
        if let failure { throw failure }
        return nil
    }

    /// Creates the session of a stored row, and computes the statistics of its samples.
    private func session(
        _ row: SessionRow, _ lock: any DiskLock, _ store: HealthStore
    ) throws(HKError) -> HKWorkoutSession {
        do {
            var record = try SessionRecord(row.body)
            let (members, locations, metadata) = try lists(of: row.id, store)
            try record.draft.restore(members, record.types, from: store)
            let core = SessionCore(self, row, record, lock: lock)
            let session = HKWorkoutSession(core, record.draft, record.device.map { HKDevice(description: $0) })
            if locations.count > 0 || !metadata.isEmpty {
                session.associatedWorkoutBuilder().restore(locations, metadata)
            }
            ActiveSessions.add(session, row.id)
            session.resumeAfterRecovery(isInterrupted: row.isInterrupted, store)
            return session
        } catch {
            lock.release()
            throw HKError(any: error)
        }
    }

    /// Returns the samples of a stored session, and the locations and metadata of its route.
    private func lists(
        of session: Int64, _ store: HealthStore
    ) throws -> (IdentityRuns, RouteLocations, HealthMetadataValues) {
        var (members, all, metadata) = (IdentityRuns(), RouteLocations(), HealthMetadataValues())
        let parts = try store.catalog([(id: Int64, body: [UInt8])]()) {
            try HealthCatalog.parts(ofSession: session, $0)
        }
        for part in parts {
            switch try SessionPart(part.body) {
            case .samples(let some): members = members.union(some)
            case .locations(let some, let added):
                all.append(some)
                metadata = metadata.merging(added) { _, new in new }
            }
        }
        return (members, all, metadata)
    }

    // MARK: - Older calls

    /// Starts a session. A session that was created from an activity type and a location becomes a session of this
    /// store.
    @available(*, deprecated, message: "use HKWorkoutSession.startActivity(with:)")
    public func start(_ workoutSession: HKWorkoutSession) {
        workoutSession.core.adopt(self)
        workoutSession.startActivity(with: nil)
    }

    /// Ends a session.
    @available(*, deprecated, message: "use HKWorkoutSession.end()")
    public func end(_ workoutSession: HKWorkoutSession) { workoutSession.end() }

    /// Pauses a session.
    @available(*, deprecated, message: "use HKWorkoutSession.pause()")
    public func pause(_ workoutSession: HKWorkoutSession) { workoutSession.pause() }

    /// Resumes a session.
    @available(*, deprecated, message: "use HKWorkoutSession.resume()")
    public func resumeWorkoutSession(_ workoutSession: HKWorkoutSession) { workoutSession.resume() }

    /// Fails, because there is no watch. See ``startWatchApp(toHandle:)``.
    @preconcurrency public func startWatchApp(
        with workoutConfiguration: HKWorkoutConfiguration, completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in throw Self.noWatch }
    }

    /// Fails, because there is no watch on which an app could be started.
    ///
    /// - Throws: ``HKError``: `errorHealthDataUnavailable`, always.
    public func startWatchApp(toHandle workoutConfiguration: HKWorkoutConfiguration) async throws { throw Self.noWatch }

    private static let noWatch = HKError(
        .errorHealthDataUnavailable, reason: "there is no watch", place: "startWatchApp",
        advice: "start a session in this process, and attach a SampleSource for its sensors")
}

extension WorkoutDraft {
    /// Restores the samples and statistics of a stored draft.
    mutating func restore(_ members: IdentityRuns, _ types: Set<String>, from store: HealthStore) throws {
        include(members)
        for type in types.sorted() where HealthTypes.type(for: type).kind == .quantity {
            let type = HKQuantityType(HKQuantityTypeIdentifier(rawValue: type))
            try store.search(SampleSearch(type: type, predicate: .identities(members), limit: 1)) { batch in
                if let first = batch.samples.first as? HKQuantitySample { tally.expect(type, in: first.quantity.unit) }
                return false
            }
            try store.count(type, of: members, again: &tally)
        }
    }
}

extension HKWorkoutSession {
    /// Continues a recovered session: starts its sources, and follows the sessions of other programs.
    func resumeAfterRecovery(isInterrupted: Bool, _ store: HealthStore) {
        if isInterrupted {
            core.commands.async { [self] in
                fail(
                    HKError(
                        .errorAnotherWorkoutSessionStarted, reason: "another program started a workout session",
                        place: "HKWorkoutSession"))
            }
        } else if state.isActive {
            core.commands.async { [self] in resumeSources(store) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FileSystem
import HealthCatalog
import HealthModel
import Synchronization

/// A watch for sessions that other processes of the program start to mirror.
final class MirrorWatch: Sendable {
    private struct State {
        var handler: (@Sendable (HKWorkoutSession) -> Void)?
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    var handler: (@Sendable (HKWorkoutSession) -> Void)? { state.withLock { $0.handler } }

    /// Sets the handler. Nil ends the watch.
    func set(_ handler: (@Sendable (HKWorkoutSession) -> Void)?, _ health: HKHealthStore) {
        let new: Task<Void, Never>? =
            handler == nil
            ? nil
            : Task { [weak self, weak health] in
                let found = try? await BlockingQueue.result { [weak health] () throws(HKError) in
                    try health?.store().engine
                }
                guard let engine = found ?? nil else { return }
                for await _ in engine.commits() {
                    // Neither is held between commits.
                    guard !Task.isCancelled, let self, let health else { return }
                    try? await BlockingQueue.result { () throws(HKError) in try self.look(health) }
                }
            }
        let old = state.withLock { state in
            defer { (state.handler, state.task) = (handler, new) }
            return state.task
        }
        old?.cancel()
    }

    /// Connects to the sessions that wait for a mirror.
    private func look(_ health: HKHealthStore) throws(HKError) {
        let store = try health.store()
        let rows = try HKError.converting {
            _ = try store.currentView()
            return try store.catalog([SessionRow]()) { try HealthCatalog.sessions($0) }
        }
        for row in rows where row.client == health.revision.source.bundleIdentifier && row.isActive {
            // Not its own session.
            if let own = ActiveSessions.session(row.id), own.core.health === health { continue }
            guard let socket = try? LocalSocket.connect(in: store.path, name: MirrorName.of(row.id)),
                let record = try? SessionRecord(row.body)
            else { continue }
            let session = HKWorkoutSession(mirroring: record.state, health)
            session.follow(MirrorLink(socket)) { [handler] in handler?(session) }
        }
    }

    deinit { state.withLock { $0.task }?.cancel() }
}

extension HKHealthStore {
    /// The handler of mirrored sessions. It receives each session that another process of this program starts to
    /// mirror, also after a reconnection, on a thread of the store. Set it soon after the launch of the program.
    ///
    /// Set the delegate of the session in the handler. The session follows its primary session after the handler has
    /// returned, so that the delegate misses no change.
    @preconcurrency public var workoutSessionMirroringStartHandler: (@Sendable (HKWorkoutSession) -> Void)? {
        get { mirrors.handler }
        set { mirrors.set(newValue, self) }
    }
}

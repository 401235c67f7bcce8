// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import HealthCatalog
import HealthModel
import Synchronization

/// The sessions of this process that are not over. They are retained, so that a program may drop its reference.
enum ActiveSessions {
    private static let sessions = Mutex<[Int64: HKWorkoutSession]>([:])

    static func add(_ session: HKWorkoutSession, _ id: Int64) { sessions.withLock { $0[id] = session } }

    static func remove(_ id: Int64) {
        // Released outside of the lock: the last reference may end a session's queues.
        let gone = sessions.withLock { $0.removeValue(forKey: id) }
        withExtendedLifetime(gone) {}
    }

    static func session(_ id: Int64) -> HKWorkoutSession? { sessions.withLock { $0[id] } }
}

extension HealthStore {
    /// Makes room for a session: one is primary at a time.
    ///
    /// Sessions of other programs are ended. Sessions whose process is gone do not count.
    /// - Throws: `errorAnotherWorkoutSessionStarted` if another session of the program is active.
    func makeRoom(forSession id: Int64, of client: String) throws(HKError) {
        let others = try HKError.converting {
            try catalog([SessionRow]()) { try HealthCatalog.sessions($0) }.filter { $0.id != id && $0.isActive }
        }
        var ended: [Int64] = []
        for other in others {
            if let lock = try SessionCore.lock(other.id, self) {
                // Its owner is gone: it can be recovered, but it does not run.
                lock.release()
                continue
            }
            if other.client == client {
                throw HKError(
                    .errorAnotherWorkoutSessionStarted, reason: "another workout session of this program is active",
                    place: "HKWorkoutSession", advice: "end it before you start another one")
            }
            ended.append(other.id)
        }
        if ended.isEmpty { return }
        let interrupted = ended
        try write { transaction in
            for id in interrupted { try HealthCatalog.interrupt(session: id, transaction) }
        }
    }

    /// Whether another program's session ended a session.
    func isInterrupted(session id: Int64) throws(HKError) -> Bool {
        try HKError.converting {
            try catalog(false) { try HealthCatalog.session(id: id, $0)?.isInterrupted ?? false }
        }
    }
}

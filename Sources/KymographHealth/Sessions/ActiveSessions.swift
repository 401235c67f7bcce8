// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import HealthCatalog
import HealthModel
import Synchronization

/// The sessions of this process that are not over. They are retained, so a program may release its reference.
enum ActiveSessions {
    private static let sessions = Mutex<[Int64: HKWorkoutSession]>([:])

    static func add(_ session: HKWorkoutSession, _ id: Int64) { sessions.withLock { $0[id] = session } }

    static func remove(_ id: Int64) {
        // Released outside of the lock, because the last release may end the queues of a session.
        let gone = sessions.withLock { $0.removeValue(forKey: id) }
        withExtendedLifetime(gone) {}
    }

    static func session(_ id: Int64) -> HKWorkoutSession? { sessions.withLock { $0[id] } }
}

extension HealthStore {
    /// Interrupts all other active sessions, in the commit in which a session becomes active.
    ///
    /// An interrupted session whose process is gone can still be recovered, and then ends.
    /// - Throws: `errorAnotherWorkoutSessionStarted` if another session of the program is active.
    func makeRoom(forSession id: Int64, of client: String, _ transaction: CatalogTransaction) throws {
        for other in try HealthCatalog.sessions(transaction) where other.id != id && other.isActive {
            if other.client == client {
                guard let lock = try SessionCore.lock(other.id, self) else {
                    throw HKError(
                        .errorAnotherWorkoutSessionStarted, reason: "another workout session of this program is active",
                        place: "HKWorkoutSession", advice: "end it before you start another session")
                }
                lock.release()
            }
            try HealthCatalog.interrupt(session: other.id, transaction)
        }
    }

    /// Returns whether a session of another program interrupted a session.
    func isInterrupted(session id: Int64) throws(HKError) -> Bool {
        try HKError.converting {
            try catalog(false) { try HealthCatalog.session(id: id, $0)?.isInterrupted ?? false }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FileSystem
import HealthCatalog

/// A workout session that is not over, as other programs see it.
package struct StoredWorkoutSession: Sendable, Hashable {
    /// A number that is never used again.
    package var id: Int64
    /// The bundle identifier of the program.
    package var client: String
    /// Whether a process owns the session. A session without an owner can be recovered by its program.
    package var isOwned: Bool

    package init(id: Int64, client: String, isOwned: Bool) {
        self.id = id
        self.client = client
        self.isOwned = isOwned
    }
}

extension HealthStore {
    /// Returns the workout sessions that are not over. Takes no lock, so that a concurrent recovery succeeds.
    package func storedSessions() throws -> [StoredWorkoutSession] {
        let first = try sessionRows()
        if first.isEmpty { return [] }
        var owned: Set<Int64> = []
        for row in first where try isOwned(session: row.id) { owned.insert(row.id) }
        if owned.count == first.count {
            return first.map { StoredWorkoutSession(id: $0.id, client: $0.client, isOwned: true) }
        }
        // A session that ended after the first read has no owner and no row.
        let present = Set(try sessionRows().map(\.id))
        return first.filter { present.contains($0.id) }.map {
            StoredWorkoutSession(id: $0.id, client: $0.client, isOwned: owned.contains($0.id))
        }
    }

    private func sessionRows() throws -> [SessionRow] {
        _ = try currentView()
        return try catalog([SessionRow]()) { try HealthCatalog.sessions($0) }
    }

    private func isOwned(session id: Int64) throws -> Bool {
        let byte = SessionCore.lockByte(id)
        return try engine.disk.firstLockedByte(path + "/LOCK", in: byte..<byte + 1) != nil
    }
}

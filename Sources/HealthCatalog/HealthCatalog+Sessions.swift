// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import SQLiteConnection

/// A workout session that is not over, with its builder.
package struct SessionRow: Sendable, Hashable {
    /// A random number, so that a number is never used again: the owner of a session holds a lock with its number.
    package var id: Int64
    /// The identity of the future workout, 16 bytes.
    package var uuid: [UInt8]
    /// The bundle identifier of the program.
    package var client: String
    /// Whether the session is prepared, running, paused or stopped.
    package var isActive: Bool
    /// Whether another program's session ended it.
    package var isInterrupted: Bool
    /// The caller's encoding of session and builder, without the samples.
    package var body: [UInt8]

    package init(
        id: Int64, uuid: [UInt8], client: String, isActive: Bool, isInterrupted: Bool = false, body: [UInt8]
    ) {
        self.id = id
        self.uuid = uuid
        self.client = client
        self.isActive = isActive
        self.isInterrupted = isInterrupted
        self.body = body
    }
}

// Workout sessions in progress, in tables beside the formats: programs that do not know them ignore them. The first
// session creates them.
extension HealthCatalog {
    private static func hasSessions(_ transaction: CatalogTransaction) throws -> Bool {
        try transaction.hasRows("SELECT 1 FROM sqlite_schema WHERE name=?", ["workout_session"])
    }

    private static let sessionColumns = "id,uuid,client,active,interrupted,body"

    private static func sessionRow(_ row: RowReader) throws -> SessionRow {
        SessionRow(
            id: try row.int(0), uuid: try row.blob(1, count: 16, "the identity of a workout session"),
            client: try row.text(2), isActive: try row.int(3) != 0, isInterrupted: try row.int(4) != 0,
            body: try row.blob(5))
    }

    /// Returns all sessions, oldest first.
    package static func sessions(_ transaction: CatalogTransaction) throws -> [SessionRow] {
        guard try hasSessions(transaction) else { return [] }
        return try transaction.all("SELECT \(sessionColumns) FROM workout_session ORDER BY id", [], sessionRow)
    }

    /// Returns a session; nil if it is over.
    package static func session(id: Int64, _ transaction: CatalogTransaction) throws -> SessionRow? {
        guard try hasSessions(transaction) else { return nil }
        return try transaction.last("SELECT \(sessionColumns) FROM workout_session WHERE id=?", [id], sessionRow)
    }

    /// Inserts a session.
    package static func insert(_ row: SessionRow, _ transaction: CatalogTransaction) throws {
        if try !hasSessions(transaction) {
            for part in HealthSchema.sessionParts { try transaction.run(part.sql) }
        }
        let sql = "INSERT INTO workout_session(\(sessionColumns))VALUES(?,?,?,?,?,?)"
        try transaction.run(
            sql,
            [
                row.id, row.uuid, transaction.plain(row.client), row.isActive ? 1 : 0, row.isInterrupted ? 1 : 0,
                row.body,
            ])
    }

    /// Replaces the state of a session.
    package static func update(
        session id: Int64, isActive: Bool, body: [UInt8], _ transaction: CatalogTransaction
    ) throws {
        try transaction.run("UPDATE workout_session SET active=?,body=? WHERE id=?", [isActive ? 1 : 0, body, id])
    }

    /// Marks a session as ended by another program.
    package static func interrupt(session id: Int64, _ transaction: CatalogTransaction) throws {
        try transaction.run("UPDATE workout_session SET active=0,interrupted=1 WHERE id=?", [id])
    }

    /// Removes a session and its lists.
    package static func remove(session id: Int64, _ transaction: CatalogTransaction) throws {
        guard try hasSessions(transaction) else { return }
        try transaction.run("DELETE FROM workout_session WHERE id=?", [id])
        try transaction.run("DELETE FROM workout_session_part WHERE session=?", [id])
    }

    /// Removes a list of a session.
    package static func remove(sessionPart id: Int64, _ transaction: CatalogTransaction) throws {
        try transaction.run("DELETE FROM workout_session_part WHERE id=?", [id])
    }

    /// Returns the lists of a session's samples and locations, in order.
    package static func parts(
        ofSession id: Int64, _ transaction: CatalogTransaction
    ) throws -> [(id: Int64, body: [UInt8])] {
        guard try hasSessions(transaction) else { return [] }
        let sql = "SELECT id,body FROM workout_session_part WHERE session=? ORDER BY id"
        return try transaction.all(sql, [id]) { (id: try $0.int(0), body: try $0.blob(1)) }
    }

    /// Inserts a list of samples or locations, or replaces one; returns its number.
    ///
    /// - Parameters:
    ///   - id: the list; nil for a new one.
    ///   - count: the number of samples or locations in the list.
    package static func keep(
        part id: Int64?, ofSession session: Int64, count: Int64, body: [UInt8], _ transaction: CatalogTransaction
    ) throws -> Int64 {
        if let id {
            try transaction.run("UPDATE workout_session_part SET count=?,body=? WHERE id=?", [count, body, id])
            return id
        }
        try transaction.run(
            "INSERT INTO workout_session_part(session,count,body)VALUES(?,?,?)", [session, count, body])
        return try transaction.last("SELECT max(id) FROM workout_session_part") { try $0.int(0) } ?? 0
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import SQLiteConnection

/// A decision about a type, or about an object, for a client; or a request for a decision about a type.
package struct AuthorizationRow: Sendable, Hashable {
    /// The direction of a decision. Raw values are on disk.
    package enum Direction: Int64, Sendable, CaseIterable {
        case read = 1
        case share = 2
        /// Read access to one object.
        case object = 3
    }

    /// The bundle identifier of the program.
    package var client: String
    package var direction: Direction
    /// The identifier of the type.
    package var type: String
    /// The identity of the object, 16 bytes; empty for a decision about a type, and for a request for the choice of
    /// objects.
    package var object: [UInt8]
    package var isAllowed: Bool
    /// Whether a program asked, and the person did not decide yet.
    package var isPending: Bool
    /// The earliest end of readable objects of other programs, in nanoseconds since 1970-01-01 UTC; nil for no limit.
    package var since: Int64?
    /// The number of the decision in the store, in the order of decisions.
    package var number: Int64
    /// The time of the decision, in nanoseconds since 1970-01-01 UTC.
    package var decided: Int64
    /// The origin of the decision: `person`, `kymo`.
    package var origin: String

    package init(
        client: String, direction: Direction, type: String, object: [UInt8] = [], isAllowed: Bool,
        isPending: Bool = false, since: Int64? = nil, number: Int64 = 0, decided: Int64, origin: String
    ) {
        self.client = client
        self.direction = direction
        self.type = type
        self.object = object
        self.isAllowed = isAllowed && !isPending
        self.isPending = isPending
        self.since = since
        self.number = number
        self.decided = decided
        self.origin = origin
    }
}

// Decisions about access, in a table beside the formats: programs that do not know it ignore it. The first decision
// creates it.
extension HealthCatalog {
    /// The setting of the mode and of the number of the last decision: readers read the decisions again if it changed.
    package static let authorizationKey = "authorization"

    private static func hasAuthorization(_ transaction: CatalogTransaction) throws -> Bool {
        try transaction.hasRows("SELECT 1 FROM sqlite_schema WHERE name=?", ["authorization"])
    }

    private static let authorizationColumns = "client,direction,type,object,allowed,since,number,decided,origin"

    private static func authorizationRow(_ row: RowReader) throws -> AuthorizationRow? {
        guard let direction = AuthorizationRow.Direction(rawValue: try row.int(1)) else { return nil }
        return AuthorizationRow(
            client: try row.text(0), direction: direction, type: try row.text(2), object: try row.blob(3),
            isAllowed: try row.int(4) == 1, isPending: try row.int(4) == 2, since: try row.optionalInt(5),
            number: try row.int(6),
            decided: try row.int(7), origin: try row.text(8))
    }

    /// Returns the decisions for a client, by direction and type; nil for those of all clients. Decisions of a newer
    /// version's directions are left out.
    ///
    /// - Complexity: O(decisions for the client).
    package static func authorizations(
        client: String?, _ transaction: CatalogTransaction
    ) throws -> [AuthorizationRow] {
        guard try hasAuthorization(transaction) else { return [] }
        let sql = "SELECT \(authorizationColumns) FROM authorization"
        let order = " ORDER BY client,direction,type,object"
        guard let client else {
            return try transaction.all(sql + order, [], authorizationRow).compactMap(\.self)
        }
        return try transaction.all(sql + " WHERE client=?" + order, [client], authorizationRow).compactMap(\.self)
    }

    /// Stores a decision, and replaces an earlier one or a request about the same type or object. A decision about an
    /// object answers the request for the choice of objects. A request replaces nothing.
    package static func set(_ row: AuthorizationRow, _ transaction: CatalogTransaction) throws {
        if try !hasAuthorization(transaction) {
            for part in HealthSchema.authorizationParts { try transaction.run(part.sql) }
        }
        let verb = row.isPending ? "IGNORE" : "REPLACE"
        let sql = "INSERT OR \(verb) INTO authorization(\(authorizationColumns))VALUES(?,?,?,?,?,?,?,?,?)"
        try transaction.run(
            sql,
            [
                transaction.plain(row.client), row.direction.rawValue, transaction.plain(row.type), row.object,
                row.isPending ? 2 : row.isAllowed ? 1 : 0, row.since, row.number, row.decided,
                transaction.plain(row.origin),
            ])
        if row.direction == .object, !row.isPending {
            var request = row
            request.object = []
            try remove(request, transaction)
        }
    }

    /// Removes the decisions and requests of a time and earlier for a client; nil removes those of all clients.
    static func removeAuthorizations(
        client: String?, upTo time: Int64, _ transaction: CatalogTransaction
    ) throws {
        guard try hasAuthorization(transaction) else { return }
        if let client {
            let sql = "DELETE FROM authorization WHERE client=? AND decided<=?"
            try transaction.run(sql, [transaction.plain(client), time])
        } else {
            try transaction.run("DELETE FROM authorization WHERE decided<=?", [time])
        }
    }

    /// Removes one decision or request.
    package static func remove(_ row: AuthorizationRow, _ transaction: CatalogTransaction) throws {
        guard try hasAuthorization(transaction) else { return }
        try transaction.run(
            "DELETE FROM authorization WHERE client=? AND direction=? AND type=? AND object=?",
            [transaction.plain(row.client), row.direction.rawValue, transaction.plain(row.type), row.object])
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Bytes
import Catalog
package import HealthCatalog

/// The person's characteristics and settings, and the decisions about programs: all of them, as one store has them.
/// Two stores that take each other's values have the same ones, in any order.
package struct SyncValues: Sendable, Hashable {
    package var values: [PersonValueRow] = []
    package var decisions: [AuthorizationRow] = []
    package var resets: [AuthorizationResetRow] = []

    package init() {}

    /// Reads the values of a store.
    ///
    /// - Parameter store: the id of the store.
    init(of store: [UInt8], _ transaction: CatalogTransaction) throws {
        values = try HealthCatalog.personValues(of: store, transaction)
        resets = try HealthCatalog.authorizationResets(transaction)
        decisions = try HealthCatalog.authorizations(client: nil, transaction).map { row in
            var row = row
            // Numbers of decisions order them in one store only.
            row.number = 0
            return row
        }
    }

    /// Keeps only the characteristics of some types.
    mutating func keepCharacteristics(_ types: Set<String>) {
        values.removeAll { $0.kind != .characteristic || !types.contains($0.key) }
        (decisions, resets) = ([], [])
    }

    /// Throws unless all times are those of changes that happened.
    func check() throws(HealthStoreError) {
        let times = values.map(\.at) + resets.map(\.at) + decisions.map(\.decided)
        // A local change counts after each known one: there must be later times.
        guard times.allSatisfy({ (0..<Int64.max / 2).contains($0) }) else {
            throw HealthStoreError(.corrupt, "a setting or decision of the other store has a time that cannot be right")
        }
        let isForeign = values.contains { row in
            row.kind == .setting && !HealthCatalog.personSettings.contains(where: row.key.hasPrefix)
        }
        if isForeign { throw HealthStoreError(.corrupt, "the other store sends settings that belong to one store") }
        let texts =
            values.flatMap { [$0.key, $0.value ?? ""] } + resets.map(\.client)
            + decisions.flatMap { [$0.client, $0.type, $0.origin] }
        if texts.contains(where: { $0.utf8.contains(0) }) {
            throw HealthStoreError(.corrupt, "a setting or decision of the other store has a NUL character")
        }
    }

    package var isEmpty: Bool { values.isEmpty && decisions.isEmpty && resets.isEmpty }

    /// A number that is equal for equal values, and 0 for none.
    var digest: Int64 { isEmpty ? 0 : HealthCatalog.digest(bytes) }

    // MARK: - Merging

    /// Merges the values into those of a store.
    ///
    /// - Returns: the number of changed values, and the uses of rules.
    func merge(
        into store: [UInt8], _ transaction: CatalogTransaction
    ) throws -> (changed: Int, conflicts: [SyncConflict]) {
        var merging = try Merging(transaction)
        try merging.merge(values, try HealthCatalog.personValues(of: store, transaction))
        let known = try HealthCatalog.authorizationResets(transaction)
        for row in resets where known.first(where: { $0.client == row.client })?.at ?? .min < row.at {
            try HealthCatalog.reset(row, transaction)
            merging.count(.reset, row.client.isEmpty ? "all programs" : row.client)
            merging.changesDecisions = true
        }
        try merging.merge(decisions)
        if merging.changesDecisions {
            // Readers read the decisions again.
            try HealthCatalog.set(
                setting: HealthCatalog.authorizationKey, to: merging.state.text, transaction)
        }
        return (merging.changed, merging.conflicts)
    }

    private struct Merging {
        let transaction: CatalogTransaction
        var state: AuthorizationState
        var changed = 0
        var changesDecisions = false
        var conflicts: [SyncConflict] = []

        init(_ transaction: CatalogTransaction) throws {
            self.transaction = transaction
            state = AuthorizationState(try HealthCatalog.setting(HealthCatalog.authorizationKey, transaction))
            state.number &+= 1
        }

        /// Counts a change, and the rule that decided about it, if the store had another value.
        mutating func count(_ rule: SyncRule?, _ subject: String) {
            changed += 1
            guard let rule else { return }
            conflicts.append(SyncConflict(rule: rule, subject: subject))
        }

        mutating func merge(_ theirs: [PersonValueRow], _ ours: [PersonValueRow]) throws {
            let known = Dictionary(ours.map { ([$0.kind.rawValue, $0.key], $0) }) { first, _ in first }
            for row in theirs {
                let own = known[[row.kind.rawValue, row.key]]
                if let own, !row.isLater(than: own) {
                    if own.value != row.value { conflicts.append(SyncConflict(rule: .laterValue, subject: row.key)) }
                    continue
                }
                try HealthCatalog.set(row, transaction)
                if own?.value != row.value { count(own == nil ? nil : .laterValue, row.key) }
            }
        }

        mutating func merge(_ rows: [AuthorizationRow]) throws {
            let resets = Dictionary(
                try HealthCatalog.authorizationResets(transaction).map { ($0.client, $0.at) }, uniquingKeysWith: max)
            var known: [String: [AuthorizationRow]] = [:]
            for row in rows {
                if row.decided <= max(resets[row.client] ?? .min, resets[""] ?? .min) { continue }
                if known[row.client] == nil {
                    known[row.client] = try HealthCatalog.authorizations(client: row.client, transaction)
                }
                let ours = known[row.client] ?? []
                let own = ours.first { $0.isAbout(row) }
                guard let rule = rule(row, own, ours) else { continue }
                if let own { try HealthCatalog.remove(own, transaction) }
                let request = ours.first { $0.direction == .object && $0.type == row.type && $0.object.isEmpty }
                try put(row, request)
                if let place = ours.firstIndex(where: { $0.isAbout(row) }) {
                    known[row.client]?[place] = row
                } else {
                    known[row.client]?.append(row)
                }
                count(own == nil && !row.isPending ? nil : rule, "\(row.client), \(row.type)")
                changesDecisions = true
            }
        }

        /// Stores a decision. A request for the choice of objects that was answered later is removed.
        private func put(_ row: AuthorizationRow, _ request: AuthorizationRow?) throws {
            var row = row
            row.number = state.number
            guard row.direction == .object, !row.isPending else { return try HealthCatalog.set(row, transaction) }
            try HealthCatalog.set(row, transaction)
            if let request, request.isPending, request.decided > row.decided {
                try HealthCatalog.set(request, transaction)
            }
        }

        /// Returns the rule by which a decision of the other store replaces that of this store; nil if it does not.
        private func rule(_ row: AuthorizationRow, _ own: AuthorizationRow?, _ ours: [AuthorizationRow]) -> SyncRule? {
            if row.isPending {
                let isAnswered = ours.contains {
                    row.direction == .object && $0.direction == .object && $0.type == row.type && !$0.isPending
                        && $0.decided >= row.decided
                }
                guard let own else { return isAnswered ? nil : .request }
                return own.isPending && row.decided < own.decided ? .request : nil
            }
            guard let own else { return .laterDecision }
            if own.isPending { return .answer }
            if row.decided != own.decided { return row.decided > own.decided ? .laterDecision : nil }
            if row.isAllowed != own.isAllowed { return row.isAllowed ? nil : .denial }
            // The narrower permission.
            if row.since != own.since { return row.since ?? .min > own.since ?? .min ? .denial : nil }
            return row.origin > own.origin ? .laterDecision : nil
        }
    }

    // MARK: - Bytes

    /// The values as bytes; `Docs/Format/Sync.md` has the form.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.put(varint: UInt64(values.count))
        for row in values {
            writer.put(string: row.kind.rawValue)
            writer.put(string: row.key)
            writer.put(row.value == nil ? 0 : 1 as UInt8)
            if let value = row.value { writer.put(string: value) }
            writer.put(row.at)
            writer.put(bytes: row.store)
        }
        writer.put(varint: UInt64(resets.count))
        for row in resets {
            writer.put(string: row.client)
            writer.put(row.at)
        }
        writer.put(varint: UInt64(decisions.count))
        for row in decisions {
            writer.put(string: row.client)
            writer.put(UInt8(row.direction.rawValue))
            writer.put(string: row.type)
            writer.put(varint: UInt64(row.object.count))
            writer.put(bytes: row.object)
            writer.put(row.isPending ? 2 : row.isAllowed ? 1 : 0 as UInt8)
            writer.put(row.since == nil ? 0 : 1 as UInt8)
            if let since = row.since { writer.put(since) }
            writer.put(row.decided)
            writer.put(string: row.origin)
        }
        return writer.bytes
    }

    /// Decodes values. Of a kind or direction that this version does not know, nothing is taken.
    package init(_ reader: inout ByteReader) throws(ByteError) {
        for _ in 0..<(try Self.count(&reader)) {
            let (kind, key) = (PersonValueRow.Kind(rawValue: try reader.string()), try reader.string())
            let value: String? = try reader.u8() == 0 ? nil : try reader.string()
            let (at, store) = (try reader.i64(), Array(try reader.bytes(16)))
            if let kind { values.append(PersonValueRow(kind: kind, key: key, value: value, at: at, store: store)) }
        }
        for _ in 0..<(try Self.count(&reader)) {
            resets.append(AuthorizationResetRow(client: try reader.string(), at: try reader.i64()))
        }
        for _ in 0..<(try Self.count(&reader)) {
            let (client, direction, type) = (try reader.string(), Int64(try reader.u8()), try reader.string())
            let length = try reader.varint()
            guard length == 0 || length == 16 else {
                throw ByteError(offset: reader.offset, what: "an identity of \(length) bytes")
            }
            let (object, allowed) = (Array(try reader.bytes(Int(length))), try reader.u8())
            let since: Int64? = try reader.u8() == 0 ? nil : try reader.i64()
            let (decided, origin) = (try reader.i64(), try reader.string())
            guard let direction = AuthorizationRow.Direction(rawValue: direction), allowed < 3 else { continue }
            decisions.append(
                AuthorizationRow(
                    client: client, direction: direction, type: type, object: object, isAllowed: allowed == 1,
                    isPending: allowed == 2, since: since, decided: decided, origin: origin))
        }
    }

    private static func count(_ reader: inout ByteReader) throws(ByteError) -> Int {
        let count = try reader.varint()
        guard count <= UInt64(reader.remaining) else {
            throw ByteError(offset: reader.offset, what: "\(count) items in \(reader.remaining) bytes")
        }
        return Int(count)
    }
}

extension AuthorizationRow {
    /// Whether two decisions about one program are about the same type or object.
    fileprivate func isAbout(_ other: AuthorizationRow) -> Bool {
        direction == other.direction && type == other.type && object == other.object
    }
}

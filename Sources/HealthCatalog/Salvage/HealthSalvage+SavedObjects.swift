// SPDX-License-Identifier: Apache-2.0

internal import Catalog
internal import Foundation
internal import SQLiteConnection

extension HealthSalvage {
    /// Copies the saved objects and their sync identifiers.
    mutating func copySavedObjects() throws {
        if !hasObjects { return }
        let columns = "uuid,kind,type,provenance,metadata,start,\"end\",created,born,died,body"
        try copy("health_object", columns) { salvage, row in
            let id = try row.int(0)
            // An object of pruned history is no loss.
            if try row.int(5) == SavedObjectRow.prunedMetadata { return }
            let uuid = try row.blob(1, count: 16, "the identity of health object \(id)")
            let kind = try row.int(2, in: 1...Int64.max, "the kind of health object \(id)")
            let (start, end) = (try row.int(6), try row.int(7))
            let (born, died) = (try row.int(9), try row.optionalInt(10))
            let body = try row.blob(11)
            guard start <= end, died.map({ $0 > born }) ?? true, salvage.isRecord(kind, body) else {
                salvage.result.losses.append(("health object \(id) of kind \(kind) cannot be read", start, end))
                return
            }
            let provenance = try row.int(4, in: 1...Int64.max, "the provenance of health object \(id)")
            try salvage.makeUp(provenance: provenance)
            let metadata = try row.int(5, in: 0...Int64.max, "the metadata of health object \(id)")
            try salvage.makeUp(metadata: metadata)
            try salvage.insert(
                "health_object", "id," + columns,
                [
                    id, uuid, kind, salvage.new.plain(try row.text(3)), provenance, metadata, start, end,
                    try row.optionalInt(8), born, died, body,
                ])
        }
        try copySyncIdentifiers()
        try copySessions()
        try copyAuthorizations()
    }

    /// Copies the decisions about access. If the mode is lost, the repaired store enforces the decisions.
    private mutating func copyAuthorizations() throws {
        guard old.hasAny(of: ["authorization"]) else { return }
        var rows: [[String]: AuthorizationRow] = [:]
        let columns = "client,direction,type,object,allowed,since,number,decided,origin"
        take(columns, of: "authorization", by: ["client", "direction", "type", "object"]) { row in
            guard let direction = AuthorizationRow.Direction(rawValue: try row.int(1)) else { return }
            let one = AuthorizationRow(
                client: try row.text(0), direction: direction, type: try row.text(2), object: try row.blob(3),
                isAllowed: try row.int(4) == 1, isPending: try row.int(4) == 2, since: try row.optionalInt(5),
                number: try row.int(6), decided: try row.int(7), origin: try row.text(8))
            rows[[one.client, String(direction.rawValue), one.type, "\(one.object)"]] = one
        }
        for row in rows.values { try HealthCatalog.set(row, new) }
        result.rows["authorization", default: 0] += rows.count
        guard !rows.isEmpty, try HealthCatalog.setting(HealthCatalog.authorizationKey, new) == nil else { return }
        let last = rows.values.map(\.number).max() ?? 0
        try HealthCatalog.set(setting: HealthCatalog.authorizationKey, to: "enforced \(last)", new)
        result.remarks.append("the mode of authorization is lost; the store enforces the decisions now")
    }

    /// Copies the workout sessions in progress, so that a recovery finds them in the repaired store.
    private mutating func copySessions() throws {
        var kept: Set<Int64> = []
        guard old.hasAny(of: ["workout_session"]) else { return }
        try copy("workout_session", "uuid,client,active,interrupted,body") { salvage, row in
            let body = try row.blob(5)
            guard salvage.isSession(body) else {
                throw CatalogError(.corrupt, "workout session \(try row.int(0)) cannot be read", path: salvage.old.path)
            }
            let one = SessionRow(
                id: try row.int(0), uuid: try row.blob(1, count: 16, "the identity of a workout session"),
                client: try row.text(2),
                isActive: try row.int(3) != 0, isInterrupted: try row.int(4) != 0, body: body)
            try HealthCatalog.insert(one, salvage.new)
            kept.insert(one.id)
            salvage.result.rows["workout_session", default: 0] += 1
        }
        try copy("workout_session_part", "session,count,body") { salvage, row in
            let session = try row.int(1)
            guard kept.contains(session) else { return }
            guard salvage.isSessionPart(try row.blob(3)) else {
                throw CatalogError(
                    .corrupt, "a list of workout session \(session) cannot be read",
                    path: salvage.old.path)
            }
            _ = try HealthCatalog.keep(
                part: nil, ofSession: session, count: try row.int(2), body: try row.blob(3), salvage.new)
            salvage.result.rows["workout_session_part", default: 0] += 1
        }
    }

    /// Inserts a substitute for a missing provenance.
    private mutating func makeUp(provenance: Int64) throws {
        if provenances.contains(provenance) { return }
        var source = Int64(sources.count) + 1
        while sources.contains(source) { source += 1 }
        try makeUp(source)
        try insert("provenance", "id,source", [provenance, source])
        provenances.insert(provenance)
        result.remarks.append("provenance \(provenance) is lost; its objects have a source of their own now")
    }

    /// Inserts a substitute for a missing metadata set.
    private mutating func makeUp(metadata: Int64) throws {
        guard metadata > 0, try HealthCatalog.metadataBodies(ids: [metadata], new).isEmpty else { return }
        try HealthCatalog.insert([MetadataRow(id: metadata, body: placeholder(metadata))], new)
        result.remarks.append("metadata set \(metadata) is marked as lost")
    }

    private mutating func copySyncIdentifiers() throws {
        var rows: [[String]: SyncRow] = [:]
        let key = ["type", "source", "identifier"]
        take("type,source,identifier,version,uuid,start", of: "sync_identifier", by: key) { row in
            let one = SyncRow(
                type: try row.text(0), source: try row.int(1), identifier: try row.text(2), version: try row.real(3),
                uuid: try row.blob(4, count: 16, "the identity behind a sync identifier"), start: try row.int(5))
            rows[[one.type, String(one.source), one.identifier]] = one
        }
        for row in rows.values where row.version.isFinite {
            try makeUp(row.source)
            try HealthCatalog.set(row, new)
            result.rows["sync_identifier", default: 0] += 1
        }
    }
}

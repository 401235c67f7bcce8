// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import GRDB

/// The small tables of the health layer, whole: everything a caller needs to intern sources, devices and provenances
/// in memory and to number new rows.
package struct HealthSnapshot: Sendable {
    /// Whether the tables exist; if not, everything else is empty.
    package var isPrepared = false
    /// All ascending by id.
    package var sources: [SourceRow] = []
    package var devices: [DeviceRow] = []
    package var provenances: [ProvenanceRow] = []
    package var series: [HealthSeriesRow] = []
    package var characteristics: [String: String] = [:]
    /// What people chose: see `HealthCatalog.settings(_:)`.
    package var settings: [String: String] = [:]
    /// The highest number in use; new rows count on from here. 0 if there is none.
    package var lastMetadata: Int64 = 0
    package var lastObject: Int64 = 0
    package var lastDocument: Int64 = 0
    package var lastHealthObject: Int64 = 0

    package init() {}

    package static func load(_ transaction: CatalogTransaction) throws -> HealthSnapshot {
        var snapshot = HealthSnapshot()
        guard try HealthCatalog.isPrepared(transaction) else { return snapshot }
        snapshot.isPrepared = true
        try transaction.scan("SELECT id,name,bundle FROM source ORDER BY id") { row in
            snapshot.sources.append(
                SourceRow(id: try row.int(0), name: try row.text(1), bundle: try row.optionalText(2)))
        }
        try transaction.scan("SELECT id,text FROM device ORDER BY id") { row in
            snapshot.devices.append(DeviceRow(id: try row.int(0), text: try row.text(1)))
        }
        let format = try transaction.format()
        snapshot.provenances = try provenances(transaction, format: format)
        if format >= CatalogTransaction.objectFormat {
            snapshot.settings = try HealthCatalog.settings(transaction)
            try transaction.scan("SELECT ifnull(max(id),0) FROM health_object") {
                snapshot.lastHealthObject = try $0.int(0)
            }
        }
        try transaction.scan("SELECT series,type,source,unit FROM health_series ORDER BY series") { row in
            snapshot.series.append(
                HealthSeriesRow(
                    series: try row.int(0), type: try row.text(1), source: try row.int(2),
                    unit: try row.optionalText(3)))
        }
        snapshot.characteristics = try HealthCatalog.characteristics(transaction)
        let last = """
            SELECT ifnull((SELECT max(id) FROM metadata),0),ifnull((SELECT max(id) FROM object),0),\
            ifnull((SELECT max(id) FROM document),0)
            """
        try transaction.scan(last) { row in
            snapshot.lastMetadata = try row.int(0)
            snapshot.lastObject = try row.int(1)
            snapshot.lastDocument = try row.int(2)
        }
        return snapshot
    }

    /// All provenances, as a catalog of some format has them.
    static func provenances(_ transaction: CatalogTransaction, format: Int) throws -> [ProvenanceRow] {
        var found: [ProvenanceRow] = []
        let more = format >= CatalogTransaction.objectFormat ? "product,os" : "NULL,NULL"
        try transaction.scan("SELECT id,source,version,device,\(more) FROM provenance ORDER BY id") { row in
            found.append(
                ProvenanceRow(
                    id: try row.int(0), source: try row.int(1), version: try row.optionalText(2),
                    device: try row.optionalInt(3), product: try row.optionalText(4),
                    system: try row.optionalText(5)))
        }
        return found
    }
}

extension HealthCatalog {
    package static func insert(_ sources: [SourceRow], _ transaction: CatalogTransaction) throws {
        for row in sources {
            try transaction.run(
                "INSERT INTO source(id,name,bundle)VALUES(?,?,?)",
                [row.id, transaction.plain(row.name), transaction.plain(row.bundle)])
        }
    }

    package static func insert(_ devices: [DeviceRow], _ transaction: CatalogTransaction) throws {
        for row in devices {
            try transaction.run("INSERT INTO device(id,text)VALUES(?,?)", [row.id, transaction.plain(row.text)])
        }
    }

    package static func insert(_ provenances: [ProvenanceRow], _ transaction: CatalogTransaction) throws {
        for row in provenances {
            let sql = "INSERT INTO provenance(id,source,version,device,product,os)VALUES(?,?,?,?,?,?)"
            try transaction.run(
                sql,
                [
                    row.id, row.source, transaction.plain(row.version), row.device, transaction.plain(row.product),
                    transaction.plain(row.system),
                ])
        }
    }

    /// New series, or present ones with a new meaning.
    package static func insert(_ series: [HealthSeriesRow], _ transaction: CatalogTransaction) throws {
        for row in series {
            let sql = """
                INSERT INTO health_series(series,type,source,unit)VALUES(?,?,?,?) ON CONFLICT(series) DO UPDATE SET \
                type=excluded.type,source=excluded.source,unit=excluded.unit
                """
            try transaction.run(
                sql, [row.series, transaction.plain(row.type), row.source, transaction.plain(row.unit)])
        }
    }

    package static func remove(series: [Int64], _ transaction: CatalogTransaction) throws {
        for id in series { try transaction.run("DELETE FROM health_series WHERE series=?", [id]) }
    }
}

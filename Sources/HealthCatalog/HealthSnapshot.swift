// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import SQLiteConnection

/// The complete small tables of the health layer: the rows a caller needs to map sources, devices and provenances to
/// ids in memory, and to number new rows.
package struct HealthSnapshot: Sendable {
    /// Whether the tables exist; if not, all other fields are empty.
    package var isPrepared = false
    /// The format of the catalog at the last load.
    private var format = 0
    /// All rows, ascending by id.
    package var sources: [SourceRow] = []
    package var devices: [DeviceRow] = []
    package var provenances: [ProvenanceRow] = []
    package var series: [HealthSeriesRow] = []
    package var characteristics: [String: String] = [:]
    /// The settings of users and programs, see `HealthCatalog.settings(_:)`.
    package var settings: [String: String] = [:]
    /// The highest ids in use, 0 if there are none; new rows continue from them.
    package var lastMetadata: Int64 = 0
    package var lastObject: Int64 = 0
    package var lastDocument: Int64 = 0
    package var lastSavedObject: Int64 = 0

    package init() {}

    package static func load(_ transaction: CatalogTransaction) throws -> HealthSnapshot {
        var snapshot = HealthSnapshot()
        try snapshot.update(transaction)
        return snapshot
    }

    /// Adds the rows committed since the last load. Only settings and characteristics are ever changed or removed.
    ///
    /// - Complexity: O(new rows).
    package mutating func update(_ transaction: CatalogTransaction) throws {
        let format = try transaction.format()
        if !isPrepared || format != self.format {
            guard try HealthCatalog.isPrepared(transaction) else { return }
            isPrepared = true
            self.format = format
        }
        try transaction.scan("SELECT id,name,bundle FROM source WHERE id>? ORDER BY id", [sources.last?.id ?? 0]) {
            sources.append(SourceRow(id: try $0.int(0), name: try $0.text(1), bundle: try $0.optionalText(2)))
        }
        try transaction.scan("SELECT id,text FROM device WHERE id>? ORDER BY id", [devices.last?.id ?? 0]) {
            devices.append(DeviceRow(id: try $0.int(0), text: try $0.text(1)))
        }
        provenances += try Self.provenances(transaction, format: format, after: provenances.last?.id ?? .min)
        try updateSeries(transaction)
        characteristics = try HealthCatalog.characteristics(transaction)
        let last = """
            SELECT ifnull((SELECT max(id) FROM metadata),0),ifnull((SELECT max(id) FROM object),0),\
            ifnull((SELECT max(id) FROM document),0)
            """
        try transaction.scan(last) { row in
            lastMetadata = try row.int(0)
            lastObject = try row.int(1)
            lastDocument = try row.int(2)
        }
        if format < CatalogTransaction.objectFormat { return }
        settings = try HealthCatalog.settings(transaction)
        lastDocument = max(lastDocument, settings[HealthCatalog.lastDocumentKey].flatMap { Int64($0) } ?? 0)
        try transaction.scan("SELECT ifnull(max(id),0) FROM health_object") { lastSavedObject = try $0.int(0) }
    }

    /// Reads all series if there are more than before: a series keeps the id that was reserved for it when its first
    /// samples arrived, so a new one may have a smaller id than known ones.
    private mutating func updateSeries(_ transaction: CatalogTransaction) throws {
        let count = try transaction.last("SELECT count(*) FROM health_series") { try $0.int(0) }
        if count == Int64(series.count) { return }
        series = try transaction.all("SELECT series,type,source,unit FROM health_series ORDER BY series") { row in
            HealthSeriesRow(
                series: try row.int(0), type: try row.text(1), source: try row.int(2), unit: try row.optionalText(3))
        }
    }

    /// Returns the provenances after an id, from a catalog of the given format.
    static func provenances(
        _ transaction: CatalogTransaction, format: Int, after last: Int64 = .min
    ) throws -> [ProvenanceRow] {
        let more = format >= CatalogTransaction.objectFormat ? "product,os" : "NULL,NULL"
        let sql = "SELECT id,source,version,device,\(more) FROM provenance WHERE id>? ORDER BY id"
        return try transaction.all(sql, [last]) { row in
            ProvenanceRow(
                id: try row.int(0), source: try row.int(1), version: try row.optionalText(2),
                device: try row.optionalInt(3), product: try row.optionalText(4), system: try row.optionalText(5))
        }
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

    /// Inserts series, or updates existing ones.
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
}

// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import SQLiteConnection

/// The result of salvaging the health layer's tables.
package struct SalvagedHealth: Sendable {
    /// Number of rows by table.
    package var rows: [String: Int] = [:]
    /// Descriptions of lost rows, with the time of an object if known.
    package var losses: [(what: String, start: Int64?, end: Int64?)] = []
    /// Descriptions of substitutes for lost rows that other rows refer to.
    package var remarks: [String] = []

    package init() {}
}

/// Copies the health layer's tables from a damaged catalog into a new one, row by row.
package struct HealthSalvage {
    let old: CatalogSalvage
    let new: CatalogTransaction
    /// Whether a stored body can be decoded: of a metadata set, and of an element or document.
    private let isMetadata: ([UInt8]) -> Bool
    private let isBody: ([UInt8], Int64?) -> Bool
    /// Whether the body of a saved object of a kind can be decoded.
    let isRecord: (Int64, [UInt8]) -> Bool
    /// Whether the body of a workout session, and a list of its samples, can be decoded.
    let isSession: ([UInt8]) -> Bool
    let isSessionPart: ([UInt8]) -> Bool
    let isAttachment: (AttachmentRow) -> Bool
    /// The sound attached files, by identity.
    let files: [[UInt8]: AttachedFileRow]
    let placeholder: (Int64) -> [UInt8]
    var result = SalvagedHealth()
    var sources: Set<Int64> = []
    private var devices: Set<Int64> = []
    var provenances: Set<Int64> = []

    /// The decoders of the health layer, as tests.
    package struct Tests {
        /// Whether a metadata set can be decoded.
        package var isMetadata: ([UInt8]) -> Bool
        /// Whether an element or document can be decoded, to a number of bytes if that is known.
        package var isBody: ([UInt8], Int64?) -> Bool
        /// Whether the body of a saved object is valid for its kind, which is the first argument.
        package var isRecord: (Int64, [UInt8]) -> Bool
        /// Whether the body of a workout session is valid.
        package var isSession: ([UInt8]) -> Bool
        /// Whether a list of a session's samples is valid.
        package var isSessionPart: ([UInt8]) -> Bool
        /// Whether an attachment can be decoded.
        package var isAttachment: (AttachmentRow) -> Bool

        package init(
            isMetadata: @escaping ([UInt8]) -> Bool, isBody: @escaping ([UInt8], Int64?) -> Bool,
            isRecord: @escaping (Int64, [UInt8]) -> Bool, isSession: @escaping ([UInt8]) -> Bool,
            isSessionPart: @escaping ([UInt8]) -> Bool, isAttachment: @escaping (AttachmentRow) -> Bool
        ) {
            self.isMetadata = isMetadata
            self.isBody = isBody
            self.isRecord = isRecord
            self.isSession = isSession
            self.isSessionPart = isSessionPart
            self.isAttachment = isAttachment
        }
    }

    /// - Parameters:
    ///   - files: the sound attached files, by identity.
    ///   - placeholder: returns a metadata set, different for each id, that replaces a lost one.
    package init(
        _ old: CatalogSalvage, into new: CatalogTransaction, _ tests: Tests, files: [[UInt8]: AttachedFileRow],
        placeholder: @escaping (Int64) -> [UInt8]
    ) {
        self.placeholder = placeholder
        self.old = old
        self.new = new
        isMetadata = tests.isMetadata
        isBody = tests.isBody
        isRecord = tests.isRecord
        isSession = tests.isSession
        isSessionPart = tests.isSessionPart
        isAttachment = tests.isAttachment
        self.files = files
    }

    /// Copies all readable rows. A series whose own row is lost is described by the engine's labels.
    ///
    /// - Parameters:
    ///   - highestMetadata: the greatest id of a metadata set in the samples.
    ///   - used: the ids of provenances in the samples, each with a series whose samples have it.
    package consuming func run(
        _ series: [SeriesRow], highestMetadata: Int64, provenances used: [Int64: Int64]
    ) throws -> SalvagedHealth {
        old.adopt(HealthSchema.salvaged)
        guard old.hasAny(of: HealthSchema.salvagedNames) else { return result }
        try HealthCatalog.prepare(new)
        try copySources()
        try makeUpProvenances(used, series)
        try copyMetadata(highestMetadata)
        try copyObjects()
        try copyDocuments()
        try copySavedObjects()
        try copyAttachments()
        try copyRest()
        try copySeries(series)
        return result
    }

    /// Whether the old catalog has, or may have, the format of health objects.
    var hasObjects: Bool { old.tables(among: ["health_object"]) != [] || old.problem != nil }

    /// Inserts a row into the new catalog.
    mutating func insert(_ table: String, _ columns: String, _ values: StatementArguments) throws {
        let marks = columns.split(separator: ",").map { _ in "?" }.joined(separator: ",")
        do {
            try new.run("INSERT INTO \(table)(\(columns))VALUES(\(marks))", values)
        } catch let error as DatabaseError where error.resultCode == .constraint {
            throw CatalogError(.corrupt, "the row violates a constraint of its table", path: new.path)
        }
        result.rows[table, default: 0] += 1
    }

    /// Copies a table; rows for which `row` throws count as lost, except for errors of the new catalog.
    @discardableResult
    mutating func copy(
        _ table: String, key: String = "id", _ columns: String,
        _ row: (inout HealthSalvage, RowReader) throws -> Void
    ) throws -> [CatalogGap] {
        var mine = self
        var failure: (any Error)?
        let gaps = old.rows(of: table, key: key, columns: columns) { reader in
            do {
                try row(&mine, reader)
            } catch let error as DatabaseError {
                // An error of the new catalog, for example a full disk, ends the copy.
                failure = failure ?? error
                throw error
            }
        }
        self = mine
        if let failure { throw failure }
        for gap in gaps { result.losses.append(("\(gap.text): \(gap.message)", nil, nil)) }
        return gaps
    }

    private mutating func copySources() throws {
        try copy("source", "name,bundle") { salvage, row in
            let id = try row.int(0)
            try salvage.insert(
                "source", "id,name,bundle",
                [id, salvage.new.plain(try row.text(1)), salvage.new.plain(try row.optionalText(2))])
            salvage.sources.insert(id)
        }
        try copy("device", "text") { salvage, row in
            let id = try row.int(0)
            try salvage.insert("device", "id,text", [id, salvage.new.plain(try row.text(1))])
            salvage.devices.insert(id)
        }
        try copy("provenance", hasObjects ? "source,version,device,product,os" : "source,version,device,NULL,NULL") {
            salvage, row in
            let source = try row.int(1, in: 1...Int64.max, "a source")
            try salvage.makeUp(source)
            let device = try row.optionalInt(3)
            if let device { try salvage.makeUp(device: device) }
            let id = try row.int(0)
            let texts = [try row.optionalText(2), try row.optionalText(4), try row.optionalText(5)]
            try salvage.insert(
                "provenance", "id,source,version,device,product,os",
                [
                    id, source, salvage.new.plain(texts[0]), device, salvage.new.plain(texts[1]),
                    salvage.new.plain(texts[2]),
                ])
            salvage.provenances.insert(id)
        }
    }

    /// Inserts a substitute for a missing source.
    mutating func makeUp(_ source: Int64) throws {
        guard sources.insert(source).inserted else { return }
        try insert("source", "id,name", [source, "lost-name-\(source)"])
        result.remarks.append("source \(source) has lost its name and is named lost-name-\(source) now")
    }

    /// Inserts a substitute for a missing device. Without it, versions that differ only in their devices would be
    /// equal.
    private mutating func makeUp(device: Int64) throws {
        guard device > 0 else { throw CatalogError(.corrupt, "device \(device) is not positive", path: old.path) }
        guard devices.insert(device).inserted else { return }
        let text = "<<HKDevice: >, name:lost-device-\(device)>"
        try insert("device", "id,text", [device, text])
        result.remarks.append("device \(device) is lost and is named lost-device-\(device) now")
    }

    /// Inserts substitutes for missing provenances of samples. The source is that of their series; version and device
    /// are lost.
    private mutating func makeUpProvenances(_ used: [Int64: Int64], _ series: [SeriesRow]) throws {
        let labels = Dictionary(series.map { ($0.id, $0.labels) }) { first, _ in first }
        var count = 0
        for (id, series) in used.sorted(by: { $0.key < $1.key }) where id > 0 && !provenances.contains(id) {
            guard let source = labels[series]?["source"].flatMap({ Int64($0) }), source > 0 else { continue }
            try makeUp(source)
            // Substitutes have different versions, since provenances must be unique.
            try insert("provenance", "id,source,version", [id, source, "lost-version-\(id)"])
            provenances.insert(id)
            count += 1
        }
        if count > 0 {
            let what = "versions of sources are lost with their devices, and named lost-version-N now"
            result.remarks.append("\(count) \(what)")
        }
    }

    private mutating func copyMetadata(_ highest: Int64) throws {
        let gaps = try copy("metadata", "body") { salvage, row in
            let body = try row.blob(1)
            guard salvage.isMetadata(body) else {
                throw CatalogError(.corrupt, "the metadata set cannot be decoded", path: salvage.old.path)
            }
            try salvage.insert(
                "metadata", "id,hash,body", [try row.int(0), HealthCatalog.metadataHash(body), body])
        }
        // Samples with a missing metadata set would be unreadable.
        var count = 0
        for gap in gaps {
            // The range is limited: ids in damaged rows may be arbitrarily great.
            var id = gap.after
            while id < highest, id < .max, count < Self.mostPlaceholders {
                id += 1
                if let before = gap.before, id >= before { break }
                try HealthCatalog.insert([MetadataRow(id: id, body: placeholder(id))], new)
                count += 1
            }
        }
        if count > 0 { result.remarks.append("\(count) lost metadata sets are marked as lost") }
    }

    private static let mostPlaceholders = 1 << 20

    private mutating func copyObjects() throws {
        try copy("object", "kind,start,\"end\",digest,born,died,body") { salvage, row in
            let id = try row.int(0)
            let (start, end) = (try row.optionalInt(2), try row.optionalInt(3))
            let (born, died) = (try row.int(5), try row.optionalInt(6))
            let kind = try row.int(1, in: 1...Int64.max, "the kind of object \(id)")
            let body = try row.blob(7)
            guard salvage.isBody(body, nil), died.map({ $0 > born }) ?? true else {
                salvage.result.losses.append(("object \(id) of kind \(kind) cannot be unpacked", start, end))
                return
            }
            try salvage.insert(
                "object", "id,kind,start,\"end\",digest,born,died,body",
                [id, kind, start, end, try row.int(4), born, died, body])
        }
    }

    private mutating func copyDocuments() throws {
        try copy("document", "path,digest,bytes,body") { salvage, row in
            let bytes = try row.int(3)
            let body = try row.blob(4)
            guard salvage.isBody(body, bytes) else {
                throw CatalogError(.corrupt, "\(try row.text(1)) cannot be unpacked", path: salvage.old.path)
            }
            try salvage.insert(
                "document", "id,path,digest,bytes,body",
                [try row.int(0), salvage.new.plain(try row.text(1)), try row.int(2), bytes, body])
        }
    }

    private mutating func copyRest() throws {
        try copy("import_log", "file,digest,at,records,added,skipped,repaired,note") { salvage, row in
            let values = try (3...7).map { try row.int($0) }
            try salvage.insert(
                "import_log", "id,file,digest,at,records,added,skipped,repaired,note",
                [
                    try row.int(0), salvage.new.plain(try row.text(1)), try row.blob(2), values[0], values[1],
                    values[2], values[3], values[4], salvage.new.plain(try row.text(8)),
                ])
        }
        for (key, value) in salvagePairs("characteristic") {
            try HealthCatalog.set(characteristic: key, to: value, new)
            result.rows["characteristic", default: 0] += 1
        }
        if !hasObjects { return }
        // Objects may be lost: the next opening for writing restores them from their elements.
        let converted = [HealthCatalog.convertedWorkoutsKey, HealthCatalog.convertedSamplesKey]
        for (key, value) in salvagePairs("setting") where !converted.contains(key) {
            try HealthCatalog.set(setting: key, to: value, new)
            result.rows["setting", default: 0] += 1
        }
    }

    /// Returns the readable rows of a table of keys and values.
    mutating func salvagePairs(_ table: String) -> [String: String] {
        var pairs: [String: String] = [:]
        take("key,value", of: table, by: ["key"]) { pairs[try $0.text(0)] = try $0.text(1) }
        return pairs
    }

    /// Calls `body` for each readable row of a table without an integer key. `body` may receive a row more than once.
    mutating func take(
        _ columns: String, of table: String, by key: [String], _ body: (RowReader) throws -> Void
    ) {
        let sql = "SELECT \(columns) FROM \(table) ORDER BY "
        let order = key.joined(separator: ",")
        if old.all(sql + order, body) == nil { return }
        // Repeat in reverse order: then only the rows in the damaged part are missing.
        _ = old.all(sql + key.map { $0 + " DESC" }.joined(separator: ","), body)
        if let error = old.mended(sql + order, of: table, body) {
            result.losses.append(("table \(table): \(error.message)", nil, nil))
        }
    }

    private mutating func copySeries(_ series: [SeriesRow]) throws {
        let known = Set(series.map(\.id))
        var explained: Set<Int64> = []
        try copy("health_series", key: "series", "type,source,unit") { salvage, row in
            let id = try row.int(0)
            guard known.contains(id) else {
                throw CatalogError(.corrupt, "series \(id) does not exist", path: salvage.old.path)
            }
            let source = try row.int(2, in: 1...Int64.max, "a source")
            try salvage.makeUp(source)
            try salvage.insert(
                "health_series", "series,type,source,unit",
                [id, salvage.new.plain(try row.text(1)), source, salvage.new.plain(try row.optionalText(3))])
            explained.insert(id)
        }
        for one in series where one.name.hasPrefix("HK") && !explained.contains(one.id) {
            guard let source = one.labels["source"].flatMap({ Int64($0) }), source > 0 else { continue }
            try makeUp(source)
            try HealthCatalog.insert(
                [HealthSeriesRow(series: one.id, type: one.name, source: source, unit: one.labels["unit"])], new)
            result.rows["health_series", default: 0] += 1
            result.remarks.append("series \(one.id) is explained by its labels")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

/// An imported element of a health store that is kept as XML, such as a workout.
public struct HealthObject: Sendable, Hashable {
    /// The kind of the element.
    public var kind: ImportedElementKind
    /// The start, in nanoseconds since 1970-01-01 UTC; for an activity summary, midnight UTC of its date.
    public var start: Int64?
    /// The end.
    public var end: Int64?
    /// The XML, byte for byte as imported.
    public var xml: [UInt8]
}

/// A file from an export: a route, an electrocardiogram, a clinical record.
public struct HealthDocument: Sendable, Hashable {
    /// The number in the store, for `documentBytes`.
    public var id: Int64
    /// The path inside the export, as in `FileReference` elements. It is a key, never a path of this machine.
    public var path: String
    /// The length in bytes.
    public var bytes: Int
}

/// An import that changed the store.
public struct ImportLogEntry: Sendable, Hashable {
    /// The name of the file, without its directory.
    public var file: String
    /// The time of the import, in nanoseconds since 1970-01-01 UTC.
    public var at: Int64
    /// Records read.
    public var records: Int
    /// Samples added.
    public var added: Int
    /// Items skipped.
    public var skipped: Int
    /// Items repaired.
    public var repaired: Int
    /// Other information of the file: `exportDate=...; locale=...; version=...`.
    public var note: String

    package init(
        file: String, at: Int64, records: Int, added: Int, skipped: Int, repaired: Int, note: String
    ) {
        self.file = file
        self.at = at
        self.records = records
        self.added = added
        self.skipped = skipped
        self.repaired = repaired
        self.note = note
    }
}

extension ImportRow {
    init(_ entry: ImportLogEntry) {
        self.init(
            file: entry.file, at: entry.at, records: Int64(entry.records), added: Int64(entry.added),
            skipped: Int64(entry.skipped), repaired: Int64(entry.repaired), note: entry.note)
    }
}

extension HealthStore {
    /// Returns the number of objects of each kind.
    public func objectCounts() throws(HealthStoreError) -> [ImportedElementKind: Int] {
        let counts = try catalog([Int64: Int]()) { try HealthCatalog.objectCounts($0) }
        var result: [ImportedElementKind: Int] = [:]
        for (kind, count) in counts { result[ImportedElementKind(rawValue: kind) ?? .other, default: 0] += count }
        return result
    }

    /// Calls `body` with the objects of a kind, sorted by start; objects without a start come first.
    ///
    /// - Parameters:
    ///   - range: the range of the objects' starts; `.all` includes objects without a start.
    ///   - body: receives an object, and returns whether to continue.
    /// - Throws: `corrupt`, `engine(.closed)`, `engine(.inputOutput)`, and the errors of `body`.
    /// - Complexity: O(objects of the kind); a few objects are in memory at a time.
    public func objects(
        _ kind: ImportedElementKind, range: TimeRange = .all,
        _ body: (HealthObject) throws(HealthStoreError) -> Bool
    ) throws(HealthStoreError) {
        try objects(kind, range: range, asOf: nil, body)
    }

    /// Calls `body` with the objects of a kind as of a commit; nil for the newest.
    func objects(
        _ kind: ImportedElementKind, range: TimeRange, asOf seq: Int64?,
        _ body: (HealthObject) throws(HealthStoreError) -> Bool
    ) throws(HealthStoreError) {
        let bounds = range == .all ? nil : range.start..<range.end
        let ids = try catalog([Int64]()) { transaction in
            var ids = [Int64]()
            try HealthCatalog.eachElement(kind: kind.rawValue, start: bounds, asOf: seq, transaction) {
                ids.append($0.id)
            }
            return ids
        }
        var at = 0
        while at < ids.count {
            let some = Array(ids[at..<min(at + 16, ids.count)])
            for row in try catalog([ElementRow](), { try HealthCatalog.objects(ids: some, $0) }) {
                let object = HealthObject(
                    kind: kind, start: row.start, end: row.end, xml: try ObjectExpander.decode(row.body))
                if try !body(object) { return }
            }
            at += some.count
        }
    }

    /// Returns the files from exports, in the order of their import.
    public func documents() throws(HealthStoreError) -> [HealthDocument] {
        try catalog([DocumentRow]()) { try HealthCatalog.documents($0) }.map {
            HealthDocument(id: $0.id, path: $0.path, bytes: Int($0.bytes))
        }
    }

    /// Returns the contents of a document; nil if the number is unknown.
    public func documentBytes(_ id: Int64) throws(HealthStoreError) -> [UInt8]? {
        let stored = try catalog([UInt8]?.none) { try HealthCatalog.documentBody(id: id, $0) }
        return try stored.map { body throws(HealthStoreError) in try ObjectExpander.decode(body) }
    }

    /// Returns the person's characteristics by HealthKit's identifier, such as date of birth and blood type.
    public func characteristics() throws(HealthStoreError) -> [String: String] {
        try view().tables.rows.characteristics
    }

    /// Returns the imports that changed the store, oldest first.
    public func imports() throws(HealthStoreError) -> [ImportLogEntry] {
        try catalog([ImportRow]()) { try HealthCatalog.imports($0) }.map {
            ImportLogEntry(
                file: $0.file, at: $0.at, records: Int($0.records), added: Int($0.added), skipped: Int($0.skipped),
                repaired: Int($0.repaired), note: $0.note)
        }
    }

    /// Reads the health layer's tables; returns `empty` if the store has none yet.
    func catalog<R: Sendable>(_ empty: R, _ body: (CatalogTransaction) throws -> R) throws(HealthStoreError) -> R {
        try inEngine { () throws(StoreError) in
            try engine.readCatalog { try HealthCatalog.isPrepared($0) ? try body($0) : empty }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel

/// The kind of an imported element. The raw value is on disk.
public enum ImportedElementKind: Int64, Sendable, Hashable, CaseIterable {
    /// A workout with its events, statistics, activities and routes.
    case workout = 1
    /// Samples that form one value, such as systolic and diastolic blood pressure.
    case correlation = 2
    /// The activity summary of one day.
    case activitySummary = 3
    /// A hearing test.
    case audiogram = 4
    /// A prescription of glasses or contact lenses.
    case visionPrescription = 5
    /// A reference to a clinical record.
    case clinicalRecord = 6
    /// An element of a kind that this version does not know.
    case other = 7

    /// Returns the kind of an element of an export.
    public init(element name: String) {
        switch name {
        case "Workout": self = .workout
        case "Correlation": self = .correlation
        case "ActivitySummary": self = .activitySummary
        case "Audiogram": self = .audiogram
        case "VisionPrescription": self = .visionPrescription
        case "ClinicalRecord": self = .clinicalRecord
        default: self = .other
        }
    }
}

/// The elements of a load before its commit.
struct PendingObjects {
    /// The rows without their bodies, and the place of each body.
    private(set) var rows: [(row: ElementRow, body: PendingBodies.Place)] = []
    /// The number of stored elements per digest that are not matched yet; nil until the first element.
    var left: [Int64: Int]?
    private var last: Int64
    private let compressor = ObjectCompressor(level: 7, dictionary: true)
    /// The row number of the newest element.
    var lastNew: Int64 { last }

    init(last: Int64) { self.last = last }

    /// Returns the row number of a new element.
    mutating func next() -> Int64 {
        last += 1
        return last
    }

    /// Appends an element.
    ///
    /// - Returns: the row number of the element.
    @discardableResult
    mutating func append(
        _ bytes: [UInt8], kind: ImportedElementKind, start: Int64?, end: Int64?, digest: Int64, to bodies: PendingBodies
    ) throws(HealthStoreError) -> Int64 {
        last += 1
        let row = ElementRow(id: last, kind: kind.rawValue, start: start, end: end, digest: digest, body: [])
        rows.append((row, try bodies.append(compressor.encode(bytes))))
        return last
    }
}

/// The documents of a load before its commit.
struct PendingDocuments {
    var rows: [(row: DocumentRow, body: PendingBodies.Place)] = []
    /// The number of stored documents per key that are not matched yet; nil until the first document.
    var left: [Key: Int]?
    var last: Int64
    let compressor = ObjectCompressor(level: 3, dictionary: false)

    struct Key: Hashable {
        var path: String
        var digest: Int64
    }

    init(last: Int64) { self.last = last }
}

extension HealthLoader {
    /// Adds an element, unless an element with the same bytes, ignoring heap addresses, is stored already.
    ///
    /// - Parameter bytes: the element's XML.
    /// - Returns: whether the element is new.
    @discardableResult
    package func add(
        kind: ImportedElementKind, start: Int64?, end: Int64?, _ bytes: [UInt8]
    ) throws(HealthStoreError) -> Bool {
        if isBeforeHistory(end ?? start) { return false }
        let digest = HealthCatalog.digest(HeapAddress.stripped(bytes))
        if try isStored(digest) { return false }
        try objects.append(bytes, kind: kind, start: start, end: end, digest: digest, to: bodies)
        return true
    }

    /// Returns whether queries can ask for the day of an activity summary with this start.
    package static func isOfSomeDay(summaryAt start: Int64?) -> Bool { ActivityDays.has(midnight: start) }

    /// Returns whether a stored element with this digest is left to match an element of the load, and marks it as
    /// matched.
    func isStored(_ digest: Int64) throws(HealthStoreError) -> Bool {
        if objects.left == nil {
            objects.left = try inEngine { () throws(StoreError) in
                try store.engine.readCatalog {
                    try HealthCatalog.isPrepared($0) ? try HealthCatalog.elementDigestCounts($0) : [:]
                }
            }
        }
        guard let left = objects.left?[digest], left > 0 else { return false }
        objects.left?[digest] = left - 1
        return true
    }

    /// Adds a file of an export, unless the same bytes are stored under the same path.
    ///
    /// - Parameter deflated: the bytes as a raw deflate stream that is shorter; nil if there is none. The caller has
    ///   decompressed it to exactly these bytes.
    /// - Returns: whether the file is new.
    @discardableResult
    package func add(
        document path: String, _ bytes: [UInt8], deflated: [UInt8]? = nil
    ) throws(HealthStoreError) -> Bool {
        if documents.left == nil {
            let stored = try inEngine { () throws(StoreError) in
                try store.engine.readCatalog {
                    try HealthCatalog.isPrepared($0) ? try HealthCatalog.documents($0) : []
                }
            }
            documents.left = Dictionary(
                stored.map { (.init(path: $0.path, digest: $0.digest), 1) }, uniquingKeysWith: +)
        }
        let digest = HealthCatalog.digest(bytes)
        let key = PendingDocuments.Key(path: path, digest: digest)
        if let left = documents.left?[key], left > 0 {
            documents.left?[key] = left - 1
            return false
        }
        documents.last += 1
        let row = DocumentRow(id: documents.last, path: path, digest: digest, bytes: Int64(bytes.count))
        let body = deflated.map { StoredCoding.deflated($0, count: bytes.count) } ?? documents.compressor.encode(bytes)
        documents.rows.append((row, try bodies.append(body)))
        return true
    }

    /// Returns the paths of the documents that are stored already.
    package func storedDocumentPaths() throws(HealthStoreError) -> [String] {
        try inEngine { () throws(StoreError) in
            try store.engine.readCatalog {
                try HealthCatalog.isPrepared($0) ? try HealthCatalog.documents($0).map(\.path) : []
            }
        }
    }

    /// Sets a characteristic, such as the date of birth. A value without information, such as `HKBloodTypeNotSet`,
    /// never replaces a stored value.
    ///
    /// - Parameter replacing: whether the value replaces a stored value.
    package func set(characteristic key: String, to value: String, replacing: Bool = true) {
        guard let stored = storedCharacteristics[key] else {
            characteristics[key] = value
            return
        }
        if replacing, stored != value, !CharacteristicText.saysNothing(value) { characteristics[key] = value }
    }
}

/// The number after `<HKDevice: ` in a device's description: the memory address of the object in the exporting process.
enum HeapAddress {
    private static let mark = Array("HKDevice: 0x".utf8)

    /// Returns the bytes without heap addresses.
    static func stripped(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var taken = 0
        var at = 0
        while at + mark.count <= bytes.count {
            guard bytes[at] == mark[0], bytes[at..<at + mark.count].elementsEqual(mark) else {
                at += 1
                continue
            }
            at += mark.count
            result.append(contentsOf: bytes[taken..<at])
            while at < bytes.count, bytes[at] &- 0x30 < 10 || (bytes[at] | 0x20) &- 0x61 < 6 { at += 1 }
            taken = at
        }
        if taken == 0 { return bytes }
        result.append(contentsOf: bytes[taken...])
        return result
    }
}

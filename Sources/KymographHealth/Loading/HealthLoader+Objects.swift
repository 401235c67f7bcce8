// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel

/// What a health object is. The raw value is on disk.
public enum ImportedElementKind: Int64, Sendable, Hashable, CaseIterable {
    /// A workout with its events, statistics, activities and routes.
    case workout = 1
    /// Samples that belong together, such as the two numbers of a blood pressure.
    case correlation = 2
    /// The rings of one day.
    case activitySummary = 3
    /// A hearing test.
    case audiogram = 4
    /// A prescription of glasses or contact lenses.
    case visionPrescription = 5
    /// A pointer to a clinical record.
    case clinicalRecord = 6
    /// An element that this version does not know.
    case other = 7

    /// The kind of an export's element.
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

/// Objects that a commit will bring.
struct PendingObjects {
    /// Without their bodies.
    private(set) var rows: [(row: ElementRow, body: PendingBodies.Place)] = []
    /// How many of each digest are stored and not met yet; nil until the first object comes.
    var left: [Int64: Int]?
    private var last: Int64
    private let compressor = ObjectCompressor(level: 7, dictionary: true)

    init(last: Int64) { self.last = last }

    /// Gives the number that the object will have.
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

/// Documents that a commit will bring.
struct PendingDocuments {
    var rows: [(row: DocumentRow, body: PendingBodies.Place)] = []
    /// What is stored and not met yet; nil until the first document comes.
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
    /// Brings in an object, unless it is stored: one with the same bytes but for heap addresses.
    ///
    /// - Parameter bytes: The object's XML.
    /// - Returns: whether it is new.
    @discardableResult
    package func add(
        kind: ImportedElementKind, start: Int64?, end: Int64?, _ bytes: [UInt8]
    ) throws(HealthStoreError) -> Bool {
        let digest = HealthCatalog.digest(HeapAddress.stripped(bytes))
        if try isStored(digest) { return false }
        try objects.append(bytes, kind: kind, start: start, end: end, digest: digest, to: bodies)
        return true
    }

    /// Whether an activity summary that starts then is one of a day that queries can ask for.
    package static func isOfSomeDay(summaryAt start: Int64?) -> Bool { ActivityDays.has(midnight: start) }

    /// Whether a stored object of a digest has not answered for one of this load yet; now it has.
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

    /// Brings in a file that came with an export, unless it is stored under the same path with the same bytes.
    ///
    /// - Returns: whether it is new.
    @discardableResult
    package func add(document path: String, _ bytes: [UInt8]) throws(HealthStoreError) -> Bool {
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
        documents.rows.append((row, try bodies.append(documents.compressor.encode(bytes))))
        return true
    }

    /// Sets what does not change with time, such as the date of birth. What says nothing, as `HKBloodTypeNotSet` does,
    /// takes the place of nothing.
    ///
    /// - Parameter replacing: whether what is stored gives way.
    package func set(characteristic key: String, to value: String, replacing: Bool = true) {
        guard let stored = storedCharacteristics[key] else {
            characteristics[key] = value
            return
        }
        if replacing, stored != value, !CharacteristicText.saysNothing(value) { characteristics[key] = value }
    }
}

/// The number after `<HKDevice: ` in a device's description: where the exporting process had the object in memory.
enum HeapAddress {
    private static let mark = Array("HKDevice: 0x".utf8)

    /// The bytes without such numbers.
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

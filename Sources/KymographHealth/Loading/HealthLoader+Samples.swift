// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel

/// The samples of a load that are made of elements, before its commit.
struct PendingSamples {
    /// A sample without its number.
    struct Waiting {
        let element: SampleElement
        let identity: SampleIdentity
        /// The row of the XML.
        let object: Int64
        let provenance: Int64
        /// A local number of the loader's metadata.
        let metadata: Int32
    }

    /// Samples whose rows are not made yet.
    var waiting: [Waiting] = []
    /// Stored clinical records without the file of their resource.
    var incomplete: [(row: SavedObjectRow, element: SampleElement)] = []
    /// The rows without bodies, and the place of each body.
    var rows: [(row: SavedObjectRow, body: PendingBodies.Place)] = []
    /// Stored clinical records to which a file was found: their rows, and the rows that replace them.
    var completed: [(old: Int64, row: SavedObjectRow, body: PendingBodies.Place)] = []
    /// The number of samples of the load by the identity of their first copy.
    var copies: [SampleIdentity: Int] = [:]
    /// The digests of the elements of the load's first copies.
    var twins: [SampleIdentity: WorkoutConversion.Twin] = [:]
    /// The stored elements without a sample, by digest of their bytes; nil until the first search.
    var elements: [Int64: [Int64]]?
    /// The stored elements that the commit retires, because they describe the sample of another element.
    var retired: [Int64] = []
    /// The highest element that the commit marks as converted; nil if it marks none.
    var converted: Int64?

    /// Whether a commit would change anything.
    var hasNews: Bool { !rows.isEmpty || !completed.isEmpty || !retired.isEmpty || converted != nil }
}

extension HealthLoader {
    /// Adds an audiogram, a prescription or a clinical record and its XML, unless it is stored already. The files of
    /// clinical records may be added before or after their elements.
    ///
    /// - Returns: nil if the bytes are not such an element with readable dates. The caller then adds an element.
    package func add(sample xml: [UInt8], kind: ImportedElementKind) throws(HealthStoreError) -> AddedElement? {
        guard let element = SampleElement(xml, workouts.units) else { return nil }
        if isBeforeHistory(element.end) { return AddedElement(isNew: false, notes: element.notes) }
        let first = element.identity(copy: 0)
        let copy = samples.copies[first, default: 0]
        samples.copies[first] = copy + 1
        let identity = copy == 0 ? first : element.identity(copy: copy)
        note(element, of: identity)
        if let row = try storedObject(identity) {
            try noteIncomplete(row, element)
            return AddedElement(isNew: false, notes: element.notes)
        }
        let written = HealthCatalog.digest(HeapAddress.stripped(xml))
        if try isStored(written), let object = try elementWithoutSample(written, kind) {
            try append(element, identity, object: object)
            return AddedElement(isNew: false, notes: element.notes)
        }
        let object = try objects.append(
            xml, kind: kind, start: element.start, end: element.end == StoredTime.openEnd ? nil : element.end,
            digest: written, to: bodies)
        try append(element, identity, object: object)
        return AddedElement(isNew: true, notes: element.notes)
    }

    /// Makes samples of the first elements without one. Imports of earlier versions stored only the elements.
    ///
    /// - Parameter most: the maximum number of elements.
    func convertSamples(_ taken: Set<Int64>, most: Int) throws(HealthStoreError) {
        for id in try store.unconvertedSamples(most: most) {
            samples.converted = id
            guard !taken.contains(id), let row = try element(id) else { continue }
            do {
                try convert(row)
            } catch {
                // An unreadable element stays as it is; verification reports it.
                if error.kind != .corrupt, error.kind != .newerFormat { throw error }
            }
        }
    }

    /// Adds the sample of a stored element. An element with the content of a stored sample in other bytes, such as
    /// dates with another offset, describes that sample. It is retired.
    private func convert(_ row: ElementRow) throws(HealthStoreError) {
        guard let element = SampleElement(try ObjectExpander.decode(row.body), workouts.units) else { return }
        let first = element.identity(copy: 0)
        if let twin = try twin(first), twin.content == element.digest, twin.bytes != row.digest {
            samples.retired.append(row.id)
            return
        }
        var copy = samples.copies[first] ?? 0
        while try storedObject(element.identity(copy: copy)) != nil { copy += 1 }
        samples.copies[first] = copy + 1
        if copy == 0 { samples.twins[first] = .init(content: element.digest, bytes: row.digest) }
        try append(element, element.identity(copy: copy), object: row.id)
    }

    /// Returns the digests of the element of a sample that is stored or converted; nil if there is none.
    private func twin(_ identity: SampleIdentity) throws(HealthStoreError) -> WorkoutConversion.Twin? {
        if let known = samples.twins[identity] { return known }
        guard let row = try storedObject(identity), let own = try row.element, let element = try element(own.object)
        else { return nil }
        return WorkoutConversion.Twin(content: own.digest, bytes: element.digest)
    }

    /// Returns a stored element with these bytes and without a sample, once; nil if there is none.
    private func elementWithoutSample(
        _ digest: Int64, _ kind: ImportedElementKind
    ) throws(HealthStoreError) -> Int64? {
        if samples.elements == nil {
            let taken = try store.elements(of: .fields)
            samples.elements = try store.catalog([Int64: [Int64]]()) { transaction in
                var found: [Int64: [Int64]] = [:]
                for kind in ImportedElementKind.ofSamples {
                    let ids = try HealthCatalog.objectIDs(kind: kind.rawValue, transaction)
                    found.merge(ids.mapValues { $0.reversed().filter { !taken.contains($0) } }) { $0 + $1 }
                }
                return found
            }
        }
        return samples.elements?[digest]?.popLast()
    }

    private func append(
        _ element: SampleElement, _ identity: SampleIdentity, object: Int64
    ) throws(HealthStoreError) {
        let origin = element.origin
        var writer = MetadataWriter()
        element.metadata.write(to: &writer, hasSource: origin.source != nil)
        samples.waiting.append(
            .init(
                element: element, identity: identity, object: object,
                provenance: provenance(
                    source: origin.source ?? "", version: origin.version, device: origin.device
                ).provenance, metadata: try intern(metadata: writer.bytes)))
    }

    /// Records a stored clinical record that lacks its resource.
    private func noteIncomplete(_ row: SavedObjectRow, _ element: SampleElement) throws(HealthStoreError) {
        guard element.type is HKClinicalType, row.kind == SavedObjectKind.fields.rawValue else { return }
        let content = try? HKClinicalRecord.Content(fields: try FieldsRecord(row.body).fields)
        if let content, content.data == nil { samples.incomplete.append((row, element)) }
    }

    /// Makes the rows of the samples, with the resources of clinical records from the files of this load or an earlier
    /// one.
    ///
    /// - Ordering: after all elements and documents are added.
    func settleSamples() throws(HealthStoreError) {
        if !samples.waiting.isEmpty { try resolveMetadata() }
        let isClinical = samples.waiting.contains { $0.element.type is HKClinicalType }
        var files: [String: DocumentPlace] = [:]
        if isClinical || !samples.incomplete.isEmpty { files = try documentPlaces().mapValues(\.place) }
        for one in samples.waiting {
            let element = try completed(one.element, files)
            let record = FieldsRecord(element.fields, element: .init(object: one.object, digest: element.digest))
            let row = SavedObjectRow(
                id: 0, uuid: one.identity.bytes, kind: SavedObjectKind.fields.rawValue, type: element.type.identifier,
                provenance: one.provenance, metadata: metadataRow(one.metadata), start: element.start,
                end: element.end, created: element.origin.created, body: [])
            samples.rows.append((row, try bodies.append(record.body)))
        }
        samples.waiting = []
        for (old, element) in samples.incomplete {
            let new = try completed(element, files)
            guard new.fields != element.fields else { continue }
            var row = old
            row.type = new.type.identifier
            let record = FieldsRecord(new.fields, element: try FieldsRecord(old.body).element)
            samples.completed.append((old.id, row, try bodies.append(record.body)))
        }
        samples.incomplete = []
        // If all earlier elements are converted, later openings need not look at the new ones.
        let kinds = Set(ImportedElementKind.ofSamples.map(\.rawValue))
        let hasElements = objects.rows.contains { kinds.contains($0.row.kind) }
        if hasElements, samples.converted == nil, try store.unconvertedSamples(most: 1).isEmpty {
            samples.converted = objects.lastNew
        }
    }

    /// The place of a document: in this load, or stored.
    enum DocumentPlace {
        case pending(PendingBodies.Place)
        case stored(Int64)
    }

    /// Returns the newest documents by the key of their path.
    func documentPlaces() throws(HealthStoreError) -> [String: (path: String, place: DocumentPlace)] {
        let stored = try store.catalog([DocumentRow]()) { try HealthCatalog.documents($0) }
        var files: [String: (path: String, place: DocumentPlace)] = [:]
        for row in stored { files[PendingRouteFiles.key(row.path)] = (row.path, .stored(row.id)) }
        for (row, place) in documents.rows { files[PendingRouteFiles.key(row.path)] = (row.path, .pending(place)) }
        return files
    }

    /// Returns the bytes of a document; nil if it was removed meanwhile.
    func documentBytes(_ place: DocumentPlace) throws(HealthStoreError) -> [UInt8]? {
        switch place {
        case .pending(let place): try ObjectExpander.decode(try bodies.bytes(place))
        case .stored(let id): try store.documentBytes(id)
        }
    }

    /// Returns the element of a clinical record with its resource, if its file is there; other elements unchanged.
    private func completed(
        _ element: SampleElement, _ files: [String: DocumentPlace]
    ) throws(HealthStoreError) -> SampleElement {
        guard element.type is HKClinicalType,
            let path = (try? HKClinicalRecord.Content(fields: element.fields))?.path,
            let file = files[PendingRouteFiles.key(path)], let bytes = try documentBytes(file)
        else { return element }
        do throws(HealthFields.Fault) { return try element.completed(by: bytes) } catch { return element }
    }

    /// Writes the samples, inside the commit's transaction. Their numbers follow the last stored one.
    func insertSamples(_ transaction: CatalogTransaction) throws {
        try HealthCatalog.retire(savedObjects: samples.completed.map(\.old), transaction)
        let all = samples.rows + samples.completed.map { ($0.row, $0.body) }
        if !all.isEmpty {
            var last = try HealthCatalog.lastSavedObject(transaction)
            for (row, place) in all {
                var row = row
                last += 1
                row.id = last
                row.body = try bodies.bytes(place)
                try HealthCatalog.insert([row], transaction)
            }
        }
        try HealthCatalog.retire(objects: samples.retired, transaction)
        if let converted = samples.converted {
            try HealthCatalog.set(setting: HealthCatalog.convertedSamplesKey, to: String(converted), transaction)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel

/// The result of adding an element to a load as an object, such as a workout.
package struct AddedElement: Sendable {
    /// Whether the element is new.
    package let isNew: Bool
    /// The parts of the element that are left out of the object, as text.
    package let notes: [String]
}

/// The workouts of a load before its commit.
struct PendingWorkouts {
    /// The rows without numbers, metadata and bodies; the local number of each metadata set; the place of each body.
    var rows: [(row: SavedObjectRow, metadata: Int32, body: PendingBodies.Place)] = []
    /// The number of workouts of the load by the identity of their first copy.
    var copies: [SampleIdentity: Int] = [:]
    /// The stored elements without a workout, by digest of their bytes; nil until the first search.
    var elements: [Int64: [Int64]]?
    /// The stored elements that the commit retires, because they describe a workout of another element.
    var retired: [Int64] = []
    /// The highest element that the commit marks as converted; nil if it marks none.
    var converted: Int64?
    let units = UnitCache()
    let compressor = ObjectCompressor(level: 6, dictionary: false)
}

extension HealthLoader {
    /// Adds a workout and its XML, unless it is stored already.
    ///
    /// A workout is stored already if activity, source, start, end and creation date are equal: a later export may
    /// describe it in another form. A load may contain several equal workouts; the store has as many as the load with
    /// the most.
    /// - Returns: nil if the bytes are not a workout with a readable start and end. The caller then adds an element.
    package func add(workout xml: [UInt8]) throws(HealthStoreError) -> AddedElement? {
        guard let element = WorkoutElement(xml, workouts.units) else { return nil }
        if isBeforeHistory(element.end) { return AddedElement(isNew: false, notes: element.notes) }
        let first = element.identity(copy: 0)
        let copy = workouts.copies[first, default: 0]
        workouts.copies[first] = copy + 1
        let identity = copy == 0 ? first : element.identity(copy: copy)
        if try storedObject(identity) != nil {
            try addRoutes(of: element, identity, isStored: true)
            return AddedElement(isNew: false, notes: element.notes)
        }
        let written = HealthCatalog.digest(HeapAddress.stripped(xml))
        if try isStored(written), let object = try elementWithoutWorkout(written) {
            try append(element, identity, object: object)
            return AddedElement(isNew: false, notes: element.notes)
        }
        let object = try objects.append(
            xml, kind: .workout, start: element.start, end: element.end, digest: written, to: bodies)
        try append(element, identity, object: object)
        return AddedElement(isNew: true, notes: element.notes)
    }

    /// Converts the first elements of workouts that are not converted.
    ///
    /// - Parameter most: the maximum number of elements.
    func convertWorkouts(_ state: WorkoutConversion, most: Int) throws(HealthStoreError) {
        state.bytes = 0
        for id in try store.unconvertedWorkouts(most: most) where state.bytes < WorkoutConversion.mostBytes {
            workouts.converted = id
            guard let row = try element(id) else { continue }
            state.bytes += row.body.count
            do {
                try convert(row, state)
            } catch {
                // An unreadable element stays as it is; verification reports it.
                guard state.skipsDamage, error.isDamage else { throw error }
            }
        }
        try settleWorkouts()
    }

    /// Adds the workout of a stored element without one, and the routes that the element contains.
    ///
    /// An element with the content of a stored workout in other bytes, such as dates with another offset, describes
    /// that workout. It is retired.
    private func convert(_ row: ElementRow, _ state: WorkoutConversion) throws(HealthStoreError) {
        if state.taken.contains(row.id) { return }
        guard let element = WorkoutElement(try ObjectExpander.decode(row.body), workouts.units) else { return }
        let first = element.identity(copy: 0)
        if let twin = try twin(first, state), twin.content == element.digest, twin.bytes != row.digest {
            workouts.retired.append(row.id)
            return
        }
        var copy = state.copies[first] ?? 0
        while try storedObject(element.identity(copy: copy)) != nil { copy += 1 }
        state.copies[first] = copy + 1
        if copy == 0 { state.twins[first] = .init(content: element.digest, bytes: row.digest) }
        try append(element, element.identity(copy: copy), object: row.id)
        try addStoredRouteFiles(state)
    }

    /// Returns the digests of the element of a workout that is stored or converted; nil if there is none.
    private func twin(
        _ identity: SampleIdentity, _ state: WorkoutConversion
    ) throws(HealthStoreError) -> WorkoutConversion.Twin? {
        if let known = state.twins[identity] { return known }
        guard let row = try storedObject(identity), let own = try row.element, let element = try element(own.object)
        else {
            return nil
        }
        return WorkoutConversion.Twin(content: own.digest, bytes: element.digest)
    }

    /// Appends the row of a workout.
    ///
    /// - Parameter object: the row of its element.
    private func append(
        _ element: WorkoutElement, _ identity: SampleIdentity, object: Int64
    ) throws(HealthStoreError) {
        let origin = element.origin
        var writer = MetadataWriter()
        element.metadata.write(to: &writer, hasSource: origin.source != nil)
        let record = WorkoutRecord(
            element.content, element: CorrelationBody.Element(object: object, digest: element.digest))
        let row = SavedObjectRow(
            id: 0, uuid: identity.bytes, kind: SavedObjectKind.workout.rawValue,
            type: HKObjectType.workoutType().identifier,
            provenance: provenance(
                source: origin.source ?? "", version: origin.version, device: origin.device
            ).provenance, start: element.start, end: element.end, created: origin.created, body: [])
        workouts.rows.append(
            (row, try intern(metadata: writer.bytes), try bodies.append(record.body(workouts.compressor))))
        try addRoutes(of: element, identity, isStored: false)
    }

    /// Returns the live row of an identity; nil if there is none.
    func storedObject(_ identity: SampleIdentity) throws(HealthStoreError) -> SavedObjectRow? {
        if storedObjects == 0 { return nil }
        return try store.catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(uuids: [identity.bytes], $0)
        }.first ?? nil
    }

    /// Returns a stored element; nil if it does not exist.
    func element(_ id: Int64) throws(HealthStoreError) -> ElementRow? {
        try store.catalog([ElementRow]()) { try HealthCatalog.objects(ids: [id], $0) }.first
    }

    /// Returns a stored element with these bytes and without a workout, once; nil if there is none.
    private func elementWithoutWorkout(_ digest: Int64) throws(HealthStoreError) -> Int64? {
        if workouts.elements == nil {
            let taken = try store.elementsWithWorkouts()
            workouts.elements = try store.catalog([:]) { transaction in
                try HealthCatalog.objectIDs(kind: ImportedElementKind.workout.rawValue, transaction)
                    .mapValues { ids in ids.reversed().filter { !taken.contains($0) } }
            }
        }
        return workouts.elements?[digest]?.popLast()
    }

    /// Resolves the metadata sets of the workouts.
    ///
    /// - Ordering: after all workouts are added.
    package func settleWorkouts() throws(HealthStoreError) {
        if !workouts.rows.isEmpty { try resolveMetadata() }
        for place in workouts.rows.indices {
            workouts.rows[place].row.metadata = metadataRow(workouts.rows[place].metadata)
        }
        // If all earlier elements are converted, later openings need not look at the new ones.
        let hasElements = objects.rows.contains { $0.row.kind == ImportedElementKind.workout.rawValue }
        if hasElements, workouts.converted == nil, try store.hasConvertedWorkouts() {
            workouts.converted = objects.lastNew
        }
    }

    /// Writes the workouts, inside the commit's transaction. Their numbers follow the last stored one.
    func insertWorkouts(_ transaction: CatalogTransaction) throws {
        if !workouts.rows.isEmpty {
            var last = try HealthCatalog.lastSavedObject(transaction)
            for (row, _, place) in workouts.rows {
                var row = row
                last += 1
                row.id = last
                row.body = try bodies.bytes(place)
                try HealthCatalog.insert([row], transaction)
            }
        }
        try HealthCatalog.retire(objects: workouts.retired, transaction)
        if let converted = workouts.converted {
            try HealthCatalog.set(setting: HealthCatalog.convertedWorkoutsKey, to: String(converted), transaction)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel
import Kymograph
import Synchronization

extension HealthStore {
    /// Deletes objects of a program, durably, in one commit: all or none.
    ///
    /// The members of a correlation are separate objects and are not deleted.
    /// - Throws: `errorAuthorizationDenied` for an object of another program, `errorInvalidArgument` for an object that
    ///   is not stored, otherwise `errorDatabaseInaccessible`.
    package func delete(_ objects: [HKObject], as revision: HKSourceRevision) throws(HKError) {
        if objects.isEmpty { return }
        var wanted: [String: [SampleIdentity: Int64]] = [:]
        for object in objects {
            guard object.sourceRevision.source == revision.source else {
                throw HKError(
                    .errorAuthorizationDenied, reason: "the object was saved by \(object.sourceRevision.source)",
                    place: "\(object)", advice: "a program can delete only its own objects")
            }
            guard let sample = object as? HKSample, let start = StoredTime.nanoseconds(sample.startDate) else {
                throw HKError.missing(object)
            }
            wanted[sample.sampleType.identifier, default: [:]][SampleIdentity(sample.uuid)] = start
        }
        let all = wanted
        try requireSharing(types(ofDeleted: Set(wanted.keys)))
        let access = try access()
        try HKError.converting {
            let known = try view().tables.rows
            try engine.write { context in try Self.deletion(of: all, revision.source, access, context, known) }
        }
        if wanted[HKVisionPrescriptionTypeIdentifier] != nil { removeRetiredFiles() }
    }

    /// Returns the types that a client needs a permission for, to delete objects: those of a correlation's members in
    /// place of its own.
    private func types(ofDeleted types: Set<String>) -> [String] {
        types.sorted().flatMap { type in
            guard HKObjectType.type(for: type) is HKCorrelationType else { return [type] }
            return AuthorizationRules.members(of: type)?.map(\.identifier) ?? []
        }
    }

    /// - Throws: an error unless the client may delete the members of deleted correlations, which may be of many types.
    private static func requireSharing(membersOf rows: [SavedObjectRow], _ access: HealthAccess?) throws {
        guard let access else { return }
        for row in rows where row.kind == SavedObjectKind.correlation.rawValue {
            try access.requireSharing(Set(CorrelationRecord.members(row.body).map(\.type)).sorted())
        }
    }

    private static func deletion(
        of wanted: [String: [SampleIdentity: Int64]], _ source: HKSource, _ access: HealthAccess?,
        _ context: WriteContext, _ known: HealthSnapshot
    ) throws -> WriteBatch {
        var tables = known
        try tables.update(context.transaction)
        let own = HealthInterning(tables).known(program: source.bundleIdentifier)
        let sources = Dictionary(tables.sources.map { ($0.id, $0) }) { first, _ in first }
        let isOwn = SamplePredicate.sources([source])
        let provenances = Set(tables.provenances.lazy.filter { isOwn.mayMatch(sources[$0.source]) }.map(\.id))
        var batch = WriteBatch()
        var retired = [SavedObjectRow]()
        var expected = 0
        var deletions = 0
        for (type, samples) in wanted {
            let objects = try HealthCatalog.savedObjects(uuids: samples.keys.map(\.bytes), context.transaction)
            var left = samples
            for row in objects.compactMap({ $0 }) where row.type == type {
                // The program states the source of the passed object; the stored one counts.
                guard row.provenance == 0 ? isOwn.mayMatch(nil) : provenances.contains(row.provenance) else { continue }
                retired.append(row)
                left[SampleIdentity(row.uuid)] = nil
            }
            guard let first = left.values.min(), let last = left.values.max() else { continue }
            expected += left.count
            // Stored times may be more precise than a date.
            let range = SearchWindow.around(first, last)
            for row in tables.series where row.type == type && own.contains(row.source) {
                batch.delete(
                    .identities(Array(left.keys), range), from: SeriesID(rawValue: row.series))
                deletions += 1
            }
        }
        try requireSharing(membersOf: retired, access)
        retired += try RouteRecord.routes(ofDeleted: retired, context.transaction)
        let series = SeriesDeletion(tables, context.snapshot)
        for row in retired { try series.delete(row, in: &batch) }
        let (count, gone, single) = (expected, retired, deletions)
        batch.inCommit = { transaction, receipt in
            let found = receipt.deletions.prefix(single).reduce(0) { $0 + $1.count }
            guard found == count else {
                throw HKError(
                    .errorInvalidArgument, reason: "\(count - found) of the objects are not in the store",
                    advice: "delete only objects that a query returned, and only once")
            }
            try HealthCatalog.retire(gone, transaction)
        }
        return batch
    }

    /// Deletes the objects of a type that a program saved and that match a predicate, durably, in one commit.
    ///
    /// - Parameter revision: the program; nil for the objects of all programs.
    /// - Returns: the number of deleted objects.
    /// - Throws: `errorInvalidArgument` for an unreadable predicate, `errorDatabaseInaccessible`.
    package func deleteObjects(
        of type: HKObjectType, _ predicate: SamplePredicate, as revision: HKSourceRevision?
    ) throws(HKError) -> Int {
        // The negation of a condition on days would match every sample.
        if predicate.asksForDays {
            throw HKError(
                .errorInvalidArgument, reason: "the predicate tests days of activity, which samples do not have",
                place: "predicate", advice: "use predicateForSamples(withStart:end:options:)")
        }
        try requireSharing(types(ofDeleted: [type.identifier]))
        let window = SearchWindow(predicate)
        if window.range.isEmpty { return 0 }
        let access = try access()
        return try HKError.converting {
            let known = try view().tables.rows
            let parts = Mutex((objects: 0, single: 0))
            let receipt = try engine.write { context in
                let found = try Self.deletion(of: type, predicate, revision?.source, access, context, known)
                parts.withLock { $0 = (found.objects, found.single) }
                return found.batch
            }
            if type.identifier == HKVisionPrescriptionTypeIdentifier { removeRetiredFiles() }
            let (objects, single) = parts.withLock { $0 }
            return receipt.deletions.prefix(single).reduce(objects) { $0 + $1.count }
        }
    }

    /// Returns the write batch that deletes the objects of a type that match a predicate, the number of saved objects
    /// among them, and the number of the batch's first deletions that count as one object per sample.
    private static func deletion(
        of type: HKObjectType, _ predicate: SamplePredicate, _ source: HKSource?, _ access: HealthAccess?,
        _ context: WriteContext, _ known: HealthSnapshot
    ) throws -> (batch: WriteBatch, objects: Int, single: Int) {
        var rows = known
        let transaction = context.transaction
        try rows.update(transaction)
        let tables = HealthTables(rows, of: context.snapshot)
        if let gap = tables.gap { throw HealthStoreError(.corrupt, gap) }
        let reader = ObjectReader(tables) { try HealthCatalog.metadataBodies(ids: $0, transaction) }
        let own = source.map { HealthInterning(rows).known(program: $0.bundleIdentifier) }
        let predicate = try resolved(predicate, for: type, tables, nil, transaction)
        if predicate.asksForCorrelations {
            reader.correlated = try CorrelationRecord.allMembers(transaction) { row in
                try access?.mayRead(row, of: try reader.origin(row.provenance).revision.source) ?? true
            }
        }
        let range = SearchWindow(predicate).range
        var batch = WriteBatch()
        var single = 0
        for row in tables.byType[type.identifier] ?? [] where own?.contains(row.source) ?? true {
            single += 1
            let sampleReader = reader.samples(of: row)
            batch.delete(
                .matching(range) { stored throws(StoreError) in
                    if stored.metadata < 0 { return false }
                    do {
                        return predicate.matches(try sampleReader.sample(stored))
                    } catch {
                        throw error as? StoreError ?? StoreError(.corrupt, "\(error)")
                    }
                }, from: SeriesID(rawValue: row.series))
        }
        var retired = [SavedObjectRow]()
        try HealthCatalog.eachSavedObject(type: type.identifier, start: range.start...range.end, transaction) { row in
            let source = try tables.provenance(row.provenance)?.source
            let isOwn = own.map { own in source.map { own.contains($0) } ?? false } ?? true
            if isOwn, predicate.matches(try reader.outline(row)) { retired.append(row) }
            return true
        }
        try requireSharing(membersOf: retired, access)
        let count = retired.count
        retired += try RouteRecord.routes(ofDeleted: retired, transaction)
        let series = SeriesDeletion(rows, context.snapshot)
        for row in retired { try series.delete(row, in: &batch) }
        if !retired.isEmpty {
            let gone = retired
            batch.inCommit = { transaction, _ in try HealthCatalog.retire(gone, transaction) }
        }
        return (batch, count, single)
    }
}

extension HKError {
    fileprivate static func missing(_ object: HKObject) -> HKError {
        HKError(
            .errorInvalidArgument, reason: "the object is not in the store", place: "\(object)",
            advice: "delete only objects that a query returned, and only once")
    }
}

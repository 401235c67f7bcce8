// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel
import Kymograph

// A program saves objects with sync identifiers repeatedly; the store keeps only the newest version of each.
extension SaveBatch {
    /// The parts of a save that are not newer than the stored objects.
    struct Stale {
        /// Rows by slot.
        var rows: [Int: Set<Int>] = [:]
        var correlations: Set<Int> = []
        var series: Set<Int> = []
        /// The samples of replaced workouts, by the number of the workout that replaces them.
        fileprivate(set) var inherited: [Int: IdentityRuns] = [:]

        /// Inserts an object; the members of a stale correlation are stale, too.
        fileprivate mutating func insert(_ place: Place) {
            switch place {
            case .row(let place): rows[place.slot, default: []].insert(place.row)
            case .correlation(let number, let members):
                correlations.insert(number)
                for member in members { rows[member.slot, default: []].insert(member.row) }
            case .series(let number): series.insert(number)
            }
        }
    }

    /// Deletes the objects replaced by objects with sync identifiers: a correlation with its members, a series with its
    /// quantities.
    ///
    /// - Parameter own: the source numbers of the program.
    func replace(
        _ own: Set<Int64>, _ tables: HealthSnapshot, _ context: WriteContext, _ batch: inout WriteBatch,
        _ rows: inout SaveRows
    ) throws -> Stale {
        // The first source number of the program, for any of its names.
        let source = own.min() ?? 0
        var stale = Stale()
        var gone = Gone()
        // Of several versions in one save the newest counts; of equal versions the first.
        var newest: [[[UInt8]]: Synced] = [:]
        for one in synced {
            let key = [Array(one.type.utf8), Array(one.identifier.utf8)]
            guard let other = newest[key] else {
                newest[key] = one
                continue
            }
            let isNewer = one.version > other.version
            stale.insert((isNewer ? other : one).place)
            if isNewer { newest[key] = one }
        }
        for one in newest.values {
            let known = try HealthCatalog.sync(
                type: one.type, source: source, identifier: one.identifier, context.transaction)
            if let known, let old = try find(known, own, tables, context) {
                if known.version >= one.version {
                    stale.insert(one.place)
                    continue
                }
                switch old {
                case .sample(let series): gone.add(SampleIdentity(known.uuid), known.start, series)
                case .object(let row):
                    rows.retired.append(row)
                    if row.kind == SavedObjectKind.fields.rawValue {
                        rows.succeeded.append((row.uuid, one.identity.bytes))
                    }
                    try SeriesDeletion(tables, context.snapshot).delete(row, in: &batch)
                    try deleteMembers(of: row, own, tables, &gone)
                    if case .series(let number) = one.place, row.kind == SavedObjectKind.workout.rawValue {
                        stale.inherited[number] = try WorkoutRecord(row.body).members
                        for route in try replace(row, by: one.identity.uuid, &rows, context.transaction) {
                            try SeriesDeletion(tables, context.snapshot).delete(route, in: &batch)
                        }
                    }
                }
            }
            rows.synced.append(
                SyncRow(
                    type: one.type, source: source, identifier: one.identifier, version: one.version,
                    uuid: one.identity.bytes, start: one.start))
        }
        gone.delete(in: &batch)
        return stale
    }

    /// Replaced samples, collected into one deletion per series.
    private struct Gone {
        private var samples: [SeriesID: (identities: [SampleIdentity], first: Int64, last: Int64)] = [:]

        mutating func add(_ identity: SampleIdentity, _ start: Int64, _ series: SeriesID) {
            var known = samples[series] ?? ([], start, start)
            known.identities.append(identity)
            (known.first, known.last) = (min(known.first, start), max(known.last, start))
            samples[series] = known
        }

        func delete(in batch: inout WriteBatch) {
            for (series, found) in samples.sorted(by: { $0.key < $1.key }) {
                batch.delete(
                    .identities(found.identities, TimeRange(found.first, found.last &+ 1)), from: series)
            }
        }
    }

    /// The object of a sync identifier.
    private enum Named {
        /// A sample, in a series of the engine.
        case sample(SeriesID)
        /// A correlation or a series.
        case object(SavedObjectRow)
    }

    /// Returns the object of a sync identifier; nil if it was deleted.
    private func find(
        _ known: SyncRow, _ own: Set<Int64>, _ tables: HealthSnapshot, _ context: WriteContext
    ) throws -> Named? {
        if tables.lastSavedObject > 0,
            let row = try HealthCatalog.savedObjects(uuids: [known.uuid], context.transaction).first ?? nil,
            row.type == known.type
        {
            return .object(row)
        }
        let identity = SampleIdentity(known.uuid)
        for row in tables.series where row.type == known.type && own.contains(row.source) {
            let series = SeriesID(rawValue: row.series)
            var isThere = false
            try context.snapshot.scan(
                [series], over: TimeRange(known.start, known.start &+ 1), columns: .identity
            ) { batch throws(StoreError) in
                isThere = batch.position(of: identity) != nil
                return !isThere
            }
            if isThere { return .sample(series) }
        }
        return nil
    }

    /// Deletes the samples that were saved as members of a correlation.
    private func deleteMembers(
        of object: SavedObjectRow, _ own: Set<Int64>, _ tables: HealthSnapshot, _ gone: inout Gone
    ) throws {
        guard SavedObjectKind(rawValue: object.kind) == .correlation else { return }
        for member in try CorrelationRecord.members(object.body) {
            for row in tables.series where row.type == member.type && own.contains(row.source) {
                gone.add(member.identity, member.start, SeriesID(rawValue: row.series))
            }
        }
    }
}

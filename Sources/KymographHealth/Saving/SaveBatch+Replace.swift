// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Foundation
import HealthCatalog
import HealthModel
import Kymograph

// Objects with sync identifiers: a program saves them again and again, and the newest version of each stays.
extension SaveBatch {
    /// What of a save is no newer than what is there.
    struct Stale {
        /// Rows by slot.
        var rows: [Int: Set<Int>] = [:]
        var correlations: Set<Int> = []
        var series: Set<Int> = []

        /// The members of a correlation are no newer than it is.
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

    /// Deletes what objects with sync identifiers replace: a correlation with its members, a series with its
    /// quantities.
    ///
    /// - Parameter own: the names of the program, as sources.
    func replace(
        _ own: Set<Int64>, _ tables: HealthSnapshot, _ context: WriteContext, _ batch: inout WriteBatch,
        _ rows: inout SaveRows
    ) throws -> Stale {
        // Under whatever name the program first came.
        let source = own.min() ?? 0
        var stale = Stale()
        var gone = Gone()
        // Of several in one save the newest counts, and of equal ones the first.
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
                    try SeriesDeletion(tables, context.snapshot).delete(row, in: &batch)
                    try deleteMembers(of: row, own, tables, &gone)
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

    /// Samples that others take the place of: one deletion a series, however many they are.
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

    /// What a sync identifier names.
    private enum Named {
        /// A sample, in a series of the engine.
        case sample(SeriesID)
        /// A correlation or a series.
        case object(SavedObjectRow)
    }

    /// What a sync identifier names; nil if it was deleted.
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
                [series], over: TimeRange(known.start, known.start &+ 1), columns: .identity, order: .forward,
                limit: .max
            ) { batch throws(StoreError) in
                for place in 0..<batch.count where batch.identity(at: place) == identity { isThere = true }
                return !isThere
            }
            if isThere { return .sample(series) }
        }
        return nil
    }

    /// Deletes the samples that came with a correlation.
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

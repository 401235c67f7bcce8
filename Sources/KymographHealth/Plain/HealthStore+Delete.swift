// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import Kymograph

extension HealthStore {
    /// Deletes the samples of a type that start in a range, durably, in one commit. A later import restores the samples
    /// in its file.
    ///
    /// A series of quantities is deleted as a whole if it starts in the range, and otherwise kept as a whole. Workouts
    /// and other objects remain, even if they refer to deleted samples.
    /// - Parameters:
    ///   - range: in nanoseconds since 1970-01-01 UTC; the default deletes all samples.
    ///   - sources: the names of the sources; nil for all sources.
    /// - Returns: the commit and the number of deleted samples; each quantity of a series counts.
    /// - Throws: `engine` with the kinds of `TimeSeriesStore.delete(from:startingIn:)`, `corrupt`.
    @discardableResult
    public func delete(
        _ type: HealthType, startingIn range: TimeRange = .all, sources: Set<String>? = nil
    ) throws(HealthStoreError) -> DeletionReceipt {
        try delete(types: [type.identifier], range, sources)
    }

    /// Deletes the samples of all types of some sources that start in a range, durably, in one commit. See
    /// `delete(_:startingIn:sources:)`.
    ///
    /// - Parameter sources: the names of the sources.
    @discardableResult
    package func deleteAllTypes(
        startingIn range: TimeRange = .all, sources: Set<String>
    ) throws(HealthStoreError) -> DeletionReceipt {
        try delete(types: nil, range, sources)
    }

    private func delete(
        types: Set<String>?, _ range: TimeRange, _ sources: Set<String>?
    ) throws(HealthStoreError) -> DeletionReceipt {
        let work = try inEngine { () throws(StoreError) in try engine.beginWork() }
        defer { work.end() }
        let known = try view().tables.rows
        do {
            let receipt = try engine.write { context in
                try Self.deletion(of: types, range, sources, context, known)
            }
            return DeletionReceipt(receipt.deletions, otherwise: receipt.sequence)
        } catch {
            throw HealthStoreError(any: error)
        }
    }

    /// Returns the deletion as a write batch, for the state of the store right before the commit.
    ///
    /// - Parameters:
    ///   - types: the identifiers of the types; nil for all types.
    ///   - known: the health layer's tables as of an earlier commit.
    static func deletion(
        of types: Set<String>?, _ range: TimeRange, _ names: Set<String>?, _ context: WriteContext,
        _ known: HealthSnapshot
    ) throws -> WriteBatch {
        var tables = known
        try tables.update(context.transaction)
        let sources = Set(tables.sources.lazy.filter { names?.contains($0.name) ?? true }.map(\.id))
        let rows = tables.series.filter {
            $0.holdsObjects && (types?.contains($0.type) ?? true) && (names == nil || sources.contains($0.source))
        }
        let provenances = Set(tables.provenances.lazy.filter { sources.contains($0.source) }.map(\.id))
        var batch = WriteBatch()
        var retired = [Int64]()
        let series = SeriesDeletion(tables, context.snapshot)
        for (type, rows) in Dictionary(grouping: rows, by: \.type).sorted(by: { $0.key < $1.key }) {
            /// Whether a series that starts before the range continues into it; its rows are kept.
            var isCrossed = false
            try HealthCatalog.eachSavedObject(type: type, start: .min...range.end, context.transaction) { row in
                guard SavedObjectKind(rawValue: row.kind) == .quantitySeries, provenances.contains(row.provenance)
                else { return true }
                if range.contains(row.start) {
                    try series.delete(row, in: &batch)
                    retired.append(row.id)
                } else if row.start < range.start, row.end >= range.start {
                    isCrossed = true
                }
                return true
            }
            for part in try SeriesParts(rows, context.snapshot).parts {
                // Peers need the identities of deleted samples.
                let isListed = try isCrossed || HealthCatalog.hasPeers(context.transaction)
                batch.delete(isListed ? .matching(range) { $0.metadata >= 0 } : .range(range), from: part.id)
            }
        }
        if !retired.isEmpty {
            let ids = retired
            batch.inCommit = { transaction, _ in try HealthCatalog.retire(savedObjects: ids, transaction) }
        }
        return batch
    }
}

extension DeletionReceipt {
    /// Merges the receipts of one commit.
    fileprivate init(_ all: [DeletionReceipt], otherwise sequence: Int64) {
        self.init(
            sequence: all.map(\.sequence).max() ?? sequence, count: all.reduce(0) { $0 + $1.count }, unknown: [])
    }
}

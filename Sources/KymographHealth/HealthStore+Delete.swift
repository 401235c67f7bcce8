// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import Kymograph

extension HealthStore {
    /// Deletes the samples of a type that start in a range, durably, in one commit. An import brings back those that
    /// its file has.
    ///
    /// A series of quantities goes as a whole if it starts in the range, and else stays as a whole. Workouts and other
    /// objects stay, also where they speak of samples that are deleted.
    /// - Parameters:
    ///   - range: in nanoseconds since 1970-01-01 UTC; without one, all samples go.
    ///   - sources: names of the sources whose samples go; without any, those of all.
    /// - Returns: the commit, and how many samples were deleted, each quantity of a series counted.
    /// - Throws: `engine` of the kinds that `TimeSeriesStore.delete(from:startingIn:)` names, `corrupt`.
    @discardableResult
    public func delete(
        _ type: HealthType, startingIn range: TimeRange = .all, sources: Set<String>? = nil
    ) throws(HealthStoreError) -> DeletionReceipt {
        let work = try inEngine { () throws(StoreError) in try engine.beginWork() }
        defer { work.end() }
        let view = try view()
        let parts = try view.parts(of: type.identifier).only(sources, view).parts
        if view.tables.rows.lastHealthObject == 0 {
            return try inEngine { () throws(StoreError) in
                let receipts = try engine.delete(parts.map { ($0.id, .range(range)) })
                return DeletionReceipt(receipts, otherwise: view.snapshot.sequence)
            }
        }
        let known = view.tables.rows
        do {
            let receipt = try engine.write { context in
                try Self.deletion(of: parts.map(\.row), type.identifier, range, context, known)
            }
            return DeletionReceipt(receipt.deletions, otherwise: receipt.sequence)
        } catch let error as StoreError {
            throw HealthStoreError(error)
        } catch let error as HealthStoreError {
            throw error
        } catch {
            throw HealthStoreError(.corrupt, "\(error)")
        }
    }

    private static func deletion(
        of parts: [HealthSeriesRow], _ type: String, _ range: TimeRange, _ context: WriteContext,
        _ known: HealthSnapshot
    ) throws -> WriteBatch {
        var tables = known
        try tables.update(context.transaction)
        let sources = Set(parts.map(\.source))
        let provenances = Set(tables.provenances.lazy.filter { sources.contains($0.source) }.map(\.id))
        var batch = WriteBatch()
        var retired = [Int64]()
        /// The rows that stay: of series that begin before the range.
        var isCrossed = false
        let series = SeriesDeletion(tables, context.snapshot)
        try HealthCatalog.eachHealthObject(type: type, start: .min...range.end, context.transaction) { row in
            guard HealthRecordKind(rawValue: row.kind) == .quantitySeries, provenances.contains(row.provenance) else {
                return true
            }
            if range.contains(row.start) {
                try series.delete(row, in: &batch)
                retired.append(row.id)
            } else if row.start < range.start, row.end >= range.start {
                isCrossed = true
            }
            return true
        }
        for part in parts {
            let id = SeriesID(rawValue: part.series)
            batch.delete(isCrossed ? .matching(range) { $0.metadata >= 0 } : .range(range), from: id)
        }
        if !retired.isEmpty {
            let ids = retired
            batch.inCommit = { transaction, _ in try HealthCatalog.retire(healthObjects: ids, transaction) }
        }
        return batch
    }
}

extension DeletionReceipt {
    /// Of several deletions of one commit.
    fileprivate init(_ all: [DeletionReceipt], otherwise sequence: Int64) {
        self.init(
            sequence: all.map(\.sequence).max() ?? sequence, count: all.reduce(0) { $0 + $1.count }, unknown: [])
    }
}

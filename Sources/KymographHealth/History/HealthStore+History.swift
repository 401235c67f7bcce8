// SPDX-License-Identifier: Apache-2.0

import Catalog
public import Foundation
import HealthCatalog
import HealthModel
public import Kymograph
import Synchronization

/// What a pruning of history removed.
public struct HistoryReport: Sendable, Hashable {
    /// Creates the report of a store that keeps everything.
    public init() {}

    init(begin: Date?) { self.begin = begin }

    /// The beginning of the kept history; nil if the store keeps everything.
    public var begin: Date?
    /// Pruned samples, with the quantities of series and the locations of routes.
    public var samples = 0
    /// Pruned objects: correlations, series, workouts, routes, electrocardiograms, records.
    public var objects = 0
}

// `Docs/Operations/Retention.md` has the rules of a limited history.
extension HealthStore {
    /// Returns the beginning of the history that the store keeps; nil if it keeps everything. A save of a sample that
    /// ends earlier fails.
    ///
    /// - Throws: `engine(.closed)`, `engine(.inputOutput)`.
    public func historyBegin() throws(HealthStoreError) -> Date? {
        HistoryLimit.stored(in: try currentView().tables.rows.settings).map { StoredTime.date($0) }
    }

    /// Removes the samples and objects that ended before the kept history and that another store has. Followers of the
    /// changes get no deletions, and other stores keep what is pruned here. The bytes are erased before this returns,
    /// except the bytes that a snapshot needs.
    ///
    /// Does nothing in a store that was never synchronised. The beginning of the kept history is stored; it only moves
    /// forward, and holds for all programs. A synchronisation, and each program that has the store open for longer,
    /// does the same by `StoreOptions.keepsHistory`.
    ///
    /// - Parameter kept: the history to keep; nil for that of the options. `.everything` stops the beginning where it
    ///   is.
    /// - Throws: `invalidArgument` for a number of days outside of 1 to 100,000; `engine(.readOnly)`,
    ///   `engine(.closed)`, `engine(.diskFull)`, `engine(.outcomeUnknown)`, `engine(.inputOutput)`, `corrupt`.
    /// - Complexity: O(series + objects of the pruned days), the blocks at the limit, and merges of the pruned files.
    @discardableResult
    public func pruneHistory(keeping kept: KeptHistory? = nil) throws(HealthStoreError) -> HistoryReport {
        let report = try pruneRows(keeping: kept ?? engine.keptHistory)
        if report.samples > 0 { try inEngine { () throws(StoreError) in try engine.erasePruned() } }
        return report
    }

    /// Whether the store keeps only the last days, or will after its next pruning.
    package func isHistoryLimited() throws(HealthStoreError) -> Bool {
        if engine.keptHistory != .everything { return true }
        return try historyBegin() != nil
    }

    /// Moves the beginning of the kept history forward by the options of this opening, if the store has a peer.
    ///
    /// - Returns: the beginning; nil if the store keeps everything.
    @discardableResult
    package func advanceHistory() throws(HealthStoreError) -> Int64? {
        let (begin, isNew) = try nextBegin(keeping: engine.keptHistory)
        guard isNew, let begin, try !catalog([], { try HealthCatalog.peers($0) }).isEmpty else { return begin }
        try commit { try HealthCatalog.set(setting: HealthCatalog.historyKey, to: String(begin), $0) }
        return begin
    }

    /// Whether `pruneRows` would move the beginning of the kept history.
    func isHistoryDue() throws(HealthStoreError) -> Bool {
        guard try nextBegin(keeping: engine.keptHistory).isNew else { return false }
        return try !catalog([]) { try HealthCatalog.peers($0) }.isEmpty
    }

    /// Returns the beginning of the kept history, and whether it is later than the stored one.
    private func nextBegin(
        keeping kept: KeptHistory
    ) throws(HealthStoreError) -> (begin: Int64?, isNew: Bool) {
        let view = try currentView()
        let stored = HistoryLimit.stored(in: view.tables.rows.settings)
        let wanted = try HistoryLimit.begin(of: kept, at: engine.wallClock, newest: view.snapshot.newestStart)
        guard let wanted, wanted > stored ?? .min else { return (stored, false) }
        return (wanted, true)
    }

    /// Hides the pruned samples and objects, in one commit, and removes the rows of objects that no snapshot shows.
    func pruneRows(keeping kept: KeptHistory) throws(HealthStoreError) -> HistoryReport {
        let (begin, isNew) = try nextBegin(keeping: kept)
        guard let begin else { return HistoryReport() }
        let peers = try followers()
        let holders = peers.filter { !$0.isLimited }
        if holders.isEmpty { return HistoryReport(begin: StoredTime.date(begin)) }
        let known = KnownCommits(
            through: holders.map(\.known.through).max() ?? 0,
            ranges: holders.flatMap(\.known.ranges).sorted { $0.upperBound < $1.upperBound })
        let tables = try view().tables.rows
        let (kinds, forgotten) = (Self.kindsWithoutRows, try forgettableCommit(peers))
        let report = Mutex(HistoryReport(begin: StoredTime.date(begin)))
        do {
            try engine.write { context in
                var (batch, tables) = (WriteBatch(), tables)
                try tables.update(context.transaction)
                let pruning = try HistoryPruning(before: begin, known, tables, context)
                report.withLock { ($0.samples, $0.objects) = (pruning.samples, pruning.objects.count) }
                if pruning.isEmpty, !isNew { return batch }
                batch.makesRoom = true
                pruning.prune(in: &batch)
                batch.inCommit = { transaction, _ in
                    try HealthCatalog.set(setting: HealthCatalog.historyKey, to: String(begin), transaction)
                    try pruning.prune(transaction)
                    try HealthCatalog.forgetDeletions(
                        before: begin, upTo: forgotten, ofKinds: kinds, transaction)
                    for peer in peers {
                        try HealthCatalog.forgetCommits(of: peer.id, upTo: peer.known.through, transaction)
                    }
                }
                return batch
            }
        } catch {
            throw HealthStoreError(any: error)
        }
        try removePrunedObjects()
        return report.withLock { $0 }
    }

    /// The last commit whose deletions of objects all peers have, and that no snapshot needs.
    private func forgettableCommit(_ peers: [Follower]) throws(HealthStoreError) -> Int64 {
        let held = try inEngine { () throws(StoreError) in try engine.oldestHeldCommit() }
        return min(held, peers.map(\.known.through).min() ?? 0)
    }

    /// The kinds of objects whose deletion no deleted samples refer to.
    private static let kindsWithoutRows = [
        SavedObjectKind.correlation, .heartbeatSeries, .electrocardiogram, .workout, .effort, .fields,
    ].map(\.rawValue)

    /// Removes the rows of pruned objects that no snapshot shows.
    private func removePrunedObjects() throws(HealthStoreError) {
        let end = try inEngine { () throws(StoreError) in try engine.oldestHeldCommit() }
        guard try catalog(false, { try HealthCatalog.hasPrunedObjects(diedUpTo: end, $0) }) else { return }
        try commit(horizon: end) { try HealthCatalog.removePruned(diedUpTo: end, $0) }
    }
}

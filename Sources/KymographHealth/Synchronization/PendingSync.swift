// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

/// The changes of a peer that a load stores, besides samples.
struct PendingSync {
    /// A sync identifier of a program.
    struct Key: Hashable {
        let type: String
        let source: Int64
        let identifier: String
    }

    /// The peer after the commit; nil for a load without changes of a peer.
    var peer: SyncPeerRow?
    /// Which objects of the page are too old.
    var limit = ReceivedLimit()
    var values = SyncValues()
    /// The number of values that the commit changed.
    private(set) var changedValues = 0
    /// The uses of rules: their numbers, and the first ones.
    private(set) var rules: [SyncRule: Int] = [:]
    private(set) var conflicts: [SyncConflict] = []
    var elements: [ElementRow] = []
    var documents: [(row: DocumentRow, body: [UInt8])] = []
    var objects: [SavedObjectRow] = []
    var synced: [SyncRow] = []
    /// The identities of the new objects with sync identifiers.
    var versions: [Key: SampleIdentity] = [:]
    /// Deleted samples by series.
    var deadSamples: [SeriesID: [SyncPage.DeadSample]] = [:]
    /// Stored objects that are deleted.
    var deadObjects: [SavedObjectRow] = []
    /// Deleted objects that are not stored here.
    var unknown: [SyncDeletionRow] = []
    /// Samples and objects that were passed over: stored already, deleted, or older than the version here.
    var passedSamples = 0
    var storedSamples = 0
    var passedObjects = 0
    var identities = DistinctIdentities()
    /// The identities of noted deletions; nil until the first look.
    var noted: Set<SampleIdentity>?
    /// Members of correlations that are passed over because a newer version is here.
    var staleMembers: Set<SampleIdentity> = []
    /// Workouts that are passed over, whose routes are passed over, too.
    var staleWorkouts: Set<SampleIdentity> = []
    /// Whether the newer version of a workout that is passed over has a route.
    var replacesRoutes = false
    /// Workouts that come with a route.
    var routedWorkouts: Set<SampleIdentity> = []
    /// Workouts, and the newer versions that replace them.
    var replacedWorkouts: [(old: SampleIdentity, new: SampleIdentity)] = []
    /// Workouts with additions, their new bodies, and whether the peer has another body.
    var rewritten: [(row: SavedObjectRow, body: [UInt8], isOwn: Bool)] = []
    /// Objects with attachments perhaps, and the newer versions that replace them.
    var replacedObjects: [(old: [UInt8], new: [UInt8])] = []
    /// Whether every element of the store is converted to objects before the load.
    var isConverted = false

    /// The order of the series in the deletions of the batch.
    private var order: [SeriesID] = []

    private static let mostConflicts = 10_000

    /// Notes the use of a rule for an object.
    mutating func use(_ rule: SyncRule, _ type: String, _ identity: @autoclosure () -> SampleIdentity) {
        rules[rule, default: 0] += 1
        if conflicts.count < Self.mostConflicts {
            conflicts.append(SyncConflict(rule: rule, subject: "\(type) \(identity())"))
        }
    }

    mutating func use(_ rule: SyncRule, _ type: String, _ uuid: [UInt8]) { use(rule, type, SampleIdentity(uuid)) }

    /// Returns the deletions of the load.
    mutating func batch(_ tables: HealthSnapshot, _ snapshot: Snapshot) throws -> WriteBatch {
        var batch = WriteBatch()
        order = deadSamples.keys.sorted()
        for id in order {
            let dead = deadSamples[id] ?? []
            let range = TimeRange(dead.map(\.range.start).min() ?? 0, dead.map(\.range.end).max() ?? 0)
            batch.delete(.identities(Array(Set(dead.map(\.identity))), range), from: id)
        }
        let series = SeriesDeletion(tables, snapshot)
        for row in deadObjects { try series.delete(row, in: &batch) }
        return batch
    }

    /// Writes the rows, inside the commit's transaction.
    ///
    /// - Parameters:
    ///   - store: the id of the store.
    ///   - type: returns the type of a series.
    mutating func commit(
        _ transaction: CatalogTransaction, _ receipt: WriteReceipt, store: [UInt8], type: (SeriesID) -> String
    ) throws {
        guard let peer else { return }
        let id = try HealthCatalog.set(peer, transaction)
        // The decisions come before the data that they are about.
        let merged = try values.merge(into: store, transaction)
        changedValues = merged.changed
        for one in merged.conflicts {
            rules[one.rule, default: 0] += 1
            if conflicts.count < Self.mostConflicts { conflicts.append(one) }
        }
        for one in replacedObjects { try HealthCatalog.moveAttachments(of: one.old, to: one.new, transaction) }
        try HealthCatalog.noteCommit(of: id, transaction)
        for one in replacedWorkouts {
            try SaveRows.moveRelations(of: one.old.uuid, to: one.new.uuid, transaction)
        }
        try HealthCatalog.retire(deadObjects, isNoted: false, transaction)
        try HealthCatalog.insert(elements, transaction)
        if isConverted, let last = elements.last?.id {
            // The objects of the elements come from the peer, too.
            for key in [HealthCatalog.convertedWorkoutsKey, HealthCatalog.convertedSamplesKey] {
                try HealthCatalog.set(setting: key, to: String(last), transaction)
            }
        }
        for one in rewritten {
            try HealthCatalog.rewrite(workout: one.row, body: one.body, isOwn: one.isOwn, transaction)
        }
        try HealthCatalog.insert(objects, transaction)
        for row in synced { try HealthCatalog.set(row, transaction) }
        var unknown = unknown
        for (series, found) in zip(order, receipt.deletions) where !found.unknown.isEmpty {
            let starts = Dictionary(
                (deadSamples[series] ?? []).map { ($0.identity, $0.range.start) }
            ) { first, _ in first }
            unknown += found.unknown.map {
                SyncDeletionRow(uuid: $0.bytes, type: type(series), start: starts[$0] ?? 0)
            }
        }
        try HealthCatalog.insert(unknown, transaction)
        for one in unknown { try HealthCatalog.remove(attachment: one.uuid, transaction) }
        try HealthCatalog.noteReceived(documents: documents.map(\.row.id), from: id, transaction)
        for (row, body) in documents { try HealthCatalog.insert(row, body: body, transaction) }
    }
}

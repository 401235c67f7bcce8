// SPDX-License-Identifier: Apache-2.0

package import Catalog
import Synchronization

/// What one commit is to change, all of it or nothing. What that means is told in `Docs/WriteBatches.md`.
package struct WriteBatch {
    /// The series that samples go to.
    package enum Target: Hashable, Sendable {
        /// One that is there.
        case stored(SeriesID)
        /// One by its name; where there is none it comes into being with the commit.
        case named(String, labels: [String: String], kind: SeriesKind)
    }

    private(set) var samples: [(target: Target, rows: SampleRows)] = []
    private(set) var deletions: [(series: SeriesID, what: Deletion)] = []
    /// Whether several samples of the batch may have one identity.
    package var sharesIdentities = false
    /// The newest commit of those whose dead objects a layer above erases with this batch: the store as it was before
    /// that can be shown no more.
    package var horizon: Int64 = 0
    /// Whether its rows only take the place of larger ones, or of none: on a full disk they get the ballast's room.
    package var makesRoom = false
    /// Runs last in the batch's part of the transaction; what it throws rolls the batch back.
    package var inCommit: ((CatalogTransaction, WriteReceipt) throws -> Void)?

    package init() {}

    /// Adds samples with their side columns, in any order; those without identities get new ones.
    package mutating func add(_ rows: SampleRows, to target: Target) { samples.append((target, rows)) }

    /// Adds a deletion: of what is there before the commit, and the deletions before this one have left.
    package mutating func delete(_ what: Deletion, from series: SeriesID) { deletions.append((series, what)) }
}

/// What becomes of identities that a caller gives.
package enum IdentityRule: Sendable {
    /// They are stored as they are; the caller knows that they are new.
    case unchecked
    /// None of them may be in the store.
    case new
    /// Samples that are there, the same in series, times and value, are passed over.
    case known
}

/// What a batch did.
package struct WriteReceipt: Hashable, Sendable {
    /// The commit, or one that was there already if nothing was changed. A snapshot with this or a greater sequence
    /// shows all of the batch.
    package let sequence: Int64
    /// Samples that were stored.
    package var added = 0
    /// Samples that were there already.
    package var known = 0
    /// The series of each `add`, in their order.
    package var series: [SeriesID] = []
    /// What became of each deletion, in their order.
    package var deletions: [DeletionReceipt] = []
}

/// What a batch is decided by: the store as it is right before its commit. Not to be kept.
package struct WriteContext {
    /// All commits, and what earlier batches of this commit have brought and deleted.
    package let snapshot: Snapshot
    /// The tables beside. What is written here is part of the batch.
    package let transaction: CatalogTransaction
    let store: TimeSeriesStore

    /// The first of some new identities, which count up in their lower halves.
    package func newIdentities(_ count: Int) -> SampleIdentity {
        store.mint.withLock { SampleIdentity(high: $0.high, low: $0.take(count)) }
    }
}

/// A batch on its way into a commit.
final class PendingBatch: Sendable {
    let rule: IdentityRule
    let decide: @Sendable (WriteContext) throws -> WriteBatch
    private let result = Mutex<Result<WriteReceipt, any Error>?>(nil)

    init(_ rule: IdentityRule, _ decide: @escaping @Sendable (WriteContext) throws -> WriteBatch) {
        self.rule = rule
        self.decide = decide
    }

    func finish(_ found: Result<WriteReceipt, any Error>) { result.withLock { $0 = found } }

    /// What became of it, or of the commit it should have been in.
    func receipt(or outcome: Result<CommitReceipt, StoreError>) throws -> WriteReceipt {
        if let found = result.withLock({ $0 }) { return try found.get() }
        return WriteReceipt(sequence: try outcome.get().sequence)
    }
}

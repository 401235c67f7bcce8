// SPDX-License-Identifier: Apache-2.0

package import Catalog
import Synchronization

/// The changes of one commit, all or none. `Docs/Guide/Engine.md` has the rules.
package struct WriteBatch {
    /// The series of samples.
    package enum Target: Hashable, Sendable {
        /// A stored series.
        case stored(SeriesID)
        /// The series of a name and labels, which the commit creates if there is none.
        case named(String, labels: [String: String], kind: SeriesKind)
    }

    private(set) var samples: [(target: Target, rows: SampleRows)] = []
    private(set) var deletions: [(series: SeriesID, what: Deletion)] = []
    /// True if several samples of the batch may have one identity.
    package var sharesIdentities = false
    /// The last commit whose deleted objects a layer above erases with this batch. Afterwards the store cannot be shown
    /// as of an earlier commit.
    package var horizon: Int64 = 0
    /// True if the rows need no more space than the rows that they replace; such a batch may use the ballast.
    package var makesRoom = false
    /// The `now` of a retention by age.
    var retention: RetentionTime?
    /// Runs last in the batch's part of the transaction; an error rolls the batch back.
    package var inCommit: ((CatalogTransaction, WriteReceipt) throws -> Void)?

    package init() {}

    /// Adds samples with their side columns, in any order. Samples without identities get new ones.
    package mutating func add(_ rows: SampleRows, to target: Target) { samples.append((target, rows)) }

    /// Adds a deletion. It applies to samples of earlier commits, after the earlier deletions of the batch.
    package mutating func delete(_ what: Deletion, from series: SeriesID) { deletions.append((series, what)) }
}

/// The outcome of a batch.
package struct WriteReceipt: Hashable, Sendable {
    /// The commit, or an earlier one if nothing was changed. A snapshot with this or a greater sequence shows the whole
    /// batch.
    package let sequence: Int64
    /// Samples that were stored.
    package var added = 0
    /// Samples that were skipped, because they are stored already.
    package var known = 0
    /// The series of each `add`, in their order.
    package var series: [SeriesID] = []
    /// The receipt of each deletion, in their order.
    package var deletions: [DeletionReceipt] = []
}

/// The store right before a commit, as the input of the closure that decides the batch. Valid only during the closure.
package struct WriteContext {
    /// All commits, and the changes of earlier batches of this commit.
    package let snapshot: Snapshot
    /// The catalog's tables. Rows that the closure writes here are part of the batch.
    package let transaction: CatalogTransaction
    /// The greatest `now` of a retention that deleted samples.
    let latestNow: Int64?
    let context: StoreContext

    /// Returns the first of `count` new identities, which count up in their lower halves.
    package func newIdentities(_ count: Int) -> SampleIdentity { context.newIdentities(count) }
}

/// A batch that waits for its commit.
final class PendingBatch: Sendable {
    let rule: IdentityRule
    let decide: @Sendable (WriteContext) throws -> WriteBatch
    private let result = Mutex<Result<WriteReceipt, any Error>?>(nil)

    init(_ rule: IdentityRule, _ decide: @escaping @Sendable (WriteContext) throws -> WriteBatch) {
        self.rule = rule
        self.decide = decide
    }

    func finish(_ found: Result<WriteReceipt, any Error>) { result.withLock { $0 = found } }

    /// Returns the receipt of the batch, or throws the error of its commit.
    func receipt(or outcome: Result<CommitReceipt, StoreError>) throws -> WriteReceipt {
        if let found = result.withLock({ $0 }) { return try found.get() }
        return WriteReceipt(sequence: try outcome.get().sequence)
    }
}

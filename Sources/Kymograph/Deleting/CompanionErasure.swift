// SPDX-License-Identifier: Apache-2.0

import Catalog
import Synchronization

/// Erases rows that a layer above stores beside the samples. A deletion marks the rows, as it marks samples, and their
/// bytes are erased when the deletion is old enough: `Docs/Operations/Retention.md` has the bound.
struct CompanionErasure: Sendable {
    /// Returns whether `erase` would erase something now; called when the store is closed.
    let isDue: @Sendable () throws -> Bool
    /// Erases overdue rows; returns whether it erased any. Called by each check of an opening that may write.
    let erase: @Sendable () throws -> Bool
    /// Returns the last commit whose deletions all followers have; a later deletion is not forgotten.
    let followedCommit: @Sendable () throws -> Int64
}

/// The commits that deleted rows of a layer whose bytes are still stored, with their times, as the layer stores them.
package struct CompanionDeletions: Hashable, Sendable {
    /// The commit up to which the bytes of deleted rows are erased.
    package private(set) var erased: Int64 = 0
    private var times = DeletionTimes()

    package init() {}

    /// Parses the result of `text`; returns nil for any other text.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let first = words.first, let erased = Int64(first), erased >= 0 else { return nil }
        self.erased = erased
        var rows = [DeletionTime]()
        for word in words.dropFirst() {
            let parts = word.split(separator: ":", maxSplits: 1).map { Int64($0) }
            guard parts.count == 2, let commit = parts[0], let at = parts[1], commit > rows.last?.commit ?? erased
            else { return nil }
            rows.append(DeletionTime(commit: commit, at: at))
        }
        times = DeletionTimes(rows)
    }

    /// One line: the commit `erased`, then pairs of a commit and its time in nanoseconds.
    package var text: String {
        ([String(erased)] + times.rows.map { "\($0.commit):\($0.at)" }).joined(separator: " ")
    }

    /// Records a commit that deleted rows, unless it is known.
    package mutating func note(_ commit: Int64, in store: TimeSeriesStore) {
        let now = store.context.options.wallClock()
        let known = times.believed(at: now)
        let isNew = commit > known.rows.last?.commit ?? erased
        times = isNew ? known.adding(commit, at: now, age: store.context.erasureAge) : known
    }

    /// Returns the last commit whose deleted rows are old enough to be erased; 0 if there is none.
    package func overdue(in store: TimeSeriesStore) -> Int64 {
        times.lastCommit(before: store.context.erasureAge, at: store.context.options.wallClock())
    }

    /// Records that the bytes of rows deleted up to a commit are erased.
    package mutating func noteErased(upTo commit: Int64) {
        erased = max(erased, commit)
        times = DeletionTimes(times.rows.filter { $0.commit > erased })
    }
}

extension TimeSeriesStore {
    /// Makes the periodic checks of this opening erase overdue rows of a layer above, too, and keep the deletions that
    /// its followers lack.
    ///
    /// - Parameters: as in `CompanionErasure`; each closure receives this store, which it must not hold.
    package func erase(
        isDue: @escaping @Sendable (TimeSeriesStore) throws -> Bool,
        with erase: @escaping @Sendable (TimeSeriesStore) throws -> Bool,
        keepingAfter followedCommit: @escaping @Sendable (TimeSeriesStore) throws -> Int64
    ) {
        eraser.erase(
            with: CompanionErasure(
                isDue: { [weak self] in try self.map(isDue) ?? false },
                erase: { [weak self] in try self.map(erase) ?? false },
                followedCommit: { [weak self] in try self.map(followedCommit) ?? 0 }))
    }

    /// The last commit among the known deletions of samples; 0 if there is none. O(series).
    package var newestDeletion: Int64 {
        context.published.withLock { $0.tombstones.values.compactMap { $0.all.last?.born }.max() ?? 0 }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import Synchronization

/// What a layer above keeps beside the samples. As samples do, it dies with a mark, and its bytes go when the deletion
/// is old enough: `Docs/Deletes.md` has the bound.
package struct CompanionErasure: Sendable {
    let isDue: @Sendable (TimeSeriesStore) throws -> Bool
    let erase: @Sendable (TimeSeriesStore) throws -> Bool

    /// - Parameters:
    ///   - isDue: whether `erase` would do something now; asked when the store is closed.
    ///   - erase: called with each look of an opening that may write; whether bytes were erased.
    package init(
        isDue: @escaping @Sendable (TimeSeriesStore) throws -> Bool,
        erase: @escaping @Sendable (TimeSeriesStore) throws -> Bool
    ) {
        self.isDue = isDue
        self.erase = erase
    }
}

/// When the objects of a layer died whose bytes are still there, as the layer keeps it.
package struct CompanionDeletions: Hashable, Sendable {
    /// The bytes of what died up to this commit are gone.
    package private(set) var erased: Int64 = 0
    private var times = DeletionTimes()

    package init() {}

    /// From what `text` gave; nil of anything else.
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

    /// One line: the number of a commit, then pairs of a commit and its time in nanoseconds.
    package var text: String {
        ([String(erased)] + times.rows.map { "\($0.commit):\($0.at)" }).joined(separator: " ")
    }

    /// Notes that something died in a commit, if that is not known yet.
    package mutating func note(_ commit: Int64, in store: TimeSeriesStore) {
        let now = store.options.wallClock()
        let known = times.believed(at: now)
        let isNew = commit > known.rows.last?.commit ?? erased
        times = isNew ? known.adding(commit, at: now, age: store.erasureAge) : known
    }

    /// The last commit whose dead are old enough for their bytes to go; 0 if none are.
    package func overdue(in store: TimeSeriesStore) -> Int64 {
        times.lastCommit(before: store.erasureAge, at: store.options.wallClock())
    }

    /// Notes that the bytes are gone of all that died up to a commit.
    package mutating func noteErased(upTo commit: Int64) {
        erased = max(erased, commit)
        times = DeletionTimes(times.rows.filter { $0.commit > erased })
    }
}

extension TimeSeriesStore {
    /// Makes the looks of this opening ask a layer above, too, what is overdue.
    package func erase(with layer: CompanionErasure) {
        companionErasure.withLock { $0 = layer }
        eraseInTime()
    }

    /// The last commit that deleted samples, of those that are known; 0 if there is none. O(series).
    package var newestDeletion: Int64 {
        published.withLock { $0.tombstones.values.compactMap { $0.all.last?.born }.max() ?? 0 }
    }

    /// Erases what is overdue of the layer above; whether there was anything.
    func eraseCompanion() throws(StoreError) -> Bool {
        guard let layer = companionErasure.withLock({ $0 }) else { return false }
        do {
            return try layer.erase(self)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.corrupt, "\(error)", path: path)
        }
    }

    var isCompanionErasureDue: Bool {
        guard let layer = companionErasure.withLock({ $0 }) else { return false }
        return (try? layer.isDue(self)) ?? false
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import Synchronization

/// An index from names and labels to series numbers, shared by all versions of an opening.
///
/// A lookup may return numbers of series that a version lacks, or that were never committed; the caller checks each
/// number. The first lookup adds the series of the opening, so that opening a store does not wait for this.
final class SeriesNames: Sendable {
    fileprivate struct State {
        /// Pages that are not in the table yet.
        var waiting: [SeriesRows]
        /// The hash table: series numbers, 0 for a free entry, and their hashes. Comparing hashes avoids reading names.
        var ids = SeriesNumbers()
        var hashes: [UInt32] = []
        var used = 0
    }

    private let state: Mutex<State>

    init(_ pages: [SeriesRows]) { state = Mutex(State(waiting: pages)) }

    /// Returns the first series with a name and labels for which `isWanted` returns true.
    func first(_ name: String, _ labels: String, where isWanted: (Int64) -> Bool) -> Int64? {
        let hash = Self.hash(name, labels)
        return state.withLock { state in
            state.takeIn()
            var found: Int64?
            state.forEach(hash) { id in
                if isWanted(id) { found = id }
                return found == nil
            }
            return found
        }
    }

    func add(_ id: Int64, _ name: String, _ labels: String) {
        let hash = Self.hash(name, labels)
        state.withLock { $0.add(id, hash) }
    }

    /// Returns the same hash for equal texts, even if they consist of different Unicode scalars.
    fileprivate static func hash(_ name: String, _ labels: String) -> Int {
        var hasher = Hasher()
        hasher.combine(name)
        hasher.combine(Labels.comparable(labels))
        return hasher.finalize()
    }
}

extension SeriesNames.State {
    mutating func takeIn() {
        if waiting.isEmpty { return }
        grow(to: used + waiting.reduce(0) { $0 + $1.count })
        for page in waiting {
            for place in page.indices {
                let (name, labels) = page.texts(at: place)
                add(page.ids[place], SeriesNames.hash(name, labels))
            }
        }
        waiting = []
    }

    mutating func add(_ id: Int64, _ hash: Int) {
        var isKnown = false
        forEach(hash) { known in
            isKnown = known == id
            return !isKnown
        }
        if isKnown { return }
        if used >= ids.count / 4 * 3 { grow(to: used + 1) }
        place(id, UInt32(truncatingIfNeeded: hash))
        used += 1
    }

    /// Calls `body` for each number that may have a hash, until it returns false.
    func forEach(_ hash: Int, _ body: (Int64) -> Bool) {
        if ids.isEmpty { return }
        let mine = UInt32(truncatingIfNeeded: hash)
        var at = Int(mine) & (ids.count - 1)
        while ids[at] != 0 {
            if hashes[at] == mine, !body(ids[at]) { return }
            at = (at + 1) & (ids.count - 1)
        }
    }

    private mutating func place(_ id: Int64, _ hash: UInt32) {
        var at = Int(hash) & (ids.count - 1)
        while ids[at] != 0 { at = (at + 1) & (ids.count - 1) }
        ids[at] = id
        hashes[at] = hash
    }

    /// Enlarges the table so that at least a quarter of the entries is free.
    private mutating func grow(to count: Int) {
        var size = max(16, ids.count)
        while size / 4 * 3 <= count { size *= 2 }
        if size == ids.count { return }
        let (old, oldHashes) = (ids, hashes)
        ids = SeriesNumbers(count: size)
        hashes = [UInt32](repeating: 0, count: size)
        for i in 0..<old.count where old[i] != 0 { place(old[i], oldHashes[i]) }
    }
}

/// Series numbers, of four bytes each while all are below 2^32.
private struct SeriesNumbers {
    private var low: [UInt32]
    /// The upper halves; empty while all are 0.
    private var high: [UInt32] = []

    init(count: Int = 0) { low = [UInt32](repeating: 0, count: count) }

    var count: Int { low.count }
    var isEmpty: Bool { low.isEmpty }

    subscript(place: Int) -> Int64 {
        get { Int64(high.isEmpty ? 0 : high[place]) << 32 | Int64(low[place]) }
        set {
            low[place] = UInt32(truncatingIfNeeded: newValue)
            let upper = UInt32(truncatingIfNeeded: newValue >> 32)
            if high.isEmpty {
                if upper == 0 { return }
                high = [UInt32](repeating: 0, count: low.count)
            }
            high[place] = upper
        }
    }
}

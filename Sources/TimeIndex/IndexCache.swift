// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps the memory of index pages within a bound: a clock over all pages that were loaded, oldest first; a page that
/// was used since the hand last passed gets another round.
package final class IndexCache: Sendable {
    /// A page and where it hangs.
    private struct Place {
        let parent: IndexNode
        let entry: Int
        let page: IndexNode
    }

    private struct Clock {
        var places: [Place] = []
        var hand = 0
        var read = 0
    }

    /// The most pages kept; the roots of runs are not counted.
    private let limit: Int
    private let clock = Mutex(Clock())

    /// A cache for so many bytes of pages.
    package init(bytes: Int) { limit = max(64, bytes / IndexNode.bytes) }

    /// The number of pages kept.
    package var count: Int { clock.withLock { $0.places.count } }

    /// The number of pages that were read so far; what is not kept any more was dropped.
    package var readCount: Int { clock.withLock { $0.read } }

    /// Hangs a loaded page below its parent, and lets go of another one if there are too many.
    ///
    /// All under one lock: a page that hung without a place in the clock would never be let go.
    package func keep(_ page: IndexNode, below parent: IndexNode, entry: Int) {
        // What is let go is freed after the lock.
        _ = clock.withLock { clock -> Place? in
            let fresh = Place(parent: parent, entry: entry, page: page)
            clock.read += 1
            parent.setChild(entry, page)
            if clock.places.count < limit {
                clock.places.append(fresh)
                return nil
            }
            // After one round every page was seen unused, so this ends.
            while clock.places[clock.hand].page.takeUsed() { clock.hand = (clock.hand + 1) % limit }
            let old = clock.places[clock.hand]
            old.parent.forget(old.page, at: old.entry)
            clock.places[clock.hand] = fresh
            clock.hand = (clock.hand + 1) % limit
            return old
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the root of an index hangs on.
package protocol IndexRootHolder: AnyObject, Sendable {
    /// Remembers the root page.
    func hang(_ root: IndexNode)
    /// Forgets the root page, unless another one is there by now.
    func forget(_ root: IndexNode)
}

/// Keeps the memory of index pages within a bound: a clock over all pages that were loaded, oldest first; a page that
/// was used since the hand last passed gets another round.
package final class IndexCache: Sendable {
    /// A page and where it hangs.
    private struct Place {
        let page: IndexNode
        /// The page above; nil for a root.
        var parent: IndexNode?
        var entry = 0
        /// Of a root. A run that is gone needs no root any more.
        weak var holder: (any IndexRootHolder)?

        func hang() {
            parent?.setChild(entry, page)
            holder?.hang(page)
        }

        func forget() {
            parent?.forget(page, at: entry)
            holder?.forget(page)
        }
    }

    private struct Clock {
        var places: [Place] = []
        var hand = 0
        var read = 0
    }

    /// The most pages kept.
    private let limit: Int
    private let clock = Mutex(Clock())

    /// A cache for so many bytes of pages.
    package init(bytes: Int) { limit = max(64, bytes / IndexNode.bytes) }

    /// The number of pages kept.
    package var count: Int { clock.withLock { $0.places.count } }

    /// The number of pages that were read so far; what is not kept any more was dropped.
    package var readCount: Int { clock.withLock { $0.read } }

    /// Hangs a loaded page below its parent, and lets go of another one if there are too many.
    package func keep(_ page: IndexNode, below parent: IndexNode, entry: Int) {
        keep(Place(page: page, parent: parent, entry: entry))
    }

    /// Hangs a loaded root on its run, and lets go of another page if there are too many.
    package func keep(_ page: IndexNode, rootOf holder: any IndexRootHolder) {
        keep(Place(page: page, holder: holder))
    }

    /// All under one lock: a page that hung without a place in the clock would never be let go.
    private func keep(_ fresh: Place) {
        // What is let go is freed after the lock.
        _ = clock.withLock { clock -> Place? in
            clock.read += 1
            fresh.hang()
            if clock.places.count < limit {
                clock.places.append(fresh)
                return nil
            }
            // After one round every page was seen unused, so this ends.
            while clock.places[clock.hand].page.takeUsed() { clock.hand = (clock.hand + 1) % limit }
            let old = clock.places[clock.hand]
            old.forget()
            clock.places[clock.hand] = fresh
            clock.hand = (clock.hand + 1) % limit
            return old
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The owner of an index root in memory.
package protocol IndexRootHolder: AnyObject, Sendable {
    /// Stores the root page.
    func hang(_ root: IndexNode)
    /// Removes the root page, unless another page has replaced it.
    func forget(_ root: IndexNode)
}

/// Bounds the memory of index pages with the clock algorithm: pages are evicted in the order in which they were loaded,
/// except that a page used since the hand last passed stays for another round.
package final class IndexCache: Sendable {
    /// A cached page and its owner.
    private struct Place {
        let page: IndexNode
        /// The parent page; nil for a root.
        var parent: IndexNode?
        var entry = 0
        /// The owner of a root. Weak: a root is not needed after its run.
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

    /// Maximum number of cached pages.
    private let limit: Int
    private let clock = Mutex(Clock())

    package init(bytes: Int) { limit = max(64, bytes / IndexNode.bytes) }

    package var count: Int { clock.withLock { $0.places.count } }

    /// The number of pages loaded so far, including evicted ones.
    package var readCount: Int { clock.withLock { $0.read } }

    /// Attaches a loaded page to its parent, and evicts another page if the cache is full.
    package func keep(_ page: IndexNode, below parent: IndexNode, entry: Int) {
        keep(Place(page: page, parent: parent, entry: entry))
    }

    /// Attaches a loaded root to its run, and evicts another page if the cache is full.
    package func keep(_ page: IndexNode, rootOf holder: any IndexRootHolder) {
        keep(Place(page: page, holder: holder))
    }

    /// Works under one lock: a page that is attached but missing in the clock would never be evicted.
    private func keep(_ fresh: Place) {
        // The evicted page is freed after the lock.
        _ = clock.withLock { clock -> Place? in
            clock.read += 1
            fresh.hang()
            if clock.places.count < limit {
                clock.places.append(fresh)
                return nil
            }
            // Ends after at most one round, which clears the used marks of all pages.
            while clock.places[clock.hand].page.takeUsed() { clock.hand = (clock.hand + 1) % limit }
            let old = clock.places[clock.hand]
            old.forget()
            clock.places[clock.hand] = fresh
            clock.hand = (clock.hand + 1) % limit
            return old
        }
    }
}

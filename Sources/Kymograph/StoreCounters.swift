// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TimeIndex

/// What a store did since it was opened, in this process.
public struct StoreCounters: Hashable, Sendable {
    /// Commits that were acknowledged.
    public var commits: Int
    /// Index pages read from segments.
    public var indexPagesRead: Int
    /// Of these, the pages in memory now: at most `StoreOptions.indexCacheBytes` of them.
    public var indexPagesInMemory: Int
}

extension TimeSeriesStore {
    /// What this opening of the store did so far. Under a microsecond.
    public var counters: StoreCounters {
        StoreCounters(
            commits: commits.load(ordering: .relaxed), indexPagesRead: cache.readCount,
            indexPagesInMemory: cache.count)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TimeIndex

/// What a store did since it was opened, in this process.
public struct StoreCounters: Hashable, Sendable {
    /// Commits that were acknowledged.
    public var commits: Int
    /// Bytes of segments that were written and committed, those of merges among them.
    public var segmentBytesWritten: Int
    /// What merges of segments did, those that began by themselves and those that were asked for.
    public var compaction: CompactionReport
    /// Index pages read from segments.
    public var indexPagesRead: Int
    /// Of these, the pages in memory now: at most `StoreOptions.indexCacheBytes` of them.
    public var indexPagesInMemory: Int
}

extension TimeSeriesStore {
    /// What this opening of the store did so far. Under a microsecond.
    public var counters: StoreCounters {
        StoreCounters(
            commits: commits.load(ordering: .relaxed), segmentBytesWritten: segmentBytes.load(ordering: .relaxed),
            compaction: compaction.total, indexPagesRead: cache.readCount,
            indexPagesInMemory: cache.count)
    }
}

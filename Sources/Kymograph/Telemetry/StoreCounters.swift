// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TimeIndex

/// What a store did since it was opened, in this process. `Docs/Metrics.md` says more of each number.
public struct StoreCounters: Hashable, Sendable {
    /// Commits that were acknowledged.
    public var commits = 0
    /// Commits that failed or whose outcome is unknown.
    public var commitsFailed = 0
    /// The time that all commits took together, failed ones among them.
    public var commitTime = Duration.zero
    /// Syncs of the catalog, its log, segments and their directory.
    public var syncs = 0
    /// Bytes handed to the file system for the catalog and its log.
    public var catalogBytesWritten = 0
    /// Bytes of the rows of the tail that were committed: encoded samples.
    public var tailBytesWritten = 0
    /// Bytes of segments that were written and committed, those of merges among them.
    public var segmentBytesWritten = 0
    /// Appends that were committed as rows of the tail.
    public var appends = 0
    /// Of these, the ones that shared the commit of another one.
    public var appendsGrouped = 0
    /// Appends that wait for a commit now.
    public var appendsWaiting = 0
    /// Samples that appends brought into the tail.
    public var samplesAppended = 0
    /// Samples that bulk loads, and appends of very many samples, brought into segments.
    public var samplesLoaded = 0
    /// Samples that were deleted.
    public var samplesDeleted = 0
    /// How often samples of the tail were moved into a segment.
    public var seals = 0
    /// What merges of segments did, those that began by themselves and those that were asked for.
    public var compaction = CompactionReport()
    /// Merges that were not committed, by the kind of error; `cancelled` are those that were stopped.
    public var mergesFailed: [StoreError.Kind: Int] = [:]
    /// Reads of blocks and index pages that met damage.
    public var damagedReads = 0
    /// Calls that found no room on the disk.
    public var diskFullErrors = 0
    /// How often a call waited because a relaxed appender had no room.
    public var backpressureWaits = 0
    /// How long these calls waited.
    public var backpressureTime = Duration.zero
    /// Of these calls, the ones that gave up, as `overloaded`.
    public var overloads = 0
    /// Bytes that relaxed appenders have counted and not committed yet.
    public var relaxedBytesWaiting = 0
    /// How often a shared opening became the writer.
    public var turns = 0
    /// How long it waited for that.
    public var turnWaitTime = Duration.zero
    /// Commits before the last that snapshots of this opening still show.
    public var commitsHeld = 0
    /// How many commits the oldest of them is behind the last.
    public var commitsBehind: Int64 = 0
    /// Index pages read from segments.
    public var indexPagesRead = 0
    /// Of these, the pages in memory now: at most `StoreOptions.indexCacheBytes` of them.
    public var indexPagesInMemory = 0
    /// Events that observers were too slow for.
    public var eventsLost = 0
}

extension TimeSeriesStore {
    /// The counters of this opening of the store. Takes microseconds, and never waits for a commit.
    public var counters: StoreCounters {
        let waiting = appenders.withLock { all in all.reduce(0) { $0 + ($1.value?.bytesWaiting ?? 0) } }
        let (telemetry, cache) = (context.telemetry, context.cache)
        let last = context.published.withLock { $0.seq }
        let held = context.slots.held(before: last)
        return StoreCounters(
            commits: telemetry.commits.value, commitsFailed: telemetry.commitsFailed.value,
            commitTime: .nanoseconds(telemetry.commitNanoseconds.value), syncs: telemetry.syncs.value,
            catalogBytesWritten: telemetry.catalogBytes.value, tailBytesWritten: telemetry.tailBytes.value,
            segmentBytesWritten: telemetry.segmentBytes.value, appends: telemetry.appends.value,
            appendsGrouped: telemetry.appendsGrouped.value, appendsWaiting: committer.queue.count,
            samplesAppended: telemetry.samplesAppended.value, samplesLoaded: telemetry.samplesLoaded.value,
            samplesDeleted: telemetry.samplesDeleted.value, seals: telemetry.seals.value,
            compaction: compactor.state.total, mergesFailed: telemetry.mergeFailures,
            damagedReads: telemetry.damagedReads.value, diskFullErrors: telemetry.fullErrors.value,
            backpressureWaits: telemetry.roomWaits.value,
            backpressureTime: .nanoseconds(telemetry.roomNanoseconds.value), overloads: telemetry.overloads.value,
            relaxedBytesWaiting: waiting, turns: telemetry.turns.value,
            turnWaitTime: .nanoseconds(telemetry.turnNanoseconds.value), commitsHeld: held.count,
            commitsBehind: held.min().map { last - $0 } ?? 0, indexPagesRead: cache.readCount,
            indexPagesInMemory: cache.count, eventsLost: telemetry.eventsLost)
    }
}

extension Atomic<Int> {
    /// The number now; of several that change together, each is read for itself.
    fileprivate var value: Int { load(ordering: .relaxed) }
}

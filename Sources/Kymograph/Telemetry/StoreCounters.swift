// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TimeIndex

/// The work of a store in this process since it was opened. `Docs/Operations/Metrics.md` describes each number.
public struct StoreCounters: Hashable, Sendable {
    /// Acknowledged commits.
    public var commits = 0
    /// Commits that failed or whose outcome is unknown.
    public var commitsFailed = 0
    /// The total time of all commits, including failed ones.
    public var commitTime = Duration.zero
    /// Syncs of the catalog, its log, segments and their directory.
    public var syncs = 0
    /// Bytes written to the file system for the catalog and its log.
    public var catalogBytesWritten = 0
    /// Bytes of the committed rows of the tail: encoded samples.
    public var tailBytesWritten = 0
    /// Bytes of written and committed segments, including merged ones.
    public var segmentBytesWritten = 0
    /// Appends committed as rows of the tail.
    public var appends = 0
    /// Appends that shared the commit of another append.
    public var appendsGrouped = 0
    /// Appends that currently wait for a commit.
    public var appendsWaiting = 0
    /// Samples added to the tail by appends.
    public var samplesAppended = 0
    /// Samples added to segments by bulk loads and by appends of very many samples.
    public var samplesLoaded = 0
    /// Deleted samples.
    public var samplesDeleted = 0
    /// Moves of samples from the tail into a segment.
    public var seals = 0
    /// The work of segment merges, automatic and requested.
    public var compaction = CompactionReport()
    /// Merges without a commit, by the kind of error; `cancelled` counts stopped merges.
    public var mergesFailed: [StoreError.Kind: Int] = [:]
    /// Reads of blocks and index pages that found damage.
    public var damagedReads = 0
    /// Calls that failed because the disk was full.
    public var diskFullErrors = 0
    /// Calls that waited because a relaxed appender was full.
    public var backpressureWaits = 0
    /// The total time of these waits.
    public var backpressureTime = Duration.zero
    /// Calls that waited and then failed with `overloaded`.
    public var overloads = 0
    /// Bytes that relaxed appenders have accepted but not committed.
    public var relaxedBytesWaiting = 0
    /// The number of times that a shared opening became the writer.
    public var turns = 0
    /// The total time of waiting to become the writer.
    public var turnWaitTime = Duration.zero
    /// Commits before the last commit that snapshots of this opening hold.
    public var commitsHeld = 0
    /// The distance of the oldest held commit from the last commit.
    public var commitsBehind: Int64 = 0
    /// Index pages read from segments.
    public var indexPagesRead = 0
    /// Index pages now in memory, at most `StoreOptions.indexCacheBytes`.
    public var indexPagesInMemory = 0
    /// Events dropped because observers were too slow.
    public var eventsLost = 0
}

extension TimeSeriesStore {
    /// The work of this opening so far. Takes some microseconds and never waits for a commit.
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
    /// The current number. Counters that change together are read one by one.
    fileprivate var value: Int { load(ordering: .relaxed) }
}

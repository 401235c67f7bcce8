// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A rare event of a store that an operator may want to know. Events are rare, so reporting them does not slow appends
/// or queries. `Docs/Operations/Metrics.md` lists them.
public struct StoreEvent: Hashable, Sendable {
    /// The store's directory.
    public let path: String
    /// The kind of event, with its details.
    public let what: What

    /// The kinds of events.
    public enum What: Hashable, Sendable {
        /// The store was opened, at its last commit.
        case opened(OpenMode, sequence: Int64, took: Duration)
        /// The store was closed. Only events of other openings follow.
        case closed(sequence: Int64)
        /// Opening for writing found remains of an earlier writer or a power loss, and repaired them.
        case recovered(Recovery)
        /// A shared opening became the writer after a wait.
        case turnBegan(sequence: Int64, waited: Duration)
        /// A shared opening stopped being the writer.
        case turnEnded
        /// A bulk load was committed.
        case loaded(samples: Int, sequence: Int64, took: Duration)
        /// Samples of the tail were moved into a segment.
        case sealed(samples: Int, bytes: Int64, took: Duration)
        /// Samples were deleted.
        case deleted(samples: Int, sequence: Int64)
        /// A merge of segments started.
        case mergeBegan(segments: Int, bytes: Int64)
        /// A merge was committed.
        case mergeEnded(CompactionReport, took: Duration)
        /// A merge ended without a commit; with the kind `cancelled` if it was stopped.
        case mergeFailed(StoreError)
        /// A call found the disk full, for the first time since the last successful commit.
        case diskFullEntered(StoreError)
        /// A commit succeeded again after the disk was full.
        case diskFullLeft
        /// A reader found damaged bytes. Each location is reported once.
        case damageFound(StoreError)
        /// A commit failed, and the store must be opened again before further writes.
        case writerStopped(StoreError)
        /// Samples that a relaxed appender had accepted could not be committed and are lost.
        case relaxedSamplesLost(samples: Int, StoreError)
        /// A backup was completed.
        case backedUp(BackupReport, took: Duration)
        /// A backup failed.
        case backupFailed(StoreError)
        /// The store was restored from a backup.
        case restored(BackupReport, took: Duration)
        /// A workout session ignored a call that is not possible in its state.
        case sessionCallIgnored(call: String, state: String)
        /// Some events were not delivered because the observers were too slow.
        case eventsLost(Int)
    }

    /// The repairs made by opening for writing.
    public struct Recovery: Hashable, Sendable {
        /// Removed segments of unfinished loads or merges, which no commit names.
        public var segmentsRemoved = 0
        /// Whether a commit of unknown outcome was settled by writing the log again.
        public var settledUnknownOutcome = false
        /// Whether the record of the last acknowledged commit was missing or damaged and was written again.
        public var renewedWitness = false
        /// Acknowledged commits that are lost, if the options accept the loss.
        public var commitsLost: Int64 = 0
    }
}

/// A registration of an observer. It ends when the object is released.
public final class StoreObservation: Sendable {
    private let telemetry: Telemetry
    private let number: Int

    fileprivate init(_ telemetry: Telemetry, _ number: Int) {
        self.telemetry = telemetry
        self.number = number
    }

    /// Ends the observation. An event that is being delivered may still arrive.
    public func end() { telemetry.remove(number) }

    deinit { end() }
}

extension TimeSeriesStore {
    /// Reports that a workout session ignored a call. May be called with locks held.
    package func note(ignoredSessionCall call: String, in state: String) {
        context.telemetry.post(.sessionCallIgnored(call: call, state: state))
    }

    /// Calls a closure with each event from now on, in order, on a thread of its own.
    ///
    /// No lock of the store is held, so the closure may call the store. `StoreOptions.observer` also receives the event
    /// of the opening. Up to 1,024 events wait for a slow closure; further events are dropped and reported as
    /// `eventsLost`. `close` waits until all events are delivered, unless the closure calls it.
    public func observe(_ observer: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        StoreObservation(context.telemetry, context.telemetry.add(observer))
    }
}

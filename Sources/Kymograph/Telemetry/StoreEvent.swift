// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Something that happened to a store and that whoever runs it may want to know; rare ones only, so that telling them
/// costs appends and queries nothing. `Docs/Metrics.md` lists them.
public struct StoreEvent: Hashable, Sendable {
    /// The store's directory.
    public let path: String
    /// What happened.
    public let what: What

    /// What may happen.
    public enum What: Hashable, Sendable {
        /// The store was opened, at its last commit.
        case opened(OpenMode, sequence: Int64, took: Duration)
        /// The store was closed; this is the last event but for those of what goes on in other openings.
        case closed(sequence: Int64)
        /// Opening for writing met what an earlier writer, or a power cut, left behind, and put it in order.
        case recovered(Recovery)
        /// A shared opening became the writer, after waiting for others.
        case turnBegan(sequence: Int64, waited: Duration)
        /// A shared opening gave way.
        case turnEnded
        /// A bulk load was committed.
        case loaded(samples: Int, sequence: Int64, took: Duration)
        /// Samples of the tail were moved into a segment.
        case sealed(samples: Int, bytes: Int64, took: Duration)
        /// Samples were deleted.
        case deleted(samples: Int, sequence: Int64)
        /// A merge of segments began.
        case mergeBegan(segments: Int, bytes: Int64)
        /// A merge was committed.
        case mergeEnded(CompactionReport, took: Duration)
        /// A merge ended without a commit; of the kind `cancelled` if it was stopped.
        case mergeFailed(StoreError)
        /// Something found no room for the first time since the last commit that did.
        case diskFullEntered(StoreError)
        /// A commit found room again.
        case diskFullLeft
        /// A reader met bytes that are not what was written. Each place is told once.
        case damageFound(StoreError)
        /// A commit failed so that nothing can be written any more before the store is opened again.
        case writerStopped(StoreError)
        /// Samples that a relaxed appender had taken could not be committed, and are gone.
        case relaxedSamplesLost(samples: Int, StoreError)
        /// A backup was made.
        case backedUp(BackupReport, took: Duration)
        /// A backup failed.
        case backupFailed(StoreError)
        /// The store was made of a backup.
        case restored(BackupReport, took: Duration)
        /// So many events were not told, because the observers were too slow.
        case eventsLost(Int)
    }

    /// What opening for writing put in order.
    public struct Recovery: Hashable, Sendable {
        /// Segments that no commit names and that were removed: of a load or a merge that did not come to its end.
        public var segmentsRemoved = 0
        /// Whether a commit of unknown outcome was made certain, by writing the log again.
        public var settledUnknownOutcome = false
        /// Whether the record of the last acknowledged commit was missing or damaged, and was made anew.
        public var renewedWitness = false
        /// Commits that had been acknowledged and are gone, where that was accepted.
        public var commitsLost: Int64 = 0
    }
}

/// Tells somebody what happens to a store, as long as it exists.
public final class StoreObservation: Sendable {
    private let telemetry: Telemetry
    private let number: Int

    fileprivate init(_ telemetry: Telemetry, _ number: Int) {
        self.telemetry = telemetry
        self.number = number
    }

    /// Ends the telling; an event that is being told meanwhile may still come.
    public func end() { telemetry.remove(number) }

    deinit { end() }
}

extension TimeSeriesStore {
    /// Calls a closure with each event from now on, one after the other, on a thread of its own and holding no lock of
    /// the store, so that it may call the store. `StoreOptions.observer` sees the opening, too.
    ///
    /// What it does not take in time waits, up to 1,024 events; more are counted and told as lost. `close` waits until
    /// all are told, unless the closure itself calls it.
    public func observe(_ observer: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        StoreObservation(context.telemetry, context.telemetry.add(observer))
    }
}

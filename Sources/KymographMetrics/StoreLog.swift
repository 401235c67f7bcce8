// SPDX-License-Identifier: Apache-2.0

public import Kymograph
public import Logging

extension TimeSeriesStore {
    /// Logs the events of this store while the returned observation exists. `Docs/Operations/Metrics.md` lists the
    /// messages, their levels and metadata.
    public func logging(to logger: Logger) -> StoreObservation {
        let log = StoreLog(logger)
        return observe { log.log($0) }
    }
}

extension StoreOptions {
    /// Returns options that log all events of the store, including its opening, in addition to an existing observer.
    public func logging(to logger: Logger) -> StoreOptions {
        let log = StoreLog(logger)
        let other = observer
        var options = self
        options.observer = { event in
            other?(event)
            log.log(event)
        }
        return options
    }
}

/// A writer of store events to a logger.
struct StoreLog: Sendable {
    /// The log entry of an event.
    private struct Entry {
        let level: Logger.Level
        let message: Logger.Message
        var metadata: Logger.Metadata = [:]

        init(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
            self.level = level
            self.message = message
            self.metadata = metadata
        }
    }

    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func log(_ event: StoreEvent) {
        guard var entry = Self.entry(event.what) ?? Self.failure(event.what) else { return }
        entry.metadata["store.path"] = "\(event.path)"
        logger.log(level: entry.level, entry.message, metadata: entry.metadata)
    }

    /// Returns the entry of an expected event; nil for a failure.
    private static func entry(_ what: StoreEvent.What) -> Entry? {
        switch what {
        case .opened(let mode, let commit, let took):
            return Entry(
                .info, "store opened", ["store.mode": "\(mode)", "commit": "\(commit)", "duration.ms": ms(took)])
        case .closed(let commit): return Entry(.info, "store closed", ["commit": "\(commit)"])
        case .turnBegan(let commit, let waited):
            return Entry(.debug, "turn as writer began", ["commit": "\(commit)", "wait.ms": ms(waited)])
        case .turnEnded: return Entry(.debug, "turn as writer ended")
        case .loaded(let samples, let commit, let took):
            return Entry(
                .info, "samples loaded", ["samples": "\(samples)", "commit": "\(commit)", "duration.ms": ms(took)])
        case .sealed(let samples, let bytes, let took):
            return Entry(
                .debug, "tail sealed", ["samples": "\(samples)", "bytes": "\(bytes)", "duration.ms": ms(took)])
        case .deleted(let samples, let commit):
            return Entry(.info, "samples deleted", ["samples": "\(samples)", "commit": "\(commit)"])
        case .mergeBegan(let segments, let bytes):
            return Entry(.debug, "merge began", ["segments": "\(segments)", "bytes": "\(bytes)"])
        case .mergeEnded(let report, let took): return Entry(.info, "merge ended", metadata(report, took))
        case .diskFullLeft: return Entry(.notice, "disk has room again")
        case .backedUp(let report, let took): return Entry(.info, "backup made", metadata(report, took))
        case .restored(let report, let took): return Entry(.notice, "store restored", metadata(report, took))
        case .sessionCallIgnored(let call, let state):
            return Entry(.notice, "session call ignored", ["call": "\(call)", "state": "\(state)"])
        case .recovered, .mergeFailed, .diskFullEntered, .damageFound, .writerStopped, .relaxedSamplesLost,
            .backupFailed, .eventsLost:
            return nil
        }
    }

    /// Returns the entry of a failure; nil for an expected event.
    private static func failure(_ what: StoreEvent.What) -> Entry? {
        switch what {
        case .recovered(let recovery):
            return Entry(
                recovery.commitsLost > 0 ? .error : .warning, "store recovered",
                [
                    "segments.removed": "\(recovery.segmentsRemoved)",
                    "outcome.settled": "\(recovery.settledUnknownOutcome)",
                    "witness.renewed": "\(recovery.renewedWitness)", "commits.lost": "\(recovery.commitsLost)",
                ])
        case .mergeFailed(let error):
            return error.kind == .cancelled
                ? Entry(.debug, "merge stopped", metadata(error)) : Entry(.warning, "merge failed", metadata(error))
        case .diskFullEntered(let error): return Entry(.error, "disk full", metadata(error))
        case .damageFound(let error): return Entry(.error, "damage found", metadata(error))
        case .writerStopped(let error): return Entry(.critical, "writer stopped", metadata(error))
        case .relaxedSamplesLost(let samples, let error):
            return Entry(
                .error, "relaxed samples lost", metadata(error).merging(["samples": "\(samples)"]) { $1 })
        case .backupFailed(let error):
            return error.kind == .cancelled
                ? Entry(.notice, "backup stopped", metadata(error)) : Entry(.error, "backup failed", metadata(error))
        case .eventsLost(let count): return Entry(.warning, "events lost", ["events": "\(count)"])
        default: return nil
        }
    }

    /// The metadata of an error. Logs leave the machine: no times, no names.
    private static func metadata(_ whole: StoreError) -> Logger.Metadata {
        let error = whole.redacted
        var metadata: Logger.Metadata = ["error.type": "\(error.kind)", "error.message": "\(error.message)"]
        if let path = error.path { metadata["file.path"] = "\(path)" }
        if let offset = error.offset { metadata["file.offset"] = "\(offset)" }
        if let series = error.series { metadata["series"] = "\(series.rawValue)" }
        return metadata
    }

    private static func metadata(_ report: CompactionReport, _ took: Duration) -> Logger.Metadata {
        [
            "commit": "\(report.sequence)", "segments.read": "\(report.segmentsRead)",
            "segments.written": "\(report.segmentsWritten)", "bytes.read": "\(report.bytesRead)",
            "bytes.written": "\(report.bytesWritten)", "samples": "\(report.samplesWritten)",
            "samples.removed": "\(report.samplesRemoved)", "duration.ms": ms(took),
        ]
    }

    private static func metadata(_ report: BackupReport, _ took: Duration) -> Logger.Metadata {
        [
            "commit": "\(report.sequence)", "segments": "\(report.segments)", "bytes": "\(report.bytes)",
            "bytes.copied": "\(report.bytesCopied)", "duration.ms": ms(took),
        ]
    }

    /// Returns a duration in whole milliseconds.
    private static func ms(_ duration: Duration) -> Logger.MetadataValue {
        let (seconds, attoseconds) = duration.components
        return "\(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)"
    }
}

// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import KymographHealth

/// Brings exports of Apple Health into a store.
public enum AppleHealthImporter {
    /// Imports an `export.zip`, or the XML of one.
    ///
    /// Everything becomes visible in one commit when this returns, or nothing does. What is stored already is left as
    /// it is, so that a file may be imported again, and a later export brings only what is new. What is malformed is
    /// repaired or left out, and told in the outcome; of a file that was cut off, what there is is imported. Imports
    /// into one opening of a store run one after the other.
    /// - Parameters:
    ///   - path: The file, whatever its name.
    ///   - store: A store that is open for writing.
    ///   - progress: Called about once per MiB; returns whether to go on.
    /// - Throws: `ImportError`; nothing is stored then. Cancelling the task, or returning false from `progress`, ends
    ///   the import with `.cancelled`.
    /// - Complexity: linear in the file. Memory: some 60 MB, the largest element, and the objects that are new.
    public static func importFile(
        _ path: String, into store: HealthStore, progress: ((ImportProgress) -> Bool)? = nil
    ) throws(ImportError) -> ImportOutcome {
        try importFile(path, into: store, limits: ExportLimits(), capacity: ImportRows.capacity, progress: progress)
    }

    /// As `importFile`, with bounds of the caller's: on the reader, on the samples that wait in memory, on
    /// new series, on samples that are remembered for correlations.
    package static func importFile(
        _ path: String, into store: HealthStore, limits: ExportLimits, capacity: Int,
        seriesLimit: Int = 10_000, memberLimit: Int? = nil, progress: ((ImportProgress) -> Bool)? = nil
    ) throws(ImportError) -> ImportOutcome {
        let begun = SystemClock.monotonicNanoseconds()
        var outcome = ImportOutcome()
        do {
            let isCommitted = try store.load { loader in
                if let memberLimit { loader.rememberMembers(upTo: memberLimit) }
                var consumer = ImportConsumer(loader, capacity: capacity, seriesLimit: seriesLimit, progress: progress)
                let summary = try ExportReader.read(file: path, limits: limits, consumer: &consumer)
                try consumer.finish(isWhole: summary.complete)
                outcome = consumer.outcome
                outcome.take(summary, consumer.issues, loader.counts)
                loader.log = ImportLogEntry(path, outcome, consumer.header)
            }
            outcome.committed = isCommitted
        } catch {
            throw ImportError(error)
        }
        outcome.seconds = Double(SystemClock.monotonicNanoseconds() - begun) / 1e9
        return outcome
    }
}

extension ImportError {
    init(_ error: any Error) {
        switch error {
        case ExportError.consumer(let inner): self.init(inner)
        case let error as ExportError: self = .export(error)
        case let error as ImportError: self = error
        case let error as HealthStoreError: self = .store(error)
        default: self = .export(.unreadable(path: "", what: "\(error)"))
        }
    }
}

extension ImportOutcome {
    fileprivate mutating func take(
        _ summary: ExportSummary, _ own: IssueLog, _ counts: [String: (added: Int, unchanged: Int)]
    ) {
        records = summary.records
        repaired = summary.issues.repaired
        skipped = summary.issues.skipped + own.skipped
        ignored = summary.issues.ignored
        issues = summary.issues.listed + own.listed
        complete = summary.complete
        types = counts.map { TypeCount(type: $0.key, added: $0.value.added, unchanged: $0.value.unchanged) }
        types.sort { ($1.added, $1.unchanged, $0.type) < ($0.added, $0.unchanged, $1.type) }
        added = types.reduce(0) { $0 + $1.added }
        unchanged = types.reduce(0) { $0 + $1.unchanged }
    }
}

extension ImportLogEntry {
    /// What the log says of an import.
    fileprivate init(_ path: String, _ outcome: ImportOutcome, _ header: ExportHeader) {
        var note: [String] = []
        if let date = header.exportDate { note.append("exportDate=\(date)") }
        if let locale = header.locale { note.append("locale=\(locale)") }
        if let version = header.version { note.append("version=\(version)") }
        if let entry = header.entry { note.append("entry=\(entry)") }
        if !outcome.complete { note.append("incomplete") }
        self.init(
            file: path.split(separator: "/").last.map { String($0) } ?? path, at: SystemClock.wallNanoseconds(),
            records: outcome.records, added: outcome.added, skipped: outcome.skipped, repaired: outcome.repaired,
            note: note.joined(separator: "; "))
    }
}

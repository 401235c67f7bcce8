// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import KymographHealth

/// An importer of Apple Health exports into a store.
public enum AppleHealthImporter {
    /// Imports an export: an `export.zip`, the folder that one was unpacked into, or the XML in it.
    ///
    /// Everything becomes visible in one commit when this returns, or nothing does. Stored items are not changed, so a
    /// file may be imported again, and a later export adds only new items. Malformed parts are repaired or skipped, and
    /// listed in the outcome; a truncated file is imported up to its end. An XML is imported with the folders of routes
    /// and recordings beside it. Concurrent imports into one opened store run one after the other.
    /// - Parameters:
    ///   - path: the file or folder, with any name.
    ///   - store: a store opened for writing.
    ///   - progress: called about once per MiB; returns whether to continue.
    /// - Throws: `ImportError`, and nothing is stored. Cancellation of the task, or false from `progress`, ends the
    ///   import with `.cancelled`.
    /// - Complexity: linear in the file. Memory: some 60 MB, the largest element, and the new objects.
    public static func importFile(
        _ path: String, into store: HealthStore, progress: ((ImportProgress) -> Bool)? = nil
    ) throws(ImportError) -> ImportOutcome {
        try importFile(path, into: store, limits: ExportLimits(), capacity: ImportRows.capacity, progress: progress)
    }

    /// Imports an `export.zip` or its XML from standard input.
    ///
    /// XML is imported as it arrives. An archive is first copied to an unnamed temporary file in the store's directory,
    /// because its directory is at its end. Other writers of the store wait until the import ends.
    /// - Parameters:
    ///   - store: a store opened for writing.
    ///   - progress: called about once per MiB and every 0.1 s without input; returns whether to continue.
    /// - Throws: as `importFile(_:into:progress:)`; messages name "standard input".
    public static func importStandardInput(
        into store: HealthStore, progress: ((ImportProgress) -> Bool)? = nil
    ) throws(ImportError) -> ImportOutcome {
        let stream: FileReader
        do {
            stream = try FileReader.openStandardInput()
        } catch {
            throw .export(.unreadable(path: error.path, what: error.message))
        }
        var last = ImportProgress(bytesRead: 0, bytesTotal: stream.size ?? 0, records: 0)
        stream.keepsWaiting = { !Task.isCancelled && progress?(last) ?? true }
        return try run(
            FileReader.standardInput, into: store, capacity: ImportRows.capacity,
            progress: { state in
                last = state
                return progress?(state) ?? true
            },
            read: { loader, consumer in
                try ExportReader.read(
                    stream: stream, makeFile: { try loader.makeTemporaryFile() }, consumer: &consumer)
            })
    }

    /// Imports a file with custom limits: of the reader, of samples in memory, of new series, and of samples recorded
    /// as candidates for members of correlations.
    package static func importFile(
        _ path: String, into store: HealthStore, limits: ExportLimits, capacity: Int,
        seriesLimit: Int = 10_000, memberLimit: Int? = nil, progress: ((ImportProgress) -> Bool)? = nil
    ) throws(ImportError) -> ImportOutcome {
        try run(
            path, into: store, capacity: capacity, seriesLimit: seriesLimit, memberLimit: memberLimit,
            progress: progress
        ) { _, consumer in
            try ExportReader.read(file: path, limits: limits, consumer: &consumer)
        }
    }

    /// Reads an export with `read`, and commits its contents.
    private static func run(
        _ path: String, into store: HealthStore, capacity: Int, seriesLimit: Int = 10_000, memberLimit: Int? = nil,
        progress: ((ImportProgress) -> Bool)?,
        read: (HealthLoader, inout ImportConsumer) throws -> ExportSummary
    ) throws(ImportError) -> ImportOutcome {
        let begun = SystemClock.monotonicNanoseconds()
        var outcome = ImportOutcome()
        do {
            let isCommitted = try store.load { loader in
                if let memberLimit { loader.rememberMembers(upTo: memberLimit) }
                var consumer = ImportConsumer(loader, capacity: capacity, seriesLimit: seriesLimit, progress: progress)
                let summary = try read(loader, &consumer)
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
        isArchive = summary.kind == .zip
        records = summary.records
        repaired = summary.issues.repaired + own.repaired
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
    /// Creates the log entry of an import.
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

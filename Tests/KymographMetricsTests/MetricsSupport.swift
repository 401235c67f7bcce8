// SPDX-License-Identifier: Apache-2.0

import Catalog
import CoreMetrics
import FileSystem
import Foundation
import Kymograph
import Logging
import MetricsTestKit
import Synchronization
import TestSupport
import Testing

let second: Int64 = 1_000_000_000

/// A store whose files, including the catalog, are on a disk that records all calls.
final class WatchedStore {
    let disk: FaultyDisk
    private let databases: DiskDatabases
    private let layer: String
    var options = StoreOptions()
    private(set) var store: TimeSeriesStore

    init(_ change: (inout StoreOptions) -> Void = { _ in }) throws {
        disk = try FaultyDisk()
        databases = try DiskDatabases(disk)
        layer = "metrics-\(databases.name)"
        try CatalogVFS.register(layer, over: databases.name)
        options.disk = disk
        options.catalogVFS = layer
        options.compacts = false
        change(&options)
        store = try TimeSeriesStore.create(at: "/store", options: options)
    }

    func reopen(_ mode: OpenMode = .readWrite, _ change: (inout StoreOptions) -> Void = { _ in }) throws {
        store.close()
        change(&options)
        store = try TimeSeriesStore.open(at: "/store", mode: mode, options: options)
    }

    deinit {
        store.close()
        CatalogVFS.unregister(layer)
    }
}

/// The entries that a logger received.
final class LogRecord: Sendable {
    struct Entry: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: Logger.Metadata
    }

    private let all: Mutex<[Entry]>

    init(_ entries: some Sequence<Entry> = []) { all = Mutex(Array(entries)) }

    var entries: [Entry] { all.withLock { $0 } }
    var messages: [String] { entries.map(\.message) }

    func add(_ entry: Entry) { all.withLock { $0.append(entry) } }

    func first(_ message: String) throws -> Entry {
        try #require(entries.first { $0.message == message }, "\(message) is not among \(messages)")
    }

    /// A logger that adds its entries to this record, at every level.
    var logger: Logger {
        var logger = Logger(label: "test") { _ in RecordingHandler(record: self) }
        logger.logLevel = .trace
        return logger
    }
}

private struct RecordingHandler: LogHandler {
    let record: LogRecord
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        record.add(
            .init(
                level: event.level, message: event.message.description,
                metadata: metadata.merging(event.metadata ?? [:]) { $1 }))
    }
}

/// The tables of `Docs/Operations/Metrics.md`.
enum MetricsPage {
    /// Returns the cells of the table rows below a heading, without the header.
    static func rows(under heading: String) throws -> [[String]] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("Docs/Operations/Metrics.md"), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == heading }, "no heading \(heading)")
        var rows = [[String]]()
        for line in lines[(start + 1)...] {
            if line.hasPrefix("#") { break }
            guard line.hasPrefix("|") else { continue }
            let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
            rows.append(cells.map { $0.trimmingCharacters(in: .whitespaces) })
        }
        return Array(rows.dropFirst(2))
    }

    /// Returns the contents of the code spans of a cell.
    static func names(_ cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }
}

/// Waits until a condition is true, for at most ten seconds, and returns whether it is.
func comesTrue(_ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<2_000 {
        if try condition() { return true }
        usleep(5_000)
    }
    return try condition()
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import TestSupport
import Testing

@testable import Kymograph

/// A store in a temporary directory, removed with this object.
final class TestStore {
    let directory: TemporaryDirectory
    var options = StoreOptions()
    private(set) var store: TimeSeriesStore

    init(_ change: (inout StoreOptions) -> Void = { _ in }) throws {
        if TestKey.isUsed { NonceWatch.start() }
        directory = try TemporaryDirectory()
        change(&options)
        store = try TimeSeriesStore.create(at: directory.file("store"), options: options)
    }

    var path: String { directory.file("store") }

    /// Closes and reopens the store, as a new process would.
    func reopen() throws {
        store.close()
        store = try TimeSeriesStore.open(at: path, options: options)
    }

    deinit { store.close() }
}

let second: Int64 = 1_000_000_000
let hour = 3_600 * second
let day = 24 * hour

extension TimeSeriesStore {
    /// Appends samples through columns.
    @discardableResult
    func append(_ samples: [Sample], to id: SeriesID) throws(StoreError) -> CommitReceipt {
        let starts = samples.map(\.start)
        let ends = samples.map(\.end)
        let values = samples.map(\.value)
        return try append(to: id, starts: starts.span, ends: ends.span, values: values.span)
    }

    /// Changes the catalog's tables in a commit of their own.
    func alter(_ statements: String...) throws {
        try write { _ in
            var batch = WriteBatch()
            batch.inCommit = { transaction, _ in for one in statements { try transaction.run(one) } }
            return batch
        }
    }

    /// Bulk-loads samples through columns.
    @discardableResult
    func load(_ samples: [Sample], to id: SeriesID) throws(StoreError) -> CommitReceipt {
        let starts = samples.map(\.start)
        let ends = samples.map(\.end)
        let values = samples.map(\.value)
        do {
            return try bulkLoad { loader in
                try loader.append(to: id, starts: starts.span, ends: ends.span, values: values.span)
            }
        } catch {
            throw StoreError(any: error, path: path)
        }
    }
}

extension Snapshot {
    /// Returns all samples of a scan.
    func all(
        _ id: SeriesID, over range: TimeRange = .all, order: ScanOrder = .forward, limit: Int = .max
    ) throws(StoreError) -> [Sample] {
        var found = [Sample]()
        var wanted = RunScan(range, [.starts, .ends, .values])
        wanted.order = order
        try scan([id], wanted, limit: limit) { batch throws(StoreError) in
            for i in 0..<batch.count { found.append(batch[i]) }
            return true
        }
        return found
    }
}

/// Compares statistics with the oracle's: exactly for exact values, within rounding for others.
func expectEqual(
    _ found: Aggregate, _ wanted: Aggregate, _ note: String = "", location: SourceLocation = #_sourceLocation
) {
    func close(_ a: Double?, _ b: Double?, _ tolerance: Double) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return a == b || abs(a - b) <= tolerance * max(abs(a), abs(b), 1e-300)
    }
    let ok =
        found.start == wanted.start && found.end == wanted.end && found.count == wanted.count
        && close(found.sum, wanted.sum, 3e-16) && found.min == wanted.min && found.max == wanted.max
        && close(found.average, wanted.average, 5e-16)
        && found.first?.start == wanted.first?.start && found.first?.end == wanted.first?.end
        && found.last?.start == wanted.last?.start && found.last?.end == wanted.last?.end
    #expect(ok, "\(note)\nfound  \(found)\nwanted \(wanted)", sourceLocation: location)
    if found.duration != nil {
        #expect(found.duration == wanted.duration, "\(note) duration", sourceLocation: location)
    }
    if let a = found.standardDeviation, let b = wanted.standardDeviation {
        #expect(
            abs(a - b) <= 1e-9 * max(1, abs(wanted.max ?? 0), b), "\(note) deviation \(a) \(b)",
            sourceLocation: location)
    }
    if found.timeWeightedAverage != nil {
        #expect(
            close(found.timeWeightedAverage, wanted.timeWeightedAverage, 1e-12),
            "\(note) weighted \(found.timeWeightedAverage ?? .nan) \(wanted.timeWeightedAverage ?? .nan)",
            sourceLocation: location)
    }
}

/// Options of stores that lie wholly on a simulated disk, including SQLite's files and the catalog's layer over them.
final class SimulatedLayer {
    private let databases: DiskDatabases
    let options: StoreOptions

    init(_ disk: any Disk) throws {
        databases = try DiskDatabases(disk)
        let name = databases.name + "-checked"
        try CatalogVFS.register(name, over: databases.name)
        var options = StoreOptions()
        options.disk = disk
        options.catalogVFS = name
        self.options = options
    }

    deinit { options.catalogVFS.map { CatalogVFS.unregister($0) } }
}

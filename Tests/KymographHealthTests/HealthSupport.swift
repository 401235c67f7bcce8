// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KymographHealth

/// A health store in a temporary directory.
final class TestHealthStore {
    let directory: TemporaryDirectory
    private(set) var store: HealthStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try HealthStore.openOrCreate(at: directory.file("store"))
    }

    /// Closes the store and opens it again, as a new process would.
    func reopen() throws {
        store.close()
        store = try HealthStore.open(at: directory.file("store"))
    }

    deinit { store.close() }
}

let second: Int64 = 1_000_000_000
let hour = 3_600 * second
let day = 24 * hour
/// 2024-01-01 00:00:00 UTC.
let newYear: Int64 = 1_704_067_200 * second

/// All properties that decide whether two samples are equal.
struct TestSample: Hashable {
    var type = "HKQuantityTypeIdentifierStepCount"
    var source = "Phone"
    var version: String?
    var device: String?
    var unit: String? = "count"
    var start: Int64 = newYear
    var end: Int64 = newYear
    var value = 1.0
    var created: Int64?
    /// The value of the metadata key `note`.
    var note: String?
}

extension HealthStore {
    /// Loads samples in batches, as an import does, and returns the number of new samples.
    @discardableResult
    func load(_ samples: [TestSample], batch: Int = .max) throws -> Int {
        var added = 0
        _ = try load { loader in
            var rest = samples[...]
            while !rest.isEmpty {
                added += try loader.write(batch: Array(rest.prefix(batch)))
                rest = rest.dropFirst(batch)
            }
        }
        return added
    }

    /// Returns every sample of the store.
    func all() throws -> [TestSample] {
        var found = [TestSample]()
        for overview in try types() {
            for one in try samples(SampleRequest(overview.type)) {
                found.append(
                    TestSample(
                        type: one.type.identifier, source: one.source, version: one.version, device: one.device,
                        unit: one.unit, start: one.start, end: one.end, value: one.value, created: one.created,
                        note: one.metadata["note"]))
            }
        }
        return found
    }
}

extension HealthLoader {
    /// Writes samples of several series.
    fileprivate func write(batch: [TestSample]) throws -> Int {
        var rows: [Int: [(sample: TestSample, provenance: Int64, note: Int32)]] = [:]
        var writer = MetadataWriter()
        for sample in batch {
            let (provenance, source) = provenance(
                source: sample.source, version: sample.version, device: sample.device)
            let series = try series(type: sample.type, source: source, unit: sample.unit)
            writer.begin()
            if let note = sample.note {
                let bytes = Array("note\(note)".utf8)
                writer.entry(bytes, key: 0..<4, value: 4..<bytes.count)
            }
            rows[series, default: []].append((sample, provenance, try intern(metadata: writer.bytes)))
        }
        try resolveMetadata()
        var added = 0
        for series in rows.keys.sorted(by: isBefore) {
            let sorted = (rows[series] ?? []).sorted {
                ($0.sample.start, $0.sample.end) < ($1.sample.start, $1.sample.end)
            }
            var columns = HealthRows()
            columns.starts = sorted.map(\.sample.start)
            columns.ends = sorted.map(\.sample.end)
            columns.values = sorted.map(\.sample.value)
            columns.created = sorted.map { $0.sample.created ?? HealthRows.noDate }
            columns.provenance = sorted.map(\.provenance)
            columns.metadata = sorted.map { metadataRow($0.note) }
            added += try write(columns, to: series)
        }
        return added
    }
}

extension Sequence where Element: Hashable {
    /// The number of occurrences of each element.
    var counts: [Element: Int] { reduce(into: [:]) { $0[$1, default: 0] += 1 } }
}

// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import FileSystem
import Foundation
import KymographMetrics
import MetricsTestKit
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-17 counters, gauges and timers with the names of the page")
struct MetricsTests {
    private func samples(_ range: Range<Int>) -> [Sample] {
        range.map { Sample(start: Int64($0) * second, value: Double($0 % 97)) }
    }

    private func load(_ store: TimeSeriesStore, _ id: SeriesID, _ range: Range<Int>) throws {
        let all = samples(range)
        let (starts, values) = (all.map(\.start), all.map(\.value))
        try store.bulkLoad { try $0.append(to: id, starts: starts.span, values: values.span) }
    }

    @Test("Names and types are exactly those of the page")
    func names() throws {
        let watched = try WatchedStore()
        let factory = TestMetrics()
        let reporter = MetricsReporter(watched.store, dimensions: [("store", "a")], factory: factory)
        #expect(throws: StoreError.self) { try self.stopMerge(watched.store) }
        reporter.publish()
        var found = [String: String]()
        for one in factory.counters { found[one.label] = "counter" }
        for one in factory.recorders { found[one.label] = one.aggregate ? "recorder" : "gauge" }
        for one in factory.timers { found[one.label] = "timer" }
        var wanted = [String: String]()
        for row in try MetricsPage.rows(under: "## Names") {
            #expect(row.count == 4 && !row[2].isEmpty && !row[3].isEmpty)
            for name in MetricsPage.names(row[0]) { wanted["kymograph_" + name] = row[1] }
        }
        #expect(found == wanted)
        #expect(factory.counters.allSatisfy { $0.dimensions.contains { $0 == ("store", "a") } })
    }

    /// Starts a merge of two segments and cancels it.
    private func stopMerge(_ store: TimeSeriesStore) throws {
        let id = try store.series("stopped", kind: .discrete).id
        for part in 0..<2 { try load(store, id, part * 100..<part * 100 + 100) }
        try store.delete(from: id, startingIn: TimeRange(0, second))
        try store.compact { _ in false }
    }

    @Test("Every counter equals the operations of the store and the calls to the disk")
    func counters() throws {
        let watched = try WatchedStore()
        let store = watched.store
        let factory = TestMetrics()
        let reporter = MetricsReporter(store, prefix: "k", factory: factory)
        func total(_ name: String) -> Int64 { factory.counterTotal(label: "k_" + name) }
        watched.disk.resetTrace()
        let id = try store.series("a", kind: .discrete).id
        var appended: Int64 = 0
        for i in 0..<10 {
            appended += Int64(try append(store, id, i * 100..<i * 100 + i + 1))
            if i % 3 == 0 { reporter.publish() }
        }
        try store.append(meeting: (0..<4).map { (id, samples($0 * 10..<$0 * 10 + 5)) })
        try load(store, id, 5_000..<8_000)
        try load(store, id, 8_000..<8_500)
        let deleted = try store.delete(from: id, startingIn: TimeRange(5_100 * second, 5_200 * second)).count
        try store.seal()
        let before = watched.disk.trace
        watched.disk.resetTrace()
        #expect(throws: StoreError.self) { try store.compact { _ in false } }
        // The cancelled merge committed nothing and reached no sync.
        let stopped = watched.disk.trace.filter { !$0.path.contains("/segments/") }
        #expect(!watched.disk.trace.contains { $0.kind == .sync && $0.path.contains("/segments/") })
        watched.disk.resetTrace()
        let report = try store.compact()
        reporter.publish()
        let trace = before + stopped + watched.disk.trace
        #expect(total("commits_total") == store.snapshot().sequence)
        #expect(total("commits_failed_total") == 0 && total("commit_nanoseconds_total") > 0)
        #expect(total("appends_total") == 14 && total("appends_grouped_total") == 3)
        #expect(total("samples_appended_total") == appended + 20 && total("samples_loaded_total") == 3_500)
        #expect(total("samples_deleted_total") == deleted && deleted == 100 && total("seals_total") == 1)
        #expect(total("merges_total") == report.steps && report.steps > 0)
        #expect(total("merge_segments_read_total") == report.segmentsRead && report.segmentsRead > 1)
        #expect(total("merge_segments_written_total") == report.segmentsWritten)
        #expect(total("merge_read_bytes_total") == report.bytesRead)
        #expect(total("merge_written_bytes_total") == report.bytesWritten && report.bytesWritten > 0)
        #expect(total("merge_samples_written_total") == report.samplesWritten)
        #expect(total("merge_samples_removed_total") == 100 && report.samplesRemoved == 100)
        let failed = factory.counters(label: "k_merges_failed_total")
        #expect(failed.count == 1 && failed.first?.totalValue == 1)
        #expect(failed.first?.dimensions.contains { $0 == ("reason", "cancelled") } == true)
        // Written bytes according to the disk's record.
        func bytes(_ calls: [DiskCall]) -> Int { calls.filter { $0.kind == .write }.reduce(0) { $0 + $1.range.count } }
        let inSegments = trace.filter { $0.path.contains("/segments/") }
        let catalog = trace.filter { $0.path.contains("sqlite") }
        #expect(total("segment_written_bytes_total") == bytes(inSegments))
        #expect(total("catalog_written_bytes_total") == bytes(catalog))
        #expect(total("tail_written_bytes_total") > appended && total("tail_written_bytes_total") < bytes(catalog))
        let syncs = (catalog + inSegments).filter { $0.kind == .sync }.count
        let directory = trace.filter { $0.kind == .syncDirectory && $0.path.hasSuffix("/segments") }.count
        #expect(total("syncs_total") == syncs + directory)
        for name in ["damaged_reads_total", "disk_full_errors_total", "overloads_total", "turns_total"] {
            #expect(total(name) == 0)
        }
    }

    private func append(_ store: TimeSeriesStore, _ id: SeriesID, _ range: Range<Int>) throws -> Int {
        let all = samples(range)
        let (starts, values) = (all.map(\.start), all.map(\.value))
        try store.append(to: id, starts: starts.span, values: values.span)
        return all.count
    }

    @Test("Gauges show the size of the store, held snapshots and waiting data")
    func gauges() throws {
        let watched = try WatchedStore()
        let store = watched.store
        let factory = TestMetrics()
        let reporter = MetricsReporter(store, factory: factory)
        func gauge(_ name: String) throws -> Double? { try factory.expectGauge("kymograph_" + name).lastValue }
        let id = try store.series("a", kind: .discrete).id
        let held = store.snapshot()
        for i in 0..<5 { _ = try append(store, id, i..<i + 1) }
        try load(store, id, 100..<300)
        try store.delete(from: id, startingIn: TimeRange(100 * second, 110 * second))
        _ = try store.snapshot().buckets(of: id, .fixed(nanoseconds: 7 * second))
        reporter.publish()
        let info = try store.info()
        #expect(try gauge("last_commit") == Double(store.snapshot().sequence))
        #expect(try gauge("samples") == 195 && gauge("deleted_samples") == 10 && gauge("tail_samples") == 5)
        #expect(try gauge("series") == 1 && gauge("segments") == 1 && gauge("tail_batches") == 5)
        #expect(try gauge("blocks") == Double(info.blocks) && gauge("retired_segments") == 0)
        #expect(try gauge("segment_bytes") == Double(info.segmentBytes))
        #expect(try gauge("deleted_bytes") == Double(info.deletedBytes) && gauge("retired_bytes") == 0)
        #expect(try gauge("catalog_bytes") == Double(info.catalogBytes))
        #expect(try gauge("store_bytes") == Double(info.bytes))
        #expect(try gauge("ballast_bytes") == Double(info.ballastBytes))
        #expect(try gauge("commits_held") == 1)
        #expect(try gauge("commits_behind") == Double(info.sequence - held.sequence))
        #expect(try gauge("appends_waiting") == 0 && gauge("relaxed_waiting_bytes") == 0)
        #expect(try gauge("index_pages_in_memory") == Double(store.counters.indexPagesInMemory))
        #expect(factory.counterTotal(label: "kymograph_index_pages_read_total") > 0)
        withExtendedLifetime(held) {}
    }

    @Test("Timers record each merge, load, seal and backup")
    func timers() throws {
        let directory = try TemporaryDirectory()
        let store = try TimeSeriesStore.create(at: directory.file("store"))
        let factory = TestMetrics()
        let reporter = MetricsReporter(store, factory: factory)
        let id = try store.series("a", kind: .discrete).id
        for part in 0..<3 { try load(store, id, part * 1_000..<part * 1_000 + 500) }
        _ = try append(store, id, 0..<5)
        let report = try store.compact()
        try store.backup(to: directory.file("backup"))
        store.close()
        for (name, count) in [("load", 3), ("seal", 1), ("merge", report.steps), ("backup", 1)] {
            let timer = try factory.expectTimer("kymograph_\(name)_duration")
            #expect(timer.values.count == count && timer.values.allSatisfy { $0 > 0 }, "\(name)")
        }
        withExtendedLifetime(reporter) {}
    }

    @Test("Waits for a slow disk, overloads and waiting bytes are counted")
    func backpressure() throws {
        let watched = try WatchedStore()
        let store = watched.store
        let id = try store.series("a", kind: .discrete).id
        let slow = RelaxedAppender(store, interval: .seconds(3_600), capacity: 64 << 10, patience: .seconds(60))
        let hasty = RelaxedAppender(store, interval: .seconds(3_600), capacity: 64 << 10, patience: .milliseconds(1))
        // The disk blocks while this lock is held.
        let gate = Mutex(())
        watched.disk.observe { kind, path in if kind == .write, path.contains("sqlite") { gate.withLock { _ in } } }
        let writer = try slow.series(id)
        let counts = gate.withLock { _ in
            let appending = Thread {
                for i in 0..<20_000 { _ = try? writer.append(start: Int64(i), value: 1) }
                _ = try? slow.flush()
            }
            appending.start()
            let waits = comesTrue { store.counters.backpressureWaits == 1 }
            let kind = Result { try self.fill(hasty, id) }.error?.kind
            return (waits, kind, store.counters)
        }
        #expect(counts.0 && counts.1 == .overloaded)
        #expect(counts.2.backpressureWaits == 2 && counts.2.overloads == 1 && counts.2.backpressureTime > .zero)
        #expect(comesTrue { store.counters.samplesAppended + store.counters.samplesLoaded >= 20_000 })
        try hasty.flush()
        #expect(store.counters.backpressureTime >= counts.2.backpressureTime)
        let appender = try store.relaxed(interval: .seconds(3_600))
        for i in 0..<512 { try appender.series(id).append(start: Int64(i), value: 1) }
        #expect(store.counters.relaxedBytesWaiting == 512 * 24)
        try appender.flush()
        #expect(store.counters.relaxedBytesWaiting == 0)
    }

    private func fill(_ appender: RelaxedAppender, _ id: SeriesID) throws {
        for i in 0..<20_000 { try appender.series(id).append(start: Int64(i), value: 1) }
    }

    @Test("run publishes periodically and ends when its task is cancelled")
    func period() async throws {
        let watched = try WatchedStore()
        let factory = TestMetrics()
        let reporter = MetricsReporter(watched.store, factory: factory)
        let task = Task { await reporter.run(every: .milliseconds(2)) }
        let gauge = { try? factory.expectGauge("kymograph_last_commit") }
        while gauge()?.values.count ?? 0 < 3 { try await Task.sleep(for: .milliseconds(1)) }
        try watched.store.series("late", kind: .discrete)
        task.cancel()
        await task.value
        #expect(gauge()?.lastValue == 1)
    }
}

extension Result<Void, any Error> {
    fileprivate var error: StoreError? {
        guard case .failure(let error) = self else { return nil }
        return error as? StoreError
    }
}

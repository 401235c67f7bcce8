// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Kymograph
@testable import KymographMetrics

@Suite("E-17 events of a store are logged with the levels and metadata of the page")
struct LogTests {
    private func samples(_ count: Int) -> [Sample] {
        (0..<count).map { Sample(start: Int64($0) * second, value: Double($0 % 97)) }
    }

    private func load(_ store: TimeSeriesStore, _ id: SeriesID, _ count: Int) throws {
        let all = samples(count)
        let (starts, values) = (all.map(\.start), all.map(\.value))
        try store.bulkLoad { try $0.append(to: id, starts: starts.span, values: values.span) }
    }

    /// Expects that each entry has the level and metadata of its message's row on the page.
    private func expectAsOnPage(_ record: LogRecord, _ store: String) throws {
        let rows = try MetricsPage.rows(under: "## Messages")
        for entry in record.entries {
            let row = try #require(rows.first { MetricsPage.names($0[0]) == [entry.message] }, "\(entry.message)")
            #expect(row[1].contains(entry.level.rawValue), "\(entry.message): \(entry.level)")
            let named = Set(MetricsPage.names(row[2])).union(["store.path"])
            let ofErrors: Set = ["error.type", "error.message", "file.path", "file.offset", "series"]
            let keys = Set(entry.metadata.keys)
            if row[2].contains("an error") {
                #expect(keys.isSuperset(of: named.union(["error.type", "error.message"])), "\(entry.message)")
                #expect(keys.isSubset(of: named.union(ofErrors)), "\(entry.message)")
            } else {
                #expect(keys == named, "\(entry.message): \(keys)")
            }
            #expect(entry.metadata["store.path"] == .string(store))
        }
    }

    @Test("Opening, loading, sealing, deleting, merging, backing up, closing and restoring are logged in order")
    func life() throws {
        let directory = try TemporaryDirectory()
        let record = LogRecord()
        let path = directory.file("store")
        var options = StoreOptions().logging(to: record.logger)
        options.compacts = false
        let store = try TimeSeriesStore.create(at: path, options: options)
        let id = try store.series("a", kind: .discrete).id
        for _ in 0..<2 { try load(store, id, 700) }
        try store.append(to: id, samples(3))
        try store.delete(from: id, startingIn: TimeRange(0, 10 * second))
        #expect(throws: StoreError.self) { try store.compact { _ in false } }
        let report = try store.compact()
        let backup = try store.backup(to: directory.file("backup"))
        let last = store.snapshot().sequence
        store.close()
        store.close()
        let other = directory.file("other")
        try TimeSeriesStore.restore(from: directory.file("backup"), to: other, options: options)
        try expectAsOnPage(LogRecord(record.entries.dropLast()), path)
        let merges = (0..<report.steps).flatMap { _ in ["merge began", "merge ended"] }
        #expect(
            record.messages == ["store opened", "samples loaded", "samples loaded", "samples deleted", "tail sealed"]
                + ["merge began", "merge stopped"] + merges + ["backup made", "store closed", "store restored"])
        #expect(try record.first("samples loaded").metadata["samples"] == "700")
        #expect(try record.first("samples deleted").metadata["samples"] == "23")
        // Deleted samples of the tail are not sealed.
        #expect(try record.first("tail sealed").metadata["samples"] == "0")
        #expect(try record.first("merge stopped").metadata["error.type"] == "cancelled")
        #expect(try record.first("backup made").metadata["bytes"] == .string("\(backup.bytes)"))
        #expect(try record.first("store closed").metadata["commit"] == .string("\(last)"))
        #expect(try record.first("store restored").metadata["store.path"] == .string(other))
    }

    @Test("A full disk is logged once when it begins and once when it ends")
    func fullDisk() throws {
        let watched = try WatchedStore { options in
            options.ballastBytes = 0
            // Only appends reach the full disk.
            options.sealSamples = .max
            options.sealBatches = .max
        }
        let store = watched.store
        let record = LogRecord()
        let logging = store.logging(to: record.logger)
        let id = try store.series("a", kind: .discrete).id
        watched.disk.setCapacity(watched.disk.usedBytes)
        // Commits succeed until they have used the space in the log and the space that a checkpoint frees.
        var failures = 0
        while failures < 3 {
            do throws(StoreError) {
                try store.append(to: id, samples(2_000))
            } catch {
                #expect(error.kind == .diskFull)
                failures += 1
                if failures == 1 { #expect(comesTrue { record.messages.contains("disk full") }) }
            }
        }
        watched.disk.setCapacity(nil)
        for _ in 0..<3 { try store.append(to: id, samples(2)) }
        #expect(store.counters.diskFullErrors == 3 && store.counters.commitsFailed == 3)
        store.close()
        var received = record.messages.filter { $0.hasPrefix("disk") }
        #expect(received.count >= 2 && received.count % 2 == 0)
        while received.count >= 2 {
            #expect(received.prefix(2) == ["disk full", "disk has room again"])
            received.removeFirst(2)
        }
        try expectAsOnPage(record, "/store")
        withExtendedLifetime(logging) {}
    }

    @Test("Damage that readers find is logged once per place and counted every time")
    func damage() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        let store = try TimeSeriesStore.create(at: path)
        let id = try store.series("a", kind: .discrete).id
        try load(store, id, 5_000)
        store.close()
        let disk = RealDisk()
        let name = try #require(try disk.list(path + "/segments").first)
        let file = try disk.open(path + "/segments/" + name, writable: true)
        try file.write([0xFF, 0xFF, 0xFF, 0xFF], 0..<4, at: 200)
        try file.close()
        let record = LogRecord()
        let broken = try TimeSeriesStore.open(at: path, options: StoreOptions().logging(to: record.logger))
        for _ in 0..<3 {
            let error = #expect(throws: StoreError.self) { try broken.snapshot().scan(id) { _ in true } }
            #expect(error?.kind == .corrupt)
        }
        #expect(broken.counters.damagedReads == 3)
        broken.close()
        #expect(record.messages == ["store opened", "damage found", "store closed"])
        let entry = try record.first("damage found")
        #expect(entry.level == .error && entry.metadata["error.type"] == "corrupt")
        #expect(entry.metadata["series"] == .string("\(id.rawValue)") && entry.metadata["file.offset"] != nil)
        try expectAsOnPage(record, path)
    }

    @Test("A failed sync stops the writer, and the next opening logs the recovery")
    func recovery() throws {
        let watched = try WatchedStore()
        let record = LogRecord()
        let id = try watched.store.series("a", kind: .discrete).id
        try watched.reopen { $0 = $0.logging(to: record.logger) }
        let appender = try watched.store.relaxed(interval: .seconds(3_600))
        try appender.series(id).append(start: 1, value: 1)
        watched.disk.inject(DiskFault([.sync], pathSuffix: "-wal"))
        #expect(throws: StoreError.self) { try appender.flush() }
        watched.disk.clearFaults()
        try watched.reopen()
        watched.store.close()
        #expect(
            record.messages == [
                "store opened", "writer stopped", "relaxed samples lost", "store closed", "store recovered",
                "store opened", "store closed",
            ])
        #expect(try record.first("relaxed samples lost").metadata["samples"] == "1")
        #expect(try record.first("store recovered").metadata["outcome.settled"] == "true")
        #expect(try record.first("writer stopped").level == .critical)
        try expectAsOnPage(record, "/store")
    }

    @Test("A shared opening logs when its turn as the writer begins and ends")
    func turns() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        try TimeSeriesStore.create(at: path).close()
        let record = LogRecord()
        var options = StoreOptions().logging(to: record.logger)
        options.writerIdle = .milliseconds(1)
        let store = try TimeSeriesStore.open(at: path, mode: .shared, options: options)
        try store.series("a", kind: .discrete)
        #expect(comesTrue { record.messages.contains("turn as writer ended") })
        #expect(store.counters.turns == 1)
        store.close()
        #expect(
            record.messages == ["store opened", "turn as writer began", "turn as writer ended", "store closed"])
        #expect(try record.first("store opened").metadata["store.mode"] == "shared")
        try expectAsOnPage(record, path)
    }

    @Test("Slow observers lose events and receive the number of lost events, and an ended observation receives nothing")
    func slow() throws {
        let watched = try WatchedStore()
        let store = watched.store
        let gate = Mutex(())
        let seen = Mutex([StoreEvent.What]())
        let observation = store.observe { event in
            gate.withLock { _ in seen.withLock { $0.append(event.what) } }
            if case .closed = event.what { store.close() }
        }
        let log = LogRecord()
        let ended = store.logging(to: log.logger)
        ended.end()
        gate.withLock { _ in for _ in 0..<1_100 { store.context.telemetry.post(.turnEnded) } }
        // Makes room for the last event.
        store.context.telemetry.drain()
        store.close()
        let lost = store.counters.eventsLost
        let received = seen.withLock { $0 }
        #expect(lost >= 1_100 - 1_025 && lost < 1_100)
        // The number may arrive in several parts, if more events were lost after the first report.
        let counts = received.map { if case .eventsLost(let count) = $0 { count } else { 0 } }
        #expect(counts.reduce(0, +) == lost)
        #expect(received.count { $0 == .turnEnded } == 1_100 - lost)
        #expect(log.messages == [])
        withExtendedLifetime(observation) {}
    }

    @Test("The page lists exactly the messages that the code logs")
    func messages() throws {
        let error = StoreError(.corrupt, "no", path: "/f", offset: 3)
        let stopped = StoreError(.cancelled, "no")
        let took = Duration.milliseconds(3)
        let backup = BackupReport(sequence: 1, segments: 1, segmentsCopied: 1, bytes: 1, bytesCopied: 1)
        let all: [StoreEvent.What] = [
            .opened(.readOnly, sequence: 1, took: took), .closed(sequence: 1), .recovered(.init()),
            .turnBegan(sequence: 1, waited: took), .turnEnded, .loaded(samples: 1, sequence: 1, took: took),
            .sealed(samples: 1, bytes: 1, took: took), .deleted(samples: 1, sequence: 1),
            .mergeBegan(segments: 2, bytes: 1), .mergeEnded(CompactionReport(), took: took), .mergeFailed(error),
            .mergeFailed(stopped), .diskFullEntered(error), .diskFullLeft, .damageFound(error), .writerStopped(error),
            .relaxedSamplesLost(samples: 1, error), .backedUp(backup, took: took), .backupFailed(error),
            .backupFailed(stopped), .restored(backup, took: took), .eventsLost(1),
            .sessionCallIgnored(call: "pause", state: "prepared"),
        ]
        let record = LogRecord()
        let log = StoreLog(record.logger)
        for what in all { log.log(StoreEvent(path: "/s", what: what)) }
        try expectAsOnPage(record, "/s")
        let named = try MetricsPage.rows(under: "## Messages").flatMap { MetricsPage.names($0[0]) }
        #expect(Set(named) == Set(record.messages) && named.count == all.count)
        #expect(try record.first("store closed").metadata["commit"] == "1")
        #expect(try record.first("samples loaded").metadata["duration.ms"] == "3")
        #expect(
            try record.first("session call ignored").metadata == [
                "call": "pause", "state": "prepared", "store.path": "/s",
            ])
    }
}

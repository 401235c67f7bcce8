// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 other programs open the catalog with their own SQLite", .ofPlainStores)
struct OtherSQLiteTests {
    /// Statements of other programs that change no row.
    private static let harmless = [
        "SELECT count(*) FROM series", "PRAGMA integrity_check", "PRAGMA wal_checkpoint(PASSIVE)",
        "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode=DELETE", "PRAGMA journal_mode=PERSIST",
        "PRAGMA journal_mode=TRUNCATE", "BEGIN IMMEDIATE; COMMIT", "BEGIN; SELECT count(*) FROM tail; COMMIT",
        "PRAGMA journal_mode=DELETE; PRAGMA journal_mode=WAL", "VACUUM INTO ':memory:'",
    ]

    /// Creates a store in the state after a killed writer, and returns its samples.
    private func killed(_ directory: TemporaryDirectory) throws -> (path: String, samples: [Sample]) {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        var samples = [Sample]()
        for i in 0..<40 as Range<Int64> {
            let sample = Sample(start: i * second, value: Double(i))
            try test.store.append(to: id, [sample])
            samples.append(sample)
        }
        let path = directory.file("killed")
        try FileManager.default.copyItem(atPath: test.path, toPath: path)
        try? FileManager.default.removeItem(atPath: path + "/kymograph.sqlite-shm")
        #expect(try RealDisk().contents(of: path + "/kymograph.sqlite-wal", limit: 1 << 24).count > 4_120)
        return (path, samples)
    }

    private func samples(_ store: TimeSeriesStore) throws -> [Sample] {
        let snapshot = store.snapshot()
        return try snapshot.series.flatMap { try snapshot.all($0.id) }
    }

    /// Expects that a reader and a writer see all samples and that the store accepts a commit.
    private func expectWhole(_ path: String, _ wanted: [Sample], _ note: String) throws {
        let reader = try TimeSeriesStore.open(at: path, mode: .readOnly)
        #expect(try samples(reader) == wanted, "\(note)")
        reader.close()
        let writer = try TimeSeriesStore.open(at: path)
        #expect(try samples(writer) == wanted, "\(note)")
        let id = try #require(writer.snapshot().series.first).id
        try writer.append(to: id, [Sample(start: 1_000 * second, value: 7)])
        #expect(try writer.verify().problems.isEmpty, "\(note)")
        writer.close()
        let again = try TimeSeriesStore.open(at: path, mode: .readOnly)
        #expect(try samples(again).count == wanted.count + 1, "\(note)")
        #expect(try again.verify().problems.isEmpty, "\(note)")
        again.close()
    }

    @Test("The other SQLite is a separate copy that shares no state with the first")
    func apart() throws { #expect(OtherSQLite.isApart) }

    @Test("After a program is killed in a transaction, a reader gets an error and the next writer rolls it back")
    func unfinished() throws {
        let directory = try TemporaryDirectory()
        let (path, wanted) = try killed(directory)
        let other = try OtherSQLite(path + "/kymograph.sqlite")
        try other.run("PRAGMA journal_mode=DELETE")
        // More pages than the cache holds, so that the database has changed pages before the transaction ends.
        try other.run(
            "PRAGMA cache_size=1; BEGIN; CREATE TABLE more(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 "
                + "FROM n WHERE i<200) INSERT INTO more SELECT randomblob(3000) FROM n")
        let left = directory.file("left")
        try FileManager.default.copyItem(atPath: path, toPath: left)
        try other.run("ROLLBACK")
        #expect(try RealDisk().contents(of: left + "/kymograph.sqlite-journal", limit: 1 << 24).count > 512)
        let error = #expect(throws: StoreError.self) { _ = try TimeSeriesStore.open(at: left, mode: .readOnly) }
        #expect(error?.kind == .readOnly)
        #expect(error?.message.contains("another program was stopped") == true)
        #expect(error?.message.contains("run as the user") == false, "\(error?.message ?? "")")
        try TimeSeriesStore.open(at: left).close()
        try expectWhole(left, wanted, "after the writer")
    }

    @Test("With the log of a killed writer, statements that change no row do no harm", arguments: harmless)
    func afterKill(_ sql: String) throws {
        let directory = try TemporaryDirectory()
        let (path, wanted) = try killed(directory)
        do {
            let other = try OtherSQLite(path + "/kymograph.sqlite")
            try other.run(sql)
        }
        try expectWhole(path, wanted, sql)
    }

    @Test("During an open writer, statements that change no row do no harm", arguments: harmless)
    func besideWriter(_ sql: String) throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        var wanted = [Sample]()
        func append(_ count: Int64) throws {
            for _ in 0..<count {
                wanted.append(Sample(start: Int64(wanted.count) * second, value: 1))
                try test.store.append(to: id, [wanted[wanted.count - 1]])
            }
        }
        for _ in 0..<3 {
            try append(5)
            let other = try OtherSQLite(test.path + "/kymograph.sqlite")
            do { try other.run(sql) } catch { #expect(error.isBusy, "\(error)") }
            try append(5)
        }
        test.store.close()
        try expectWhole(test.path, wanted, sql)
    }

    @Test("A second SQLite in this process that closes the file does not release the locks of the first")
    func locks() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.append(to: id, [Sample(start: 0, value: 1)])
        for _ in 0..<3 { try OtherSQLite(test.path + "/kymograph.sqlite").run("SELECT count(*) FROM tail") }
        let other = try OtherSQLite(test.path + "/kymograph.sqlite")
        // Leaving WAL mode requires exclusive access to the file.
        let mode = (try? other.run("PRAGMA journal_mode=DELETE")) ?? "refused"
        #expect(mode != "delete")
        try test.store.append(to: id, [Sample(start: second, value: 2)])
        #expect(try test.store.verify().problems.isEmpty)
    }

    @Test("Rows written by another program are found and named, and no acknowledged sample is lost")
    func rows() throws {
        let directory = try TemporaryDirectory()
        // Into the log of a killed writer, which stays because a connection is open, and into the database.
        for isInLog in [true, false] {
            let scratch = try TemporaryDirectory()
            let (path, wanted) = try killed(scratch)
            let place = directory.file("store-\(isInLog)")
            try FileManager.default.copyItem(atPath: path, toPath: place)
            do {
                let other = try OtherSQLite(place + "/kymograph.sqlite")
                try other.run("UPDATE meta SET zone='Europe/Paris'")
                if isInLog {
                    try FileManager.default.copyItem(atPath: place, toPath: place + "-copy")
                    try? FileManager.default.removeItem(atPath: place + "-copy/kymograph.sqlite-shm")
                }
            }
            let damaged = isInLog ? place + "-copy" : place
            let error = #expect(throws: StoreError.self) {
                let store = try TimeSeriesStore.open(at: damaged)
                defer { store.close() }
                _ = try self.samples(store)
            }
            #expect(error?.kind == .corrupt)
            #expect(error?.message.contains("another program wrote rows") == true, "\(error?.message ?? "")")
            let repaired = directory.file("repaired-\(isInLog)")
            _ = try TimeSeriesStore.repair(from: damaged, to: repaired)
            let store = try TimeSeriesStore.open(at: repaired)
            #expect(try samples(store) == wanted)
            store.close()
        }
    }

    @Test(
        "Rows that another program writes stop an open writer before its next acknowledgement",
        arguments: [false, true])
    func rowsBeside(beforeFirstCommit: Bool) throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.append(to: id, [Sample(start: 0, value: 1)])
        if beforeFirstCommit { try test.reopen() }
        try OtherSQLite(test.path + "/kymograph.sqlite").run("UPDATE series SET kind=kind+1")
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) {
                try test.store.append(to: id, [Sample(start: second, value: 2)])
            }
            #expect(error?.kind == .corrupt && error?.message.contains("another program") == true, "\(error as Any)")
        }
        test.store.close()
        let directory = try TemporaryDirectory()
        let repaired = directory.file("repaired")
        _ = try TimeSeriesStore.repair(from: test.path, to: repaired)
        let store = try TimeSeriesStore.open(at: repaired)
        #expect(try samples(store) == [Sample(start: 0, value: 1)])
        store.close()
    }

    @Test("Each of many frames of another program is found, with few reads of the log")
    func manyFrames() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("catalog.sqlite")
        try CatalogDatabase.create(
            at: file, storeID: [UInt8](repeating: 7, count: 16), homeZone: "UTC", formatVersion: 2)
        let writer = try CatalogDatabase.open(at: file, readOnly: false)
        for seq in 1...60 as ClosedRange<Int64> {
            try writer.commit(CatalogCommit(seq: seq, tail: [UInt8](repeating: 1, count: 3_000)))
        }
        try writer.close()
        let other = try OtherSQLite(file)
        for _ in 0..<10 { try other.run("UPDATE tail SET body=randomblob(3000)") }
        var files = [String: [UInt8]]()
        for suffix in ["", "-wal"] {
            files["/store/catalog.sqlite" + suffix] = try RealDisk().contents(of: file + suffix, limit: 1 << 24)
        }
        let disk = try FaultyDisk(MemoryDisk(directories: ["/store"], files: files))
        let layer = try SimulatedLayer(disk)
        let reader = try CatalogDatabase.open(
            at: "/store/catalog.sqlite", readOnly: true, vfs: layer.options.catalogVFS)
        disk.resetTrace()
        let problems = try reader.damagedPages()
        withExtendedLifetime(other) {}
        let reads = disk.trace.count { $0.kind == .read && $0.path.hasSuffix("-wal") }
        #expect(problems.count == 600 && problems.allSatisfy { $0.message.contains("another program wrote rows") })
        #expect(reads < 4 * problems.count, "\(reads) reads of \(problems.count) frames")
        try reader.close()
    }

    @Test("A catalog rewritten by another program is refused, and a repair keeps all samples")
    func vacuum() throws {
        let directory = try TemporaryDirectory()
        let (path, wanted) = try killed(directory)
        try OtherSQLite(path + "/kymograph.sqlite").run("VACUUM")
        let error = #expect(throws: StoreError.self) { _ = try TimeSeriesStore.open(at: path) }
        #expect(error?.kind == .corrupt && error?.message.contains("another program rewrote the catalog") == true)
        let repaired = directory.file("repaired")
        let report = try TimeSeriesStore.repair(from: path, to: repaired)
        #expect(report.losses.isEmpty)
        try expectWhole(repaired, wanted, "VACUUM")
    }
}

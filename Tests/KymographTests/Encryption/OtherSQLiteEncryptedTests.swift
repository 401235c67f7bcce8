// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("Other programs open the catalog of an encrypted store with their own SQLite")
struct OtherSQLiteEncryptedTests {
    private static let statements = [
        "SELECT count(*) FROM series", "PRAGMA integrity_check", "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA journal_mode=DELETE", "PRAGMA journal_mode=WAL", "PRAGMA user_version=5", "CREATE TABLE mine(a)",
        "VACUUM", "BEGIN EXCLUSIVE; COMMIT",
    ]

    /// Runs all statements in a connection of each, and SQLite's own checkpoint. None may succeed in reading a page.
    private func visit(_ path: String) throws {
        for sql in Self.statements {
            let other = try OtherSQLite(path + "/kymograph.sqlite")
            do {
                try other.run(sql)
                // Only statements that read no page succeed.
                #expect(["PRAGMA journal_mode=DELETE", "PRAGMA journal_mode=WAL"].contains(sql), "\(sql)")
            } catch {
                // CANTOPEN for a log of an unknown version, NOTADB for a database without a log.
                #expect(error.isBusy || [14, 26].contains(error.code), "\(sql): \(error)")
            }
            try? other.checkpoint()
        }
    }

    private func samples(_ store: TimeSeriesStore) throws -> [Sample] {
        let snapshot = store.snapshot()
        return try snapshot.series.flatMap { try snapshot.all($0.id) }
    }

    private func expectWhole(_ test: EncryptedScratch, _ path: String, _ wanted: [Sample]) throws {
        for mode in [OpenMode.readOnly, .readWrite] {
            let store = try TimeSeriesStore.open(at: path, mode: mode, options: test.options())
            #expect(try samples(store) == wanted)
            #expect(try store.verify().isSound)
            store.close()
        }
    }

    /// Fills a store whose last commits are in the log.
    private func filled(_ test: EncryptedScratch) throws -> (store: TimeSeriesStore, samples: [Sample]) {
        let store = try TimeSeriesStore.create(at: test.path, options: test.options())
        let id = try store.series("pulse", kind: .discrete).id
        let samples = (0..<40 as Range<Int64>).map { Sample(start: $0 * second, value: Double($0)) }
        for sample in samples { try store.append(to: id, [sample]) }
        return (store, samples)
    }

    @Test("the log of a killed writer stays, and no commit is lost")
    func afterKill() throws {
        let test = try EncryptedScratch()
        let (store, wanted) = try filled(test)
        let killed = test.directory.file("killed")
        try FileManager.default.copyItem(atPath: test.path, toPath: killed)
        store.close()
        let log = killed + "/kymograph.sqlite-wal"
        let before = try RealDisk().contents(of: log, limit: 1 << 24)
        #expect(before.count > 4_120)
        try visit(killed)
        #expect(try RealDisk().contents(of: log, limit: 1 << 24) == before)
        try expectWhole(test, killed, wanted)
    }

    @Test("beside an open writer and a reader nothing is copied, and later commits are whole")
    func besideWriter() throws {
        let test = try EncryptedScratch()
        var (store, wanted) = try filled(test)
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options())
        defer { reader.close() }
        let id = try #require(store.snapshot().series.first).id
        for round in 0..<3 as Range<Int64> {
            try visit(test.path)
            let more = Sample(start: (100 + round) * second, value: 7)
            try store.append(to: id, [more])
            wanted.append(more)
            try reader.refresh()
            #expect(try samples(reader) == wanted)
        }
        #expect(try store.verify().isSound)
        store.close()
        try expectWhole(test, test.path, wanted)
    }

    @Test("after the writer has closed it is no database, and stays as it is")
    func afterClose() throws {
        let test = try EncryptedScratch()
        let (store, wanted) = try filled(test)
        store.close()
        let before = try RealDisk().contents(of: test.path + "/kymograph.sqlite", limit: 1 << 24)
        try visit(test.path)
        #expect(try RealDisk().contents(of: test.path + "/kymograph.sqlite", limit: 1 << 24) == before)
        try expectWhole(test, test.path, wanted)
    }
}

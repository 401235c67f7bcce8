// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-18 another SQLite has copied the log of a former version into the catalog")
struct CopiedPagesTests {
    /// A copy of a golden store with a log.
    private func copy(_ name: String, _ directory: TemporaryDirectory, _ place: String) throws -> String {
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/" + name)
        let path = directory.file(place)
        try FileManager.default.copyItem(atPath: golden.path, toPath: path)
        try? FileManager.default.createDirectory(atPath: path + "/segments", withIntermediateDirectories: false)
        return path
    }

    private func content(
        _ path: String, _ mode: OpenMode, _ options: StoreOptions = StoreOptions()
    ) throws -> [String] {
        let store = try TimeSeriesStore.open(at: path, mode: mode, options: options)
        defer { store.close() }
        #expect(try store.verify().problems.isEmpty)
        let snapshot = store.snapshot()
        return try snapshot.series.flatMap { series in
            try snapshot.all(series.id).map { "\(series.id) \(series.name) \($0)" }
        }
    }

    @Test("The store opens with all acknowledged samples", arguments: [("one", 3), ("several", 14)])
    func opens(_ name: String, count: Int) throws {
        let directory = try TemporaryDirectory()
        let wanted = try content(copy("v5-log-\(name)", directory, "sound"), .readWrite)
        #expect(wanted.count == count)
        let path = try copy("v5-log-\(name)", directory, "copied")
        try OtherSQLite(path + "/kymograph.sqlite").run("SELECT count(*) FROM series")
        #expect(!FileManager.default.fileExists(atPath: path + "/kymograph.sqlite-wal"))
        #expect(try content(path, .readOnly) == wanted)
        #expect(try content(path, .readWrite) == wanted)
        // The writer has rewritten all pages: pages in the database need no balance.
        let pages = try RealDisk().contents(of: path + "/kymograph.sqlite", limit: 1 << 24)
        for at in stride(from: 4_096, through: pages.count, by: 4_096) {
            #expect(pages[at - 8..<at].allSatisfy { $0 == 0 }, "page \(at / 4_096)")
        }
        #expect(try content(path, .readOnly) == wanted)
    }

    @Test(
        "A writer that cannot rewrite the copied pages is refused, as each commit would erase their proof",
        arguments: ["one", "several"], ["locked", "full"])
    func refused(_ name: String, because: String) throws {
        let directory = try TemporaryDirectory()
        let wanted = try content(copy("v5-log-\(name)", directory, "sound"), .readWrite)
        let path = try copy("v5-log-\(name)", directory, "copied")
        let file = path + "/kymograph.sqlite"
        try OtherSQLite(file).run("SELECT count(*) FROM series")
        if because == "locked" {
            let before = try RealDisk().contents(of: file, limit: 1 << 24)
            let other = try OtherSQLite(file)
            try other.run("BEGIN IMMEDIATE")
            let error = #expect(throws: StoreError.self) { try TimeSeriesStore.open(at: path).close() }
            #expect(error?.kind == .locked, "\(error as Any)")
            try other.run("ROLLBACK")
            #expect(try RealDisk().contents(of: file, limit: 1 << 24) == before)
            #expect(try content(path, .readWrite) == wanted)
            return
        }
        let files = try StoreImage(path).files.map { ("/store/" + $0.key, $0.value) }
        let disk = try FaultyDisk(
            MemoryDisk(directories: ["/store/segments"], files: Dictionary(files) { $1 }))
        let layer = try SimulatedLayer(disk)
        var options = layer.options
        options.ballastBytes = 0
        #expect(try content("/store", .readOnly, options) == wanted)
        disk.setCapacity(disk.usedBytes + 9_000)
        let error = #expect(throws: StoreError.self) {
            try TimeSeriesStore.open(at: "/store", options: options).close()
        }
        #expect(error?.kind == .diskFull, "\(error as Any)")
        disk.setCapacity(nil)
        #expect(try content("/store", .readWrite, options) == wanted)
    }

    @Test("Damage to one of several copied pages is found")
    func damage() throws {
        let directory = try TemporaryDirectory()
        let path = try copy("v5-log-several", directory, "copied")
        let file = path + "/kymograph.sqlite"
        try OtherSQLite(file).run("SELECT count(*) FROM series")
        let sound = try Data(contentsOf: URL(fileURLWithPath: file))
        let copied = stride(from: 4_096, to: sound.count, by: 4_096).filter { at in
            sound[at + 4_088..<at + 4_096].contains { $0 != 0 }
        }
        #expect(copied.count > 3)
        for at in copied {
            var damaged = sound
            damaged[at + 2_000] ^= 1
            try damaged.write(to: URL(fileURLWithPath: file))
            let report = try TimeSeriesStore.verify(at: path)
            #expect(report.problems.contains { $0.offset == UInt64(at) }, "byte \(at)")
        }
    }
}

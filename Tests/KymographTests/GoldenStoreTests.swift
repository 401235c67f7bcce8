// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-18 stores of every format stay readable")
struct GoldenStoreTests {
    /// The values of the samples of `v1-store`, from the export that it was imported from.
    private static let values = [
        0.058, 1, 1, 6.8552, 14, 25.5526, 42.095, 49, 83, 90, 107.5, 183, 18_087.8,
    ]

    private func values(_ store: TimeSeriesStore) throws -> [Double] {
        let snapshot = store.snapshot()
        return try snapshot.series.flatMap { try snapshot.all($0.id).map(\.value) }.sorted()
    }

    /// Returns the path of a copy of a golden store.
    private func copy(_ name: String, _ directory: TemporaryDirectory) throws -> String {
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/" + name)
        let path = directory.file("store")
        try FileManager.default.copyItem(atPath: golden.path, toPath: path)
        return path
    }

    /// Returns `user_version` from the header of the catalog's database file, ignoring the log.
    private func version(_ path: String) throws -> UInt8 {
        try RealDisk().contents(of: path + "/kymograph.sqlite", limit: 1 << 20)[63]
    }

    @Test("v1-store: a reader changes nothing, a writer upgrades it, and both return the imported samples")
    func first() throws {
        let directory = try TemporaryDirectory()
        let path = try copy("v1-store", directory)
        let catalog = path + "/kymograph.sqlite"
        let disk = RealDisk()
        let before = try disk.contents(of: catalog, limit: 1 << 20)
        #expect(before[63] == 1, "the format in SQLite's header")

        let reader = try TimeSeriesStore.open(at: path, mode: .readOnly)
        #expect(try values(reader) == Self.values)
        #expect(try reader.verify().problems.isEmpty)
        #expect(try disk.contents(of: catalog, limit: 1 << 20) == before)

        let writer = try TimeSeriesStore.open(at: path)
        #expect(try values(writer) == Self.values)
        #expect(try writer.verify().problems.isEmpty)
        let id = try #require(writer.snapshot().series.first).id
        try writer.append(to: id, [Sample(start: 1, value: 1e6)])
        try reader.refresh()
        #expect(try values(reader) == Self.values + [1e6])
        reader.close()
        writer.close()
        let after = try disk.contents(of: catalog, limit: 1 << 20)
        #expect(after[63] == 6)
        let again = try TimeSeriesStore.open(at: path)
        #expect(try values(again) == Self.values + [1e6])
        again.close()
    }

    @Test("v3-store: deletions stay, history begins with the last deletion, and a new deletion upgrades it")
    func third() throws {
        let directory = try TemporaryDirectory()
        let path = try copy("v3-store", directory)
        let left = Self.values.filter { $0 != 83 && $0 != 90 }
        let reader = try TimeSeriesStore.open(at: path, mode: .readOnly)
        #expect(try values(reader) == left)
        #expect(try reader.verify().problems.isEmpty)
        // One deletion was compacted without a record of its history, the other was not compacted.
        #expect(try reader.info().oldestCommit == 4 && reader.info().deletedSamples == 1)
        #expect(throws: StoreError.self) { try reader.snapshot(asOf: 3) }
        #expect(try version(path) == 3)

        let writer = try TimeSeriesStore.open(at: path)
        defer { writer.close() }
        let id = try #require(writer.snapshot().series.first).id
        try writer.append(to: id, [Sample(start: 1, value: 1e6)])
        #expect(try version(path) == 7)
        try writer.delete(from: id, startingIn: TimeRange(1, 2))
        try reader.refresh()
        for store in [writer, reader] {
            #expect(try values(store) == left && store.info().oldestCommit == 4)
            #expect(try store.snapshot(asOf: 5).count(of: id) == store.snapshot().count(of: id) + 1)
            #expect(throws: StoreError.self) { try store.snapshot(asOf: 3) }
        }
        reader.close()
        writer.close()
        #expect(try version(path) == 8)
        let again = try TimeSeriesStore.open(at: path)
        #expect(try values(again) == left && again.info().oldestCommit == 4)
        again.close()
    }

    @Test(
        "The catalog gets a later version first, so earlier programs cannot mistake the end of a log",
        arguments: [("v1-store", 6), ("v3-store", 7), ("v4-store", 8), ("v5-log-one", 9), ("v5-log-several", 9)])
    func laterVersion(_ name: String, wanted: UInt8) throws {
        let directory = try TemporaryDirectory()
        let path = try copy(name, directory)
        try? FileManager.default.createDirectory(atPath: path + "/segments", withIntermediateDirectories: false)
        let before = try version(path)
        try TimeSeriesStore.open(at: path, mode: .readOnly).close()
        #expect(try version(path) == before)
        let store = try TimeSeriesStore.open(at: path)
        defer { store.close() }
        // An earlier program ends the log at the first page of a kind unknown to it.
        #expect(try version(path) == wanted)
        let id = try #require(store.snapshot().series.first).id
        for i in 0..<3 as Range<Int64> { try store.append(to: id, [Sample(start: i, value: 1)]) }
        let log = try RealDisk().contents(of: path + "/kymograph.sqlite-wal", limit: 1 << 24)
        #expect(log[32 + 24 + 4_056..<32 + 24 + 4_060].elementsEqual(Array("KypL".utf8)))
        #expect(try version(path) == wanted && store.verify().problems.isEmpty)
    }

    @Test("v4-store: history begins at the same commit, and anchors of its epochs stay valid")
    func fourth() throws {
        let directory = try TemporaryDirectory()
        let path = try copy("v4-store", directory)
        let left = Self.values.filter { $0 != 83 && $0 != 90 }
        let store = try TimeSeriesStore.open(at: path)
        defer { store.close() }
        #expect(try values(store) == left && store.info().oldestCommit == 2)
        #expect(try store.verify().problems.isEmpty)
        let pulse = try #require(store.snapshot().series.first { $0.name == "HKQuantityTypeIdentifierHeartRate" })
        #expect([2, 3, 4].map { try? store.snapshot(asOf: $0).count(of: pulse.id) } == [1, 1, 0])
        #expect(throws: StoreError.self) { try store.snapshot(asOf: 1) }
        let epoch: Int64 = -8_388_756_186_301_850_049
        #expect(store.currentAnchor() == ChangeAnchor(store: store.context.storeID, epoch: epoch, commit: 4))
        try store.append(to: pulse.id, [Sample(start: 1, value: 1e6)])
        func given(_ text: String) throws -> Int {
            let anchor = try #require(ChangeAnchor(text: text))
            return try store.changes(since: anchor) { _ in true }.samples
        }
        let id = "2e0dc3b7917f63ea0f4214313b40c3e2"
        #expect(try given("01\(id)04e420bb28") == 1)
        #expect(try given("02\(id)000000000000000004ceae4c0f") == 1)
        #expect(try given("02\(id)3f1e1eb0b126958b04469c7827") == 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph
import TestSupport
import Testing

@Suite("E-18 stores of every format open for ever")
struct GoldenStoreTests {
    /// The values of the samples of `v1-store`, from the export that it was made of.
    private static let values = [
        0.058, 1, 1, 6.8552, 14, 25.5526, 42.095, 49, 83, 90, 107.5, 183, 18_087.8,
    ]

    private func values(_ store: TimeSeriesStore) throws -> [Double] {
        let snapshot = store.snapshot()
        return try snapshot.series.flatMap { try snapshot.all($0.id).map(\.value) }.sorted()
    }

    @Test("v1-store: a reader changes nothing, a writer upgrades it, and both give what was imported")
    func first() throws {
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/v1-store")
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        try FileManager.default.copyItem(atPath: golden.path, toPath: path)
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
        #expect(after[63] == 2)
        let again = try TimeSeriesStore.open(at: path)
        #expect(try values(again) == Self.values + [1e6])
        again.close()
    }
}

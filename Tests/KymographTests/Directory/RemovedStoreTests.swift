// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-12 a store whose directory or catalog is removed or moved while open")
struct RemovedStoreTests {
    private let manager = FileManager.default

    /// Returns the number of samples of a store that is not open, or of a copy.
    private func count(_ path: String) throws -> Int {
        let store = try TimeSeriesStore.open(at: path)
        defer { store.close() }
        #expect(try store.verify().problems.isEmpty)
        let snapshot = store.snapshot()
        return snapshot.series.reduce(0) { $0 + snapshot.count(of: $1.id) }
    }

    @Test(
        "A refused append stores nothing, neither at the old path nor at the new one",
        arguments: ["removed", "moved", "replaced", "catalog removed", "catalog moved", "log moved"])
    func appends(_ what: String) throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.append(to: id, [Sample(start: 0, value: 1)])
        let catalog = test.path + "/kymograph.sqlite"
        let moved = test.directory.file("moved")
        switch what {
        case "removed": try manager.removeItem(atPath: test.path)
        case "catalog removed": try manager.removeItem(atPath: catalog)
        case "catalog moved": try manager.moveItem(atPath: catalog, toPath: moved)
        case "log moved": try manager.moveItem(atPath: catalog + "-wal", toPath: moved)
        default: try manager.moveItem(atPath: test.path, toPath: moved)
        }
        if what == "replaced" { try TimeSeriesStore.create(at: test.path).close() }
        let error = #expect(throws: StoreError.self) {
            try test.store.append(to: id, [Sample(start: second, value: 2)])
        }
        #expect(error?.kind == .inputOutput)
        #expect(error?.message.contains("removed, moved or replaced") == true, "\(error as Any)")
        let next = #expect(throws: StoreError.self) { try test.store.append(to: id, [Sample(start: second, value: 2)]) }
        #expect(next?.kind == .writerFailed)
        test.store.close()
        switch what {
        case "moved": #expect(try count(moved) == 1)
        case "replaced": #expect(try count(moved) == 1 && count(test.path) == 0)
        case "catalog moved":
            try manager.moveItem(atPath: moved, toPath: catalog)
            #expect(try count(test.path) == 1)
        case "log moved":
            try manager.moveItem(atPath: moved, toPath: catalog + "-wal")
            #expect(try count(test.path) == 1)
        default: break
        }
    }

    @Test("A reader whose store was moved names the reason instead of damage", arguments: ["moved", "replaced"])
    func reader(_ what: String) throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        let samples = (0..<9_000).map { Sample(start: Int64($0) * second, value: Double($0)) }
        try test.store.load(samples, to: id)
        test.store.close()
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options)
        defer { reader.close() }
        let moved = test.directory.file("moved")
        try manager.moveItem(atPath: test.path, toPath: moved)
        if what == "replaced" {
            // The same names of segments, with other bytes.
            try manager.copyItem(atPath: moved, toPath: test.path)
            let segments = test.path + "/segments/"
            for name in try manager.contentsOfDirectory(atPath: segments) {
                try Data([1, 2, 3]).write(to: URL(fileURLWithPath: segments + name))
            }
        }
        let error = #expect(throws: StoreError.self) { _ = try reader.snapshot().all(id) }
        #expect(error?.kind == .inputOutput, "\(error as Any)")
        #expect(error?.message.contains("moved or replaced while it was open") == true, "\(error as Any)")
        let again = try TimeSeriesStore.open(at: moved, mode: .readOnly, options: test.options)
        defer { again.close() }
        #expect(try again.snapshot().all(id) == samples)
    }

    @Test(
        "A writer whose directory was moved does not change the store now at its path when it closes",
        arguments: [true, false])
    func closing(hasLog: Bool) throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.append(to: id, [Sample(start: 0, value: 1)])
        if !hasLog { try test.store.compact() }
        let moved = test.directory.file("moved")
        try manager.moveItem(atPath: test.path, toPath: moved)
        let other = try TimeSeriesStore.create(at: test.path)
        let series = try other.series("steps", kind: .cumulative).id
        for i in 0..<3 as Range<Int64> { try other.append(to: series, [Sample(start: i, value: 1)]) }
        test.store.close()
        #expect(manager.fileExists(atPath: test.path + "/kymograph.sqlite-wal"))
        #expect(manager.fileExists(atPath: test.path + "/kymograph.sqlite" + TestKey.indexSuffix))
        try other.append(to: series, [Sample(start: 3, value: 1)])
        let killed = test.directory.file("killed")
        try manager.copyItem(atPath: test.path, toPath: killed)
        try manager.removeItem(atPath: killed + "/kymograph.sqlite" + TestKey.indexSuffix)
        #expect(try count(killed) == 4)
        other.close()
        #expect(try count(test.path) == 4 && count(moved) == 1)
    }
}

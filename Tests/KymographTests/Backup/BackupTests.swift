// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 backup of a live store and restoration")
struct BackupTests {
    private func samples(_ piece: Int, _ count: Int = 3_000) -> [Sample] {
        (0..<count).map {
            Sample(start: Int64(piece * 100_000 + $0 * 5) * second, value: Double($0 * (piece + 1) % 97))
        }
    }

    /// Returns a store with two segments and a tail.
    private func filled() throws -> (TestStore, SeriesID) {
        let test = try TestStore()
        let id = try test.store.series("a", labels: ["x": "y"], kind: .discrete).id
        for piece in 0..<2 { try test.store.load(samples(piece), to: id) }
        try test.store.append(samples(2, 500), to: id)
        return (test, id)
    }

    private func expectEqual(_ path: String, _ wanted: Snapshot, _ note: String = "") throws {
        let store = try TimeSeriesStore.open(at: path)
        defer { store.close() }
        let found = store.snapshot()
        #expect(found.sequence == wanted.sequence, "\(note)")
        #expect(found.series == wanted.series, "\(note)")
        for series in wanted.series { #expect(try found.all(series.id) == wanted.all(series.id), "\(note)") }
        #expect(try store.verify().problems.isEmpty, "\(note)")
    }

    @Test("A backup of a writing or reading handle restores the same answers and id, and accepts commits")
    func whole() throws {
        let (test, id) = try filled()
        let snapshot = test.store.snapshot()
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        for (i, handle) in [test.store, reader].enumerated() {
            let backup = test.directory.file("backup-\(i)")
            let restored = test.directory.file("restored-\(i)")
            let report = try handle.backup(to: backup)
            #expect(report.segments == 2 && report.segmentsCopied == 2 && report.sequence == snapshot.sequence)
            #expect(!FileManager.default.fileExists(atPath: backup + ".partial"))
            let back = try TimeSeriesStore.restore(from: backup, to: restored)
            #expect(back.bytes == report.bytes)
            try expectEqual(restored, snapshot)
            let store = try TimeSeriesStore.open(at: restored)
            #expect(store.context.storeID == test.store.context.storeID)
            try store.append(samples(7, 10), to: id)
            try store.load(samples(8), to: id)
            #expect(store.snapshot().count(of: id) == 9_510 - 10 + 10)
            store.close()
        }
        reader.close()
        let mode = try FileManager.default.attributesOfItem(atPath: test.directory.file("backup-0"))
        #expect(mode[.posixPermissions] as? Int == 0o700)
    }

    @Test("A second backup into the same place copies only new segments and removes obsolete ones")
    func incremental() throws {
        let (test, id) = try filled()
        let backup = test.directory.file("backup")
        try test.store.backup(to: backup)
        let nothing = try test.store.backup(to: backup)
        #expect(nothing.segmentsCopied == 0 && nothing.bytesCopied == 0)
        try test.store.load(samples(3), to: id)
        try test.store.seal()
        let more = try test.store.backup(to: backup)
        #expect(more.segments == 4 && more.segmentsCopied == 2)
        let names = try RealDisk().list(backup)
        #expect(names.filter { $0.hasPrefix("catalog-") }.count == 1)
        let others = names.filter { !$0.hasPrefix("catalog-") && !$0.hasPrefix("KEYS-") }
        #expect(Set(others) == ["BACKUP", "MANIFEST", "segments"])
        try TimeSeriesStore.restore(from: backup, to: test.directory.file("restored"))
        try expectEqual(test.directory.file("restored"), test.store.snapshot())
    }

    @Test("A second backup replaces damaged files of the first, even if nothing is new", .ofPlainStores)
    func rot() throws {
        let (test, _) = try filled()
        let backup = test.directory.file("backup")
        try test.store.backup(to: backup)
        let name = try RealDisk().list(backup + "/segments")[0]
        let sound = try RealDisk().contents(of: backup + "/segments/" + name, limit: 1 << 26)
        var bytes = sound
        bytes[bytes.count / 2] ^= 0x10
        try RealDisk().remove(backup + "/segments/" + name)
        try RealDisk().createFile(backup + "/segments/" + name, bytes)
        let report = try test.store.backup(to: backup)
        #expect(report.segmentsCopied == 1)
        #expect(try RealDisk().contents(of: backup + "/segments/" + name, limit: 1 << 26) == sound)
        let catalog = try #require(try RealDisk().list(backup).first { $0.hasPrefix("catalog-") })
        let rows = try RealDisk().contents(of: backup + "/" + catalog, limit: 1 << 26)
        for size in [rows.count, rows.count - 4_096] {
            var bytes = Array(rows[..<size])
            bytes[bytes.count / 2] ^= 0x10
            try RealDisk().remove(backup + "/" + catalog)
            try RealDisk().createFile(backup + "/" + catalog, bytes)
            let report = try test.store.backup(to: backup)
            #expect(report.bytesCopied == UInt64(rows.count))
            #expect(try RealDisk().contents(of: backup + "/" + catalog, limit: 1 << 26) == rows)
            #expect(try test.store.backup(to: backup).bytesCopied == 0)
        }
        try TimeSeriesStore.restore(from: backup, to: test.directory.file("restored"))
        try expectEqual(test.directory.file("restored"), test.store.snapshot())
    }

    @Test("With a concurrent writer, every backup is the state of one commit")
    func live() throws {
        let test = try TestStore { $0.sealBatches = 20 }
        let id = try test.store.series("a", kind: .discrete).id
        let stop = Atomic(false)
        let store = test.store
        let thread = Thread {
            for i in 0..<4_000 where !stop.load(ordering: .relaxed) {
                let start = Int64(i) * second
                _ = try? store.append([Sample(start: start, value: Double(i))], to: id)
            }
            stop.store(true, ordering: .relaxed)
        }
        thread.start()
        for i in 0..<6 {
            let report = try test.store.backup(to: test.directory.file("backup"))
            let restored = test.directory.file("restored-\(i)")
            try TimeSeriesStore.restore(from: test.directory.file("backup"), to: restored)
            let copy = try TimeSeriesStore.open(at: restored, mode: .readOnly)
            let found = try copy.snapshot().all(id)
            #expect(copy.snapshot().sequence == report.sequence)
            #expect(found.map(\.value) == (0..<found.count).map(Double.init), "not the first commits without a gap")
            #expect(try copy.verify().problems.isEmpty)
            copy.close()
        }
        stop.store(true, ordering: .relaxed)
        while !thread.isFinished { usleep(1_000) }
    }

    @Test("Damage to the store fails a backup and keeps the earlier one; damage to a backup fails its restoration")
    func damage() throws {
        let (test, id) = try filled()
        let backup = test.directory.file("backup")
        try test.store.backup(to: backup)
        let earlier = test.store.snapshot()
        try test.store.load(samples(4), to: id)
        let segments = test.path + "/segments"
        let newest = try #require(
            try RealDisk().list(segments).first {
                try !RealDisk().exists(backup + "/segments/" + $0)
            })
        let original = try Data(contentsOf: URL(fileURLWithPath: segments + "/" + newest))
        var random = TestRandom(seed: 11)
        for _ in 0..<40 {
            var bytes = original
            let at = random.below(bytes.count)
            bytes[at] ^= 1 << UInt8(random.below(8))
            try bytes.write(to: URL(fileURLWithPath: segments + "/" + newest))
            let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
            let error = #expect(throws: StoreError.self, "byte \(at)") { try reader.backup(to: backup) }
            #expect(error?.kind == .corrupt && error?.path?.hasSuffix(newest) == true, "byte \(at)")
            reader.close()
        }
        #expect(try RealDisk().list(backup + "/segments").count == 2)
        try TimeSeriesStore.restore(from: backup, to: test.directory.file("earlier"))
        try expectEqual(test.directory.file("earlier"), earlier)
        for name in try RealDisk().list(backup) where name != "BACKUP" && name != "segments" {
            // One of two copies of the keys suffices.
            if name.hasPrefix("KEYS-") { continue }
            let url = URL(fileURLWithPath: backup + "/" + name)
            let sound = try Data(contentsOf: url)
            for _ in 0..<20 {
                var bytes = sound
                bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
                try bytes.write(to: url)
                let place = test.directory.file("never")
                let error = #expect(throws: StoreError.self) { try TimeSeriesStore.restore(from: backup, to: place) }
                #expect([.corrupt, .forged, .newerFormat].contains(error?.kind), "\(name): \(error?.message ?? "")")
                #expect(try !RealDisk().exists(place) && !RealDisk().exists(place + ".partial"))
            }
            try sound.write(to: url)
        }
    }

    @Test("Other directories are unchanged, a cancelled backup leaves nothing, and a store is never overwritten")
    func refusals() throws {
        let (test, _) = try filled()
        let full = test.directory.file("full")
        try FileManager.default.createDirectory(atPath: full, withIntermediateDirectories: false)
        try Data("x".utf8).write(to: URL(fileURLWithPath: full + "/note.txt"))
        let stranger = try TestStore()
        let foreign = test.directory.file("foreign")
        try stranger.store.backup(to: foreign)
        for (place, kind) in [
            (full, StoreError.Kind.alreadyExists), (foreign, .alreadyExists), (stranger.path, .alreadyExists),
            (test.path + "/inside", .invalidArgument), (test.path, .invalidArgument),
        ] {
            let error = #expect(throws: StoreError.self, "\(place)") { try test.store.backup(to: place) }
            #expect(error?.kind == kind, "\(place)")
        }
        #expect(try RealDisk().list(full) == ["note.txt"])
        let stopped = test.directory.file("stopped")
        let error = #expect(throws: StoreError.self) { try test.store.backup(to: stopped) { _ in false } }
        #expect(error?.kind == .cancelled)
        #expect(try !RealDisk().exists(stopped) && !RealDisk().exists(stopped + ".partial"))
        let none = #expect(throws: StoreError.self) { try TimeSeriesStore.restore(from: full, to: stopped) }
        #expect(none?.kind == .notAStore)
        let over = #expect(throws: StoreError.self) { try TimeSeriesStore.restore(from: foreign, to: test.path) }
        #expect(over?.kind == .alreadyExists)
        let late = #expect(throws: StoreError.self) {
            try TimeSeriesStore.restore(from: foreign, to: stopped) { _ in false }
        }
        #expect(late?.kind == .cancelled)
        #expect(try !RealDisk().exists(stopped) && !RealDisk().exists(stopped + ".partial"))
    }
}

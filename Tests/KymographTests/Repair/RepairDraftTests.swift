// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 repair, backup and restore: stores behind links, and logs with a copy")
struct RepairDraftTests {
    private static func link(_ path: String, to place: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: place)
    }

    @Test("A link to a store is repaired like the store, and no target may lie inside it, by any path")
    func links() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.append((0..<50).map { Sample(start: Int64($0), value: 1) }, to: id)
        test.store.close()
        let link = test.directory.file("link")
        let inner = test.directory.file("inner")
        try Self.link(link, to: test.path)
        try Self.link(inner, to: test.path + "/segments")
        let before = try RealDisk().list(test.path)
        for place in [link, link + "/new", link + "/", test.path + "/new", inner + "/new", link + "/segments/../new"] {
            for store in [link, test.path, link + "/"] {
                let error = #expect(throws: StoreError.self, "\(store) to \(place)") {
                    try TimeSeriesStore.repair(from: store, to: place)
                }
                #expect(error?.kind == .invalidArgument, "\(store) to \(place): \(String(describing: error))")
            }
        }
        #expect(try RealDisk().list(test.path) == before)
        let target = test.directory.file("repaired")
        let report = try TimeSeriesStore.repair(from: link, to: target)
        #expect(report.isComplete && report.samples == 50)
        let store = try TimeSeriesStore.open(at: target, mode: .readOnly)
        defer { store.close() }
        #expect(try store.snapshot().all(id).count == 50)
        try Self.link(test.directory.file("dangling"), to: "nowhere")
        let none = #expect(throws: StoreError.self) {
            try TimeSeriesStore.repair(from: test.directory.file("dangling"), to: test.directory.file("other"))
        }
        #expect(none?.kind == .notAStore)
    }

    @Test("The remains of a repair are not cleared through a link, and other files beside the remains stay")
    func remains() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.append((0..<50).map { Sample(start: Int64($0), value: 1) }, to: id)
        try test.store.compact()
        test.store.close()
        let disk = RealDisk()
        let segments = test.path + "/segments"
        let before = try disk.list(segments)
        #expect(!before.isEmpty)
        let target = test.directory.file("target")
        try disk.createDirectory(target)
        let others = ["kymograph.sqlite.new.bak", "notes"].map { target + "/" + $0 }
        for path in [target + "/REPAIR", target + "/kymograph.sqlite.new-wal"] + others {
            try disk.createFile(path, [])
        }
        try Self.link(target + "/segments", to: segments)
        let error = #expect(throws: StoreError.self) { try TimeSeriesStore.repair(from: test.path, to: target) }
        #expect(error?.kind == .alreadyExists)
        #expect(try disk.list(segments) == before)
        try disk.remove(target + "/segments")
        let report = try TimeSeriesStore.repair(from: test.path, to: target)
        #expect(report.isComplete && report.samples == 50)
        #expect(try others.allSatisfy { try disk.exists($0) })
        #expect(try !disk.exists(target + "/REPAIR") && !disk.exists(target + "/kymograph.sqlite.new-wal"))
    }

    @Test("A claim that is withdrawn removes the mark that it created, and no other file")
    func withdrawal() throws {
        let disk = MemoryDisk()
        for isFresh in [true, false] {
            let root = isFresh ? "/new" : "/old"
            try disk.createDirectory(root)
            if !isFresh { try disk.createFile(root + "/REPAIR", []) }
            var draft = DraftDirectory(.repair, root, disk)
            try draft.claim()
            try disk.createFile(root + "/LOCK", [])
            draft.withdraw()
            #expect(try disk.list(root) == (isFresh ? ["LOCK"] : ["LOCK", "REPAIR"]))
        }
    }

    @Test("No backup is made inside its store, and no store inside its backup, by any path")
    func copies() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.append((0..<50).map { Sample(start: Int64($0), value: 1) }, to: id)
        let link = test.directory.file("link")
        try Self.link(link, to: test.path)
        let before = try RealDisk().list(test.path)
        for place in [test.path, test.path + "/new", link, link + "/new", link + "/segments/../new"] {
            let error = #expect(throws: StoreError.self, "\(place)") { try test.store.backup(to: place) }
            #expect(error?.kind == .invalidArgument, "\(place): \(String(describing: error))")
        }
        #expect(try RealDisk().list(test.path) == before)
        let backup = test.directory.file("backup")
        let other = test.directory.file("other")
        try test.store.backup(to: backup)
        try Self.link(other, to: backup)
        let made = try RealDisk().list(backup)
        for place in [backup, backup + "/new", other, other + "/new"] {
            for source in [backup, other] {
                let error = #expect(throws: StoreError.self, "\(source) to \(place)") {
                    try TimeSeriesStore.restore(from: source, to: place)
                }
                #expect(error?.kind == .invalidArgument, "\(source) to \(place): \(String(describing: error))")
            }
        }
        #expect(try RealDisk().list(backup) == made)
        try TimeSeriesStore.restore(from: other, to: test.directory.file("restored"))
        #expect(try TimeSeriesStore.verify(at: test.directory.file("restored")).isSound)
    }

    /// Returns a copy of the log in the format of `Docs/Format/Store.md`.
    private static func copy(of log: [UInt8]) -> [UInt8] {
        var sum: UInt32 = .max
        for byte in log {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0x82F6_3B78 : 0) }
        }
        let size = (0..<8).map { UInt8(truncatingIfNeeded: log.count >> (8 * $0)) }
        return Array("KymoCopy".utf8) + size + (0..<4).map { UInt8(truncatingIfNeeded: ~sum >> (8 * UInt32($0))) } + log
    }

    @Test("With a copy of the log, repair reports a possible loss, and opening for writing recovers it")
    func besideCopy() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        for i in 0..<40 { try test.store.append([Sample(start: Int64(i), value: 1)], to: id) }
        let torn = test.directory.file("torn")
        try FileManager.default.copyItem(atPath: test.path, toPath: torn)
        test.store.close()
        let log = torn + "/kymograph.sqlite-wal"
        let bytes = try RealDisk().contents(of: log, limit: 1 << 26)
        let end = LogFrames.trimmed(bytes).count
        #expect(end > 100_000)
        try? RealDisk().remove(torn + "/kymograph.sqlite" + TestKey.indexSuffix)
        try RealDisk().remove(log)
        try RealDisk().createFile(log, Array(bytes.prefix(end / 2)))
        try RealDisk().createFile(log + "-copy", Self.copy(of: bytes))
        let report = try TimeSeriesStore.repair(from: torn, to: test.directory.file("repaired"))
        let words = report.losses.filter { $0.path == log }.map(\.message)
        #expect(words.contains { $0.contains("interrupted writer left a copy of the log") }, "\(report.losses)")
        #expect(try RealDisk().contents(of: log + "-copy", limit: 1 << 26) == Self.copy(of: bytes))
        // An incomplete copy, or one without additional frames, would recover nothing.
        let whole = bytes.prefix(end / 2)
        for (place, harmless) in [Self.copy(of: Array(whole)), Array(Self.copy(of: bytes).dropLast())].enumerated() {
            let other = test.directory.file("torn-\(place)")
            try FileManager.default.copyItem(atPath: torn, toPath: other)
            try RealDisk().remove(other + "/kymograph.sqlite-wal-copy")
            try RealDisk().createFile(other + "/kymograph.sqlite-wal-copy", harmless)
            let report = try TimeSeriesStore.repair(from: other, to: test.directory.file("repaired-\(place)"))
            #expect(!report.losses.contains { $0.path.hasSuffix("-wal") }, "\(place): \(report.losses)")
        }
        let repaired = try TimeSeriesStore.open(at: test.directory.file("repaired"))
        defer { repaired.close() }
        #expect(try repaired.verify().problems.isEmpty && repaired.snapshot().count(of: id) < 40)
        let mended = try TimeSeriesStore.open(at: torn)
        defer { mended.close() }
        #expect(mended.snapshot().count(of: id) == 40)
    }
}

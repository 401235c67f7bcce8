// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 backups and restorations next to existing drafts and other files")
struct BackupDraftTests {
    private let test: TestStore
    private let id: SeriesID
    private let backup: String
    private let disk = RealDisk()

    init() throws {
        test = try TestStore()
        id = try test.store.series("pulse", kind: .discrete).id
        let samples = (0..<3_000).map { Sample(start: Int64($0 * 5) * second, value: Double($0 % 97)) }
        try test.store.load(samples, to: id)
        try test.store.append([Sample(start: 100_000 * second, value: 1)], to: id)
        backup = test.directory.file("backup")
        try test.store.backup(to: backup)
    }

    private func file(_ name: String) -> String { test.directory.file(name) }

    private func copy(_ from: String, _ to: String) throws {
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }

    private func link(_ path: String, to place: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: place)
    }

    /// Returns every file below a directory, and every empty directory.
    private func tree(_ path: String) throws -> [String: [UInt8]] {
        guard try disk.kind(of: path) == .directory else {
            return [path: try disk.kind(of: path) == .file ? disk.contents(of: path, limit: 1 << 26) : []]
        }
        var found: [String: [UInt8]] = [path: []]
        for name in try disk.list(path) { found.merge(try tree(path + "/" + name)) { $1 } }
        return found
    }

    private func expect(_ kind: StoreError.Kind, _ what: String, _ body: () throws -> Void) {
        let error = #expect(throws: StoreError.self, "\(what)") { try body() }
        #expect(error?.kind == kind, "\(what): \(String(describing: error))")
    }

    private func expectWhole(_ path: String, _ note: String = "") throws {
        let store = try TimeSeriesStore.open(at: path)
        defer { store.close() }
        #expect(store.snapshot().count(of: id) == 3_001, "\(note)")
        #expect(try store.verify().problems.isEmpty, "\(note)")
        #expect(try !disk.exists(path + "/RESTORE") && !disk.exists(path + "/kymograph.sqlite.new"), "\(note)")
    }

    // MARK: Restorations

    @Test("A backup is not restored over itself, not even an unnamed one reached by another path")
    func ownDraft() throws {
        let (place, only) = (file("health"), file("health.partial"))
        try disk.rename(backup, to: only)
        try link(file("link"), to: only)
        try link(file("room"), to: test.directory.path)
        let before = try tree(only)
        for source in [
            only, only + "/", file("link"), file("room") + "/health.partial", test.directory.path + "/./link",
        ] {
            for target in [place, place + "/", file("room") + "/health"] {
                expect(.invalidArgument, "\(source) to \(target)") {
                    try TimeSeriesStore.restore(from: source, to: target)
                }
            }
        }
        #expect(try tree(only) == before)
        try TimeSeriesStore.restore(from: only, to: file("elsewhere"))
        try expectWhole(file("elsewhere"))
        // The path of the draft is a link to the backup.
        try link(file("other.partial"), to: only)
        expect(.invalidArgument, "link") { try TimeSeriesStore.restore(from: only, to: file("other")) }
        #expect(try tree(only) == before)
    }

    /// Objects that no restoration leaves, by description.
    private func things(_ path: String) -> [String: () throws -> Void] {
        let segment = "/segments/00000000-0000-4000-8000-000000000000.kseg"
        func files(_ names: [String]) throws {
            try disk.createDirectory(path)
            for name in names {
                if name.hasPrefix("/segments/") { try disk.createDirectory(path + "/segments") }
                try disk.createFile(path + name, [1, 2, 3])
            }
        }
        return [
            "a store": { try copy(test.path, path) },
            "a store with a mark": {
                try copy(test.path, path)
                try disk.createFile(path + "/RESTORE", [])
            },
            "a backup": { try copy(backup, path) },
            "files of an older version": { try files(["/LOCK", "/kymograph.sqlite", segment]) },
            "the same without a catalog": { try files(["/LOCK", segment]) },
            "an additional file": { try files(["/RESTORE", "/LOCK", "/note.txt"]) },
            "an additional file beside segments": { try files(["/RESTORE", "/segments/note.txt"]) },
            "segments elsewhere": {
                try files(["/RESTORE"])
                try link(path + "/segments", to: test.path + "/segments")
            },
            "a file": { try disk.createFile(path, [1]) },
            "a link": { try link(path, to: test.path) },
            "a link to nothing": { try link(path, to: "nowhere") },
        ]
    }

    @Test("Files that no restoration left are refused and unchanged, in particular a store with commits")
    func strangers() throws {
        test.store.close()
        let place = file("health")
        let path = place + ".partial"
        for (what, make) in things(path).sorted(by: { $0.key < $1.key }) {
            try make()
            let before = try [tree(path), tree(test.path), tree(backup)]
            expect(.alreadyExists, what) { try TimeSeriesStore.restore(from: backup, to: place) }
            #expect(try [tree(path), tree(test.path), tree(backup)] == before, "\(what)")
            #expect(try !disk.exists(place), "\(what)")
            try FileManager.default.removeItem(atPath: path)
        }
        try TimeSeriesStore.restore(from: backup, to: place)
        try expectWhole(place)
    }

    /// Creates the files of a killed restoration, as a draft or at its final place.
    private func leave(_ path: String) throws {
        try disk.createDirectory(path)
        try disk.createDirectory(path + "/segments")
        for name in ["RESTORE", "LOCK", "kymograph.sqlite.new", "kymograph.sqlite.new-wal", "segments/0-0.kseg"] {
            try disk.createFile(path + "/" + name, name == "RESTORE" ? [] : [1, 2])
        }
    }

    @Test("The files of a killed restoration are not a store; the next one replaces them unless one is running")
    func leftovers() throws {
        for (number, places) in [["health.partial"], ["health"], ["health", "health.partial"]].enumerated() {
            let place = file("health")
            for left in places.map(file) {
                try leave(left)
                for (what, refused) in [
                    ("open", { try TimeSeriesStore.open(at: left).close() }),
                    ("read", { try TimeSeriesStore.open(at: left, mode: .readOnly).close() }),
                    ("create", { try TimeSeriesStore.openOrCreate(at: left).close() }),
                    ("verify", { _ = try TimeSeriesStore.verify(at: left) }),
                    ("repair", { _ = try TimeSeriesStore.repair(from: left, to: file("repaired")) }),
                ] as [(String, () throws -> Void)] {
                    expect(.notAStore, "\(what) \(left)", refused)
                }
                let before = try tree(left)
                let running = try #require(try disk.lock(left + "/RESTORE", exclusive: true, byte: 0))
                expect(.locked, "\(left)") { try TimeSeriesStore.restore(from: backup, to: place) }
                #expect(try tree(left) == before)
                running.release()
            }
            try TimeSeriesStore.restore(from: backup, to: place)
            #expect(try !disk.exists(place + ".partial"))
            try expectWhole(place, "\(number)")
            try FileManager.default.removeItem(atPath: place)
        }
    }

    @Test("A second restoration to the same place is refused while one is running, and both stay correct")
    func together() throws {
        let place = file("health")
        let tries = Mutex(0)
        try TimeSeriesStore.restore(from: backup, to: place) { _ in
            tries.withLock { $0 += 1 }
            expect(.locked, "second") { try TimeSeriesStore.restore(from: backup, to: place + "/") }
            return true
        }
        #expect(tries.withLock { $0 } > 0)
        try expectWhole(place)
        for round in 0..<10 {
            let place = file("raced-\(round)")
            let source = backup
            let ends = onThreads(4) { _ in (try? TimeSeriesStore.restore(from: source, to: place)) != nil }
            #expect(ends.count { $0 } == 1, "round \(round)")
            #expect(try !disk.exists(place + ".partial"), "round \(round)")
            try expectWhole(place, "round \(round)")
        }
    }

    // MARK: Backups

    @Test("A complete backup without its name is continued by the next one; another store's is refused")
    func unnamed() throws {
        let beside = backup + ".partial"
        try disk.rename(backup, to: beside)
        let stranger = try TestStore()
        let before = try tree(beside)
        for place in [backup, backup + "/"] {
            expect(.alreadyExists, place) { try stranger.store.backup(to: place) }
        }
        let manifest = try disk.contents(of: beside + "/MANIFEST", limit: 1 << 20)
        #expect(try tree(beside) == before && !disk.exists(backup))
        try disk.remove(beside + "/MANIFEST")
        try disk.createFile(beside + "/MANIFEST", Array(manifest.dropLast()))
        expect(.corrupt, "damaged") { try test.store.backup(to: backup) }
        try disk.remove(beside + "/MANIFEST")
        try disk.createFile(beside + "/MANIFEST", manifest)
        #expect(try tree(beside) == before && !disk.exists(backup))
        let checking = try #require(try disk.lock(beside + "/BACKUP", exclusive: false, byte: 0))
        expect(.locked, "while a check holds it") { try test.store.backup(to: backup) }
        checking.release()
        // A cancelled backup moves it to its name.
        let more = (0..<3_000).map { Sample(start: Int64(200_000 + $0) * second, value: 2) }
        try test.store.load(more, to: id)
        expect(.cancelled, "stopped") { try test.store.backup(to: backup) { _ in false } }
        #expect(try !disk.exists(beside) && TimeSeriesStore.verifyBackup(at: backup).samples == 3_001)
        let report = try test.store.backup(to: backup)
        #expect(report.segments == 2 && report.segmentsCopied == 1)
        #expect(try TimeSeriesStore.verifyBackup(at: backup).samples == 6_001)
    }

    // MARK: Names

    @Test("Trailing slashes of a name have no effect on the place of a backup or restoration")
    func slashes() throws {
        for (number, end) in ["/", "//", "///"].enumerated() {
            for isThere in [false, true] {
                let (kept, made) = (file("kept-\(number) \(isThere)"), file("made-\(number) \(isThere)"))
                if isThere { for path in [kept, made] { try disk.createDirectory(path) } }
                try test.store.backup(to: kept + end)
                #expect(try test.store.backup(to: kept + end).segmentsCopied == 0)
                #expect(try TimeSeriesStore.verifyBackup(at: kept).isSound)
                try TimeSeriesStore.restore(from: kept + end, to: made + end)
                try expectWhole(made, made + end)
                for path in [kept, made] {
                    let names = try disk.list(path)
                    #expect(!names.contains { $0.hasPrefix(".") }, "\(names)")
                    #expect(try !disk.exists(path + ".partial"))
                }
            }
        }
        let plain = ["a/", "a//", "/a/b/", "/", "//", "", "a"].map(StoreLayout.plain)
        #expect(plain == ["a", "a", "/a/b", "/", "/", "", "a"])
    }

    // MARK: Lists

    @Test("A list whose file lengths overflow together is damage for every reader")
    func sums() throws {
        let path = backup + "/MANIFEST"
        let sound = try #require(try BackupManifest.read(backup, disk))
        let lengths: [[UInt64]] = [[.max, .max], [1 << 63, 1 << 63], [.max, 1], [1 << 63, 0]]
        for bytes in lengths {
            var manifest = sound
            for (i, count) in bytes.enumerated() { manifest.files[i].bytes = count }
            try disk.remove(path)
            try disk.createFile(path, manifest.encoded())
            expect(.corrupt, "\(bytes)") { try TimeSeriesStore.restore(from: backup, to: file("health")) }
            expect(.corrupt, "\(bytes)") { try test.store.backup(to: backup) }
            let report = try TimeSeriesStore.verifyBackup(at: backup)
            #expect(report.problems.contains { $0.path == path }, "\(bytes)")
            #expect(manifest.bytes >= 1 << 63)
        }
        #expect(try !disk.exists(file("health")) && !disk.exists(file("health.partial")))
    }
}

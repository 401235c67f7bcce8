// SPDX-License-Identifier: Apache-2.0

import Campaigns
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 verification of a backup in place")
struct BackupVerifyTests {
    private let test: TestStore
    private let backup: String
    private let samples = 6_500

    /// Creates a backup of two segments and a tail.
    init() throws {
        test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        for piece in 0..<2 {
            try test.store.load(
                (0..<3_000).map { Sample(start: Int64(piece * 100_000 + $0 * 5) * second, value: Double($0)) }, to: id)
        }
        try test.store.append((0..<500).map { Sample(start: Int64(200_000 + $0) * second, value: 1) }, to: id)
        backup = test.directory.file("backup")
        try test.store.backup(to: backup)
    }

    /// Returns every file of the backup, by its path.
    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for folder in ["", "segments/"] {
            for name in try RealDisk().list(backup + "/" + folder) where name != "segments" {
                files[backup + "/" + folder + name] = try Data(
                    contentsOf: URL(fileURLWithPath: backup + "/" + folder + name))
            }
        }
        return files
    }

    private func with(_ path: String, _ bytes: Data?, _ body: (VerifyReport) throws -> Void) throws {
        let url = URL(fileURLWithPath: path)
        let sound = try Data(contentsOf: url)
        if let bytes { try bytes.write(to: url) } else { try FileManager.default.removeItem(at: url) }
        try body(TimeSeriesStore.verifyBackup(at: backup))
        try sound.write(to: url)
    }

    @Test("An intact backup is read completely, and its files are unchanged")
    func sound() throws {
        let before = try files()
        for report in [
            try TimeSeriesStore.verifyBackup(at: backup), try TimeSeriesStore.verify(at: backup),
        ] {
            #expect(report.isSound && report.isBackup && report.remarks.isEmpty, "\(report.problems)")
            #expect(report.samples == samples && report.segments == 2 && report.blocks > 2)
        }
        #expect(try files() == before)
        try Data().write(to: URL(fileURLWithPath: backup + "/segments/left.kseg.new"))
        let report = try TimeSeriesStore.verifyBackup(at: backup)
        #expect(report.isSound && report.remarks.count == 1 && report.remarks[0].contains("left.kseg.new"))
    }

    @Test("Files left by a later, interrupted backup are remarks: the earlier backup is complete and can be restored")
    func cutOff() throws {
        try test.store.load(
            (0..<2_000).map { Sample(start: Int64(300_000 + $0) * second, value: 3) }, to: SeriesID(rawValue: 1))
        let known = Set(try RealDisk().list(backup + "/segments"))
        let later = try #require(try RealDisk().list(test.path + "/segments").first { !known.contains($0) })
        let bytes = try Data(contentsOf: URL(fileURLWithPath: test.path + "/segments/" + later))
        let left = [later, later + ".new", "00000000-0000-4000-8000-000000000000.kseg.new"]
        for name in left { try bytes.write(to: URL(fileURLWithPath: backup + "/segments/" + name)) }
        for name in ["catalog.new", "catalog.new-wal", "MANIFEST.new"] {
            try Data([1]).write(to: URL(fileURLWithPath: backup + "/" + name))
        }
        for report in [try TimeSeriesStore.verifyBackup(at: backup), try TimeSeriesStore.verify(at: backup)] {
            #expect(report.isSound && report.samples == samples, "\(report.problems)")
            #expect(
                report.remarks.count == 6 && left.allSatisfy { name in report.remarks.contains { $0.contains(name) } })
        }
        let restored = test.directory.file("restored")
        try TimeSeriesStore.restore(from: backup, to: restored)
        let store = try TimeSeriesStore.open(at: restored)
        defer { store.close() }
        #expect(store.snapshot().count(of: SeriesID(rawValue: 1)) == samples)
    }

    @Test("A file that cannot be opened for lack of descriptors is not damage")
    func refusals() throws {
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        try simulated.perform(.load([("pulse", (0..<300).map { Sample(start: Int64($0) * second, value: 1) })]))
        try simulated.perform(.backup)
        let place = SimulatedStore.path + "-backup"
        #expect(try TimeSeriesStore.verifyBackup(at: place, options: simulated.options).isSound)
        for kind in [DiskCallKind.open, .map] {
            disk.inject(DiskFault([kind], pathSuffix: ".kseg", forever: true, errno: DiskError.tooManyFiles))
            let report = try TimeSeriesStore.verifyBackup(at: place, options: simulated.options)
            #expect(report.problems.isEmpty && !report.unread.isEmpty && !report.isSound, "\(report)")
            #expect(report.unread.allSatisfy { $0.message.contains("ulimit -n") || $0.message.contains("open files") })
            disk.clearFaults()
        }
    }

    @Test("A flipped bit anywhere in any file is found, and the file is named")
    func flips() throws {
        var random = TestRandom(seed: 29)
        for (path, sound) in try files() where !sound.isEmpty {
            for _ in 0..<60 {
                var bytes = sound
                let at = random.below(bytes.count)
                bytes[at] ^= 1 << UInt8(random.below(8))
                do {
                    try with(path, bytes) { report in
                        #expect(report.problems.contains { $0.path == path }, "\(path) at \(at)")
                        #expect(report.problems.allSatisfy { $0.path == path }, "\(path) at \(at): \(report.problems)")
                    }
                } catch let error as StoreError {
                    try sound.write(to: URL(fileURLWithPath: path))
                    #expect(error.kind == .newerFormat, "\(path) at \(at): \(error)")
                }
            }
        }
    }

    @Test("Truncated, extended, swapped and missing files are found, and the other files are still read")
    func wholeFiles() throws {
        let files: [String: Data] = try files()
        let segments = files.keys.filter { $0.hasSuffix(".kseg") }.sorted()
        let catalog = try #require(files.keys.first { $0.hasSuffix(".sqlite") })
        for path in segments + [catalog] {
            let sound = try #require(files[path])
            for bytes in [sound.dropLast(1), sound + [0], Data(), nil] {
                try with(path, bytes.map { Data($0) }) { report in
                    #expect(report.problems.contains { $0.path == path }, "\(path): \(bytes?.count ?? -1)")
                    #expect(report.samples >= 3_000, "\(path): \(bytes?.count ?? -1)")
                }
            }
        }
        try with(segments[0], files[segments[1]]) { report in
            #expect(!report.isSound && report.problems.allSatisfy { $0.path == segments[0] })
            #expect(report.samples >= 3_500)
        }
        // Another valid catalog of the same store.
        try test.store.append([Sample(start: 0, value: 0)], to: SeriesID(rawValue: 1))
        let other = test.directory.file("other")
        try test.store.backup(to: other)
        let later = try #require(try RealDisk().list(other).first { $0.hasSuffix(".sqlite") })
        try with(catalog, Data(contentsOf: URL(fileURLWithPath: other + "/" + later))) { report in
            #expect(report.problems.contains { $0.message.contains("does not match") }, "\(report.problems)")
        }
    }

    @Test("Every function for stores refuses a backup, names `kymo restore`, and changes nothing")
    func refused() throws {
        let before = try files()
        func expect(_ what: String, _ body: () throws -> Void) {
            let error = #expect(throws: StoreError.self, "\(what)") { try body() }
            #expect(error?.kind == .isBackup && error?.message.contains("kymo restore") == true, "\(what)")
        }
        for mode in [OpenMode.readWrite, .readOnly, .shared] {
            expect("\(mode)") { try TimeSeriesStore.open(at: backup, mode: mode).close() }
            expect("\(mode)") { try TimeSeriesStore.openOrCreate(at: backup, mode: mode).close() }
        }
        expect("repair") { _ = try TimeSeriesStore.repair(from: backup, to: test.directory.file("new")) }
        #expect(try files() == before)
        let none = #expect(throws: StoreError.self) { try TimeSeriesStore.verifyBackup(at: test.path) }
        #expect(none?.kind == .notAStore)
    }

    @Test("A backup that was never completed is reported as such; a running backup locks its directory")
    func incomplete() throws {
        let manifest = URL(fileURLWithPath: backup + "/MANIFEST")
        let sound = try Data(contentsOf: manifest)
        try FileManager.default.removeItem(at: manifest)
        for path in [backup, backup + "/"] {
            let error = #expect(throws: StoreError.self) { try TimeSeriesStore.verify(at: path) }
            #expect(error?.kind == .isBackup && error?.message.contains("never completed") == true)
        }
        try sound.write(to: manifest)
        let lock = try RealDisk().lock(backup + "/BACKUP", exclusive: true, byte: 0)
        let error = #expect(throws: StoreError.self) { try TimeSeriesStore.verifyBackup(at: backup) }
        #expect(error?.kind == .locked)
        lock?.release()
        #expect(try TimeSeriesStore.verifyBackup(at: backup).isSound)
        // The check has released its lock.
        try test.store.backup(to: backup)
    }
}

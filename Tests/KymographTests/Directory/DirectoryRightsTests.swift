// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-1 a store's directory is accessible to its owner only")
struct DirectoryRightsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func wide(_ name: String, _ mode: Int = 0o777) throws -> String {
        let path = directory.file(name)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try setMode(path, mode)
        return path
    }

    private func setMode(_ path: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("An empty directory becomes private when a store is created in it", arguments: [0o777, 0o755, 0o770, 0o700])
    func create(_ mode: Int) throws {
        let path = try wide("store", mode)
        let store = try TimeSeriesStore.create(at: path)
        _ = try store.append(to: store.series("a", kind: .discrete).id, [Sample(start: 0, value: 1)])
        #expect(try self.mode(path) == 0o700)
        #expect(try store.verify().remarks.isEmpty)
        store.close()
    }

    @Test("Directories of backups, restorations and repairs become private")
    func copies() throws {
        let store = try TimeSeriesStore.create(at: directory.file("store"))
        _ = try store.append(to: store.series("a", kind: .discrete).id, [Sample(start: 0, value: 1)])
        let (backup, repaired) = (try wide("backup"), try wide("repaired"))
        let (restored, draft) = (try wide("restored"), try wide("restored.partial"))
        _ = try store.backup(to: backup)
        store.close()
        #expect(try mode(backup) == 0o700)
        _ = try TimeSeriesStore.restore(from: backup, to: restored)
        #expect(try mode(restored) == 0o700 && !FileManager.default.fileExists(atPath: draft))
        _ = try TimeSeriesStore.repair(from: directory.file("store"), to: repaired)
        #expect(try mode(repaired) == 0o700)
        // A backup that its owner has opened to others stays so.
        try setMode(backup, 0o750)
        let again = try TimeSeriesStore.open(at: directory.file("store"))
        _ = try again.backup(to: backup)
        again.close()
        #expect(try mode(backup) == 0o750)
    }

    @Test("A directory with files is refused unchanged, and verify remarks on a store with open permissions")
    func others() throws {
        let path = try wide("home")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/file"))
        #expect(throws: StoreError.self) { try TimeSeriesStore.create(at: path) }
        #expect(try mode(path) == 0o777)
        let store = try TimeSeriesStore.create(at: directory.file("store"))
        try setMode(directory.file("store"), 0o777)
        let report = try store.verify()
        #expect(report.isSound && report.remarks.contains { $0.contains("other users may replace files") })
        store.close()
    }

    @Test(
        "verify of a store or backup remarks on users who may write, even without a catalog",
        arguments: [
            (0o777, ["other users", "directory's group"]), (0o770, ["directory's group"]), (0o702, ["other users"]),
            (0o755, []),
        ])
    func remarks(_ mode: Int, _ wanted: [String]) throws {
        let (path, backup) = (directory.file("store"), directory.file("backup"))
        let store = try TimeSeriesStore.create(at: path)
        _ = try store.append(to: store.series("a", kind: .discrete).id, [Sample(start: 0, value: 1)])
        _ = try store.backup(to: backup)
        store.close()
        try setMode(path, mode)
        try setMode(backup, mode)
        func expectRemarks(_ report: VerifyReport, _ place: String) {
            #expect(report.remarks.count == wanted.count, "\(report.remarks)")
            for (remark, who) in zip(report.remarks, wanted) {
                #expect(remark.hasPrefix(place + ": ") && remark.contains(who), "\(remark)")
            }
        }
        for (report, place) in [
            (try TimeSeriesStore.verify(at: path), path), (try TimeSeriesStore.verifyBackup(at: backup), backup),
        ] {
            #expect(report.isSound)
            expectRemarks(report, place)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: backup)
        let catalog = try #require(files.first { $0.hasSuffix(".sqlite") })
        try FileManager.default.removeItem(atPath: backup + "/" + catalog)
        let report = try TimeSeriesStore.verifyBackup(at: backup)
        #expect(!report.problems.isEmpty)
        expectRemarks(report, backup)
    }

    @Test("Files beside a group-writable catalog are group-writable for any umask")
    func group() async {
        await #expect(processExitsWith: .success) { try SharedWithGroup.open() }
    }
}

/// Runs in its own process, which has another umask.
private enum SharedWithGroup {
    static func open() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        test.store.close()
        let catalog = test.path + "/kymograph.sqlite"
        try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: catalog)
        _ = umask(0o022)
        for mode in [OpenMode.readWrite, .readOnly] {
            let store = try TimeSeriesStore.open(at: test.path, mode: mode)
            if mode == .readWrite { try store.append(to: id, [Sample(start: 0, value: 1)]) }
            for suffix in [TestKey.indexSuffix, "-wal"] {
                let found = try FileManager.default.attributesOfItem(atPath: catalog + suffix)[.posixPermissions]
                #expect(found as? Int == 0o660, "\(mode) \(suffix)")
            }
            store.close()
        }
    }
}

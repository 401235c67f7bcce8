// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 E-13 backups without the keys of an encrypted store")
struct KeylessBackupTests {
    private let test: EncryptedScratch
    private let samples: [Sample]
    private var backup: String { test.directory.file("backup") }
    private var exported: String { test.directory.file("exported") }
    private var restored: String { test.directory.file("restored") }

    init() throws {
        test = try EncryptedScratch()
        samples = try test.fill()
        try TimeSeriesStore.exportKeys(of: test.path, to: exported, options: test.plainOptions())
    }

    private func make(includesKeys: Bool = false) throws -> BackupReport {
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        defer { store.close() }
        return try store.backup(to: backup, includesKeys: includesKeys)
    }

    private func names() throws -> [String] { try RealDisk().list(backup) }

    private func restore(_ keys: String?, _ options: StoreOptions? = nil) throws {
        try TimeSeriesStore.restore(from: backup, to: restored, keys: keys, options: options ?? test.options())
    }

    private func kind(_ body: () throws -> Void) -> StoreError.Kind? {
        #expect(throws: StoreError.self) { try body() }?.kind
    }

    @Test("The backup has no file of keys, and is restored with the exported keys and a secret")
    func restoring() throws {
        _ = try make()
        #expect(try names().allSatisfy { !$0.hasPrefix("KEYS") })
        try EncryptedScratch.expectNoCanary(backup)
        #expect(kind { try restore(nil) } == .needsKey)
        #expect(kind { try restore(exported, test.plainOptions()) } == .needsKey)
        #expect(kind { try restore(exported, try test.options(EncryptedScratch.secret(9))) } == .wrongKey)
        #expect(!FileManager.default.fileExists(atPath: restored))
        try restore(exported)
        let copy = try TimeSeriesStore.open(at: restored, options: test.options())
        defer { copy.close() }
        #expect(try copy.snapshot().all(#require(copy.snapshot().series.first).id) == samples)
        #expect(try copy.verify().isSound)
    }

    @Test("The backup is verified with the exported keys, and without any key")
    func verifying() throws {
        _ = try make()
        let options = test.options()
        #expect(try TimeSeriesStore.verifyBackup(at: backup, keys: exported, options: options).isSound)
        #expect(kind { _ = try TimeSeriesStore.verifyBackup(at: backup, options: options) } == .needsKey)
        let found = try TimeSeriesStore.verifyWithoutKey(at: backup, options: test.plainOptions())
        #expect(found.isSound && found.isBackup)
        let segment = try #require(try RealDisk().list(backup + "/segments").first)
        let file = try #require(FileHandle(forWritingAtPath: backup + "/segments/" + segment))
        try file.seek(toOffset: 200)
        try file.write(contentsOf: Data([1, 2, 3, 4, 5, 6, 7, 8]))
        try file.close()
        #expect(try !TimeSeriesStore.verifyBackup(at: backup, keys: exported, options: options).isSound)
        #expect(try !TimeSeriesStore.verifyWithoutKey(at: backup, options: test.plainOptions()).isSound)
    }

    @Test("An update keeps the backup as it is, adds the keys, or removes them")
    func updating() throws {
        _ = try make()
        #expect(try make().bytesCopied == 0)
        let withKeys = try make(includesKeys: true)
        #expect(withKeys.segmentsCopied == 0)
        #expect(try names().count { $0.hasPrefix("KEYS") } == 2)
        #expect(try TimeSeriesStore.verifyBackup(at: backup, options: test.options()).isSound)
        #expect(kind { try restore(exported) } == .invalidArgument)
        #expect(try make().segmentsCopied == 0)
        #expect(try names().allSatisfy { !$0.hasPrefix("KEYS") })
        try restore(exported)
    }

    @Test("A plain store has no keys to leave out, and its backup takes none")
    func plain() throws {
        let plain = try TimeSeriesStore.create(at: test.directory.file("plain"), options: test.plainOptions())
        defer { plain.close() }
        #expect(kind { try plain.backup(to: backup, includesKeys: false) } == .notEncrypted)
        #expect(!FileManager.default.fileExists(atPath: backup))
        try plain.backup(to: backup)
        #expect(kind { try restore(exported, test.plainOptions()) } == .notEncrypted)
    }

    @Test("Keys of another store, of an earlier encryption, or without a generation are refused; damaged keys, too")
    func otherKeys() throws {
        let other = try EncryptedScratch()
        _ = try other.fill(10)
        let foreign = test.directory.file("foreign")
        try TimeSeriesStore.exportKeys(of: other.path, to: foreign, options: other.plainOptions())
        _ = try make()
        #expect(kind { try restore(foreign) } == .invalidArgument)
        #expect(kind { try restore(test.directory.file("absent")) } == .corrupt)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: exported))
        bytes[bytes.count / 2] ^= 1
        let damaged = test.directory.file("damaged")
        try bytes.write(to: URL(fileURLWithPath: damaged))
        #expect(kind { try restore(damaged) } == .corrupt)

        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        try store.keys?.rotate()
        try store.append(to: #require(store.snapshot().series.first).id, [Sample(start: 1 << 60, value: 1)])
        try store.seal()
        store.close()
        _ = try make()
        let error = #expect(throws: StoreError.self) { try restore(exported) }
        #expect(error?.kind == .needsKey, "\(error as Any)")
        #expect(!FileManager.default.fileExists(atPath: restored))

        try TimeSeriesStore.encrypt(
            at: test.path, keepingFormerAt: test.path + ".former", key: KeyOnce(test.secret), options: test.options())
        #expect(kind { _ = try make() } == .alreadyExists)
    }
}

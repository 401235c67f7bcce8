// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Cipher
@testable import Kymograph

/// A provider that calls a closure before its first answer.
private struct KeyAfter: KeyProvider {
    let secret: StoreSecret
    let action: @Sendable () throws -> Void

    func secret(for store: KeyRequest) throws -> StoreSecret? {
        if store.attempt == 1 { try action() }
        return store.attempt == 1 ? secret : nil
    }
}

@Suite("Keys and names that change while a store is opened or written (S-3)")
struct KeyRaceTests {
    private func kind(_ body: () throws -> Void) -> StoreError.Kind? {
        do { try body() } catch let error as StoreError { return error.kind } catch {}
        return nil
    }

    private func count(_ store: TimeSeriesStore) throws -> Int {
        try store.snapshot().count(of: #require(store.snapshot().series.first).id)
    }

    /// Makes a store, and its copy in the state in which a writer is killed after it has begun a new generation and
    /// committed with it.
    private func killedAfterRotation(_ test: EncryptedScratch, _ copy: String) throws {
        _ = try test.fill(10_000)
        let writer = try TimeSeriesStore.open(at: test.path, options: test.options())
        let series = try #require(writer.snapshot().series.first).id
        try writer.append(to: series, [Sample(start: 20_000 * second, value: 1)])
        try FileManager.default.copyItem(atPath: test.path, toPath: copy + ".before")
        try writer.keys?.rotate()
        try writer.append(to: series, [Sample(start: 20_001 * second, value: 2)])
        try FileManager.default.copyItem(atPath: test.path, toPath: copy)
        try? FileManager.default.removeItem(atPath: copy + "/kymograph.sqlite-index")
        writer.close()
    }

    @Test(
        "an opening that read the keys before another process added one finds that process's commits",
        arguments: [OpenMode.readOnly, .shared, .readWrite], [false, true])
    func rotationInOpening(mode: OpenMode, accepts: Bool) throws {
        let test = try EncryptedScratch()
        let copy = test.directory.file("copy")
        try killedAfterRotation(test, copy)
        let names = ["KEYS", "KEYS.2"]
        // The state of the keys when the opening begins.
        let after = try names.map { try Data(contentsOf: URL(fileURLWithPath: copy + "/" + $0)) }
        for name in names {
            try FileManager.default.removeItem(atPath: copy + "/" + name)
            try FileManager.default.copyItem(atPath: copy + ".before/" + name, toPath: copy + "/" + name)
        }
        var options = test.options()
        options.acceptsLostCommits = accepts
        options.key = KeyAfter(secret: test.secret) {
            for (name, bytes) in zip(names, after) { try bytes.write(to: URL(fileURLWithPath: copy + "/" + name)) }
        }
        let store = try TimeSeriesStore.open(at: copy, mode: mode, options: options)
        #expect(try count(store) == 10_012)
        #expect(try store.verify().isSound)
        store.close()
    }

    @Test("with older keys than its log, a store does not open, and repair loses no commit")
    func olderKeys() throws {
        let test = try EncryptedScratch()
        let copy = test.directory.file("copy")
        try killedAfterRotation(test, copy)
        let file = test.directory.file("current")
        try TimeSeriesStore.exportKeys(of: copy, to: file)
        for name in ["KEYS", "KEYS.2"] {
            try FileManager.default.removeItem(atPath: copy + "/" + name)
            try FileManager.default.copyItem(atPath: copy + ".before/" + name, toPath: copy + "/" + name)
        }
        let log = try Data(contentsOf: URL(fileURLWithPath: copy + "/kymograph.sqlite-wal"))
        var options = test.options()
        for accepts in [false, true] {
            options.acceptsLostCommits = accepts
            for mode in [OpenMode.readOnly, .shared, .readWrite] {
                #expect(kind { _ = try TimeSeriesStore.open(at: copy, mode: mode, options: options) } == .needsKey)
            }
        }
        let target = test.directory.file("repaired")
        #expect(kind { try TimeSeriesStore.repair(from: copy, to: target, options: options) } == .needsKey)
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy + "/kymograph.sqlite-wal")) == log)
        try TimeSeriesStore.restoreKeys(of: copy, from: file, options: options)
        let store = try TimeSeriesStore.open(at: copy, options: test.options())
        #expect(try count(store) == 10_012)
        store.close()
    }

    @Test("a store is encrypted in its place; a writer that waited gets an error, and stores nothing in either store")
    func replaced() throws {
        let test = try EncryptedScratch()
        let plain = try TimeSeriesStore.create(at: test.path, options: test.plainOptions())
        _ = try EncryptedScratch.fill(plain, 5_000)
        plain.close()
        let former = test.path + ".plaintext"
        let shared = try TimeSeriesStore.open(at: test.path, mode: .shared, options: test.plainOptions())
        let series = try #require(shared.snapshot().series.first).id
        let ended = DispatchSemaphore(value: 0)
        let outcome = Mutex<StoreError.Kind?>(nil)
        // Asked for the key of the copy, so while the lock is held.
        let key = KeyAfter(secret: test.secret) {
            Thread {
                let kind = kind { try shared.append(to: series, [Sample(start: 9_000 * second, value: 3)]) }
                outcome.withLock { $0 = kind }
                ended.signal()
            }.start()
        }
        try TimeSeriesStore.encrypt(
            at: test.path + "/", keepingFormerAt: former, key: key, options: test.plainOptions())
        ended.wait()
        #expect(outcome.withLock { $0 } != nil)
        #expect(kind { try shared.append(to: series, [Sample(start: 9_001 * second, value: 3)]) } != nil)
        shared.close()
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        #expect(try count(store) == 5_010)
        #expect(try store.verify().isSound)
        try store.append(to: series, [Sample(start: 9_002 * second, value: 3)])
        store.close()
        try EncryptedScratch.expectNoCanary(test.path)
        let old = try TimeSeriesStore.open(at: former, options: test.plainOptions())
        #expect(try count(old) == 5_010)
        #expect(try old.verify().isSound)
        old.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.directory.path).count == 2)
        #expect(
            kind {
                let inside = test.path + "/inside"
                try TimeSeriesStore.rotateKeys(at: test.path, keepingFormerAt: inside, options: test.options())
            } == .invalidArgument)
        for (path, other) in [(test.directory.file("none"), "\(former)2"), (test.path, test.path + "/inside")] {
            let options = test.options()
            #expect(
                kind {
                    try TimeSeriesStore.encrypt(
                        at: path, keepingFormerAt: other, key: KeyOnce(test.secret), options: options)
                } != nil)
            #expect(kind { try TimeSeriesStore.rotateKeys(at: path, keepingFormerAt: other, options: options) } != nil)
        }
        // The name is taken now.
        let before = try EncryptedScratch.files(test.path)
        #expect(
            kind {
                try TimeSeriesStore.encrypt(
                    at: test.path, keepingFormerAt: former, key: KeyOnce(test.secret), options: test.options())
            } == .alreadyExists)
        #expect(try EncryptedScratch.files(test.path) == before)
    }

    @Test("all data gets a new generation of keys; the slots stay, and the older generations are forgotten")
    func rotatedAtOnce() throws {
        let test = try EncryptedScratch()
        let samples = try test.fill(5_000)
        let other = try EncryptedScratch.secret(7)
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        try store.keys?.add(other, label: "second")
        try store.keys?.rotate()
        let series = try #require(store.snapshot().series.first).id
        try store.append(to: series, [Sample(start: 9_000 * second, value: 3)])
        let slots = store.keys?.slots
        store.close()
        let former = test.path + ".former"
        try TimeSeriesStore.rotateKeys(at: test.path, keepingFormerAt: former, options: test.options())
        for secret in [test.secret, other] {
            let store = try TimeSeriesStore.open(at: test.path, options: test.options(secret))
            #expect(store.keys?.generations == [3] && store.keys?.slots == slots)
            #expect(try count(store) == samples.count + 1)
            #expect(try store.verify().isSound)
            store.close()
        }
        #expect(try TimeSeriesStore.verifyWithoutKey(at: test.path).isSound)
        #expect(
            kind {
                let plain = test.directory.file("plain")
                try TimeSeriesStore.create(at: plain, options: test.plainOptions()).close()
                try TimeSeriesStore.rotateKeys(at: plain, keepingFormerAt: plain + "2", options: test.plainOptions())
            } == .notEncrypted)
    }

    @Test("a backup with other keys than those of the store is kept, and refused as the place of the next one")
    func backups() throws {
        let test = try EncryptedScratch()
        let plain = try TimeSeriesStore.create(at: test.path, options: test.plainOptions())
        _ = try EncryptedScratch.fill(plain, 100)
        let (first, second) = (test.directory.file("first"), test.directory.file("second"))
        try plain.backup(to: first)
        plain.close()
        func backUp(to place: String) -> StoreError.Kind? {
            kind {
                let store = try TimeSeriesStore.open(at: test.path, options: test.options())
                defer { store.close() }
                try store.backup(to: place)
            }
        }
        try TimeSeriesStore.encrypt(
            at: test.path, keepingFormerAt: test.path + ".1", key: KeyOnce(test.secret), options: test.plainOptions())
        #expect(backUp(to: first) == .alreadyExists)
        #expect(backUp(to: second) == nil)
        // Keys that are added leave the files of a backup readable.
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        try store.keys?.rotate()
        try store.keys?.add(EncryptedScratch.secret(8), label: "second")
        store.close()
        #expect(backUp(to: second) == nil)
        try TimeSeriesStore.rotateKeys(at: test.path, keepingFormerAt: test.path + ".2", options: test.options())
        #expect(backUp(to: second) == .alreadyExists)
        #expect(try TimeSeriesStore.verifyBackup(at: first, options: test.plainOptions()).isSound)
        #expect(try TimeSeriesStore.verifyBackup(at: second, options: test.options()).isSound)
    }

    @Test("exported keys are put back only where they belong")
    func restoredKeys() throws {
        let (test, other) = (try EncryptedScratch(), try EncryptedScratch())
        _ = try test.fill(10)
        _ = try other.fill(10)
        let file = test.directory.file("exported")
        try TimeSeriesStore.exportKeys(of: test.path, to: file)
        let plain = test.directory.file("plain")
        try TimeSeriesStore.create(at: plain, options: test.plainOptions()).close()
        func restore(_ path: String) -> StoreError.Kind? {
            kind { try TimeSeriesStore.restoreKeys(of: path, from: file, options: test.options()) }
        }
        #expect(restore(plain) == .notEncrypted)
        #expect(restore(test.directory.file("nothing")) == .notAStore)
        for name in ["KEYS", "KEYS.2"] { try FileManager.default.removeItem(atPath: other.path + "/" + name) }
        #expect(restore(other.path) == .invalidArgument)
        #expect(!FileManager.default.fileExists(atPath: other.path + "/KEYS"))
        #expect(!FileManager.default.fileExists(atPath: plain + "/KEYS"))
        let writer = try TimeSeriesStore.open(at: test.path, options: test.options())
        #expect(restore(test.path) == .locked)
        writer.close()
        // Keys of the same store from before it was encrypted anew, also without readable keys beside them.
        try TimeSeriesStore.encrypt(
            at: test.path, keepingFormerAt: test.path + ".1", key: KeyOnce(test.secret), options: test.options())
        #expect(restore(test.path) == .invalidArgument)
        let current = try Data(contentsOf: URL(fileURLWithPath: test.path + "/KEYS"))
        for name in ["KEYS", "KEYS.2"] { try FileManager.default.removeItem(atPath: test.path + "/" + name) }
        #expect(restore(test.path) == .invalidArgument)
        for name in ["KEYS", "KEYS.2"] { try current.write(to: URL(fileURLWithPath: test.path + "/" + name)) }
        try FileManager.default.removeItem(atPath: file)
        try TimeSeriesStore.exportKeys(of: test.path, to: file)
        // A later format is not replaced.
        let keys = Array(try String(contentsOfFile: test.path + "/KEYS", encoding: .utf8).utf8)
        let text = String(decoding: keys, as: UTF8.self).replacingOccurrences(of: "keys 1\n", with: "keys 2\n")
        let body = Array(text[..<(try #require(text.range(of: "end ", options: .backwards)?.lowerBound))].utf8)
        let later = Data(body + Array(KeysImage.end(body, body.count).utf8))
        for name in ["KEYS", "KEYS.2"] { try later.write(to: URL(fileURLWithPath: test.path + "/" + name)) }
        #expect(restore(test.path) == .newerFormat)
        // Page 1 of the catalog is damaged, and the witness names the store.
        for name in ["KEYS", "KEYS.2"] { try FileManager.default.removeItem(atPath: test.path + "/" + name) }
        let catalog = URL(fileURLWithPath: test.path + "/kymograph.sqlite")
        var bytes = try Data(contentsOf: catalog)
        let sound = bytes
        bytes[50] ^= 1
        try bytes.write(to: catalog)
        #expect(restore(test.path) == nil)
        try sound.write(to: catalog)
        try TimeSeriesStore.open(at: test.path, options: test.options()).close()
    }

    @Test("keys that lack the generation of a segment are not put back, and a repair with them does not begin")
    func olderGenerations() throws {
        let test = try EncryptedScratch()
        _ = try test.fill(10_000)
        let file = test.directory.file("exported")
        try TimeSeriesStore.exportKeys(of: test.path, to: file)
        let old = try Data(contentsOf: URL(fileURLWithPath: file))
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        try store.keys?.rotate()
        let series = try #require(store.snapshot().series.first).id
        try store.load((20_000..<30_000).map { Sample(start: $0 * second, value: 1) }, to: series)
        store.close()
        let current = try Data(contentsOf: URL(fileURLWithPath: test.path + "/KEYS"))
        for name in ["KEYS", "KEYS.2"] { try FileManager.default.removeItem(atPath: test.path + "/" + name) }
        let target = test.directory.file("repaired")
        #expect(
            kind { try TimeSeriesStore.restoreKeys(of: test.path, from: file, options: test.options()) } == .needsKey)
        for name in ["KEYS", "KEYS.2"] { try old.write(to: URL(fileURLWithPath: test.path + "/" + name)) }
        #expect(
            kind { try TimeSeriesStore.repair(from: test.path, to: target, options: test.options()) } == .needsKey)
        #expect(!FileManager.default.fileExists(atPath: target))
        for name in ["KEYS", "KEYS.2"] { try current.write(to: URL(fileURLWithPath: test.path + "/" + name)) }
        let again = try TimeSeriesStore.open(at: test.path, options: test.options())
        #expect(try count(again) == 20_010)
        again.close()
    }

    @Test("a slot that is removed while a rotation waits for its key stays removed")
    func removedSlot() throws {
        let test = try EncryptedScratch()
        _ = try test.fill(100)
        let other = try EncryptedScratch.secret(7)
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        try store.keys?.add(other, label: "second")
        store.close()
        var options = test.options()
        options.key = KeyAfter(secret: test.secret) {
            let store = try TimeSeriesStore.open(at: test.path, options: test.options())
            try store.keys?.remove("second")
            store.close()
        }
        try TimeSeriesStore.rotateKeys(at: test.path, keepingFormerAt: test.path + ".1", options: options)
        #expect(kind { _ = try TimeSeriesStore.open(at: test.path, options: test.options(other)) } == .wrongKey)
        try TimeSeriesStore.open(at: test.path, options: test.options()).close()
    }

    @Test("between the two changes of names no store is created; a copy that never got the name is not overwritten")
    func gap() throws {
        let test = try EncryptedScratch()
        _ = try test.fill(100)
        let copy = test.path + ".partial"
        try FileManager.default.copyItem(atPath: test.path, toPath: copy)
        let key = KeyOnce(test.secret)
        #expect(
            kind {
                try TimeSeriesStore.encrypt(
                    at: test.path, keepingFormerAt: test.path + ".1", key: key, options: test.options())
            } == .alreadyExists)
        try FileManager.default.moveItem(atPath: test.path, toPath: test.path + ".1")
        for path in [test.path, test.path + "/"] {
            #expect(kind { _ = try TimeSeriesStore.openOrCreate(at: path, options: test.options()) } == .notAStore)
        }
        #expect(!FileManager.default.fileExists(atPath: test.path))
        try FileManager.default.moveItem(atPath: copy, toPath: test.path)
        try TimeSeriesStore.openOrCreate(at: test.path, options: test.options()).close()
    }

    @Test("a store whose keys are missing is repaired and verified as an encrypted one")
    func missingKeys() throws {
        let test = try EncryptedScratch()
        _ = try test.fill(10)
        for name in ["KEYS", "KEYS.2"] { try FileManager.default.removeItem(atPath: test.path + "/" + name) }
        let target = test.directory.file("repaired")
        for options in [test.options(), test.plainOptions()] {
            #expect(kind { try TimeSeriesStore.repair(from: test.path, to: target, options: options) } == .corrupt)
            let problems = try TimeSeriesStore.verify(at: test.path, options: options).problems
            #expect(problems.count == 1 && problems[0].message.contains("KEYS"), "\(problems)")
        }
        #expect(!FileManager.default.fileExists(atPath: target))
        // With page 1 of the catalog damaged, the segments show it.
        let catalog = URL(fileURLWithPath: test.path + "/kymograph.sqlite")
        var bytes = try Data(contentsOf: catalog)
        for index in 0..<4_096 { bytes[index] = 0 }
        try bytes.write(to: catalog)
        #expect(
            kind { try TimeSeriesStore.repair(from: test.path, to: target, options: test.plainOptions()) } == .corrupt)
        #expect(!FileManager.default.fileExists(atPath: target))
    }
}

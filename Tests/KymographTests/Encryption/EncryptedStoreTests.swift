// SPDX-License-Identifier: Apache-2.0

import Cipher
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("Encrypted stores (S-3)")
struct EncryptedStoreTests {
    private func kind(_ body: () throws -> Void) -> StoreError.Kind? {
        do { try body() } catch let error as StoreError { return error.kind } catch {}
        return nil
    }

    private func all(_ store: TimeSeriesStore) throws -> [Sample] {
        let series = try #require(
            store.snapshot().series(named: "canaryseries", labels: ["canarylabel": "canarysubject"]))
        return try store.snapshot().all(series.id)
    }

    @Test("what was written is read, in each mode, and no file shows it", arguments: [1, 4])
    func roundTrip(threads: Int) throws {
        let test = try EncryptedScratch()
        let samples = try test.fill(100_000, threads: threads)
        for mode in [OpenMode.readOnly, .shared, .readWrite] {
            let store = try TimeSeriesStore.open(at: test.path, mode: mode, options: test.options())
            #expect(try all(store) == samples)
            let report = try store.verify()
            #expect(report.isSound && report.remarks.isEmpty, "\(report)")
            store.close()
        }
        try EncryptedScratch.expectNoCanary(test.path)
        // Sealing the tail, and merging.
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        try store.seal()
        _ = try store.compact()
        #expect(try all(store) == samples)
        #expect(try store.verify().isSound)
        try EncryptedScratch.expectNoCanary(test.path)
        store.close()
    }

    @Test("without its key the store says so, and nothing is written (E-1)")
    func wrongKeys() throws {
        let test = try EncryptedScratch()
        _ = try test.fill()
        let before = try EncryptedScratch.files(test.path)
        #expect(kind { _ = try TimeSeriesStore.open(at: test.path, options: test.plainOptions()) } == .needsKey)
        let other = try test.options(EncryptedScratch.secret(2))
        var passphrase = Array("correct horse".utf8)
        let words = try test.options(StoreSecret(passphrase: &passphrase))
        for options in [other, words] {
            for mode in [OpenMode.readOnly, .shared, .readWrite] {
                #expect(
                    kind { _ = try TimeSeriesStore.open(at: test.path, mode: mode, options: options) } == .wrongKey)
            }
            #expect(kind { _ = try TimeSeriesStore.verify(at: test.path, options: options) } == .wrongKey)
            #expect(
                kind {
                    try TimeSeriesStore.repair(from: test.path, to: test.directory.file("new"), options: options)
                } == .wrongKey)
        }
        #expect(try EncryptedScratch.files(test.path) == before)
    }

    @Test("a key for a plain store is refused, and an encrypted store without KEYS is not a plain one")
    func mixedUp() throws {
        let test = try EncryptedScratch()
        let plain = try TimeSeriesStore.create(at: test.path, options: test.plainOptions())
        plain.close()
        #expect(kind { _ = try TimeSeriesStore.open(at: test.path, options: test.options()) } == .notEncrypted)
        let second = try EncryptedScratch()
        _ = try second.fill(10)
        let keys = try Data(contentsOf: URL(fileURLWithPath: second.path + "/KEYS"))
        for name in ["KEYS", "KEYS.2"] { try FileManager.default.removeItem(atPath: second.path + "/" + name) }
        for options in [second.options(), second.plainOptions()] {
            #expect(kind { _ = try TimeSeriesStore.open(at: second.path, options: options) } == .corrupt)
        }
        // One sound copy suffices, and a writer restores the other.
        try keys.write(to: URL(fileURLWithPath: second.path + "/KEYS.2"))
        try TimeSeriesStore.open(at: second.path, options: second.options()).close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: second.path + "/KEYS")) == keys)
    }

    @Test("a passphrase opens the store; the slot has its kind")
    func passphrases() throws {
        let test = try EncryptedScratch()
        var passphrase = Array("correct horse".utf8)
        let secret = try StoreSecret(passphrase: &passphrase)
        var options = test.options(secret)
        options.keyCost = .least
        let store = try TimeSeriesStore.create(at: test.path, options: options)
        let samples = try EncryptedScratch.fill(store, 100)
        store.close()
        let again = try TimeSeriesStore.open(at: test.path, options: test.options(secret))
        #expect(try all(again) == samples)
        again.close()
    }

    @Test("backups are encrypted, checked, and restored with the key only")
    func backups() throws {
        let test = try EncryptedScratch()
        let samples = try test.fill()
        let (backup, restored) = (test.directory.file("backup"), test.directory.file("restored"))
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        try store.backup(to: backup)
        #expect(try store.backup(to: backup).bytesCopied == 0)
        store.close()
        try EncryptedScratch.expectNoCanary(backup)
        #expect(try TimeSeriesStore.verifyBackup(at: backup, options: test.options()).isSound)
        #expect(kind { _ = try TimeSeriesStore.verifyBackup(at: backup, options: test.plainOptions()) } == .needsKey)
        #expect(
            kind { try TimeSeriesStore.restore(from: backup, to: restored, options: test.plainOptions()) } == .needsKey)
        let wrong = try test.options(EncryptedScratch.secret(3))
        #expect(kind { try TimeSeriesStore.restore(from: backup, to: restored, options: wrong) } == .wrongKey)
        #expect(!FileManager.default.fileExists(atPath: restored))
        try TimeSeriesStore.restore(from: backup, to: restored, options: test.options())
        let copy = try TimeSeriesStore.open(at: restored, options: test.options())
        #expect(try all(copy) == samples)
        #expect(try copy.verify().isSound)
        copy.close()
        try EncryptedScratch.expectNoCanary(restored)
    }

    @Test("a manifest with the right checksum and another content is forged")
    func forgedManifest() throws {
        let test = try EncryptedScratch()
        _ = try test.fill(10)
        let backup = test.directory.file("backup")
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        try store.backup(to: backup)
        store.close()
        let file = backup + "/MANIFEST"
        var manifest = try #require(try BackupManifest.read(backup, RealDisk()))
        manifest.commit += 1
        try Data(manifest.encoded()).write(to: URL(fileURLWithPath: file))
        #expect(
            kind {
                try TimeSeriesStore.restore(
                    from: backup, to: test.directory.file("restored"), options: test.options())
            } == .forged)
        #expect(try !TimeSeriesStore.verifyBackup(at: backup, options: test.options()).isSound)
    }

    @Test("a repair keeps the encryption and the undamaged samples")
    func repair() throws {
        let test = try EncryptedScratch()
        let samples = try test.fill()
        let segments = test.path + "/segments"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: segments).first)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: segments + "/" + name))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: segments + "/" + name))
        let target = test.directory.file("repaired")
        let report = try TimeSeriesStore.repair(from: test.path, to: target, options: test.options())
        #expect(report.segmentsRewritten == 1 && report.losses.count == 1)
        let store = try TimeSeriesStore.open(at: target, options: test.options())
        let left = try all(store)
        #expect(left.count >= samples.count - 6_144 && left.count < samples.count)
        #expect(try store.verify().isSound)
        store.close()
        try EncryptedScratch.expectNoCanary(target)
    }

    @Test("a damaged header of a segment costs no sample if one byte changed, or if salt and commit are intact")
    func damagedHeader() throws {
        let test = try EncryptedScratch()
        let samples = try test.fill()
        let segments = test.path + "/segments"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: segments).first)
        let url = URL(fileURLWithPath: segments + "/" + name)
        let sound = try Data(contentsOf: url)
        for range in [0..<48, 57..<64, 96..<128, 8..<9, 50..<51, 70..<71, 95..<96, 64..<68] {
            var bytes = sound
            for at in range { bytes[at] ^= 0x55 }
            try bytes.write(to: url)
            let target = test.directory.file("repaired-\(range.lowerBound)")
            let report = try TimeSeriesStore.repair(from: test.path, to: target, options: test.options())
            let store = try TimeSeriesStore.open(at: target, options: test.options())
            // Four bytes of the salt cannot be guessed.
            #expect(try all(store).count == (range.count == 4 ? 10 : samples.count), "\(range)")
            #expect(report.isComplete == (range.count != 4))
            #expect(try store.verify().isSound)
            store.close()
        }
    }

    @Test("a witness with the right checksum and another content is forged")
    func forgedWitness() throws {
        let test = try EncryptedScratch()
        _ = try test.fill(10)
        let path = test.path + "/WITNESS"
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        let id = store.context.storeID
        store.close()
        let real = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(real.count == 104)
        // A plain witness, and one by another key.
        let other = try EncryptedScratch(2)
        _ = try other.fill(10)
        let keys = try #require(try StoreKeys.open(StoreLayout(root: other.path), other.options()))
        for codec in [WitnessCodec(), try WitnessCodec(keys)] {
            let once = try codec.encode(1, id)
            try Data(once + once).write(to: URL(fileURLWithPath: path))
            for mode in [OpenMode.readOnly, .readWrite] {
                #expect(
                    kind { _ = try TimeSeriesStore.open(at: test.path, mode: mode, options: test.options()) }
                        == .forged)
            }
        }
        // A damaged byte of one copy is no forgery.
        var flipped = real
        flipped[30] ^= 1
        try flipped.write(to: URL(fileURLWithPath: path))
        try TimeSeriesStore.open(at: test.path, options: test.options()).close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == real)
    }

    @Test("a plain segment and a segment of another store are forged")
    func swappedSegments() throws {
        let (test, other) = (try EncryptedScratch(), try EncryptedScratch())
        _ = try test.fill()
        _ = try other.fill()
        let plain = try TimeSeriesStore.create(at: test.directory.file("plain"), options: test.plainOptions())
        _ = try EncryptedScratch.fill(plain, 20_000)
        plain.close()
        let segments = test.path + "/segments"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: segments).first)
        let file = URL(fileURLWithPath: segments + "/" + name)
        let size = try Data(contentsOf: file).count
        for source in [test.directory.file("plain"), other.path] {
            let folder = source + "/segments"
            let one = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
            var bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + one))
            // The catalog knows the length, which is checked first.
            bytes = bytes.count > size ? bytes.prefix(size) : bytes + Data(count: size - bytes.count)
            try bytes.write(to: file)
            let store = try TimeSeriesStore.open(at: test.path, options: test.options())
            let found = kind { _ = try all(store) }
            #expect(found == .forged || found == .corrupt)
            #expect(try !store.verify().isSound)
            store.close()
        }
    }
}

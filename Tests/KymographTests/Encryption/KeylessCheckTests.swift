// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("Verification of an encrypted store without its key (E-21)")
struct KeylessCheckTests {
    private func kind(_ body: () throws -> Void) -> StoreError.Kind? {
        do { try body() } catch let error as StoreError { return error.kind } catch {}
        return nil
    }

    /// Creates a store with segments, a tail, a log and an attached file, and returns the open store.
    private func filled(_ test: EncryptedScratch) throws -> TimeSeriesStore {
        _ = try test.fill()
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        let file = try store.createAttachedFile()
        let content = Array(String(repeating: "canarycontent", count: 12_000).utf8)
        try file.append(content, 0..<content.count)
        let row = try file.finish()
        try store.write { _ in
            var batch = WriteBatch()
            batch.inCommit = { transaction, _ in try transaction.insert(attachedFile: row) }
            return batch
        }
        file.release()
        return store
    }

    @Test("a sound store and its backup are sound without the key, also while the store is open")
    func sound() throws {
        let test = try EncryptedScratch()
        let store = try filled(test)
        let backup = test.directory.file("backup")
        try store.backup(to: backup)
        for path in [test.path, backup] {
            let report = try TimeSeriesStore.verifyWithoutKey(at: path)
            #expect(report.isSound && report.remarks.isEmpty, "\(report)")
        }
        store.close()
        let report = try TimeSeriesStore.verifyWithoutKey(at: test.path)
        #expect(report.isSound && report.segments == 1 && report.blocks > 3 && report.attachedFiles == 1)
        try EncryptedScratch.expectNoCanary(test.path)
        try EncryptedScratch.expectNoCanary(backup)
    }

    @Test("each flipped bit of each file is found without the key, and with it")
    func flips() throws {
        let test = try EncryptedScratch()
        let store = try filled(test)
        let copy = test.directory.file("copy")
        // With its log, as a killed writer leaves it.
        try FileManager.default.copyItem(atPath: test.path, toPath: copy)
        store.close()
        var random = TestRandom(seed: 27)
        for (name, sound) in try EncryptedScratch.files(copy) {
            if ["LOCK", "ballast", "kymograph.sqlite-index"].contains(name) || sound.isEmpty { continue }
            let path = URL(fileURLWithPath: copy + "/" + name)
            for _ in 0..<40 {
                var bytes = sound
                let at = random.below(bytes.count)
                bytes[at] ^= 1 << UInt8(random.below(8))
                try bytes.write(to: path)
                let report = try TimeSeriesStore.verifyWithoutKey(at: copy)
                // The last frame of a log may be torn; the witness shows that commits are missing.
                let isEnd = name.hasSuffix("-wal") && at >= Self.lastFrame(sound)
                let keyed = try? TimeSeriesStore.verify(at: copy, options: test.options())
                // Pages of the catalog that the log replaces are no part of the store, and neither are old frames.
                let isUnused = name.hasPrefix("kymograph.sqlite") && keyed?.isSound == true
                #expect(isUnused || keyed?.isSound != true, "\(name) at \(at)")
                #expect(
                    isEnd || isUnused || report.problems.contains { $0.path.hasSuffix(name) }, "\(name) at \(at)")
                #expect(report.problems.allSatisfy { $0.path.hasSuffix(name) }, "\(name) at \(at): \(report)")
                try sound.write(to: path)
            }
        }
        #expect(try TimeSeriesStore.verifyWithoutKey(at: copy).isSound)
    }

    /// The offset of the last frame of a log's generation that ends a commit.
    private static func lastFrame(_ log: Data) -> Int {
        let bytes = Array(log)
        let generation = Array(bytes[16..<24])
        var last = 32
        for frame in stride(from: 32, to: bytes.count - 4_119, by: 4_120) {
            let endsCommit = bytes[frame + 4..<frame + 8].contains { $0 != 0 }
            if endsCommit, Array(bytes[frame + 8..<frame + 16]) == generation { last = frame }
        }
        return last
    }

    @Test("a log whose header is lost or damaged is found, and the frames of an unfinished commit are no damage")
    func logs() throws {
        let test = try EncryptedScratch()
        let store = try filled(test)
        let copy = test.directory.file("copy")
        try FileManager.default.copyItem(atPath: test.path, toPath: copy)
        store.close()
        let path = URL(fileURLWithPath: copy + "/kymograph.sqlite-wal")
        let sound = try Data(contentsOf: path)
        var bytes = sound
        for index in 0..<32 { bytes[index] = 0 }
        try bytes.write(to: path)
        #expect(try TimeSeriesStore.verifyWithoutKey(at: copy).problems.map(\.offset) == [0])
        // Without its last frame the last commit is not complete; what is left of it may be damaged.
        let end = Self.lastFrame(sound)
        bytes = sound[..<end] + Data(repeating: 0, count: sound.count - end)
        let frame = end - 4_120
        try bytes.write(to: path)
        #expect(try TimeSeriesStore.verifyWithoutKey(at: copy).isSound)
        try #require(bytes[frame + 4..<frame + 8].allSatisfy { $0 == 0 })
        bytes[frame + 100] ^= 1
        try bytes.write(to: path)
        #expect(try TimeSeriesStore.verifyWithoutKey(at: copy).isSound)
        try Data().write(to: path)
        #expect(try TimeSeriesStore.verifyWithoutKey(at: copy).isSound)
    }

    @Test("places without an encrypted store are errors")
    func refusals() throws {
        let test = try EncryptedScratch()
        let missing = test.directory.file("missing")
        #expect(kind { _ = try TimeSeriesStore.verifyWithoutKey(at: missing) } == .notAStore)
        try TimeSeriesStore.create(at: test.path, options: test.plainOptions()).close()
        #expect(kind { _ = try TimeSeriesStore.verifyWithoutKey(at: test.path) } == .notEncrypted)
        let second = try EncryptedScratch()
        _ = try second.fill(5)
        for name in ["KEYS", "KEYS.2"] { try Data("x".utf8).write(to: URL(fileURLWithPath: second.path + "/" + name)) }
        #expect(kind { _ = try TimeSeriesStore.verifyWithoutKey(at: second.path) } == .corrupt)
    }
}

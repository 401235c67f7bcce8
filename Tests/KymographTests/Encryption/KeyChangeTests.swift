// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("Changes of the keys of a store, and copies with other keys (S-3)")
struct KeyChangeTests {
    private func all(_ store: TimeSeriesStore) throws -> [Sample] {
        let labels = ["canarylabel": "canarysubject"]
        return try store.snapshot().all(
            #require(store.snapshot().series(named: "canaryseries", labels: labels)).id)
    }

    @Test("after a rotation old and new data are read, by openings from before, too")
    func rotation() throws {
        let test = try EncryptedScratch()
        var samples = try test.fill(10_000)
        let writer = try TimeSeriesStore.open(at: test.path, options: test.options())
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options())
        let series = try #require(writer.snapshot().series.first)
        for round in 1...3 {
            try writer.keys?.rotate()
            #expect(writer.keys?.generations == Array(1...round + 1))
            let later = (0..<9_000).map {
                Sample(start: Int64(round * 100_000 + $0) * second, value: EncryptedScratch.value)
            }
            try writer.load(later, to: series.id)
            samples += later
            #expect(try reader.refresh())
            #expect(try all(reader) == samples)
        }
        #expect(try writer.verify().isSound)
        writer.close()
        reader.close()
        let again = try TimeSeriesStore.open(at: test.path, options: test.options())
        #expect(try all(again) == samples)
        again.close()
        try EncryptedScratch.expectNoCanary(test.path)
    }

    @Test("a slot that another opening adds opens the store")
    func addedSlot() throws {
        let test = try EncryptedScratch()
        let samples = try test.fill(100)
        let store = try TimeSeriesStore.open(at: test.path, mode: .shared, options: test.options())
        let paper = try StoreSecret.random()
        try store.keys?.add(paper, label: "paper", isRecovery: true)
        store.close()
        let text = try #require(try paper.recoveryText())
        let file = test.directory.file("typed")
        try Data((text.lowercased() + "\n").utf8).write(to: URL(fileURLWithPath: file))
        var options = test.options()
        options.key = KeyFile(file)
        let again = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: options)
        #expect(try all(again) == samples && again.keys?.slots.map(\.kind) == [.file, .recovery])
        again.close()
    }

    @Test("a store is encrypted, gets new keys, and is decrypted, with equal samples, identities and commits")
    func copies() throws {
        let test = try EncryptedScratch()
        let plain = test.directory.file("plain")
        let store = try TimeSeriesStore.create(at: plain, options: test.plainOptions())
        let samples = try EncryptedScratch.fill(store, 20_000)
        let series = try #require(store.snapshot().series.first)
        _ = try store.delete(from: series.id, startingIn: TimeRange(0, 100 * second))
        let sequence = store.snapshot().sequence
        let id = try store.info().storeID
        store.close()
        let (first, second2, third) = (
            test.directory.file("first"), test.directory.file("second"), test.directory.file("third")
        )
        try TimeSeriesStore.encrypt(from: plain, to: first, key: KeyOnce(test.secret), options: test.plainOptions())
        let other = try EncryptedScratch.secret(9)
        try TimeSeriesStore.encrypt(from: first, to: second2, key: KeyOnce(other), options: test.options())
        try TimeSeriesStore.decrypt(from: second2, to: third, options: test.options(other))
        let all = [(first, test.options()), (second2, try test.options(other)), (third, test.plainOptions())]
        for (path, options) in all {
            let copy = try TimeSeriesStore.open(at: path, options: options)
            #expect(try self.all(copy) == Array(samples.dropFirst(100)))
            #expect(try copy.info().storeID == id && copy.snapshot().sequence == sequence)
            #expect(try copy.verify().isSound)
            copy.close()
        }
        for path in [first, second2] { try EncryptedScratch.expectNoCanary(path) }
    }
}

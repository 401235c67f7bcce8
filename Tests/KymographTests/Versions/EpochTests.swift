// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kernels
import TestSupport
import Testing

@testable import Kymograph

@Suite("T-5 E-13 restored and repaired stores begin a new epoch, which anchors detect")
struct EpochTests {
    private func kind(_ store: TimeSeriesStore, _ anchor: ChangeAnchor?) -> StoreError.Kind? {
        do {
            _ = try store.changes(since: anchor) { _ in true }
            return nil
        } catch { return (error as? StoreError)?.kind }
    }

    private func append(_ store: TimeSeriesStore, _ id: SeriesID, _ values: Range<Int>) throws {
        for i in values { try store.append([Sample(start: Int64(i), value: Double(i))], to: id) }
    }

    private func values(_ store: TimeSeriesStore, since anchor: ChangeAnchor?) throws -> [Double] {
        var found = [Double]()
        var anchor = anchor
        while true {
            let page = try store.changes(since: anchor) { batch in
                for i in 0..<batch.count { found.append(batch[i].value) }
                return true
            }
            if page.isComplete { return found }
            anchor = page.anchor
        }
    }

    @Test("Anchors from before the backup work in the restored store, later ones of the lost store never do")
    func restored() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try append(test.store, id, 0..<5)
        let before = test.store.currentAnchor()
        let middle = try test.store.changes(since: nil, limit: 2) { _ in true }.anchor
        try append(test.store, id, 5..<8)
        let backup = test.directory.file("backup")
        let report = try test.store.backup(to: backup)
        let same = test.store.currentAnchor()
        try append(test.store, id, 8..<12)
        let lost = test.store.currentAnchor()
        let lostPage = try test.store.changes(since: same, limit: 2) { _ in true }.anchor
        let path = test.directory.file("restored")
        try TimeSeriesStore.restore(from: backup, to: path)
        var store = try TimeSeriesStore.open(at: path)
        #expect(store.snapshot().sequence == report.sequence)
        #expect(kind(store, lost) == .anchorExpired && kind(store, lostPage) == .anchorExpired)
        try append(store, id, 100..<120)
        #expect(store.snapshot().sequence > lost.sequence)
        for one in [lost, lostPage] { #expect(kind(store, one) == .anchorExpired) }
        #expect(try values(store, since: before) == [5, 6, 7].map(Double.init) + (100..<120).map(Double.init))
        #expect(try values(store, since: same) == (100..<120).map(Double.init))
        #expect(try values(store, since: middle) == (2..<8).map(Double.init) + (100..<120).map(Double.init))
        // The restored store's own anchors work in it, also after a restart, and in no other copy.
        let own = store.currentAnchor()
        store.close()
        store = try TimeSeriesStore.open(at: path)
        #expect(kind(store, own) == nil && own.epoch != 0 && store.currentAnchor() == own)
        #expect(kind(test.store, own) == .anchorExpired)
        let other = test.directory.file("other")
        try TimeSeriesStore.restore(from: backup, to: other)
        let second = try TimeSeriesStore.open(at: other)
        try append(second, id, 200..<240)
        #expect(kind(second, own) == .anchorExpired && kind(second, same) == nil)
        second.close()
        // A backup of the restored store has its history; earlier epochs keep their ends.
        let again = test.directory.file("again")
        try store.backup(to: again)
        try append(store, id, 300..<310)
        let late = store.currentAnchor()
        store.close()
        try TimeSeriesStore.restore(from: again, to: test.directory.file("third"))
        let third = try TimeSeriesStore.open(at: test.directory.file("third"))
        defer { third.close() }
        try append(third, id, 400..<420)
        #expect(kind(third, own) == nil && kind(third, same) == nil && kind(third, late) == .anchorExpired)
        #expect(kind(third, lost) == .anchorExpired)
        #expect(try third.verify().problems.isEmpty)
    }

    @Test(
        "Two backups of one commit have the same bytes; two stores restored from it have different epochs",
        .ofPlainStores)
    func copies() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try append(test.store, id, 0..<5)
        let places = ["one", "two"].map { test.directory.file($0) }
        for place in places { try test.store.backup(to: place) }
        let manifests = try places.map { try RealDisk().contents(of: $0 + "/MANIFEST", limit: 1 << 20) }
        #expect(manifests[0] == manifests[1])
        let epochs = try places.map { place in
            try TimeSeriesStore.restore(from: place, to: place + "-restored")
            let store = try TimeSeriesStore.open(at: place + "-restored")
            defer { store.close() }
            let again = place + "-again"
            for part in ["a", "b"] { try store.backup(to: again + part) }
            #expect(
                try RealDisk().contents(of: again + "a/MANIFEST", limit: 1 << 20)
                    == RealDisk().contents(of: again + "b/MANIFEST", limit: 1 << 20))
            return store.currentAnchor().epoch
        }
        #expect(epochs[0] != epochs[1] && !epochs.contains(0))
    }

    @Test("Earlier anchors work after a repair without losses, and expire after one with losses")
    func repaired() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.load((0..<5_000).map { Sample(start: Int64($0), value: Double($0)) }, to: id)
        let anchor = test.store.currentAnchor()
        try append(test.store, id, 6_000..<6_005)
        let last = test.store.currentAnchor()
        let deletion = try test.store.delete(from: id, startingIn: TimeRange(6_000, 6_002)).sequence
        test.store.close()
        let sound = test.directory.file("sound")
        #expect(try TimeSeriesStore.repair(from: test.path, to: sound).isComplete)
        let store = try TimeSeriesStore.open(at: sound)
        defer { store.close() }
        #expect(kind(store, last) == nil && store.currentAnchor().epoch != 0)
        #expect(try values(store, since: anchor) == [6_002, 6_003, 6_004])
        #expect(try store.snapshot(asOf: deletion - 1).count(of: id) == 5_005)
        let segments = test.path + "/segments"
        let name = try #require(try RealDisk().list(segments).first)
        let url = URL(fileURLWithPath: segments + "/" + name)
        var bytes = try Data(contentsOf: url)
        bytes[200] ^= 1
        try bytes.write(to: url)
        let damaged = test.directory.file("damaged")
        #expect(try !TimeSeriesStore.repair(from: test.path, to: damaged).isComplete)
        let left = try TimeSeriesStore.open(at: damaged)
        defer { left.close() }
        #expect(kind(left, last) == .anchorExpired && kind(left, left.currentAnchor()) == nil)
        #expect(try left.info().oldestCommit == left.snapshot().sequence)
        #expect(throws: StoreError.self) { try left.snapshot(asOf: deletion - 1) }
        #expect(try left.verify().problems.isEmpty)
    }

    @Test("After an accepted loss, anchors of lost commits are refused")
    func lostCommits() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try append(test.store, id, 0..<5)
        let kept = test.store.currentAnchor()
        test.store.close()
        let catalog = URL(fileURLWithPath: test.path + "/kymograph.sqlite")
        let older = try Data(contentsOf: catalog)
        try test.reopen()
        try append(test.store, id, 5..<8)
        let lost = test.store.currentAnchor()
        test.store.close()
        try older.write(to: catalog)
        test.options.acceptsLostCommits = true
        try test.reopen()
        #expect(kind(test.store, lost) == .anchorExpired)
        try append(test.store, id, 100..<110)
        #expect(kind(test.store, lost) == .anchorExpired)
        #expect(try values(test.store, since: kept) == (100..<110).map(Double.init))
        try test.reopen()
        #expect(kind(test.store, lost) == .anchorExpired && kind(test.store, test.store.currentAnchor()) == nil)
        #expect(try test.store.verify().problems.isEmpty)
    }

    @Test("Anchor texts of the first version are accepted and refer to the first epoch")
    func firstVersion() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try append(test.store, id, 0..<5)
        // A version, the store's id, the commit, the end of a page, and a checksum.
        func text(_ body: [UInt8]) -> String {
            let all = [1] + test.store.context.storeID + body
            let sum = Kernel.crc32c(all, 0..<all.count)
            let bytes = all + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
            return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        let anchor = try #require(ChangeAnchor(text: text([3])))
        #expect(anchor == ChangeAnchor(store: test.store.context.storeID, epoch: 0, commit: 3))
        #expect(try values(test.store, since: anchor) == [2, 3, 4])
        let place = try #require(ChangeAnchor(text: text([3, 5, 1, 4])))
        #expect(place.place == ChangeAnchor.Place(through: 5, series: 1, start: 2))
        #expect(try values(test.store, since: place) == [3, 4])
        #expect(anchor.text != text([3]) && ChangeAnchor(text: anchor.text) == anchor)
        var largest = ChangeAnchor(store: test.store.context.storeID, epoch: .min, commit: .max - 1)
        #expect(ChangeAnchor(text: largest.text) == largest)
        let end = ChangeAnchor.Place(through: .max, series: .max, start: .min)
        largest = ChangeAnchor(store: test.store.context.storeID, epoch: -1, commit: .max - 1, place: end)
        #expect(ChangeAnchor(text: largest.text) == largest)
    }
}

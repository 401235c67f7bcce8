// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

/// A store whose catalog is replaced by an earlier copy of the file.
@Suite("E-1 E-16 an earlier copy of the catalog is never accepted as the current one")
struct OlderCatalogTests {
    /// Returns a store with commits in the database and one in the log, and the files before each commit.
    private func hot(commits: Int) throws -> (hot: HotStore, earlier: [StoreImage]) {
        let test = try TestStore { $0.threads = 1 }
        let id = try test.store.series("a", kind: .discrete).id
        var earlier: [StoreImage] = []
        for i in 0..<commits {
            try test.reopen()
            earlier.append(try StoreImage(test.path))
            try test.store.append(to: id, [Sample(start: Int64(i) * second, value: Double(i))])
        }
        return (try HotStore(test), earlier)
    }

    @Test("With a later log an earlier catalog is refused, and a repair reports the loss", arguments: [true, false])
    func besideLog(hasWitness: Bool) throws {
        let (hot, earlier) = try hot(commits: 5)
        for (number, one) in earlier.enumerated() {
            var image = hot.image
            image.catalog = one.catalog
            if !hasWitness { image.files[StoreImage.witness] = nil }
            var tally = Tally()
            try hot.judge(image, .readOnly, &tally, "the file before commit \(number)")
            try hot.judge(image, .readWrite, &tally, "the file before commit \(number)")
            // The last copy belongs to the log.
            let isRight = number == earlier.count - 1
            #expect(tally.detected == (isRight ? 0 : 2), "\(number): \(tally)")
            if isRight { continue }
            #expect(tally.errors == [.corrupt: 2])
            try image.lay(hot.path)
            #expect(try TimeSeriesStore.verify(at: hot.path).problems.contains { $0.message.contains("older than") })
            let target = hot.place.file("repaired-\(number)")
            let report = try TimeSeriesStore.repair(from: hot.path, to: target)
            #expect(!report.isComplete && report.losses.contains { $0.message.contains("earlier copy") })
            let repaired = try TimeSeriesStore.open(at: target)
            #expect(try repaired.verify().problems.isEmpty)
            // Commit 1 creates the series.
            let left = try repaired.snapshot().series.first.map { try repaired.snapshot().all($0.id) } ?? []
            #expect(left == hot.answer.first?.prefix(number).map { $0 } ?? [])
            repaired.close()
        }
    }

    @Test("A repaired, restored or copied catalog is accepted with its own log")
    func noFalseAlarm() throws {
        let (hot, _) = try hot(commits: 4)
        let backup = hot.place.file("backup")
        try hot.test.store.backup(to: backup)
        for (number, path) in ["repaired", "restored", "copied"].map(hot.place.file).enumerated() {
            switch number {
            case 0: try TimeSeriesStore.repair(from: hot.test.path, to: path)
            case 1: try TimeSeriesStore.restore(from: backup, to: path)
            default: try FileManager.default.copyItem(atPath: hot.place.file("repaired"), toPath: path)
            }
            for _ in 0..<2 {
                let store = try TimeSeriesStore.open(at: path)
                let id = try #require(store.snapshot().series.first).id
                try store.append(to: id, [Sample(start: hour, value: 1)])
                // The state after the writer is killed.
                let left = try StoreImage(path)
                store.close()
                #expect(!left.log.isEmpty)
                try left.lay(path)
                #expect(try TimeSeriesStore.verify(at: path).problems.isEmpty)
                try TimeSeriesStore.open(at: path).close()
            }
        }
    }

    @Test("With an earlier witness later segments are kept, and writing requires acceptance of the loss")
    func laterSegments() throws {
        let test = try TestStore { $0.compacts = false }
        let id = try test.store.series("a", kind: .discrete).id
        func load(_ day: Int64) throws {
            try test.store.load((0..<100).map { Sample(start: day * 24 * hour + $0 * second, value: 1) }, to: id)
        }
        try load(0)
        try test.reopen()
        let earlier = try StoreImage(test.path)
        try test.store.append(to: id, [Sample(start: 1, value: 1)])
        try load(1)
        try load(2)
        let hot = try HotStore(test)
        test.store.close()
        var image = try StoreImage(test.path)
        image.putBack(earlier)
        try image.lay(hot.path)
        let segments = try RealDisk().list(hot.path + "/segments").count
        #expect(segments == 3)
        let problems = try TimeSeriesStore.verify(at: hot.path).problems
        #expect(problems.count == 2 && problems.allSatisfy { $0.message.contains("older one") }, "\(problems)")
        do {
            try TimeSeriesStore.open(at: hot.path).close()
            Issue.record("opened for writing")
        } catch { #expect(error.kind == .rolledBack) }
        let report = try TimeSeriesStore.repair(from: hot.path, to: hot.place.file("repaired"))
        #expect(!report.isComplete)
        let repaired = try TimeSeriesStore.open(at: hot.place.file("repaired"))
        #expect(repaired.snapshot().count(of: id) == 300)
        repaired.close()
        var options = test.options
        options.acceptsLostCommits = true
        try TimeSeriesStore.open(at: hot.path, options: options).close()
        #expect(try RealDisk().list(hot.path + "/segments").count == segments)
    }

    @Test("After an accepted loss all modes open again, and anchors of lost commits expire")
    func accepted() throws {
        let test = try TestStore { $0.compacts = false }
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.append(to: id, [Sample(start: 0, value: 0)])
        let kept = test.store.currentAnchor()
        try test.reopen()
        let earlier = try StoreImage(test.path)
        for i in 1..<5 { try test.store.append(to: id, [Sample(start: Int64(i), value: 1)]) }
        try test.store.load((0..<100).map { Sample(start: hour + $0 * second, value: 1) }, to: id)
        let lost = test.store.currentAnchor()
        test.store.close()
        var image = try StoreImage(test.path)
        image.putBack(earlier)
        try image.lay(test.path)
        #expect(throws: StoreError.self) { try TimeSeriesStore.open(at: test.path, options: test.options).close() }
        test.options.acceptsLostCommits = true
        try test.reopen()
        for i in 0..<9 { try test.store.append(to: id, [Sample(start: day + Int64(i), value: 2)]) }
        #expect(try RealDisk().list(test.path + "/segments").isEmpty)
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { _ = try test.store.changes(since: lost) { _ in true } }
            #expect(error?.kind == .anchorExpired)
            var added = 0
            _ = try test.store.changes(since: kept) { batch in
                added += batch.count
                return true
            }
            #expect(added == 9)
            test.options.acceptsLostCommits = false
            try test.reopen()
        }
        #expect(test.store.snapshot().count(of: id) == 10)
        #expect(try test.store.verify().problems.isEmpty)
    }

    @Test("With a damaged log and a witness as old as the catalog, the refusal changes no file")
    func refusedUnchanged() throws {
        let test = try TestStore { $0.compacts = false }
        let id = try test.store.series("a", kind: .discrete).id
        try test.reopen()
        let witness = try StoreImage(test.path).witness
        for i in 0..<3 { try test.store.append(to: id, [Sample(start: Int64(i), value: 1)]) }
        try test.store.load((0..<100).map { Sample(start: hour + $0 * second, value: 1) }, to: id)
        let hot = try HotStore(test)
        var image = hot.image
        image.witness = witness
        // Damages the second frame: that frame and all later ones are lost.
        image = image.flipped(StoreImage.log, 32 + 4_120 + 2_000, 1)
        try image.lay(hot.path)
        do {
            try TimeSeriesStore.open(at: hot.path).close()
            Issue.record("opened for writing")
        } catch { #expect(error.kind == .rolledBack, "\(error)") }
        let after = try StoreImage(hot.path)
        #expect(after.log == image.log && after.catalog == image.catalog && after.witness == image.witness)
        #expect(after.files.keys.sorted() == image.files.keys.sorted())
    }

    @Test("A segment that cannot be read is not removed as an orphan", arguments: [DiskError.inputOutput, 24, 13])
    func unreadable(_ errno: Int32) throws {
        let disk = try FaultyDisk()
        let layer = try SimulatedLayer(disk)
        let store = try TimeSeriesStore.openOrCreate(at: "/store", options: layer.options)
        let id = try store.series("a", kind: .discrete).id
        try store.append(to: id, [Sample(start: 0, value: 0)])
        store.close()
        let orphan = "/store/segments/00000000-0000-8000-8000-000000000000.kseg"
        try disk.createFile(orphan, [UInt8](repeating: 1, count: 4_096))
        disk.inject(DiskFault([.open, .read], pathSuffix: ".kseg", forever: true, errno: errno))
        #expect(throws: StoreError.self) { try TimeSeriesStore.open(at: "/store", options: layer.options).close() }
        #expect(try disk.exists(orphan))
        disk.clearFaults()
        try TimeSeriesStore.open(at: "/store", options: layer.options).close()
        #expect(try !disk.exists(orphan))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

/// A store whose catalog somebody replaces by an earlier copy of the file.
@Suite("E-1 E-16 an earlier copy of the catalog is never taken for the present one")
struct OlderCatalogTests {
    /// Commits in the database, then one in the log; before each the files as they were.
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

    @Test("Beside a later log it is refused, and a repair tells what is lost", arguments: [true, false])
    func besideLog(hasWitness: Bool) throws {
        let (hot, earlier) = try hot(commits: 5)
        for (number, one) in earlier.enumerated() {
            var image = hot.image
            image.catalog = one.catalog
            if !hasWitness { image.files[StoreImage.witness] = nil }
            var tally = Tally()
            try hot.judge(image, .readOnly, &tally, "the file before commit \(number)")
            try hot.judge(image, .readWrite, &tally, "the file before commit \(number)")
            // The last one is the one that the log follows.
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
            // Commit 1 made the series.
            let left = try repaired.snapshot().series.first.map { try repaired.snapshot().all($0.id) } ?? []
            #expect(left == hot.answer.first?.prefix(number).map { $0 } ?? [])
            repaired.close()
        }
    }

    @Test("What a repair or a restoration made is followed by its log, whatever the number of its last commit")
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
                // As a killed writer leaves it.
                let left = try StoreImage(path)
                store.close()
                #expect(!left.log.isEmpty)
                try left.lay(path)
                #expect(try TimeSeriesStore.verify(at: path).problems.isEmpty)
                try TimeSeriesStore.open(at: path).close()
            }
        }
    }

    @Test("Beside an earlier witness: later segments stay, and nobody writes unless the loss is accepted")
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
        image.catalog = earlier.catalog
        image.witness = earlier.witness
        image.log = []
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
}

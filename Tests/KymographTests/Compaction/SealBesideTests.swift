// SPDX-License-Identifier: Apache-2.0

import Campaigns
import FileSystem
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-4 E-6 the tail is sealed during appends and deletions")
struct SealBesideTests {
    /// Returns true once.
    private static func take(_ flag: inout Bool) -> Bool {
        defer { flag = false }
        return flag
    }

    private func samples(_ range: Range<Int64>) -> [Sample] {
        range.map { Sample(start: $0 * second, value: Double($0)) }
    }

    @Test(
        "Appends and deletions during the writing of a segment apply to sealed and to remaining samples",
        arguments: [false, true])
    func meanwhile(everything: Bool) throws {
        let disk = try FaultyDisk()
        let layer = try SimulatedLayer(disk)
        var options = layer.options
        options.sealSamples = 200
        options.compacts = false
        let store = try TimeSeriesStore.create(at: "/store", options: options)
        // The series have enough samples for a segment, too few, and samples deleted before the segment is complete.
        let ids = try ["many", "few", "gone"].map { try store.series($0, kind: .discrete).id }
        for i: Int64 in 0..<9 { try store.append(samples(20 * i..<20 * i + 20), to: ids[0]) }
        try store.append(samples(0..<20), to: ids[1])
        try store.append(samples(0..<10), to: ids[2])
        try store.delete(from: ids[0], startingIn: TimeRange(10 * second, 20 * second))
        try store.delete(from: ids[1], startingIn: TimeRange(0, 2 * second))
        let isFirst = Mutex(true)
        disk.observe { [self] kind, path in
            guard kind == .sync, path.hasSuffix(".kseg"), isFirst.withLock({ Self.take(&$0) }) else { return }
            do {
                for id in ids { try store.append(samples(300..<310), to: id) }
                try store.delete(from: ids[0], startingIn: TimeRange(50 * second, 60 * second))
                try store.delete(from: ids[1], startingIn: TimeRange(5 * second, 8 * second))
                try store.delete(from: ids[2], startingIn: TimeRange(0, 100 * second))
                try store.append(samples(310..<320), to: ids[1])
            } catch {
                Issue.record(error)
            }
        }
        try store.append(samples(180..<200), to: ids[0])
        if everything { try store.seal() }
        disk.observe(nil)
        #expect(!isFirst.withLock { $0 }, "nothing was sealed")
        let wanted = [
            samples(0..<10) + samples(20..<50) + samples(60..<200) + samples(300..<310),
            samples(2..<5) + samples(8..<20) + samples(300..<320),
            samples(300..<310),
        ]
        func check(_ store: TimeSeriesStore, _ note: String) throws {
            for (id, wanted) in zip(ids, wanted) {
                #expect(try store.snapshot().all(id) == wanted, "\(note), series \(id.rawValue)")
                #expect(store.snapshot().count(of: id) == wanted.count, "\(note), series \(id.rawValue)")
                #expect(try store.snapshot().aggregate(of: id).sum == wanted.reduce(0) { $0 + $1.value })
            }
            #expect(try store.verify().problems.isEmpty)
        }
        try check(store, "sealed")
        #expect(store.snapshot().version.segments.count == (everything ? 2 : 1))
        store.close()
        let again = try TimeSeriesStore.open(at: "/store", options: options)
        defer { again.close() }
        try check(again, "reopened")
        try again.seal()
        try check(again, "sealed again")
        try again.compact()
        try check(again, "compacted")
        #expect(try again.info().deletedSamples == 0)
    }

    @Test("Of samples at one instant the last committed is last, even if committed while the tail was sealed")
    func ties() throws {
        let disk = try FaultyDisk()
        let layer = try SimulatedLayer(disk)
        var options = layer.options
        options.sealSamples = 200
        options.compacts = false
        let store = try TimeSeriesStore.create(at: "/store", options: options)
        defer { store.close() }
        let (many, few) = (try store.series("many", kind: .discrete).id, try store.series("few", kind: .discrete).id)
        @Sendable func put(_ value: Double) throws {
            try store.append([Sample(start: 0, value: value)], to: few)
            try store.append([Sample(start: 0, end: 5, value: value)], to: few)
        }
        try store.append([Sample(start: second, value: 0)], to: few)
        for value in [1.0, 2, 3] { try put(value) }
        // The samples left in the tail become one row, numbered after concurrent appends.
        let isFirst = Mutex(true)
        disk.observe { kind, path in
            guard kind == .sync, path.hasSuffix(".kseg"), isFirst.withLock({ Self.take(&$0) }) else { return }
            do { for value in [4.0, 5] { try put(value) } } catch { Issue.record(error) }
        }
        for i: Int64 in 0..<10 { try store.append(samples(20 * i..<20 * i + 20), to: many) }
        disk.observe(nil)
        #expect(!isFirst.withLock { $0 }, "nothing was sealed")
        try put(6)
        func check(_ note: String) throws {
            let snapshot = store.snapshot()
            #expect(try snapshot.aggregate(of: few, computing: .all).timeWeightedAverage == 6, "\(note)")
            // A scan may return samples of several runs in any order.
            if snapshot.runs(few).count > 1 { return }
            #expect(try snapshot.all(few).map(\.value) == [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 0], "\(note)")
        }
        try check("tail")
        try store.seal()
        try check("sealed")
        try store.compact()
        try check("compacted")
    }

    @Test("A store that is closed during sealing keeps its tail and leaves no unnamed file")
    func closed() throws {
        let disk = try FaultyDisk()
        let layer = try SimulatedLayer(disk)
        let store = try TimeSeriesStore.create(at: "/store", options: layer.options)
        let id = try store.series("a", kind: .discrete).id
        try store.append(samples(0..<50), to: id)
        disk.observe { kind, path in
            if kind == .sync, path.hasSuffix(".kseg") { store.close() }
        }
        do {
            try store.seal()
            Issue.record("a closed store was sealed")
        } catch { #expect(error.kind == .closed) }
        disk.observe(nil)
        #expect(try disk.list("/store/segments").isEmpty)
        let again = try TimeSeriesStore.open(at: "/store", options: layer.options)
        defer { again.close() }
        #expect(try again.snapshot().all(id) == samples(0..<50))
    }

    @Test("Concurrent appends, deletions and sealing lose no sample and restore none")
    func threads() throws {
        let test = try TestStore { options in
            options.sealSamples = 300
            options.sealBatches = 40
            options.compaction.tiers = [.init(bytes: 20_000, count: 3), .init(bytes: 200_000, count: 3)]
        }
        let store = test.store
        let ids = try (0..<4).map { try test.store.series("s\($0)", kind: .discrete).id }
        let found = onThreads(4) { thread in
            Result { () throws -> [Int64: Double] in
                var random = SeededGenerator(seed: UInt64(thread) + 5)
                var held = [Int64: Double]()
                for round in 0..<150 {
                    let first = Int64(round) * 100
                    let more = (0..<Int64(random.number(in: 1...60))).map {
                        Sample(start: (first + $0) * second, value: Double(random.below(100)))
                    }
                    try store.append(more, to: ids[thread])
                    for sample in more { held[sample.start] = sample.value }
                    if random.chance(0.3) {
                        let from = random.number(in: 0...first) * second
                        let range = TimeRange(from, from + random.number(in: 1...200) * second)
                        try store.delete(from: ids[thread], startingIn: range)
                        held = held.filter { $0.key < range.start || $0.key >= range.end }
                    }
                    if random.chance(0.03) { try store.seal() }
                }
                return held
            }
        }
        let wanted = try found.map { try $0.get() }
        for _ in 0..<2 {
            for (id, held) in zip(ids, wanted) {
                let samples = try test.store.snapshot().all(id)
                #expect(Dictionary(uniqueKeysWithValues: samples.map { ($0.start, $0.value) }) == held)
                #expect(test.store.snapshot().count(of: id) == held.count)
            }
            #expect(try test.store.verify().problems.isEmpty)
            try test.reopen()
        }
    }
}

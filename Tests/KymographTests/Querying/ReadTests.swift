// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-7 read: samples into the caller's arrays")
struct ReadTests {
    /// Returns `count` samples of one load, at distances of `step` seconds.
    private func samples(_ count: Int, from first: Int, step: Int = 1) -> [Sample] {
        (0..<count).map { i in
            Sample(start: Int64(first + i * step) * second + Int64(i * 7 % 64) * 1_000_000, value: Double(40 + i % 150))
        }
    }

    private func expectRead(
        _ snapshot: Snapshot, _ id: SeriesID, _ range: TimeRange, _ wanted: [Sample], held: Int, capacity: Int,
        _ note: String
    ) throws {
        var starts = (0..<held).map { Int64($0) }
        var values = (0..<held).map { Double($0) }
        starts.reserveCapacity(capacity)
        values.reserveCapacity(capacity)
        let before = starts
        try snapshot.read(id, over: range, starts: &starts, values: &values)
        // Compared as a whole: a failure must not print millions of numbers.
        let isRight =
            starts.count == held + wanted.count && values.count == starts.count && starts.starts(with: before)
            && zip(starts.dropFirst(held), wanted).allSatisfy { $0 == $1.start }
            && zip(values.dropFirst(held), wanted).allSatisfy { $0 == $1.value }
        #expect(isRight, "\(note): \(held) held, capacity \(capacity), \(range)")
    }

    @Test("Large answers are read into empty, reserved and filled arrays, by one thread and by two", arguments: [1, 2])
    func large(threads: Int) throws {
        let test = try TestStore { $0.threads = threads }
        let id = try test.store.series("a", kind: .discrete).id
        // More than a large page per array, and more than the size from which capacities are rounded.
        let all = samples(2_300_000, from: 0)
        try test.store.load(all, to: id)
        let snapshot = test.store.snapshot()
        let part = TimeRange(7_777 * second, 1_600_001 * second)
        let inside = Array(all[7_777..<1_600_001])
        for (held, capacity) in [(0, 0), (0, 2_300_000), (3, 0), (1_000_001, 0), (1_000_001, 3_400_000)] {
            try expectRead(snapshot, id, .all, all, held: held, capacity: capacity, "\(threads) threads")
            try expectRead(snapshot, id, part, inside, held: held, capacity: capacity, "\(threads) threads")
        }
    }

    @Test("Overlapping runs, consecutive runs, a tail and deletions give the same samples as a scan")
    func runs() throws {
        let test = try TestStore { $0.compacts = false }
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.load(samples(20_000, from: 0), to: id)
        try test.store.load(samples(20_000, from: 30_000), to: id)
        try test.store.load(samples(5_000, from: 35_000, step: 3), to: id)
        try test.store.append(samples(100, from: 60_000), to: id)
        try test.store.append(samples(100, from: 100), to: id)
        for _ in 0..<2 {
            let snapshot = test.store.snapshot()
            let ranges = [(0, 70_000), (0, 20_000), (50, 300), (20_000, 30_000), (29_999, 36_001), (60_050, 60_051)]
            for (from, to) in ranges {
                let range = TimeRange(Int64(from) * second, Int64(to) * second)
                let wanted = try snapshot.all(id, over: range)
                for held in [0, 5] {
                    try expectRead(snapshot, id, range, wanted, held: held, capacity: 0, "runs")
                }
            }
            try test.store.delete(from: id, startingIn: TimeRange(150 * second, 31_000 * second))
            try test.store.delete(from: id, startingIn: TimeRange(40_000 * second, 40_010 * second))
        }
    }

    @Test("After an error the arrays are unchanged, for any capacity and number of threads", arguments: [1, 2])
    func errors(threads: Int) throws {
        let test = try TestStore {
            $0.threads = threads
            $0.compacts = false
        }
        let disjoint = try test.store.series("disjoint", kind: .discrete).id
        let overlapping = try test.store.series("overlapping", kind: .discrete).id
        try test.store.load(samples(600_000, from: 0), to: disjoint)
        try test.store.load(samples(9_000, from: 0), to: overlapping)
        try test.store.load(samples(9_000, from: 10, step: 2), to: overlapping)
        test.store.close()
        for name in try RealDisk().list(test.path + "/segments") {
            let path = test.path + "/segments/" + name
            var bytes = try RealDisk().contents(of: path, limit: 1 << 26)
            bytes[bytes.count / 3] ^= 1
            try RealDisk().remove(path)
            try RealDisk().createFile(path, bytes)
        }
        try test.reopen()
        let snapshot = test.store.snapshot()
        for id in [disjoint, overlapping] {
            for (held, capacity) in [(0, 0), (4, 0), (4, 700_000)] {
                var starts = [Int64](repeating: 9, count: held)
                var values = [Double](repeating: 8, count: held)
                starts.reserveCapacity(capacity)
                values.reserveCapacity(capacity)
                let error = #expect(throws: StoreError.self) {
                    try snapshot.read(id, starts: &starts, values: &values)
                }
                #expect(error?.kind == .corrupt)
                #expect(starts == [Int64](repeating: 9, count: held))
                #expect(values == [Double](repeating: 8, count: held))
            }
        }
    }
}

@Suite("E-7 a scan that stops early opens only what it needs")
struct ShortScanTests {
    @Test("In a long run it reads a path of index pages and one block, in either direction")
    func oneRun() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        let all = (0..<300_000).map { Sample(start: Int64($0) * second, value: Double($0 % 90)) }
        try test.store.load(all, to: id)
        let snapshot = test.store.snapshot()
        for order in [ScanOrder.forward, .backward] {
            for at in [0, 1, 150_000, 299_998] {
                let explanation = QueryExplanation()
                let range =
                    order == .forward
                    ? TimeRange(Int64(at) * second, .max) : TimeRange(.min, Int64(300_000 - at) * second)
                var found = [Sample]()
                try snapshot.scan(id, over: range, order: order, limit: 1, explain: explanation) { batch in
                    found.append(batch[0])
                    return true
                }
                #expect(found == [order == .forward ? all[at] : all[299_999 - at]])
                #expect(explanation.blocksDecoded == 1 && explanation.indexPages <= 3, "\(order) \(at)")
            }
        }
    }

    @Test("Of many consecutive runs it opens one, in either direction")
    func manyRuns() throws {
        let test = try TestStore { $0.compacts = false }
        let id = try test.store.series("a", kind: .discrete).id
        var all = [Sample]()
        for part in [3, 0, 4, 1, 2] {
            let samples = (0..<2_000).map { Sample(start: Int64(part * 2_000 + $0) * second, value: Double(part)) }
            try test.store.load(samples, to: id)
            all += samples
        }
        try test.store.append([Sample(start: 10_000 * second, value: 9)], to: id)
        all.append(Sample(start: 10_000 * second, value: 9))
        all.sort { $0.start < $1.start }
        let snapshot = test.store.snapshot()
        #expect(try snapshot.all(id) == all)
        #expect(try snapshot.all(id, order: .backward) == all.reversed())
        for order in [ScanOrder.forward, .backward] {
            let explanation = QueryExplanation()
            var found = [Sample]()
            try snapshot.scan(id, order: order, limit: 1, explain: explanation) { batch in
                found.append(batch[0])
                return true
            }
            #expect(found == [order == .forward ? all[0] : all[10_000]])
            #expect(explanation.runs == 1 && explanation.blocksDecoded == 1, "\(order)")
        }
    }

    @Test("Samples of several runs at one instant keep the order of the runs, even if a run begins with them")
    func ties() throws {
        let test = try TestStore { $0.compacts = false }
        let id = try test.store.series("a", kind: .discrete).id
        // The third run begins before the second one, and all three include second 10.
        try test.store.load((0...10).map { Sample(start: $0 * second, value: 1) }, to: id)
        try test.store.load((10...20).map { Sample(start: $0 * second, value: 2) }, to: id)
        try test.store.load((5...12).map { Sample(start: $0 * second, value: 3) }, to: id)
        let snapshot = test.store.snapshot()
        let all = try snapshot.all(id)
        #expect(all.map(\.start) == all.map(\.start).sorted() && all.count == 30)
        #expect(all.filter { $0.start == 10 * second }.map(\.value) == [1, 2, 3])
        #expect(all.filter { $0.start == 5 * second }.map(\.value) == [1, 3])
        #expect(try snapshot.all(id, order: .backward) == all.reversed())
    }
}

@Suite("E-7 read-ahead requests each piece of a file once")
struct ReadAheadTests {
    private let window: UInt64 = 4 << 20
    private let lifetime: Int64 = 1_000_000_000

    @Test("One reader requests the next piece at a quarter of the window, without gap or overlap")
    func oneReader() {
        var asked = AskedPiece()
        #expect(asked.advance(to: 100, now: 5) == 100..<100 + window)
        #expect(asked.end == 100 + window)
        #expect(asked.advance(to: 100 + window / 4, now: 6) == nil)
        let next = 101 + window * 3 / 4
        #expect(AskedPiece.isShort(asked.end, at: next))
        #expect(asked.advance(to: next, now: 7) == 100 + window..<next + window)
    }

    @Test("Small reads in one piece request it once, until it expires; another position is requested at once")
    func smallCalls() {
        var asked = AskedPiece()
        #expect(asked.advance(to: 4_096, now: 10) != nil)
        for offset in stride(from: UInt64(4_096), to: window / 2, by: 5_000) {
            #expect(asked.advance(to: offset, now: 10 + lifetime - 1) == nil)
        }
        #expect(asked.advance(to: 8_192, now: 10 + lifetime) == 8_192..<8_192 + window)
        #expect(asked.advance(to: 0, now: 11 + lifetime) == 0..<window)
        #expect(asked.advance(to: 9 * window, now: 12 + lifetime) == 9 * window..<10 * window)
    }

    @Test("Offsets beyond any file request nothing, or the remaining bytes")
    func hostile() {
        var asked = AskedPiece()
        #expect(asked.advance(to: .max, now: 0) == nil)
        #expect(asked.advance(to: .max - 1, now: .max) == nil)
        #expect(asked.advance(to: 3, now: .min) == 3..<3 + window)
    }
}

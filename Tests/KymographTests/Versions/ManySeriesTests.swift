// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kymograph

@Suite("E-2 E-3 large numbers of series")
struct ManySeriesTests {
    private static func value(_ number: Int) -> Double { Double(number % 977) }

    @Test("After one load of 40,000 series all are found, at once and after reopening", arguments: [1, 2])
    func load(_ threads: Int) throws {
        let count = 40_000
        let test = try TestStore { $0.threads = threads }
        var random = SeededGenerator(seed: 5)
        let order = (0..<count).shuffled(using: &random)
        let starts = (0..<3).map { Int64($0) * hour }
        try test.store.bulkLoad { loader in
            var ids = [Int: SeriesID]()
            for number in 0..<count {
                ids[number] = try loader.series("steps", labels: ["subject": "\(number)"], kind: .discrete).id
            }
            for number in order {
                guard let id = ids[number] else { continue }
                let values = (0..<3).map { Self.value(number + $0) }
                try loader.append(to: id, starts: starts.span, values: values.span)
            }
            // A repeated request returns the series reserved by the first.
            #expect(try loader.series("steps", labels: ["subject": "7"], kind: .discrete).id == ids[7])
        }
        try expectAll(test.store.snapshot(), count)
        try test.reopen()
        try expectAll(test.store.snapshot(), count)
        let info = try test.store.info()
        #expect(info.series == count && info.samples == 3 * count && info.blocks == count)
        #expect(try test.store.verify().isSound)
        try test.store.compact()
        try expectAll(test.store.snapshot(), count)
    }

    private func expectAll(_ snapshot: Snapshot, _ count: Int) throws {
        #expect(snapshot.series.count == count)
        for number in stride(from: 0, to: count, by: 97) {
            let one = try #require(snapshot.series(named: "steps", labels: ["subject": "\(number)"]))
            let sum = (0..<3).reduce(0) { $0 + Self.value(number + $1) }
            #expect(try snapshot.aggregate(of: one.id).sum == sum)
            #expect(snapshot.count(of: one.id) == 3)
        }
        #expect(snapshot.series(named: "steps", labels: ["subject": "\(count)"]) == nil)
        #expect(snapshot.series(named: "steps") == nil)
    }

    @Test("A snapshot keeps its series after others are created")
    func held() throws {
        let test = try TestStore()
        var snapshots = [Snapshot]()
        for number in 0..<60 {
            snapshots.append(test.store.snapshot())
            _ = try test.store.series("s\(number)", kind: .cumulative)
        }
        for (number, snapshot) in snapshots.enumerated() {
            #expect(snapshot.series.map(\.name) == (0..<number).map { "s\($0)" })
            #expect(snapshot.series(named: "s\(number)") == nil)
            if number > 0 { #expect(snapshot.series(named: "s\(number - 1)")?.id.rawValue == Int64(number)) }
        }
    }

    @Test("Names with differently composed accents are equal, before and after reopening")
    func composed() throws {
        let test = try TestStore()
        let one = try test.store.series("caf\u{e9}", labels: ["\u{e9}": "\u{e8}"], kind: .discrete)
        #expect(try test.store.series("cafe\u{301}", labels: ["e\u{301}": "e\u{300}"], kind: .discrete).id == one.id)
        try test.reopen()
        #expect(test.store.snapshot().series(named: "cafe\u{301}", labels: ["e\u{301}": "e\u{300}"])?.id == one.id)
        // An accent that changes the byte order of the keys.
        let two = try test.store.series("b", labels: ["\u{e9}tage": "1", "site": "A"], kind: .discrete)
        for _ in 0..<2 {
            let known = try test.store.series("b", labels: ["e\u{301}tage": "1", "site": "A"], kind: .discrete)
            #expect(known.id == two.id && test.store.snapshot().series.count == 2)
            try test.reopen()
        }
    }

    @Test("A failed load reserves no series: its names may be used with another kind")
    func failedLoad() throws {
        struct Stop: Error {}
        let test = try TestStore()
        #expect(throws: Stop.self) {
            try test.store.bulkLoad { loader in
                _ = try loader.series("a", kind: .discrete)
                throw Stop()
            }
        }
        #expect(test.store.snapshot().series(named: "a") == nil)
        let other = try test.store.series("b", kind: .discrete)
        #expect(test.store.snapshot().series(named: "b") == other)
        // A later batch or load does not use the reservation either.
        for name in ["c", "d"] {
            #expect(throws: Stop.self) {
                try test.store.bulkLoad { loader in
                    _ = try loader.series(name, kind: .discrete)
                    throw Stop()
                }
            }
            if name == "c" {
                try test.store.write { _ in
                    var batch = WriteBatch()
                    batch.add(SampleRows(), to: .named("c", labels: [:], kind: .cumulative))
                    return batch
                }
            } else {
                try test.store.bulkLoad { _ = try $0.series("d", kind: .cumulative) }
            }
            #expect(test.store.snapshot().series(named: name)?.kind == .cumulative)
        }
        #expect(try test.store.series("a", kind: .cumulative).kind == .cumulative)
        #expect(test.store.snapshot().series(named: "b") == other)
    }

    @Test("A failed batch reserves no series, and a name that occurs twice makes one series")
    func failedBatch() throws {
        struct Stop: Error {}
        let test = try TestStore()
        @Sendable func batch(_ kind: SeriesKind) -> WriteBatch {
            var batch = WriteBatch()
            var rows = SampleRows()
            (rows.starts, rows.values) = ([1], [2])
            for _ in 0..<2 { batch.add(rows, to: .named("a", labels: [:], kind: kind)) }
            return batch
        }
        #expect(throws: Stop.self) {
            try test.store.write { _ in
                var failing = batch(.discrete)
                failing.inCommit = { _, _ in throw Stop() }
                return failing
            }
        }
        let receipt = try test.store.write { _ in batch(.cumulative) }
        #expect(receipt.added == 2 && Set(receipt.series).count == 1)
        #expect(test.store.snapshot().series.map(\.kind) == [.cumulative])
        #expect(throws: StoreError.self) {
            try test.store.write { _ in
                var both = WriteBatch()
                both.add(SampleRows(), to: .named("c", labels: [:], kind: .discrete))
                both.add(SampleRows(), to: .named("c", labels: [:], kind: .cumulative))
                return both
            }
        }
        let twice = try test.store.write { _ in
            var both = WriteBatch()
            for _ in 0..<2 { both.add(SampleRows(), to: .named("c", labels: [:], kind: .discrete)) }
            return both
        }
        #expect(Set(twice.series).count == 1)
        #expect(test.store.snapshot().series.count == 2)
    }

    @Test("Interleaved samples of many series are written series by series")
    func inTurn() throws {
        let test = try TestStore()
        let (series, samples) = (20_000, 12)
        try test.store.bulkLoad { loader in
            let ids = try (0..<series).map { try loader.series("s", labels: ["n": "\($0)"], kind: .discrete).id }
            for sample in 0..<samples {
                // Every third series arrives in reverse order, every fifth as intervals.
                for (number, id) in ids.enumerated() {
                    let start = Int64(number % 3 == 0 ? samples - sample : sample) * 10
                    let (starts, ends, values) = ([start], [start + 5], [Double(number)])
                    if number % 5 == 0 {
                        try loader.append(to: id, starts: starts.span, ends: ends.span, values: values.span)
                    } else {
                        try loader.append(to: id, starts: starts.span, values: values.span)
                    }
                }
            }
        }
        let snapshot = test.store.snapshot()
        #expect(try test.store.info().blocks == series)
        for number in stride(from: 0, to: series, by: 377) {
            let one = try #require(snapshot.series(named: "s", labels: ["n": "\(number)"]))
            let sums = try snapshot.aggregate(of: one.id)
            #expect(sums.count == samples && sums.sum == Double(number * samples))
            #expect(sums.last.map { $0.end - $0.start } == (number % 5 == 0 ? 5 : 0))
        }
    }

    @Test("Two loads that reserve the same series create it once")
    func twoLoads() throws {
        let test = try TestStore()
        let (starts, values) = ([Int64(1)], [2.0])
        try test.store.bulkLoad { outer in
            let mine = try outer.series("shared", kind: .discrete)
            let own = try outer.series("outer", kind: .discrete)
            try test.store.bulkLoad { inner in
                #expect(try inner.series("shared", kind: .discrete) == mine)
                _ = try inner.series("inner", kind: .discrete)
                try inner.append(to: mine.id, starts: starts.span, values: values.span)
            }
            #expect(test.store.snapshot().series.map(\.name) == ["shared", "inner"])
            try outer.append(to: mine.id, starts: starts.span, values: values.span)
            try outer.append(to: own.id, starts: starts.span, values: values.span)
        }
        #expect(test.store.snapshot().series.map(\.name) == ["shared", "outer", "inner"])
        #expect(test.store.snapshot().count(of: SeriesID(rawValue: 1)) == 2)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Campaigns
import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-3 bulk append from columns")
struct BulkLoadTests {
    @Test("A million samples round-trip, through a scan and into the caller's arrays")
    func roundTrip() throws {
        let test = try TestStore()
        let series = try test.store.series("signal", kind: .discrete)
        let n = 1_000_000
        let starts = (0..<n).map { Int64($0) * 1_953_125 + Int64($0 % 7) }
        let values = (0..<n).map { Double($0 % 1_000) * 0.001 }
        try test.store.bulkLoad { loader in
            try loader.append(to: series.id, starts: starts.span, values: values.span)
        }
        try test.reopen()
        var foundStarts = [Int64]()
        var foundValues = [Double]()
        try test.store.snapshot().read(series.id, starts: &foundStarts, values: &foundValues)
        #expect(foundStarts == starts)
        #expect(foundValues.map(\.bitPattern) == values.map(\.bitPattern))
    }

    @Test("Names and labels have a maximum length, and longer ones are refused without effect")
    func longTexts() throws {
        let test = try TestStore()
        let long = String(repeating: "x", count: Series.maximumTextBytes)
        let many = ["a": String(repeating: "x", count: Series.maximumLabelBytes - 1)]
        #expect(try test.store.series(long, labels: many, kind: .discrete).name == long)
        let before = test.store.snapshot().sequence
        for (name, labels) in [
            (long + "y", [:]), ("a", ["ab": many["a"] ?? ""]), ("a", [long + long + long: long + "y"]),
        ] as [(String, [String: String])] {
            for make in [
                { try test.store.series(name, labels: labels, kind: .discrete) },
                {
                    var series: Series?
                    try test.store.bulkLoad { series = try $0.series(name, labels: labels, kind: .discrete) }
                    return try #require(series)
                },
                {
                    try test.store.write { _ in
                        var batch = WriteBatch()
                        let rows = try SampleRows([Sample(start: 1, value: 1)])
                        batch.add(rows, to: .named(name, labels: labels, kind: .discrete))
                        return batch
                    }
                    return try #require(test.store.snapshot().series(named: name, labels: labels))
                },
            ] as [() throws -> Series] {
                let error = #expect(throws: StoreError.self) { try make() }
                #expect(error?.kind == .invalidArgument && error?.message.utf8.count ?? 0 < 200)
            }
        }
        #expect(test.store.snapshot().sequence == before)
        try test.reopen()
        #expect(test.store.snapshot().series.map(\.name) == [long])
    }

    @Test("Many series in any order, small pieces and unsorted samples load in one commit")
    func manySeries() throws {
        let test = try TestStore { $0.segmentBytes = 200_000 }
        var random = SeededGenerator(seed: 3)
        var oracles = [SeriesID: Oracle]()
        var all = [Series]()
        for i in 0..<7 { all.append(try test.store.series("s\(i)", kind: .discrete)) }
        try test.store.bulkLoad { loader in
            for round in 0..<60 {
                let series = all[random.below(all.count)]
                let count = round % 20 == 0 ? 70_000 : random.below(2_000)
                let base = Int64(random.below(1_000)) * day
                let samples = (0..<count).map { _ in
                    Sample(start: base + Int64(random.below(Int(day))), value: Double(random.below(100)))
                }
                let starts = samples.map(\.start)
                let values = samples.map(\.value)
                try loader.append(to: series.id, starts: starts.span, values: values.span)
                oracles[series.id, default: Oracle(kind: .discrete)].append(samples)
            }
        }
        let snapshot = test.store.snapshot()
        #expect(snapshot.sequence == 8)
        for (id, oracle) in oracles {
            #expect(snapshot.count(of: id) == oracle.samples.count)
            let found = try snapshot.all(id)
            #expect(found.map(\.start) == oracle.sorted.map(\.start))
            #expect(found.reduce(0) { $0 + $1.value } == oracle.samples.reduce(0) { $0 + $1.value })
        }
        #expect(try test.store.verify().problems.isEmpty)
    }

    @Test("A failed load stores nothing and leaves no file")
    func allOrNothing() throws {
        let test = try TestStore()
        let series = try test.store.series("signal", kind: .discrete)
        let starts = (0..<200_000).map { Int64($0) }
        let values = [Double](repeating: 1, count: 200_000)
        do {
            try test.store.bulkLoad { loader in
                _ = try loader.series("never", kind: .discrete)
                try loader.append(to: series.id, starts: starts.span, values: values.span)
                try loader.append(to: series.id, [5].span, [Double.nan].span)
            }
            Issue.record("loaded")
        } catch { #expect((error as? StoreError)?.kind == .invalidSample) }
        #expect(test.store.snapshot().count(of: series.id) == 0)
        #expect(test.store.snapshot().series == [series])
        #expect(try test.store.disk.list(test.path + "/segments").isEmpty)
    }

    @Test("A load with a failed file cannot commit, even if its body continues; refused samples can be skipped")
    func failedFile() throws {
        let disk = try FaultyDisk(MemoryDisk())
        let directory = try TemporaryDirectory()
        var options = StoreOptions()
        options.disk = disk
        options.catalogPath = directory.file("catalog.sqlite")
        let store = try TimeSeriesStore.create(at: "/store", options: options)
        let id = try store.series("a", kind: .discrete).id
        let later = (0..<70_000).map { Int64($0) + 1_000_000 }
        let values = [Double](repeating: 2, count: 70_000)
        disk.inject(DiskFault([.sync], pathSuffix: ".kseg"))
        #expect(throws: StoreError.self) {
            try store.bulkLoad { loader in
                try loader.append(to: id, starts: later.span, values: values.span)
                let earlier = later.map { $0 - 900_000 }
                // Finishes the first segment, which fails.
                try? loader.append(to: id, starts: earlier.span, values: values.span)
            }
        }
        disk.clearFaults()
        #expect(store.snapshot().count(of: id) == 0)
        #expect(try disk.list("/store/segments").isEmpty)
        var escaped: BulkLoader?
        try store.bulkLoad { loader in
            try loader.append(to: id, starts: [1].span, values: [1].span)
            #expect(throws: StoreError.self) { try loader.append(to: id, starts: [2].span, values: [.nan].span) }
            escaped = loader
        }
        #expect(store.snapshot().count(of: id) == 1)
        #expect(throws: StoreError.self) { try escaped?.append(to: id, starts: [3].span, values: [3].span) }
        store.close()
    }

    @Test("Two loads and a caller that create the same new series share it")
    func sameNewSeries() throws {
        let test = try TestStore()
        let store = test.store
        try store.bulkLoad { outer in
            let a = try outer.series("x", kind: .discrete)
            try store.bulkLoad { inner in
                let b = try inner.series("x", kind: .discrete)
                #expect(a.id == b.id)
                try inner.append(to: b.id, starts: [1].span, values: [1].span)
            }
            #expect(try store.series("x", kind: .discrete).id == a.id)
            #expect(throws: StoreError.self) { try store.series("x", kind: .cumulative) }
            try outer.append(to: a.id, starts: [2].span, values: [2].span)
        }
        let id = try #require(store.snapshot().series(named: "x")).id
        #expect(store.snapshot().count(of: id) == 2)
    }

    @Test("Cancelling a task ends its load, and nothing is stored")
    func cancelled() async throws {
        let test = try TestStore()
        let store = test.store
        let id = try store.series("signal", kind: .discrete).id
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try store.load((0..<100_000).map { Sample(start: Int64($0), value: 1) }, to: id)
        }
        do {
            try await task.value
            Issue.record("loaded")
        } catch { #expect((error as? StoreError)?.kind == .cancelled) }
        #expect(store.snapshot().count(of: id) == 0)
        #expect(try store.disk.list(test.path + "/segments").isEmpty)
    }

    @Test("A series created by a load appears with its commit")
    func newSeries() throws {
        let test = try TestStore()
        var made: Series?
        try test.store.bulkLoad { loader in
            let series = try loader.series("new", labels: ["a": "b"], kind: .cumulative)
            made = series
            try loader.append(to: series.id, starts: [1, 2].span, values: [3, 4].span)
        }
        try test.reopen()
        let series = try #require(test.store.snapshot().series(named: "new", labels: ["a": "b"]))
        #expect(series == made)
        #expect(try test.store.snapshot().all(series.id) == [Sample(start: 1, value: 3), Sample(start: 2, value: 4)])
    }
}

extension BulkLoader {
    fileprivate func append(to id: SeriesID, _ starts: Span<Int64>, _ values: Span<Double>) throws(StoreError) {
        try append(to: id, starts: starts, values: values)
    }
}

@Suite("E-4 durable streaming append")
struct DurableAppendTests {
    @Test("Every append is one commit and visible at once, and sealing the tail changes no answer")
    func appendAndSeal() throws {
        let test = try TestStore {
            $0.sealSamples = 500
            $0.sealBatches = 40
        }
        let a = try test.store.series("a", kind: .discrete)
        let b = try test.store.series("b", kind: .cumulative)
        var random = SeededGenerator(seed: 11)
        var oracleA = Oracle(kind: .discrete)
        var oracleB = Oracle(kind: .cumulative)
        for i in 0..<200 {
            let before = test.store.snapshot().sequence
            let samples = (0..<random.below(30)).map { _ in
                let start = Int64(random.below(1_000_000)) * second
                return Sample(
                    start: start, end: start + Int64(random.below(50)) * second, value: Double(random.below(100)))
            }
            if i % 3 == 0 {
                try test.store.append(samples, to: b.id)
                oracleB.append(samples)
            } else {
                try test.store.append(samples, to: a.id)
                oracleA.append(samples)
            }
            let snapshot = test.store.snapshot()
            if !samples.isEmpty { #expect(snapshot.sequence > before) }
            #expect(snapshot.count(of: a.id) == oracleA.samples.count)
            #expect(snapshot.count(of: b.id) == oracleB.samples.count)
            if i % 50 == 49 { try test.reopen() }
        }
        let info = try test.store.info()
        #expect(info.segments >= 1, "no segment was sealed")
        #expect(info.tailBatches <= 41)
        #expect(try test.store.snapshot().all(a.id).map(\.start) == oracleA.sorted.map(\.start))
        try test.store.seal()
        #expect(try test.store.info().tailSamples == 0)
        try test.reopen()
        let snapshot = test.store.snapshot()
        let edges = (0...50).map { Int64($0) * 20_000 * second }
        for (found, wanted) in zip(try snapshot.buckets(of: a.id, .edges(edges)), oracleA.buckets(edges)) {
            expectEqual(found, wanted)
        }
        for (found, wanted) in zip(try snapshot.buckets(of: b.id, .edges(edges)), oracleB.buckets(edges)) {
            expectEqual(found, wanted)
        }
        #expect(try test.store.verify().problems.isEmpty)
    }

    @Test("An append is acknowledged even if sealing fails afterwards; a large one to an unknown series is refused")
    func sealingFails() throws {
        let disk = try FaultyDisk(MemoryDisk())
        let directory = try TemporaryDirectory()
        var options = StoreOptions()
        options.disk = disk
        options.catalogPath = directory.file("catalog.sqlite")
        options.sealSamples = 100
        let store = try TimeSeriesStore.create(at: "/store", options: options)
        let id = try store.series("a", kind: .discrete).id
        disk.inject(DiskFault([.create], pathSuffix: ".kseg", forever: true))
        for i in 0..<3 { try store.append((0..<90).map { Sample(start: Int64($0 + i * 90), value: 1) }, to: id) }
        #expect(store.snapshot().count(of: id) == 270)
        disk.clearFaults()
        try store.append(to: id, [Sample(start: 9_999, value: 1)])
        #expect(try store.info().segments == 1)
        do {
            try store.append((0..<40_000).map { Sample(start: Int64($0), value: 1) }, to: SeriesID(rawValue: 99))
            Issue.record("stored")
        } catch { #expect(error.kind == .unknownSeries) }
        store.close()
    }

    @Test("Samples that violate a rule are refused with their position, and nothing of the call is stored")
    func invalid() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        let bad: [[Sample]] = [
            [Sample(start: 0, value: 1), Sample(start: 1, value: .nan)],
            [Sample(start: 0, value: 1), Sample(start: 1, value: .infinity)],
            [Sample(start: 0, value: 1), Sample(start: 5, end: 4, value: 1)],
            [Sample(start: 0, value: 1), Sample(start: Int64.max, value: 1)],
            [Sample(start: 0, value: 1), Sample(start: Int64.min, value: 1)],
            [Sample(start: 0, value: 1), Sample(start: 0, end: Int64.max, value: 1)],
        ]
        for samples in bad {
            do {
                try test.store.append(to: id, samples)
                Issue.record("stored \(samples)")
            } catch {
                #expect(error.kind == .invalidSample)
                #expect(error.message.contains("sample 1"))
            }
        }
        do { try test.store.append(to: id, starts: [1, 2].span, values: [1].span) } catch {
            #expect(error.kind == .invalidSample)
        }
        do { try test.store.append(to: SeriesID(rawValue: 99), [Sample(start: 1, value: 1)]) } catch {
            #expect(error.kind == .unknownSeries)
        }
        #expect(test.store.snapshot().count(of: id) == 0)
        try test.store.append(to: id, [])
        #expect(test.store.snapshot().sequence == 1)
    }
}

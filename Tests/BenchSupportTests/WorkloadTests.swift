// SPDX-License-Identifier: Apache-2.0

import BenchSupport
import FileSystem
import Foundation
import Kymograph
import TestSupport
import Testing

@Suite("B-1 B-3 B-4 B-6 workloads of the benchmarks")
struct WorkloadTests {
    @Test("times of small sets ascend, and the sets are always the same")
    func small() {
        let sets = BenchSet.small()
        #expect(sets.map(\.name) == BenchSet.names)
        for (set, again) in zip(sets, BenchSet.small()) {
            for (one, other) in zip(set.series, again.series) {
                #expect(one.times == other.times && one.values == other.values)
                #expect(zip(one.times, one.times.dropFirst()).allSatisfy { $0 < $1 }, "\(one.name)")
                #expect(one.values.allSatisfy { $0.isFinite })
            }
        }
    }

    @Test("the sizes of a store's parts add up to the sizes of its files", .ofPlainStores)
    func sizes() throws {
        let directory = try TemporaryDirectory()
        for set in try BenchSet.small(["hr", "dist"]) {
            let (store, row) = try IngestBenchmark(work: directory.path, runs: 1).bulk(set)
            let size = try SizeBenchmark(store: store)
            let files = try BenchFiles.sizes(under: store).filter { !$0.name.hasSuffix("-shm") }
            #expect(size.bytes == files.reduce(0) { $0 + $1.bytes })
            #expect(size.samples == set.samples && row.samples == set.samples)
            #expect(size.parts.contains { $0.name.hasPrefix("start: ") })
            #expect(size.parts.contains { $0.name == "index" })
            let rows = size.rows(set.name)
            #expect(rows[0].bytes == rows.dropFirst().reduce(0) { $0 + ($1.bytes ?? 0) })
        }
    }

    @Test("a damaged segment file is an error, not a size", .ofPlainStores)
    func damage() throws {
        let directory = try TemporaryDirectory()
        let (store, _) = try IngestBenchmark(work: directory.path, runs: 1).bulk(try BenchSet.small(["energy"])[0])
        let file = try #require(try BenchFiles.sizes(under: store).first { $0.name.hasSuffix(".kseg") })
        let open = try RealDisk().open("\(store)/\(file.name)", writable: true)
        try open.write([0xFF, 0xFF, 0xFF, 0xFF], at: 200)
        try open.close()
        #expect(throws: BenchError.self) { try SizeBenchmark(store: store) }
    }

    @Test("growth data is the same whichever range is generated")
    func growth() {
        let data = GrowthData(series: 3)
        var times = [Int64]()
        var values = [Double]()
        let edge = GrowthData.piece
        data.fill(edge - 500..<edge + 500, &times, &values)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        var few = [Int64]()
        var fewValues = [Double]()
        data.fill(edge + 100..<edge + 110, &few, &fewValues)
        #expect(Array(times[600..<610]) == few && Array(values[600..<610]) == fewValues)
        let part = data.part(GrowthData.time(edge), GrowthData.time(edge + 10), of: edge + 5)
        #expect(part.times.last.map { $0 < GrowthData.time(edge + 5) } == true)
    }

    @Test("growth sizes are the powers of ten up to the limit, and the limit")
    func steps() {
        #expect(GrowthBenchmark.sizes(upTo: 1_000_000_000) == [1_000_000, 10_000_000, 100_000_000, 1_000_000_000])
        #expect(GrowthBenchmark.sizes(upTo: 25_000_000) == [1_000_000, 10_000_000, 25_000_000])
        #expect(GrowthBenchmark.sizes(upTo: 100_000) == [10_000, 100_000])
    }

    @Test("naive answers start at the first edge")
    func naive() {
        #expect(NaiveAnswers.first([1, 3, 3, 5], 3) == 1)
        #expect(NaiveAnswers.first([1, 3], 9) == 2 && NaiveAnswers.first([], 0) == 0)
        let series = BenchSeries(name: "s", times: [1, 3, 5], values: [10, 20, 40])
        let found = NaiveAnswers.buckets([series], [2, 4, 6])
        #expect(found.map { $0.count } == [1, 1] && found.map { $0.sum } == [20, 40])
    }

    @Test("a wrong answer is an error")
    func noticed() throws {
        let directory = try TemporaryDirectory()
        let store = try TimeSeriesStore.create(at: directory.file("store"))
        defer { store.close() }
        let id = try store.series("s", kind: .discrete).id
        try store.append(to: id, starts: [1, 3, 5].span, values: [10, 20, 41].span)
        let found = try store.snapshot().aggregate(of: id)
        let right = BenchSeries(name: "s", times: [1, 3, 5], values: [10, 20, 41])
        try NaiveAnswers.check([found], [right], [0, 9], "test")
        for values in [[10.0, 20, 40], [10, 21, 40], [10, 20, 41, 1]] {
            let wrong = BenchSeries(name: "s", times: Array([1, 3, 5, 7][..<values.count]), values: values)
            #expect(throws: BenchError.self) { try NaiveAnswers.check([found], [wrong], [0, 9], "test") }
        }
    }

    @Test("threads run concurrently, and an error of one thread is thrown")
    func threads() throws {
        #expect(try Threads.run(4) { $0 * 2 } == [0, 2, 4, 6])
        #expect(throws: BenchError.self) {
            try Threads.run(3) { index in if index == 1 { throw BenchError("one") } }
        }
    }

    @Test("the exit status, output and cost of a process are measured")
    func process() throws {
        let shell = try #require(ChildProcess.find("sh"))
        let cost = try ProcessCost.measure(shell, ["-c", "exit 3"])
        #expect(cost.status == 3 && cost.wallSeconds > 0 && cost.peakResidentBytes > 0)
        let directory = try TemporaryDirectory()
        let child = try ChildProcess(shell, ["-c", "echo out; echo err >&2; exit 4"], work: directory.path)
        #expect(child.output == "out\n" && child.errors == "err\n" && child.status == 4)
        let error = #expect(throws: BenchError.self) { try child.require("the shell") }
        #expect(error?.description == "the shell failed with status 4: err\n")
    }
}

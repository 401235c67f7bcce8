// SPDX-License-Identifier: Apache-2.0

import Campaigns
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-10 merged sources after random operations")
struct MergedLifeTests {
    /// Three sources, of which the second has two series.
    private static let layout = [[0], [1, 2], [3]]

    @Test("Merged statistics equal an oracle's that cuts each sample by all earlier ones", arguments: 1...8)
    func life(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let test = try TestStore { options in
            options.sealSamples = 300
            options.sealBatches = 9
            options.threads = seed % 2 == 0 ? 1 : 3
        }
        let ids = try (0..<4).map { try test.store.series("\($0)", kind: .cumulative).id }
        var known = [[Sample]](repeating: [], count: 4)
        // The density of each source, so that some pairs always overlap and some rarely do.
        let spread = (0..<4).map { _ in Int64([3, 40, 2_000][random.below(3)]) * second }
        var used = Set<Int64>()
        for _ in 0..<40 {
            let s = random.below(4)
            switch random.below(10) {
            case 0...6:
                let samples = samples(&random, spread[s], &used)
                if random.below(2) == 0 {
                    try test.store.append(samples, to: ids[s])
                } else {
                    try test.store.load(samples.sorted { ($0.start, $0.end) < ($1.start, $1.end) }, to: ids[s])
                }
                known[s] += samples
            case 7: try test.store.seal()
            case 8:
                let from = Int64(random.below(20_000)) * 10 * second
                let range = TimeRange(from, from + Int64(random.below(3_000)) * 10 * second)
                try test.store.delete(from: ids[s], startingIn: range)
                known[s].removeAll { range.contains($0.start) }
            default: try test.reopen()
            }
            if random.below(4) == 0 { try compare(test, ids, known, &random, "seed \(seed)") }
        }
        try compare(test, ids, known, &random, "seed \(seed)")
    }

    @Test(
        "A repeated query after deletions, merges and removed tombstones equals a fresh one", arguments: 1...6)
    func again(seed: UInt64) throws {
        var random = SeededGenerator(seed: 90 + seed)
        let test = try TestStore { options in
            options.sealSamples = 400
            options.compacts = false
            options.deletionsKept = seed % 2 == 0 ? .zero : .seconds(3_600)
        }
        let ids = try (0..<3).map { try test.store.series("\($0)", kind: .cumulative).id }
        var used = Set<Int64>()
        for id in ids {
            for _ in 0..<4 { try test.store.append(samples(&random, 40 * second, &used), to: id) }
        }
        let merged = MergedSources(ids)
        let edges = (0...5_000).map { Int64($0) * 90 * second }
        for _ in 0..<60 {
            let id = ids[random.below(3)]
            let from = Int64(random.below(20_000)) * 10 * second
            let range = TimeRange(from, from + Int64(random.below(100)) * 10 * second)
            switch random.below(8) {
            case 0...1: try test.store.append(samples(&random, 40 * second, &used), to: id)
            case 2...3: try test.store.delete(from: id, startingIn: range)
            case 4...5: try test.store.delete(from: id, startingIn: range) { $0.sample.value < 250 }
            case 6: try test.store.seal()
            default: try test.store.compact()
            }
            if random.chance(0.3) { continue }
            let found = try test.store.snapshot().buckets(of: merged, .edges(edges), computing: .duration)
            let other = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
            defer { other.close() }
            let anew = try other.snapshot().buckets(of: merged, .edges(edges), computing: .duration)
            #expect(found.elementsEqual(anew))
        }
    }

    @Test("A repeated query equals a fresh one after all tombstones but the last were removed")
    func forgotten() throws {
        let test = try TestStore { $0.deletionsKept = .zero }
        let ids = try (0..<2).map { try test.store.series("\($0)", kind: .cumulative).id }
        for (i, id) in ids.enumerated() {
            try test.store.load(
                (0..<6_000).map {
                    Sample(start: Int64($0 * 600 + i) * second, end: Int64($0 * 600 + 400) * second, value: 9)
                },
                to: id)
        }
        let (merged, edges) = (MergedSources(ids), (0...1_000).map { Int64($0) * hour })
        let before = try test.store.snapshot().buckets(of: merged, .edges(edges))
        try test.store.delete(from: ids[0], startingIn: TimeRange(10 * hour, 12 * hour))
        try test.store.delete(from: ids[1], startingIn: TimeRange(10 * hour, 11 * hour))
        try test.store.delete(from: ids[0], startingIn: TimeRange(900 * hour, 901 * hour))
        try test.store.compact()
        let after = try test.store.snapshot().buckets(of: merged, .edges(edges))
        #expect(try test.store.info().deletions == 1)
        #expect(zip(before, after).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset) == [10, 11, 900])
        #expect(after[10].sum == nil)
    }

    /// Returns a batch of samples with unique start times.
    private func samples(
        _ random: inout SeededGenerator, _ spread: Int64, _ used: inout Set<Int64>
    ) -> [Sample] {
        var start = Int64(random.below(20_000)) * 10 * second
        return (0..<1 + random.below([3, 60, 2_000][random.below(3)])).map { _ in
            repeat { start += 1 + Int64(random.below(Int(spread))) } while !used.insert(start).inserted
            let most = random.below(50) == 0 ? 400 * spread : 2 * spread
            let length = random.below(6) == 0 ? 0 : Int64(random.below(Int(most)))
            return Sample(start: start, end: start + length, value: Double(random.below(4_000)) / 8)
        }
    }

    private func compare(
        _ test: TestStore, _ ids: [SeriesID], _ known: [[Sample]], _ random: inout SeededGenerator, _ note: String
    ) throws {
        let snapshot = test.store.snapshot()
        let layout = Self.layout.shuffled(using: &random)
        let oracle = MergedOracle(sources: layout.map { $0.map { known[$0] } })
        let merged = MergedSources(sources: layout.map { $0.map { ids[$0] } })
        let width = Int64([500, 4_000, 60_000][random.below(3)]) * 10 * second
        let from = Int64(random.below(10_000)) * 10 * second
        let edges = (0...Int64(1 + random.below(30))).map { from + $0 * width }
        let found = try snapshot.buckets(of: merged, .edges(edges), computing: .duration)
        for (a, b) in zip(found, oracle.buckets(edges)) { expectEqual(a, b, note) }
        // Single buckets equal those of the table to the last bit, although each scans all earlier time.
        for i in 0..<edges.count - 1 where i < 2 || random.below(6) == 0 {
            let one = try snapshot.aggregate(
                of: merged, over: TimeRange(edges[i], edges[i + 1]), computing: .duration)
            #expect(one == found[i], "\(note): bucket \(i) alone")
        }
        // Repeated queries are cached, and only buckets touched by commits are recomputed.
        let usual = MergedSources(sources: Self.layout.map { $0.map { ids[$0] } })
        for one in try snapshot.buckets(of: usual, .fixed(nanoseconds: 5_000 * second), computing: .duration)
        where random.below(8) == 0 {
            let alone = try snapshot.aggregate(of: usual, over: TimeRange(one.start, one.end), computing: .duration)
            #expect(one == alone, "\(note): cached")
        }
        let chosen = Set(ids.filter { _ in random.below(2) == 0 })
        var some = merged
        some.counting = chosen
        let parts = try snapshot.buckets(of: some, .edges(edges))
        for (a, b) in zip(parts, oracle.buckets(edges) { chosen.contains(ids[layout[$0][$1]]) }) {
            expectEqual(a, b, note + " counting some")
        }
    }
}

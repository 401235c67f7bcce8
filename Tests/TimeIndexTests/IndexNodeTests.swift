// SPDX-License-Identifier: Apache-2.0

import Kernels
import Synchronization
import TestSupport
import Testing

@testable import TimeIndex

@Suite("E-3 index pages in memory: columns, searches and a bounded cache")
struct IndexNodeTests {
    @Test("A node returns every field of every entry")
    func fields() {
        var random = TestRandom(seed: 77)
        for count in [1, 2, 63, 64] {
            let entries = TestTree.entries(count, &random)
            let node = IndexNode(IndexPage(level: 0, entries: entries))
            #expect(node.count == count && node.level == 0 && node.childrenInMemory().isEmpty)
            for (i, entry) in entries.enumerated() {
                #expect(bits(node.summary(i)) == bits(entry.summary))
                #expect(node.offset(i) == entry.offset && node.length(i) == entry.length)
                #expect(node.firstStart(i) == entry.summary.firstStart && node.lastStart(i) == entry.summary.lastStart)
                #expect(node.lastEnd(i) == entry.summary.lastEnd && node.lastValue(i) == entry.summary.lastValue)
                #expect(node.maxEnd(i) == entry.summary.maxEnd && node.samples(i) == entry.summary.count)
                #expect(node.maxEndExceptLast(i) == entry.summary.maxEndExceptLast)
            }
        }
    }

    @Test("The search for the first entry at or after an instant equals a linear search")
    func search() {
        var random = TestRandom(seed: 78)
        for _ in 0..<50 {
            let entries = TestTree.entries(random.within(1...64), &random)
            let node = IndexNode(IndexPage(level: 0, entries: entries))
            var keys = [Int64.min, 0, Int64.max]
            for entry in entries { keys += [entry.summary.lastStart &- 1, entry.summary.lastStart] }
            for key in keys {
                for low in [0, 1, node.count / 2, node.count] where low <= node.count {
                    let wanted = entries.indices.first { $0 >= low && entries[$0].summary.lastStart >= key }
                    #expect(node.firstEntry(startingAtOrAfter: key, from: low) == wanted ?? entries.count)
                }
            }
        }
    }

    @Test("The cache stays within its bound, evicts unused pages and detaches them from their parents")
    func cache() {
        var random = TestRandom(seed: 79)
        let cache = IndexCache(bytes: 0)
        // The minimum capacity is 64 pages.
        let parents = (0..<4).map { _ in IndexNode(IndexPage(level: 1, entries: TestTree.entries(64, &random))) }
        let leaf = TestTree.entries(3, &random)
        var favourite: IndexNode?
        for (p, parent) in parents.enumerated() {
            for i in 0..<64 {
                let page = IndexNode(IndexPage(level: 0, entries: leaf))
                cache.keep(page, below: parent, entry: i)
                if p == 0, i == 7 { favourite = page }
                favourite?.touch()
                #expect(cache.count <= 64)
            }
        }
        let left = parents.flatMap { $0.childrenInMemory() }.compactMap { $0 }
        #expect(left.count == 64)
        // Pages used in every round are still cached.
        #expect(parents[0].childrenInMemory()[7] === favourite)
        #expect(parents[3].childrenInMemory().compactMap { $0 }.count >= 60)
    }

    @Test("A page read by two threads stays attached as long as the later copy is cached")
    func readTwice() {
        var random = TestRandom(seed: 80)
        let cache = IndexCache(bytes: 0)
        let parents = (0..<2).map { _ in IndexNode(IndexPage(level: 1, entries: TestTree.entries(64, &random))) }
        let leaf = IndexPage(level: 0, entries: TestTree.entries(3, &random))
        let again = IndexNode(leaf)
        cache.keep(IndexNode(leaf), below: parents[0], entry: 5)
        cache.keep(again, below: parents[0], entry: 5)
        // Fills the clock; the last page of the loop takes the slot of the first copy.
        for i in 0..<63 { cache.keep(IndexNode(leaf), below: parents[1], entry: i) }
        #expect(cache.count == 64 && parents[0].childrenInMemory()[5] === again)
        cache.keep(IndexNode(leaf), below: parents[1], entry: 63)
        #expect(parents[0].childrenInMemory()[5] == nil)
    }

    @Test("No evicted page stays attached, with any number of reading threads")
    func bounded() {
        var random = TestRandom(seed: 81)
        let cache = IndexCache(bytes: 0)
        let parents = (0..<6).map { _ in IndexNode(IndexPage(level: 1, entries: TestTree.entries(64, &random))) }
        let leaf = IndexPage(level: 0, entries: [])
        _ = onThreads(4) { thread in
            var random = TestRandom(seed: UInt64(thread))
            for _ in 0..<30_000 {
                let parent = parents[random.below(4)]
                let i = random.below(64)
                if let page = parent.childrenInMemory()[i] {
                    page.touch()
                } else {
                    cache.keep(IndexNode(leaf), below: parent, entry: i)
                }
            }
        }
        let hanging = parents.flatMap { $0.childrenInMemory() }.compactMap { $0 }
        #expect(hanging.count <= 64 && cache.count == 64)
        // Two rounds of the clock, so that used pages are evicted too.
        for i in 0..<128 { cache.keep(IndexNode(leaf), below: parents[4 + i / 64], entry: i % 64) }
        #expect(parents[0..<4].allSatisfy { $0.childrenInMemory().allSatisfy { $0 == nil } })
    }

    @Test("Roots count like other pages, and a root does not keep a released run alive")
    func roots() {
        final class Run: IndexRootHolder {
            let root = Mutex<IndexNode?>(nil)
            func hang(_ page: IndexNode) { root.withLock { $0 = page } }
            func forget(_ page: IndexNode) { root.withLock { if $0 === page { $0 = nil } } }
        }
        let cache = IndexCache(bytes: 0)
        let leaf = IndexPage(level: 0, entries: [])
        var runs = (0..<200).map { _ in Run() }
        for run in runs { cache.keep(IndexNode(leaf), rootOf: run) }
        #expect(cache.count == 64 && runs.filter { $0.root.withLock { $0 != nil } }.count == 64)
        weak let gone = runs.last
        runs = []
        #expect(gone == nil)
    }
}

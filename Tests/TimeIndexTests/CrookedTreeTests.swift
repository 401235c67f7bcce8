// SPDX-License-Identifier: Apache-2.0

import Kernels
import Testing
import TimeIndex

/// Pages arranged to mislead a reader. Each page is valid on its own; the scan must report an error and end.
@Suite("Index: malformed trees end in an error, never in an endless scan")
struct CrookedTreeTests {
    /// Pages by offset, without checks.
    private final class Pages {
        var pages: [UInt64: IndexPage] = [:]
        var reads = 0

        func page(offset: UInt64, length: UInt32, level: UInt8) throws(IndexError) -> IndexPage {
            reads += 1
            guard let page = pages[offset] else { throw IndexError(.unreadable, at: offset, "no such page") }
            return page
        }
    }

    private func entry(_ offset: UInt64, from: Int64, to: Int64) -> IndexEntry {
        let summary = Kernel.summarize(
            starts: [from, to], ends: nil, values: [1, 2], range: 0..<2, minBorn: 1, maxBorn: 1)
        return IndexEntry(offset: offset, length: 100, summary: summary)
    }

    /// Scans a tree. Expects a lost page whose error contains `reason`, and at most `reads` pages.
    private func expectLost(_ pages: Pages, _ root: IndexRoot, reads: Int, _ reason: String) {
        let lost = scan(pages, root).lost
        #expect(lost.contains { $0.contains(reason) }, "\(lost)")
        #expect(pages.reads <= reads)
    }

    private func scan(_ pages: Pages, _ root: IndexRoot) -> (lost: Set<String>, contradictions: [UInt64], blocks: Int) {
        pages.reads = 0
        var found = (lost: Set<String>(), contradictions: [UInt64](), blocks: 0)
        var scan = IndexScan(root, summary: pages.pages[root.offset]?.summary ?? Summary(), page: pages.page)
        scan.run { finding in
            switch finding {
            case .block: found.blocks += 1
            case .lost(_, _, let why): found.lost.insert("\(why)")
            case .contradiction(let offset, _, _): found.contradictions.append(offset)
            }
        }
        return found
    }

    @Test("A page that references itself is refused")
    func itself() {
        let pages = Pages()
        pages.pages[500] = IndexPage(level: 1, entries: [entry(500, from: 0, to: 9)])
        expectLost(pages, IndexRoot(offset: 500, length: 100, levels: 2), reads: 2, "level 1 instead of level 0")
    }

    @Test("A level that does not fall, an empty page, too many levels and a missing page are refused")
    func levels() {
        let pages = Pages()
        pages.pages[900] = IndexPage(level: 2, entries: [entry(500, from: 0, to: 9)])
        pages.pages[500] = IndexPage(level: 0, entries: [entry(100, from: 0, to: 9)])
        func root(_ offset: UInt64, _ levels: UInt8) -> IndexRoot {
            IndexRoot(offset: offset, length: 100, levels: levels)
        }
        expectLost(pages, root(900, 3), reads: 2, "level 0 instead of level 1")
        expectLost(pages, root(900, 2), reads: 1, "level 2 instead of level 1")
        expectLost(pages, root(900, 200), reads: 0, "level 199")
        expectLost(pages, root(901, 1), reads: 1, "no such page")
        pages.pages[500] = IndexPage(level: 1, entries: [])
        expectLost(pages, root(900, 3), reads: 2, "no entries")
    }

    @Test("A child whose times differ from its parent's entry is reported")
    func times() {
        let pages = Pages()
        pages.pages[900] = IndexPage(level: 1, entries: [entry(500, from: 0, to: 9)])
        pages.pages[500] = IndexPage(level: 0, entries: [entry(100, from: 1, to: 9)])
        let root = IndexRoot(offset: 900, length: 100, levels: 2)
        #expect(scan(pages, root).contradictions == [500])
        pages.pages[500] = IndexPage(level: 0, entries: [entry(100, from: 0, to: 10)])
        #expect(scan(pages, root).contradictions == [500])
        pages.pages[500] = IndexPage(level: 0, entries: [entry(100, from: 0, to: 9)])
        #expect(scan(pages, root).contradictions.isEmpty)
    }

    @Test("A tree whose pages share all children (64 to the power of 8 paths) is refused")
    func shared() {
        let pages = Pages()
        // Every level is one page whose 64 entries reference the same page below; all times are equal.
        for level in 0..<UInt8(8) {
            let below = UInt64(level) * 1000
            pages.pages[below + 1000] = IndexPage(
                level: level, entries: [IndexEntry](repeating: entry(below, from: 0, to: 0), count: 64))
        }
        expectLost(pages, IndexRoot(offset: 8000, length: 100, levels: 8), reads: 200, "more pages than the segment")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import Kernels

/// The runs of each series of a version: first the runs in segments, by segment, then the runs in the tail, by commit.
///
/// The runs are in pages, one page for each 1,024 series numbers. A new version shares all unchanged pages with the one
/// before.
struct RunTable: Sendable {
    /// The pages, ascending by number.
    private var pages: [RunPage] = []
    private var order = PageOrder()

    /// The runs of a series; empty if there is no such series.
    subscript(series: Int64) -> [Run] {
        guard let place = order.place(of: PageNumber.of(series), pages.count, { pages[$0].number }) else { return [] }
        return pages[place].runs(PageNumber.slot(of: series))
    }

    /// Adds the runs of a segment before the runs in the tail, so that the order is by age.
    mutating func add(_ file: SegmentFile) {
        forEachPage(of: file) { page, rows in page.add(file, rows) }
    }

    mutating func add(_ block: TailBlock) { change(block.series) { $0.append(.tail(block)) } }

    /// Removes the runs of some segments.
    mutating func remove(_ files: [SegmentFile]) {
        let gone = Set(files.map(\.row.id))
        var numbers = Set<Int64>()
        for file in files { forEachPage(of: file) { page, _ in numbers.insert(page.number) } }
        for number in numbers { page(number).remove(gone) }
        pages.removeAll(where: \.isEmpty)
        order = PageOrder(pages.count) { pages[$0].number }
    }

    /// Removes a series' runs in some rows of the tail. Returns the number of samples removed.
    mutating func removeTail(of series: Int64, _ rows: Set<Int64>) -> Int {
        var removed = 0
        change(series) { runs in
            runs.removeAll { run in
                guard case .tail(let block) = run, rows.contains(block.seq) else { return false }
                removed += Int(block.summary.count)
                return true
            }
        }
        return removed
    }

    /// Returns the table without unwanted runs. `part` decides for whole segments; nil leaves the decision to
    /// `isWanted` for each run.
    func filter(segments part: (SegmentFile) -> Bool?, runs isWanted: (Run) -> Bool) -> RunTable {
        var table = RunTable()
        table.pages = pages.compactMap { page in
            let left = page.filter(part, isWanted)
            return left.isEmpty ? nil : left
        }
        table.order = PageOrder(table.pages.count) { table.pages[$0].number }
        return table
    }

    private mutating func change(_ series: Int64, _ body: (inout [Run]) -> Void) {
        page(PageNumber.of(series)).change(PageNumber.slot(of: series), body)
    }

    /// Calls `body` with each page that has runs of a segment, and with the positions of their rows.
    private mutating func forEachPage(of file: SegmentFile, _ body: (RunPage, Range<Int>) -> Void) {
        let series = file.row.runs.series
        var first = 0
        while first < series.count {
            let number = PageNumber.of(series[first])
            var end = first
            while end < series.count, PageNumber.of(series[end]) == number { end += 1 }
            body(page(number), first..<end)
            first = end
        }
    }

    /// Returns the page with a number, after creating it or copying a shared page if necessary. No other table shares
    /// the result.
    private mutating func page(_ number: Int64) -> RunPage {
        if let place = order.place(of: number, pages.count, { pages[$0].number }) {
            if !isKnownUniquelyReferenced(&pages[place]) { pages[place] = pages[place].copy() }
            return pages[place]
        }
        let place = order.insertion(of: number, pages.count) { pages[$0].number }
        pages.insert(RunPage(number), at: place)
        order = PageOrder(pages.count) { pages[$0].number }
        return pages[place]
    }
}

/// A sequence of the series that have runs, ascending, with their runs. Iteration caches no decoded runs.
extension RunTable: Sequence {
    struct Iterator: IteratorProtocol {
        fileprivate let pages: [RunPage]
        private var page = -1
        private var runs: [[Run]] = []
        private var slot = 0

        fileprivate init(_ pages: [RunPage]) { self.pages = pages }

        mutating func next() -> (series: Int64, runs: [Run])? {
            while true {
                while slot < runs.count {
                    slot += 1
                    if !runs[slot - 1].isEmpty {
                        return (PageNumber.series(pages[page].number, slot - 1), runs[slot - 1])
                    }
                }
                page += 1
                if page >= pages.count { return nil }
                (runs, slot) = (pages[page].all, 0)
            }
        }
    }

    func makeIterator() -> Iterator { Iterator(pages) }

    var all: some Sequence<Run> { lazy.flatMap(\.runs) }

    /// The series that have runs, ascending.
    var series: [Int64] { map(\.series) }
}

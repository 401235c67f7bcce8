// SPDX-License-Identifier: Apache-2.0

import Catalog
import Kernels

/// The runs of each series of a version: those in segments by segment, then those in the tail by commit.
///
/// They lie in pages, one for each 1,024 numbers of series. A version shares with the one before all pages but those
/// that changed.
struct RunTable: Sendable {
    /// Ascending.
    private var pages: [RunPage] = []
    private var order = PageOrder()

    /// The runs of a series, none if there is no such series.
    subscript(series: Int64) -> [Run] {
        guard let place = order.place(of: PageNumber.of(series), pages.count, { pages[$0].number }) else { return [] }
        return pages[place].runs(PageNumber.slot(of: series))
    }

    /// Adds the runs of a segment before those in the tail, so that the order says what is older.
    mutating func add(_ file: SegmentFile) {
        forEachPage(of: file) { page, rows in page.add(file, rows) }
    }

    /// Adds a run in the tail.
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

    /// Removes the runs of a series that are in some rows of the tail; how many samples they had.
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

    /// The table without the runs of which `part` leaves out all. Of whole segments it is asked before their runs are
    /// looked at: nil leaves that to each run.
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

    /// Calls `body` with each page that a segment has runs of, and with the places of their rows.
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

    /// The page of a number, made where there is none, which no other table has.
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

/// Each series that has runs, ascending, with its runs. What a walk over all of them puts together is not kept.
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

    /// All runs.
    var all: some Sequence<Run> { lazy.flatMap(\.runs) }

    /// The series that have runs, ascending.
    var series: [Int64] { map(\.series) }
}

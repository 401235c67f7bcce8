// SPDX-License-Identifier: Apache-2.0

import Catalog
import Kernels

/// The runs of each series of a version: those in segments by segment, then those in the tail by commit.
///
/// They lie in pages, one for each 1,024 numbers of series. A version shares with the one before all pages but those
/// that changed. Of a page that nobody asked for only its segments' rows are there.
struct RunTable: Sendable {
    /// Ascending.
    private var pages: [RunPage] = []

    /// The runs of a series, none if there is no such series.
    subscript(series: Int64) -> [Run] {
        get {
            let number = PageNumber(series)
            let place = place(of: number)
            guard place < pages.count, pages[place].number == number else { return [] }
            return pages[place].runs(PageNumber.slot(of: series))
        }
        set { change(series) { $0 = newValue } }
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
        var numbers = Set<PageNumber>()
        for file in files { forEachPage(of: file) { page, _ in numbers.insert(page.number) } }
        for number in numbers { pages[place(of: number)].remove(gone) }
        pages.removeAll { $0.isEmpty }
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
        return table
    }

    private mutating func change(_ series: Int64, _ body: (inout [Run]) -> Void) {
        let number = PageNumber(series)
        let place = place(of: number)
        if place == pages.count || pages[place].number != number { pages.insert(RunPage(number), at: place) }
        pages[place].change(PageNumber.slot(of: series), body)
    }

    /// Calls `body` with each page that a segment has runs of, and with the places of their rows.
    private mutating func forEachPage(of file: SegmentFile, _ body: (inout RunPage, Range<Int>) -> Void) {
        let series = file.row.runs.series
        var first = 0
        while first < series.count {
            let number = PageNumber(series[first])
            var end = first
            while end < series.count, PageNumber(series[end]) == number { end += 1 }
            let place = place(of: number)
            if place == pages.count || pages[place].number != number { pages.insert(RunPage(number), at: place) }
            body(&pages[place], first..<end)
            first = end
        }
    }

    private func place(of number: PageNumber) -> Int {
        number.place(among: pages.count) { pages[$0].number }
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
                    if !runs[slot - 1].isEmpty { return (pages[page].number.series(at: slot - 1), runs[slot - 1]) }
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

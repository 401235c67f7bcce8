// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// A merge of runs into one order, forward or backward.
///
/// The merge opens a run when it reaches the run's time. A caller that stops early decodes no block of a later run.
/// Memory holds one block for each run that overlaps the current time.
struct RunMerge {
    /// A run, its series and the mask of its deleted samples.
    typealias Source = (run: Run, series: SeriesID, mask: Mask?)

    private let backward: Bool
    /// The runs that are not open yet, each with its position among all runs. The next run is the last element.
    private var waiting: [(place: Int, source: Source)]
    /// The open runs, in the order of their positions.
    private var cursors: [(place: Int, cursor: RunCursor)] = []
    /// The cursor that provided the last rows.
    private var used: Int?
    private let open: (Source) throws(StoreError) -> RunCursor

    /// - Parameter sources: if samples are equal in the order, the sample of the earlier run comes first.
    init(
        _ sources: [Source], backward: Bool, _ open: @escaping (Source) throws(StoreError) -> RunCursor
    ) {
        self.backward = backward
        self.open = open
        waiting = sources.enumerated().map { ($0, $1) }
        waiting.sort { a, b in
            let (x, y) = (Self.edge(a.source, backward), Self.edge(b.source, backward))
            if x == y { return a.place > b.place }
            return backward ? x < y : x > y
        }
    }

    /// Returns the first start of a run or, backward, the last start.
    private static func edge(_ source: Source, _ backward: Bool) -> Int64 {
        backward ? source.run.lastStart : source.run.firstStart
    }

    /// Returns the next rows, at least one, and their cursor; nil at the end.
    /// - Requires: the caller consumes the rows before the next call.
    mutating func next() throws(StoreError) -> (cursor: RunCursor, rows: Range<Int>)? {
        if let used, cursors[used].cursor.isAtEnd { cursors.remove(at: used) }
        used = nil
        while true {
            if cursors.isEmpty {
                if waiting.isEmpty { return nil }
                try openNext()
                continue
            }
            var (best, bound) = choose()
            let cursor = cursors[best].cursor
            if let edge = waiting.last.map({ Self.edge($0.source, backward) }) {
                if backward ? edge >= cursor.head.start : edge <= cursor.head.start {
                    try openNext()
                    continue
                }
                // Stop at the start of the next run.
                let limit: RunCursor.Head = backward ? (edge, .max, .max) : (edge, .min, .min)
                if bound.map({ backward ? limit > $0 : limit < $0 }) ?? true { bound = limit }
            }
            used = best
            return (cursor, cursor.rows(before: bound))
        }
    }

    private mutating func openNext() throws(StoreError) {
        guard let (place, source) = waiting.popLast() else { return }
        let cursor = try open(source)
        if cursor.isAtEnd { return }
        let at = cursors.firstIndex { $0.place > place } ?? cursors.count
        cursors.insert((place, cursor), at: at)
    }

    /// Returns the cursor with the next sample, and the head of the cursor after it.
    private func choose() -> (best: Int, bound: RunCursor.Head?) {
        var best = 0
        var head = cursors[0].cursor.head
        var bound: RunCursor.Head?
        for i in 1..<Swift.max(1, cursors.count) {
            let other = cursors[i].cursor.head
            // Of equal samples, the earlier run's comes first forward and last backward.
            if backward ? other >= head : other < head {
                bound = head
                head = other
                best = i
            } else if let known = bound {
                if backward ? other > known : other < known { bound = other }
            } else {
                bound = other
            }
        }
        return (best, bound)
    }
}

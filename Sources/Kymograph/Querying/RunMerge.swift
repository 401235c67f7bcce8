// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// A merge of runs into one order, forward or backward.
///
/// A run is opened when the merge reaches its time. A caller that stops early decodes no block of a run that lies
/// behind, and memory holds one block for each run that overlaps the others there.
struct RunMerge {
    /// A run with what hides samples of it.
    typealias Source = (run: Run, series: SeriesID, mask: Mask?)

    private let backward: Bool
    /// Runs that are not open, the next one last, each with its place among all runs.
    private var waiting: [(place: Int, source: Source)]
    /// The runs that are open, in the order of their places.
    private var cursors: [(place: Int, cursor: RunCursor)] = []
    /// The cursor that gave the last rows.
    private var used: Int?
    private let open: (Source) throws(StoreError) -> RunCursor

    /// - Parameter sources: of samples that are equal in the order, those of an earlier run come first.
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

    /// The first start of a run, or backward its last one.
    private static func edge(_ source: Source, _ backward: Bool) -> Int64 {
        backward ? source.run.lastStart : source.run.firstStart
    }

    /// The rows that come next, at least one, of the cursor that has them; nil at the end. The caller consumes them.
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
                // Up to where the next run begins.
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

    /// The cursor whose sample comes next, and the head of the one after it.
    private func choose() -> (best: Int, bound: RunCursor.Head?) {
        var best = 0
        var head = cursors[0].cursor.head
        var bound: RunCursor.Head?
        for i in 1..<Swift.max(1, cursors.count) {
            let other = cursors[i].cursor.head
            // Of equal samples the earlier run's comes first, in both directions' own sense.
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

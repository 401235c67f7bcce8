// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

extension Snapshot {
    /// Returns the ranges of time that commits after a given one may have changed.
    ///
    /// New samples are added one by one, so a commit with a sample of today and one of ten years ago yields two short
    /// ranges. A bulk load yields one range. The ranges are in no order and may overlap.
    func touched(
        _ ids: [SeriesID], after seq: Int64, _ explanation: QueryExplanation?
    ) throws(StoreError) -> [TimeRange] {
        var found = [TimeRange]()
        let part = Snapshot(version: version.born(in: CommitRange(after: seq, through: sequence)))
        let scratch = QueryScratch(explanation)
        for id in ids {
            let tombstones = part.version.tombstones(of: id)
            for run in part.runs(id) {
                let mask = tombstones?.mask(over: run)
                switch run {
                case .tail(let block): try note(.tail(block, mask), scratch, &found)
                case .segment(let index) where run.births.first <= seq:
                    for entry in try index.blocks(startingIn: .all, hiding: mask, explanation) {
                        try note(.segment(index, entry), scratch, &found)
                    }
                case .segment:
                    found.append(TimeRange(run.firstStart, Swift.max(run.maxEnd, run.lastStart) &+ 1))
                }
            }
            try noteDeleted(id, after: seq, scratch, &found)
        }
        return found
    }

    /// Adds the times of a block's samples; nearby samples become one range.
    private func note(
        _ found: FoundBlock, _ scratch: QueryScratch, _ ranges: inout [TimeRange]
    ) throws(StoreError) {
        try found.load([.starts, .ends], scratch)
        let block = scratch.block
        Self.note(block, Array(0..<block.count), &ranges)
    }

    /// Adds the times of some of a block's samples; nearby samples become one range.
    static func note(_ block: BlockBuffer, _ rows: [Int], _ ranges: inout [TimeRange]) {
        note(
            rows.map { row in
                let start = block.starts[row]
                return TimeRange(start, Swift.max(block.end(at: row), start) &+ 1)
            }, &ranges)
    }

    /// Adds times in ascending order of start; nearby times become one range.
    static func note(_ times: [TimeRange], _ ranges: inout [TimeRange]) {
        guard let first = times.first, let last = times.last else { return }
        // Limits the ranges of a block to a few hundred.
        let gap = distance(first.start, last.start) / 128
        var range = first
        for one in times.dropFirst() {
            if one.start > range.end, distance(range.end, one.start) > gap {
                ranges.append(range)
                range = one
            } else {
                range.end = Swift.max(range.end, one.end)
            }
        }
        ranges.append(range)
    }

    /// Returns the time between two instants, clamped to `Int64.max`.
    /// - Requires: `second` is not before `first`.
    private static func distance(_ first: Int64, _ second: Int64) -> Int64 {
        let (distance, overflow) = second.subtractingReportingOverflow(first)
        return overflow ? .max : distance
    }
}

extension TimeRange {
    /// Returns the ranges in order; ranges that overlap or adjoin are joined.
    static func joined(_ ranges: [TimeRange]) -> [TimeRange] {
        var found = [TimeRange]()
        for range in ranges.sorted(by: { $0.start < $1.start }) {
            if let last = found.last, range.start <= last.end {
                found[found.count - 1].end = max(last.end, range.end)
            } else {
                found.append(range)
            }
        }
        return found
    }

    /// Returns the ranges, or one range over all of them if there are many: one larger query is then faster.
    /// - Requires: the ranges are in order.
    static func few(_ ranges: [TimeRange]) -> [TimeRange] {
        guard ranges.count > 64, let first = ranges.first, let last = ranges.last else { return ranges }
        return [TimeRange(first.start, last.end)]
    }
}

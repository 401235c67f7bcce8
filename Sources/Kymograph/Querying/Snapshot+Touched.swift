// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

extension Snapshot {
    /// The ranges of time in which later commits than one may have changed something.
    ///
    /// New samples are looked at one by one, so that a commit with one of today and one of ten years ago touches two
    /// moments and not ten years. What a load wrote is one stretch. In no order, and some of them again and again.
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

    /// Adds the times of a block's samples, those near each other as one range.
    private func note(
        _ found: FoundBlock, _ scratch: QueryScratch, _ ranges: inout [TimeRange]
    ) throws(StoreError) {
        try found.load([.starts, .ends], scratch)
        let block = scratch.block
        Self.note(block, Array(0..<block.count), &ranges)
    }

    /// Adds the times of some of a block's samples, those near each other as one range.
    static func note(_ block: BlockBuffer, _ rows: [Int], _ ranges: inout [TimeRange]) {
        note(
            rows.map { row in
                let start = block.starts[row]
                return TimeRange(start, Swift.max(block.end(at: row), start) &+ 1)
            }, &ranges)
    }

    /// Adds times that ascend by their start, those near each other as one range.
    static func note(_ times: [TimeRange], _ ranges: inout [TimeRange]) {
        guard let first = times.first, let last = times.last else { return }
        // A block never becomes more than some hundred ranges.
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

    /// From one instant to a later one.
    private static func distance(_ first: Int64, _ second: Int64) -> Int64 {
        let (distance, overflow) = second.subtractingReportingOverflow(first)
        return overflow ? .max : distance
    }
}

extension TimeRange {
    /// Ranges in order, those that meet taken together.
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

    /// Ranges in order; one over all of them where they are many, for then one query over everything between is faster.
    static func few(_ ranges: [TimeRange]) -> [TimeRange] {
        guard ranges.count > 64, let first = ranges.first, let last = ranges.last else { return ranges }
        return [TimeRange(first.start, last.end)]
    }
}

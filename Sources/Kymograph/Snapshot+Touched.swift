// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

extension Snapshot {
    /// The ranges of time in which later commits than one may have changed something.
    ///
    /// New samples are looked at one by one, so that a commit with one of today and one of ten years ago touches two
    /// moments and not ten years. What a load wrote is one stretch, and so is everything where there are many ranges.
    func touched(
        _ ids: [SeriesID], after seq: Int64, _ explanation: QueryExplanation?
    ) throws(StoreError) -> [TimeRange] {
        var found = [TimeRange]()
        let part = Snapshot(version: version.born(in: BirthWindow(after: seq, through: sequence)))
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
            let isShared = try known(id).kind == .cumulative
            for one in version.tombstones(of: id)?.all.reversed() ?? [] {
                if one.born <= seq { break }
                // A deleted sample reached into later buckets, and where it ended may be known to nobody any more.
                let range = isShared ? TimeRange(one.range.start, .max) : one.range
                found.append(range)
            }
        }
        let joined = TimeRange.joined(found)
        guard joined.count > Self.mostTouched, let first = joined.first, let last = joined.last else { return joined }
        return [TimeRange(first.start, last.end)]
    }

    /// With more ranges one query over everything between is faster.
    private static var mostTouched: Int { 64 }

    /// Adds the times of a block's samples, those near each other as one range.
    private func note(
        _ found: FoundBlock, _ scratch: QueryScratch, _ ranges: inout [TimeRange]
    ) throws(StoreError) {
        try found.load([.starts, .ends], scratch)
        let block = scratch.block
        guard block.count > 0 else { return }
        // A block never becomes more than some hundred ranges.
        let gap = Self.distance(block.starts[0], block.starts[block.count - 1]) / 128
        var range = TimeRange(block.starts[0], block.starts[0])
        for row in 0..<block.count {
            let (start, end) = (block.starts[row], Swift.max(block.end(at: row), block.starts[row]) &+ 1)
            if start > range.end, Self.distance(range.end, start) > gap {
                ranges.append(range)
                range = TimeRange(start, end)
            } else {
                range.end = Swift.max(range.end, end)
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
}

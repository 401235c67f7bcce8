// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import TimeIndex

extension Snapshot {
    /// Adds the times of the samples of a series that commits after `seq` deleted.
    ///
    /// A deletion records the starts of its samples, but a sample of a cumulative series also affects later times.
    /// While no file omits a hidden sample (the deletion is newer than the horizon), the files have the exact times.
    /// Otherwise any time from the deletion's start on may have changed in a cumulative series.
    func noteDeleted(
        _ id: SeriesID, after seq: Int64, _ scratch: QueryScratch, _ found: inout [TimeRange]
    ) throws(StoreError) {
        guard let all = version.tombstones(of: id)?.all, let last = all.last, last.born > seq else { return }
        let first = (all.lastIndex { $0.born <= seq } ?? -1) + 1
        let isShared = try known(id) == .cumulative
        let horizon = version.past.horizon
        var there = [Tombstone]()
        for one in all[first...] {
            if let listed = one.listed, !isShared {
                Self.note(listed.starts.map { TimeRange($0, $0 &+ 1) }, &found)
            } else if one.born > horizon {
                there.append(one)
            } else {
                found.append(isShared ? TimeRange(one.range.start, .max) : one.range)
            }
        }
        guard let from = there.map(\.range.start).min(), let to = there.map(\.range.end).max() else { return }
        let mine = Tombstones(there)
        // Samples that earlier deletions hide have not changed.
        let known = all[..<first].filter { $0.count > 0 && $0.range.start < to && from < $0.range.end }
        let earlier = known.isEmpty ? nil : Tombstones(known)
        for run in runs(id) {
            guard let mask = mine.mask(over: run) else { continue }
            let hidden = earlier?.mask(over: run)
            let columns = mask.columns.union([.starts, .ends])
            switch run {
            case .tail(let block):
                try scratch.load(block, columns, hidden)
                Self.note(scratch.block, hiddenBy: mask, &found)
            case .segment(let index):
                try index.forEachEntry(scratch.explanation, by: mask.overlap) { (node, i, overlap) throws(StoreError) in
                    switch overlap {
                    case .none: return
                    case .all:
                        found.append(TimeRange(node.firstStart(i), max(node.maxEnd(i), node.lastStart(i)) &+ 1))
                    case .some:
                        try scratch.load(index, node.offset(i), node.length(i), columns, hidden)
                        Self.note(scratch.block, hiddenBy: mask, &found)
                    }
                }
            }
        }
    }

    private static func note(_ block: BlockBuffer, hiddenBy mask: Mask, _ ranges: inout [TimeRange]) {
        if block.count == 0 { return }
        let isHidden = mask.hidden(in: block)
        note(block, isHidden.indices.filter { isHidden[$0] }, &ranges)
    }
}

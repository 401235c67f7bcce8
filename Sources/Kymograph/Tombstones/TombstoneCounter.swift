// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// Removes hidden samples and counts them by tombstone. If several tombstones hide a sample, the first one counts it.
struct TombstoneCounter {
    private let tombstones: Tombstones
    private let masks: [Mask]
    /// The number of samples removed, by the id of the tombstone.
    private(set) var counts: [Int64: Int64] = [:]
    /// The range of the tombstones; no sample outside is hidden.
    let extent: TimeRange

    init(_ tombstones: Tombstones) {
        self.tombstones = tombstones
        let all = tombstones.all
        masks = all.indices.map { Mask(all[$0...$0]) }
        extent = TimeRange(all.map(\.range.start).min() ?? 0, all.map(\.range.end).max() ?? 0)
    }

    /// The columns that a block must have for the count.
    var columns: ColumnSet { masks.reduce(.starts) { $0.union($1.columns) } }

    /// Removes hidden samples from a decoded block of a run of commit `born`.
    mutating func take(_ block: BlockBuffer, born: Int64) {
        for (i, one) in tombstones.all.enumerated() where one.born > born && block.count > 0 {
            guard masks[i].overlap(block.starts[0], block.starts[block.count - 1]) != .none else { continue }
            let before = block.count
            masks[i].apply(to: block)
            if block.count < before { counts[one.id, default: 0] += Int64(before - block.count) }
        }
    }

    /// Returns the positions of tombstones younger than `born` that hide samples of a decoded block.
    func hiding(_ block: BlockBuffer, born: Int64) -> [Int] {
        tombstones.all.indices.filter { i in
            guard tombstones.all[i].born > born, block.count > 0,
                masks[i].overlap(block.starts[0], block.starts[block.count - 1]) != .none
            else { return false }
            return masks[i].hidden(in: block).contains(true)
        }
    }

    subscript(place: Int) -> Tombstone { tombstones.all[place] }

    /// Returns the number of samples that a tombstone hides and that were in no block so far.
    func unmet(_ place: Int) -> Int64 { self[place].count - (counts[self[place].id] ?? 0) }

    /// Counts the hidden samples in the blocks of a run.
    mutating func take(_ run: Run, _ scratch: QueryScratch) throws(StoreError) {
        guard tombstones.mask(over: run) != nil else { return }
        switch run {
        case .tail(let block):
            try scratch.load(block, columns)
            take(scratch.block, born: run.born)
        case .segment(let index):
            for entry in try index.blocks(startingIn: extent, nil) {
                try scratch.load(index, entry.offset, entry.length, columns)
                take(scratch.block, born: run.born)
            }
        }
    }

    /// The newest commit with a deletion that removed a sample; 0 if no sample was removed.
    var newest: Int64 { tombstones.all.last { counts[$0.id] ?? 0 > 0 }?.born ?? 0 }

    /// The tombstones with their counts replaced by the counted samples.
    var counted: Tombstones {
        tombstones.counting(Dictionary(tombstones.all.map { ($0.id, counts[$0.id] ?? 0) }) { $1 })
    }
}

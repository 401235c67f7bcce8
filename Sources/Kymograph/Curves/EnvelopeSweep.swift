// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import TimeIndex

/// One pass over the runs of some series that fills the slices of an envelope. Summaries answer for every block and
/// every subtree inside one slice.
///
/// A summary has the extremes but not their times. The sweep records entries that may hold a slice's extreme, and at
/// the end opens only the entries that do.
struct EnvelopeSweep {
    /// A slice's least or greatest value and its sample.
    struct Extreme {
        var value: Double
        /// The earliest sample with the value, of the samples decoded or known from a summary so far.
        var sample: Sample?
        /// The run that last added the value.
        var run: Int
    }

    struct Slice {
        var count: Int64 = 0
        var first = Sample(start: .max, value: 0)
        var last = Sample(start: .min, value: 0)
        var least = Extreme(value: .infinity, run: -1)
        var greatest = Extreme(value: -.infinity, run: -1)
    }

    /// An index entry that may hold a slice's extreme.
    private struct Clue {
        let run: RunIndex
        let node: IndexNode
        let entry: Int
        /// The mask of the entry's deleted samples; the entry is then a block.
        let mask: Mask?
        let slice: Int
        let isLeast: Bool
        let value: Double
    }

    let edges: [Int64]
    private(set) var slices: [Slice]
    private var clues = [Clue]()
    private var run = -1
    private var cursor = 0

    init(edges: [Int64]) {
        self.edges = edges
        slices = [Slice](repeating: Slice(), count: edges.count - 1)
    }

    private var first: Int64 { edges[0] }
    private var end: Int64 { edges[edges.count - 1] }

    /// Adds a run, without deleted samples.
    mutating func take(_ part: Run, _ scratch: QueryScratch, _ tombstones: Tombstones?) throws(StoreError) {
        if part.firstStart >= end || part.lastStart < first { return }
        let mask = tombstones?.mask(over: part)
        run += 1
        cursor = 0
        scratch.explanation?.runs += 1
        switch part {
        case .tail(let block):
            try scratch.load(block, [.starts, .ends, .values], mask)
            try take(scratch.block)
        case .segment(let index):
            guard let top = try index.rootNode() else { return }
            var budget = PageBudget(index.root)
            try take(top, of: index, hiding: mask, &budget, scratch)
        }
    }

    /// Adds the entries of a page. Entries in one slice are added by their summaries, and an entry that may hold the
    /// extreme of a slice is kept with its page, to be opened at the end.
    private mutating func take(
        _ node: IndexNode, of index: RunIndex, hiding mask: Mask?, _ budget: inout PageBudget, _ scratch: QueryScratch
    ) throws(StoreError) {
        let known = node.level > 0 ? node.childrenInMemory() : []
        scratch.explanation?.indexPages += 1
        var i = node.firstEntry(startingAtOrAfter: first, from: 0)
        while i < node.count, node.firstStart(i) < end {
            let overlap = mask?.overlap(node, i) ?? .none
            if overlap == .all {
                i += 1
                continue
            }
            if overlap == .some, let mask, node.level == 0 {
                try take(block: i, of: node, index, hiding: mask, scratch)
            } else if overlap == .none, isInOneSlice(node.firstStart(i), node.lastStart(i)) {
                take(entry: i, of: node, index, node.summary(i), nil)
                scratch.explanation?.summaries += 1
            } else if node.level > 0 {
                let child = try index.child(of: node, i, known, &budget)
                try take(child, of: index, hiding: overlap == .none ? nil : mask, &budget, scratch)
            } else {
                try scratch.load(index, node.offset(i), node.length(i), [.starts, .ends, .values])
                try take(scratch.block)
            }
            i += 1
        }
    }

    /// Adds a block with hidden samples, by the summary of its remaining samples if the summary is known.
    private mutating func take(
        block i: Int, of node: IndexNode, _ index: RunIndex, hiding mask: Mask, _ scratch: QueryScratch
    ) throws(StoreError) {
        let place = BlockPlace(file: index.file.number, offset: node.offset(i))
        let known = mask.known(place)
        if let known {
            if known.count == 0 || known.firstStart >= end || known.lastStart < first { return }
            if isInOneSlice(known.firstStart, known.lastStart) {
                scratch.explanation?.summaries += 1
                return take(entry: i, of: node, index, known, mask)
            }
        }
        try scratch.load(index, node.offset(i), node.length(i), [.starts, .ends, .values], mask)
        if known == nil { mask.note(scratch.block.summary, of: place) }
        try take(scratch.block)
    }

    /// Returns true if samples from `start` to `last` lie in one slice, and moves the cursor to this slice.
    /// - Requires: `start` is before the end of the last slice.
    private mutating func isInOneSlice(_ start: Int64, _ last: Int64) -> Bool {
        if start < first { return false }
        seek(start)
        return last < edges[cursor + 1]
    }

    /// Moves the cursor to the slice of an instant.
    /// - Requires: the instant is inside the slices.
    private mutating func seek(_ instant: Int64) {
        // A damaged index may contradict its blocks, so starts may decrease.
        if instant < edges[cursor] { cursor = 0 }
        if instant >= edges[cursor + 1] {
            cursor = Kernel.lowerBound(edges, cursor..<edges.count, instant &+ 1) - 1
        }
    }

    /// Adds a whole entry by its summary, or by the summary of its remaining samples if `mask` hides some.
    private mutating func take(
        entry i: Int, of node: IndexNode, _ index: RunIndex, _ s: borrowing Summary, _ mask: Mask?
    ) {
        let first = Sample(start: s.firstStart, end: s.firstEnd, value: s.firstValue)
        note(s.count, first, Sample(start: s.lastStart, end: s.lastEnd, value: s.lastValue), cursor)
        for isLeast in [true, false] {
            let value = isLeast ? s.min : s.max
            // No sample of the entry starts before the first one.
            let known = value == s.firstValue ? first : nil
            if note(value, known, isLeast: isLeast, cursor), known == nil {
                clues.append(
                    Clue(
                        run: index, node: node, entry: i, mask: mask, slice: cursor, isLeast: isLeast, value: value))
            }
        }
    }

    /// Adds a decoded block.
    private mutating func take(_ block: BlockBuffer) throws(StoreError) {
        let edges = edges
        try block.forEachStretch(edges: edges) { rows, slice throws(StoreError) in
            note(Int64(rows.count), block.sample(rows.lowerBound), block.sample(rows.upperBound - 1), slice)
            let places = Kernel.extremes(block.values, rows)
            _ = note(block.values[places.least], block.sample(places.least), isLeast: true, slice)
            _ = note(block.values[places.greatest], block.sample(places.greatest), isLeast: false, slice)
        }
    }

    /// Adds samples to a slice. If first samples are equal, the slice keeps its own; if last samples are equal, the
    /// added one replaces it.
    private mutating func note(_ count: Int64, _ first: Sample, _ last: Sample, _ slice: Int) {
        let isFirst = slices[slice].count == 0
        slices[slice].count &+= count
        if isFirst || (first.start, first.end) < (slices[slice].first.start, slices[slice].first.end) {
            slices[slice].first = first
        }
        if isFirst || (last.start, last.end) >= (slices[slice].last.start, slices[slice].last.end) {
            slices[slice].last = last
        }
    }

    /// Adds a value to a slice's extreme. Returns true if the value's sample may be the earliest with this extreme.
    private mutating func note(_ value: Double, _ sample: Sample?, isLeast: Bool, _ slice: Int) -> Bool {
        let old = isLeast ? slices[slice].least : slices[slice].greatest
        var new = old
        if isLeast ? value < old.value : value > old.value {
            new = Extreme(value: value, sample: sample, run: run)
        } else if value == old.value, old.run != run {
            // A sample of another run may be earlier; a later sample of the same run is not.
            if let sample { new.sample = Self.earlier(old.sample, sample) }
            new.run = run
        } else {
            return false
        }
        if isLeast { slices[slice].least = new } else { slices[slice].greatest = new }
        return true
    }

    private static func earlier(_ known: Sample?, _ found: Sample) -> Sample {
        guard let known, (known.start, known.end) <= (found.start, found.end) else { return found }
        return known
    }
}

// The times of extremes.
extension EnvelopeSweep {
    /// Opens the entries that hold an extreme and returns the complete slices.
    mutating func finish(_ scratch: QueryScratch) throws(StoreError) -> [EnvelopeSlice] {
        // In the order of the blocks; the least and the greatest value of one block follow each other.
        for clue in clues {
            let extreme = clue.isLeast ? slices[clue.slice].least : slices[clue.slice].greatest
            guard extreme.value == clue.value else { continue }
            // An earlier sample is known already.
            if let known = extreme.sample, known.start < clue.node.firstStart(clue.entry) { continue }
            var budget = PageBudget(clue.run.root)
            let found = try Self.find(
                (clue.value, clue.isLeast), (clue.node, clue.entry), clue.run, hiding: clue.mask, &budget, scratch)
            let sample = Self.earlier(extreme.sample, found)
            if clue.isLeast {
                slices[clue.slice].least.sample = sample
            } else {
                slices[clue.slice].greatest.sample = sample
            }
        }
        return slices.indices.map { i in
            let slice = slices[i]
            var found = EnvelopeSlice(start: edges[i], end: edges[i + 1], count: Int(slice.count))
            if slice.count == 0 { return found }
            found.first = slice.first
            found.last = slice.last
            found.min = slice.least.sample
            found.max = slice.greatest.sample
            return found
        }
    }

    /// Returns the first sample below an entry with the entry's extreme.
    private static func find(
        _ extreme: (value: Double, isLeast: Bool), _ place: (node: IndexNode, entry: Int), _ run: RunIndex,
        hiding mask: Mask?, _ budget: inout PageBudget, _ scratch: QueryScratch
    ) throws(StoreError) -> Sample {
        let ((value, isLeast), (node, entry)) = (extreme, place)
        if node.level > 0 {
            let child = try run.child(of: node, entry, node.childrenInMemory(), &budget)
            scratch.explanation?.indexPages += 1
            for i in 0..<child.count {
                let summary = child.summary(i)
                if (isLeast ? summary.min : summary.max) == value {
                    return try find(extreme, (child, i), run, hiding: nil, &budget, scratch)
                }
            }
        } else {
            try scratch.load(run, node.offset(entry), node.length(entry), [.starts, .ends, .values], mask)
            let block = scratch.block
            if block.count > 0 {
                let places = Kernel.extremes(block.values, 0..<block.count)
                let place = isLeast ? places.least : places.greatest
                if block.values[place] == value { return block.sample(place) }
            }
        }
        throw StoreError(
            .corrupt, "the index has the extreme \(value), but the samples do not", path: run.file.path,
            offset: node.offset(entry)
        ).concerning(run.series, TimeRange(of: node.summary(entry)))
    }
}

extension BlockBuffer {
    func sample(_ row: Int) -> Sample { Sample(start: starts[row], end: end(at: row), value: values[row]) }
}

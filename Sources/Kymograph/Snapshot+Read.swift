// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

extension Snapshot {
    /// Appends the samples of a series that start in a range to the caller's arrays, in order of start.
    ///
    /// Where no two runs overlap in time, blocks are decoded straight into the arrays, by several threads if they are
    /// many. After an error the arrays are as they were.
    /// - Throws: `unknownSeries`, `corrupt`, `inputOutput`.
    /// - Complexity: O(log n + samples read).
    public func read(
        _ id: SeriesID, over range: TimeRange = .all, starts: inout [Int64], values: inout [Double]
    ) throws(StoreError) {
        try known(id)
        let runs = runs(id)
            .filter { $0.firstStart < range.end && $0.lastStart >= range.start }
            .sorted { $0.firstStart < $1.firstStart }
        for (one, next) in zip(runs, runs.dropFirst()) where one.lastStart >= next.firstStart {
            return try readMerged(id, range, &starts, &values)
        }
        var pieces = [ReadPiece]()
        let tombstones = version.tombstones(of: id)
        for run in runs { try ReadPiece.add(run, range, hiding: tombstones?.mask(over: run), to: &pieces) }
        let room = pieces.reduce(0) { $0 + $1.count }
        let threads = room >= 262_144 ? version.threads : 1
        try SampleSink.append(room, to: &starts, &values) { sink throws(StoreError) in
            try ReadPiece.read(pieces, range, sink, threads: threads)
        }
    }

    /// Reads runs that overlap in time.
    private func readMerged(
        _ id: SeriesID, _ range: TimeRange, _ starts: inout [Int64], _ values: inout [Double]
    ) throws(StoreError) {
        var moreStarts = [Int64]()
        var moreValues = [Double]()
        try merge([id], range, [.starts, .values], backward: false, nil) { batch throws(StoreError) in
            moreStarts.append(contentsOf: batch.block.starts[batch.rows])
            moreValues.append(contentsOf: batch.block.values[batch.rows])
            return true
        }
        starts += moreStarts
        values += moreValues
    }
}

/// A block that a range of time needs, whole or cut.
private enum ReadPiece {
    case whole(RunIndex, BlockEntry)
    case cut(RunIndex, BlockEntry)
    case tail(TailBlock)
    /// One of which samples are hidden.
    case masked(RunIndex, BlockEntry, Mask)
    case maskedTail(TailBlock, Mask)

    /// Rows from which on an answer is larger than most caches. It is then written past them, which saves reading every
    /// line of it first.
    static let cachedRoom = 1 << 20

    /// Samples of the whole block.
    var count: Int {
        switch self {
        case .whole(_, let entry), .cut(_, let entry), .masked(_, let entry, _): Int(entry.count)
        case .tail(let block), .maskedTail(let block, _): Int(block.summary.count)
        }
    }

    var isWhole: Bool {
        if case .whole = self { true } else { false }
    }

    static func add(
        _ run: Run, _ range: TimeRange, hiding mask: Mask?, to pieces: inout [ReadPiece]
    ) throws(StoreError) {
        switch run {
        case .tail(let block): pieces.append(mask.map { .maskedTail(block, $0) } ?? .tail(block))
        case .segment(let index):
            // Room is made for what the index says, so it may not say more than the run has.
            var left = index.summary.count
            for entry in try index.blocks(startingIn: range, hiding: mask, nil) {
                guard (1...Int64(SegmentFormat.maximumSamples)).contains(entry.count) else {
                    throw StoreError(
                        .corrupt, "the index has a block of \(entry.count) samples", path: index.file.path,
                        offset: entry.offset
                    ).concerning(index.series, TimeRange(of: index.summary))
                }
                left -= entry.count
                guard left >= 0 else {
                    throw StoreError(
                        .corrupt, "the index has more samples than the \(index.summary.count) of its run",
                        path: index.file.path, offset: entry.offset)
                }
                if let mask = entry.mask {
                    pieces.append(.masked(index, entry, mask))
                    continue
                }
                pieces.append(entry.isWhole ? .whole(index, entry) : .cut(index, entry))
            }
        }
    }

    /// Decodes pieces in order into rows from 0 on, and returns how many rows there are.
    static func read(
        _ pieces: [ReadPiece], _ range: TimeRange, _ sink: SampleSink, threads: Int
    ) throws(StoreError) -> Int {
        var row = 0
        var at = 0
        let scratch = QueryScratch(nil)
        defer { Kernel.fenceCopies() }
        while at < pieces.count {
            // What is cut says only when decoded how many rows it has.
            switch pieces[at] {
            case .tail(let block):
                row += try scratch.load(block, range, into: sink, row: row)
                at += 1
            case .cut(let index, let entry):
                row += try scratch.load(index, entry, range, into: sink, row: row)
                at += 1
            case .maskedTail(let block, let mask):
                try scratch.load(block, mask.columns.union([.starts, .values]))
                row += putMasked(scratch.block, range, mask, sink, row)
                at += 1
            case .masked(let index, let entry, let mask):
                try scratch.load(index, entry.offset, entry.length, mask.columns.union([.starts, .values]))
                try requireCount(scratch.block, index, entry)
                row += putMasked(scratch.block, range, mask, sink, row)
                at += 1
            case .whole:
                let end = pieces[at...].firstIndex { !$0.isWhole } ?? pieces.count
                row = try readWhole(pieces[at..<end], sink, row, threads)
                at = end
            }
        }
        return row
    }

    /// Refuses a block that has not as many samples as its index says.
    private static func requireCount(
        _ block: BlockBuffer, _ index: RunIndex, _ entry: BlockEntry
    ) throws(StoreError) {
        guard block.count == Int(entry.count) else {
            throw StoreError(
                .corrupt, "a block of \(block.count) samples where its index has \(entry.count)",
                path: index.file.path, offset: entry.offset
            ).concerning(index.series, TimeRange(of: block.summary))
        }
    }

    /// Puts what is left of a decoded block in a range into rows of a sink, and returns how many.
    private static func putMasked(
        _ block: BlockBuffer, _ range: TimeRange, _ mask: Mask, _ sink: SampleSink, _ row: Int
    ) -> Int {
        mask.apply(to: block, keeping: range)
        sink.putPastCache(block, row: row)
        return block.count
    }

    /// Decodes whole blocks, whose places are known beforehand, and returns the row after the last.
    private static func readWhole(
        _ pieces: ArraySlice<ReadPiece>, _ sink: SampleSink, _ first: Int, _ threads: Int
    ) throws(StoreError) -> Int {
        var places = [first]
        for piece in pieces { places.append(places[places.count - 1] + piece.count) }
        let rows = places
        // Stretches of 64 blocks: enough to be worth a change of thread.
        let stretches = (pieces.count + 63) / 64
        try Parallel.forEach(stretches, threads: threads) { stretch throws(StoreError) in
            let scratch = QueryScratch(nil)
            defer { Kernel.fenceCopies() }
            for i in stretch * 64..<min(stretch * 64 + 64, pieces.count) {
                guard case .whole(let index, let entry) = pieces[pieces.startIndex + i] else { continue }
                if sink.room < cachedRoom {
                    try scratch.load(index, entry, into: sink, row: rows[i])
                } else {
                    try scratch.load(index, entry.offset, entry.length, [.starts, .values])
                    try requireCount(scratch.block, index, entry)
                    sink.putPastCache(scratch.block, row: rows[i])
                }
            }
        }
        return rows[rows.count - 1]
    }
}

// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

/// A block to decode for a range of time, whole or in part.
enum ReadPiece {
    case whole(RunIndex, BlockEntry)
    case cut(RunIndex, BlockEntry)
    case tail(TailBlock)
    /// A block with hidden samples.
    case masked(RunIndex, BlockEntry, Mask)
    case maskedTail(TailBlock, Mask)

    /// The number of samples in the whole block.
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
            // The arrays are sized by the counts of the index, so these must not exceed the run's count.
            var left = index.summary.count
            var walk = try BlockWalk(index, startingIn: range, hiding: mask, nil)
            while let entry = try walk.next(nil) {
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

    /// Decodes pieces in order into rows from 0 on. Returns the number of rows.
    static func read(
        _ pieces: [ReadPiece], _ range: TimeRange, _ sink: SampleSink, threads: Int
    ) throws(StoreError) -> Int {
        var row = 0
        var at = 0
        let scratch = QueryScratch(nil)
        while at < pieces.count {
            // The number of rows of a cut block is known only after decoding.
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
                row = try readWhole(pieces[at..<end], sink, row, scratch, threads)
                at = end
            }
        }
        return row
    }

    /// Throws `corrupt` if the number of samples in a block differs from the number in its index.
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

    /// Copies the remaining samples of a decoded block in a range into rows of a sink. Returns the number of rows.
    private static func putMasked(
        _ block: BlockBuffer, _ range: TimeRange, _ mask: Mask, _ sink: SampleSink, _ row: Int
    ) -> Int {
        mask.apply(to: block, keeping: range)
        sink.put(block, 0..<block.count, row: row)
        return block.count
    }

    /// Decodes whole blocks, whose rows are known in advance. Returns the row after the last.
    static func readWhole(
        _ pieces: ArraySlice<ReadPiece>, _ sink: SampleSink, _ first: Int, _ scratch: QueryScratch, _ threads: Int
    ) throws(StoreError) -> Int {
        if threads == 1 || pieces.count <= Stretches.least {
            return try read(pieces, sink, first, scratch)
        }
        let stretches = Stretches(pieces.map(\.count), first)
        try Parallel.forEach(stretches.count, threads: threads) { stretch throws(StoreError) in
            let part = stretches.blocks(stretch)
            let range = pieces.startIndex + part.lowerBound..<pieces.startIndex + part.upperBound
            _ = try read(pieces[range], sink, stretches.row(stretch), QueryScratch(nil))
        }
        return stretches.end
    }

    /// Decodes whole blocks by one thread. Returns the row after the last.
    private static func read(
        _ pieces: ArraySlice<ReadPiece>, _ sink: SampleSink, _ first: Int, _ scratch: QueryScratch
    ) throws(StoreError) -> Int {
        var row = first
        for piece in pieces {
            guard case .whole(let index, let entry) = piece else { continue }
            try scratch.load(index, entry, into: sink, row: row)
            row += Int(entry.count)
        }
        return row
    }
}

/// Consecutive whole blocks, divided among threads.
private struct Stretches {
    /// The blocks of a stretch if there are few in all: enough work to be worth a thread switch.
    static let least = 64
    /// The blocks of a stretch if there are many in all. Their samples fill a large page of each array, so two threads
    /// seldom write to a new page at the same moment; the system would then clear two pages.
    static let most = 256

    private let blocksEach: Int
    private let blockCount: Int
    /// The first row of each stretch, and finally the row after the last.
    private var rows: [Int]

    init(_ counts: [Int], _ first: Int) {
        blockCount = counts.count
        blocksEach = min(Self.most, max(Self.least, blockCount / 16))
        rows = []
        var row = first
        for (block, count) in counts.enumerated() {
            if block % blocksEach == 0 { rows.append(row) }
            row += count
        }
        rows.append(row)
    }

    var count: Int { rows.count - 1 }
    var end: Int { rows[rows.count - 1] }

    func row(_ stretch: Int) -> Int { rows[stretch] }

    func blocks(_ stretch: Int) -> Range<Int> {
        stretch * blocksEach..<min(blockCount, (stretch + 1) * blocksEach)
    }
}

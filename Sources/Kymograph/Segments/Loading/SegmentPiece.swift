// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import Synchronization

/// Samples of one series in the order of a run, on their way into a segment.
struct RunPart: Sendable {
    let series: Int64
    /// All columns, but for starts, ends and values where those are the caller's.
    let rows: SampleRows
    /// Whether starts, ends and values are the caller's columns, which are handed along beside.
    let isBorrowed: Bool
    let count: Int
    /// Start and end of the first sample.
    let first: (start: Int64, end: Int64)
    /// Start and end of the last sample.
    let last: (start: Int64, end: Int64)

    /// A part with rows of its own, which are sorted and not empty.
    init(_ rows: SampleRows, series: Int64) {
        self.series = series
        self.rows = rows
        isBorrowed = false
        count = rows.count
        first = rows.times(of: 0)
        last = rows.times(of: count - 1)
    }

    /// A part of the caller's columns, which are sorted and not empty, with side columns.
    init(_ starts: Span<Int64>, _ ends: Span<Int64>, sides: SampleRows, series: Int64) {
        self.series = series
        rows = sides
        isBorrowed = true
        count = starts.count
        let n = count - 1
        first = (starts[0], ends.isEmpty ? starts[0] : ends[0])
        last = (starts[n], ends.isEmpty ? starts[n] : ends[n])
    }
}

extension RunPart {
    /// Bytes of its own columns.
    var ownBytes: Int {
        let sides = [
            rows.created, rows.provenance, rows.metadata, rows.identityHigh, rows.identityLow, rows.born,
        ]
        let columns = (rows.ends.isEmpty ? 2 : 3) + sides.count { if case .values = $0 { true } else { false } }
        return isBorrowed ? 0 : count * columns * 8
    }
}

/// Where a segment that is being written ends: what can come next.
struct SegmentEnd: Sendable {
    /// The most runs that the segment may have.
    let mostRuns: Int
    private var runs = 0
    private var last: (series: Int64, sample: (start: Int64, end: Int64))?

    init(mostRuns: Int) { self.mostRuns = mostRuns }

    /// Whether a part can come behind: it continues the last run, or begins a later one for which there is room.
    func canTake(_ part: RunPart) -> Bool {
        guard let last else { return true }
        if part.series == last.series { return part.first >= last.sample }
        return part.series > last.series && runs < mostRuns
    }

    mutating func take(_ part: RunPart) {
        if part.series != last?.series { runs += 1 }
        last = (part.series, part.last)
    }
}

/// Some blocks of a run that are encoded in one go: what one thread does while others do the next pieces.
///
/// A run's pieces have the same blocks however its samples arrived, and the encoder begins each as if it were new, so
/// that the bytes depend neither on the calls nor on the number of threads.
struct SegmentPiece: Sendable {
    /// Blocks of a piece. Each piece has to learn anew what suits its series: with 128 blocks that costs no bytes
    /// and some percent of the encoder's time at most.
    static let blocks = 128

    /// Its place in the order of the pieces of a segment.
    let number: Int
    let series: Int64
    /// Whether its first blocks were encoded before, by the encoder that goes on with it.
    let continues: Bool
    /// Whether more blocks may follow that belong to it.
    var isOpen = true
    /// Where its samples are.
    var sources: [RunPart] = []
    /// Its blocks: rows of a source.
    var cuts: [(source: Int, rows: Range<Int>)] = []
}

/// An encoder for one piece at a time, with the memory it needs.
final class PieceEncoder: Sendable {
    private struct State {
        var encoder: BlockBatchEncoder
        let block = BlockBuffer()
    }

    private let state: Mutex<State>

    init(store: [UInt8], segment: [UInt8]) {
        state = Mutex(State(encoder: BlockBatchEncoder(store: store, segment: segment)))
    }

    /// Encodes the blocks of a piece, which will probably stand at `position`; `memory` is used for the bytes.
    func encode(
        _ piece: SegmentPiece, _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>,
        position: UInt64, memory: consuming [UInt8]
    ) throws(FormatError) -> BlockBatch {
        // A closure may run more than once, as far as the compiler knows.
        var memory = Optional(memory)
        return try state.withLock { state throws(FormatError) in
            if !piece.continues { state.encoder.forget() }
            state.encoder.begin(series: UInt64(piece.series), position: position, memory: memory.take() ?? [])
            for (source, range) in piece.cuts {
                let part = piece.sources[source]
                state.block.reset()
                if part.isBorrowed {
                    state.block.count = range.count
                    Kernel.copy(starts, range, into: &state.block.starts)
                    state.block.hasEnds = !ends.isEmpty
                    if !ends.isEmpty { Kernel.copy(ends, range, into: &state.block.ends) }
                    Kernel.copy(values, range, into: &state.block.values)
                    part.rows.fillSides(state.block, range)
                } else {
                    part.rows.fill(state.block, range)
                }
                try state.encoder.add(state.block)
            }
            return state.encoder.finish()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import Synchronization

/// Samples of one series in the order of a run, for a segment.
struct RunPart: Sendable {
    let series: Int64
    /// All columns, except borrowed starts, ends and values.
    let rows: SampleRows
    /// True if starts, ends and values are the caller's columns, which are passed separately.
    let isBorrowed: Bool
    let count: Int
    /// Start and end of the first sample.
    let first: (start: Int64, end: Int64)
    /// Start and end of the last sample.
    let last: (start: Int64, end: Int64)

    /// Creates a part with rows of its own, which are sorted and not empty.
    init(_ rows: SampleRows, series: Int64) {
        self.series = series
        self.rows = rows
        isBorrowed = false
        count = rows.count
        first = rows.times(of: 0)
        last = rows.times(of: count - 1)
    }

    /// Creates a part of the caller's columns, which are sorted and not empty, with side columns.
    init(_ starts: Span<Int64>, _ ends: Span<Int64>, sides: SampleRows, series: Int64) {
        self.series = series
        rows = sides
        isBorrowed = true
        count = starts.count
        let n = count - 1
        first = (starts[0], ends.isEmpty ? starts[0] : ends[0])
        last = (starts[n], ends.isEmpty ? starts[n] : ends[n])
    }

    /// Bytes of the columns, unless these are borrowed.
    var ownBytes: Int {
        let sides = [
            rows.created, rows.provenance, rows.metadata, rows.identityHigh, rows.identityLow, rows.born,
        ]
        let columns = (rows.ends.isEmpty ? 2 : 3) + sides.count { if case .values = $0 { true } else { false } }
        return isBorrowed ? 0 : count * columns * 8
    }
}

/// The end of a segment under construction, which decides which part can follow.
struct SegmentEnd: Sendable {
    /// Maximum runs of the segment.
    let mostRuns: Int
    private var runs = 0
    private var last: (series: Int64, sample: (start: Int64, end: Int64))?

    init(mostRuns: Int) { self.mostRuns = mostRuns }

    /// Returns whether a part can follow: it continues the last run, or begins a later run that the segment has room
    /// for.
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

/// Blocks of a run that one thread encodes together.
///
/// A run has the same pieces for any division of its samples into calls, and the encoder begins each piece without a
/// state. The bytes therefore depend neither on the calls nor on the number of threads.
struct SegmentPiece: Sendable {
    /// Blocks of a piece. The encoder chooses the codecs anew for each piece: with 128 blocks that costs no bytes, and
    /// some percent of the encoder's time at most.
    static let blocks = 128

    /// Its index among the pieces of a segment.
    let number: Int
    let series: Int64
    /// True if the piece has earlier blocks, which the same encoder encoded.
    let continues: Bool
    /// True if more blocks of the piece may follow.
    var isOpen = true
    /// The parts that hold its samples.
    var sources: [RunPart] = []
    /// Its blocks, as rows of a source.
    var cuts: [(source: Int, rows: Range<Int>)] = []
}

/// An encoder for one piece at a time, with its memory.
final class PieceEncoder: Sendable {
    private struct State {
        var encoder: BlockBatchEncoder
        let block = BlockBuffer()
    }

    private let state: Mutex<State>

    init(store: [UInt8], segment: [UInt8], isEncrypted: Bool) {
        state = Mutex(
            State(encoder: BlockBatchEncoder(store: store, segment: segment, isEncrypted: isEncrypted)))
    }

    /// Encodes the blocks of a piece.
    ///
    /// - Parameters:
    ///   - position: the probable offset of the piece in the file.
    ///   - memory: reused for the bytes.
    func encode(
        _ piece: SegmentPiece, _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>,
        position: UInt64, memory: consuming [UInt8]
    ) throws(FormatError) -> BlockBatch {
        // The compiler assumes that the closure may run more than once.
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

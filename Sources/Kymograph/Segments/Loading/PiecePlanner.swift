// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import CivilTime

/// Cuts samples into blocks, and blocks into pieces, in the order of a segment.
///
/// A block is cut only if enough later samples are known. The other samples, at most those of one block, wait for the
/// next part of their run, or for its end.
struct PiecePlanner {
    /// The open run.
    private struct Run {
        let series: Int64
        /// Samples that wait for later samples.
        var rest = SampleRows()
        /// Blocks of the run's last piece so far; 0 if a new piece begins.
        var blocks = 0
    }

    /// Samples to be cut.
    private struct Stretch {
        let part: RunPart
        var at = 0
        /// Blocks begin before this index only.
        let stop: Int
        /// True if no samples of the run follow.
        var isLast = false
        /// The part that continues at `stop`.
        var next: RunPart?
        /// Its index among the sources of the current piece.
        var source: Int?

        /// True if a block can be cut.
        var canCut: Bool { at < stop && (isLast || part.count - at > part.mostInBlock) }
    }

    private var cutter: BlockCutter
    private var run: Run?
    private var stretch: Stretch?
    private var parts: ArraySlice<RunPart> = []
    private var isEnding = false
    private var pieces = 0

    init(zone: CivilZone) { cutter = BlockCutter(zone: zone) }

    /// Begins with parts in the order of the segment: series ascending, each run in order of time; at most one is
    /// borrowed.
    ///
    /// - Requires: all pieces of earlier parts were taken.
    /// - Parameter ending: whether these are the last parts.
    mutating func begin(_ parts: [RunPart], ending: Bool) {
        self.parts = parts[...]
        isEnding = ending
    }

    /// Returns the next piece; nil if there is none before more parts arrive. The spans are the columns of a borrowed
    /// part.
    mutating func next(_ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>) -> SegmentPiece? {
        var piece: SegmentPiece?
        while let series = prepare(starts, ends, values), piece == nil || piece?.series == series {
            var open = piece ?? SegmentPiece(number: pieces, series: series, continues: (run?.blocks ?? 0) > 0)
            if stretch?.part.isBorrowed == true {
                cut(into: &open, starts)
            } else if let own = stretch?.part.rows.starts {
                cut(into: &open, own.span)
            }
            if !open.cuts.isEmpty { piece = open }
            if run?.blocks == SegmentPiece.blocks {
                run?.blocks = 0
                break
            }
            leave(starts, ends, values)
            if run == nil, piece != nil { break }
        }
        guard var piece else { return nil }
        stretch?.source = nil
        piece.isOpen = (run?.blocks ?? 0) > 0
        pieces += 1
        return piece
    }

    /// Finds samples to cut, and returns their series; nil if there are none.
    private mutating func prepare(
        _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>
    ) -> Int64? {
        while stretch == nil {
            if let run, parts.isEmpty ? isEnding : run.series != parts.first?.series {
                if run.rest.count == 0 {
                    self.run = nil
                } else {
                    stretch = Stretch(part: RunPart(run.rest, series: run.series), stop: run.rest.count, isLast: true)
                }
                continue
            }
            guard let part = parts.popFirst() else { return nil }
            var open = run ?? Run(series: part.series)
            run = nil
            if open.rest.count == 0 {
                stretch = Stretch(part: part, stop: part.count)
            } else {
                // The waiting samples, and enough later samples to know where to cut.
                let old = open.rest.count
                var rows = SampleRows()
                swap(&rows, &open.rest)
                rows.append(part.rows(0..<min(part.count, 2 * part.mostInBlock), starts, ends, values))
                stretch = Stretch(part: RunPart(rows, series: part.series), stop: old, next: part)
            }
            run = open
        }
        return run?.series
    }

    /// Cuts blocks until the piece is full or no block can be cut.
    private mutating func cut(into piece: inout SegmentPiece, _ starts: Span<Int64>) {
        guard var run, var stretch else { return }
        while stretch.canCut, run.blocks < SegmentPiece.blocks {
            let count =
                stretch.part.rows.isCutByCount
                ? min(starts.count - stretch.at, stretch.part.mostInBlock)
                : cutter.next(starts, stretch.at, final: stretch.isLast)
            if stretch.source == nil {
                stretch.source = piece.sources.count
                piece.sources.append(stretch.part)
            }
            piece.cuts.append((stretch.source ?? 0, stretch.at..<stretch.at + count))
            stretch.at += count
            run.blocks += 1
        }
        self.run = run
        self.stretch = stretch
    }

    /// Replaces a finished stretch with its continuation, or lets its last samples wait.
    private mutating func leave(_ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>) {
        guard let old = stretch, !old.canCut else { return }
        stretch = nil
        if old.isLast {
            run = nil
        } else if let next = old.next, old.at >= old.stop {
            stretch = Stretch(part: next, at: old.at - old.stop, stop: next.count)
        } else {
            run?.rest = old.part.rows(old.at..<old.part.count, starts, ends, values)
        }
    }
}

extension RunPart {
    /// The maximum number of samples in a block of the part.
    fileprivate var mostInBlock: Int { rows.isCutByCount ? SegmentFormat.maximumSamples : BlockCutter.most }

    /// Returns rows as columns of their own; the spans are the columns of a borrowed part.
    fileprivate func rows(
        _ range: Range<Int>, _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>
    ) -> SampleRows {
        if range.isEmpty { return SampleRows() }
        guard isBorrowed else { return rows.part(range) }
        var result = rows.sides(range)
        result.append(starts, ends, values, range)
        return result
    }
}

// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

/// The recomputed summaries of a segment's blocks, and the totals of its runs and its footer.
///
/// Reading the file has already verified checksums and the index; damage found there is among the image's problems.
struct Verification {
    /// The differences as text.
    private(set) var findings: [String] = []
    private let image: SegmentImage

    init(_ image: SegmentImage) {
        self.image = image
        let indexed = image.blocks.filter(\.isIndexed)
        let blocks = Dictionary(grouping: indexed, by: \.series).mapValues(\.count)
        for run in image.runs where UInt64(blocks[run.series] ?? 0) != UInt64(run.blocks) {
            findings.append(
                "series \(run.series): \(blocks[run.series] ?? 0) blocks in the index, \(run.blocks) in the directory")
        }
        checkBlocks()
        if let footer = image.footer, !image.runs.isEmpty {
            checkFooter(footer, (UInt64(indexed.count), indexed.reduce(0) { $0 + UInt64($1.samples) }))
        }
    }

    /// Returns whether two summaries are identical in every bit.
    static func same(_ a: Summary, _ b: Summary) -> Bool {
        let doubles = [
            (a.sum.hi, b.sum.hi), (a.sum.lo, b.sum.lo), (a.sumOfSquares.hi, b.sumOfSquares.hi),
            (a.sumOfSquares.lo, b.sumOfSquares.lo), (a.min, b.min), (a.max, b.max), (a.firstValue, b.firstValue),
            (a.lastValue, b.lastValue), (a.integral.hi, b.integral.hi), (a.integral.lo, b.integral.lo),
        ]
        let numbers = [
            (a.count, b.count), (a.firstStart, b.firstStart), (a.firstEnd, b.firstEnd), (a.lastStart, b.lastStart),
            (a.lastEnd, b.lastEnd), (a.maxEnd, b.maxEnd), (a.maxEndExceptLast, b.maxEndExceptLast),
            (a.minBorn, b.minBorn), (a.maxBorn, b.maxBorn),
        ]
        return doubles.allSatisfy { $0.bitPattern == $1.bitPattern } && numbers.allSatisfy { $0 == $1 }
            && a.durationSum == b.durationSum
    }

    /// Compares the values of every block with the summary in the index.
    private mutating func checkBlocks() {
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        for block in image.blocks where block.isIntact {
            let name = "block \(block.number) at \(block.offset)"
            if let error = image.decode(block, &decoder, buffer) {
                findings.append("\(name): \(error)")
                continue
            }
            guard block.isIndexed, let stored = block.summary else {
                if !image.runs.isEmpty { findings.append("\(name) is not indexed") }
                continue
            }
            if !Verification.same(SegmentImage.summary(buffer), stored) {
                findings.append("\(name): the summary in the index differs from the values")
            }
        }
    }

    private mutating func checkFooter(_ footer: SegmentFooter, _ totals: (blocks: UInt64, samples: UInt64)) {
        if totals.blocks != footer.blocks || totals.samples != footer.samples {
            findings.append(
                "the index holds \(totals.blocks) blocks and \(totals.samples) samples, the footer says "
                    + "\(footer.blocks) and \(footer.samples)")
        }
        let from = image.runs.map(\.summary.firstStart).min()
        let to = image.runs.map(\.summary.maxEnd).max()
        if from != footer.minStart || to != footer.maxEnd {
            findings.append("the footer's times differ from the times of the runs")
        }
    }
}

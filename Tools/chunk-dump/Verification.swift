// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

/// The recomputed summaries and totals of a segment: blocks from values, inner entries from children, totals from runs.
///
/// Reading the file has already verified checksums; damage found by the scan is among the image's problems.
struct Verification {
    /// The differences as text.
    private(set) var findings: [String] = []
    private let image: SegmentImage

    init(_ image: SegmentImage) {
        self.image = image
        var totals = (blocks: UInt64(0), samples: UInt64(0))
        for run in image.runs { checkRun(run, &totals) }
        checkBlocks()
        if let footer = image.footer, !image.runs.isEmpty { checkFooter(footer, totals) }
    }

    /// Returns whether two summaries are identical in every bit.
    private static func same(_ a: Summary, _ b: Summary) -> Bool {
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

    /// Checks the pages of a run from the root down: an entry must be the fold of its page.
    private mutating func checkRun(_ run: RunEntry, _ totals: inout (blocks: UInt64, samples: UInt64)) {
        let root = image.root(of: run)
        do throws(IndexError) {
            var blocks: UInt64 = 0
            let fold = try fold(image.pages(of: run.series), root.offset, root.length, root.levels - 1, &blocks)
            if !Verification.same(fold, run.summary) {
                findings.append("series \(run.series): the summary of the run differs from its index")
            }
            if blocks != UInt64(run.blocks) {
                findings.append("series \(run.series): \(blocks) blocks in the index, \(run.blocks) in the directory")
            }
            totals.blocks += blocks
            totals.samples += UInt64(clamping: fold.count)
        } catch {
            findings.append("series \(run.series): \(error)")
        }
    }

    private mutating func fold(
        _ pages: ImagePages, _ offset: UInt64, _ length: UInt32, _ level: UInt8, _ blocks: inout UInt64
    ) throws(IndexError) -> Summary {
        let page = try pages.page(offset: offset, length: length, level: level)
        if level == 0 {
            blocks += UInt64(page.entries.count)
            return page.summary
        }
        guard blocks <= UInt64(image.size) else { throw IndexError(.malformed, at: offset, "pages are shared") }
        for entry in page.entries {
            let below = try fold(pages, entry.offset, entry.length, level - 1, &blocks)
            if !Verification.same(below, entry.summary) {
                findings.append("index page at \(entry.offset): its parent's summary differs from its entries")
            }
        }
        return page.summary
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

// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import TimeIndex

/// Checks runs of segments: every index page against its parent, every decoded block against its entry, and the totals
/// against the catalog. Memory does not grow with the run.
struct RunCheck {
    private(set) var report: VerifyReport
    private let scratch = QueryScratch(nil)

    init(_ report: VerifyReport) { self.report = report }

    /// Records that a run is unreadable.
    mutating func lose(_ run: RunIndex, _ error: StoreError) {
        report.note(error.concerning(run.series, TimeRange(of: run.summary)), path: run.file.path)
    }

    /// Checks the whole of one run.
    mutating func check(_ run: RunIndex) {
        let before = report.problems.count + report.unread.count
        var samples: Int64 = 0
        var blocks: Int64 = 0
        run.scan { finding in
            switch finding {
            case .block(let entry):
                blocks += 1
                samples += check(entry, of: run)
            case .lost(let offset, let below, let why):
                report.note(run.unusable(why, below: below), path: run.file.path, offset: offset)
            case .contradiction(let offset, let below, _):
                note(run, offset, below, "the entries of an index page do not add up to the summary in its parent")
            }
        }
        guard report.problems.count + report.unread.count == before,
            samples != run.summary.count || blocks != run.blocks
        else { return }
        note(
            run, nil, run.summary,
            "the blocks hold \(samples) samples in \(blocks) blocks; the catalog says \(run.summary.count) "
                + "in \(run.blocks)")
    }

    /// Decodes a block and compares it with its entry. Returns the number of its samples.
    private mutating func check(_ entry: IndexEntry, of run: RunIndex) -> Int64 {
        report.blocks += 1
        do throws(StoreError) {
            try scratch.loadPlainly(run, entry.offset, entry.length)
        } catch {
            report.note(
                error.concerning(run.series, TimeRange(of: entry.summary)), path: run.file.path, offset: entry.offset)
            return 0
        }
        let found = scratch.block.summary
        report.samples += Int(found.count)
        if !found.agrees(with: entry.summary) {
            note(run, entry.offset, entry.summary, "the block does not match its summary")
        }
        return found.count
    }

    private mutating func note(_ run: RunIndex, _ offset: UInt64?, _ about: Summary, _ message: String) {
        report.problems.append(
            .init(
                path: run.file.path, offset: offset, series: SeriesID(rawValue: run.series),
                range: TimeRange(of: about), message: message))
    }
}

extension BlockBuffer {
    /// The summary of the decoded samples.
    var summary: Summary {
        let born = self.born.bounds(count: count) ?? (0, 0)
        return Kernel.summarize(
            starts: starts, ends: hasEnds ? ends : nil, values: values, range: 0..<count, minBorn: born.0,
            maxBorn: born.1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels

/// Segments that the catalog names and that are gone, and what of their samples is in segments that no row names: a
/// merge may have replaced them, by a commit that was lost.
///
/// A sample says of which commit it is, and the catalog knows where the samples of that commit were. So one of a later
/// segment belongs to a missing one if nothing else can have held it: no other segment, and no row of the tail. Where
/// that is so, it is not lost; where it may be so, the loss stays, and says that.
struct LostSampleFinder {
    /// What a missing segment held of one series.
    private struct Part {
        let loss: Int
        let path: String
        let held: Held
        let samples: Int
        /// Samples of it that were met elsewhere.
        var kept = 0
        /// Samples that were met elsewhere and may be of it.
        var doubtful = 0
    }

    /// Where, and of which commits, samples of a segment are.
    private struct Held {
        let uuid: [UInt8]
        let series: Int64
        /// Of their starts.
        let range: ClosedRange<Int64>
        let births: ClosedRange<Int64>

        init(_ summary: Summary, _ row: SegmentRow, _ series: Int64) {
            uuid = row.uuid
            self.series = series
            range = summary.firstStart...max(summary.firstStart, summary.lastStart)
            // Blocks without commits of their own are of the segment's.
            let least = summary.minBorn > 0 ? min(summary.minBorn, row.born) : min(0, row.born)
            births = (summary.maxBorn > 0 ? least : row.born)...max(summary.maxBorn, row.born)
        }

        func mayHold(_ start: Int64, _ born: Int64) -> Bool { range.contains(start) && births.contains(born) }

        func overlaps(_ first: Int64, _ last: Int64) -> Bool { first <= range.upperBound && last >= range.lowerBound }
    }

    private var parts: [Part] = []
    private var others: [Int64: [Held]] = [:]
    private let tail: Set<Int64>
    /// Whether there may have been more than the rows tell of.
    private var isVague: Bool
    /// Losses of segments of which nothing says what they held.
    private var unknown: [Int] = []
    private var hasLater = false

    init(_ rows: SalvagedCatalog) {
        tail = Set(rows.tail.map(\.seq))
        isVague = rows.gaps.contains { ["segment", "tail"].contains($0.table) }
        for row in rows.segments where row.died == nil {
            if row.runs.isEmpty { isVague = true }
            for run in row.runs {
                guard let summary = try? RunSummary.decode(run.summary, segment: row.uuid, series: run.series) else {
                    isVague = true
                    continue
                }
                others[run.series, default: []].append(Held(summary, row, run.series))
            }
        }
    }

    /// Takes in what is lost with a segment that is named and gone.
    ///
    /// - Parameter losses: the number of losses that were told before those of the segment.
    mutating func note(_ salvage: SegmentSalvage, losses: Int) {
        guard let row = salvage.row, salvage.bytes.isEmpty, salvage.refusal == nil else { return }
        for (place, loss) in salvage.report.losses.enumerated() {
            guard let series = loss.series?.rawValue, let samples = loss.samples,
                let summary = salvage.expected[series]?.summary
            else {
                unknown.append(losses + place)
                continue
            }
            others[series]?.removeAll { $0.uuid == row.uuid }
            let held = Held(summary, row, series)
            parts.append(Part(loss: losses + place, path: salvage.path, held: held, samples: samples))
        }
    }

    /// Looks through a segment that no row names, after all those that are missing were noted.
    mutating func look(_ salvage: SegmentSalvage) throws(StoreError) {
        if salvage.blocks > 0 { hasLater = true }
        if parts.isEmpty { return }
        try salvage.forEachBlock { series, block in
            guard block.count > 0 else { return }
            let (first, last) = (block.starts[0], block.starts[block.count - 1])
            let near = self.parts.indices.filter {
                self.parts[$0].held.series == series && self.parts[$0].held.overlaps(first, last)
            }
            if near.isEmpty { return }
            let rivals = (self.others[series] ?? []).filter { $0.overlaps(first, last) }
            for row in 0..<block.count { self.meet(block, row, near, rivals) }
        }
    }

    private mutating func meet(_ block: BlockBuffer, _ row: Int, _ near: [Int], _ rivals: [Held]) {
        // One without a commit of its own came with the later segment.
        guard let born = block.born.value(at: row) else { return }
        let start = block.starts[row]
        let owners = near.filter { parts[$0].held.mayHold(start, born) }
        // What has no identity may stand in two later segments, of which one replaced the other.
        let isSure =
            owners.count == 1 && !isVague && !block.identityHigh.isAbsent && !tail.contains(born)
            && !rivals.contains { $0.mayHold(start, born) }
        for place in owners {
            if isSure { parts[place].kept += 1 } else { parts[place].doubtful += 1 }
        }
    }

    /// Takes from the losses what was met elsewhere.
    func settle(_ report: inout RepairReport) {
        for place in unknown where hasLater {
            report.losses[place].message += "; segments that no row names were kept and may hold it"
        }
        for part in parts.reversed() {
            let isExact = part.kept <= part.samples
            if isExact, part.kept == part.samples {
                report.losses.remove(at: part.loss)
                report.remarks.append(
                    "\(part.path) is missing, and all \(part.samples) samples of series \(part.held.series) that it "
                        + "held are in segments that were written later and were kept")
                continue
            }
            let (kept, doubtful) = isExact ? (part.kept, part.doubtful) : (0, part.kept)
            report.losses[part.loss].samples = part.samples - kept
            if kept > 0 {
                report.losses[part.loss].message += "; \(kept) others are in segments that were written later and kept"
            }
            if doubtful > 0 {
                report.losses[part.loss].message +=
                    "; segments that were written later and kept may hold \(min(doubtful, part.samples - kept)) of them"
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels

/// Finds samples of missing segments in segments without a catalog row. A lost commit may have merged the missing
/// segments into them.
///
/// Each sample names its commit, and the catalog knows which segments held samples of this commit. So a sample of a
/// later segment belongs to a missing segment if no other segment and no row of the tail can have held it; such samples
/// are not lost. If this is only possible, the loss is reported with a note.
struct LostSampleFinder {
    /// The samples of one series in a missing segment.
    private struct Part {
        let loss: Int
        let path: String
        let held: Held
        let samples: Int
        /// Samples of the segment that were found elsewhere.
        var kept = 0
        /// Samples found elsewhere that may be of the segment.
        var doubtful = 0
    }

    /// The time range and the commits of a segment's samples.
    private struct Held {
        let uuid: [UInt8]
        let series: Int64
        /// The range of the samples' starts.
        let range: ClosedRange<Int64>
        let births: ClosedRange<Int64>

        init(_ summary: Summary, _ row: SegmentRow, _ series: Int64) {
            uuid = row.uuid
            self.series = series
            range = summary.firstStart...max(summary.firstStart, summary.lastStart)
            // Blocks without a `born` column have the segment's commit.
            let least = summary.minBorn > 0 ? min(summary.minBorn, row.born) : min(0, row.born)
            births = (summary.maxBorn > 0 ? least : row.born)...max(summary.maxBorn, row.born)
        }

        func mayHold(_ start: Int64, _ born: Int64) -> Bool { range.contains(start) && births.contains(born) }

        func overlaps(_ first: Int64, _ last: Int64) -> Bool { first <= range.upperBound && last >= range.lowerBound }
    }

    private var parts: [Part] = []
    private var others: [Int64: [Held]] = [:]
    private let tail: Set<Int64>
    /// Whether lost rows may have named further segments.
    private var isVague: Bool
    /// The indices of losses in segments of unknown content.
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

    /// Records the losses of a missing segment.
    ///
    /// - Parameter losses: the number of losses reported before those of the segment.
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

    /// Searches a segment without a row for samples of missing segments.
    /// - Ordering: after `note` was called for all missing segments.
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
        // A row without a commit of its own was added with the later segment.
        guard let born = block.born.value(at: row) else { return }
        let start = block.starts[row]
        let owners = near.filter { parts[$0].held.mayHold(start, born) }
        // Samples without identities may be in two later segments, one of which replaced the other.
        let isSure =
            owners.count == 1 && !isVague && !block.identityHigh.isAbsent && !tail.contains(born)
            && !rivals.contains { $0.mayHold(start, born) }
        for place in owners {
            if isSure { parts[place].kept += 1 } else { parts[place].doubtful += 1 }
        }
    }

    /// Reduces the losses by the samples found elsewhere.
    func settle(_ report: inout RepairReport) {
        for place in unknown where hasLater {
            report.losses[place].message += "; segments without a catalog row were kept and may hold these samples"
        }
        for part in parts.reversed() {
            let isExact = part.kept <= part.samples
            if isExact, part.kept == part.samples {
                report.losses.remove(at: part.loss)
                report.remarks.append(
                    "\(part.path) is missing; all its \(part.samples) samples of series \(part.held.series) are in "
                        + "later segments, which were kept")
                continue
            }
            let (kept, doubtful) = isExact ? (part.kept, part.doubtful) : (0, part.kept)
            report.losses[part.loss].samples = part.samples - kept
            if kept > 0 {
                report.losses[part.loss].message += "; \(kept) other samples are in later segments, which were kept"
            }
            if doubtful > 0 {
                report.losses[part.loss].message +=
                    "; later segments, which were kept, may hold \(min(doubtful, part.samples - kept)) of these samples"
            }
        }
    }
}

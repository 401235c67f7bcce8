// SPDX-License-Identifier: Apache-2.0

import Catalog

/// The result of a repair: what it kept, and the exact losses.
public struct RepairReport: Sendable {
    /// Lost samples or other lost data.
    public struct Loss: Sendable, Hashable {
        /// The file that held the data.
        public var path: String
        /// The offset in the file, in bytes; nil if unknown.
        public var offset: UInt64?
        /// The series that lost samples; nil if unknown, or if no samples are lost.
        public var series: SeriesID?
        /// The name of the series; nil if unknown.
        public var seriesName: String?
        /// The range in which every lost sample starts. For lost samples, nil means that their times are unknown.
        public var range: TimeRange?
        /// The number of lost samples; nil if unknown.
        public var samples: Int?
        /// Whether samples may be lost, and not only other data.
        public var concernsSamples = true
        /// A description of the damage.
        public var message: String

        var problem: VerifyReport.Problem {
            .init(
                path: path, offset: offset, series: series, seriesName: seriesName, range: range, message: message)
        }
    }

    /// Intact segments, copied byte for byte.
    public var segmentsCopied = 0
    /// Damaged segments whose intact blocks were written to a new segment.
    public var segmentsRewritten = 0
    /// Segments without any intact block.
    public var segmentsLost = 0
    /// Rows of the tail that were kept.
    public var tailRows = 0
    /// Blocks kept, in segments and in the tail.
    public var blocks = 0
    /// Samples kept.
    public var samples = 0
    /// All losses; empty if every acknowledged write was kept.
    public var losses: [Loss] = []
    /// Repairs without a loss, and other findings.
    public var remarks: [String] = []

    /// Whether nothing is lost.
    public var isComplete: Bool { losses.isEmpty }

    /// The number of lost samples, as far as it is known.
    public var samplesLost: Int {
        losses.reduce(0) { sum, loss in
            let (all, isTooMuch) = sum.addingReportingOverflow(loss.samples ?? 0)
            return isTooMuch ? .max : all
        }
    }

    /// Records unreadable rows of the tail, of one commit each. Samples may be appended in any order, so neighbouring
    /// commits say nothing about the times.
    mutating func loseTail(_ gap: CatalogGap, of rows: SalvagedCatalog, seq: Int64, _ path: String) {
        // A damaged row may claim the greatest possible number.
        let first = gap.after < .max ? gap.after + 1 : gap.after
        let last = gap.before.map { $0 - 1 } ?? seq
        let commits =
            if last < first { "commits from \(first) on" } else if last == first { "commit \(first)" } else {
                "commits \(first) to \(last)"
            }
        // If the store has a single series, the samples are of this series.
        let only = rows.series.count == 1 && !rows.gaps.contains { $0.table == "series" } ? rows.series[0].id : nil
        let unknown = only == nil ? "their series and times are unknown" : "their times are unknown"
        lose(
            path, series: only,
            "small appends of \(commits) in the tail are lost; \(unknown): \(gap.message)")
    }

    mutating func lose(
        _ path: String, at offset: UInt64? = nil, series: Int64? = nil, in range: TimeRange? = nil,
        samples: Int? = nil, _ message: String
    ) {
        losses.append(
            Loss(
                path: path, offset: offset, series: series.map { SeriesID(rawValue: $0) }, range: range,
                samples: samples, message: message))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog

/// What a repair kept, and exactly what it could not.
public struct RepairReport: Sendable {
    /// Samples, or something else that was stored, of which nothing is left.
    public struct Loss: Sendable, Hashable {
        /// The file that held it.
        public var path: String
        /// The place in it, where one is known.
        public var offset: UInt64?
        /// The series that lost samples; nil where that is not known, or where no samples are concerned.
        public var series: SeriesID?
        /// That series' name, where it is known.
        public var seriesName: String?
        /// Every lost sample starts in here. Nil for samples means that nothing is known of their times.
        public var range: TimeRange?
        /// How many samples are lost; nil where that is not known.
        public var samples: Int?
        /// Whether samples may be concerned at all.
        public var concernsSamples = true
        /// What is damaged.
        public var message: String

        var problem: VerifyReport.Problem {
            .init(
                path: path, offset: offset, series: series, seriesName: seriesName, range: range, message: message)
        }
    }

    /// Segments that were sound and were copied byte for byte.
    public var segmentsCopied = 0
    /// Segments of which only parts were sound; those were written anew.
    public var segmentsRewritten = 0
    /// Segments of which nothing was left.
    public var segmentsLost = 0
    /// Rows of the tail that were kept.
    public var tailRows = 0
    /// Blocks kept, of segments and of the tail.
    public var blocks = 0
    /// Samples kept.
    public var samples = 0
    /// Everything that is lost; empty where all that was ever acknowledged was kept.
    public var losses: [Loss] = []
    /// What was put right without a loss.
    public var remarks: [String] = []

    /// Whether nothing was lost.
    public var isComplete: Bool { losses.isEmpty }

    /// Samples that are lost as far as their number is known.
    public var samplesLost: Int {
        losses.reduce(0) { sum, loss in
            let (all, isTooMuch) = sum.addingReportingOverflow(loss.samples ?? 0)
            return isTooMuch ? .max : all
        }
    }

    /// Rows of the tail, each of one commit, of which nothing can be read. Samples come in any order, so that commits
    /// before and behind say nothing of their times.
    mutating func loseTail(_ gap: CatalogGap, of rows: SalvagedCatalog, seq: Int64, _ path: String) {
        // A number that a row only claims may be the greatest there is.
        let first = gap.after < .max ? gap.after + 1 : gap.after
        let last = gap.before.map { $0 - 1 } ?? seq
        let commits =
            if last < first { "commits from \(first) on" } else if last == first { "commit \(first)" } else {
                "commits \(first) to \(last)"
            }
        // In a store of one series there is no doubt which one it was.
        let only = rows.series.count == 1 && !rows.gaps.contains { $0.table == "series" } ? rows.series[0].id : nil
        let unknown = only == nil ? "of which series and of what times is unknown" : "of what times is unknown"
        lose(
            path, series: only,
            "small appends of \(commits) that no segment holds yet are lost, \(unknown): \(gap.message)")
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

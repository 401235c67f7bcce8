// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import Synchronization
import TimeIndex

/// What a check of a whole store found.
public struct VerifyReport: Sendable {
    /// One thing that is wrong.
    public struct Problem: Sendable, Hashable {
        /// The file.
        public var path: String
        /// The place in it, where one is known.
        public var offset: UInt64?
        /// The series whose samples are concerned, where one is known.
        public var series: SeriesID?
        /// The range of time that cannot be read, where one is known.
        public var range: TimeRange?
        /// What is wrong.
        public var message: String
    }

    /// Segments checked.
    public var segments = 0
    /// Blocks decoded and held against their summaries.
    public var blocks = 0
    /// Samples decoded.
    public var samples = 0
    /// Bytes read.
    public var bytes: Int64 = 0
    /// What is wrong; empty for a sound store.
    public var problems: [Problem] = []
}

extension TimeSeriesStore {
    /// Reads everything: the catalog's own integrity, every checksum, every decoded block against its summary, and the
    /// index and the catalog against the blocks.
    ///
    /// Damage is reported, not thrown; the rest is still checked.
    /// - Throws: `closed`; `inputOutput` where the catalog cannot be read at all.
    public func verify() throws(StoreError) -> VerifyReport {
        var report = VerifyReport()
        let version = published.withLock { $0 }
        for problem in try catalogProblems() {
            report.problems.append(.init(path: layout.catalog, message: problem))
        }
        let scratch = QueryScratch(nil)
        for file in version.segments.values.sorted(by: { $0.row.id < $1.row.id }) {
            report.segments += 1
            report.bytes += file.row.bytes
            var runs = [RunIndex]()
            for run in version.runs.values.joined() {
                if case .segment(let index) = run, index.file === file { runs.append(index) }
            }
            do throws(StoreError) {
                _ = try file.mapped()
            } catch {
                for run in runs {
                    report.problems.append(
                        .init(
                            path: file.path, offset: error.offset, series: SeriesID(rawValue: run.series),
                            range: TimeRange(run.summary.firstStart, run.summary.maxEnd), message: error.message))
                }
                continue
            }
            do throws(StoreError) {
                try Self.check(directory: file.directory(), of: file, runs, &report)
            } catch {
                report.problems.append(.init(path: file.path, offset: error.offset, message: error.message))
            }
            for index in runs { Self.check(index, scratch, &report) }
        }
        for run in version.runs.values.joined() {
            if case .tail(let block) = run {
                report.blocks += 1
                report.samples += Int(block.summary.count)
                report.bytes += Int64(block.length)
            }
        }
        return report
    }

    private func catalogProblems() throws(StoreError) -> [String] {
        if let catalog = reader.withLock({ $0 }) {
            return try inCatalog { () throws(CatalogError) in try catalog.integrityProblems() }
        }
        return try withWriter { writer throws(StoreError) in
            try inCatalog { () throws(CatalogError) in try writer.catalog.integrityProblems() }
        }
    }

    /// Holds the segment's own list of runs against the catalog's.
    private static func check(
        directory: [RunEntry], of file: SegmentFile, _ runs: [RunIndex], _ report: inout VerifyReport
    ) {
        func problem(_ series: Int64?, _ message: String) {
            report.problems.append(
                .init(path: file.path, series: series.map { SeriesID(rawValue: $0) }, message: message))
        }
        if directory.count != runs.count {
            problem(nil, "the segment lists \(directory.count) series where the catalog says \(runs.count)")
        }
        for run in runs {
            let entry = directory.first { $0.series == UInt64(run.series) }
            let agrees =
                entry.map {
                    $0.rootOffset == UInt64(run.row.rootOffset) && Int64($0.rootLength) == run.row.rootLength
                        && $0.levels == run.levels && Int64($0.blocks) == run.row.blocks
                        && $0.summary.agrees(with: run.summary)
                } ?? false
            if !agrees { problem(run.series, "the segment's list of runs does not agree with the catalog") }
        }
    }

    /// Decodes every block of a run and holds it against its index entry, and the whole against the catalog.
    private static func check(_ run: RunIndex, _ scratch: QueryScratch, _ report: inout VerifyReport) {
        let id = SeriesID(rawValue: run.series)
        var entries = [IndexEntry]()
        do throws(StoreError) {
            entries = try run.entries()
        } catch {
            report.problems.append(
                .init(
                    path: run.file.path, offset: error.offset, series: id,
                    range: TimeRange(run.summary.firstStart, run.summary.maxEnd), message: error.message))
            return
        }
        var total = Summary()
        for entry in entries {
            report.blocks += 1
            let range = TimeRange(entry.summary.firstStart, entry.summary.maxEnd)
            func problem(_ message: String, _ offset: UInt64) {
                report.problems.append(
                    .init(path: run.file.path, offset: offset, series: id, range: range, message: message))
            }
            do throws(StoreError) {
                try scratch.load(run, entry.offset, entry.length, .all)
                let found = scratch.block.summary
                report.samples += Int(found.count)
                if !found.agrees(with: entry.summary) {
                    problem("the block does not agree with its summary", entry.offset)
                }
                total.append(found)
            } catch {
                problem(error.message, error.offset ?? entry.offset)
            }
        }
        if total.count != run.summary.count, report.problems.isEmpty {
            report.problems.append(
                .init(
                    path: run.file.path, series: id,
                    message: "the blocks hold \(total.count) samples where the catalog says \(run.summary.count)"))
        }
    }
}

extension BlockBuffer {
    /// The summary of what was decoded.
    var summary: Summary {
        let born = self.born.bounds(count: count) ?? (0, 0)
        return Kernel.summarize(
            starts: starts, ends: hasEnds ? ends : nil, values: values, range: 0..<count, minBorn: born.0,
            maxBorn: born.1)
    }
}

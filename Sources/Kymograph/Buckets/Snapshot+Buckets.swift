// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import CivilTime
import Kernels
import TimeIndex

extension Snapshot {
    /// The maximum number of buckets of one query.
    public static let maximumBuckets = 2_000_000

    /// Returns statistics of the samples of a series in a range of time.
    ///
    /// Summaries answer for the blocks inside the range. Only the blocks that an edge of the range cuts are decoded.
    /// - Parameters:
    ///   - range: a sample belongs to the range in which it starts. For a cumulative series, the value of a sample that
    ///     crosses an edge is divided in proportion to time.
    ///   - options: the statistics beyond the standard ones.
    ///   - explanation: collects the work of the query.
    /// - Throws: `unknownSeries`, `corrupt`, `inputOutput`.
    /// - Complexity: O(log n) in the samples of the series, plus the decoded blocks, for each run.
    public func aggregate(
        of id: SeriesID, over range: TimeRange = .all, computing options: AggregateOptions = [],
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> Aggregate {
        try aggregate(of: [id], over: range, computing: options, explain: explanation)
    }

    /// Returns statistics of the samples of several series, combined as if they were one. See
    /// `aggregate(of:over:computing:explain:)`.
    public func aggregate(
        of ids: [SeriesID], over range: TimeRange = .all, computing options: AggregateOptions = [],
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> Aggregate {
        if range.isEmpty {
            for id in ids { try known(id) }
            return Aggregate(start: range.start, end: range.end, count: 0)
        }
        return try sweep(ids, [range.start, range.end], options, explanation).aggregate(0)
    }

    /// Returns statistics of a series in adjoining buckets.
    ///
    /// - Parameters:
    ///   - buckets: how time is divided.
    ///   - range: the result has every bucket that overlaps this range, whole, empty or not. Without bounds, the range
    ///     goes from the first sample to the last. Ignored with explicit edges.
    /// - Throws: `unknownSeries`, `invalidArgument` (edges not ascending, no such zone, too many buckets), `corrupt`,
    ///   `inputOutput`.
    /// - Complexity: O(buckets + index entries + blocks cut by an edge).
    public func buckets(
        of id: SeriesID, _ buckets: Buckets, over range: TimeRange = .all, computing options: AggregateOptions = [],
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> BucketTable {
        try self.buckets(of: [id], buckets, over: range, computing: options, explain: explanation)
    }

    /// Returns statistics of several series in adjoining buckets, combined as if they were one. See
    /// `buckets(of:_:over:computing:explain:)`.
    public func buckets(
        of ids: [SeriesID], _ buckets: Buckets, over range: TimeRange = .all,
        computing options: AggregateOptions = [], explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> BucketTable {
        for id in ids { try known(id) }
        let edges = try edges(buckets, range, ids)
        return edges.count < 2 ? BucketTable([]) : try table(ids, edges, options, explanation)
    }

    /// Returns the buckets between at least two edges, computed by one thread or several.
    func table(
        _ ids: [SeriesID], _ edges: [Int64], _ options: AggregateOptions, _ explanation: QueryExplanation?
    ) throws(StoreError) -> BucketTable {
        let pieces = piecesOf(edges, ids)
        if pieces.count == 1 { return BucketTable([try sweep(ids, edges, options, explanation)]) }
        return BucketTable(try sweep(ids, edges, pieces, options, explanation))
    }

    /// Returns the ranges of buckets for the threads. The result is a single range if the buckets are few, or so long
    /// that summaries answer for nearly all samples.
    private func piecesOf(_ edges: [Int64], _ ids: [SeriesID]) -> [Range<Int>] {
        let count = edges.count - 1
        let whole = [0..<count]
        guard version.threads > 1, count >= 512 else { return whole }
        let samples = ids.reduce(0) { $0 + self.count(of: $1) }
        guard samples >= 131_072, samples / count < 1_024 else { return whole }
        let length = (count + 4 * version.threads - 1) / (4 * version.threads)
        return stride(from: 0, to: count, by: length).map { $0..<Swift.min($0 + length, count) }
    }

    /// Computes the buckets by several threads. A bucket's statistics do not depend on its neighbours, so the results
    /// are the same as with one thread.
    private func sweep(
        _ ids: [SeriesID], _ edges: [Int64], _ pieces: [Range<Int>], _ options: AggregateOptions,
        _ explanation: QueryExplanation?
    ) throws(StoreError) -> [BucketPiece] {
        try Parallel.map(pieces.count, threads: version.threads, explain: explanation) { i, own throws(StoreError) in
            try sweep(ids, Array(edges[pieces[i].lowerBound...pieces[i].upperBound]), options, own)
        }
    }

    private func sweep(
        _ ids: [SeriesID], _ edges: [Int64], _ options: AggregateOptions, _ explanation: QueryExplanation?
    ) throws(StoreError) -> BucketPiece {
        var sweep = BucketSweep(edges: edges, options: options)
        let scratch = QueryScratch(explanation)
        for id in ids {
            sweep.isShared = try known(id) == .cumulative
            let tombstones = version.tombstones(of: id)
            for run in runs(id) { try run.fill(&sweep, scratch, tombstones) }
        }
        var integrals = [Int: DoubleDouble]()
        if options.contains(.timeWeightedAverage) {
            for i in sweep.extras.indices where sweep.extras[i].isMixed {
                integrals[i] = try integral(ids, TimeRange(edges[i], edges[i + 1]), explanation)
            }
        }
        var deviations = [Int: Deviation]()
        if options.contains(.standardDeviation) {
            for i in sweep.extras.indices where sweep.rows[i].count > 0 {
                let summary = sweep.extras[i].summary
                if Deviation(summary) == nil {
                    deviations[i] = try deviation(of: ids, TimeRange(edges[i], edges[i + 1]), summary, explanation)
                }
            }
        }
        return BucketPiece(sweep, integrals: integrals, deviations: deviations)
    }

    /// Returns the integral over samples of several runs, which are merged so that each sample's successor is known. Of
    /// samples with equal start and end, the sample committed last counts, as in a sealed run.
    ///
    /// The sum is in nanoseconds and is divided once, as in a block: the rounded result does not depend on the runs.
    private func integral(
        _ ids: [SeriesID], _ range: TimeRange, _ explanation: QueryExplanation?
    ) throws(StoreError) -> DoubleDouble {
        var total = DoubleDouble.zero
        var before: (start: Int64, value: Double)?
        var wanted = RunScan(range, [.starts, .ends, .values], explanation)
        wanted.ordersByCommit = true
        try merge(ids, wanted) { batch throws(StoreError) in
            for row in batch.rows {
                let start = batch.block.starts[row]
                if let before {
                    total.add(DoubleDouble.product(before.value, Double(UInt64(bitPattern: start &- before.start))))
                }
                before = (start, batch.block.values[row])
            }
            return true
        }
        return total.divided(by: 1e9)
    }

    /// Returns the edges of the buckets around a range.
    func edges(_ buckets: Buckets, _ range: TimeRange, _ ids: [SeriesID]) throws(StoreError) -> [Int64] {
        if case .edges(let edges) = buckets {
            for i in 1..<Swift.max(1, edges.count) where edges[i] <= edges[i - 1] {
                throw StoreError(
                    .invalidArgument, "edge \(i) (\(edges[i])) is not after the edge before it (\(edges[i - 1]))")
            }
            guard edges.count - 1 <= Self.maximumBuckets else { throw Self.tooMany(edges.count - 1) }
            return edges
        }
        var bounds = range
        if bounds.start == Int64.min || bounds.end == Int64.max {
            guard let extent = try extent(of: ids) else { return [] }
            if bounds.start == Int64.min { bounds.start = extent.start }
            if bounds.end == Int64.max { bounds.end = extent.end &+ 1 }
        }
        if bounds.isEmpty { return [] }
        guard bounds.start >= TimeLimits.earliest, bounds.end <= TimeLimits.latest + 1 else {
            throw StoreError(.invalidArgument, "the range of a bucket query must lie between the years 1678 and 2261")
        }
        switch buckets {
        case .edges(let edges): return edges
        case .fixed(let width, let anchor): return try Self.fixedEdges(bounds, width, anchor)
        case .calendar(let unit, let anchor, let zone): return try Self.calendarEdges(bounds, unit, anchor, zone)
        }
    }

    private static func fixedEdges(_ range: TimeRange, _ width: Int64, _ anchor: Int64) throws(StoreError) -> [Int64] {
        guard width > 0 else {
            throw StoreError(.invalidArgument, "the width of a bucket must be at least 1 ns, not \(width) ns")
        }
        let wide = Int128(width)
        let offset = Int128(range.start) - Int128(anchor)
        let steps = offset >= 0 ? offset / wide : -((-offset + wide - 1) / wide)
        var edge = Int128(anchor) + steps * wide
        let count = (Int128(range.end) - edge + wide - 1) / wide
        guard count <= maximumBuckets else { throw tooMany(Int(clamping: count)) }
        var edges = [Int64]()
        edges.reserveCapacity(Int(count) + 1)
        if let first = Int64(exactly: edge), Int64(exactly: edge + count * wide) != nil {
            for i in 0...Int64(count) { edges.append(first &+ i &* width) }
            return edges
        }
        while edge < Int128(range.end) {
            edges.append(Int64(clamping: edge))
            edge += wide
        }
        edges.append(Int64(clamping: edge))
        return edges
    }

    private static func calendarEdges(
        _ range: TimeRange, _ unit: CalendarUnit, _ anchor: Int64, _ zoneName: String
    ) throws(StoreError) -> [Int64] {
        guard let zone = CivilZone(identifier: zoneName) else {
            throw StoreError(
                .invalidArgument, "there is no time zone \"\(zoneName)\"; use a name such as Europe/Zurich")
        }
        guard anchor >= TimeLimits.earliest, anchor <= TimeLimits.latest else {
            throw StoreError(.invalidArgument, "the anchor must lie between the years 1678 and 2261")
        }
        var step = CalendarStep()
        switch unit {
        case .minutes(let n): step.minutes = n
        case .hours(let n): step.hours = n
        case .days(let n): step.days = n
        case .weeks(let n): step.weeks = n
        case .months(let n): step.months = n
        case .years(let n): step.years = n
        }
        do throws(CivilError) {
            // Validates the length of the step before it is used.
            _ = try CalendarGrid(anchor: anchor, step: step, zone: zone)
            let start = midnight(anchor, zone, step: step.days + 7 * step.weeks)
            let grid = try CalendarGrid(anchor: start, step: step, zone: zone)
            return try grid.edges(from: range.start, to: range.end, limit: maximumBuckets)
        } catch {
            throw StoreError(error)
        }
    }

    /// Returns the first instant of the local day that holds an instant. If that day's clock starts after midnight,
    /// returns the first instant of a day whole steps away, so that the grid of days does not inherit the unusual hour.
    private static func midnight(_ instant: Int64, _ zone: CivilZone, step days: Int) -> Int64 {
        func floor(_ x: Int64, _ step: Int64) -> Int64 { (x >= 0 ? x : x - (step - 1)) / step }
        let seconds = floor(instant, 1_000_000_000)
        var day = floor(seconds + Int64(zone.offset(at: seconds)), 86_400)
        var found = zone.instant(ofLocal: day * 86_400)
        for _ in 0..<4 where days > 0 && days < 10_000 && found + Int64(zone.offset(at: found)) != day * 86_400 {
            // Move towards 1970, away from the limits of time.
            day += seconds > 0 ? -Int64(days) : Int64(days)
            found = zone.instant(ofLocal: day * 86_400)
        }
        return found * 1_000_000_000
    }

    private static func tooMany(_ count: Int) -> StoreError {
        StoreError(
            .invalidArgument, "\(count) buckets are more than \(maximumBuckets); use longer buckets or a shorter range")
    }
}

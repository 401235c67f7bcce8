// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

extension Snapshot {
    /// Returns statistics of the samples of several sources in a range of time, merged by priority.
    ///
    /// - Parameters:
    ///   - merged: the sources, in order of priority.
    ///   - range: a sample belongs to the range in which it starts. The value of a sample that crosses an edge is
    ///     divided in proportion to time.
    ///   - options: `duration` or empty.
    ///   - explanation: collects the work of the query.
    /// - Throws: `unknownSeries`, `invalidArgument` (a series that is not cumulative or is named twice, other options),
    ///   `corrupt`, `inputOutput`.
    /// - Complexity: O(index entries + samples of blocks in time shared by several sources). Where only one source has
    ///   data: as `aggregate(of:over:computing:explain:)`.
    public func aggregate(
        of merged: MergedSources, over range: TimeRange = .all, computing options: AggregateOptions = [],
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> Aggregate {
        try check(merged, options)
        if range.isEmpty { return Aggregate(start: range.start, end: range.end, count: 0) }
        return try merge(merged, [range.start, range.end], options, nil, explanation)[0]
    }

    /// Returns statistics of several sources in adjoining buckets, merged by priority.
    ///
    /// - Parameters:
    ///   - merged: the sources, in order of priority.
    ///   - buckets: how time is divided.
    ///   - range: as in `buckets(of:_:over:computing:explain:)`; without bounds, from the first sample of any source to
    ///     the last.
    ///   - options: `duration` or empty.
    ///   - explanation: collects the work of the query.
    /// - Throws: `unknownSeries`, `invalidArgument` (as for one series; also a series that is not cumulative or is
    ///   named twice, and other options), `corrupt`, `inputOutput`.
    /// - Complexity: as `aggregate`, and O(buckets).
    public func buckets(
        of merged: MergedSources, _ buckets: Buckets, over range: TimeRange = .all,
        computing options: AggregateOptions = [], explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> BucketTable {
        try check(merged, options)
        let edges = try edges(buckets, range, merged.series)
        if edges.count < 2 { return BucketTable([]) }
        let question = MergedTables.Question(merged: merged, buckets: buckets, range: range, options: options)
        return try merge(merged, edges, options, question, explanation)
    }

    private func check(_ merged: MergedSources, _ options: AggregateOptions) throws(StoreError) {
        guard options.isSubset(of: .duration) else {
            throw StoreError(
                .invalidArgument,
                "merged sources have no standard deviation and no time-weighted average; query them for each source")
        }
        var seen = Set<SeriesID>()
        for id in merged.series {
            guard try known(id) == .cumulative else {
                throw StoreError(.invalidArgument, "\(id) is not cumulative; only cumulative series can be merged")
            }
            guard seen.insert(id).inserted else {
                throw StoreError(.invalidArgument, "\(id) is named twice among the sources to merge")
            }
        }
    }

    private func merge(
        _ merged: MergedSources, _ edges: [Int64], _ options: AggregateOptions, _ question: MergedTables.Question?,
        _ explanation: QueryExplanation?
    ) throws(StoreError) -> BucketTable {
        var copies = [SeriesID: SampleCopies]()
        for id in merged.countsCopies ? [] : merged.counted {
            let found = try self.copies(of: id, explanation)
            if !found.starts.isEmpty { copies[id] = found }
        }
        guard !copies.isEmpty || overlap(merged.sources) else {
            return try table(merged.counted, edges, options, explanation)
        }
        let without = copies
        let count = edges.count - 1
        let length = Swift.min(64, Swift.max(1, (count + 4 * version.threads - 1) / (4 * version.threads)))
        let pieces = stride(from: 0, to: count, by: length).map { $0..<Swift.min($0 + length, count) }
        let answer = question.flatMap { version.merged?.answer($0) }
        var found = try untouched(answer, merged, edges, pieces)
        let missing = pieces.indices.filter { found[$0] == nil }
        let samples = merged.series.reduce(0) { $0 + self.count(of: $1) }
        let threads = samples >= 131_072 ? version.threads : 1
        // Each sweep decodes the blocks at its edges again, so a single thread makes one sweep.
        let most = threads > 1 ? Swift.max(1, (count + 4 * threads - 1) / (4 * threads) / length) : pieces.count
        var stretches = [Range<Int>]()
        for place in missing {
            if let last = stretches.last, last.upperBound == place, last.count < most {
                stretches[stretches.count - 1] = last.lowerBound..<place + 1
            } else {
                stretches.append(place..<place + 1)
            }
        }
        let (parts, jobs) = (pieces, stretches)
        let swept = try Parallel.map(jobs.count, threads: threads, explain: explanation) {
            i, own throws(StoreError) in
            let (first, last) = (parts[jobs[i].lowerBound].lowerBound, parts[jobs[i].upperBound - 1].upperBound)
            return try sweep(merged, without, Array(edges[first...last]), options, own)
        }
        for (stretch, whole) in zip(stretches, swept) {
            let first = pieces[stretch.lowerBound].lowerBound
            for place in stretch {
                found[place] = whole.part(pieces[place].lowerBound - first..<pieces[place].upperBound - first)
            }
        }
        let all = pieces.indices.compactMap { found[$0] }
        if let question, !missing.isEmpty || answer?.sequence != sequence {
            let answer = MergedTables.Answer(sequence: sequence, edges: edges, length: length, pieces: all)
            version.merged?.keep(answer, to: question)
        }
        return BucketTable(all)
    }

    /// Returns true if samples of two sources may share time.
    private func overlap(_ sources: [[SeriesID]]) -> Bool {
        var spans = [TimeRange]()
        for source in sources {
            var span: TimeRange?
            for run in source.lazy.flatMap({ runs($0) }) {
                let known = span ?? TimeRange(run.firstStart, run.occupiedEnd)
                span = TimeRange(min(known.start, run.firstStart), max(known.end, run.occupiedEnd))
            }
            if let span { spans.append(span) }
        }
        spans.sort { $0.start < $1.start }
        return zip(spans, spans.dropFirst()).contains { $0.end > $1.start }
    }

    private func sweep(
        _ merged: MergedSources, _ copies: [SeriesID: SampleCopies], _ edges: [Int64], _ options: AggregateOptions,
        _ explanation: QueryExplanation?
    ) throws(StoreError) -> BucketPiece {
        var sweep = BucketSweep(edges: edges, options: options)
        sweep.isShared = true
        let scratch = QueryScratch(explanation)
        var earlier = [(run: Run, mask: Mask?)]()
        for source in merged.sources {
            let cover = earlier.isEmpty ? nil : SourceCoverage(earlier, explanation)
            for id in source {
                let tombstones = version.tombstones(of: id)
                for run in runs(id) {
                    earlier.append((run, tombstones?.mask(over: run)))
                    guard merged.counting?.contains(id) ?? true else { continue }
                    if let cover {
                        try run.fill(&sweep, under: cover, scratch, tombstones)
                    } else {
                        try run.fill(&sweep, scratch, tombstones)
                    }
                }
                if let copies = copies[id] { try sweep.takeBack(copies, under: cover) }
            }
        }
        return BucketPiece(sweep, integrals: [:], deviations: [:])
    }
}

extension Run {
    /// Adds the uncovered parts of this run's samples to the buckets of a sweep, without deleted samples.
    fileprivate func fill(
        _ sweep: inout BucketSweep, under cover: SourceCoverage, _ scratch: QueryScratch, _ tombstones: Tombstones?
    ) throws(StoreError) {
        if firstStart >= sweep.last || lastStart < sweep.first && maxEnd <= sweep.first { return sweep.begin() }
        try cover.begin()
        guard try cover.touches(firstStart, occupiedEnd) else { return try fill(&sweep, scratch, tombstones) }
        sweep.begin()
        try sweep.take(self, under: cover, hiding: tombstones?.mask(over: self), scratch)
    }
}

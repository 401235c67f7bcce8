// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Kernels
import Synchronization

/// What a compaction did.
public struct CompactionReport: Hashable, Sendable {
    /// The last commit after it.
    public var sequence: Int64 = 0
    /// Merges, each of them a commit.
    public var steps = 0
    /// Segments that were read and retired.
    public var segmentsRead = 0
    /// Segments that were written.
    public var segmentsWritten = 0
    /// Bytes of the segments that were read.
    public var bytesRead: Int64 = 0
    /// Bytes of the segments that were written.
    public var bytesWritten: Int64 = 0
    /// Samples that were written.
    public var samplesWritten = 0
    /// Deleted samples that were left out: of segments, and of the tail, which is sealed first.
    public var samplesRemoved = 0
}

/// How far a compaction is.
public struct CompactionProgress: Hashable, Sendable {
    /// Merges that are committed.
    public var steps: Int
    /// Samples written, by the merge under way, too.
    public var samplesWritten: Int
}

// How and why is told in `Docs/Compaction.md`.
extension TimeSeriesStore {
    /// Merges segments and leaves out what is deleted, until there is nothing left of either; the tail is sealed first.
    ///
    /// Afterwards no live file holds a sample that was deleted before the call. Appends, queries and snapshots go on
    /// meanwhile; each merge is one commit, and those that are done stay if a later one fails or is cancelled.
    /// - Parameter progress: called now and then; returns whether to go on. It cannot compact in its turn.
    /// - Throws: `readOnly`, `closed`, `cancelled`, `diskFull`, `corrupt`, `outcomeUnknown`, `writerFailed`,
    ///   `inputOutput`.
    /// - Complexity: reads and writes all samples that are not in one piece yet, and all segments of which something
    ///   was deleted. Files are freed when no snapshot and no other opening needs them any more.
    @discardableResult
    public func compact(progress: ((CompactionProgress) -> Bool)? = nil) throws(StoreError) -> CompactionReport {
        try requireOwnProcess()
        try requireOutside()
        var report = CompactionReport()
        report.samplesRemoved = try sealEverything()
        // What others append meanwhile is not for this call; what others merge meanwhile is.
        var scope = CompactionScope(through: published.withLock { $0.seq })
        while let done = try compactOnce(.everything, among: scope, progress, &report) {
            scope.written.formUnion(done.written)
        }
        try forgetDeletions()
        let horizon = published.withLock { $0.past.horizon }
        defer { eraseInTime() }
        try withWriter { writer throws(StoreError) in
            // What was deleted of the tail is not to be found in the log either.
            try writer.withReserve { writer throws(StoreError) in
                try writer.checkpoint(truncate: true)
            }
            report.sequence = writer.seq
        }
        compaction.noteClean(through: horizon)
        return report
    }

    /// The segments that a compaction is about.
    struct CompactionScope {
        /// Those of commits up to this one.
        let through: Int64
        /// And those that it wrote itself.
        var written: Set<Int64> = []

        func holds(_ row: SegmentRow) -> Bool { row.born <= through || written.contains(row.id) }
    }

    /// What one merge replaced by what.
    struct CompactedSegments {
        var retired: [Int64]
        var written: [Int64]
    }

    /// Makes one merge, if there is one to make.
    func compactOnce(
        _ aim: CompactionPlan.Aim, among scope: CompactionScope? = nil, _ progress: ((CompactionProgress) -> Bool)?,
        _ report: inout CompactionReport
    ) throws(StoreError) -> CompactedSegments? {
        let before = report
        let done = try compaction.run { () throws(StoreError) -> (CompactionReport, CompactedSegments)? in
            var mine = before
            return try self.merge(aim, scope, progress, &mine).map { (mine, $0) }
        }
        try withWriter { writer throws(StoreError) in
            writer.removeRetired(self.slots, self.layout, self.disk)
            if done != nil { self.fitBallast(&writer) }
        }
        guard let done else { return nil }
        report = done.0
        return done.1
    }

    private func merge(
        _ aim: CompactionPlan.Aim, _ scope: CompactionScope?, _ progress: ((CompactionProgress) -> Bool)?,
        _ report: inout CompactionReport
    ) throws(StoreError) -> CompactedSegments? {
        // No other process may replace what is read here, or take what is written for left over.
        let work = try beginWork()
        defer { work.end() }
        let version = published.withLock { $0 }
        let plan = CompactionPlan(limits: options.compaction)
        let items = try compactionItems(version, aim, scope)
        let chosen = plan.next(items, aim)
        if chosen.isEmpty { return nil }
        let (steps, samples) = (report.steps, report.samplesWritten)
        do throws(StoreError) {
            return try merge(chosen, of: version, plan, &report) { written throws(StoreError) in
                let state = CompactionProgress(steps: steps, samplesWritten: samples + written)
                // What is due by itself gives way to another process that wants to save.
                let isInTheWay = aim == .due && self.mode == .shared && self.hasWaiting
                if isInTheWay || progress.map({ !$0(state) }) ?? false { throw .stoppedMerge }
            } committing: { step, inputs throws(StoreError) in
                try withWriter { writer throws(StoreError) in try self.commit(step, retiring: inputs, &writer) }
            }
        } catch {
            guard error.kind == .diskFull else { throw error }
            for segment in plan.sheddingAlone(items) {
                if let done = try shedInReserve(segment, of: version, plan, &report) { return done }
            }
            throw error
        }
    }

    /// Leaves out of a segment what is deleted of it, in the ballast's room, which nobody else may take meanwhile; nil
    /// if that is too little as well.
    private func shedInReserve(
        _ segment: Int64, of version: Version, _ plan: CompactionPlan, _ report: inout CompactionReport
    ) throws(StoreError) -> CompactedSegments? {
        var made = report
        do throws(StoreError) {
            let done = try withWriter { writer throws(StoreError) in
                try writer.withReserve { writer throws(StoreError) in
                    // Who asks for the progress might write in its turn, which has to wait here: it is not told.
                    try self.merge([segment], of: version, plan, &made) { _ in
                    } committing: { step, inputs throws(StoreError) in
                        try self.commit(step, retiring: inputs, &writer)
                    }
                }
            }
            report = made
            return done
        } catch {
            if error.kind == .diskFull { return nil }
            throw error
        }
    }

    /// Merges some segments. If it throws, nothing of it is left.
    private func merge(
        _ chosen: [Int64], of version: Version, _ plan: CompactionPlan, _ report: inout CompactionReport,
        _ proceed: (_ samples: Int) throws(StoreError) -> Void,
        committing commit: (CompactionStep, [SegmentFile]) throws(StoreError) -> [Int64]
    ) throws(StoreError) -> CompactedSegments {
        let inputs = chosen.compactMap { version.segments[$0] }
        var step = CompactionStep(self, version, inputs)
        let watch = Stopwatch()
        telemetry.post(.mergeBegan(segments: inputs.count, bytes: step.bytesRead))
        do throws(StoreError) {
            try step.run(plan) { written throws(StoreError) in
                if Task.isCancelled || self.compaction.isStopped { throw .stoppedMerge }
                try proceed(written)
            }
            let written = try commit(step, inputs)
            let done = CompactionReport(step, retiring: inputs.count, sequence: published.withLock { $0.seq })
            report.add(done)
            compaction.note(done)
            telemetry.post(.mergeEnded(done, took: watch.elapsed))
            return CompactedSegments(retired: chosen, written: written)
        } catch {
            // What a commit of unknown outcome may have named must stay; the next opening decides.
            if error.kind != .outcomeUnknown { step.abandon() }
            telemetry.noteMerge(error)
            throw error
        }
    }

    /// Names what a merge wrote and retires what it read; the numbers of the new segments.
    private func commit(
        _ step: CompactionStep, retiring inputs: [SegmentFile], _ writer: inout Writer
    ) throws(StoreError) -> [Int64] {
        try writer.withReserve { writer throws(StoreError) in
            // Deletions may have come meanwhile: their samples are in the new segments and in their counts.
            let known = self.published.withLock { $0.tombstones }
            var tombstones = [Int64: Tombstones]()
            for (series, counts) in step.removed { tombstones[series] = known[series]?.without(counts) }
            let first = writer.nextSegment
            _ = try self.commitSegments(
                step.rows, newSeries: SeriesTable(), sealing: [], replacement: nil, tombstones: tombstones,
                retiring: inputs, of: step.sequence, forgetting: step.horizon, &writer, nil)
            return Array(first..<writer.nextSegment)
        }
    }

    /// The segments of a version as the plan sees them.
    private func compactionItems(
        _ version: Version, _ aim: CompactionPlan.Aim, _ scope: CompactionScope?
    ) throws(StoreError) -> [CompactionPlan.Item] {
        let overdue = aim == .everything ? Int64.max : overdueCommit
        let avoided = aim == .everything ? [] : compaction.avoided
        let files = version.segments.filter { id, file in
            scope?.holds(file.row) ?? true && !avoided.contains(id) && file.totals.samples > 0
        }
        var mustShed = Set<Int64>()
        for (series, tombstones) in version.tombstones {
            for case .segment(let index) in version.runs[series] where files[index.file.row.id] != nil {
                if try tombstones.mustLeave(.segment(index), by: overdue) { mustShed.insert(index.file.row.id) }
            }
        }
        return files.values.map { file in
            CompactionPlan.Item(
                id: file.row.id, bytes: file.row.bytes,
                partitions: file.totals.partitions,
                mustShed: mustShed.contains(file.row.id))
        }
    }
}

extension StoreError {
    fileprivate static var stoppedMerge: StoreError {
        StoreError(.cancelled, "stopped as asked; merges that were committed stay")
    }
}

extension CompactionReport {
    fileprivate init(_ step: CompactionStep, retiring count: Int, sequence: Int64) {
        self.sequence = sequence
        steps = 1
        segmentsRead = count
        segmentsWritten = step.rows.count
        bytesRead = step.bytesRead
        bytesWritten = step.bytesWritten
        samplesWritten = step.samples
        samplesRemoved = step.samplesRemoved
    }

    mutating func add(_ other: CompactionReport) {
        sequence = max(sequence, other.sequence)
        steps += other.steps
        segmentsRead += other.segmentsRead
        segmentsWritten += other.segmentsWritten
        bytesRead += other.bytesRead
        bytesWritten += other.bytesWritten
        samplesWritten += other.samplesWritten
        samplesRemoved += other.samplesRemoved
    }
}

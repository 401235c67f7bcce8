// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Kernels
import Synchronization

/// Merges segments: when merges are due, in the background, and all of them on request. `Docs/Operations/Retention.md`
/// has the rules.
final class Compactor: Sendable {
    private let context: StoreContext
    private let access: CatalogAccess
    private let sealer: TailSealer
    let state = CompactionState()

    init(_ context: StoreContext, _ access: CatalogAccess, _ sealer: TailSealer) {
        self.context = context
        self.access = access
        self.sealer = sealer
    }

    /// The segments that one call of `compact` merges.
    struct Scope {
        /// Segments of commits up to this one.
        let through: Int64
        /// Segments that the call itself wrote.
        var written: Set<Int64> = []

        func holds(_ row: SegmentRow) -> Bool { row.born <= through || written.contains(row.id) }
    }

    /// See `TimeSeriesStore.compact(progress:)`.
    ///
    /// - Parameter forget: removes tombstones that hide nothing, once all samples are merged.
    func compact(
        _ progress: ((CompactionProgress) -> Bool)?, forgetting forget: () throws(StoreError) -> Void
    ) throws(StoreError) -> CompactionReport {
        try context.requireOwnProcess()
        try access.requireOutside()
        var report = CompactionReport()
        report.samplesRemoved = try sealer.sealEverything()
        // Samples that are appended meanwhile are left to the next call.
        var scope = Scope(through: context.published.withLock { $0.seq })
        while let written = try mergeOnce(.everything, among: scope, progress, &report) {
            scope.written.formUnion(written)
        }
        try forget()
        let horizon = context.published.withLock { $0.past.horizon }
        defer { context.requestUpkeep() }
        try access.withWriter { writer throws(StoreError) in
            // The log may still hold samples that were deleted from the tail.
            try writer.withReserve { writer throws(StoreError) in
                try writer.checkpoint(truncate: true)
            }
            report.sequence = writer.seq
        }
        state.noteClean(through: horizon)
        return report
    }

    /// Starts due merges in the background. For use after a commit that added a segment.
    func compactLater() {
        guard context.options.compacts, !context.isClosed else { return }
        let (commit, segments) = context.published.withLock { ($0.seq, $0.segments.count) }
        guard segments > 0 else { return }
        state.schedule(at: commit) { [weak self] in self?.compactInBackground() }
    }

    /// Runs all due merges in this thread.
    @discardableResult
    func compactDue() throws(StoreError) -> CompactionReport {
        var report = CompactionReport()
        while !context.isClosed, try mergeIfDue(&report) {}
        return report
    }

    private func compactInBackground() {
        var failure: StoreError?
        do throws(StoreError) {
            try compactDue()
        } catch {
            // A lock that another process holds for long is no damage.
            if ![.cancelled, .closed, .locked].contains(error.kind) { failure = error }
        }
        let (commit, files) = context.published.withLock { ($0.seq, $0.segments) }
        state.finish(failure, at: commit, reading: files.mapValues(\.path))
        context.requestUpkeep()
    }

    /// Makes one merge, if one is due.
    ///
    /// - Returns: whether there was one.
    func mergeIfDue(_ report: inout CompactionReport) throws(StoreError) -> Bool {
        try mergeOnce(.due, among: nil, nil, &report) != nil
    }

    /// Waits for the end of the merge under way, unless the caller runs inside it.
    func waitUntilIdle() { state.waitUntilIdle() }

    /// Makes one merge, if there is one to make.
    ///
    /// - Returns: the numbers of the segments that it wrote; nil if there was no merge.
    func mergeOnce(
        _ aim: CompactionPlan.Aim, among scope: Scope?, _ progress: ((CompactionProgress) -> Bool)?,
        _ report: inout CompactionReport
    ) throws(StoreError) -> Range<Int64>? {
        let before = report
        let done = try state.run { () throws(StoreError) -> (CompactionReport, Range<Int64>)? in
            var mine = before
            return try self.merge(aim, scope, progress, &mine).map { (mine, $0) }
        }
        try access.withWriter { writer throws(StoreError) in
            writer.removeRetired(self.context.slots, self.context.layout, self.context.disk)
            if done != nil { writer.fitBallast(self.context) }
        }
        guard let done else { return nil }
        report = done.0
        return done.1
    }

    private func merge(
        _ aim: CompactionPlan.Aim, _ scope: Scope?, _ progress: ((CompactionProgress) -> Bool)?,
        _ report: inout CompactionReport
    ) throws(StoreError) -> Range<Int64>? {
        // No other process may replace the inputs, or remove the new files as leftovers.
        let work = try access.beginWork()
        defer { work.end() }
        let version = context.version
        let plan = CompactionPlan(limits: context.options.compaction)
        let items = try items(of: version, aim, scope)
        let chosen = plan.next(items, aim)
        if chosen.isEmpty { return nil }
        let (steps, samples) = (report.steps, report.samplesWritten)
        let mayGiveWay = aim == .due && context.mode == .shared
        do throws(StoreError) {
            return try merge(chosen, of: version, plan, &report) { written throws(StoreError) in
                let state = CompactionProgress(steps: steps, samplesWritten: samples + written)
                // A merge that is due gives way to another process that wants to write.
                if mayGiveWay && self.access.hasWaiting || progress.map({ !$0(state) }) ?? false { throw .stoppedMerge }
            } committing: { step, inputs throws(StoreError) in
                try access.withWriter { writer throws(StoreError) in try self.commit(step, retiring: inputs, &writer) }
            }
        } catch {
            guard error.kind == .diskFull else { throw error }
            for segment in plan.sheddingAlone(items) {
                if let done = try mergeInReserve(segment, of: version, plan, &report) { return done }
            }
            throw error
        }
    }

    /// Rewrites one segment without its deleted samples, in the space of the ballast, which no other program can take
    /// meanwhile. Returns nil if that space is too small as well.
    private func mergeInReserve(
        _ segment: Int64, of version: Version, _ plan: CompactionPlan, _ report: inout CompactionReport
    ) throws(StoreError) -> Range<Int64>? {
        var made = report
        do throws(StoreError) {
            let done = try access.withWriter { writer throws(StoreError) in
                try writer.withReserve { writer throws(StoreError) in
                    // No progress callback here: it could write and deadlock on the writer.
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

    /// Merges some segments. If it throws, the new files are removed.
    private func merge(
        _ chosen: [Int64], of version: Version, _ plan: CompactionPlan, _ report: inout CompactionReport,
        _ proceed: (_ samples: Int) throws(StoreError) -> Void,
        committing commit: (CompactionStep, [SegmentFile]) throws(StoreError) -> Range<Int64>
    ) throws(StoreError) -> Range<Int64> {
        let inputs = chosen.compactMap { version.segments[$0] }
        var step = CompactionStep(context, version, inputs)
        let watch = Stopwatch()
        let telemetry = context.telemetry
        telemetry.post(.mergeBegan(segments: inputs.count, bytes: step.bytesRead))
        do throws(StoreError) {
            try step.run(plan) { written throws(StoreError) in
                if Task.isCancelled || self.context.isClosed { throw .stoppedMerge }
                try proceed(written)
            }
            let written = try commit(step, inputs)
            let sequence = context.published.withLock { $0.seq }
            let done = CompactionReport(step, retiring: inputs.count, sequence: sequence)
            report.add(done)
            state.note(done)
            telemetry.post(.mergeEnded(done, took: watch.elapsed))
            return written
        } catch {
            // A commit of unknown outcome may name the files; the next opening decides.
            if error.kind != .outcomeUnknown { step.abandon() }
            telemetry.noteMerge(error)
            throw error
        }
    }

    /// Commits the new segments and retires the inputs.
    private func commit(
        _ step: CompactionStep, retiring inputs: [SegmentFile], _ writer: inout Writer
    ) throws(StoreError) -> Range<Int64> {
        let made = SegmentCommit(
            segments: step.rows, source: step.sequence, retired: inputs, removed: step.removed, horizon: step.horizon)
        let numbers = try writer.withReserve { writer throws(StoreError) in try self.context.commit(made, &writer) }
        context.requestUpkeep(.replaced)
        return numbers
    }

    /// The segments of a version, as the plan needs them.
    private func items(
        of version: Version, _ aim: CompactionPlan.Aim, _ scope: Scope?
    ) throws(StoreError) -> [CompactionPlan.Item] {
        let overdue = aim == .everything ? Int64.max : context.overdueCommit
        let avoided = aim == .everything ? [] : state.avoided
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
        StoreError(.cancelled, "compaction was cancelled; committed merges stay")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Kernels
import Synchronization

/// A loader of any number of samples into segments. `TimeSeriesStore.bulkLoad` passes one to its closure.
///
/// ```swift
/// try store.bulkLoad { loader in
///     let pulse = try loader.series("pulse", labels: ["subject": "7"], kind: .discrete)
///     try loader.append(to: pulse.id, starts: times.span, values: values.span)
/// }
/// ```
///
/// A call with 65,536 samples or more in order of time is encoded at once; samples of smaller calls are collected
/// first. The loader divides the work among up to `StoreOptions.threads` threads. The blocks in the files do not depend
/// on the number of threads.
///
/// A load costs one commit, however many samples it has, and O(n) for samples in order of time, O(n log n) otherwise.
/// Memory is bounded: at most a million collected samples, some megabytes for each thread, and a copy of an unordered
/// call.
///
/// - Requires: calls from one thread at a time.
public final class BulkLoader {
    /// Samples from which a call is not collected.
    private static let large = 65_536
    /// Samples from which a call has enough work for several threads.
    private static let divisible = 1 << 18
    /// Samples that are collected before they are written.
    private static let collected = 1 << 20
    /// Maximum runs of a segment: its writer keeps some hundred bytes for each run until the file is complete.
    private static let mostRuns = 1 << 14

    /// Bytes of queued parts from which all threads have enough work.
    private static let queued = 8 << 20

    private let context: StoreContext
    /// The writer; nil inside a commit, whose caller holds the writer.
    private let access: CatalogAccess?
    private let threads: Int
    private var open: SegmentWriter?
    /// The paths of complete files.
    private var finished: [String] = []
    private var rows: [SegmentRow] = []
    private var pending = CollectedSamples()
    /// Parts that wait until all threads have enough work.
    private var queue: [RunPart] = []
    private var queuedBytes = 0
    /// Samples since the last check of the segment's size.
    private var unmeasured = 0
    /// The numbers of series that the commit of this load creates.
    private(set) var promised = RangeSet<Int64>()
    /// The reason why this load accepts no samples and cannot commit: a file failed, or the load is over.
    private var failure: StoreError?
    /// Samples accepted so far.
    public private(set) var count = 0

    /// Checks the caller's identities against the store.
    private let identities: LoadIdentities?
    /// Bytes that have to stay free, inside a commit.
    private let kept: UInt64

    /// - Parameters:
    ///   - access: the writer; nil inside a commit.
    ///   - kept: bytes that have to stay free, inside a commit.
    init(
        _ context: StoreContext, _ access: CatalogAccess?, _ identities: LoadIdentities? = nil, keeping kept: UInt64 = 0
    ) {
        self.context = context
        self.access = access
        self.identities = identities
        self.kept = kept
        threads = min(64, max(1, context.options.threads))
    }

    /// Adds points of a series, in any order. Starts are in nanoseconds since 1970-01-01 UTC.
    ///
    /// - Throws: `invalidSample`, `unknownSeries`, `diskFull`, `inputOutput`.
    public func append(to id: SeriesID, starts: Span<Int64>, values: Span<Double>) throws(StoreError) {
        let faults = try SampleRows.examine(starts, values, threads: threads)
        try append(to: id, starts, Span(), values, isSorted: !faults.contains(.unordered))
    }

    /// Adds samples of a series, in any order. Starts and ends are in nanoseconds since 1970-01-01 UTC.
    ///
    /// - Throws: `invalidSample`, `unknownSeries`, `diskFull`, `inputOutput`.
    public func append(
        to id: SeriesID, starts: Span<Int64>, ends: Span<Int64>, values: Span<Double>
    ) throws(StoreError) {
        let faults = try SampleRows.examine(starts, ends, values, threads: threads)
        let isSorted = !faults.contains(.unordered)
        if faults.contains(.lasting) {
            try append(to: id, starts, ends, values, isSorted: isSorted)
        } else {
            try append(to: id, starts, Span(), values, isSorted: isSorted)
        }
    }

    private func append(
        to id: SeriesID, _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>, isSorted: Bool
    ) throws(StoreError) {
        if let failure { throw failure }
        if !promised.contains(id.rawValue) { try context.snapshot().known(id) }
        if starts.count >= Self.large {
            if let waiting = pending.take(id) { try write(waiting.rows, to: id, isSorted: waiting.isSorted) }
            if isSorted, threads == 1 || starts.count >= Self.divisible {
                return try take(starts, ends, values, of: id)
            }
            var copy = SampleRows()
            copy.append(starts, ends, values, 0..<starts.count)
            return try write(copy, to: id, isSorted: isSorted)
        }
        pending.append(to: id, starts, ends, values, isSorted: isSorted, most: Self.collected + Self.large)
        if pending.count >= Self.collected { try flush() }
    }

    /// Returns the series of a name and labels. The commit of this load creates the series if it does not exist.
    ///
    /// - Throws: `kindMismatch`, `invalidArgument` (texts longer than ``Series/maximumTextBytes`` and
    ///   ``Series/maximumLabelBytes``), `readOnly`, `closed`.
    public func series(
        _ name: String, labels: [String: String] = [:], kind: SeriesKind
    ) throws(StoreError) -> Series {
        let key = SeriesKey(name: name, labels: labels)
        try key.requireStorable()
        guard let access else { throw StoreError(.invalidArgument, StoreError.calledWhileWriting) }
        let series = try access.withWriter { writer throws(StoreError) in
            try writer.promise(key, kind, in: self.context.version)
        }
        if !context.snapshot().has(series.id) {
            promised.insert(contentsOf: series.id.rawValue..<series.id.rawValue + 1)
        }
        return series
    }

    private func flush() throws(StoreError) {
        try pending.forEach { id, rows, isSorted throws(StoreError) in try write(rows, to: id, isSorted: isSorted) }
        pending.removeAll()
    }

    /// Writes rows with all their columns. Rows without identities get new ones.
    package func write(_ rows: SampleRows, to id: SeriesID) throws(StoreError) {
        if !rows.identityHigh.isAbsent {
            context.avoid(rows)
            identities?.note(rows)
        }
        try write(rows, to: id, isSorted: false)
    }

    private func write(_ rows: consuming SampleRows, to id: SeriesID, isSorted: Bool) throws(StoreError) {
        guard rows.count > 0 else { return }
        if !isSorted { rows.sort() }
        if case .absent = rows.identityHigh { rows.identify(from: context.newIdentities(rows.count)) }
        try take(RunPart(rows, series: id.rawValue), Span(), Span(), Span())
    }

    /// Adds the caller's columns, which are in order, without a copy.
    private func take(
        _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>, of id: SeriesID
    ) throws(StoreError) {
        var sides = SampleRows()
        sides.identify(from: context.newIdentities(starts.count))
        try take(RunPart(starts, ends, sides: sides, series: id.rawValue), starts, ends, values)
    }

    /// Returns the first of `count` new identities, which count up in their lower halves.
    package func newIdentities(_ count: Int) -> SampleIdentity { context.newIdentities(count) }

    // The result for parts depends only on their order and their samples, not on the time of writing.

    private func take(
        _ part: RunPart, _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>
    ) throws(StoreError) {
        if let failure { throw failure }
        do throws(StoreError) {
            if access != nil, Task.isCancelled {
                throw StoreError(.cancelled, "the task was cancelled; nothing of this load is stored")
            }
            try measure()
            unmeasured += part.count
            count += part.count
            queue.append(part)
            queuedBytes += part.ownBytes
            if threads == 1 || part.isBorrowed || queuedBytes >= Self.queued {
                try writeQueue(starts, ends, values)
            }
        } catch {
            // Samples of earlier calls may be lost with the file, so the whole load fails.
            failure = error
            throw error
        }
    }

    /// Finishes the segment if it is large enough. Checks after each million samples, or after fewer if these could
    /// fill a segment.
    private func measure() throws(StoreError) {
        let most = max(0, context.options.segmentBytes)
        guard unmeasured >= min(Self.collected, most / 16) else { return }
        unmeasured = 0
        try writeQueue(Span(), Span(), Span())
        if let open, open.bytes >= UInt64(most) { try finishSegment() }
    }

    /// Writes the queued parts. The spans are the columns of a borrowed part.
    private func writeQueue(
        _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>
    ) throws(StoreError) {
        var batch = [RunPart]()
        var end = open?.last ?? SegmentEnd(mostRuns: Self.mostRuns)
        for part in queue {
            if !end.canTake(part) {
                try write(batch, starts, ends, values)
                batch = []
                try finishSegment()
                end = SegmentEnd(mostRuns: Self.mostRuns)
            }
            end.take(part)
            batch.append(part)
        }
        queue = []
        queuedBytes = 0
        try write(batch, starts, ends, values)
    }

    private func write(
        _ batch: [RunPart], _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>
    ) throws(StoreError) {
        if batch.isEmpty { return }
        let writer: SegmentWriter
        if let open {
            writer = open
        } else {
            let samples = batch.reduce(0) { $0 + $1.count }
            if let access {
                try access.requireRoomToLoad(samples: samples)
            } else {
                let needed = CatalogAccess.expectedBytes(samples: samples)
                try context.requireRoom(needed, reserve: kept, for: "the samples")
            }
            writer = try context.newSegment(threads: threads, mostRuns: Self.mostRuns)
        }
        open = writer
        try writer.append(batch, starts, ends, values)
    }

    private func finishSegment() throws(StoreError) {
        guard let writer = open else { return }
        rows.append(try writer.finish())
        finished.append(writer.path)
        open = nil
    }

    /// Writes the remaining samples, syncs the directory, and returns the rows for the commit.
    func finish() throws(StoreError) -> [SegmentRow] {
        if let failure { throw failure }
        try flush()
        try writeQueue(Span(), Span(), Span())
        try finishSegment()
        failure = Self.isOver
        if !rows.isEmpty {
            let directory = context.layout.segments
            try onDisk { () throws(DiskError) in try context.disk.syncDirectory(directory) }
            context.telemetry.syncs.add(rows.count + 1, ordering: .relaxed)
        }
        return rows
    }

    private static let isOver = StoreError(.closed, "the load is over; begin a new load")

    /// Removes all written files.
    func abandon() {
        failure = Self.isOver
        open?.abandon()
        for path in finished { try? context.disk.remove(path) }
        open = nil
        finished = []
    }
}

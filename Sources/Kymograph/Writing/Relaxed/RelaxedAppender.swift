// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Accepts samples at the speed of memory, and commits them in the background at regular intervals.
///
/// Samples are invisible before their commit, also to this process. A crash loses at most the samples that arrived
/// since the last commit began, and never a part of a call. The receipt of a call reports when its samples are on the
/// disk. Nothing is dropped silently: a failed commit is reported by the receipts of its samples, by `flush` and by the
/// next call, and its samples are not stored.
///
/// Memory is bounded by twice the capacity, and 255 samples of each series that receives single samples. If the disk is
/// too slow, calls wait for the commit under way, and throw `overloaded` after ten seconds. A call with more samples
/// than the capacity is refused. `Docs/Operations/Durability.md` has the full guarantees.
public final class RelaxedAppender: Sendable {
    /// Bytes of a waiting sample.
    static let sampleBytes = 24
    /// Single samples of a series after which their bytes are counted, so that a single append stays cheap.
    static let stride = 256

    let store: TimeSeriesStore
    let ledger: RelaxedLedger
    private let interval: Duration
    private let capacity: Int
    /// Maximum time that a call waits for space.
    private let patience: Duration
    private let columns = Mutex([Int64: RelaxedColumn]())
    /// Runs the commits, one after the other.
    private let background = DispatchQueue(label: "kymograph.relaxed", qos: .userInitiated)
    /// Bytes of samples that wait for a commit.
    private let held = Atomic(0)
    /// True if a commit is scheduled within the interval.
    private let isScheduled = Atomic(false)
    /// True if a commit is requested at once.
    private let isUrgent = Atomic(false)

    init(_ store: TimeSeriesStore, interval: Duration, capacity: Int, patience: Duration = .seconds(10)) {
        self.store = store
        ledger = RelaxedLedger(store.access.writerOwner)
        self.interval = interval
        self.capacity = capacity
        self.patience = patience
    }

    /// Returns a series to append to. Fastest for single samples, because an append needs no lookup.
    ///
    /// - Throws: `unknownSeries`.
    public func series(_ id: SeriesID) throws(StoreError) -> RelaxedSeries {
        try store.requireOwnProcess()
        if let known = columns.withLock({ $0[id.rawValue] }) { return RelaxedSeries(column: known, appender: self) }
        guard store.context.published.withLock({ $0.series.has(id.rawValue) }) else { throw .unknown(id) }
        let column = columns.withLock { columns in
            if let known = columns[id.rawValue] { return known }
            // A commit takes its number and the list of columns at once, so that this commit has the new column.
            let column = RelaxedColumn(id, ledger.next)
            columns[id.rawValue] = column
            return column
        }
        return RelaxedSeries(column: column, appender: self)
    }

    /// Appends samples, in any order. See `RelaxedSeries.append(starts:ends:values:)`.
    @discardableResult
    public func append(
        to id: SeriesID, starts: Span<Int64>, ends: Span<Int64>, values: Span<Double>
    ) throws(StoreError) -> RelaxedReceipt {
        try series(id).append(starts: starts, ends: ends, values: values)
    }

    /// Appends points, in any order. See `RelaxedSeries.append(starts:ends:values:)`.
    @discardableResult
    public func append(
        to id: SeriesID, starts: Span<Int64>, values: Span<Double>
    ) throws(StoreError) -> RelaxedReceipt {
        try series(id).append(starts: starts, values: values)
    }

    /// Commits all samples that were accepted before this call, and returns when they are on the disk.
    ///
    /// - Returns: the last commit, or nil if there was none.
    /// - Throws: the error of the commit of the waiting samples.
    @discardableResult
    public func flush() throws(StoreError) -> CommitReceipt? {
        try store.requireOwnProcess()
        try store.access.requireOutside()
        let result = background.sync { Result { () throws(StoreError) in try self.commit() } }
        if case .failure = result { try? ledger.reportFailure() }
        return try result.get()
    }

    /// Commits the waiting samples, and refuses further samples.
    func close() {
        ledger.close()
        background.sync { _ = try? self.commit() }
    }

    // The path of samples from many threads to a commit.

    /// Admits a call with one sample; waits while there is no space. Throws a failure that no call has reported.
    @inline(__always)
    func admit() throws(StoreError) {
        try store.requireOwnProcess()
        if ledger.hasNews.load(ordering: .relaxed) { try ledger.reportFailure() }
        if held.load(ordering: .relaxed) >= 2 * capacity {
            try waitForRoom { held.load(ordering: .relaxed) < 2 * capacity }
        }
    }

    /// Admits a call with some samples, and counts them; waits while there is no space for all of them.
    func admit(samples: Int) throws(StoreError) {
        try store.requireOwnProcess()
        if ledger.hasNews.load(ordering: .relaxed) { try ledger.reportFailure() }
        guard samples <= capacity / Self.sampleBytes else {
            throw StoreError(
                .invalidArgument,
                "\(samples) samples in one call exceed the appender's capacity of \(capacity / Self.sampleBytes): "
                    + "append fewer at a time, increase the capacity, or append them durably; nothing was appended",
                path: store.path)
        }
        if !reserve(samples) { try waitForRoom { reserve(samples) } }
        if held.load(ordering: .relaxed) >= capacity { hurry() }
    }

    /// Counts samples before they are added; returns false if there is no space for them.
    private func reserve(_ samples: Int) -> Bool {
        let bytes = samples * Self.sampleBytes
        if held.add(bytes, ordering: .relaxed).newValue <= 2 * capacity { return true }
        held.subtract(bytes, ordering: .relaxed)
        return false
    }

    /// Bytes of samples that wait for a commit.
    var bytesWaiting: Int { held.load(ordering: .relaxed) }

    /// Waits until a commit frees space.
    ///
    /// - Throws: `overloaded` after the patience; `invalidArgument` on the thread that holds the writer, because no
    ///   commit can end before that thread returns; a failure that no call has reported.
    private func waitForRoom(_ isThere: () -> Bool) throws(StoreError) {
        try store.access.requireOutside()
        let watch = Stopwatch()
        store.context.telemetry.roomWaits.add(1, ordering: .relaxed)
        defer { store.context.telemetry.roomNanoseconds.add(watch.nanoseconds, ordering: .relaxed) }
        let clock = ContinuousClock()
        let end = clock.now + patience
        while true {
            // Read before the check, because the last commit under way may end in between.
            let next = ledger.nextToEnd
            hurry()
            if isThere() { return }
            guard ledger.wait(forEndOf: next, until: end) else {
                store.context.telemetry.overloads.add(1, ordering: .relaxed)
                throw StoreError(
                    .overloaded,
                    "the disk is too slow: after \(patience), \(held.load(ordering: .relaxed)) bytes still wait for a "
                        + "commit; nothing of this call was appended, so try again later, or append less",
                    path: store.path)
            }
            if ledger.hasNews.load(ordering: .relaxed) { try ledger.reportFailure() }
        }
    }

    /// Counts single samples that were added.
    func count(samples: Int) {
        let now = held.add(samples * Self.sampleBytes, ordering: .relaxed).newValue
        if now >= capacity { hurry() }
    }

    /// Schedules a commit of samples that were just added.
    @inline(__always)
    func schedule() {
        if !isScheduled.load(ordering: .relaxed) { scheduleNow() }
    }

    private func scheduleNow() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        background.asyncAfter(deadline: .now() + interval.interval) { _ = try? self.commit() }
    }

    private func hurry() {
        guard !isUrgent.exchange(true, ordering: .acquiringAndReleasing) else { return }
        background.async { _ = try? self.commit() }
    }

    /// Commits the waiting samples.
    ///
    /// - Requires: the background queue.
    private func commit() throws(StoreError) -> CommitReceipt? {
        isUrgent.store(false, ordering: .releasing)
        // Before the samples are removed, so that samples that arrive meanwhile schedule a new commit.
        isScheduled.store(false, ordering: .releasing)
        let (generation, all) = columns.withLock { (ledger.begin(), Array($0.values)) }
        var batches = [(series: SeriesID, rows: SampleRows)]()
        var counted = 0
        for column in all.sorted(by: { $0.id < $1.id }) {
            let (rows, bytes) = column.take(generation)
            counted += bytes
            if rows.count > 0 { batches.append((column.id, rows)) }
        }
        var result = Result<CommitReceipt?, StoreError>.success(nil)
        if !batches.isEmpty { result = Result { () throws(StoreError) in try store.committer.append(batches) } }
        if case .failure(let error) = result {
            let samples = batches.reduce(0) { $0 + $1.rows.count }
            store.context.telemetry.post(.relaxedSamplesLost(samples: samples, error))
        }
        held.subtract(counted, ordering: .relaxed)
        ledger.end(generation, result)
        return try result.get() ?? ledger.last
    }
}

/// A series of a relaxed appender, to which samples are appended.
public struct RelaxedSeries: Sendable {
    let column: RelaxedColumn
    let appender: RelaxedAppender

    /// Appends one sample; without an end, a point. Takes less than 100 ns.
    ///
    /// - Throws: `invalidSample`, `overloaded`, `closed`, and once the error of an earlier commit; `invalidArgument` if
    ///   there is no space, in a closure whose call holds the writer.
    @discardableResult
    public func append(start: Int64, end: Int64? = nil, value: Double) throws(StoreError) -> RelaxedReceipt {
        let end = end ?? start
        guard value.isFinite, start >= TimeLimits.earliest, end >= start, end <= TimeLimits.latest else {
            throw SampleRows.refusal(of: Sample(start: start, end: end, value: value))
        }
        try appender.admit()
        let (generation, isStride) = column.append(start, end, value)
        if isStride { appender.count(samples: RelaxedAppender.stride) }
        appender.schedule()
        return RelaxedReceipt(generation: generation, ledger: appender.ledger)
    }

    /// Appends samples, in any order: all or none are committed together.
    ///
    /// - Throws: `invalidSample`, `invalidArgument` (more samples than the capacity, at 24 bytes each, or no space, in
    ///   a closure whose call holds the writer), `overloaded`, `closed`, and once the error of an earlier commit. After
    ///   an error no sample of this call is added.
    @discardableResult
    public func append(
        starts: Span<Int64>, ends: Span<Int64>, values: Span<Double>
    ) throws(StoreError) -> RelaxedReceipt {
        try append(try SampleRows(starts, ends, values))
    }

    /// Appends points. See `append(starts:ends:values:)`.
    @discardableResult
    public func append(starts: Span<Int64>, values: Span<Double>) throws(StoreError) -> RelaxedReceipt {
        try append(try SampleRows(starts, values))
    }

    private func append(_ rows: SampleRows) throws(StoreError) -> RelaxedReceipt {
        try appender.admit(samples: rows.count)
        let generation = column.append(rows)
        appender.schedule()
        return RelaxedReceipt(generation: generation, ledger: appender.ledger)
    }
}

/// The receipt of samples that wait for a commit.
public struct RelaxedReceipt: Sendable {
    let generation: Int64
    /// Not the appender: the store references it weakly, which makes counting its references slow.
    let ledger: RelaxedLedger

    /// Waits until the samples are committed; blocks the thread.
    ///
    /// - Returns: a commit whose snapshots show the samples.
    /// - Throws: the error of the commit; the samples are not stored then, or, after `outcomeUnknown`, may be.
    @discardableResult
    public func wait() throws(StoreError) -> CommitReceipt { try ledger.wait(for: generation) }

    /// Waits until the samples are committed, without blocking a thread. See `wait()`.
    @discardableResult
    public func committed() async throws(StoreError) -> CommitReceipt {
        let (ledger, generation) = (ledger, generation)
        return try await withCheckedContinuation { continuation in
            ledger.notify(generation) { continuation.resume(returning: $0) }
        }.get()
    }
}

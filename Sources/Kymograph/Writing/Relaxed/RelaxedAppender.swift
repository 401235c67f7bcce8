// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Takes samples at the rate of memory and commits them in the background, at least every so often.
///
/// What it has taken is visible to nobody, this process included, before it is committed; a crash loses at most what
/// was taken since the last commit began, and never a part of a call. Each call's receipt says when its samples are on
/// the disk. Nothing is dropped silently: a commit that fails is told to the receipts of its samples, to `flush`, and
/// to the next call, and its samples are gone.
///
/// Memory is bounded by twice the capacity, and 255 samples of each series whose samples come one at a time: when the
/// disk cannot follow, calls wait for the commit under way, and end with an error of kind `overloaded` after ten
/// seconds. A call whose samples are more than the capacity is refused. `Docs/Operations/Durability.md` has the
/// promises in full.
public final class RelaxedAppender: Sendable {
    /// Bytes that a sample takes here.
    static let sampleBytes = 24
    /// Single samples of a series after which their bytes are counted: what keeps one cheap.
    static let stride = 256

    let store: TimeSeriesStore
    let ledger: RelaxedLedger
    private let interval: Duration
    private let capacity: Int
    /// The longest time that a call waits for room.
    private let patience: Duration
    private let columns = Mutex([Int64: RelaxedColumn]())
    /// Commits one after the other.
    private let background = DispatchQueue(label: "kymograph.relaxed", qos: .userInitiated)
    /// Bytes taken and not committed yet.
    private let held = Atomic(0)
    /// Whether a commit will begin by itself within the interval.
    private let isScheduled = Atomic(false)
    /// Whether one is to begin at once.
    private let isUrgent = Atomic(false)

    init(_ store: TimeSeriesStore, interval: Duration, capacity: Int, patience: Duration = .seconds(10)) {
        self.store = store
        ledger = RelaxedLedger(store.access.writerOwner)
        self.interval = interval
        self.capacity = capacity
        self.patience = patience
    }

    /// A series to append to: the way for single samples, as nothing has to be looked up any more.
    ///
    /// - Throws: `unknownSeries`.
    public func series(_ id: SeriesID) throws(StoreError) -> RelaxedSeries {
        try store.requireOwnProcess()
        if let known = columns.withLock({ $0[id.rawValue] }) { return RelaxedSeries(column: known, appender: self) }
        guard store.context.published.withLock({ $0.series.has(id.rawValue) }) else { throw .unknown(id) }
        let column = columns.withLock { columns in
            if let known = columns[id.rawValue] { return known }
            // A commit takes its number and the list of columns at once, so this is the one that will have it.
            let column = RelaxedColumn(id, ledger.next)
            columns[id.rawValue] = column
            return column
        }
        return RelaxedSeries(column: column, appender: self)
    }

    /// Takes samples, in any order. See `RelaxedSeries.append(starts:ends:values:)`.
    @discardableResult
    public func append(
        to id: SeriesID, starts: Span<Int64>, ends: Span<Int64>, values: Span<Double>
    ) throws(StoreError) -> RelaxedReceipt {
        try series(id).append(starts: starts, ends: ends, values: values)
    }

    /// Takes points, in any order. See `RelaxedSeries.append(starts:ends:values:)`.
    @discardableResult
    public func append(
        to id: SeriesID, starts: Span<Int64>, values: Span<Double>
    ) throws(StoreError) -> RelaxedReceipt {
        try series(id).append(starts: starts, values: values)
    }

    /// Commits everything that was taken before this call, and returns when it is on the disk.
    ///
    /// - Returns: the last commit, or nil if nothing was ever taken.
    /// - Throws: what the commit threw, of the samples that were waiting.
    @discardableResult
    public func flush() throws(StoreError) -> CommitReceipt? {
        try store.requireOwnProcess()
        try store.access.requireOutside()
        let result = background.sync { Result { () throws(StoreError) in try self.commit() } }
        if case .failure = result { try? ledger.tellFailure() }
        return try result.get()
    }

    /// Commits what is there, and takes nothing any more.
    func close() {
        ledger.close()
        background.sync { _ = try? self.commit() }
    }
}

// From many threads into a commit.
extension RelaxedAppender {
    /// Lets a call in that takes a sample, or says why not; waits while there is no room.
    @inline(__always)
    func admit() throws(StoreError) {
        try store.requireOwnProcess()
        if ledger.hasNews.load(ordering: .relaxed) { try ledger.tellFailure() }
        if held.load(ordering: .relaxed) >= 2 * capacity {
            try waitForRoom { held.load(ordering: .relaxed) < 2 * capacity }
        }
    }

    /// Lets a call in that takes some samples, and counts them; waits while there is no room for all.
    func admit(samples: Int) throws(StoreError) {
        try store.requireOwnProcess()
        if ledger.hasNews.load(ordering: .relaxed) { try ledger.tellFailure() }
        guard samples <= capacity / Self.sampleBytes else {
            throw StoreError(
                .invalidArgument,
                "\(samples) samples in one call, where the appender's capacity is \(capacity / Self.sampleBytes): take "
                    + "fewer at a time, make the capacity larger, or append them durably; nothing was taken",
                path: store.path)
        }
        if !reserve(samples) { try waitForRoom { reserve(samples) } }
        if held.load(ordering: .relaxed) >= capacity { hurry() }
    }

    /// Counts samples before they are taken, if there is room for them.
    private func reserve(_ samples: Int) -> Bool {
        let bytes = samples * Self.sampleBytes
        if held.add(bytes, ordering: .relaxed).newValue <= 2 * capacity { return true }
        held.subtract(bytes, ordering: .relaxed)
        return false
    }

    /// Bytes counted and not committed yet.
    var bytesWaiting: Int { held.load(ordering: .relaxed) }

    /// Waits until a commit makes room.
    ///
    /// - Throws: `overloaded` after the patience; `invalidArgument` on the thread that has the writer, because no
    ///   commit can end before that thread returns; a failure that no call has reported.
    private func waitForRoom(_ isThere: () -> Bool) throws(StoreError) {
        try store.access.requireOutside()
        let watch = Stopwatch()
        store.context.telemetry.roomWaits.add(1, ordering: .relaxed)
        defer { store.context.telemetry.roomNanoseconds.add(watch.nanoseconds, ordering: .relaxed) }
        let clock = ContinuousClock()
        let end = clock.now + patience
        while true {
            // To be awaited from before the look, or the last commit under way might end in between.
            let next = ledger.nextToEnd
            hurry()
            if isThere() { return }
            guard ledger.wait(forEndOf: next, until: end) else {
                store.context.telemetry.overloads.add(1, ordering: .relaxed)
                throw StoreError(
                    .overloaded,
                    "\(held.load(ordering: .relaxed)) bytes wait for a disk that has not followed for "
                        + "\(patience); nothing of this call was taken, so call again later, or take less",
                    path: store.path)
            }
            if ledger.hasNews.load(ordering: .relaxed) { try ledger.tellFailure() }
        }
    }

    /// Counts single samples that were taken.
    func count(samples: Int) {
        let now = held.add(samples * Self.sampleBytes, ordering: .relaxed).newValue
        if now >= capacity { hurry() }
    }

    /// Makes sure that samples that were just taken will be committed.
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

    /// Commits what is there; on the background queue.
    private func commit() throws(StoreError) -> CommitReceipt? {
        isUrgent.store(false, ordering: .releasing)
        // Before anything is taken out, so that what comes meanwhile is scheduled anew.
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

/// A series to which samples are appended, to be committed in the background.
public struct RelaxedSeries: Sendable {
    let column: RelaxedColumn
    let appender: RelaxedAppender

    /// Takes one sample; without an end, a point. Under 100 ns.
    ///
    /// - Throws: `invalidSample`, `overloaded`, `closed`, and once what a commit before threw; `invalidArgument` if
    ///   there is no room, in a closure that has the writer.
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

    /// Takes samples, in any order: all or none are committed together.
    ///
    /// - Throws: `invalidSample`, `invalidArgument` (more samples than the capacity, at 24 bytes each, or no room, in a
    ///   closure that has the writer), `overloaded`, `closed`, and once what a commit before threw; nothing of this
    ///   call was taken then.
    @discardableResult
    public func append(
        starts: Span<Int64>, ends: Span<Int64>, values: Span<Double>
    ) throws(StoreError) -> RelaxedReceipt {
        try append(try SampleRows(starts, ends, values))
    }

    /// Takes points. See `append(starts:ends:values:)`.
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

/// When samples that were taken will be on the disk.
public struct RelaxedReceipt: Sendable {
    let generation: Int64
    /// Not the appender, which the store has a weak reference to: counting its references takes the slow way.
    let ledger: RelaxedLedger

    /// Waits until the samples are committed; blocks the thread.
    ///
    /// - Returns: a commit whose snapshots show the samples.
    /// - Throws: what the commit threw; the samples are not stored then, or, with `outcomeUnknown`, perhaps.
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

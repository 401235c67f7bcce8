// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem
import Kernels
import TimeIndex

/// A store as of one commit. A snapshot never changes, may be used by any thread, and answers queries.
///
/// ```swift
/// let snapshot = store.snapshot()
/// let days = Buckets.calendar(.days(1), zone: "Europe/Zurich")
/// for day in try snapshot.buckets(of: pulse.id, days, over: TimeRange(from, to)) {
///     print(day.start, day.count, day.average ?? .nan)
/// }
/// ```
///
/// A snapshot keeps the files it needs; it takes no lock. If it is held for longer than `StoreOptions.snapshotAge`, a
/// query that needs a replaced file throws `snapshotExpired`.
///
/// A snapshot costs less than a microsecond. Statistics read index pages and decode only the blocks that an edge of a
/// range or bucket cuts; samples and quantiles decode the blocks in the range. A `QueryExplanation` counts both.
public struct Snapshot: Sendable {
    let version: Version
    /// The process that opened the store. In a forked child process, queries throw `forked`.
    var owner = ProcessMark.current

    /// The number of the snapshot's commit. It increases by one with each commit.
    public var sequence: Int64 { version.seq }

    /// All series, ascending by number.
    public var series: [Series] { Array(version.series.all) }

    package var seriesCount: Int { version.series.count }

    /// Returns the series with a name and labels; nil if there is none.
    public func series(named name: String, labels: [String: String] = [:]) -> Series? {
        version.series[SeriesKey(name: name, labels: labels)]
    }

    /// Returns the number of samples of a series. O(runs + deletions).
    public func count(of id: SeriesID) -> Int {
        let stored = runs(id).reduce(0) { $0 + Int($1.summary.count) }
        return Swift.max(0, stored - (version.tombstones(of: id)?.hidden ?? 0))
    }

    /// Returns the sample that starts last, or `nil` if the series is empty. If several start last, returns the one
    /// that ends last.
    ///
    /// O(runs) without decoding. With deletions, the first call decodes the blocks that a deletion cuts.
    /// - Throws: `corrupt`, `inputOutput`; only with deletions.
    public func mostRecent(of id: SeriesID) throws(StoreError) -> Sample? {
        try requireOwnProcess()
        var latest: Sample?
        func take(_ s: borrowing Summary) {
            if let latest, (s.lastStart, s.lastEnd) < (latest.start, latest.end) { return }
            latest = Sample(start: s.lastStart, end: s.lastEnd, value: s.lastValue)
        }
        if let tombstones = version.tombstones(of: id) {
            for run in runs(id) {
                let left = try tombstones.summary(of: run)
                if left.count > 0 { take(left) }
            }
        } else {
            for run in runs(id) { take(run.summary) }
        }
        return latest
    }

    func runs(_ id: SeriesID) -> [Run] { version.runs[id.rawValue] }

    /// Returns true if a series has this number.
    package func has(_ id: SeriesID) -> Bool { version.series.has(id.rawValue) }

    func requireOwnProcess() throws(StoreError) {
        if owner != .current { throw .forkedStore }
    }

    /// Returns the kind of a series.
    ///
    /// - Throws: `unknownSeries`, `forked`.
    @discardableResult
    func known(_ id: SeriesID) throws(StoreError) -> SeriesKind {
        try requireOwnProcess()
        guard let kind = version.series.kind(of: id.rawValue) else { throw .unknown(id) }
        return kind
    }
}

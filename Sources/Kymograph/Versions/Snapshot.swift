// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem
import Kernels
import TimeIndex

/// A store as it was after one commit. It never changes, may be used by any thread, and answers queries.
///
/// Holding a snapshot keeps the files it needs alive; it takes no lock. One that is held for longer than
/// `StoreOptions.snapshotAge` throws `snapshotExpired` where it needs a file that was replaced.
public struct Snapshot: Sendable {
    let version: Version
    /// The process that opened the store: in a child that was forked from it queries throw `forked`.
    var owner = ProcessMark.current

    /// The number of the commit that this snapshot shows; it grows by one with each commit.
    public var sequence: Int64 { version.seq }

    /// All series, by number.
    public var series: [Series] { Array(version.series.all) }

    /// How many series there are.
    package var seriesCount: Int { version.series.count }

    /// The series of that name and these labels, if there is one.
    public func series(named name: String, labels: [String: String] = [:]) -> Series? {
        version.series[SeriesKey(name: name, labels: labels)]
    }

    /// The number of samples of a series. O(runs + deletions).
    public func count(of id: SeriesID) -> Int {
        let stored = runs(id).reduce(0) { $0 + Int($1.summary.count) }
        return Swift.max(0, stored - (version.tombstones(of: id)?.hidden ?? 0))
    }

    /// The sample that starts last (of several, the one that ends last), or `nil` if the series is empty. O(runs), and
    /// decodes nothing; where something was deleted, the blocks that a deletion cuts, the first time.
    ///
    /// - Throws: `corrupt`, `inputOutput`, only where something was deleted.
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

    /// Whether there is a series of this number.
    package func has(_ id: SeriesID) -> Bool { version.series.has(id.rawValue) }

    func requireOwnProcess() throws(StoreError) {
        if owner != .current { throw .forkedStore }
    }

    /// The kind of a series.
    ///
    /// - Throws: `unknownSeries`, `forked`.
    @discardableResult
    func known(_ id: SeriesID) throws(StoreError) -> SeriesKind {
        try requireOwnProcess()
        guard let kind = version.series.kind(of: id.rawValue) else { throw .unknown(id) }
        return kind
    }
}

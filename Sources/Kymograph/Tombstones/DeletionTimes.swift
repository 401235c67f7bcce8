// SPDX-License-Identifier: Apache-2.0

import Catalog

/// The times of deletions, over all openings of a store. They give the age of deleted bytes.
///
/// The clocks may be wrong; then bytes are removed later than they should be. A time in the future counts as now. If
/// the last deletion is more than 400 days old by the clock, all deletions count as made now.
struct DeletionTimes: Hashable, Sendable {
    /// Rows ascending by commit, some time apart. Deletions of a row's commit, and of the commits since the previous
    /// row, were made at the row's time or earlier.
    private(set) var rows: [DeletionTime] = []

    /// The longest plausible time between two readings of the clock, in nanoseconds: 400 days, as for retention by age.
    private static let longest: Int64 = 400 * 86_400_000_000_000
    /// The maximum number of rows.
    private static let most = 128

    init(_ rows: [DeletionTime] = []) { self.rows = rows }

    /// Returns the times corrected for a clock that reads `now`.
    func believed(at now: Int64) -> DeletionTimes {
        guard let last = rows.last else { return self }
        if Self.age(of: last, at: now) > Self.longest {
            return DeletionTimes([DeletionTime(commit: last.commit, at: now)])
        }
        return DeletionTimes(rows.map { DeletionTime(commit: $0.commit, at: min($0.at, now)) })
    }

    /// Returns the times with the deletions of a commit at `now` added.
    ///
    /// - Parameters:
    ///   - age: the age at which the bytes of deleted samples are removed, in nanoseconds.
    ///   - kept: the age at which a deletion is forgotten, in nanoseconds; a smaller value counts as `age`.
    func adding(_ commit: Int64, at now: Int64, age: Int64, kept: Int64 = 0) -> DeletionTimes {
        var all = believed(at: now).rows
        // Rows are at least age / 16 apart. The deletions of a dropped row then count as younger, by less than that.
        if all.count > 1, Self.age(of: all[all.count - 2], at: now) < age / 16 { all.removeLast() }
        all.append(DeletionTime(commit: commit, at: now))
        // Of the rows old enough for removal of their bytes, the last one counts.
        let old = (all.lastIndex { Self.age(of: $0, at: now) >= age } ?? 0)
        all = Self.thinned(all[..<old], before: all[old].at, by: kept / 16) + all[old...]
        while all.count > 1, Self.age(of: all[1], at: now) >= max(age, kept) { all.removeFirst() }
        if all.count > Self.most { all.removeFirst(all.count - Self.most) }
        return DeletionTimes(all)
    }

    /// Returns the times without rows that no known deletion needs.
    ///
    /// - Parameter commit: the commit of the oldest known deletion.
    func since(_ commit: Int64) -> DeletionTimes {
        let first = rows.firstIndex { $0.commit >= commit } ?? max(0, rows.count - 1)
        return DeletionTimes(Array(rows[first...]))
    }

    /// Drops rows so that the rest are at least `gap` apart. Deletions of a dropped row then count as younger, by less
    /// than `gap`.
    private static func thinned(_ rows: ArraySlice<DeletionTime>, before end: Int64, by gap: Int64) -> [DeletionTime] {
        var kept = [DeletionTime]()
        for (i, row) in zip(rows.indices, rows) {
            let next = i + 1 < rows.endIndex ? rows[i + 1].at : end
            if let last = kept.last, age(of: last, at: next) < gap { continue }
            kept.append(row)
        }
        return kept
    }

    /// Returns the last commit whose deletions are at least `age` nanoseconds old; 0 if there is none.
    func lastCommit(before age: Int64, at now: Int64) -> Int64 {
        believed(at: now).rows.last { Self.age(of: $0, at: now) >= age }?.commit ?? 0
    }

    private static func age(of row: DeletionTime, at now: Int64) -> Int64 {
        let (age, isLong) = now.subtractingReportingOverflow(row.at)
        return isLong ? (now > row.at ? .max : .min) : age
    }
}

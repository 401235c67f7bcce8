// SPDX-License-Identifier: Apache-2.0

import Catalog

/// When what is deleted was deleted, over all openings of a store: what the age of deleted bytes is counted from.
///
/// The clocks that say so may be wrong. Then bytes go later than they should: a time that lies in the future is now,
/// and where the clock says that the last deletion was more than 400 days ago, all of them were just now.
struct DeletionTimes: Hashable, Sendable {
    /// Some way apart; ascending by commit. What was deleted up to the commit of a row, and after that of the row
    /// before, was deleted at its time or earlier.
    private(set) var rows: [DeletionTime] = []

    /// The longest time between two looks at the clock that is believed: 400 days, as for retention by age.
    private static let longest: Int64 = 400 * 86_400_000_000_000
    /// Rows that are kept at most.
    private static let most = 128

    init(_ rows: [DeletionTime] = []) { self.rows = rows }

    /// As they are taken by somebody whose clock says `now`.
    func believed(at now: Int64) -> DeletionTimes {
        guard let last = rows.last else { return self }
        if Self.age(of: last, at: now) > Self.longest {
            return DeletionTimes([DeletionTime(commit: last.commit, at: now)])
        }
        return DeletionTimes(rows.map { DeletionTime(commit: $0.commit, at: min($0.at, now)) })
    }

    /// With what a commit deletes now.
    ///
    /// - Parameters:
    ///   - age: after which the bytes of what is deleted go.
    ///   - kept: after which nothing is known of a deletion any more; less than `age` is as much.
    func adding(_ commit: Int64, at now: Int64, age: Int64, kept: Int64 = 0) -> DeletionTimes {
        var all = believed(at: now).rows
        // A sixteenth of the age apart: what the last row stood for is taken for younger by less than that.
        if all.count > 1, Self.age(of: all[all.count - 2], at: now) < age / 16 { all.removeLast() }
        all.append(DeletionTime(commit: commit, at: now))
        // Of those that are old enough for their bytes to go the last one counts.
        let old = (all.lastIndex { Self.age(of: $0, at: now) >= age } ?? 0)
        all = Self.thinned(all[..<old], before: all[old].at, by: kept / 16) + all[old...]
        while all.count > 1, Self.age(of: all[1], at: now) >= max(age, kept) { all.removeFirst() }
        if all.count > Self.most { all.removeFirst(all.count - Self.most) }
        return DeletionTimes(all)
    }

    /// Without those that no deletion needs which is known yet.
    ///
    /// - Parameter commit: that of the oldest one.
    func since(_ commit: Int64) -> DeletionTimes {
        let first = rows.firstIndex { $0.commit >= commit } ?? max(0, rows.count - 1)
        return DeletionTimes(Array(rows[first...]))
    }

    /// Rows so far apart that what one stood for that is left out is taken for younger by less than `gap`.
    private static func thinned(_ rows: ArraySlice<DeletionTime>, before end: Int64, by gap: Int64) -> [DeletionTime] {
        var kept = [DeletionTime]()
        for (i, row) in zip(rows.indices, rows) {
            let next = i + 1 < rows.endIndex ? rows[i + 1].at : end
            if let last = kept.last, age(of: last, at: next) < gap { continue }
            kept.append(row)
        }
        return kept
    }

    /// The last commit whose deletions are that old, in nanoseconds; 0 if none are.
    func lastCommit(before age: Int64, at now: Int64) -> Int64 {
        believed(at: now).rows.last { Self.age(of: $0, at: now) >= age }?.commit ?? 0
    }

    private static func age(of row: DeletionTime, at now: Int64) -> Int64 {
        let (age, isLong) = now.subtractingReportingOverflow(row.at)
        return isLong ? (now > row.at ? .max : .min) : age
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A set of identities as runs of consecutive numbers. Objects that a process creates one after the other have
/// consecutive identities, so the samples of a workout are a few runs.
package struct IdentityRuns: Sendable, Hashable {
    /// Identities with the same high half and consecutive low halves.
    package struct Run: Sendable, Hashable, Comparable {
        package var high: UInt64
        package var low: UInt64
        /// At least 1.
        package var count: UInt64

        package init(high: UInt64, low: UInt64, count: UInt64 = 1) {
            self.high = high
            self.low = low
            self.count = count
        }

        package static func < (a: Run, b: Run) -> Bool { (a.high, a.low) < (b.high, b.low) }
    }

    /// Sorted and disjoint; adjoining runs are one.
    package private(set) var runs: [Run] = []
    /// The first and the last start of the objects; nil if unknown or empty.
    package var starts: ClosedRange<Date>?

    package init() {}

    /// Creates a set from runs in any order.
    ///
    /// - Complexity: O(n log n).
    package init(_ runs: [Run], starts: ClosedRange<Date>? = nil) {
        self.starts = starts
        for run in runs.sorted() { append(run) }
    }

    /// The number of identities.
    package var count: UInt64 { runs.reduce(0) { $0 &+ $1.count } }

    /// Inserts an identity.
    ///
    /// - Returns: false if the set contains it.
    /// - Complexity: O(1) for an identity after all others; otherwise O(runs).
    @discardableResult
    package mutating func insert(high: UInt64, low: UInt64) -> Bool {
        let run = Run(high: high, low: low, count: 1)
        if let last = runs.last, last < run, last.high != high || low - last.low >= last.count {
            append(run)
            return true
        }
        if runs.isEmpty {
            runs.append(run)
            return true
        }
        if contains(high: high, low: low) { return false }
        self = IdentityRuns(runs + [run], starts: starts)
        return true
    }

    /// Returns whether the set contains an identity. O(log runs).
    package func contains(high: UInt64, low: UInt64) -> Bool {
        var (first, end) = (0, runs.count)
        while first < end {
            let middle = (first + end) / 2
            if (runs[middle].high, runs[middle].low) <= (high, low) { first = middle + 1 } else { end = middle }
        }
        guard first > 0 else { return false }
        let run = runs[first - 1]
        return run.high == high && low - run.low < run.count
    }

    /// Returns whether the set contains an identity. O(log runs).
    package func contains(_ uuid: UUID) -> Bool { contains(high: uuid.halves.high, low: uuid.halves.low) }

    /// Returns the identities of both sets.
    package func union(_ other: IdentityRuns) -> IdentityRuns {
        var starts = starts ?? other.starts
        if let so = starts, let more = other.starts {
            starts = min(so.lowerBound, more.lowerBound)...max(so.upperBound, more.upperBound)
        }
        return IdentityRuns(runs + other.runs, starts: starts)
    }

    /// Appends a run that does not start before the last one.
    private mutating func append(_ run: Run) {
        guard let last = runs.last, last.high == run.high, run.low - last.low <= last.count else {
            runs.append(run)
            return
        }
        // Overlapping or adjoining. A run ends at the greatest low half at the latest.
        let length = max(last.count, (run.low - last.low).addingReportingOverflow(run.count).partialValue)
        runs[runs.count - 1].count = length
    }
}

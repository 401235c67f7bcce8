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
    /// A range with the starts of all objects, and of the quantities of series; nil if unknown or empty.
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

    /// Inserts identities, in any order.
    ///
    /// - Returns: for each identity, whether it is new; of equal identities only the first one is.
    /// - Complexity: O(n) for consecutive identities after all others; otherwise O(runs + n log n).
    @discardableResult
    package mutating func insert(_ identities: [(high: UInt64, low: UInt64)]) -> [Bool] {
        var isNew = [Bool](repeating: false, count: identities.count)
        var rest = identities.startIndex
        while rest < identities.endIndex, isAfterAll(identities[rest]) {
            append(Run(high: identities[rest].high, low: identities[rest].low))
            isNew[rest] = true
            rest += 1
        }
        if rest == identities.endIndex { return isNew }
        let order = identities.indices[rest...].sorted {
            (identities[$0].high, identities[$0].low, $0) < (identities[$1].high, identities[$1].low, $1)
        }
        var more = IdentityRuns()
        for place in order {
            let one = identities[place]
            if contains(high: one.high, low: one.low) || !more.isAfterAll(one) { continue }
            more.append(Run(high: one.high, low: one.low))
            isNew[place] = true
        }
        self = IdentityRuns(runs + more.runs, starts: starts)
        return isNew
    }

    /// Returns whether an identity is greater than all identities of the set.
    private func isAfterAll(_ one: (high: UInt64, low: UInt64)) -> Bool {
        guard let last = runs.last else { return true }
        if one.high != last.high { return one.high > last.high }
        return one.low >= last.low && one.low - last.low >= last.count
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
        var range = starts ?? other.starts
        if let own = range, let more = other.starts {
            range = min(own.lowerBound, more.lowerBound)...max(own.upperBound, more.upperBound)
        }
        // The times of a set without a range are unknown.
        if !runs.isEmpty, starts == nil { range = nil }
        if !other.runs.isEmpty, other.starts == nil { range = nil }
        return IdentityRuns(runs + other.runs, starts: range)
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

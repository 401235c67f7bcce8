// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The time window of a predicate: only samples that start in a range and extend to an instant can match.
struct SearchWindow: Equatable {
    /// The range of the starts of matching samples.
    var range = TimeRange.all
    /// The instant up to which samples must extend: a sample that starts before it and ends at or before it does not
    /// match.
    var lastingTo = Int64.min

    static let all = SearchWindow()
    static let none = SearchWindow(range: TimeRange(0, 0))

    init(range: TimeRange = .all, lastingTo: Int64 = .min) {
        self.range = range
        self.lastingTo = lastingTo
    }

    /// Creates the window of a predicate; it contains every matching sample.
    init(_ predicate: SamplePredicate) {
        switch predicate {
        case .always(let all): self = all ? .all : .none
        case .and(let parts):
            self = parts.map { SearchWindow($0) }.reduce(.all) {
                SearchWindow(
                    range: TimeRange(max($0.range.start, $1.range.start), min($0.range.end, $1.range.end)),
                    lastingTo: max($0.lastingTo, $1.lastingTo))
            }
        case .or(let parts):
            let windows = parts.map { SearchWindow($0) }.filter { !$0.range.isEmpty }
            guard let first = windows.first else {
                self = .none
                return
            }
            self = windows.dropFirst().reduce(first) {
                SearchWindow(
                    range: TimeRange(min($0.range.start, $1.range.start), max($0.range.end, $1.range.end)),
                    lastingTo: min($0.lastingTo, $1.lastingTo))
            }
        case .time(let start, let end, let options): self.init(start, end, options)
        case .identities(let runs):
            guard let starts = runs.starts, let first = StoredTime.nanoseconds(starts.lowerBound),
                let last = StoredTime.nanoseconds(starts.upperBound)
            else {
                self = runs.runs.isEmpty ? .none : .all
                return
            }
            self = SearchWindow(range: Self.around(first, last))
        default: self = .all
        }
    }

    /// Creates the window of samples that overlap a time range, or whose start or end lies in it.
    private init(_ start: Date?, _ end: Date?, _ options: HKQueryOptions) {
        if let start, let end, end <= start {
            self = .none
            return
        }
        // A sample whose end lies in the range starts before the range's end.
        if let end { range.end = Self.bound(end, up: true) }
        guard let start else { return }
        let first = Self.bound(start, up: false)
        if options.contains(.strictStartDate) { range.start = first }
        // A sample that ends exactly at the range's start may match. An open end extends to any time.
        if first >= StoredTime.openEnd { return }
        lastingTo = options.contains(.strictEndDate) ? max(first, .min + 1) - 1 : first
    }

    /// The maximum difference between a stored time and its date, in nanoseconds: half of the resolution of a date in
    /// the year 2262.
    private static let margin: Int64 = 1_000

    /// Returns the range of all starts between two times, including starts that are rounded to a date in between.
    static func around(_ first: Int64, _ last: Int64) -> TimeRange {
        TimeRange(max(first, .min + margin) - margin, min(last, .max - margin - 1) + margin + 1)
    }

    /// Returns a nanosecond that is certainly not after, or not before, a date.
    private static func bound(_ date: Date, up: Bool) -> Int64 {
        if let exact = StoredTime.nanoseconds(date) { return up ? exact + margin : exact - margin }
        return date.timeIntervalSinceReferenceDate < 0 ? .min : .max
    }
}

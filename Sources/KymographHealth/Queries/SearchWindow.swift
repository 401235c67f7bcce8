// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Foundation
import HealthModel

/// What a predicate says about where to look: only what starts in a range and lasts to an instant can match.
struct SearchWindow: Equatable {
    /// Where matching samples start.
    var range = TimeRange.all
    /// Samples that start before it and end with it or before do not match.
    var lastingTo = Int64.min

    static let all = SearchWindow()
    static let none = SearchWindow(range: TimeRange(0, 0))

    init(range: TimeRange = .all, lastingTo: Int64 = .min) {
        self.range = range
        self.lastingTo = lastingTo
    }

    /// The window of a predicate; never narrower than what it matches.
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
        default: self = .all
        }
    }

    /// Of a sample that overlaps a window of time, or whose start or end lies in it.
    private init(_ start: Date?, _ end: Date?, _ options: HKQueryOptions) {
        if let start, let end, end <= start {
            self = .none
            return
        }
        // Whatever is asked of the end, the start comes before it.
        if let end { range.end = Self.bound(end, up: true) }
        guard let start else { return }
        let first = Self.bound(start, up: false)
        if options.contains(.strictStartDate) { range.start = first }
        // One that ends at the very start may be meant.
        // An end that is open lasts to any time.
        if first >= StoredTime.openEnd { return }
        lastingTo = options.contains(.strictEndDate) ? max(first, .min + 1) - 1 : first
    }

    /// Nanoseconds that a stored time may be away from its date: half of what a date tells apart in the year 2262.
    private static let margin: Int64 = 1_000

    /// The range of what starts between two times, or is read as a date that does.
    static func around(_ first: Int64, _ last: Int64) -> TimeRange {
        TimeRange(max(first, .min + margin) - margin, min(last, .max - margin - 1) + margin + 1)
    }

    /// A nanosecond that surely does not come after, or before, a date.
    private static func bound(_ date: Date, up: Bool) -> Int64 {
        if let exact = StoredTime.nanoseconds(date) { return up ? exact + margin : exact - margin }
        return date.timeIntervalSinceReferenceDate < 0 ? .min : .max
    }
}

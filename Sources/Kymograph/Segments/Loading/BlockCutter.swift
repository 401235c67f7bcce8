// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import CivilTime

/// Decides where one block ends and the next begins.
///
/// Blocks are cut on a calendar grid, so that a bucket of a day or an hour is a whole number of blocks, whose summaries
/// answer it. The grid's steps are 15 minutes and 1 hour in UTC, and 6 hours and 1 day of the home zone. A step is used
/// if its cells hold about 400 samples or more. If even days hold fewer, a block takes several whole days; if 15
/// minutes hold more than a block, blocks are cut by count.
struct BlockCutter {
    /// Samples of a block that is cut by count.
    static let usual = 1_024
    /// Maximum samples of a block.
    static let most = SegmentFormat.usualSamples
    /// Average samples of a cell from which a step is used.
    private static let dense = 400

    private let zone: CivilZone
    private var day: (start: Int64, end: Int64) = (0, 0)

    init(zone: CivilZone) { self.zone = zone }

    /// The steps of the grid, the finest first.
    private enum Step: CaseIterable {
        case quarterHour, hour, quarterDay, day

        /// Nanoseconds of a step in UTC; nil for steps of the home zone.
        var length: Int64? {
            switch self {
            case .quarterHour: 900_000_000_000
            case .hour: 3_600_000_000_000
            case .quarterDay, .day: nil
            }
        }
    }

    /// Returns the number of samples of the block that begins at `at`.
    ///
    /// - Requires: starts in order from `at` on; unless `final`, at least `most + 1` of them.
    mutating func next(_ starts: Span<Int64>, _ at: Int, final: Bool) -> Int {
        let window = at..<min(starts.count, at + Self.most)
        var cut = Int.max
        for step in Step.allCases {
            if isTooFine(starts, window, step) { continue }
            guard let edge = respectedEdge(starts, window, step) else { continue }
            cut = min(cut, edge)
            // If the day begins and ends at multiples of this step, no coarser step has an earlier edge.
            if let length = step.length, isDay(of: starts[at], divisibleBy: length) { break }
        }
        if cut != Int.max { return cut - at }
        if window.count < Self.most { return window.count }
        // Sparse: as many whole days as fit. Dense: by count, which leaves at least `most - usual` samples.
        if let edge = lastDayEdge(starts, window) { return edge - at }
        return Self.usual
    }

    /// Returns whether a few samples of a window prove that its cells of this step hold too few samples.
    private mutating func isTooFine(_ starts: Span<Int64>, _ window: Range<Int>, _ step: Step) -> Bool {
        // An edge in each part means more cells than can hold enough samples.
        let parts = Self.most / Self.dense + 1
        let width = (window.count - 1) / parts
        guard width > 0 else { return false }
        for part in 0..<parts {
            let index = window.lowerBound + part * width
            if starts[index + width] < cellEnd(starts[index], step) { return false }
        }
        return true
    }

    /// Returns the index of the first sample after the first edge of this step in the window, if the step is used
    /// there.
    private mutating func respectedEdge(_ starts: Span<Int64>, _ window: Range<Int>, _ step: Step) -> Int? {
        var index = window.lowerBound
        var first: Int?
        var cells = 0
        // More cells in a window hold too few samples each.
        while cells <= Self.most / Self.dense {
            let edge = cellEnd(starts[index], step)
            let next = Self.lowerBound(starts, index..<window.upperBound, edge)
            if next == window.upperBound { break }
            if first == nil { first = next }
            cells += 1
            index = next
        }
        guard let first else { return nil }
        let average = (index - window.lowerBound) / cells
        return average >= Self.dense ? first : nil
    }

    private mutating func lastDayEdge(_ starts: Span<Int64>, _ window: Range<Int>) -> Int? {
        let last = starts[window.upperBound - 1]
        _ = cellEnd(last, .day)
        let edge = Self.lowerBound(starts, window, day.start)
        return edge > window.lowerBound ? edge : nil
    }

    /// Returns the first index of a range whose start is at least `key`, or the upper bound.
    ///
    /// Samples are mostly evenly spaced, so that the search begins at an interpolated index: a binary search would read
    /// more samples from memory.
    ///
    /// - Requires: a range that is not empty.
    private static func lowerBound(_ starts: Span<Int64>, _ range: Range<Int>, _ key: Int64) -> Int {
        var low = range.lowerBound
        var high = range.upperBound - 1
        if starts[high] < key { return range.upperBound }
        if starts[low] >= key { return low }
        // From here on: starts[low] < key <= starts[high].
        let pace = Double(high - low) / (Double(starts[high]) - Double(starts[low]))
        let guess = (Double(key) - Double(starts[low])) * pace
        var probe = low + Int(max(0, min(guess, Double(high - low))))
        var stride = 4
        while high - low > 1 {
            probe = max(low + 1, min(probe, high - 1))
            if starts[probe] < key {
                low = probe
                probe += stride
            } else {
                high = probe
                probe -= stride
            }
            stride *= 2
            if stride > high - low { probe = low + (high - low) / 2 }
        }
        return high
    }

    /// Returns whether the day of an instant begins and ends at multiples of a length in UTC.
    private mutating func isDay(of instant: Int64, divisibleBy length: Int64) -> Bool {
        if instant < day.start || instant >= day.end { loadDay(instant) }
        return day.start % length == 0 && day.end % length == 0
    }

    /// Returns the first edge of the step after `instant`.
    private mutating func cellEnd(_ instant: Int64, _ step: Step) -> Int64 {
        switch step {
        case .quarterHour: return Self.floor(instant, 900_000_000_000) &+ 900_000_000_000
        case .hour: return Self.floor(instant, 3_600_000_000_000) &+ 3_600_000_000_000
        case .day, .quarterDay:
            if instant < day.start || instant >= day.end { loadDay(instant) }
            if step == .day { return day.end }
            // Six hours of elapsed time from the day's start; the last cell of a day ends with it.
            let quarter: Int64 = 21_600_000_000_000
            return min(day.end, day.start &+ ((instant &- day.start) / quarter &+ 1) &* quarter)
        }
    }

    private mutating func loadDay(_ instant: Int64) {
        let seconds = Self.floor(instant, 1_000_000_000) / 1_000_000_000
        let local = seconds + Int64(zone.offset(at: seconds))
        let midnight = Self.floor(local, 86_400)
        day.start = zone.instant(ofLocal: midnight) &* 1_000_000_000
        day.end = zone.instant(ofLocal: midnight + 86_400) &* 1_000_000_000
        // A zone may skip or repeat a day; the grid only has to be the same for all series.
        if instant < day.start || instant >= day.end {
            day.start = Self.floor(instant, 86_400_000_000_000)
            day.end = day.start &+ 86_400_000_000_000
        }
    }

    private static func floor(_ x: Int64, _ step: Int64) -> Int64 {
        let q = x / step
        return (q * step > x ? q - 1 : q) * step
    }
}

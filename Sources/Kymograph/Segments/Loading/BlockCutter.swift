// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// Decides where one block ends and the next begins.
///
/// Blocks are cut on a calendar grid, so that a bucket of a day or an hour is a whole number of blocks and is
/// answered by their summaries. The grid's steps are 15 minutes and 1 hour in UTC, 6 hours and 1 day of the home
/// zone. A step is respected where its cells hold some 400 samples or more; where even days hold fewer,
/// a block takes several whole days, and where a quarter of an hour holds more than a block, it is cut by count.
struct BlockCutter {
    /// Samples in a block that is cut by count.
    static let usual = 1_024
    /// The most samples in a block.
    static let most = 1_536
    /// Samples that a cell must hold, on average, for its edges to be respected.
    private static let dense = 400

    private let zone: CivilZone
    private var day: (start: Int64, end: Int64) = (0, 0)

    init(zone: CivilZone) { self.zone = zone }

    /// The grid's steps, the finest first.
    private enum Step: CaseIterable {
        case quarterHour, hour, quarterDay, day

        /// Nanoseconds of a step that is counted in UTC.
        var length: Int64? {
            switch self {
            case .quarterHour: 900_000_000_000
            case .hour: 3_600_000_000_000
            case .quarterDay, .day: nil
            }
        }
    }

    /// The number of samples of the block that begins at `at`, of samples that are in order from there on.
    /// Unless `final`, at least `most + 1` samples must be there.
    mutating func next(_ starts: Span<Int64>, _ at: Int, final: Bool) -> Int {
        let window = at..<min(starts.count, at + Self.most)
        var cut = Int.max
        for step in Step.allCases {
            if isTooFine(starts, window, step) { continue }
            guard let edge = respectedEdge(starts, window, step) else { continue }
            cut = min(cut, edge)
            // Where the coarser steps' edges are edges of this one, too, none of them comes earlier.
            if let length = step.length, isDay(of: starts[at], divisibleBy: length) { break }
        }
        if cut != Int.max { return cut - at }
        if window.count < Self.most { return window.count }
        // Sparse: as many whole days as fit. Dense beyond the grid: by count, leaving no crumb.
        if let edge = lastDayEdge(starts, window) { return edge - at }
        return Self.usual
    }

    /// Whether a few samples of a window already say that its cells of this step are too thin to be respected.
    private mutating func isTooFine(_ starts: Span<Int64>, _ window: Range<Int>, _ step: Step) -> Bool {
        // With an edge in each part there are more cells than could be dense enough.
        let parts = Self.most / Self.dense + 1
        let width = (window.count - 1) / parts
        guard width > 0 else { return false }
        for part in 0..<parts {
            let index = window.lowerBound + part * width
            if starts[index + width] < cellEnd(starts[index], step) { return false }
        }
        return true
    }

    /// The index of the first sample past the first edge of this step in the window, if the step is respected there.
    private mutating func respectedEdge(_ starts: Span<Int64>, _ window: Range<Int>, _ step: Step) -> Int? {
        var index = window.lowerBound
        var first: Int?
        var cells = 0
        // More cells than this in a window means that they are too thin.
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

    /// The first index of a range, which is not empty, whose start is not before `key`, or its upper bound.
    ///
    /// Samples mostly come at an even pace, so the place is guessed from the ends and looked for around the guess: a
    /// search from the middle would fetch more of the samples from memory.
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

    /// Whether the day of an instant begins and ends at multiples of a length in UTC.
    private mutating func isDay(of instant: Int64, divisibleBy length: Int64) -> Bool {
        if instant < day.start || instant >= day.end { loadDay(instant) }
        return day.start % length == 0 && day.end % length == 0
    }

    /// The first edge of the step after `instant`.
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
        // A zone may skip or repeat a day; the grid only has to be the same for all.
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

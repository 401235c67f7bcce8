// SPDX-License-Identifier: Apache-2.0

/// Adds up the amounts of several sources per interval. At every moment only the first source with data counts.
///
/// `Docs/Guide/Statistics.md` has the rules; the engine does the same with its index. Keeps the samples that have not
/// ended.
/// - Requires: samples sorted by start.
struct MergedAmounts {
    private struct Sample {
        let start: Int64
        let end: Int64
        let value: Double
        let rank: Int
        /// The clock of its source at the sample's start, or at the start of the current interval.
        var since: UInt64
    }

    private struct Copy: Hashable {
        let part: Int
        let end: Int64
        let value: Double
    }

    private let grid: StatisticsGrid
    /// The time range that is counted elsewhere.
    private let except: TimeRange
    /// A heap by ends, the least first.
    private var active: [Sample] = []
    /// The number of active samples per rank, and the total time during which the rank was the first.
    private var counts: [Int]
    private var clocks: [UInt64]
    private var time = Int64.min
    private var place = 0
    /// Points at the current instant.
    private var points: [(rank: Int, value: Double)] = []
    /// Samples that start at the current instant.
    private var copies: Set<Copy> = []
    private var last: MeasuredRow?

    /// - Parameter ranks: the number of sources.
    init(_ grid: StatisticsGrid, except: TimeRange, ranks: Int) {
        self.grid = grid
        self.except = except
        counts = [Int](repeating: 0, count: ranks)
        clocks = [UInt64](repeating: 0, count: ranks)
    }

    /// Adds a sample. Of several samples with equal series, start, end and value, only the first counts.
    ///
    /// - Complexity: O(log active + sources), and O(active) for each passed edge of an interval.
    mutating func add(_ row: MeasuredRow, rank: Int, to cells: inout [StatisticsCell]) {
        if isCopy(row) { return }
        if row.start > time { advance(to: row.start, &cells) }
        if row.end <= row.start {
            points.append((rank, row.value))
        } else {
            counts[rank] += 1
            push(Sample(start: row.start, end: row.end, value: row.value, rank: rank, since: clocks[rank]))
        }
    }

    /// Adds the remaining parts of all samples.
    mutating func finish(_ cells: inout [StatisticsCell]) { advance(to: .max, &cells) }

    private mutating func isCopy(_ row: MeasuredRow) -> Bool {
        guard let last, last.start == row.start else {
            last = row
            copies.removeAll(keepingCapacity: true)
            return false
        }
        if copies.isEmpty { copies.insert(Copy(part: last.part, end: last.end, value: last.value)) }
        return !copies.insert(Copy(part: row.part, end: row.end, value: row.value)).inserted
    }

    private mutating func advance(to instant: Int64, _ cells: inout [StatisticsCell]) {
        settlePoints(&cells)
        while time < instant, let end = active.first?.end {
            place = grid.place(of: time, hint: place)
            let edge = place == grid.count - 1 ? Int64.max : grid.edges[place + 1]
            let next = min(instant, end, edge)
            if let rank = counts.firstIndex(where: { $0 > 0 }) { clocks[rank] &+= counted(time, next) }
            time = next
            while let sample = active.first, sample.end <= time {
                pop()
                counts[sample.rank] -= 1
                settle(sample, &cells)
            }
            if time == edge {
                for i in active.indices {
                    settle(active[i], &cells)
                    active[i].since = clocks[active[i].rank]
                }
            }
        }
        time = max(time, instant)
    }

    /// Returns the time between two instants that is not counted elsewhere.
    private func counted(_ from: Int64, _ to: Int64) -> UInt64 {
        let (start, end) = (max(from, except.start), min(to, except.end))
        return UInt64(bitPattern: to &- from) &- (start < end ? UInt64(bitPattern: end &- start) : 0)
    }

    /// Adds a sample's share of the current interval.
    private func settle(_ sample: Sample, _ cells: inout [StatisticsCell]) {
        let time = clocks[sample.rank] &- sample.since
        if time == 0 { return }
        let length = UInt64(bitPattern: sample.end &- sample.start)
        cells[place].add(share: time == length ? sample.value : Self.share(sample.value, time, length))
    }

    private static func share(_ value: Double, _ time: UInt64, _ length: UInt64) -> Double {
        let product = value * Double(time)
        return product.isFinite ? product / Double(length) : value * (Double(time) / Double(length))
    }

    /// Adds the points at the current instant. A point counts unless a source of higher priority covers it with a
    /// sample, or has a point at the same instant.
    private mutating func settlePoints(_ cells: inout [StatisticsCell]) {
        guard let first = points.map(\.rank).min() else { return }
        let covering = counts.firstIndex { $0 > 0 } ?? .max
        if first <= covering {
            place = grid.place(of: time, hint: place)
            for point in points where point.rank == first { cells[place].add(share: point.value) }
        }
        points.removeAll(keepingCapacity: true)
    }

    private mutating func push(_ sample: Sample) {
        active.append(sample)
        var at = active.count - 1
        while at > 0, active[(at - 1) / 2].end > active[at].end {
            active.swapAt(at, (at - 1) / 2)
            at = (at - 1) / 2
        }
    }

    private mutating func pop() {
        active.swapAt(0, active.count - 1)
        active.removeLast()
        var at = 0
        while true {
            var least = at
            for child in [2 * at + 1, 2 * at + 2] where child < active.count && active[child].end < active[least].end {
                least = child
            }
            if least == at { return }
            active.swapAt(at, least)
            at = least
        }
    }
}

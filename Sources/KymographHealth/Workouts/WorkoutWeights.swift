// SPDX-License-Identifier: Apache-2.0

/// The weighted sums of one type in a workout in progress, for samples that arrive almost in order.
///
/// Several sources deliver at the same time, so a sample may start before samples that arrived earlier. The latest
/// samples are kept. A sample that is inserted among them changes only the weights of its neighbours.
struct WorkoutWeights: Sendable {
    private(set) var sums = StatisticsWeights()
    /// The kept samples in order of start, end and value.
    private var latest: [MeasuredRow] = []
    /// Whether samples before the kept samples were added.
    private var hasDropped = false

    /// The maximum number of kept samples. At least half of it is kept: some minutes of several sensors.
    private static let room = 1_024

    /// Adds a sample.
    ///
    /// - Parameter isLevel: whether the value is a level, in decibels.
    /// - Returns: false if the sample is too early, so that all samples must be added again in order.
    /// - Complexity: O(1) for a sample in order, else O(kept samples).
    mutating func add(_ item: WorkoutTally.Item, isLevel: Bool) -> Bool {
        let row = MeasuredRow(start: item.start, end: item.end, value: item.value, part: 0)
        guard let last = latest.last, Self.isOrdered(row, last) else {
            append(row, isLevel)
            return true
        }
        // Sums of levels depend on the order.
        if isLevel { return false }
        var place = latest.count - 1
        while place > 0, Self.isOrdered(row, latest[place - 1]) { place -= 1 }
        if place == 0, hasDropped { return false }
        let before = place > 0 ? latest[place - 1] : nil
        let isExact = sums.insert(row, before: before, after: latest[place])
        latest.insert(row, at: place)
        trim()
        return isExact
    }

    private mutating func append(_ row: MeasuredRow, _ isLevel: Bool) {
        sums.add(row, isLevel: isLevel)
        latest.append(row)
        trim()
    }

    private mutating func trim() {
        guard latest.count > Self.room else { return }
        latest.removeFirst(Self.room / 2)
        hasDropped = true
    }

    /// Whether a sample belongs before another one.
    private static func isOrdered(_ a: MeasuredRow, _ b: MeasuredRow) -> Bool {
        (a.start, a.end, a.value) < (b.start, b.end, b.value)
    }
}

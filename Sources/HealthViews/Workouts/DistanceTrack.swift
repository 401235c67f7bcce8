// SPDX-License-Identifier: Apache-2.0

/// The distance since the start of a workout as a function of time. The function is linear between points.
struct DistanceTrack {
    /// The times of the points in ascending order, in nanoseconds since 1970-01-01 UTC.
    private var times: [Int64] = []
    /// The distances of the points in ascending order, in metres.
    private var metres: [Double] = []
    /// The number of measurements.
    private(set) var count = 0

    /// A distance that is covered in a range of time.
    struct Step {
        var start: Int64
        var end: Int64
        var metres: Double
    }

    /// The whole distance in metres.
    var length: Double { metres.last ?? 0 }

    /// Returns whether there is at least one measurement for each split on average.
    func isFine(for split: Double) -> Bool { split > 0 && count > 0 && Double(count) >= length / split }

    /// Creates the track from distances in any order. A distance grows evenly within its range of time. Distances at
    /// the same time are added.
    init(_ steps: [Step]) {
        let steps = steps.filter { $0.metres > 0 && $0.metres.isFinite && $0.start <= $0.end }
        count = steps.count
        var changes: [(at: Int64, rate: Double, jump: Double, open: Int)] = []
        for step in steps {
            guard step.start < step.end else {
                changes.append((step.start, 0, step.metres, 0))
                continue
            }
            let rate = step.metres / Double(UInt64(bitPattern: step.end &- step.start))
            changes.append((step.start, rate, 0, 1))
            changes.append((step.end, -rate, 0, -1))
        }
        changes.sort { $0.at < $1.at }
        var (sum, rate, open, last) = (0.0, 0.0, 0, changes.first?.at ?? 0)
        for change in changes {
            sum += rate * Double(UInt64(bitPattern: change.at &- last))
            // The rest of a sum of rates is not zero in general.
            open += change.open
            rate = open == 0 ? 0 : max(0, rate + change.rate)
            last = change.at
            append(change.at, sum)
            if change.jump > 0 {
                sum += change.jump
                append(change.at, sum)
            }
        }
    }

    private mutating func append(_ time: Int64, _ distance: Double) {
        times.append(time)
        metres.append(distance)
    }

    /// Returns the times at which multiples of a distance are reached, from the start to the end of the track.
    ///
    /// - Parameters:
    ///   - distance: the length of a split in metres.
    ///   - most: the maximum number of splits. A longer track has no splits.
    func splits(every distance: Double, most: Int = 2_000) -> [(range: TimeRange, metres: Double)] {
        guard let first = times.first, let last = times.last, distance > 0, length > 0,
            length / distance < Double(most)
        else { return [] }
        var found: [(range: TimeRange, metres: Double)] = []
        var (place, start) = (0, first)
        var next = distance
        while next <= length {
            while metres[place] < next { place += 1 }
            let time = time(of: next, before: place)
            found.append((TimeRange(start, time), distance))
            start = time
            next = distance * Double(found.count + 1)
        }
        let rest = length - distance * Double(found.count)
        // A rest of less than a metre comes from rounding.
        if rest >= 1 { found.append((TimeRange(start, last), rest)) }
        return found
    }

    /// Returns the time of a distance between a point and the point before it.
    private func time(of distance: Double, before place: Int) -> Int64 {
        guard place > 0, metres[place] > metres[place - 1] else { return times[place] }
        let share = (distance - metres[place - 1]) / (metres[place] - metres[place - 1])
        let span = Double(UInt64(bitPattern: times[place] &- times[place - 1]))
        return times[place - 1] &+ Int64(bitPattern: UInt64(max(0, min(span * share, span))))
    }
}

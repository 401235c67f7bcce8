// SPDX-License-Identifier: Apache-2.0

/// An unlimited sequence of edges in time: an anchor, and every whole number of steps before and after it.
///
/// Edge `n` is computed from the anchor, not from edge `n - 1`, so that day 31 is kept after a short month.
package struct CalendarGrid: Sendable {
    /// Edge 0, in nanoseconds since 1970 UTC.
    package let anchor: Int64
    /// The distance between two edges.
    package let step: CalendarStep
    /// The zone whose civil time defines days and months.
    package let zone: CivilZone

    private let parts: CalendarStep.Parts
    // The anchor in the zone's local time.
    private let year: Int
    private let month: Int
    private let day: Int
    private let secondOfDay: Int64
    private let nanoseconds: Int64

    /// - Throws: `badStep` if the step has no length, is negative, or exceeds ten thousand years.
    package init(anchor: Int64, step: CalendarStep, zone: CivilZone) throws(CivilError) {
        let seconds = Civil.split(anchor).seconds
        try self.init(anchor: anchor, local: seconds + Int64(zone.offset(at: seconds)), step: step, zone: zone)
    }

    /// - Parameter local: the local second of the anchor in the zone; it may lie in a gap.
    init(anchor: Int64, local: Int64, step: CalendarStep, zone: CivilZone) throws(CivilError) {
        self.anchor = anchor
        self.step = step
        self.zone = zone
        parts = try step.parts()
        nanoseconds = Civil.split(anchor).nanoseconds
        (year, month, day) = Civil.date(days: local.dividedDown(by: Civil.secondsPerDay))
        secondOfDay = local.remainderUp(by: Civil.secondsPerDay)
    }

    /// Returns the edges around a range, strictly ascending: from the last edge at or before `from` to the first edge
    /// at or after `to`. Steps that the zone skips entirely, such as a missing day, have no edge. O(edges).
    ///
    /// - Throws: `tooManyEdges` beyond `limit`; `outOfRange` if a required edge lies outside 1677...2262.
    package func edges(from: Int64, to: Int64, limit: Int) throws(CivilError) -> [Int64] {
        guard from <= to else { throw CivilError.backwardRange(from: from, to: to) }
        if isAbsolute { return try absoluteEdges(from, to, limit) }
        var hint = 0
        var n = lastIndex(notAfter: from, &hint)
        var result: [Int64] = []
        var edge = edgeValue(n, &hint)
        while true {
            guard let exact = Int64(exactly: edge) else { throw beyond(edge) }
            guard result.count < limit else { throw CivilError.tooManyEdges(limit: limit) }
            result.append(exact)
            if exact >= to { return result }
            let last = edge
            repeat {
                n += 1
                edge = edgeValue(n, &hint)
            } while edge <= last
        }
    }

    /// Returns the half-open bucket `lower ..< upper` that contains an instant.
    ///
    /// - Throws: `outOfRange` if one of its edges lies outside 1677...2262.
    package func bucket(containing instant: Int64) throws(CivilError) -> Range<Int64> {
        var lower: Int128
        var upper: Int128
        if isAbsolute {
            let n = (Int128(instant) - Int128(anchor)).dividedDown(by: parts.nanoseconds)
            lower = Int128(anchor) + n * parts.nanoseconds
            upper = lower + parts.nanoseconds
        } else {
            var hint = 0
            var n = lastIndex(notAfter: instant, &hint)
            lower = edgeValue(n, &hint)
            repeat {
                n += 1
                upper = edgeValue(n, &hint)
            } while upper <= lower
        }
        guard let low = Int64(exactly: lower) else { throw beyond(lower) }
        guard let high = Int64(exactly: upper) else { throw beyond(upper) }
        return low..<high
    }

    /// Returns the edge `n` steps after the anchor; a negative `n` counts backwards.
    ///
    /// - Throws: `outOfRange` if the edge lies outside 1677...2262.
    package func edge(_ n: Int) throws(CivilError) -> Int64 {
        let value: Int128
        if isAbsolute {
            value = Int128(anchor) + Int128(n) * min(parts.nanoseconds, 1 << 63)
        } else if n.magnitude <= 1 << 20 {
            var hint = 0
            value = edgeValue(Int64(n), &hint)
        } else {
            throw CivilError.outOfRange("the calendar edge \(n) steps from the anchor")
        }
        guard let exact = Int64(exactly: value) else { throw beyond(value) }
        return exact
    }

    private var isAbsolute: Bool { parts.months == 0 && parts.days == 0 }

    private func beyond(_ edge: Int128) -> CivilError {
        // With the mean year of 365.2425 days; an approximate year is sufficient for the message.
        .outOfRange("an edge of the calendar about the year \(1970 + edge / 31_556_952_000_000_000)")
    }

    private func absoluteEdges(_ from: Int64, _ to: Int64, _ limit: Int) throws(CivilError) -> [Int64] {
        let width = parts.nanoseconds
        let first = Int128(anchor) + (Int128(from) - Int128(anchor)).dividedDown(by: width) * width
        let steps = (Int128(to) - first + width - 1).dividedDown(by: width)
        let last = first + steps * width
        guard steps < Int128(limit) else { throw CivilError.tooManyEdges(limit: limit) }
        guard let start = Int64(exactly: first) else { throw beyond(first) }
        guard Int64(exactly: last) != nil else { throw beyond(last) }
        let stride = Int64(truncatingIfNeeded: width)  // exact if there is more than one edge, else unused
        return (0...Int(steps)).map { start &+ Int64($0) &* stride }
    }

    /// Returns the last `n` whose edge is at or before an instant; among equal edges the last one.
    private func lastIndex(notAfter instant: Int64, _ hint: inout Int) -> Int64 {
        let monthLength = 30.436875 * 86_400e9  // the exact mean over 400 years
        let length =
            Double(parts.months) * monthLength + Double(parts.days) * 86_400e9 + Double(parts.nanoseconds)
        // The estimate is off by one or two steps: a month differs from its mean by at most 3 days, offsets by a day.
        var n = Int64(((Double(instant) - Double(anchor)) / length).rounded(.down))
        while edgeValue(n, &hint) > Int128(instant) { n -= 1 }
        while edgeValue(n + 1, &hint) <= Int128(instant) { n += 1 }
        return n
    }

    /// Returns edge `n` in nanoseconds, even outside the range of Int64.
    ///
    /// - Parameter hint: the zone segment of the last call, updated by each call.
    private func edgeValue(_ n: Int64, _ hint: inout Int) -> Int128 {
        if n == 0 { return Int128(anchor) }  // exact even if the local time of the anchor occurs twice
        let months = Int64(year) * 12 + Int64(month - 1) + n * parts.months
        let y = Int(months.dividedDown(by: 12))
        let m = Int(months.remainderUp(by: 12)) + 1
        let d = min(day, Civil.daysInMonth(year: y, month: m))
        let date = Civil.days(year: y, month: m, day: d) + n * parts.days
        let seconds = zone.table.instant(ofLocal: date * Civil.secondsPerDay + secondOfDay, hint: &hint)
        return Int128(seconds) * Int128(Civil.second) + Int128(nanoseconds) + Int128(n) * parts.nanoseconds
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import struct Foundation.Date
internal import struct Foundation.TimeZone

/// The offsets of a zone between 1677 and 2262. Segment `i` reaches from transition `i - 1` to transition `i`.
final class ZoneTable: Sendable {
    /// Seconds since 1970 UTC at which the offset changes, ascending.
    let transitions: [Int64]
    /// Seconds east of Greenwich in each segment; one more than transitions.
    let offsets: [Int64]
    /// The local second at which each segment but the last ends, ascending.
    let localEnds: [Int64]

    init(fixed offset: Int) {
        transitions = []
        offsets = [Int64(offset)]
        localEnds = []
    }

    /// - Parameter offsets: the first, and the one after each transition.
    init(transitions: [Int64], offsets: [Int64]) {
        self.transitions = transitions
        self.offsets = offsets
        localEnds = zip(transitions, offsets).map { $0 + $1 }
    }

    /// Reads the rules of a zone by walking through its transitions, 0.2 to 1.5 ms; nil for an unknown name.
    convenience init?(foundationIdentifier identifier: String) {
        guard let zone = TimeZone(identifier: identifier) else { return nil }
        // A little more than what nanoseconds reach, so that no local time near the ends misses a transition.
        let first: Int64 = -9_300_000_000
        let last: Int64 = 9_300_000_000
        var at = Date(timeIntervalSince1970: Double(first))
        var transitions: [Int64] = []
        var offsets = [Int64(zone.secondsFromGMT(for: at))]
        while let next = zone.nextDaylightSavingTimeTransition(after: at), next > at, transitions.count < 4096 {
            let second = Int64(next.timeIntervalSince1970.rounded())
            if second > last { break }
            at = next
            let offset = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))))
            if offset == offsets[offsets.count - 1] { continue }
            transitions.append(second)
            offsets.append(offset)
        }
        self.init(transitions: transitions, offsets: offsets)
    }

    /// The segment of a UTC second: the number of transitions at or before it.
    func segment(at seconds: Int64) -> Int {
        Self.countNotAfter(transitions, seconds)
    }

    /// The first segment that ends after a local second.
    func segment(ofLocal seconds: Int64) -> Int {
        Self.countNotAfter(localEnds, seconds)
    }

    func offset(at seconds: Int64) -> Int {
        Int(offsets[segment(at: seconds)])
    }

    /// The UTC second of a local one. `hint` is a segment near the answer and becomes the answer's.
    func instant(ofLocal seconds: Int64, hint: inout Int) -> Int64 {
        var index = min(max(hint, 0), localEnds.count)
        if index > 0, localEnds[index - 1] > seconds || index + 2 < localEnds.count && localEnds[index + 2] <= seconds {
            index = segment(ofLocal: seconds)
        }
        while index < localEnds.count, localEnds[index] <= seconds { index += 1 }
        hint = index
        // Before the segment's own start only if a gap lies between it and the one before: count on as before the gap.
        if index > 0, seconds < transitions[index - 1] &+ offsets[index] { return seconds &- offsets[index - 1] }
        return seconds &- offsets[index]
    }

    /// How many elements of an ascending array are at or below a key.
    private static func countNotAfter(_ array: [Int64], _ key: Int64) -> Int {
        var low = 0
        var count = array.count
        while count > 0 {
            let half = count / 2
            if array[low + half] <= key {
                low += half + 1
                count -= half + 1
            } else {
                count = half
            }
        }
        return low
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import struct Foundation.Date
internal import struct Foundation.TimeZone

/// The offsets of a zone between 1677 and 2262. Segment `i` extends from transition `i - 1` to transition `i`.
final class ZoneTable: Sendable {
    /// Seconds since 1970 UTC at which the offset changes, ascending.
    let transitions: [Int64]
    /// Seconds east of Greenwich in each segment; one element more than `transitions`.
    let offsets: [Int64]
    /// The local second at which each segment but the last ends, ascending.
    let localEnds: [Int64]

    init(fixed offset: Int) {
        transitions = []
        offsets = [Int64(offset)]
        localEnds = []
    }

    /// - Parameter offsets: the initial offset, then the offset after each transition.
    init(transitions: [Int64], offsets: [Int64]) {
        self.transitions = transitions
        self.offsets = offsets
        localEnds = zip(transitions, offsets).map { $0 + $1 }
    }

    /// Reads the transitions of a zone from Foundation, which takes 0.2 to 1.5 ms; nil for an unknown name.
    convenience init?(foundationIdentifier identifier: String) {
        guard let zone = TimeZone(identifier: identifier) else { return nil }
        // Slightly beyond the range of nanosecond instants, so that local times near the limits see every transition.
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

    /// Returns the segment of a UTC second, which is the number of transitions at or before it.
    func segment(at seconds: Int64) -> Int {
        Self.countNotAfter(transitions, seconds)
    }

    /// Returns the first segment that ends after a local second.
    func segment(ofLocal seconds: Int64) -> Int {
        Self.countNotAfter(localEnds, seconds)
    }

    func offset(at seconds: Int64) -> Int {
        Int(offsets[segment(at: seconds)])
    }

    /// Returns the UTC second of a local second.
    ///
    /// - Parameter hint: a segment near the result; set to the segment of the result.
    func instant(ofLocal seconds: Int64, hint: inout Int) -> Int64 {
        var index = min(max(hint, 0), localEnds.count)
        if index > 0, localEnds[index - 1] > seconds || index + 2 < localEnds.count && localEnds[index + 2] <= seconds {
            index = segment(ofLocal: seconds)
        }
        while index < localEnds.count, localEnds[index] <= seconds { index += 1 }
        hint = index
        // A local second before the segment's start lies in a gap: use the offset from before the gap.
        if index > 0, seconds < transitions[index - 1] &+ offsets[index] { return seconds &- offsets[index - 1] }
        return seconds &- offsets[index]
    }

    /// Returns the number of elements of an ascending array that are at or below a key.
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

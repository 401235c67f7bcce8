// SPDX-License-Identifier: Apache-2.0

// The engine: the only room where parts meet. It decides when to write, seal and sync, which file
// answers a query and what a snapshot sees; it knows no health, no SQL, no byte layout and no system call.

/// The times that a sample or a query may hold, in nanoseconds since 1970-01-01 UTC.
///
/// A little narrower than `Int64` so that a length of time and an edge beside the last sample are always
/// representable: from the year 1678 to the year 2261.
public enum TimeLimits {
    /// The earliest time that a sample may start: 1678-06-18.
    public static let earliest: Int64 = -9_200_000_000_000_000_000
    /// The latest time that a sample may end: 2261-07-15.
    public static let latest: Int64 = 9_200_000_000_000_000_000
}

/// A half-open range of time, in nanoseconds since 1970-01-01 UTC: `start` belongs to it, `end` does not.
public struct TimeRange: Hashable, Sendable {
    /// The first instant inside.
    public var start: Int64
    /// The first instant after.
    public var end: Int64

    /// All of time.
    public static let all = TimeRange(Int64.min, Int64.max)

    /// A range from `start` up to but not including `end`, in nanoseconds since 1970-01-01 UTC. An end before
    /// the start gives an empty range.
    public init(_ start: Int64, _ end: Int64) {
        self.start = start
        self.end = max(start, end)
    }

    /// Whether no instant is inside.
    public var isEmpty: Bool { start >= end }

    /// Whether `instant` is inside.
    public func contains(_ instant: Int64) -> Bool { instant >= start && instant < end }
}

// SPDX-License-Identifier: Apache-2.0

/// A store's key comes from a provider, and both are part of the engine's interface.
@_exported public import Cipher

// The engine, the only target that combines the others. It decides when to write, seal and sync, which file answers a
// query and which version a snapshot shows. It knows nothing of health data, SQL, byte layouts and system calls.

/// The limits of the times of samples and queries, in nanoseconds since 1970-01-01 UTC: the years 1678 to 2261.
///
/// The limits are narrower than `Int64`, so that the difference of two times and an edge beside the last sample never
/// overflow.
public enum TimeLimits {
    /// The earliest start of a sample: 1678-06-18.
    public static let earliest: Int64 = -9_200_000_000_000_000_000
    /// The latest end of a sample: 2261-07-15.
    public static let latest: Int64 = 9_200_000_000_000_000_000
}

/// A half-open range of time, in nanoseconds since 1970-01-01 UTC: `start` is inside, `end` is not.
public struct TimeRange: Hashable, Sendable {
    /// The first instant inside the range.
    public var start: Int64
    /// The first instant after the range.
    public var end: Int64

    /// The range of all instants.
    public static let all = TimeRange(Int64.min, Int64.max)

    /// Creates a range from `start` up to but not including `end`. An end before the start gives an empty range.
    public init(_ start: Int64, _ end: Int64) {
        self.start = start
        self.end = max(start, end)
    }

    /// Whether the range contains no instant.
    public var isEmpty: Bool { start >= end }

    /// Returns true if `instant` is inside the range.
    public func contains(_ instant: Int64) -> Bool { instant >= start && instant < end }
}

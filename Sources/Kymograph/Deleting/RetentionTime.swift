// SPDX-License-Identifier: Apache-2.0

/// The `now` of a retention by age. The store records the greatest `now`, so that a wrong clock is detected.
struct RetentionTime: Sendable {
    /// Nanoseconds since 1970-01-01 UTC.
    let now: Int64
    /// True if the caller forces `now`.
    let isForced: Bool

    private static let day: Int128 = 86_400_000_000_000

    /// Returns the time to store with the commit; nil if it is stored already, or nothing was deleted.
    ///
    /// A forced time before the stored time is stored even if nothing was deleted.
    func toStore(_ stored: Int64?, deletesNothing: Bool) -> Int64? {
        if deletesNothing, !(isForced && stored != nil) { return nil }
        return now == stored ? nil : now
    }

    /// Checks a `now` against the stored time and the newest sample, unless it is forced.
    ///
    /// - Throws: `invalidArgument`.
    init(_ now: Int64, force: Bool, stored: Int64?, newest: () -> Int64?) throws(StoreError) {
        isForced = force
        if force {
            self.now = now
            return
        }
        if let stored, Int128(now) - Int128(stored) <= -Self.day {
            throw StoreError(
                .invalidArgument,
                "now is 24 hours or more before the time of the last deletion by age; set the clock, or force it")
        }
        if let latest = [stored, newest()].compactMap(\.self).max(), Int128(now) - Int128(latest) > 400 * Self.day {
            let what = latest == stored ? "the time of the last deletion by age" : "the newest sample"
            throw StoreError(.invalidArgument, "now is more than 400 days after \(what); set the clock, or force it")
        }
        self.now = max(stored ?? now, now)
    }
}

// The ages of `StoreOptions`, in nanoseconds, at most about a hundred years.

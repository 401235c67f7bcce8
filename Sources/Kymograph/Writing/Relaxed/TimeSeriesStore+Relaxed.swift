// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A relaxed appender, held weakly by its store.
struct WeakAppender: Sendable {
    weak let value: RelaxedAppender?
}

extension TimeSeriesStore {
    /// An appender whose samples are committed in the background: for rates at which a commit for each call costs too
    /// much, where losing the last moments in a crash is acceptable. Any number of threads may use it.
    ///
    /// - Parameters:
    ///   - interval: a sample is committed, or a commit with it has begun, so long after it was taken; 1 ms to a day.
    ///   - capacity: bytes, 24 a sample, at which a commit begins before that; 64 KiB to 1 GiB. No call takes more at
    ///     once. At most twice as many are held, and 255 samples of each series that is given single ones.
    /// - Throws: `invalidArgument`, `readOnly`, `closed`.
    public func relaxed(
        interval: Duration = .milliseconds(100), capacity: Int = 8 << 20
    ) throws(StoreError) -> RelaxedAppender {
        guard interval >= .milliseconds(1), interval <= .seconds(86_400) else {
            throw StoreError(.invalidArgument, "an interval of \(interval); it may be 1 ms to a day")
        }
        guard capacity >= 64 << 10, capacity <= 1 << 30 else {
            throw StoreError(.invalidArgument, "a capacity of \(capacity) bytes; it may be 64 KiB to 1 GiB")
        }
        try context.requireWritable()
        try requireOpen()
        let appender = RelaxedAppender(self, interval: interval, capacity: capacity)
        appenders.withLock { all in
            all.removeAll { $0.value == nil }
            all.append(WeakAppender(value: appender))
        }
        return appender
    }
}

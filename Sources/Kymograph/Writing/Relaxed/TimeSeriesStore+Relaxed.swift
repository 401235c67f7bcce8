// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A relaxed appender, held weakly by its store.
struct WeakAppender: Sendable {
    weak let value: RelaxedAppender?
}

extension TimeSeriesStore {
    /// Returns an appender whose samples are committed in the background. For rates at which a commit for each call
    /// costs too much, if a crash may lose the last moments. Any number of threads may use it.
    ///
    /// - Parameters:
    ///   - interval: the maximum time from an append to the start of its commit; 1 ms to a day.
    ///   - capacity: bytes, 24 a sample, at which a commit begins earlier; 64 KiB to 1 GiB. No call accepts more at
    ///     once. The appender holds at most twice as many, and 255 samples of each series that receives single samples.
    /// - Throws: `invalidArgument`, `readOnly`, `closed`.
    public func relaxed(
        interval: Duration = .milliseconds(100), capacity: Int = 8 << 20
    ) throws(StoreError) -> RelaxedAppender {
        guard interval >= .milliseconds(1), interval <= .seconds(86_400) else {
            throw StoreError(.invalidArgument, "the interval must be 1 ms to a day; got \(interval)")
        }
        guard capacity >= 64 << 10, capacity <= 1 << 30 else {
            throw StoreError(.invalidArgument, "the capacity must be 64 KiB to 1 GiB; got \(capacity) bytes")
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

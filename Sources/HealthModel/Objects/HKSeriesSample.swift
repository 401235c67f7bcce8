// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A sample that stands for a series of measurements, which a query gives one by one. A builder makes it.
public class HKSeriesSample: HKSample, @unchecked Sendable {
    /// How many measurements the series has.
    public let count: Int

    package init(header: ObjectHeader, type: HKSampleType, start: Date, end: Date, count: Int) {
        self.count = count
        super.init(header: header, type: type, start: start, end: end)
    }
}

/// A series of heartbeats.
public final class HKHeartbeatSeriesSample: HKSeriesSample, @unchecked Sendable {
    /// A series as a store gives it.
    package convenience init(header: ObjectHeader, start: Date, end: Date, count: Int) {
        self.init(header: header, type: HKSeriesType.heartbeat(), start: start, end: end, count: count)
    }
}

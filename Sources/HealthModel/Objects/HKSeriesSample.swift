// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A sample that represents a series of measurements. A builder creates the series; a query returns the measurements.
public class HKSeriesSample: HKSample, @unchecked Sendable {
    /// The number of measurements in the series.
    public let count: Int

    package init(header: ObjectHeader, type: HKSampleType, start: Date, end: Date, count: Int) {
        self.count = count
        super.init(header: header, type: type, start: start, end: end)
    }
}

/// A series of heartbeats.
public final class HKHeartbeatSeriesSample: HKSeriesSample, @unchecked Sendable {
    /// Creates a series read from a store.
    package convenience init(header: ObjectHeader, start: Date, end: Date, count: Int) {
        self.init(header: header, type: HKSeriesType.heartbeat(), start: start, end: end, count: count)
    }
}

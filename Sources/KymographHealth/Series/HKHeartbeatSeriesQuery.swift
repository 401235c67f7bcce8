// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HealthCatalog
public import HealthModel

/// A query of the heartbeats of a series, one by one, sorted by time.
open class HKHeartbeatSeriesQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives the time of a beat in seconds since the start of the series, whether a gap precedes it, and whether it
    /// is the last one; or the error.
    public typealias Handler = @Sendable (HKHeartbeatSeriesQuery, TimeInterval, Bool, Bool, (any Error)?) -> Void

    private let series: HKHeartbeatSeriesSample
    private let handler: Handler

    /// Creates a query of the beats of a stored series.
    ///
    /// - Parameter dataHandler: called once for each beat, on a thread of the store.
    @preconcurrency public init(heartbeatSeries: HKHeartbeatSeriesSample, dataHandler: @escaping Handler) {
        series = heartbeatSeries
        handler = dataHandler
        super.init(objectType: HKSeriesType.heartbeat(), predicate: nil)
    }

    func run(in store: HKHealthStore) throws {
        let beats = try store.store().heartbeats(of: series)
        for (place, beat) in beats.enumerated() {
            if lifecycle.isStopped { return }
            handler(self, beat.time, beat.isAfterGap, place == beats.count - 1, nil)
        }
    }

    func fail(_ error: HKError) { handler(self, 0, false, false, error) }
}

/// A query of the heartbeats of a series.
public struct HKHeartbeatSeriesQueryDescriptor: HKAsyncSequenceQuery, Sendable {
    /// A heartbeat.
    public struct Heartbeat: Sendable, Hashable {
        /// The time in seconds since the start of the series.
        public let timeIntervalSinceStart: TimeInterval
        /// Whether preceding beats may be missing.
        public let precededByGap: Bool
    }

    /// The series.
    public let heartbeatSeries: HKHeartbeatSeriesSample

    /// Creates a query of the beats of a stored series.
    public init(_ heartbeatSeries: HKHeartbeatSeriesSample) { self.heartbeatSeries = heartbeatSeries }

    /// Returns a sequence of the beats, sorted by time.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, series: heartbeatSeries)
    }

    /// The heartbeats, one by one.
    public struct Results: AsyncSequence, Sendable {
        /// A heartbeat.
        public typealias Element = Heartbeat

        fileprivate let healthStore: HKHealthStore
        fileprivate let series: HKHeartbeatSeriesSample

        /// Starts to read.
        public func makeAsyncIterator() -> Iterator { Iterator(healthStore: healthStore, series: series) }

        /// An iterator that reads the series at the request of the first beat.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let series: HKHeartbeatSeriesSample
            fileprivate var beats: [HeartbeatRecord.Beat]?
            fileprivate var place = 0

            /// Returns the next beat; nil at the end.
            ///
            /// - Throws: ``HKError``: `errorInvalidArgument` for a series that is not stored,
            ///   `errorDatabaseInaccessible`; `CancellationError`.
            public mutating func next() async throws -> Heartbeat? {
                try Task.checkCancellation()
                let (series, healthStore) = (series, healthStore)
                if beats == nil {
                    beats = try await BlockingQueue.answer { _ in try healthStore.store().heartbeats(of: series) }
                }
                guard let beats, place < beats.count else { return nil }
                defer { place += 1 }
                let one = beats[place]
                return Heartbeat(timeIntervalSinceStart: one.time, precededByGap: one.isAfterGap)
            }
        }
    }
}

extension HealthStore {
    /// Returns the heartbeats of a series, sorted by time.
    ///
    /// - Throws: `HKError` `errorInvalidArgument` for a sample that is not stored; errors of reading.
    func heartbeats(of sample: HKHeartbeatSeriesSample) throws -> [HeartbeatRecord.Beat] {
        try HeartbeatRecord(body(of: sample, .heartbeatSeries, "series")).beats
    }
}

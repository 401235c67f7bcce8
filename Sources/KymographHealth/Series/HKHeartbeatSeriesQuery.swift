// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HealthCatalog
public import HealthModel

/// Gives the heartbeats of a series one by one, by time.
public final class HKHeartbeatSeriesQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Takes the time of a beat in seconds since the start of the series, whether a gap was before it, and whether it
    /// was the last one; or says what went wrong.
    public typealias Handler = @Sendable (HKHeartbeatSeriesQuery, TimeInterval, Bool, Bool, (any Error)?) -> Void

    private let series: HKHeartbeatSeriesSample
    private let handler: Handler

    /// A query for the beats of a series that a store has given.
    ///
    /// - Parameter dataHandler: called once for each beat, on a thread of the store.
    public init(heartbeatSeries: HKHeartbeatSeriesSample, dataHandler: @escaping Handler) {
        series = heartbeatSeries
        handler = dataHandler
        super.init(objectType: HKSeriesType.heartbeat(), predicate: nil)
    }

    func run(in store: HKHealthStore) throws {
        let beats = try store.store().heartbeats(of: series)
        for (place, beat) in beats.enumerated() {
            if course.isStopped { return }
            handler(self, beat.time, beat.isAfterGap, place == beats.count - 1, nil)
        }
    }

    func fail(_ error: HKError) { handler(self, 0, false, false, error) }
}

/// Asks for the heartbeats of a series.
public struct HKHeartbeatSeriesQueryDescriptor: HKAsyncSequenceQuery {
    /// A heartbeat.
    public struct Heartbeat: Sendable, Hashable {
        /// In seconds since the start of the series.
        public let timeIntervalSinceStart: TimeInterval
        /// Whether beats before it may be missing.
        public let precededByGap: Bool
    }

    /// The series.
    public let heartbeatSeries: HKHeartbeatSeriesSample

    /// Asks for the beats of a series that a store has given.
    public init(_ heartbeatSeries: HKHeartbeatSeriesSample) { self.heartbeatSeries = heartbeatSeries }

    /// The beats, by time.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, series: heartbeatSeries)
    }

    /// Heartbeats one by one.
    public struct Results: AsyncSequence, Sendable {
        /// A heartbeat.
        public typealias Element = Heartbeat

        fileprivate let healthStore: HKHealthStore
        fileprivate let series: HKHeartbeatSeriesSample

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator { Iterator(healthStore: healthStore, series: series) }

        /// Reads the series when the first beat is asked for.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let series: HKHeartbeatSeriesSample
            private var beats: [HeartbeatRecord.Beat]?
            private var place = 0

            fileprivate init(healthStore: HKHealthStore, series: HKHeartbeatSeriesSample) {
                self.healthStore = healthStore
                self.series = series
            }

            /// The next beat; nil at the end.
            ///
            /// - Throws: ``HKError``: `errorInvalidArgument` for a series that the store does not have,
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
    /// The heartbeats of a series, by time.
    ///
    /// - Throws: `HKError` `errorInvalidArgument` for a sample that the store does not have; what reading throws.
    func heartbeats(of sample: HKHeartbeatSeriesSample) throws -> [HeartbeatRecord.Beat] {
        if mode != .readWrite { try refresh() }
        let sequence = try view().snapshot.sequence
        let found = try catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(uuids: [SampleIdentity(sample.uuid).bytes], asOf: sequence, $0)
        }
        guard let row = found.first.flatMap({ $0 }), row.kind == SavedObjectKind.heartbeatSeries.rawValue else {
            throw HKError(
                .errorInvalidArgument, reason: "the series is not in the store", place: "\(sample)",
                advice: "ask for a sample that a query of this store has given")
        }
        return try HeartbeatRecord(row.body).beats
    }
}

// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import Foundation
public import HealthModel
import Synchronization

/// Makes a sample of heartbeats, each with its time to the nanosecond and better.
///
/// Beats are collected in memory, in any order, and stored when the series is finished. Before that nothing of them is
/// on the disk: if the process ends, or the builder is let go, the series is lost, and nothing else.
public final class HKHeartbeatSeriesBuilder: NSObject, Sendable {
    /// The store that the series goes to.
    private let store: HKHealthStore
    private let device: HKDevice?
    private let start: Date
    private let uuid = ObjectIdentity.next()
    private let state = Mutex(State())

    private struct State {
        var phase = SeriesPhase.open
        var beats: [HeartbeatRecord.Beat] = []
        var isOrdered = true
        var metadata: HealthMetadataValues = [:]
    }

    /// The most heartbeats of a series.
    public static var maximumCount: Int { 1_000_000 }

    /// A builder with no beats yet.
    ///
    /// - Parameter startDate: what the times of the beats count from.
    public init(healthStore: HKHealthStore, device: HKDevice?, start startDate: Date) {
        store = healthStore
        self.device = device
        start = startDate
        super.init()
    }

    /// Adds a heartbeat.
    ///
    /// - Parameters:
    ///   - timeInterval: in seconds since the start of the series, not negative.
    ///   - precededByGap: whether beats before it may be missing.
    /// - Throws: ``HKError``: `errorInvalidArgument` for another time and after the end of the builder,
    ///   `errorDataSizeExceeded` beyond ``maximumCount``.
    public func addHeartbeatWithTimeInterval(
        sinceSeriesStartDate timeInterval: TimeInterval, precededByGap: Bool
    ) async throws {
        try add(timeInterval, precededByGap)
    }

    /// Adds a heartbeat: the newer name of ``addHeartbeatWithTimeInterval(sinceSeriesStartDate:precededByGap:)``.
    public func addHeartbeat(at timeIntervalSinceStart: TimeInterval, precededByGap: Bool) async throws {
        try add(timeIntervalSinceStart, precededByGap)
    }

    /// Adds a heartbeat; the handler is called on a thread of the store. See
    /// ``addHeartbeatWithTimeInterval(sinceSeriesStartDate:precededByGap:)``.
    public func addHeartbeatWithTimeInterval(
        sinceSeriesStartDate timeInterval: TimeInterval, precededByGap: Bool,
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        // At once, so that the order of calls is that of the beats.
        tell(Result { () throws(HKError) in try add(timeInterval, precededByGap) }, completion)
    }

    /// Adds metadata to the series; of a key that comes twice the later value counts.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for what is no metadata, and after the end of the builder.
    public func addMetadata(_ metadata: [String: Any]) async throws {
        try add(HealthMetadataValues(metadata))
    }

    /// Adds metadata to the series; the handler is called on a thread of the store. See ``addMetadata(_:)``.
    public func addMetadata(
        _ metadata: [String: Any], completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let values = HealthMetadataValues(metadata)
        tell(Result { () throws(HKError) in try add(values) }, completion)
    }

    private func tell(
        _ result: Result<Void, HKError>, _ completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run {
            do throws(HKError) {
                try result.get()
                completion(true, nil)
            } catch {
                completion(false, error)
            }
        }
    }

    /// Makes the sample and saves it, durably: when this returns, all of it is on the disk; if it throws, nothing is,
    /// and it may be tried again.
    ///
    /// - Throws: ``HKError``: `errorNoData` without beats, `errorInvalidArgument`, `errorDatabaseInaccessible`.
    public func finishSeries() async throws -> HKHeartbeatSeriesSample {
        try await BlockingQueue.result { () throws(HKError) in try self.finish() }
    }

    /// Makes the sample and saves it; the handler is called on a thread of the store. See ``finishSeries()``.
    public func finishSeries(completion: @escaping @Sendable (HKHeartbeatSeriesSample?, (any Error)?) -> Void) {
        BlockingQueue.run {
            do throws(HKError) {
                completion(try self.finish(), nil)
            } catch {
                completion(nil, error)
            }
        }
    }

    /// Ends the builder; what was added is gone. What is being finished meanwhile is saved or not, and cannot be tried
    /// again.
    public func discard() {
        state.withLock { state in
            if state.phase.isDiscardable { state = State(phase: .discarded) }
        }
    }
}

extension HKHeartbeatSeriesBuilder {
    func add(_ time: TimeInterval, _ isAfterGap: Bool) throws(HKError) {
        guard time.isFinite, time >= 0, StoredTime.nanoseconds(start.addingTimeInterval(time)) != nil else {
            throw refusal("a heartbeat \(time) s after the start cannot be kept", "give a time that is not negative")
        }
        try state.withLock { state throws(HKError) in
            try state.phase.requireOpen(self)
            guard state.beats.count < Self.maximumCount else {
                throw HKError(
                    .errorDataSizeExceeded, reason: "the series has \(state.beats.count) heartbeats",
                    place: "HKHeartbeatSeriesBuilder \(uuid)", advice: "finish it, and begin another one")
            }
            if let last = state.beats.last, time < last.time { state.isOrdered = false }
            state.beats.append(HeartbeatRecord.Beat(time: time, isAfterGap: isAfterGap))
        }
    }

    private func add(_ metadata: HealthMetadataValues) throws(HKError) {
        try state.withLock { state throws(HKError) in
            try state.phase.requireOpen(self)
            let all = state.metadata.merging(metadata) { _, new in new }
            // An object with nothing else is refused for its metadata alone.
            try HealthSaveRules.check(HKObject(header: header(all)))
            state.metadata = all
        }
    }

    private func header(_ metadata: HealthMetadataValues) -> ObjectHeader {
        ObjectHeader(
            uuid: uuid, sourceRevision: store.revision, device: device, metadata: metadata.isEmpty ? nil : metadata)
    }

    private func refusal(_ reason: String, _ advice: String?) -> HKError {
        HKError(.errorInvalidArgument, reason: reason, place: "HKHeartbeatSeriesBuilder \(uuid)", advice: advice)
    }

    private func finish() throws(HKError) -> HKHeartbeatSeriesSample {
        let (beats, isOrdered, metadata) = try state.withLock { state throws(HKError) in
            try state.phase.requireOpen(self)
            state.phase = .finishing
            return (state.beats, state.isOrdered, state.metadata)
        }
        do throws(HKError) {
            let sample = try save(isOrdered ? beats : Self.sorted(beats), header(metadata))
            state.withLock { $0 = State(phase: .finished) }
            return sample
        } catch {
            state.withLock { $0.phase.reopen() }
            throw error
        }
    }

    /// By time; beats of one time in the order that they came in.
    private static func sorted(_ beats: [HeartbeatRecord.Beat]) -> [HeartbeatRecord.Beat] {
        beats.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    private func save(
        _ beats: [HeartbeatRecord.Beat], _ header: ObjectHeader
    ) throws(HKError) -> HKHeartbeatSeriesSample {
        guard let last = beats.last else {
            throw HKError(
                .errorNoData, reason: "the series has no heartbeats", place: "HKHeartbeatSeriesBuilder \(uuid)",
                advice: "add some, or discard the builder")
        }
        guard let first = StoredTime.nanoseconds(start),
            let end = StoredTime.nanoseconds(start.addingTimeInterval(last.time))
        else {
            throw refusal("the time is outside of what a store holds", "give dates from 1678-06-18 to 2261-07-15")
        }
        let sample = HKHeartbeatSeriesSample(
            header: header, start: StoredTime.date(first), end: StoredTime.date(max(first, end)), count: beats.count)
        var batch = SaveBatch(try SavingProgram(store.revision), created: SystemClock.wallNanoseconds())
        try batch.append(
            sample, start: first, end: max(first, end), .body(HeartbeatRecord(beats).body, .heartbeatSeries))
        try store.store().commit(batch, identities: .unchecked)
        return sample
    }
}

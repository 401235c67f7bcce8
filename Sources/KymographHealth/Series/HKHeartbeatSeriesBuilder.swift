// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import Foundation
public import HealthModel

/// A builder of one heartbeat series. The time of each beat is stored without loss.
///
/// Beats are collected in memory, in any order, and stored when the series is finished. Before that nothing is on disk:
/// if the process ends, or the builder is released, only this series is lost.
public final class HKHeartbeatSeriesBuilder: NSObject, Sendable {
    private let store: HKHealthStore
    private let device: HKDevice?
    private let start: Date
    private let uuid = ObjectIdentity.next()
    private let state = BuilderState<Content>(of: HKHeartbeatSeriesBuilder.self)

    private struct Content: BuilderContent {
        var beats: [HeartbeatRecord.Beat] = []
        var isOrdered = true
        var metadata: HealthMetadataValues = [:]
    }

    /// The maximum number of heartbeats in a series.
    public static var maximumCount: Int { 1_000_000 }

    /// Creates a builder without beats.
    ///
    /// - Parameter startDate: the start of the series; the times of the beats are relative to it.
    public init(healthStore: HKHealthStore, device: HKDevice?, start startDate: Date) {
        store = healthStore
        self.device = device
        start = startDate
        super.init()
    }

    /// Adds a heartbeat.
    ///
    /// - Parameters:
    ///   - timeInterval: the time in seconds since the start of the series, not negative.
    ///   - precededByGap: whether preceding beats may be missing.
    /// - Throws: ``HKError``: `errorInvalidArgument` for an invalid time and after the end of the builder,
    ///   `errorDataSizeExceeded` beyond ``maximumCount``.
    public func addHeartbeatWithTimeInterval(
        sinceSeriesStartDate timeInterval: TimeInterval, precededByGap: Bool
    ) async throws {
        try add(timeInterval, precededByGap)
    }

    /// Adds a heartbeat. This is the newer name of
    /// ``addHeartbeatWithTimeInterval(sinceSeriesStartDate:precededByGap:)``.
    public func addHeartbeat(at timeIntervalSinceStart: TimeInterval, precededByGap: Bool) async throws {
        try add(timeIntervalSinceStart, precededByGap)
    }

    /// Adds a heartbeat; the handler is called on a thread of the store. See
    /// ``addHeartbeatWithTimeInterval(sinceSeriesStartDate:precededByGap:)``.
    @preconcurrency public func addHeartbeatWithTimeInterval(
        sinceSeriesStartDate timeInterval: TimeInterval, precededByGap: Bool,
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        // Added synchronously, so that the order of calls is the order of the beats.
        let result = Result { () throws(HKError) in try add(timeInterval, precededByGap) }
        BlockingQueue.run(completion) { () throws(HKError) in try result.get() }
    }

    /// Adds metadata to the series. For a repeated key the later value counts.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for invalid metadata, and after the end of the builder.
    public func addMetadata(_ metadata: [String: Any]) async throws {
        try add(HealthMetadataValues(metadata))
    }

    /// Adds metadata to the series; the handler is called on a thread of the store. See ``addMetadata(_:)``.
    @preconcurrency public func addMetadata(
        _ metadata: [String: Any], completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let result = Result { () throws(HKError) in try add(HealthMetadataValues(metadata)) }
        BlockingQueue.run(completion) { () throws(HKError) in try result.get() }
    }

    /// Creates the sample and saves it, durably: when this returns, all of it is on disk; when this throws, nothing is,
    /// and it may be called again.
    ///
    /// - Throws: ``HKError``: `errorNoData` without beats, `errorInvalidArgument`, `errorDatabaseInaccessible`.
    public func finishSeries() async throws -> HKHeartbeatSeriesSample {
        try await BlockingQueue.result { () throws(HKError) in try self.finish() }
    }

    /// Creates the sample and saves it; the handler is called on a thread of the store. See ``finishSeries()``.
    @preconcurrency public func finishSeries(
        completion: @escaping @Sendable (HKHeartbeatSeriesSample?, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.finish() }
    }

    /// Ends the builder and discards its beats. A concurrent `finishSeries` may or may not save them, and cannot be
    /// repeated.
    public func discard() { state.discard() }

    func add(_ time: TimeInterval, _ isAfterGap: Bool) throws(HKError) {
        guard time.isFinite, time >= 0, StoredTime.nanoseconds(start.addingTimeInterval(time)) != nil else {
            throw refusal("a heartbeat \(time) s after the start cannot be stored", "give a time that is not negative")
        }
        try state.change { state throws(HKError) in
            guard state.beats.count < Self.maximumCount else {
                throw HKError(
                    .errorDataSizeExceeded, reason: "the series has \(state.beats.count) heartbeats",
                    place: "HKHeartbeatSeriesBuilder \(uuid)", advice: "finish the series, and start another one")
            }
            if let last = state.beats.last, time < last.time { state.isOrdered = false }
            state.beats.append(HeartbeatRecord.Beat(time: time, isAfterGap: isAfterGap))
        }
    }

    private func add(_ metadata: HealthMetadataValues) throws(HKError) {
        try state.change { state throws(HKError) in
            let all = state.metadata.merging(metadata) { _, new in new }
            // An object without data checks the metadata only.
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
        try state.finish { content throws(HKError) in
            try save(content.isOrdered ? content.beats : Self.sorted(content.beats), header(content.metadata))
        }
    }

    /// Returns the beats sorted by time; beats with equal times keep their order.
    private static func sorted(_ beats: [HeartbeatRecord.Beat]) -> [HeartbeatRecord.Beat] {
        beats.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    private func save(
        _ beats: [HeartbeatRecord.Beat], _ header: ObjectHeader
    ) throws(HKError) -> HKHeartbeatSeriesSample {
        guard let last = beats.last else {
            throw HKError(
                .errorNoData, reason: "the series has no heartbeats", place: "HKHeartbeatSeriesBuilder \(uuid)",
                advice: "add heartbeats, or discard the builder")
        }
        guard let first = StoredTime.nanoseconds(start),
            let end = StoredTime.nanoseconds(start.addingTimeInterval(last.time))
        else {
            throw refusal("the time is outside of the storable range", "give dates from 1678-06-18 to 2261-07-15")
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

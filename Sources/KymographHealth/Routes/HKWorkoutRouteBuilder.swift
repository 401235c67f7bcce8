// SPDX-License-Identifier: Apache-2.0

public import CoreLocation
import FileSystem
import Foundation
public import HealthModel

/// Makes the locations of a builder durable before they are part of its route.
protocol RouteKeeper: Sendable {
    /// Stores locations and metadata, durably.
    func keep(_ locations: RouteLocations, _ metadata: HealthMetadataValues) throws(HKError)
    /// Removes all stored locations and metadata.
    func discard()
}

/// A builder of the route of a workout.
///
/// ```swift
/// let builder = HKWorkoutRouteBuilder(healthStore: store, device: nil)
/// try await builder.insertRouteData(locations)
/// let route = try await builder.finishRoute(with: workout, metadata: nil)
/// ```
///
/// Locations may be inserted in any order. `finishRoute` sorts them by time and stores them in one commit. Locations
/// with equal times keep the order of their insertion. Every number is stored without loss. Before `finishRoute` the
/// locations are only in memory, and are lost if the process ends or the builder is released.
///
/// A workout builder has its own route builder, see ``HKWorkoutBuilder/seriesBuilder(for:)``. Do not call `finishRoute`
/// for it: `finishWorkout` saves the route. The route builder of a session's workout stores locations and metadata as
/// they are added, so that a recovered session has them.
public final class HKWorkoutRouteBuilder: HKSeriesBuilder, @unchecked Sendable {
    private let store: HKHealthStore
    private let device: HKDevice?
    /// The identity of the route. It does not change, so that a repeated save after a failure stores the route once.
    private let uuid = ObjectIdentity.next()
    private let state = BuilderState<Content>(of: HKWorkoutRouteBuilder.self)
    /// Runs the additions, in the order of the calls.
    private let additions = CallQueue("route")
    /// Stores additions durably; nil if they stay in memory.
    private let keeper: (any RouteKeeper)?

    private struct Content: BuilderContent {
        var locations = RouteLocations()
        var metadata: HealthMetadataValues = [:]
    }

    /// Creates a builder without locations.
    public init(healthStore: HKHealthStore, device: HKDevice?) {
        store = healthStore
        self.device = device
        keeper = nil
        super.init()
    }

    /// Creates the builder of a session's workout.
    ///
    /// - Parameter locations: the locations of a recovered session, with their metadata.
    init(
        _ store: HKHealthStore, _ device: HKDevice?, _ locations: RouteLocations, _ metadata: HealthMetadataValues,
        keeper: any RouteKeeper
    ) {
        self.store = store
        self.device = device
        self.keeper = keeper
        super.init()
        try? state.change { $0 = Content(locations: locations, metadata: metadata) }
    }

    /// Adds locations, all or none, in any order.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a number that is NaN or infinite, for a date outside of
    ///   1678-06-19 to 2261-07-14, and after `finishRoute` or `discard`; `errorDatabaseInaccessible` for the route of a
    ///   session's workout. After an error the builder is unchanged.
    /// - Complexity: O(n) amortised.
    public func insertRouteData(_ routeData: [CLLocation]) async throws {
        try await additions.result { () throws(HKError) in try self.insert(routeData) }
    }

    /// Adds locations; the handler is called on a thread of the store. See ``insertRouteData(_:)``.
    @preconcurrency public func insertRouteData(
        _ routeData: [CLLocation], completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        additions.run(completion) { () throws(HKError) in try self.insert(routeData) }
    }

    /// Adds metadata to the route. For a repeated key the later value counts.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for invalid metadata, and after `finishRoute` or `discard`;
    ///   `errorDatabaseInaccessible` for the route of a session's workout.
    public func addMetadata(_ metadata: [String: Any]) async throws {
        let values = HealthMetadataValues(metadata)
        try await additions.result { () throws(HKError) in try self.add(values) }
    }

    /// Adds metadata to the route; the handler is called on a thread of the store. See ``addMetadata(_:)``.
    @preconcurrency public func addMetadata(
        _ metadata: [String: Any], completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let values = HealthMetadataValues(metadata)
        additions.run(completion) { () throws(HKError) in try self.add(values) }
    }

    /// Saves the route of a stored workout durably, in one commit. After an error nothing is saved, and the call can be
    /// repeated.
    ///
    /// - Parameters:
    ///   - workout: a workout in the same store.
    ///   - metadata: metadata in addition to that of ``addMetadata(_:)``; nil for none.
    /// - Throws: ``HKError``: `errorNoData` without locations, `errorInvalidArgument` for a workout that is not stored
    ///   and for invalid metadata, `errorDatabaseInaccessible`.
    /// - Complexity: O(n), or O(n log n) if the locations were not inserted in order; one commit.
    @discardableResult
    public func finishRoute(with workout: HKWorkout, metadata: [String: Any]?) async throws -> HKWorkoutRoute {
        let (values, owner) = (metadata.map { HealthMetadataValues($0) }, workout.uuid)
        return try await BlockingQueue.result { () throws(HKError) in try self.finish(owner, values) }
    }

    /// Saves the route; the handler is called on a thread of the store. See ``finishRoute(with:metadata:)``.
    @preconcurrency public func finishRoute(
        with workout: HKWorkout, metadata: [String: Any]?,
        completion: @escaping @Sendable (HKWorkoutRoute?, (any Error)?) -> Void
    ) {
        let (values, owner) = (metadata.map { HealthMetadataValues($0) }, workout.uuid)
        BlockingQueue.run(completion) { () throws(HKError) in try self.finish(owner, values) }
    }

    /// Ends the builder and discards its locations. A concurrent `finishRoute` may still save them, and cannot be
    /// repeated.
    public override func discard() {
        if state.discard() { keeper?.discard() }
    }

    /// Whether the builder is neither finished nor discarded.
    var isOpen: Bool { state.isOpen }

    func insert(_ locations: [CLLocation]) throws(HKError) {
        try state.change { content throws(HKError) in
            var added = RouteLocations()
            try added.append(locations)
            try keeper?.keep(added, [:])
            content.locations.append(added)
        }
    }

    /// The number of locations that are not stored as a route yet.
    package var count: Int { state.content.locations.count }

    private func add(_ metadata: HealthMetadataValues) throws(HKError) {
        try state.change { content throws(HKError) in
            let all = content.metadata.merging(metadata) { _, new in new }
            // The check of an object without data is a check of its metadata.
            try HealthSaveRules.check(HKObject(header: header(all)))
            try keeper?.keep(RouteLocations(), metadata)
            content.metadata = all
        }
    }

    private func header(_ metadata: HealthMetadataValues) -> ObjectHeader {
        ObjectHeader(
            uuid: uuid, sourceRevision: store.revision, device: device, metadata: metadata.isEmpty ? nil : metadata)
    }

    func finish(_ workout: UUID, _ metadata: HealthMetadataValues?) throws(HKError) -> HKWorkoutRoute {
        additions.drain()
        return try state.finish { content throws(HKError) in
            var batch = SaveBatch(try SavingProgram(store.revision), created: SystemClock.wallNanoseconds())
            guard let route = try append(content, workout, metadata ?? [:], needsStoredWorkout: true, to: &batch) else {
                throw HKError(
                    .errorNoData, reason: "the route has no locations", place: "HKWorkoutRouteBuilder \(uuid)",
                    advice: "insert locations, or discard the builder")
            }
            let health = try store.store()
            if try health.access() != nil, try !HKError.converting({ try health.isReadable(workout) }) {
                throw HKError.missingWorkout(workout)
            }
            try health.commit(batch, identities: .unchecked)
            return route
        }
    }

    /// Adds the route to the commit that saves its workout, and ends the builder if the commit succeeds.
    ///
    /// - Parameters:
    ///   - workout: the identity of the workout, which the commit saves.
    ///   - commit: receives a function that adds the route to a batch, and commits that batch. The function returns the
    ///     route; nil without locations.
    /// - Throws: the errors of `commit`; `errorInvalidArgument` after `finishRoute` or `discard`.
    func finish<Result>(
        within workout: UUID,
        _ commit: ((inout SaveBatch) throws(HKError) -> HKWorkoutRoute?) throws(HKError) -> Result
    ) throws(HKError) -> Result {
        additions.drain()
        return try state.finish { content throws(HKError) in
            try commit { batch throws(HKError) in
                try self.append(content, workout, [:], needsStoredWorkout: false, to: &batch)
            }
        }
    }

    private func append(
        _ content: Content, _ workout: UUID, _ metadata: HealthMetadataValues, needsStoredWorkout: Bool,
        to batch: inout SaveBatch
    ) throws(HKError) -> HKWorkoutRoute? {
        let all = content.metadata.merging(metadata) { _, new in new }
        return try batch.append(
            content.locations, of: workout, header(all), needsStoredWorkout: needsStoredWorkout)
    }
}

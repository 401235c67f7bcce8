// SPDX-License-Identifier: Apache-2.0

public import CoreLocation
public import Foundation
public import HealthModel

/// A query of the locations of a route, in batches, sorted by time.
open class HKWorkoutRouteQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives a batch of locations, and whether it is the last batch; or nil and an error.
    public typealias Handler = @Sendable (HKWorkoutRouteQuery, [CLLocation]?, Bool, (any Error)?) -> Void

    private let route: HKWorkoutRoute
    private let interval: DateInterval?
    private let handler: Handler
    /// The number of locations in a call of the handler.
    private static let page = 1_000

    /// Creates a query of all locations of a stored route.
    ///
    /// - Parameter dataHandler: called for each batch, on a thread of the store.
    @preconcurrency public init(route: HKWorkoutRoute, dataHandler: @escaping Handler) {
        self.route = route
        interval = nil
        handler = dataHandler
        super.init(objectType: HKSeriesType.workoutRoute(), predicate: nil)
    }

    /// Creates a query of the locations of a stored route in an interval. If no location is in the interval, the
    /// handler is called once, with an empty array.
    ///
    /// - Parameters:
    ///   - dateInterval: the interval; a location at its end is in the interval.
    ///   - dataHandler: called for each batch, on a thread of the store.
    @preconcurrency public init(route: HKWorkoutRoute, dateInterval: DateInterval, dataHandler: @escaping Handler) {
        self.route = route
        interval = dateInterval
        handler = dataHandler
        super.init(objectType: HKSeriesType.workoutRoute(), predicate: nil)
    }

    func run(in store: HKHealthStore) throws {
        let locations = try store.store().locations(of: route, in: interval)
        var first = 0
        repeat {
            if lifecycle.isStopped { return }
            let end = min(locations.count, first + Self.page)
            handler(self, locations.objects(first..<end), end == locations.count, nil)
            first = end
        } while first < locations.count
    }

    func fail(_ error: HKError) { handler(self, nil, false, error) }
}

/// A query of the locations of a route.
public struct HKWorkoutRouteQueryDescriptor: HKAsyncSequenceQuery, Sendable {
    /// The route.
    public var workoutRoute: HKWorkoutRoute

    /// Creates a query of the locations of a stored route.
    public init(_ workoutRoute: HKWorkoutRoute) { self.workoutRoute = workoutRoute }

    /// Returns a sequence of the locations, sorted by time.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, route: workoutRoute)
    }

    /// The locations of a route, one by one.
    public struct Results: AsyncSequence, Sendable {
        /// A location.
        public typealias Element = CLLocation

        fileprivate let healthStore: HKHealthStore
        fileprivate let route: HKWorkoutRoute

        /// Creates an iterator from the first location.
        public func makeAsyncIterator() -> Iterator { Iterator(healthStore: healthStore, route: route) }

        /// An iterator that reads the route when the first location is requested.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let route: HKWorkoutRoute
            fileprivate var locations: [CLLocation]?
            fileprivate var place = 0

            /// Returns the next location; nil at the end.
            ///
            /// - Throws: ``HKError``: `errorInvalidArgument` for a route that is not stored,
            ///   `errorDatabaseInaccessible`; `CancellationError`.
            public mutating func next() async throws -> CLLocation? {
                try Task.checkCancellation()
                let (route, healthStore) = (route, healthStore)
                if locations == nil {
                    locations = try await BlockingQueue.answer { _ in
                        let found = try healthStore.store().locations(of: route)
                        return found.objects(0..<found.count)
                    }
                }
                guard let locations, place < locations.count else { return nil }
                defer { place += 1 }
                return locations[place]
            }
        }
    }
}

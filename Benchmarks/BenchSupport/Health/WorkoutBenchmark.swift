// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import FileSystem
import Foundation
import HealthModel
import KymographHealth

/// Workouts through the public API: saving one, its route, a running session, and the search for activities. Plain
/// SQLite and compressed GPX files are measured beside operations that they support.
package struct WorkoutBenchmark: Sendable {
    package struct Bounds: Sendable {
        /// The samples of the saved workout, and the locations of its route.
        package var samples = 20_000
        package var locations = 15_000
        /// The seconds of running workouts with a heart rate per second.
        package var lengths = [600, 10_800, 43_200]
        /// The deliveries of single samples that are timed.
        package var deliveries = 300
        /// The seconds of the session with fifty samples a second.
        package var sessionSeconds = 43_200
        /// The workouts of ten activities each.
        package var workouts = 5_000
        /// The repetitions of each measurement.
        package var runs = 5
        /// A directory with GPX files; nil to measure only a generated route.
        package var routes: String?

        package init() {}

        /// Bounds for a run of some seconds.
        package static var small: Bounds {
            var bounds = Bounds()
            (bounds.samples, bounds.locations, bounds.lengths) = (500, 200, [60, 120, 180])
            (bounds.deliveries, bounds.sessionSeconds, bounds.workouts) = (20, 30, 40)
            return bounds
        }
    }

    let work: String
    let bounds: Bounds

    package init(work: String, _ bounds: Bounds) {
        self.work = work
        self.bounds = bounds
    }

    static let heartRate = HKQuantityType(.heartRate)
    static let perMinute = HKUnit.count().unitDivided(by: .minute())
    /// 2025-01-01 UTC.
    static let begin = Date(timeIntervalSince1970: 1_735_689_600)
    static let day = 86_400.0

    static func date(_ seconds: Double) -> Date { begin.addingTimeInterval(seconds) }
    static func rate(_ i: Int) -> Double { Double(110 + (i &* 7_919) % 60) }

    /// Runs all measurements, each in new stores. The longest session is first, so that the peak of its memory is its
    /// own.
    package func run() async throws -> [BenchResult] {
        var rows = try await session()
        let locations = try await generatedRoute()
        rows += try await marathon(locations)
        for seconds in bounds.lengths {
            rows += try await running(seconds, sources: 1)
            rows += try await running(seconds, sources: 2)
        }
        rows += try await notified()
        rows += try await search()
        rows += try await routes(locations)
        return rows
    }

    /// Runs a body with the store of a new directory.
    func withStore<R>(_ name: String, _ body: (HKHealthStore) async throws -> R) async throws -> R {
        let path = "\(work)/\(name)"
        BenchFiles.removeTree(path)
        defer { BenchFiles.removeTree(path) }
        let store = HKHealthStore(directory: path)
        defer { store.close() }
        return try await body(store)
    }

    func row(
        _ id: String, _ set: String, _ mode: String, _ watch: Stopwatch, _ samples: Int, _ what: String
    ) -> BenchResult {
        BenchResult(id: id, set: set, mode: mode, watch: watch, samples: samples, hash: nil, what: what)
    }

    static func configuration(_ activity: HKWorkoutActivityType) -> HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = activity
        configuration.locationType = .outdoor
        return configuration
    }

    // MARK: - A saved workout

    /// Measures the end of a workout of many samples and locations, and the reading of its route.
    private func marathon(_ locations: [CLLocation]) async throws -> [BenchResult] {
        try await withStore("marathon") { store in
            var (finish, query, sequence) = (Stopwatch(), Stopwatch(), Stopwatch())
            for run in 0..<max(1, bounds.runs) {
                let builder = try await filled(store, locations, day: run)
                let workout = try await finish.measureAwaited { try await builder.finishWorkout() }
                guard let workout else { throw BenchError("no workout was saved") }
                let statistics = workout.statistics(for: Self.heartRate)
                let most = statistics?.maximumQuantity()?.doubleValue(for: Self.perMinute)
                guard most == (0..<bounds.samples).map(Self.rate).max() else {
                    throw BenchError("the maximum of the workout is wrong")
                }
                let route = try await route(of: workout, store)
                let wanted = shifted(locations, day: run)
                for _ in 0..<3 {
                    let found = try await query.measureAwaited { try await Self.locations(of: route, store) }
                    guard Self.isSame(found, wanted) else { throw BenchError("the locations of the route differ") }
                    let count = try await sequence.measureAwaited {
                        var count = 0
                        for try await _ in HKWorkoutRouteQueryDescriptor(route).results(for: store) { count += 1 }
                        return count
                    }
                    guard count == wanted.count else { throw BenchError("\(count) locations were read") }
                }
            }
            let what = "\(bounds.samples) samples, \(locations.count) locations"
            return [
                row("finish", "marathon", "builder", finish, bounds.samples, "finishWorkout of \(what)"),
                row("route", "marathon", "query", query, locations.count, "the locations of the route, in batches"),
                row("route", "marathon", "sequence", sequence, locations.count, "the same, one by one"),
            ]
        }
    }

    /// Returns a builder with saved samples and a route, ready to be finished.
    private func filled(
        _ store: HKHealthStore, _ locations: [CLLocation], day: Int
    ) async throws -> HKWorkoutBuilder {
        let start = Self.date(Double(day) * Self.day)
        let builder = HKWorkoutBuilder(
            healthStore: store, configuration: Self.configuration(.running), device: .local())
        try await builder.beginCollection(at: start)
        let samples = (0..<bounds.samples).map { i in
            let date = start.addingTimeInterval(Double(i))
            return HKQuantitySample(
                type: Self.heartRate, quantity: HKQuantity(unit: Self.perMinute, doubleValue: Self.rate(i)),
                start: date, end: date)
        }
        try await builder.addSamples(samples)
        guard let route = builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder else {
            throw BenchError("the workout has no route builder")
        }
        try await route.insertRouteData(shifted(locations, day: day))
        let seconds = max(
            Double(bounds.samples), (locations.last?.timestamp ?? Self.begin).timeIntervalSince(Self.begin))
        try await builder.endCollection(at: start.addingTimeInterval(seconds + 1))
        return builder
    }

    /// Returns the locations of another day.
    func shifted(_ locations: [CLLocation], day: Int) -> [CLLocation] {
        locations.map { one in
            CLLocation(
                coordinate: one.coordinate, altitude: one.altitude, horizontalAccuracy: one.horizontalAccuracy,
                verticalAccuracy: one.verticalAccuracy, course: one.course, speed: one.speed,
                timestamp: one.timestamp.addingTimeInterval(Double(day) * Self.day))
        }
    }

    /// Returns the only route of a workout.
    func route(of workout: HKWorkout, _ store: HKHealthStore) async throws -> HKWorkoutRoute {
        let own = HKQuery.predicateForObjects(from: workout)
        let found = try await HKSampleQueryDescriptor(predicates: [.workoutRoute(own)], sortDescriptors: [])
            .result(for: store)
        guard found.count == 1, let route = found.first else { throw BenchError("\(found.count) routes were found") }
        return route
    }

    /// Returns the locations of a route, read in batches.
    static func locations(of route: HKWorkoutRoute, _ store: HKHealthStore) async throws -> [CLLocation] {
        try await withCheckedThrowingContinuation { waiting in
            let found = BenchBox<[CLLocation]>([])
            let query = HKWorkoutRouteQuery(route: route) { _, batch, done, error in
                if let error { return waiting.resume(throwing: error) }
                found.change { $0 += batch ?? [] }
                if done { waiting.resume(returning: found.value) }
            }
            store.execute(query)
        }
    }

    static func isSame(_ a: [CLLocation], _ b: [CLLocation]) -> Bool {
        a.count == b.count
            && zip(a, b).allSatisfy { one, other in
                one.coordinate.latitude == other.coordinate.latitude
                    && one.coordinate.longitude == other.coordinate.longitude && one.altitude == other.altitude
                    && one.course == other.course && one.speed == other.speed && one.timestamp == other.timestamp
            }
    }
}

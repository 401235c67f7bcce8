// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import FileSystem
import Foundation
import HealthModel
import HealthSync
import Kymograph
import KymographHealth
import Synchronization
import TestSupport
import Testing

/// A store that keeps some days, an archive that keeps everything, and the clock of both.
final class HistoryPair {
    static let day = 86_400.0
    static let rate = HKQuantityType(.heartRate)
    static let perMinute = HKUnit.count().unitDivided(by: .minute())

    /// The clock of the machine, which tests advance.
    final class Clock: Sendable {
        private let offset = Mutex<Int64>(0)
        func read() -> Int64 { SystemClock.wallNanoseconds() + offset.withLock { $0 } }
        func advance(days: Double) { offset.withLock { $0 += Int64(days * 86_400e9) } }
    }

    let clock = Clock()
    let directory: TemporaryDirectory
    var watch: HealthStore
    let archive: HealthStore
    /// The start of the current day in UTC.
    let today: Date
    /// Background checks are left out, so that the test decides when history is pruned.
    let options: StoreOptions

    init(keeps kept: KeptHistory = .days(7), deletionsKept: Duration = .seconds(365 * 86_400)) throws {
        directory = try TemporaryDirectory()
        var options = StoreOptions()
        options.wallClock = { [clock] in clock.read() }
        options.compacts = false
        options.deletionsKept = deletionsKept
        self.options = options
        archive = try HealthStore.openOrCreate(at: directory.file("archive"), mode: .shared, options: options)
        options.keepsHistory = kept
        watch = try HealthStore.openOrCreate(at: directory.file("watch"), mode: .shared, options: options)
        let seconds = clock.read() / 1_000_000_000
        today = Date(timeIntervalSince1970: Double(seconds - seconds % 86_400))
    }

    deinit {
        watch.close()
        archive.close()
    }

    /// Opens the small store again, with the default of the options for its history.
    func reopenWithoutLimit() throws {
        watch.close()
        watch = try HealthStore.open(at: directory.file("watch"), mode: .shared, options: options)
    }

    @discardableResult
    func sync(_ options: SyncOptions = SyncOptions()) throws -> SyncReport {
        try HealthStoreSync(watch, options: options).run(with: archive)
    }

    /// Returns a heart rate.
    ///
    /// - Parameters:
    ///   - days: the start, in days before the start of the current day; negative for later.
    ///   - length: the length in seconds.
    func sample(_ days: Double, _ value: Double = 60, length: Double = 0) -> HKQuantitySample {
        let start = today.addingTimeInterval(-days * Self.day)
        return HKQuantitySample(
            type: Self.rate, quantity: HKQuantity(unit: Self.perMinute, doubleValue: value), start: start,
            end: start.addingTimeInterval(length))
    }

    /// Saves a sample every hour of some days before the current one, and in the current day up to noon.
    func fill(days: Int) async throws {
        let samples: [HKQuantitySample] = (-12..<days * 24).map { hour in
            let value = 50 + (hour + 12) * 7 % 90
            return sample(Double(hour) / 24, Double(value))
        }
        try await SyncPair.save(samples, in: watch)
    }

    /// Saves a workout with a route, a quantity series and a blood pressure.
    func saveObjects(_ days: Double, in store: HealthStore) async throws {
        let (health, start) = (HKHealthStore(store), today.addingTimeInterval(-days * Self.day))
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        let workout = HKWorkoutBuilder(healthStore: health, configuration: configuration, device: nil)
        try await workout.beginCollection(at: start)
        try await workout.addSamples([sample(days, 140, length: 30)])
        try await workout.endCollection(at: start.addingTimeInterval(600))
        let saved = try #require(try await workout.finishWorkout())
        let route = HKWorkoutRouteBuilder(healthStore: health, device: nil)
        try await route.insertRouteData(
            (0..<20).map { i in
                CLLocation(
                    coordinate: CLLocationCoordinate2D(latitude: 47 + Double(i) / 1_000, longitude: 8), altitude: 400,
                    horizontalAccuracy: 5, verticalAccuracy: 5, timestamp: start.addingTimeInterval(Double(i)))
            })
        _ = try await route.finishRoute(with: saved, metadata: nil)
        let series = HKQuantitySeriesSampleBuilder(
            healthStore: health, quantityType: HKQuantityType(.runningPower), startDate: start, device: nil)
        try series.insert(
            values: (0..<20).map(Double.init), unit: .watt(),
            starts: (0..<20).map { start.addingTimeInterval(Double($0)) })
        _ = try await series.finishSeries(metadata: nil)
        func part(_ type: HKQuantityTypeIdentifier, _ value: Double) -> HKQuantitySample {
            HKQuantitySample(
                type: HKQuantityType(type), quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value),
                start: start, end: start)
        }
        try await health.save(
            HKCorrelation(
                type: SyncPair.pressure, start: start, end: start,
                objects: [part(.bloodPressureSystolic, 120), part(.bloodPressureDiastolic, 80)]))
    }

    static let objectTypes: [HKSampleType] = [
        HKWorkoutType.workoutType(), HKSeriesType.workoutRoute(), HKQuantityType(.runningPower), SyncPair.pressure,
        HKQuantityType(.bloodPressureSystolic), rate,
    ]

    /// The starts of the samples of a type, in days before the current one.
    func days(_ store: HealthStore, _ type: HKSampleType = rate) async throws -> [Double] {
        try store.refresh()
        let query = HKSampleQueryDescriptor(predicates: [.sample(type: type)])
        return try await query.result(for: HKHealthStore(store)).map {
            today.timeIntervalSince($0.startDate) / Self.day
        }.sorted()
    }

    /// The statistics of each day of the kept history, with all bits.
    func statistics(_ store: HealthStore, days: Int = 7) throws -> [String] {
        try store.refresh()
        let begin = Int64(today.timeIntervalSince1970) * 1_000_000_000 - Int64(days) * 86_400_000_000_000
        let snapshot = store.engine.snapshot()
        return try snapshot.allSeries(named: Self.rate.identifier).flatMap { series in
            try (0...days).map { day in
                let start = begin + Int64(day) * 86_400_000_000_000
                let range = TimeRange(start, start + 86_400_000_000_000)
                return "\(try snapshot.aggregate(of: series.id, over: range, computing: .all))"
            }
        }
    }
}

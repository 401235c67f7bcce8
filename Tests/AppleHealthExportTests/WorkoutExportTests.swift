// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import CoreLocation
import Foundation
import HealthModel
import TestSupport
import Testing

@testable import KymographHealth

@Suite("T-4 X-3 workouts are exported as they were imported or saved")
struct WorkoutExportTests {
    @Test("imported workouts are exported byte for byte, and import again as equal workouts")
    func imported() async throws {
        for path in ["Docs/Samples/sample-export.zip", "Docs/Samples/dogsheep_inline_locations_2019.xml"] {
            let (bench, other) = (try ImportBench(), try ImportBench())
            try bench.importFile(repositoryFile(path))
            let elements = try bench.objects().filter { $0.hasPrefix("<Workout ") }
            let text = try bench.exported().text
            for element in elements { #expect(text.contains(element), "\(path)") }
            try other.importText(text)
            let (one, two) = (try await bench.workouts(), try await other.workouts())
            #expect(!one.isEmpty && one.count == elements.count)
            #expect(one.map(\.uuid) == two.map(\.uuid) && one.map(\.content) == two.map(\.content), "\(path)")
        }
    }

    private static let begin = Date(timeIntervalSinceReferenceDate: 700_000_000.25)

    private static func swim(_ place: Int) -> HKWorkoutEvent {
        SwimmingScore.event(
            from: begin.addingTimeInterval(Double(place) * 60),
            to: begin.addingTimeInterval(Double(place) * 60 + 47.123),
            strokes: 20 + Double(place), style: .freestyle)
    }

    /// Returns the properties that an export carries.
    private func properties(_ workout: HKWorkout) -> [String] {
        let content = workout.content
        let parts = content.activities.map { part in
            "\(part.uuid) \(part.configuration) \(part.start) \(String(describing: part.end)) "
                + "\(part.duration(content.events)) \(part.statistics.sorted { $0.key < $1.key }) "
                + "\((part.metadata ?? [:]).sorted { $0.key < $1.key })"
        }
        let events = content.events.map { "\($0) \(($0.values ?? [:]).sorted { $0.key < $1.key })" }
        return parts + events + [
            "\(content.activity) \(content.duration) \(content.statistics.sorted { $0.key < $1.key })",
            "\(content.totals)", "\(workout.startDate) \(workout.endDate)",
            "\((workout.header.metadata ?? [:]).sorted { $0.key < $1.key })", workout.sourceRevision.source.name,
            "\(String(describing: workout.device))",
        ]
    }

    private func statistic(_ unit: HKUnit, sum: Double) -> WorkoutStatistic {
        WorkoutStatistic(sum: HKQuantity(unit: unit, doubleValue: sum))
    }

    /// Returns a mixed workout with two parts, laps, a pause, statistics and metadata.
    private func triathlon() -> HKWorkout {
        let (start, end) = (Self.begin, Self.begin.addingTimeInterval(3_600.5))
        let middle = start.addingTimeInterval(1_800)
        var rate = WorkoutStatistic(unit: HKUnit(from: "count/min"))
        (rate.average, rate.minimum, rate.maximum) = (123.456, 80, 171)
        let swum = ["HKQuantityTypeIdentifierDistanceSwimming": statistic(.meter(), sum: 1_500.5)]
        let ridden = ["HKQuantityTypeIdentifierDistanceCycling": statistic(.meterUnit(with: .kilo), sum: 20.1)]
        let all = swum.merging(ridden) { $1 }.merging(["HKQuantityTypeIdentifierHeartRate": rate]) { $1 }
        let pool: HealthMetadataValues = [
            HKMetadataKeySwimmingLocationType: .integer(1),
            HKMetadataKeyLapLength: .quantity(HKQuantity(unit: .meter(), doubleValue: 25)),
        ]
        let content = WorkoutContent(
            activity: .swimBikeRun, duration: 3_540.123_456_789,
            events: [Self.swim(0), Self.swim(1), Self.swim(2)] + [
                HKWorkoutEvent(.pause, start: middle, end: middle),
                HKWorkoutEvent(.resume, start: middle.addingTimeInterval(60), end: middle.addingTimeInterval(60)),
            ],
            activities: [
                WorkoutActivity(
                    uuid: UUID(), configuration: WorkoutConfiguration(.swimming, metadata: pool), start: start,
                    end: middle, metadata: pool, statistics: swum),
                WorkoutActivity(
                    uuid: UUID(), configuration: WorkoutConfiguration(.cycling), start: middle, end: end,
                    statistics: ridden, statedDuration: 1_740.5),
            ],
            statistics: all, totals: WorkoutTotals(all, of: .swimBikeRun))
        return HKWorkout(
            header: ObjectHeader(
                uuid: UUID(), sourceRevision: HKSourceRevision.thisProgram,
                device: HKDevice(
                    name: "Watch, \"8\"", manufacturer: nil, model: "<W>", hardwareVersion: nil, firmwareVersion: nil,
                    softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil),
                metadata: ["note": .string("a & b"), HKMetadataKeyTimeZone: .string("Europe/Zurich")]),
            start: start, end: end, content: content)
    }

    @Test("a saved workout is exported with all its parts, and imports as an equal workout")
    func saved() async throws {
        let (bench, other) = (try ImportBench(), try ImportBench())
        let workout = triathlon()
        let health = HKHealthStore(bench.store)
        try await health.save(workout)
        let builder = HKWorkoutRouteBuilder(healthStore: health, device: nil)
        let locations = (0..<3).map { place in
            CLLocation(
                coordinate: CLLocationCoordinate2D(latitude: 47.1 + Double(place) / 3, longitude: -8.25),
                altitude: 400.125, horizontalAccuracy: 3, verticalAccuracy: -1, course: 90.5, speed: 2.25,
                timestamp: Self.begin.addingTimeInterval(Double(place / 2)))
        }
        try await builder.insertRouteData(locations)
        try await builder.finishRoute(with: workout, metadata: ["lap": "2"])
        let (text, counts) = try bench.exported()
        #expect(counts.elements == 1)
        let outcome = try other.importText(text)
        #expect(outcome.objectsAdded == 1 && outcome.repaired == 0 && outcome.skipped == 0, "\(outcome.issues)")
        let found = try #require(try await other.workouts().first)
        #expect(properties(found) == properties(workout))
        let (before, after) = (try await bench.routes(), try await other.routes())
        #expect(before.count == 1 && after.count == 1)
        #expect(
            try bench.store.locations(of: before[0]).points == other.store.locations(of: after[0]).points)
        // The exported form is stable.
        #expect(try other.exported().text.contains("HKWorkoutActivityTypeSwimBikeRun"))
        #expect(try !other.importText(text).committed)
    }

    private func workout(
        _ activity: HKWorkoutActivityType, _ start: Date, _ end: Date, duration: Double, _ totals: WorkoutTotals
    ) -> HKWorkout {
        let statistics = totals.statistics(of: activity)
        let part = WorkoutActivity.whole(
            WorkoutConfiguration(activity), start: start, end: end, statistics: statistics)
        let content = WorkoutContent(
            activity: activity, duration: duration, activities: [part], statistics: statistics, totals: totals)
        return HKWorkout(
            header: ObjectHeader(
                uuid: UUID(), sourceRevision: HKSourceRevision.thisProgram, device: nil, metadata: nil),
            start: start, end: end, content: content)
    }

    @Test("a workout of totals only imports with the same totals, also in units of miles and for unknown sums")
    func totals() async throws {
        let (bench, other) = (try ImportBench(), try ImportBench())
        let end = Self.begin.addingTimeInterval(1_000.1)
        let plain = workout(
            .running, Self.begin, end, duration: 999.9,
            WorkoutTotals(
                energy: HKQuantity(unit: .kilocalorie(), doubleValue: 48.745),
                distance: HKQuantity(unit: .mile(), doubleValue: 0.1)))
        let mixed = workout(
            .swimBikeRun, end, end.addingTimeInterval(60), duration: 60,
            WorkoutTotals(distance: HKQuantity(unit: .meter(), doubleValue: 7)))
        try await HKHealthStore(bench.store).save([plain, mixed])
        try other.importText(try bench.exported().text)
        let found = try await other.workouts()
        #expect(found.map(\.content.totals) == [plain.content.totals, mixed.content.totals])
        #expect(found.map(\.duration) == [999.9, 60])
        #expect(found.map(\.content.statistics) == [plain.content.statistics, mixed.content.statistics])
    }

    @Test("the statistics of heart rates are exported per minute, as their records are")
    func heartRates() async throws {
        let (bench, other) = (try ImportBench(), try ImportBench())
        let perMinute = HKUnit(from: "count/min")
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        let builder = HKWorkoutBuilder(
            healthStore: HKHealthStore(bench.store), configuration: configuration, device: nil)
        try await builder.beginCollection(at: Self.begin)
        try await builder.addSamples(
            [120.0, 90].enumerated().map { place, value in
                let date = Self.begin.addingTimeInterval(Double(place) * 10)
                return HKQuantitySample(
                    type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: perMinute, doubleValue: value),
                    start: date, end: date)
            })
        try await builder.endCollection(at: Self.begin.addingTimeInterval(60))
        try await builder.finishWorkout()
        let text = try bench.exported().text
        let lines = text.split(separator: "\n").filter { $0.contains("<WorkoutStatistics") }
        #expect(!lines.isEmpty, "\(text)")
        for line in lines {
            #expect(line.contains(#"minimum="90" maximum="120""#) && line.contains(#"unit="count/min""#), "\(line)")
        }
        #expect(text.contains(#"<Record type="HKQuantityTypeIdentifierHeartRate""#))
        #expect(!text.contains("count/s"))
        try other.importText(text)
        let found = try #require(
            try await other.workouts().first?.content.statistics["HKQuantityTypeIdentifierHeartRate"])
        #expect(found.unit == perMinute && found.minimum == 90 && found.maximum == 120)
        #expect(try other.exported().text.contains(#"minimum="90" maximum="120""#))
    }
}

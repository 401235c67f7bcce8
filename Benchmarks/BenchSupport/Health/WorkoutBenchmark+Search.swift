// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

extension WorkoutBenchmark {
    /// One activity, as a row of SQLite.
    struct Activity: Sendable {
        let workout: Int
        let place: Int
        let average: Double
    }

    private static let parts = 10
    private static let seconds = 300.0

    /// Measures the search for activities with an average heart rate above 150, and the same in SQLite.
    func search() async throws -> [BenchResult] {
        let activities = Self.activities(bounds.workouts)
        let wanted = activities.filter { $0.average > 150 }
        var rows = try await withStore("search") { store in
            for workout in 0..<bounds.workouts {
                try await save(Array(activities[workout * Self.parts..<(workout + 1) * Self.parts]), store)
            }
            return try await found(store, wanted)
        }
        try BenchFiles.makeDirectory("\(work)/plain")
        defer { BenchFiles.removeTree("\(work)/plain") }
        let plain = try WorkoutSQLite(at: "\(work)/plain/activities.db")
        try plain.insert(activities)
        for isIndexed in [false, true] {
            var watch = Stopwatch()
            for _ in 0..<max(1, bounds.runs) * 20 {
                let found = try watch.measure { try plain.activities(above: 150, isIndexed: isIndexed) }
                guard found == wanted.count else { throw BenchError("SQLite found \(found) activities") }
            }
            rows.append(
                row(
                    "activities", "search", isIndexed ? "SQLite, index" : "SQLite", watch, activities.count,
                    "the rows of a table with a column for the average\(isIndexed ? ", with an index" : "")"))
        }
        let base = rows[rows.count - 2].medianSeconds
        for place in rows.indices where rows[place].medianSeconds > 0 {
            rows[place].ratio = base / rows[place].medianSeconds
            rows[place].ratioTo = "SQLite"
        }
        return rows
    }

    /// Returns activities, one in a thousand of them with an average above 150.
    private static func activities(_ workouts: Int) -> [Activity] {
        var random = BenchRandom(seed: 11)
        return (0..<workouts * parts).map { i in
            let isHard = i % 1_000 == 7
            return Activity(
                workout: i / parts, place: i % parts,
                average: Double(isHard ? 151 + random.below(25) : 95 + random.below(56)))
        }
    }

    private func save(_ activities: [Activity], _ store: HKHealthStore) async throws {
        let start = Self.date(Double(activities[0].workout) * Self.day / 4)
        let builder = HKWorkoutBuilder(healthStore: store, configuration: Self.configuration(.running), device: nil)
        try await builder.beginCollection(at: start)
        var samples: [HKSample] = []
        for activity in activities {
            let first = start.addingTimeInterval(Double(activity.place) * Self.seconds)
            let end = first.addingTimeInterval(Self.seconds)
            for second in [0.0, 100, 200] {
                let date = first.addingTimeInterval(second)
                let quantity = HKQuantity(unit: Self.perMinute, doubleValue: activity.average)
                samples.append(HKQuantitySample(type: Self.heartRate, quantity: quantity, start: date, end: date))
            }
            try await builder.addWorkoutActivity(
                HKWorkoutActivity(
                    workoutConfiguration: Self.configuration(.running), start: first, end: end, metadata: nil))
        }
        try await builder.addSamples(samples)
        try await builder.endCollection(at: start.addingTimeInterval(Double(Self.parts) * Self.seconds))
        try await builder.finishWorkout()
    }

    /// Measures the first query and later ones.
    private func found(_ store: HKHealthStore, _ wanted: [Activity]) async throws -> [BenchResult] {
        let limit = HKQuantity(unit: Self.perMinute, doubleValue: 150)
        let hard = HKQuery.predicateForWorkoutActivities(
            operatorType: .greaterThan, quantityType: Self.heartRate, averageQuantity: limit)
        let descriptor = HKSampleQueryDescriptor(
            predicates: [.workout(HKQuery.predicateForWorkouts(activityPredicate: hard))], sortDescriptors: [])
        var (first, warm) = (Stopwatch(), Stopwatch())
        for run in 0..<max(1, bounds.runs) * 20 + 1 {
            let start = DispatchTime.now()
            let workouts = try await descriptor.result(for: store)
            var count = 0
            for workout in workouts {
                for activity in workout.workoutActivities {
                    let average = activity.statistics(for: Self.heartRate)?.averageQuantity()
                    if (average?.doubleValue(for: Self.perMinute) ?? 0) > 150 { count += 1 }
                }
            }
            let taken = Int64(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds)
            if run == 0 { first.add(nanoseconds: taken) } else { warm.add(nanoseconds: taken) }
            guard count == wanted.count else { throw BenchError("\(count) activities were found, not \(wanted.count)") }
        }
        let all = bounds.workouts * Self.parts
        return [
            row("activities", "search", "first", first, all, "average heart rate above 150: the first query"),
            row("activities", "search", "warm", warm, all, "the same again: workouts as objects, their activities"),
        ]
    }
}

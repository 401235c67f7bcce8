// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel
import Testing

@testable import KymographHealth

/// A workout in the output of `Tests/Oracles/workouts.py`, or of a store in the same form.
struct PlainWorkout: Decodable, Equatable {
    struct Statistic: Decodable, Equatable {
        var sum: Double?
        var average: Double?
        var minimum: Double?
        var maximum: Double?
        var unit: String
    }

    struct Amount: Decodable, Equatable {
        var value: Double
        var unit: String

        init(value: Double, unit: String) {
            self.value = value
            self.unit = unit
        }

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            value = try list.decode(Double.self)
            unit = try list.decode(String.self)
        }
    }

    struct Event: Decodable, Equatable {
        var type: String
        var start: Int64
        /// In nanoseconds.
        var length: Int64

        init(type: String, start: Int64, length: Int64) {
            self.type = type
            self.start = start
            self.length = length
        }

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            type = try list.decode(String.self)
            start = try list.decode(Int64.self)
            length = try list.decode(Int64.self)
        }
    }

    struct Activity: Decodable, Equatable {
        var uuid: String
        var start: Int64
        var end: Int64
        /// In nanoseconds.
        var duration: Int64
        var statistics: [String: Statistic]
    }

    var activity: String
    var start: Int64
    var end: Int64
    /// In nanoseconds.
    var duration: Int64
    var source: String
    var energy: Amount?
    var distance: Amount?
    var statistics: [String: Statistic]
    var events: [Event]
    var activities: [Activity]
    var metadata: [String: String]
    /// For each point: nanoseconds, latitude, longitude, altitude, two accuracies, course, speed.
    var routes: [[[Double]]]

    /// Returns the workouts of an export as the independent script reads them.
    static func oracle(_ path: String) throws -> [PlainWorkout] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", repositoryFile("Tests/Oracles/workouts.py"), path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(path)")
        return try JSONDecoder().decode([PlainWorkout].self, from: data)
    }

    /// Compares the workouts of a store with the workouts that an independent script reads.
    static func compare(_ found: [PlainWorkout], _ truth: [PlainWorkout], _ path: String) {
        #expect(found.count == truth.count, "\(path)")
        for (one, truth) in zip(found, truth) {
            let place = Comment(rawValue: "\(path) \(truth.activity) \(truth.start)")
            #expect(one.activity == truth.activity && one.start == truth.start && one.end == truth.end, place)
            #expect(one.duration == truth.duration && one.source == truth.source, place)
            #expect(one.energy == truth.energy && one.distance == truth.distance, place)
            #expect(one.events == truth.events, place)
            #expect(Set(one.metadata.keys) == Set(truth.metadata.keys), place)
            for (type, statistic) in truth.statistics { #expect(one.statistics[type] == statistic, place) }
            // Totals of old elements give sums of types that the element does not state.
            let further = one.statistics.filter { truth.statistics[$0.key] == nil }
            #expect(further.count <= 2 && (truth.statistics.isEmpty || further.isEmpty || path.contains("grll")), place)
            if truth.activities.isEmpty {
                #expect(one.activities.count == 1 && one.activities[0].duration == truth.duration, place)
            } else {
                #expect(one.activities == truth.activities, place)
            }
            #expect(one.routes == truth.routes, place)
        }
    }
}

extension PlainWorkout {
    init(_ workout: HKWorkout, routes: [[[Double]]]) {
        func time(_ date: Date?) -> Int64 { date.flatMap { StoredTime.nanoseconds($0) } ?? 0 }
        func amount(_ quantity: HKQuantity?) -> Amount? {
            quantity.map { Amount(value: $0.value, unit: $0.unit.unitString) }
        }
        func plain(_ all: WorkoutStatistics) -> [String: Statistic] {
            all.mapValues {
                Statistic(
                    sum: $0.sum, average: $0.average, minimum: $0.minimum, maximum: $0.maximum,
                    unit: $0.unit.unitString)
            }
        }
        let content = workout.content
        activity = content.unknownActivity ?? content.activity.name
        start = time(workout.startDate)
        end = time(workout.endDate)
        duration = Int64((workout.duration * 1e9).rounded())
        source = workout.sourceRevision.source.name
        energy = amount(content.totals.energy)
        distance = amount(content.totals.distance)
        statistics = plain(content.statistics)
        events = content.events.map {
            Event(type: $0.type.name, start: time($0.start), length: time($0.end) - time($0.start))
        }
        activities = content.activities.map {
            Activity(
                uuid: $0.uuid.uuidString.replacing("-", with: ""), start: time($0.start), end: time($0.end),
                duration: Int64(($0.duration(content.events) * 1e9).rounded()), statistics: plain($0.statistics))
        }
        metadata = (workout.header.metadata ?? [:]).mapValues(\.exportText)
        self.routes = routes
    }
}

extension ImportBench {
    /// Returns the workouts of the store, by start.
    func workouts() async throws -> [HKWorkout] {
        let query = HKSampleQueryDescriptor(
            predicates: [.workout()], sortDescriptors: [SortDescriptor(\.startDate)])
        return try await query.result(for: HKHealthStore(store))
    }

    /// Returns the routes of the store, by start.
    func routes() async throws -> [HKWorkoutRoute] {
        let query = HKSampleQueryDescriptor(
            predicates: [.workoutRoute()], sortDescriptors: [SortDescriptor(\.startDate)])
        return try await query.result(for: HKHealthStore(store))
    }

    /// Returns the workouts of the store in the form of the oracle.
    func plainWorkouts() async throws -> [PlainWorkout] {
        let routes = try await routes()
        return try await workouts().map { workout in
            let rows = try store.catalog([SavedObjectRow]()) { try RouteRecord.routes(of: [workout.uuid], $0) }
            let own = Set(rows.map { SampleIdentity($0.uuid).uuid })
            let points = try routes.filter { own.contains($0.uuid) }.map { try store.locations(of: $0).points }
            return PlainWorkout(workout, routes: points)
        }
    }
}

extension RouteLocations {
    /// The points as lists of numbers.
    var points: [[Double]] {
        let columns: [RouteColumn] = [
            .latitude, .longitude, .altitude, .horizontalAccuracy, .verticalAccuracy, .course, .speed,
        ]
        return times.enumerated().map { place, time in
            [Double(time)] + columns.map { values($0)?[place] ?? $0.missing }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

/// Reads the workouts of a worker's store and its session, and compares statistics, durations and activities with a
/// naive computation.
struct WorkoutReader {
    private let health: HKHealthStore
    private let types: [HKQuantityType]
    /// The contents of the saved workouts, which no longer change.
    private var finished: [UUID: RecordedContent] = [:]

    /// A type that no sensor delivers.
    static let flights = HKQuantityType(.flightsClimbed)
    /// The number of seconds and of events at the end that are reported one by one: more than one action can have.
    private static let recents = 12

    init(_ health: HKHealthStore) {
        self.health = health
        let delivered = WorkoutSimulator(SimulatedWearer(seed: 1), pace: .manual).quantityTypes
        types = delivered.union([Self.flights]).sorted { $0.identifier < $1.identifier }
    }

    private func samples(_ predicate: NSPredicate? = nil) async throws -> [HKQuantitySample] {
        let query = HKSampleQueryDescriptor(
            predicates: types.map { HKSamplePredicate<HKSample>.sample(type: $0, predicate: predicate) })
        return try await query.result(for: health).compactMap { $0 as? HKQuantitySample }
    }

    /// Returns the content of the saved workouts and of a session, after all checks.
    mutating func content(of session: HKWorkoutSession?) async throws -> RecordedContent {
        if session == nil { try await readWorkouts() }
        var content = finished.values.reduce(RecordedContent(), +)
        guard let builder = session?.associatedWorkoutBuilder(), let start = builder.startDate else { return content }
        // All samples since its start are those of the workout in progress.
        let own = try await samples(HKQuery.predicateForSamples(withStart: start, end: nil, options: .strictStartDate))
        try check(own, "a session") { builder.statistics(for: $0) }
        content.samples = content.samples + RecordedTotal(own.map(RecordedContent.text))
        content.events = content.events + RecordedTotal(builder.workoutEvents.map(RecordedContent.text))
        content.activities = content.activities + total(builder.workoutActivities)
        content.locations += (builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)?.count ?? 0
        return content
    }

    /// Returns the content of a recovered store, and checks that each of its samples is in one workout.
    mutating func wholeContent(of session: HKWorkoutSession?) async throws -> RecordedContent {
        try await readWorkouts()
        let content = try await content(of: session)
        let stored = RecordedTotal(try await samples().map(RecordedContent.text))
        guard stored == content.samples else {
            throw CampaignError("\(stored.count) samples are stored, workouts have \(content.samples.count)")
        }
        return content
    }

    private mutating func readWorkouts() async throws {
        for workout in try await HKSampleQueryDescriptor(predicates: [.workout()]).result(for: health)
        where finished[workout.uuid] == nil {
            var content = RecordedContent()
            content.workouts = 1
            let members = HKQuery.predicateForObjects(from: workout)
            let own = try await samples(members)
            try check(own, "a workout") { workout.statistics(for: $0) }
            let events = workout.workoutEvents ?? []
            try check(workout, events)
            content.samples = RecordedTotal(own.map(RecordedContent.text))
            content.events = RecordedTotal(events.map(RecordedContent.text))
            content.activities = total(workout.workoutActivities)
            for route in try await HKSampleQueryDescriptor(predicates: [.workoutRoute(members)]).result(for: health) {
                content.locations += route.count
            }
            finished[workout.uuid] = content
        }
    }

    private func total(_ activities: [HKWorkoutActivity]) -> RecordedTotal {
        // Without an explicit activity, the whole workout is one.
        RecordedTotal(
            activities.filter { $0.workoutConfiguration.activityType != .swimBikeRun }.map {
                RecordedContent.text($0.workoutConfiguration.activityType, $0.startDate)
            })
    }

    /// Returns the line of the last seconds of the sensors and of the last events of a session, each with its total.
    func recent(_ session: HKWorkoutSession?) async throws -> String {
        guard let builder = session?.associatedWorkoutBuilder(), let start = builder.startDate else { return "recent" }
        var seconds: [Int: RecordedTotal] = [:]
        let own = try await samples(HKQuery.predicateForSamples(withStart: start, end: nil, options: .strictStartDate))
        for one in own where one.quantityType != Self.flights {
            // A measurement is dated by the start of its second, an amount ends with its second.
            let isMeasurement = one.endDate == one.startDate
            let second = Int(one.endDate.timeIntervalSince1970) - (isMeasurement ? 0 : 1)
            seconds[second, default: RecordedTotal()].add(RecordedContent.text(one))
        }
        let events = builder.workoutEvents.sorted { $0.dateInterval.end < $1.dateInterval.end }
        let texts =
            seconds.keys.sorted().suffix(Self.recents).map { "s:\($0):\((seconds[$0] ?? RecordedTotal()).text)" }
            + events.suffix(Self.recents).map {
                "e:\($0.dateInterval.end.timeIntervalSince1970):\(RecordedTotal([RecordedContent.text($0)]).text)"
            }
        return (["recent"] + texts).joined(separator: " ")
    }

    /// Compares sums, extremes and the numbers of samples of a workout.
    private func check(
        _ samples: [HKQuantitySample], _ what: String, _ statistics: (HKQuantityType) -> HKStatistics?
    ) throws {
        var byType: [HKQuantityType: [Double]] = [:]
        for one in samples { byType[one.quantityType, default: []].append(one.quantity.value) }
        for type in types {
            let values = byType[type] ?? []
            let found = statistics(type)
            guard let first = samples.first(where: { $0.quantityType == type }) else {
                if found != nil { throw CampaignError("\(what) has statistics of \(type) without samples") }
                continue
            }
            let unit = first.quantity.unit
            if type.aggregationStyle == .cumulative {
                let (sum, wanted) = (found?.sumQuantity()?.doubleValue(for: unit) ?? .nan, values.reduce(0, +))
                guard abs(sum - wanted) <= 1e-9 * max(1, wanted) else {
                    throw CampaignError("\(what) has a sum of \(sum) of \(type), its samples \(wanted)")
                }
            } else {
                let least = found?.minimumQuantity()?.doubleValue(for: unit) ?? .nan
                let greatest = found?.maximumQuantity()?.doubleValue(for: unit) ?? .nan
                guard abs(least - (values.min() ?? 0)) < 1e-6, abs(greatest - (values.max() ?? 0)) < 1e-6 else {
                    throw CampaignError("\(what) has other extremes of \(type) than its samples")
                }
            }
        }
        // One delivery has one sample of each of these types, so a delivery is stored completely or not at all.
        let counts = [.heartRate, .basalEnergyBurned, .activeEnergyBurned].map { byType[HKQuantityType($0)]?.count }
        guard Set(counts).count == 1 else { throw CampaignError("\(what) has a part of a delivery: \(counts)") }
    }

    /// Compares the duration with the events, and the ends of the activities with the next starts.
    private func check(_ workout: HKWorkout, _ events: [HKWorkoutEvent]) throws {
        var (paused, since) = (0.0, Date?.none)
        for event in events.sorted(by: { $0.dateInterval.start < $1.dateInterval.start }) {
            if event.type == .pause, since == nil { since = event.dateInterval.start }
            if event.type == .resume, let begin = since {
                paused += event.dateInterval.start.timeIntervalSince(begin)
                since = nil
            }
        }
        if let since { paused += workout.endDate.timeIntervalSince(since) }
        let wanted = workout.endDate.timeIntervalSince(workout.startDate) - paused
        guard abs(workout.duration - wanted) < 1e-3 else {
            throw CampaignError("a workout lasts \(workout.duration) seconds, by its events \(wanted)")
        }
        let activities = workout.workoutActivities
        for (one, next) in zip(activities, activities.dropFirst()) where one.endDate != next.startDate {
            throw CampaignError("an activity does not end at the start of the next one")
        }
    }
}

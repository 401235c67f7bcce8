// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthModel
import KymographHealth
import TestSupport

/// A program that records a workout until it is killed, reports each action before and after, and recovers the workout
/// of its predecessor.
struct WorkoutWorker {
    private static let steps = HKQuantityType(.stepCount)
    /// The start of every workout; samples are dated by their number.
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)

    private let health: HKHealthStore
    private var random: SeededGenerator
    private var next: Int

    /// - Parameter run: the number of the program, unique for a store.
    init(_ path: String, run: UInt64) {
        // Before the first use of the program's name.
        ProcessInfo.processInfo.processName = "recorder"
        health = HKHealthStore(directory: path)
        random = SeededGenerator(seed: run)
        next = Int(run) * 100_000
    }

    /// Works until the parent closes the pipe.
    mutating func work(_ say: (String) -> Bool) async throws {
        var session = try await health.recoverActiveWorkoutSession()
        guard say(try await content(of: session)) else { return }
        while true {
            if session == nil {
                guard say("starting 0") else { return }
                session = try await begin()
                guard say("started 0") else { return }
            }
            guard let running = session else { return }
            for _ in 0...random.below(40) { if !(try await step(running, say)) { return } }
            guard say("finishing 0") else { return }
            try await finish(running)
            session = nil
            guard say("finished 0") else { return }
        }
    }

    private func begin() async throws -> HKWorkoutSession {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        let session = try HKWorkoutSession(healthStore: health, configuration: configuration)
        session.startActivity(with: Self.start)
        try await session.associatedWorkoutBuilder().beginCollection(at: Self.start)
        return session
    }

    private mutating func step(_ session: HKWorkoutSession, _ say: (String) -> Bool) async throws -> Bool {
        next += 1
        let builder = session.associatedWorkoutBuilder()
        // Killed between the start of the session and that of the collection.
        if builder.startDate == nil { try await builder.beginCollection(at: Self.start) }
        let date = Self.start.addingTimeInterval(Double(next))
        if random.chance(0.2) {
            guard say("marking 1") else { return false }
            try await builder.addWorkoutEvents([
                HKWorkoutEvent(type: .marker, dateInterval: DateInterval(start: date, duration: 0), metadata: nil)
            ])
            return say("marked 1")
        }
        let count = 1 + random.below(6)
        if random.chance(0.3) {
            guard let route = builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder else {
                throw CampaignError("a workout has no route builder")
            }
            guard say("locating \(count)") else { return false }
            try await route.insertRouteData(
                (0..<count).map { place in
                    CLLocation(
                        coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 11), altitude: Double(place),
                        horizontalAccuracy: 1, verticalAccuracy: 1, timestamp: date)
                })
            return say("located \(count)")
        }
        guard say("adding \(count)") else { return false }
        try await builder.addSamples(
            (0..<count).map { place in
                let begin = date.addingTimeInterval(Double(place) / 10)
                return HKQuantitySample(
                    type: Self.steps, quantity: HKQuantity(unit: .count(), doubleValue: 1), start: begin,
                    end: begin.addingTimeInterval(0.1))
            })
        return say("added \(count)")
    }

    private func finish(_ session: HKWorkoutSession) async throws {
        let builder = session.associatedWorkoutBuilder()
        session.end()
        if builder.startDate == nil {
            builder.discardWorkout()
            return
        }
        if builder.endDate == nil { try await builder.endCollection(at: Self.start.addingTimeInterval(1e8)) }
        try await builder.finishWorkout()
    }

    /// Returns the number of samples and events of all workouts, and of the recovered one, and checks them against the
    /// samples of the store.
    private func content(of session: HKWorkoutSession?) async throws -> String {
        var (steps, events, locations) = (0, 0, 0)
        for workout in try await HKSampleQueryDescriptor(predicates: [.workout()]).result(for: health) {
            let sum = workout.statistics(for: Self.steps)?.sumQuantity()?.doubleValue(for: .count()) ?? 0
            let members = HKSampleQueryDescriptor(
                predicates: [
                    .quantitySample(type: Self.steps, predicate: HKQuery.predicateForObjects(from: workout))
                ])
            let found = try await members.result(for: health).count
            guard Int(sum) == found else {
                throw CampaignError("a workout has \(found) samples, and a sum of \(sum)")
            }
            steps += found
            events += workout.workoutEvents?.count ?? 0
        }
        if let builder = session?.associatedWorkoutBuilder() {
            steps += Int(builder.statistics(for: Self.steps)?.sumQuantity()?.doubleValue(for: .count()) ?? 0)
            events += builder.workoutEvents.count
            locations += (builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)?.count ?? 0
        }
        for route in try await HKSampleQueryDescriptor(predicates: [.workoutRoute()]).result(for: health) {
            locations += route.count
        }
        let all = HKSampleQueryDescriptor(predicates: [.quantitySample(type: Self.steps)])
        let stored = try await all.result(for: health).count
        return "holds \(steps) \(events) \(stored) \(locations)"
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthModel
import Kymograph
import KymographHealth
import TestSupport

/// A workout with saved samples of steps, and a route of one location a second.
struct HealthWorkout: Sendable {
    var start: Int
    var steps: [HKQuantitySample]
    var places: Int
    var sync: HealthSync?
    /// Whether a session makes the workout. Otherwise a builder does.
    var isBySession: Bool

    /// Creates a random workout.
    ///
    /// - Parameter there: the saved samples, of which some become the samples of the workout.
    init(start: Int, among there: [HKSample], _ random: inout SeededGenerator) {
        self.start = start
        steps = []
        for case let one as HKQuantitySample in there
        where one.sampleType == HealthScript.steps && one.startDate >= HealthScript.date(start) && steps.count < 20 {
            steps.append(one)
        }
        // A version has a route of its own, which replaces that of the older version.
        sync = random.chance(0.4) ? HealthSync(name: "w\(random.below(2))", version: random.below(4)) : nil
        places = sync == nil && random.chance(0.3) ? 0 : 1 + random.below(200)
        isBySession = random.chance(0.5)
    }

    private static var configuration: HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        return configuration
    }

    /// Makes the workout. What is visible to queries changes with the last call.
    func perform(_ door: HKHealthStore) async throws {
        if !isBySession {
            let builder = HKWorkoutBuilder(healthStore: door, configuration: Self.configuration, device: nil)
            try await builder.beginCollection(at: HealthScript.date(start))
            try await fill(builder)
            try await builder.endCollection(at: HealthScript.date(start + 60))
            try await builder.finishWorkout()
            return
        }
        try await Self.discardUnfinished(door)
        let session = try HKWorkoutSession(healthStore: door, configuration: Self.configuration)
        do {
            try await record(session)
        } catch {
            // A program ends a session that it cannot save, before it starts another one.
            await Self.discard(session)
            throw error
        }
    }

    private func record(_ session: HKWorkoutSession) async throws {
        let builder = session.associatedWorkoutBuilder()
        session.startActivity(with: HealthScript.date(start))
        try await builder.beginCollection(at: HealthScript.date(start))
        try await fill(builder)
        session.end()
        try await builder.endCollection(at: Date())
        try await builder.finishWorkout()
    }

    /// Discards the session that a failure or a crash left, if any. Returns whether there was one.
    @discardableResult
    static func discardUnfinished(_ door: HKHealthStore) async throws -> Bool {
        guard let session = try await door.recoverActiveWorkoutSession() else { return false }
        await discard(session)
        return true
    }

    private static func discard(_ session: HKWorkoutSession) async {
        session.associatedWorkoutBuilder().discardWorkout()
        session.end()
        for _ in 0..<1_000 where session.state != .ended { try? await Task.sleep(for: .milliseconds(2)) }
    }

    private func fill(_ builder: HKWorkoutBuilder) async throws {
        let begin = HealthScript.date(start)
        // The samples are saved, so that the workout is one commit.
        if !steps.isEmpty { try await builder.addSamples(steps) }
        let lap = DateInterval(start: begin.addingTimeInterval(10), duration: 20)
        try await builder.addWorkoutEvents([HKWorkoutEvent(type: .lap, dateInterval: lap, metadata: nil)])
        if let sync {
            try await builder.addMetadata([
                HKMetadataKeySyncIdentifier: sync.name, HKMetadataKeySyncVersion: sync.version,
            ])
        }
        if places > 0, let route = builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder {
            try await route.insertRouteData(
                (0..<places).map { number in
                    CLLocation(
                        coordinate: CLLocationCoordinate2D(latitude: 48 + Double(number) / 1e5, longitude: 11),
                        altitude: Double(number), horizontalAccuracy: 5, verticalAccuracy: 5,
                        timestamp: begin.addingTimeInterval(Double(number)))
                })
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthModel
import Kymograph
import KymographHealth
import TestSupport

/// A workout with saved samples of steps and heart rates, and a route of one location a second.
struct HealthWorkout: Sendable, Hashable {
    var start: Int
    var steps: [HKQuantitySample]
    /// Heart rates, for which the workout has zones.
    var rates: [HKQuantitySample]
    var places: Int
    var sync: HealthSync?
    /// Whether a session makes the workout. Otherwise a builder does.
    var isBySession: Bool
    var hasActivity: Bool
    var hasPause: Bool

    /// A call that makes a part of the workout.
    enum Step: Hashable, Sendable {
        case steps, rates, lap, activity, endOfActivity, sync, route, pause, resume
    }

    /// Creates a random workout.
    ///
    /// - Parameter there: the saved samples, of which some become the samples of the workout.
    init(start: Int, among there: [HKSample], _ random: inout SeededGenerator) {
        self.start = start
        (steps, rates) = ([], [])
        for case let one as HKQuantitySample in there where one.startDate >= HealthScript.date(start) {
            if one.sampleType == HealthScript.steps, steps.count < 20 { steps.append(one) }
            if one.sampleType == HealthScript.rate, rates.count < 10 { rates.append(one) }
        }
        // A version has a route of its own, which replaces that of the older version.
        sync = random.chance(0.4) ? HealthSync(name: "w\(random.below(2))", version: random.below(4)) : nil
        places = sync == nil && random.chance(0.3) ? 0 : 1 + random.below(200)
        isBySession = random.chance(0.5)
        hasActivity = random.chance(0.4)
        hasPause = random.chance(0.4)
        if random.chance(0.5) { rates = [] }
    }

    /// The calls between the beginning and the end of the collection.
    var parts: [Step] {
        var parts: [Step] = []
        // The samples are saved, so that the workout is one commit.
        if !steps.isEmpty { parts.append(.steps) }
        if !rates.isEmpty { parts.append(.rates) }
        parts.append(.lap)
        if hasActivity { parts += [.activity, .endOfActivity] }
        if sync != nil { parts.append(.sync) }
        if places > 0 { parts.append(.route) }
        if hasPause { parts += [.pause, .resume] }
        return parts
    }

    static func configuration() -> HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        return configuration
    }

    static func zones() throws -> HKWorkoutZoneConfiguration {
        let unit = HKUnit.count().unitDivided(by: .minute())
        return try HKWorkoutZoneConfiguration(
            quantityType: HealthScript.rate,
            zoneBoundaries: [90.0, 120, 150].map { HKQuantity(unit: unit, doubleValue: $0) })
    }

    /// Makes the workout. What is visible to queries changes with the last call.
    func perform(_ door: HKHealthStore) async throws {
        if !isBySession {
            let builder = HKWorkoutBuilder(healthStore: door, configuration: Self.configuration(), device: nil)
            try await begin(builder)
            for part in parts { try await perform(part, builder, nil) }
            try await builder.endCollection(at: HealthScript.date(start + 60))
            try await builder.finishWorkout()
            return
        }
        try await Self.discardUnfinished(door)
        let session = try HKWorkoutSession(healthStore: door, configuration: Self.configuration())
        do {
            let builder = session.associatedWorkoutBuilder()
            session.startActivity(with: HealthScript.date(start))
            try await begin(builder)
            for part in parts { try await perform(part, builder, session) }
            session.end()
            try await builder.endCollection(at: Date())
            try await builder.finishWorkout()
        } catch {
            // A program ends a session that it cannot save, before it starts another one.
            await Self.discard(session)
            throw error
        }
    }

    private func begin(_ builder: HKWorkoutBuilder) async throws {
        if !rates.isEmpty {
            try await builder.setCustomZoneConfiguration(Self.zones(), for: HealthScript.rate)
        }
        try await builder.beginCollection(at: HealthScript.date(start))
    }

    private func perform(_ part: Step, _ builder: HKWorkoutBuilder, _ session: HKWorkoutSession?) async throws {
        let begin = HealthScript.date(start)
        switch part {
        case .steps: try await builder.addSamples(steps)
        case .rates: try await builder.addSamples(rates)
        case .lap: try await builder.addWorkoutEvents([Self.event(.lap, begin.addingTimeInterval(10), lasting: 20)])
        case .activity:
            try await builder.addWorkoutActivity(
                HKWorkoutActivity(
                    workoutConfiguration: Self.configuration(), start: begin.addingTimeInterval(5), end: nil,
                    metadata: nil))
        case .endOfActivity:
            guard let one = builder.workoutActivities.first else { return }
            try await builder.updateActivity(uuid: one.uuid, end: begin.addingTimeInterval(40))
        case .sync:
            guard let sync else { return }
            try await builder.addMetadata([
                HKMetadataKeySyncIdentifier: sync.name, HKMetadataKeySyncVersion: sync.version,
            ])
        case .route:
            guard let route = builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder else { return }
            try await route.insertRouteData((0..<places).map { Self.location($0, begin) })
        case .pause:
            guard let session else {
                return try await builder.addWorkoutEvents([Self.event(.pause, begin.addingTimeInterval(40))])
            }
            session.pause()
            try await Self.wait(for: .paused, session)
        case .resume:
            guard let session else {
                return try await builder.addWorkoutEvents([Self.event(.resume, begin.addingTimeInterval(50))])
            }
            session.resume()
            try await Self.wait(for: .running, session)
        }
    }

    private static func event(
        _ type: HKWorkoutEventType, _ start: Date, lasting duration: TimeInterval = 0
    ) -> HKWorkoutEvent {
        HKWorkoutEvent(type: type, dateInterval: DateInterval(start: start, duration: duration), metadata: nil)
    }

    private static func location(_ number: Int, _ begin: Date) -> CLLocation {
        CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 48 + Double(number) / 1e5, longitude: 11),
            altitude: Double(number), horizontalAccuracy: 5, verticalAccuracy: 5,
            timestamp: begin.addingTimeInterval(Double(number)))
    }

    /// Waits for a state. A failure ends the session.
    private static func wait(for state: HKWorkoutSessionState, _ session: HKWorkoutSession) async throws {
        for _ in 0..<5_000 {
            if session.state == state { return }
            if session.state == .ended { break }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw CampaignError("a session is \(session.state), not \(state)")
    }
}

// MARK: - Recovery

extension HealthWorkout {
    /// Discards the session that a failure or a crash left, if any. Returns whether there was one.
    @discardableResult
    static func discardUnfinished(_ door: HKHealthStore) async throws -> Bool {
        guard let session = try await door.recoverActiveWorkoutSession() else { return false }
        await discard(session)
        return true
    }

    /// Continues the session that a crash left, if any, and saves its workout. Returns whether there was one.
    static func finishUnfinished(_ door: HKHealthStore) async throws -> Bool {
        guard let session = try await door.recoverActiveWorkoutSession() else { return false }
        let builder = session.associatedWorkoutBuilder()
        if builder.startDate == nil {
            guard let start = session.startDate else {
                await discard(session)
                return true
            }
            try await builder.beginCollection(at: start)
        }
        session.end()
        for _ in 0..<5_000 where session.state != .ended { try await Task.sleep(for: .milliseconds(1)) }
        if builder.endDate == nil { try await builder.endCollection(at: Date()) }
        try await builder.finishWorkout()
        return true
    }

    private static func discard(_ session: HKWorkoutSession) async {
        session.associatedWorkoutBuilder().discardWorkout()
        session.end()
        for _ in 0..<1_000 where session.state != .ended { try? await Task.sleep(for: .milliseconds(2)) }
    }

    /// The workout of a session that ended after some of its calls.
    func after(_ done: ArraySlice<Step>) -> HealthWorkout {
        var part = self
        if !done.contains(.steps) { part.steps = [] }
        if !done.contains(.rates) { part.rates = [] }
        if !done.contains(.sync) { part.sync = nil }
        if !done.contains(.route) { part.places = 0 }
        if !done.contains(.activity) { part.hasActivity = false }
        return part
    }

    /// The number of events after some of the calls.
    static func events(_ done: ArraySlice<Step>) -> Int { done.count { $0 == .lap || $0 == .pause || $0 == .resume } }

    /// The lines of the workout after each number of its calls.
    var linesOfParts: Set<String> {
        let all = parts
        return Set(
            (0...all.count).map { count in
                let done = all.prefix(count)
                return HealthLines.line(after(done), events: Self.events(done))
            })
    }
}

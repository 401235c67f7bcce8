// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthModel
import KymographHealth
import TestSupport

/// A program that records a triathlon with simulated sensors until it is killed, reports each action before and after,
/// and recovers the workout of its predecessor.
struct WorkoutWorker {
    /// The activities of a workout, in order; the last one repeats.
    private static let activities: [HKWorkoutActivityType] = [.swimming, .transition, .cycling, .transition, .running]
    /// The start of all times. Each program has its own range of seconds.
    private static let epoch = 1_700_000_000
    private static let secondsOfAProgram = 100_000

    private let health: HKHealthStore
    private var reader: WorkoutReader
    private var random: SeededGenerator
    private var sensors: WatchedSimulator
    /// The time of the last pause, resumption or activity: one of them a second keeps their order unambiguous.
    private var changed: Date?

    /// - Parameter run: the number of the program, unique for a store.
    init(_ path: String, run: UInt64) {
        // Before the first use of the program's name.
        ProcessInfo.processInfo.processName = "recorder"
        health = HKHealthStore(directory: path)
        reader = WorkoutReader(health)
        random = SeededGenerator(seed: run)
        let first = Self.epoch + Int(run) * Self.secondsOfAProgram
        sensors = WatchedSimulator(seed: run, start: Date(timeIntervalSince1970: Double(first)))
    }

    /// Works until the parent closes the pipe.
    mutating func work(_ say: (String) -> Bool) async throws {
        try health.attach(sensors)
        var session = try await health.recoverActiveWorkoutSession()
        if let session { try await resume(session) }
        guard say("holds \(try await reader.wholeContent(of: session).text)") else { return }
        guard say(try await reader.recent(session)) else { return }
        while true {
            if session == nil {
                let total = RecordedTotal([RecordedContent.text(.swimming, sensors.currentDate)])
                guard say("begin \(RecordedAction.begin(activity: total).text)") else { return }
                let new = try await begin()
                guard try await done(new, say) else { return }
                session = new
            }
            guard let running = session else { return }
            for _ in 0...random.below(60) where running.state != .ended {
                if !(try await step(running, say)) { return }
            }
            guard say("begin \(RecordedAction.finish.text)") else { return }
            try await finish(running)
            session = nil
            guard try await done(nil, say) else { return }
        }
    }

    /// Reports the content after an action.
    private mutating func done(_ session: HKWorkoutSession?, _ say: (String) -> Bool) async throws -> Bool {
        say("done \(try await reader.content(of: session).text)")
    }

    private static func configuration(_ activity: HKWorkoutActivityType) -> HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = activity
        configuration.locationType = activity == .swimming ? .indoor : .outdoor
        guard activity == .swimming else { return configuration }
        configuration.swimmingLocationType = .pool
        configuration.lapLength = HKQuantity(unit: .meter(), doubleValue: 25)
        return configuration
    }

    /// Sets the data source, which a program sets again after a recovery.
    private func collect(_ session: HKWorkoutSession) {
        session.associatedWorkoutBuilder().dataSource = HKLiveWorkoutDataSource(
            healthStore: health, workoutConfiguration: session.workoutConfiguration)
    }

    private mutating func begin() async throws -> HKWorkoutSession {
        let session = try HKWorkoutSession(
            healthStore: health, configuration: Self.configuration(.swimBikeRun))
        collect(session)
        let now = sensors.currentDate
        session.startActivity(with: now)
        session.beginNewActivity(configuration: Self.configuration(.swimming), date: now, metadata: nil)
        try await session.associatedWorkoutBuilder().beginCollection(at: now)
        try await sensors.wait(for: .running, .swimming)
        changed = now
        return session
    }

    /// Continues a recovered session. The kill may have been between the start of the session and its collection.
    private func resume(_ session: HKWorkoutSession) async throws {
        collect(session)
        if session.state == .ended { return }
        let builder = session.associatedWorkoutBuilder()
        if builder.startDate == nil { try await builder.beginCollection(at: sensors.currentDate) }
        try await sensors.wait(for: session.state)
    }

    private mutating func step(_ session: HKWorkoutSession, _ say: (String) -> Bool) async throws -> Bool {
        let builder = session.associatedWorkoutBuilder()
        let now = sensors.currentDate
        let second = Int(now.timeIntervalSince1970)
        let action: RecordedAction
        let perform: () async throws -> Void
        var kind = random.below(20)
        if 1...4 ~= kind {
            if changed == now { kind = 7 } else { changed = now }
        }
        switch kind {
        case 0:
            let marker = HKWorkoutEvent(
                type: .marker, dateInterval: DateInterval(start: now, duration: 0), metadata: nil)
            action = .event(RecordedTotal([RecordedContent.text(marker)]))
            perform = { try await builder.addWorkoutEvents([marker]) }
        case 1, 2:
            let isPause = session.state == .running
            let event = HKWorkoutEvent(
                type: isPause ? .pause : .resume, dateInterval: DateInterval(start: now, duration: 0), metadata: nil)
            action = .event(RecordedTotal([RecordedContent.text(event)]))
            perform = { [sensors] in
                if isPause { session.pause() } else { session.resume() }
                try await sensors.wait(for: isPause ? .paused : .running)
            }
        case 3, 4:
            let place = min(builder.workoutActivities.count, Self.activities.count - 1)
            let next = Self.activities[place]
            action = .activity(RecordedTotal([RecordedContent.text(next, now)]))
            let state = session.state
            perform = { [sensors] in
                session.beginNewActivity(configuration: Self.configuration(next), date: now, metadata: nil)
                for _ in 0..<30_000 where builder.workoutActivities.last?.startDate != now {
                    try await Task.sleep(for: .milliseconds(1))
                }
                try await sensors.wait(for: state, next)
            }
        case 5:
            let samples = (0...random.below(5)).map { place in
                HKQuantitySample(
                    type: WorkoutReader.flights, quantity: HKQuantity(unit: .count(), doubleValue: Double(place + 1)),
                    start: now, end: now)
            }
            action = .samples(RecordedTotal(samples.map(RecordedContent.text)))
            perform = { try await builder.addSamples(samples) }
        case 6:
            let locations = (0...random.below(5)).map { place in
                CLLocation(
                    coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 11), altitude: Double(place),
                    horizontalAccuracy: 1, verticalAccuracy: 1, timestamp: now)
            }
            action = .locations(locations.count)
            perform = {
                guard let route = builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder else {
                    throw CampaignError("a workout has no route builder")
                }
                try await route.insertRouteData(locations)
            }
        default:
            let seconds = 1 + random.below(4)
            action = .sensors(from: second, seconds: seconds)
            perform = { [sensors] in sensors.advance(seconds) }
        }
        guard say("begin \(action.text)") else { return false }
        try await perform()
        return try await done(session, say)
    }

    /// Saves the workout, and lets the sensors record the recovery of the heart.
    private mutating func finish(_ session: HKWorkoutSession) async throws {
        let builder = session.associatedWorkoutBuilder()
        session.end()
        for _ in 0..<30_000 where session.state != .ended { try await Task.sleep(for: .milliseconds(1)) }
        if builder.endDate == nil { try await builder.endCollection(at: sensors.currentDate) }
        try await builder.finishWorkout()
        sensors.advance(75)
        // The next session has sensors of its own.
        try health.detach(sensors)
        sensors = WatchedSimulator(seed: random.next(), start: sensors.currentDate)
        try health.attach(sensors)
    }
}

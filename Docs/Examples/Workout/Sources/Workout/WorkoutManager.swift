// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth

/// Records a workout, as an app for a watch does: only calls of HealthKit.
final class WorkoutManager: NSObject, HKWorkoutSessionDelegate, HKLiveWorkoutBuilderDelegate, Sendable {
    let health: HKHealthStore
    let session: HKWorkoutSession
    let builder: HKLiveWorkoutBuilder
    /// Receives each new state and each second of data.
    private let changes: AsyncStream<Change>.Continuation
    let stream: AsyncStream<Change>

    /// A change that the display shows.
    enum Change: Sendable {
        case state(HKWorkoutSessionState, Date)
        case data
        case failed(String)
    }

    static let heartRate = HKQuantityType(.heartRate)
    static let energy = HKQuantityType(.activeEnergyBurned)
    static let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())

    /// Continues a session that was recovered, or prepares a new one.
    private init(_ health: HKHealthStore, _ session: HKWorkoutSession) {
        self.health = health
        self.session = session
        builder = session.associatedWorkoutBuilder()
        (stream, changes) = AsyncStream.makeStream()
        super.init()
        session.delegate = self
        builder.delegate = self
        builder.dataSource = HKLiveWorkoutDataSource(
            healthStore: health, workoutConfiguration: session.workoutConfiguration)
    }

    /// Returns the workout that an earlier process left; nil if there is none. It is not started again.
    static func recovered(_ health: HKHealthStore) async throws -> WorkoutManager? {
        guard let session = try await health.recoverActiveWorkoutSession() else { return nil }
        let manager = WorkoutManager(health, session)
        // The process ended between the two calls that start a workout.
        if session.state == .notStarted { session.startActivity(with: manager.builder.startDate) }
        return manager
    }

    /// Starts a workout.
    static func started(
        _ health: HKHealthStore, _ configuration: HKWorkoutConfiguration, at start: Date
    ) async throws -> WorkoutManager {
        let session = try HKWorkoutSession(healthStore: health, configuration: configuration)
        let manager = WorkoutManager(health, session)
        // The collection begins first, so that it has the first second also if the sensors run faster than real time.
        try await manager.builder.beginCollection(at: start)
        session.startActivity(with: start)
        return manager
    }

    /// Pauses a running workout, and resumes a paused one.
    func pauseOrResume() {
        if session.state == .paused { session.resume() } else { session.pause() }
    }

    /// Ends the session, and saves the workout. Continues where an earlier process stopped.
    func finish() async throws -> HKWorkout? {
        if !isOver {
            session.stopActivity(with: nil)
            for await change in stream {
                if case .state(.stopped, _) = change { break }
                if case .failed(let reason) = change { throw Stopped(reason: reason) }
            }
        }
        if builder.endDate == nil { try await builder.endCollection(at: session.endDate ?? Date()) }
        let workout = try await builder.finishWorkout()
        session.end()
        return workout
    }

    /// Whether the activity has ended.
    var isOver: Bool { session.state == .stopped || session.state == .ended }

    /// Returns the display of the present second.
    var display: String {
        let rate = builder.statistics(for: Self.heartRate)?.mostRecentQuantity()?.doubleValue(for: Self.beatsPerMinute)
        let energy = builder.statistics(for: Self.energy)?.sumQuantity()?.doubleValue(for: .kilocalorie())
        return Self.line(builder.elapsedTime, rate, energy, distance)
    }

    /// The distance in metres; nil if no sensor measures it.
    private var distance: Double? {
        let types: [HKQuantityTypeIdentifier] = [.distanceWalkingRunning, .distanceCycling, .distanceSwimming]
        let sums = types.compactMap { builder.statistics(for: HKQuantityType($0))?.sumQuantity() }
        return sums.isEmpty ? nil : sums.reduce(0) { $0 + $1.doubleValue(for: .meter()) }
    }

    static func line(_ seconds: Double, _ rate: Double?, _ energy: Double?, _ metres: Double?) -> String {
        let time = Int(seconds)
        func text(_ value: Double?, _ digits: Int, _ unit: String) -> String {
            value.map { String(format: "%8.\(digits)f ", $0) + unit } ?? "       - " + unit
        }
        return String(format: "%02d:%02d:%02d", time / 3_600, time / 60 % 60, time % 60)
            + text(rate, 0, "bpm") + text(energy, 1, "kcal") + text(metres, 0, "m")
    }

    // MARK: - Delegates

    func workoutSession(
        _ workoutSession: HKWorkoutSession, didChangeTo toState: HKWorkoutSessionState,
        from fromState: HKWorkoutSessionState, date: Date
    ) { changes.yield(.state(toState, date)) }

    func workoutSession(_ workoutSession: HKWorkoutSession, didFailWithError error: any Error) {
        changes.yield(.failed("\(error)"))
    }

    func workoutBuilder(_ workoutBuilder: HKLiveWorkoutBuilder, didCollectDataOf collectedTypes: Set<HKSampleType>) {
        if collectedTypes.contains(Self.heartRate) { changes.yield(.data) }
    }

    func workoutBuilderDidCollectEvent(_ workoutBuilder: HKLiveWorkoutBuilder) {}
}

/// The error of a session that another program or the system ended.
struct Stopped: Error, CustomStringConvertible {
    let reason: String
    var description: String { "the session ended: \(reason)" }
}

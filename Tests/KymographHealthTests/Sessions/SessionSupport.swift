// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import FileSystem
import Foundation
import Kymograph
import Synchronization
import TestSupport

@testable import HealthModel
@testable import KymographHealth

/// A sensor that delivers what a test gives it, with a clock that the test sets.
final class ScriptedSource: SampleSource {
    private struct State {
        var receiver: SampleReceiver?
        var now = clock
        var updates: [HKWorkoutSessionState] = []
        var activities: [HKWorkoutActivityType] = []
        var isStopped = false
    }

    let quantityTypes: Set<HKQuantityType>
    private let state = Mutex(State())

    init(_ types: [HKQuantityTypeIdentifier]) { quantityTypes = Set(types.map { HKQuantityType($0) }) }

    var currentDate: Date { state.withLock { $0.now } }
    var isStarted: Bool { state.withLock { $0.receiver != nil } }
    var isStopped: Bool { state.withLock { $0.isStopped } }
    var updates: [HKWorkoutSessionState] { state.withLock { $0.updates } }
    var activities: [HKWorkoutActivityType] { state.withLock { $0.activities } }

    func start(_ receiver: SampleReceiver) { state.withLock { $0.receiver = receiver } }

    func update(_ new: HKWorkoutSessionState, _ activity: HKWorkoutConfiguration) {
        state.withLock { state in
            state.updates.append(new)
            state.activities.append(activity.activityType)
        }
    }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Sets the clock to seconds after `clock`.
    func set(_ seconds: Double) { state.withLock { $0.now = clock.addingTimeInterval(seconds) } }

    func deliver(_ samples: [HKQuantitySample]) { state.withLock { $0.receiver }?.deliver(samples) }
    func deliver(_ locations: [CLLocation]) { state.withLock { $0.receiver }?.deliver(locations) }
    func deliver(_ event: HKWorkoutEvent) { state.withLock { $0.receiver }?.deliver(event) }
}

/// Records the calls of session and builder, and waits for them.
final class SessionRecorder: NSObject, HKWorkoutSessionDelegate, HKLiveWorkoutBuilderDelegate, Sendable {
    private let state = Mutex<(calls: [String], types: Set<HKSampleType>)>(([], []))

    var calls: [String] { state.withLock { $0.calls } }
    var types: Set<HKSampleType> { state.withLock { $0.types } }

    private func note(_ text: String) { state.withLock { $0.calls.append(text) } }

    func workoutSession(
        _ workoutSession: HKWorkoutSession, didChangeTo toState: HKWorkoutSessionState,
        from fromState: HKWorkoutSessionState, date: Date
    ) { note("\(fromState) to \(toState) at \(date.timeIntervalSince(clock))") }

    func workoutSession(_ workoutSession: HKWorkoutSession, didFailWithError error: any Error) {
        note("failed \((error as? HKError)?.code.rawValue ?? -1)")
    }

    func workoutSession(_ workoutSession: HKWorkoutSession, didGenerate event: HKWorkoutEvent) {
        note("event \(event.type) at \(event.start.timeIntervalSince(clock))")
    }

    func workoutSession(
        _ workoutSession: HKWorkoutSession, didBeginActivityWith workoutConfiguration: HKWorkoutConfiguration,
        date: Date
    ) { note("began \(workoutConfiguration.activityType) at \(date.timeIntervalSince(clock))") }

    func workoutSession(
        _ workoutSession: HKWorkoutSession, didEndActivityWith workoutConfiguration: HKWorkoutConfiguration, date: Date
    ) { note("ended \(workoutConfiguration.activityType) at \(date.timeIntervalSince(clock))") }

    func workoutBuilder(_ workoutBuilder: HKLiveWorkoutBuilder, didCollectDataOf collectedTypes: Set<HKSampleType>) {
        state.withLock { $0.types.formUnion(collectedTypes) }
    }

    func workoutBuilderDidCollectEvent(_ workoutBuilder: HKLiveWorkoutBuilder) { note("builder event") }
    func workoutBuilder(_ workoutBuilder: HKLiveWorkoutBuilder, didBegin workoutActivity: HKWorkoutActivity) {
        note("builder began \(workoutActivity.workoutConfiguration.activityType)")
    }
    func workoutBuilder(_ workoutBuilder: HKLiveWorkoutBuilder, didEnd workoutActivity: HKWorkoutActivity) {
        note("builder ended \(workoutActivity.workoutConfiguration.activityType)")
    }
}

extension HKWorkoutSession {
    /// Waits for all commands and delegate calls so far.
    func settle() async {
        await withCheckedContinuation { waiting in
            core.commands.async { [core] in core.calls.async { waiting.resume() } }
        }
    }
}

extension TestDoor {
    /// A store whose writes fail soon as busy while another process writes, and that gives way to such a process soon.
    static func impatient() throws -> TestDoor {
        var options = StoreOptions()
        (options.writerWait, options.writerIdle) = (.milliseconds(20), .milliseconds(1))
        return try TestDoor(options)
    }

    /// Takes the writer's lock, as another process does while it writes. Until its release all writes fail as busy.
    func makeBusy() throws -> any DiskLock {
        let store = try health.store()
        while true {
            // The store is the writer for a moment after a commit.
            if let lock = try store.engine.disk.lock(store.path + "/LOCK", exclusive: true, byte: 0) { return lock }
            usleep(1_000)
        }
    }

    /// Ends a session like the end of its process, which releases its lock.
    func crash(_ session: HKWorkoutSession) {
        session.core.noteOver()
        ActiveSessions.remove(session.core.id)
    }
}

func place(at second: Double, altitude: Double = 500) -> CLLocation {
    CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 11 + second / 10_000), altitude: altitude,
        horizontalAccuracy: 1, verticalAccuracy: 1, timestamp: clock.addingTimeInterval(second))
}

func quantity(
    _ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: String, at start: Double, lasting length: Double = 0
) -> HKQuantitySample {
    let date = clock.addingTimeInterval(start)
    return HKQuantitySample(
        type: HKQuantityType(type), quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value), start: date,
        end: date.addingTimeInterval(length))
}

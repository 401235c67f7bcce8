// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import Synchronization

/// The simulated sensors of a worker, whose time the worker moves. It records what the session reports to its sensors,
/// so that the worker can wait until a call to the session has taken effect.
final class WatchedSimulator: SampleSource {
    private struct State {
        var isStarted = false
        var session = HKWorkoutSessionState.notStarted
        var activity = HKWorkoutActivityType.other
    }

    private let simulator: WorkoutSimulator
    private let state = Mutex(State())

    init(seed: UInt64, start: Date) {
        simulator = WorkoutSimulator(SimulatedWearer(seed: seed), pace: .manual, start: start)
    }

    var quantityTypes: Set<HKQuantityType> { simulator.quantityTypes }
    var currentDate: Date { simulator.currentDate }

    func start(_ receiver: SampleReceiver) {
        simulator.start(receiver)
        state.withLock { $0.isStarted = true }
    }

    func update(_ session: HKWorkoutSessionState, _ activity: HKWorkoutConfiguration) {
        simulator.update(session, activity)
        let type = activity.activityType
        state.withLock { ($0.session, $0.activity) = (session, type) }
    }

    func stop() { simulator.stop() }

    /// Delivers seconds; all their data is durable when this returns.
    func advance(_ seconds: Int) { simulator.advance(by: Double(seconds)) }

    /// Waits until the session has reported a state and, unless it is nil, an activity.
    func wait(for wanted: HKWorkoutSessionState, _ activity: HKWorkoutActivityType? = nil) async throws {
        for _ in 0..<30_000 {
            let isThere = state.withLock { state in
                state.isStarted && state.session == wanted && (activity == nil || state.activity == activity)
            }
            if isThere { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw CampaignError("a session did not reach the state \(wanted) within 30 seconds")
    }
}

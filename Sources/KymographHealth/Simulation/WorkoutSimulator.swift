// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// The sensors of a simulated wearer during a workout, for tests and demonstrations. The time is real time, faster, or
/// moved by the program.
///
/// ```swift
/// let simulator = WorkoutSimulator(SimulatedWearer(seed: 7), pace: .accelerated(by: 60))
/// try health.attach(simulator)
/// // ... a workout session, as with real sensors ...
/// ```
///
/// Each second of the workout is one delivery: a heart rate, energies, and the data of the running activity. These are
/// distance, speed, steps and metrics of running, power and cadence of cycling, strokes and laps of swimming, and a
/// position outdoors. The heart rate rises with the effort, and falls in a pause and after the end. The wearer moves
/// only while the session runs.
///
/// The same wearer, states and activities yield the same values on any machine. Identities of samples are new each
/// time. The data is not measured, and its shapes are common knowledge, not medicine.
public final class WorkoutSimulator: SampleSource {
    private struct State {
        var workout: SimulatedWorkout
        var session = HKWorkoutSessionState.notStarted
        var activity = WorkoutConfiguration()
    }

    private let driver: SourceDriver
    private let state: Mutex<State>

    /// Creates a simulator.
    ///
    /// - Parameters:
    ///   - wearer: determines the random numbers and the range of heart rates.
    ///   - pace: the speed of the time; real time by default.
    ///   - start: the date of the first second; ignored in real time. Nil is the time at which a session starts the
    ///     simulator, or for the pace `manual` the present time.
    public init(_ wearer: SimulatedWearer, pace: SourcePace = .realTime, start: Date? = nil) {
        driver = SourceDriver(pace, from: start)
        state = Mutex(State(workout: SimulatedWorkout(wearer)))
    }

    /// The types that the simulator can deliver.
    public var quantityTypes: Set<HKQuantityType> { SimulatedMotion.quantityTypes }

    /// The present time of the simulation.
    public var currentDate: Date { driver.currentDate }

    /// Starts the sensors.
    public func start(_ receiver: SampleReceiver) {
        state.withLock { $0.activity = receiver.configuration.value }
        driver.start { [weak self] second in self?.deliver(second, to: receiver) }
    }

    /// Follows the session: the wearer moves while it runs.
    public func update(_ state: HKWorkoutSessionState, _ activity: HKWorkoutConfiguration) {
        let value = activity.value
        self.state.withLock { current in
            current.session = state
            current.activity = value
        }
    }

    /// Ends the delivery.
    public func stop() { driver.stop() }

    /// Moves the time of a simulator with the pace ``SourcePace/manual``, and delivers each whole second before it
    /// returns. Has no effect with another pace.
    ///
    /// - Parameter seconds: a positive number, at most 86,400; larger numbers count as 86,400. A fraction of a second
    ///   is added to the next call.
    public func advance(by seconds: TimeInterval) { driver.advance(by: seconds) }

    private func deliver(_ second: SourceDriver.Second, to receiver: SampleReceiver) {
        let delivery = state.withLock { state in
            state.workout.next(from: second.start, to: second.end, state.session, state.activity)
        }
        receiver.deliver(delivery.samples)
        if let location = delivery.location { receiver.deliver([location]) }
        for event in delivery.events { receiver.deliver(event) }
    }
}

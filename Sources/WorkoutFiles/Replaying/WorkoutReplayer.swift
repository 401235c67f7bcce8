// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
public import KymographHealth
import Synchronization

/// Plays a workout file as if a watch recorded it now.
///
/// ```swift
/// let file = try WorkoutFile(contentsOf: "ride.fit")
/// let replayer = WorkoutReplayer(file, pace: .accelerated(by: 60))
/// try health.attach(replayer)
/// // ... a workout session with `file.configuration` ...
/// ```
///
/// The file plays while the session runs, and stops while the session is paused. Measurements become samples of the
/// types of the activity: heart rate, distance, speed, power, cadence, steps and strokes. The energy of an activity is
/// a total in the file and is spread evenly over its time. Positions become the route. Laps become events. Stops of the
/// device's timer become `motionPaused` and `motionResumed`.
public final class WorkoutReplayer: SampleSource {
    private struct State {
        var tape: ReplayTape
        var session = HKWorkoutSessionState.notStarted
    }

    private let driver: SourceDriver
    private let state: Mutex<State>
    /// The types of the file's measurements.
    public let quantityTypes: Set<HKQuantityType>

    /// Creates a player of a file.
    ///
    /// - Parameters:
    ///   - pace: the speed of the time; real time by default.
    ///   - start: the date of the first second; ignored in real time. Nil is the time at which a session starts the
    ///     player, or for the pace `manual` the present time. With the file's `startDate`, samples keep their dates.
    ///   - offset: the seconds at the start of the file that are left out, for a recovered session; at least 0.
    public init(
        _ file: WorkoutFile, pace: SourcePace = .realTime, start: Date? = nil, skipping offset: TimeInterval = 0
    ) {
        driver = SourceDriver(pace, from: start)
        quantityTypes = ReplayTypes.types(of: file)
        state = Mutex(State(tape: ReplayTape(file, skipping: offset)))
    }

    /// The present time of the replay.
    public var currentDate: Date { driver.currentDate }

    /// Whether the whole file was played.
    public var isFinished: Bool { state.withLock { $0.tape.isFinished } }

    /// The seconds of the file that are not played yet.
    public var remainingTime: TimeInterval { state.withLock { $0.tape.rest } }

    /// The activity of the file that is being played.
    public var currentPart: WorkoutFilePart { state.withLock { $0.tape.part } }

    /// Starts the clock. The file plays while the session runs.
    public func start(_ receiver: SampleReceiver) {
        driver.start { [weak self] second in self?.deliver(second, to: receiver) }
    }

    /// Follows the session. The file does not play before the start of the session and in pauses.
    public func update(_ state: HKWorkoutSessionState, _ activity: HKWorkoutConfiguration) {
        self.state.withLock { $0.session = state }
    }

    /// Ends the delivery.
    public func stop() { driver.stop() }

    /// Moves the time of a player with the pace `SourcePace.manual`, and delivers each whole second before it
    /// returns. Has no effect with another pace.
    ///
    /// - Parameter seconds: a positive number, at most 86,400; larger numbers count as 86,400. A fraction of a second
    ///   is added to the next call.
    public func advance(by seconds: TimeInterval) { driver.advance(by: seconds) }

    private func deliver(_ second: SourceDriver.Second, to receiver: SampleReceiver) {
        let delivery = state.withLock { state -> ReplayTape.Second in
            switch state.session {
            case .running, .stopped, .ended: return state.tape.play(from: second.start)
            case .notStarted, .prepared, .paused:
                state.tape.interrupt()
                return ReplayTape.Second()
            }
        }
        if !delivery.samples.isEmpty { receiver.deliver(delivery.samples) }
        if !delivery.locations.isEmpty { receiver.deliver(delivery.locations) }
        for event in delivery.events { receiver.deliver(event) }
    }
}

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
/// The file starts when the session runs, and stands still while the session is paused. Measurements become samples of
/// HealthKit's types for the activity of the file: heart rate, distance, speed, power, cadence, steps and strokes. The
/// energy of a part, which files state as a total, is spread evenly. Positions become the route. Laps become events,
/// and stops of the device's timer become pauses that the device detected.
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
    ///   - pace: real time by default.
    ///   - start: the date of the first second, for other paces than real time; nil for the time at which a session
    ///     starts the player (or for now, if the program moves the time). With the file's `startDate`, samples keep
    ///     their dates.
    ///   - offset: the seconds of the file that are left out at its start, for a session that is recovered.
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

    /// The seconds of the file that are left.
    public var remainingTime: TimeInterval { state.withLock { $0.tape.rest } }

    /// The part of the file that is being played.
    public var currentPart: WorkoutFilePart { state.withLock { $0.tape.part } }

    /// Starts the clock; the file starts when the session runs.
    public func start(_ receiver: SampleReceiver) {
        driver.start { [weak self] second in self?.deliver(second, to: receiver) }
    }

    /// Follows the session: the file stands still before its start and in pauses.
    public func update(_ state: HKWorkoutSessionState, _ activity: HKWorkoutConfiguration) {
        self.state.withLock { $0.session = state }
    }

    /// Ends the delivery.
    public func stop() { driver.stop() }

    /// Moves the time of a player with the pace ``SourcePace/manual``; each whole second is delivered before the call
    /// returns. Other players ignore it.
    ///
    /// - Parameter seconds: at most a day. A part of a second waits for the next call.
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

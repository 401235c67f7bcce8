// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import Foundation
import Synchronization

/// The speed of a source that plays a workout.
public enum SourcePace: Hashable, Sendable {
    /// A second of the workout takes a second.
    case realTime
    /// A second of the workout takes one second divided by the factor. A factor that is not in the range from above 0
    /// to 1,000,000 means real time. If saving takes longer, the workout is slower: no second is left out.
    case accelerated(by: Double)
    /// The program moves the time with `advance(by:)`.
    case manual

    /// The duration of one second of the workout; nil if the program moves the time.
    fileprivate var interval: Double? {
        switch self {
        case .realTime: 1
        case .accelerated(let factor): factor > 0 && factor <= 1_000_000 ? 1 / factor : 1
        case .manual: nil
        }
    }

    fileprivate var isRealTime: Bool { self == .realTime }
}

/// The clock of a source, which calls a function for each second of a workout.
package final class SourceDriver: Sendable {
    /// One second, from its start to its end.
    package typealias Second = (start: Date, end: Date)

    private struct State {
        /// The date of the first second; nil before the first start without a date.
        var origin: Date?
        /// The number of seconds that have passed since the origin.
        var seconds = 0
        /// The part of a second that manual calls have left over.
        var rest = 0.0
        /// The time at which the present run began, and its first second.
        var began = DispatchTime.now()
        var first = 0
        /// Changes at each start and stop, so that an outdated step does nothing.
        var generation = 0
        var step: (@Sendable (Second) -> Void)?

        func date(_ second: Int) -> Date { (origin ?? Date()).addingTimeInterval(Double(second)) }
    }

    private let pace: SourcePace
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "kymograph.source", qos: .userInitiated)

    /// The longest time of one manual call, in seconds.
    package static let longestAdvance = 86_400.0
    /// A real-time source that differs from the system's clock by more than this, in seconds, is set to that clock.
    private static let tolerance = 10.0

    /// Creates a clock.
    ///
    /// - Parameter start: the date of the first second; nil for the time at which the clock starts. Ignored in real
    ///   time.
    package init(_ pace: SourcePace, from start: Date?) {
        self.pace = pace
        state = Mutex(State(origin: pace.isRealTime ? nil : start ?? (pace == .manual ? Date() : nil)))
    }

    /// The present time of the source.
    package var currentDate: Date {
        pace.isRealTime ? Date() : state.withLock { $0.origin == nil ? Date() : $0.date($0.seconds) }
    }

    /// Starts to call a function for each second, until `stop`. A second call replaces the function.
    package func start(_ step: @escaping @Sendable (Second) -> Void) {
        let generation = state.withLock { state in
            state.generation += 1
            state.step = step
            state.began = .now()
            if pace.isRealTime || state.origin == nil {
                state.origin = Date()
                state.seconds = 0
            }
            state.first = state.seconds
            return state.generation
        }
        schedule(generation)
    }

    /// Ends the calls. A call in progress is completed.
    package func stop() {
        state.withLock { state in
            state.generation += 1
            state.step = nil
        }
    }

    /// Moves the time of a manual source, and calls the function for each whole second. Has no effect on other sources.
    package func advance(by seconds: TimeInterval) {
        guard pace == .manual, seconds > 0, seconds.isFinite else { return }
        queue.sync {
            state.withLock { $0.rest += min(seconds, Self.longestAdvance) }
            while let (step, second) = next(generation: nil) { step?(second) }
        }
    }

    private func schedule(_ generation: Int) {
        guard let interval = pace.interval else { return }
        let due = state.withLock { $0.began + Double($0.seconds - $0.first + 1) * interval }
        let step: @Sendable () -> Void = { [weak self] in
            guard let self, let (step, second) = next(generation: generation) else { return }
            step?(second)
            schedule(generation)
        }
        if due <= .now() { queue.async(execute: step) } else { queue.asyncAfter(deadline: due, execute: step) }
    }

    /// Moves to the next second. Returns the second that ended and the function; nil for an outdated step.
    ///
    /// - Parameter generation: the generation of the scheduled step; nil for a manual call.
    private func next(generation: Int?) -> (step: (@Sendable (Second) -> Void)?, second: Second)? {
        state.withLock { state in
            if let generation {
                if generation != state.generation { return nil }
            } else {
                guard state.rest >= 1 else { return nil }
                state.rest -= 1
            }
            state.seconds += 1
            if pace.isRealTime {
                // The machine slept, or its clock was set.
                let late = Date().timeIntervalSince(state.date(state.seconds))
                if abs(late) > Self.tolerance { state.origin = state.origin?.addingTimeInterval(late) }
            }
            return (state.step, (state.date(state.seconds - 1), state.date(state.seconds)))
        }
    }
}

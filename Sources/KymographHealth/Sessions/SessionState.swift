// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The state of a workout session. Raw values are HealthKit's.
public enum HKWorkoutSessionState: Int, Hashable, Sendable, CaseIterable {
    /// Before `prepare` and `startActivity`.
    case notStarted = 1
    /// The workout is running. Data is collected.
    case running = 2
    /// The session is over.
    case ended = 3
    /// The workout is paused. No data is collected.
    case paused = 4
    /// The sensors are ready. No data is collected.
    case prepared = 5
    /// The workout is over. The session can be ended.
    case stopped = 6

    /// Whether a session in this state excludes other sessions.
    var isActive: Bool {
        switch self {
        case .prepared, .running, .paused, .stopped: true
        case .notStarted, .ended: false
        }
    }
}

/// Whether a session collects data itself. Raw values are HealthKit's.
public enum HKWorkoutSessionType: Int, Hashable, Sendable, CaseIterable {
    /// The session collects data.
    case primary = 0
    /// The session shows a primary session of another process.
    case mirrored = 1
}

/// The state machine of a workout session, as a value.
struct SessionState: Sendable, Equatable {
    /// A call of the program, with the time at which it takes effect.
    enum Command: Sendable {
        case prepare(Date)
        case start(Date)
        case pause(Date)
        case resume(Date)
        case stop(Date)
        case end(Date)
        case fail(Date)
        case beginActivity(WorkoutActivity)
        case endActivity(Date)

        /// The name of the call; nil for a failure, which is no call.
        var name: String? {
            switch self {
            case .prepare: "prepare"
            case .start: "startActivity"
            case .pause: "pause"
            case .resume: "resume"
            case .stop: "stopActivity"
            case .end: "end"
            case .beginActivity: "beginNewActivity"
            case .endActivity: "endCurrentActivity"
            case .fail: nil
            }
        }
    }

    /// A consequence of a command, in order.
    enum Effect: Sendable, Equatable {
        case changed(to: HKWorkoutSessionState, from: HKWorkoutSessionState, date: Date)
        case event(HKWorkoutEvent)
        case began(WorkoutActivity)
        case ended(WorkoutActivity)
    }

    let configuration: WorkoutConfiguration
    private(set) var state = HKWorkoutSessionState.notStarted
    private(set) var start: Date?
    private(set) var end: Date?
    /// The running activity; nil if no explicit activity is running.
    private(set) var current: WorkoutActivity?
    /// The end of the last activity.
    private(set) var lastEnd: Date?

    init(_ configuration: WorkoutConfiguration) { self.configuration = configuration }

    /// Creates a state that was stored.
    init(
        _ configuration: WorkoutConfiguration, _ state: HKWorkoutSessionState, start: Date?, end: Date?,
        current: WorkoutActivity?, lastEnd: Date?
    ) {
        self.configuration = configuration
        self.state = state
        self.start = start
        self.end = end
        self.current = current
        self.lastEnd = lastEnd
    }

    /// The configuration of the running activity, or of the workout without a running activity.
    var activity: WorkoutConfiguration { current?.configuration ?? configuration }

    /// Applies a command and returns its effects. A command that is not allowed in the present state has no effects.
    mutating func apply(_ command: Command) -> [Effect] {
        switch command {
        case .prepare(let date): return state == .notStarted ? [move(to: .prepared, date)] : []
        case .start(let date):
            guard state == .notStarted || state == .prepared else { return [] }
            start = date
            return [move(to: .running, date)]
        case .pause(let date):
            guard state == .running else { return [] }
            return [move(to: .paused, date), .event(HKWorkoutEvent(.pause, start: date, end: date))]
        case .resume(let date):
            guard state == .paused else { return [] }
            return [move(to: .running, date), .event(HKWorkoutEvent(.resume, start: date, end: date))]
        case .stop(let date):
            guard state == .running || state == .paused, let start, date >= start else { return [] }
            return close(.stopped, date)
        case .end(let date), .fail(let date): return state == .ended ? [] : close(.ended, date)
        case .beginActivity(let activity): return begin(activity)
        case .endActivity(let date):
            guard state == .running || state == .paused, let current, date >= current.start else { return [] }
            return endCurrent(date)
        }
    }

    private mutating func move(to new: HKWorkoutSessionState, _ date: Date) -> Effect {
        defer { state = new }
        return .changed(to: new, from: state, date: date)
    }

    /// Ends the running activity and the workout, at the start of the activity at the earliest.
    private mutating func close(_ new: HKWorkoutSessionState, _ date: Date) -> [Effect] {
        var effects: [Effect] = []
        let date = max(date, current?.start ?? date)
        if current != nil { effects += endCurrent(date) }
        if start != nil, end == nil { end = max(date, start ?? date) }
        effects.append(move(to: new, date))
        return effects
    }

    private mutating func begin(_ activity: WorkoutActivity) -> [Effect] {
        guard state == .running || state == .paused, let start, activity.start >= start,
            activity.start >= current?.start ?? lastEnd ?? start, isFitting(activity.configuration)
        else { return [] }
        var effects = current == nil ? [] : endCurrent(activity.start)
        current = activity
        effects.append(.began(activity))
        return effects
    }

    /// Returns whether the workout can have an activity with a configuration.
    private func isFitting(_ part: WorkoutConfiguration) -> Bool {
        let kinds: Set<HKWorkoutActivityType> =
            configuration.activity == .swimBikeRun
            ? [.swimming, .cycling, .running, .transition] : [configuration.activity]
        return kinds.contains(part.activity) && (try? part.check()) != nil
    }

    private mutating func endCurrent(_ date: Date) -> [Effect] {
        guard var activity = current else { return [] }
        activity.end = date
        lastEnd = date
        current = nil
        return [.ended(activity)]
    }
}

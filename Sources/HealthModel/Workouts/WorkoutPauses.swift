// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The pauses of a workout, from its events.
///
/// A pause lasts from `pause` to the next `resume`, or from `motionPaused` to the next `motionResumed`. Without such an
/// event it lasts to the end of the workout. A `resume` without a pause has no effect. Pauses of both kinds may
/// overlap; their time counts once.
package struct WorkoutPauses: Sendable, Equatable {
    /// A range of time; the end is nil while the pause lasts.
    package struct Pause: Sendable, Equatable {
        package let start: Date
        package let end: Date?
    }

    /// The pauses in ascending order, disjoint; only the last can be open.
    package private(set) var pauses: [Pause] = []

    /// Creates the pauses of events in any order.
    ///
    /// - Complexity: O(n log n).
    package init(_ events: [HKWorkoutEvent]) {
        let changes = events.compactMap { event in Change(event.type).map { (date: event.start, change: $0) } }
            .sorted { $0.date < $1.date }
        var (person, system) = (false, false)
        var since: Date?
        var place = 0
        while place < changes.count {
            let date = changes[place].date
            // The order of events of one instant is unknown. A pause and a resume at that instant change nothing: an
            // empty pause, or the end of a pause and the start of the next one.
            var (byPerson, bySystem) = (0, 0)
            repeat {
                let change = changes[place].change
                if change.isOfSystem { bySystem += change.step } else { byPerson += change.step }
                place += 1
            } while place < changes.count && changes[place].date == date
            if byPerson != 0 { person = byPerson > 0 }
            if bySystem != 0 { system = bySystem > 0 }
            let isOpen = person || system
            if isOpen, since == nil { since = date }
            if !isOpen, let start = since {
                pauses.append(Pause(start: start, end: date))
                since = nil
            }
        }
        if let since { pauses.append(Pause(start: since, end: nil)) }
    }

    /// The effect of an event.
    private struct Change {
        /// 1 for a pause, -1 for a resume.
        let step: Int
        let isOfSystem: Bool

        init?(_ type: HKWorkoutEventType) {
            switch type {
            case .pause: (step, isOfSystem) = (1, false)
            case .resume: (step, isOfSystem) = (-1, false)
            case .motionPaused: (step, isOfSystem) = (1, true)
            case .motionResumed: (step, isOfSystem) = (-1, true)
            default: return nil
            }
        }
    }

    /// Whether the last pause has no end.
    package var isOpen: Bool { pauses.last.map { $0.end == nil } ?? false }

    /// Returns the time from `start` to `end` without pauses, in seconds; 0 if `end` is not after `start`.
    ///
    /// - Complexity: O(pauses).
    package func activeTime(from start: Date, to end: Date) -> TimeInterval {
        guard end > start else { return 0 }
        var active = end.timeIntervalSince(start)
        for pause in pauses {
            let first = max(pause.start, start)
            let last = min(pause.end ?? end, end)
            if last > first { active -= last.timeIntervalSince(first) }
        }
        return max(0, active)
    }

    /// Returns whether an instant is in a pause. The start of a pause belongs to it, the end does not.
    package func contains(_ date: Date) -> Bool {
        pauses.contains { $0.start <= date && ($0.end.map { date < $0 } ?? true) }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The pauses of a workout, from its events.
///
/// A pause lasts from `pause` to the next `resume`, or from `motionPaused` to the next `motionResumed`; without that it
/// lasts to the end. A `resume` without a pause has no effect. Pauses of both kinds may overlap; their time counts once.
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
        // At one instant, resumes come after pauses: a pause and a resume at the same time is an empty pause.
        let sorted = events.filter { Self.change(of: $0.type) != nil }.sorted {
            ($0.start, Self.change(of: $0.type) == .ends ? 1 : 0) < (
                $1.start, Self.change(of: $1.type) == .ends ? 1 : 0
            )
        }
        var isPaused = false
        var isStill = false
        var since: Date?
        for event in sorted {
            switch event.type {
            case .pause: isPaused = true
            case .resume: isPaused = false
            case .motionPaused: isStill = true
            default: isStill = false
            }
            let isOpen = isPaused || isStill
            if isOpen, since == nil { since = event.start }
            if !isOpen, let start = since {
                if event.start > start { pauses.append(Pause(start: start, end: event.start)) }
                since = nil
            }
        }
        if let since { pauses.append(Pause(start: since, end: nil)) }
    }

    private enum Change { case begins, ends }

    private static func change(of type: HKWorkoutEventType) -> Change? {
        switch type {
        case .pause, .motionPaused: .begins
        case .resume, .motionResumed: .ends
        default: nil
        }
    }

    /// Whether the last pause has no end.
    package var isOpen: Bool { pauses.last.map { $0.end == nil } ?? false }

    /// Returns the time from `start` to `end` without pauses, in seconds; 0 if the end is before the start.
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

    /// Returns whether an instant lies in a pause: at its start or after, and before its end.
    package func contains(_ date: Date) -> Bool {
        pauses.contains { $0.start <= date && ($0.end.map { date < $0 } ?? true) }
    }
}

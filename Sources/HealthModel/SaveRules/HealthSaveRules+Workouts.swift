// SPDX-License-Identifier: Apache-2.0

package import Foundation

// Workouts: events inside them, parts without overlap, totals of the right dimension.
extension HealthSaveRules {
    static func checkWorkout(_ workout: HKWorkout) throws(Violation) {
        let content = workout.content
        guard content.duration.isFinite, content.duration >= 0 else {
            throw Violation(
                "the duration is \(NumberText.shortest(content.duration)) s", "give a duration of at least 0",
                property: "duration")
        }
        let totals = content.totals
        try checkTotal(totals.energy, .kilocalorie(), "totalEnergyBurned")
        try checkTotal(totals.distance, .meter(), "totalDistance")
        try checkTotal(totals.strokes, .count(), "totalSwimmingStrokeCount")
        try checkTotal(totals.flights, .count(), "totalFlightsClimbed")
        try checkEvents(content.events, from: workout.startDate, to: workout.endDate)
        try checkActivities(
            content.activities, in: content.activity, from: workout.startDate, to: workout.endDate)
    }

    private static func checkTotal(_ total: HKQuantity?, _ unit: HKUnit, _ property: String) throws(Violation) {
        guard let total else { return }
        guard total.is(compatibleWith: unit) else {
            throw Violation("\(total) does not convert to \(unit)", "give a unit such as \(unit)", property: property)
        }
        guard total.value.isFinite, total.value >= 0 else {
            throw Violation("the total is \(total.value)", "give a number of at least 0", property: property)
        }
    }

    /// Throws if an event lies outside of a range, lasts although its type does not, or if the first one resumes.
    static func checkEvents(
        _ events: [HKWorkoutEvent], from start: Date, to end: Date?
    ) throws(Violation) {
        for (place, event) in events.enumerated() {
            try checkEvent(event, property: "workoutEvents[\(place)]")
            guard event.start >= start, event.end <= end ?? .distantFuture else {
                throw Violation(
                    "the event (\(event.type)) is outside of the workout", "give events within the workout",
                    property: "workoutEvents[\(place)]")
            }
        }
        // Only pauses and resumes change the state of a workout.
        let changing: Set<HKWorkoutEventType> = [.pause, .resume, .motionPaused, .motionResumed]
        let first = WorkoutContent.sorted(events).first { changing.contains($0.type) }
        if first?.type == .resume || first?.type == .motionResumed {
            throw Violation(
                "the first event resumes a workout that is not paused", "add the event that pauses it",
                property: "workoutEvents")
        }
    }

    static func checkEvent(_ event: HKWorkoutEvent, property: String) throws(Violation) {
        try checkInBounds(event.start, property)
        try checkInBounds(event.end, property)
        guard event.end >= event.start else {
            throw Violation("the event ends before it starts", "swap the two dates", property: property)
        }
        guard event.start == event.end || event.type.mayLast else {
            throw Violation(
                "an event of type \(event.type) is an instant, and lasts "
                    + "\(NumberText.shortest(event.end.timeIntervalSince(event.start))) s",
                "give an interval of duration 0", property: property)
        }
        try checkMetadata(event.values)
    }

    /// Throws for parts that overlap, lie outside of the workout, or have an activity that it cannot have.
    ///
    /// - Parameter activities: in ascending order.
    static func checkActivities(
        _ activities: [WorkoutActivity], in activity: HKWorkoutActivityType, from start: Date, to end: Date?
    ) throws(Violation) {
        var last: Date?
        for (place, part) in activities.enumerated() {
            let property = "workoutActivities[\(place)]"
            try checkInBounds(part.start, property)
            if let end = part.end { try checkInBounds(end, property) }
            try checkMetadata(part.metadata)
            if let own = part.end, own < part.start {
                throw Violation("the activity ends before it starts", "swap the two dates", property: property)
            }
            guard part.start >= start, part.end ?? part.start <= end ?? .distantFuture else {
                throw Violation(
                    "the activity is outside of the workout", "give activities within the workout", property: property)
            }
            if let last, part.start < last {
                throw Violation(
                    "the activity starts before the end of the activity before it",
                    "end an activity before the next one starts", property: property)
            }
            last = part.end ?? .distantFuture
            let isFitting =
                activity == .swimBikeRun
                ? [.swimming, .cycling, .running, .transition, .swimBikeRun].contains(part.configuration.activity)
                : part.configuration.activity == activity
            guard isFitting else {
                throw Violation(
                    "a \(activity) workout cannot have a \(part.configuration.activity) activity",
                    activity == .swimBikeRun
                        ? "use swimming, cycling, running or transition" : "use the activity of the workout",
                    property: property)
            }
        }
    }

    /// Throws the error of a rule for the events and parts of a workout in progress.
    package static func checkParts(
        events: [HKWorkoutEvent], activities: [WorkoutActivity], of configuration: WorkoutConfiguration,
        from start: Date,
        to end: Date?
    ) throws(HKError) {
        do throws(Violation) {
            try checkEvents(events, from: start, to: end)
            try checkActivities(activities, in: configuration.activity, from: start, to: end)
        } catch {
            throw HKError(
                .errorInvalidArgument, reason: error.reason, place: error.path(from: "workout"), advice: error.advice)
        }
    }
}

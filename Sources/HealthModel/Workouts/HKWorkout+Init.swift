// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Initialisers of workouts with totals only. HealthKit has deprecated them in favour of builders. They never fail;
// `save` throws `errorInvalidArgument` for a workout that violates a rule.
extension HKWorkout {
    /// Creates a workout without totals.
    @available(*, deprecated, message: "use HKWorkoutBuilder")
    public convenience init(
        activityType workoutActivityType: HKWorkoutActivityType, start startDate: Date, end endDate: Date
    ) {
        self.init(workoutActivityType, startDate, endDate, duration: 0, WorkoutTotals(), device: nil, metadata: nil)
    }

    /// Creates a workout. Its duration is the time from start to end without the pauses of its events.
    ///
    /// - Parameters:
    ///   - workoutEvents: events within the workout. A `resume` cannot come before the first `pause`.
    ///   - totalEnergyBurned: the active energy, in a unit of energy; nil if unknown.
    ///   - totalDistance: the distance, in a unit of length; nil if unknown.
    @available(*, deprecated, message: "use HKWorkoutBuilder")
    public convenience init(
        activityType workoutActivityType: HKWorkoutActivityType, start startDate: Date, end endDate: Date,
        workoutEvents: [HKWorkoutEvent]?, totalEnergyBurned: HKQuantity?, totalDistance: HKQuantity?,
        device: HKDevice? = nil, metadata: [String: Any]?
    ) {
        self.init(
            workoutActivityType, startDate, endDate, events: workoutEvents ?? [],
            WorkoutTotals(energy: totalEnergyBurned, distance: totalDistance), device: device, metadata: metadata)
    }

    /// Creates a workout with a stated duration.
    ///
    /// - Parameters:
    ///   - duration: the duration in seconds, without pauses; 0 for the time from start to end.
    ///   - totalEnergyBurned: the active energy, in a unit of energy; nil if unknown.
    ///   - totalDistance: the distance, in a unit of length; nil if unknown.
    @available(*, deprecated, message: "use HKWorkoutBuilder")
    public convenience init(
        activityType workoutActivityType: HKWorkoutActivityType, start startDate: Date, end endDate: Date,
        duration: TimeInterval, totalEnergyBurned: HKQuantity?, totalDistance: HKQuantity?, device: HKDevice? = nil,
        metadata: [String: Any]?
    ) {
        self.init(
            workoutActivityType, startDate, endDate, duration: duration,
            WorkoutTotals(energy: totalEnergyBurned, distance: totalDistance), device: device, metadata: metadata)
    }

    /// Creates a workout with a number of swimming strokes. Its duration is the time without the pauses of its events.
    ///
    /// - Parameter totalSwimmingStrokeCount: the strokes, in a unit of counts; nil if unknown.
    @available(*, deprecated, message: "use HKWorkoutBuilder")
    public convenience init(
        activityType workoutActivityType: HKWorkoutActivityType, start startDate: Date, end endDate: Date,
        workoutEvents: [HKWorkoutEvent]?, totalEnergyBurned: HKQuantity?, totalDistance: HKQuantity?,
        totalSwimmingStrokeCount: HKQuantity?, device: HKDevice?, metadata: [String: Any]?
    ) {
        let totals = WorkoutTotals(
            energy: totalEnergyBurned, distance: totalDistance, strokes: totalSwimmingStrokeCount)
        self.init(
            workoutActivityType, startDate, endDate, events: workoutEvents ?? [], totals, device: device,
            metadata: metadata)
    }

    /// Creates a workout with a number of climbed flights of stairs. Its duration is the time without the pauses of its
    /// events.
    ///
    /// - Parameter totalFlightsClimbed: the flights, in a unit of counts; nil if unknown.
    @available(*, deprecated, message: "use HKWorkoutBuilder")
    public convenience init(
        activityType workoutActivityType: HKWorkoutActivityType, start startDate: Date, end endDate: Date,
        workoutEvents: [HKWorkoutEvent]?, totalEnergyBurned: HKQuantity?, totalDistance: HKQuantity?,
        totalFlightsClimbed: HKQuantity?, device: HKDevice?, metadata: [String: Any]?
    ) {
        let totals = WorkoutTotals(energy: totalEnergyBurned, distance: totalDistance, flights: totalFlightsClimbed)
        self.init(
            workoutActivityType, startDate, endDate, events: workoutEvents ?? [], totals, device: device,
            metadata: metadata)
    }

    private convenience init(
        _ activity: HKWorkoutActivityType, _ start: Date, _ end: Date, duration: TimeInterval = 0,
        events: [HKWorkoutEvent] = [], _ totals: WorkoutTotals, device: HKDevice?, metadata: [String: Any]?
    ) {
        let events = WorkoutContent.sorted(events)
        let statistics = totals.statistics(of: activity)
        let header = ObjectHeader(device: device, metadata: metadata)
        let configuration = WorkoutConfiguration(activity, metadata: header.metadata)
        var whole = WorkoutActivity.whole(configuration, start: start, end: end, statistics: statistics)
        if duration != 0 { whole.statedDuration = duration }
        let content = WorkoutContent(
            activity: activity,
            duration: duration == 0 ? WorkoutPauses(events).activeTime(from: start, to: end) : duration,
            events: events,
            activities: [whole], statistics: statistics, totals: totals)
        self.init(header: header, start: start, end: end, content: content)
    }
}

extension WorkoutContent {
    /// Returns events sorted by start. Events with the same start keep their order.
    package static func sorted(_ events: [HKWorkoutEvent]) -> [HKWorkoutEvent] {
        events.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    }
}

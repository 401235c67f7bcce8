// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Workouts of which only totals are known. HealthKit has deprecated these initialisers in favour of builders. They
// never fail; `save` throws for a workout that violates a rule.
extension HKWorkout {
    /// Creates a workout without totals.
    @available(*, deprecated, message: "use HKWorkoutBuilder")
    public convenience init(
        activityType workoutActivityType: HKWorkoutActivityType, start startDate: Date, end endDate: Date
    ) {
        self.init(workoutActivityType, startDate, endDate, duration: 0, WorkoutTotals(), device: nil, metadata: nil)
    }

    /// Creates a workout whose duration follows from its events.
    ///
    /// - Parameters:
    ///   - workoutEvents: events within the workout; the first one does not resume.
    ///   - totalEnergyBurned: active energy.
    ///   - totalDistance: a length.
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
    ///   - duration: in seconds; 0 for the time from start to end.
    ///   - totalEnergyBurned: active energy.
    ///   - totalDistance: a length.
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

    /// Creates a workout with strokes.
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

    /// Creates a workout with flights of stairs.
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
    /// Returns events in ascending order; events of the same time keep theirs.
    package static func sorted(_ events: [HKWorkoutEvent]) -> [HKWorkoutEvent] {
        events.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    }
}

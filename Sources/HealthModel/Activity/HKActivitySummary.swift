// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// One day's activity: what the rings show.
///
/// Its values may be changed, which changes nothing in a store. They may be read and changed by several threads.
public final class HKActivitySummary: NSObject, NSCopying, Sendable {
    /// Days since 1970-01-01; nil of a summary that a program made.
    package let day: Int64?
    private let state: Mutex<ActivityValues>

    /// A summary of no day, without activity and goals.
    public override init() {
        day = nil
        state = Mutex(ActivityValues())
        super.init()
    }

    /// The summary of a day.
    package init(_ day: Int64?, _ values: ActivityValues) {
        self.day = day
        state = Mutex(values)
        super.init()
    }

    /// All values.
    package var values: ActivityValues { state.withLock { $0 } }

    /// Another object that says the same.
    public func copy(with zone: NSZone? = nil) -> Any { HKActivitySummary(day, values) }

    /// The day, in a calendar: era, year, month and day, and the calendar itself. Of a summary that a program made,
    /// the calendar alone.
    public func dateComponents(for calendar: Calendar) -> DateComponents {
        guard let day else { return DateComponents(calendar: calendar) }
        var clocks = calendar
        clocks.timeZone = .gmt
        // Noon by clocks that never change: whatever a calendar counts, it is this day.
        let noon = Date(timeIntervalSince1970: Double(day) * 86_400 + 43_200)
        var components = clocks.dateComponents([.era, .year, .month, .day, .isLeapMonth], from: noon)
        components.calendar = calendar
        return components
    }
}

// What was reached. A quantity of another dimension is kept as it is: its `doubleValue(for:)` is not a number.
extension HKActivitySummary {
    /// What the move ring counts.
    public var activityMoveMode: HKActivityMoveMode {
        get { self[\.moveMode] }
        set { self[\.moveMode] = newValue }
    }

    /// Energy burned in motion.
    public var activeEnergyBurned: HKQuantity {
        get { self[\.activeEnergyBurned] }
        set { self[\.activeEnergyBurned] = newValue }
    }

    /// Time in motion.
    public var appleMoveTime: HKQuantity {
        get { self[\.appleMoveTime] }
        set { self[\.appleMoveTime] = newValue }
    }

    /// Time of exercise.
    public var appleExerciseTime: HKQuantity {
        get { self[\.appleExerciseTime] }
        set { self[\.appleExerciseTime] = newValue }
    }

    /// Hours with a stand, a count.
    public var appleStandHours: HKQuantity {
        get { self[\.appleStandHours] }
        set { self[\.appleStandHours] = newValue }
    }
}

// What was to be reached.
extension HKActivitySummary {
    /// Whether the person paused the rings on that day. False of every summary of a store: neither an export nor a
    /// sample tells of it.
    public var isPaused: Bool {
        get { self[\.isPaused] }
        set { self[\.isPaused] = newValue }
    }

    /// The energy to burn; zero without a goal.
    public var activeEnergyBurnedGoal: HKQuantity {
        get { self[\.goals.activeEnergyBurned] ?? HKQuantity(unit: .kilocalorie(), doubleValue: 0) }
        set { self[\.goals.activeEnergyBurned] = newValue }
    }

    /// The time to be in motion; zero without a goal.
    public var appleMoveTimeGoal: HKQuantity {
        get { self[\.goals.appleMoveTime] ?? HKQuantity(unit: .minute(), doubleValue: 0) }
        set { self[\.goals.appleMoveTime] = newValue }
    }

    /// The time of exercise to reach; nil without a goal.
    public var exerciseTimeGoal: HKQuantity? {
        get { self[\.goals.appleExerciseTime] }
        set { self[\.goals.appleExerciseTime] = newValue }
    }

    /// The hours with a stand to reach; nil without a goal.
    public var standHoursGoal: HKQuantity? {
        get { self[\.goals.appleStandHours] }
        set { self[\.goals.appleStandHours] = newValue }
    }

    /// The older form of ``exerciseTimeGoal``; zero without a goal.
    public var appleExerciseTimeGoal: HKQuantity {
        get { exerciseTimeGoal ?? HKQuantity(unit: .minute(), doubleValue: 0) }
        set { exerciseTimeGoal = newValue }
    }

    /// The older form of ``standHoursGoal``; zero without a goal.
    public var appleStandHoursGoal: HKQuantity {
        get { standHoursGoal ?? HKQuantity(unit: .count(), doubleValue: 0) }
        set { standHoursGoal = newValue }
    }

    private subscript<Value: Sendable>(_ path: WritableKeyPath<ActivityValues, Value>) -> Value {
        get { state.withLock { $0[keyPath: path] } }
        set { state.withLock { $0[keyPath: path] = newValue } }
    }
}

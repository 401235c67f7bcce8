// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// The activity of one day, as the activity rings show it.
///
/// Changing a value does not change the store. Several threads may read and change one summary concurrently.
public final class HKActivitySummary: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// Days since 1970-01-01; nil for a summary created by a program.
    package let day: Int64?
    private let state: Mutex<ActivityValues>

    /// Creates a summary without a day, activity and goals.
    public override convenience init() { self.init(nil, ActivityValues()) }

    package init(_ day: Int64?, _ values: ActivityValues) {
        self.day = day
        state = Mutex(values)
        super.init()
    }

    package var values: ActivityValues { state.withLock { $0 } }

    /// Returns a new summary with the same values.
    public func copy(with zone: NSZone? = nil) -> Any { HKActivitySummary(day, values) }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the day and all values.
    public func encode(with coder: NSCoder) { coder.encode(SummaryRecord(self), record: "summary") }

    /// Decodes a summary that `encode(with:)` encoded; nil if the archive has no summary.
    public convenience init?(coder: NSCoder) {
        guard let content = coder.decode(SummaryRecord.self, record: "summary")?.content else { return nil }
        self.init(content.day, content.values)
    }

    /// Returns the day in a calendar: era, year, month, day and the calendar itself. For a summary created by a
    /// program, only the calendar is set.
    public func dateComponents(for calendar: Calendar) -> DateComponents {
        guard let day else { return DateComponents(calendar: calendar) }
        var clocks = calendar
        clocks.timeZone = .gmt
        // Noon in GMT, which has no clock changes, lies on this day in every calendar.
        let noon = Date(timeIntervalSince1970: Double(day) * 86_400 + 43_200)
        var components = clocks.dateComponents([.era, .year, .month, .day, .isLeapMonth], from: noon)
        components.calendar = calendar
        return components
    }

    // Amounts. A quantity of another dimension is stored unchanged; its `doubleValue(for:)` is then NaN.

    /// The quantity that the move ring counts.
    public var activityMoveMode: HKActivityMoveMode {
        get { self[\.moveMode] }
        set { self[\.moveMode] = newValue }
    }

    /// Active energy burned.
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

    // Goals.

    /// Whether the person paused the rings on this day. False for every summary read from a store: neither exports nor
    /// samples record pauses.
    public var isPaused: Bool {
        get { self[\.isPaused] }
        set { self[\.isPaused] = newValue }
    }

    /// The energy goal; zero if there is no goal.
    public var activeEnergyBurnedGoal: HKQuantity {
        get { self[\.goals.activeEnergyBurned] ?? HKQuantity(unit: .kilocalorie(), doubleValue: 0) }
        set { self[\.goals.activeEnergyBurned] = newValue }
    }

    /// The move time goal; zero if there is no goal.
    public var appleMoveTimeGoal: HKQuantity {
        get { self[\.goals.appleMoveTime] ?? HKQuantity(unit: .minute(), doubleValue: 0) }
        set { self[\.goals.appleMoveTime] = newValue }
    }

    /// The exercise time goal; nil if there is no goal.
    public var exerciseTimeGoal: HKQuantity? {
        get { self[\.goals.appleExerciseTime] }
        set { self[\.goals.appleExerciseTime] = newValue }
    }

    /// The goal for hours with a stand; nil if there is no goal.
    public var standHoursGoal: HKQuantity? {
        get { self[\.goals.appleStandHours] }
        set { self[\.goals.appleStandHours] = newValue }
    }

    /// The older form of ``exerciseTimeGoal``; zero if there is no goal.
    public var appleExerciseTimeGoal: HKQuantity {
        get { exerciseTimeGoal ?? HKQuantity(unit: .minute(), doubleValue: 0) }
        set { exerciseTimeGoal = newValue }
    }

    /// The older form of ``standHoursGoal``; zero if there is no goal.
    public var appleStandHoursGoal: HKQuantity {
        get { standHoursGoal ?? HKQuantity(unit: .count(), doubleValue: 0) }
        set { standHoursGoal = newValue }
    }

    private subscript<Value: Sendable>(_ path: WritableKeyPath<ActivityValues, Value>) -> Value {
        get { state.withLock { $0[keyPath: path] } }
        set { state.withLock { $0[keyPath: path] = newValue } }
    }
}

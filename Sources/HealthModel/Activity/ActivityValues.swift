// SPDX-License-Identifier: Apache-2.0

/// The activity of one day: amounts and goals, each in its original unit.
package struct ActivityValues: Sendable, Hashable {
    /// The quantity that the move ring counts.
    package var moveMode = HKActivityMoveMode.activeEnergy
    package var activeEnergyBurned = HKQuantity(unit: .kilocalorie(), doubleValue: 0)
    package var appleMoveTime = HKQuantity(unit: .minute(), doubleValue: 0)
    package var appleExerciseTime = HKQuantity(unit: .minute(), doubleValue: 0)
    package var appleStandHours = HKQuantity(unit: .count(), doubleValue: 0)
    /// The daily goals; nil for an amount without a goal.
    package var goals = HealthActivityGoals()
    /// Whether the day is excluded from the rings.
    package var isPaused = false

    package init() {}
}

/// Daily activity goals; nil means no goal. Not part of HealthKit, where only summaries have goals.
public struct HealthActivityGoals: Sendable, Hashable {
    /// Energy.
    public var activeEnergyBurned: HKQuantity?
    /// Time in motion.
    public var appleMoveTime: HKQuantity?
    /// Time of exercise.
    public var appleExerciseTime: HKQuantity?
    /// Hours with a stand, a count.
    public var appleStandHours: HKQuantity?

    /// Creates goals; an omitted argument means no goal.
    public init(
        activeEnergyBurned: HKQuantity? = nil, appleMoveTime: HKQuantity? = nil, appleExerciseTime: HKQuantity? = nil,
        appleStandHours: HKQuantity? = nil
    ) {
        self.activeEnergyBurned = activeEnergyBurned
        self.appleMoveTime = appleMoveTime
        self.appleExerciseTime = appleExerciseTime
        self.appleStandHours = appleStandHours
    }
}

/// A day and its activity.
package struct ActivityDay: Sendable, Hashable {
    /// Days since 1970-01-01.
    package let day: Int64
    package let values: ActivityValues
    /// True if the values come from an import; false if they were computed from samples.
    package let isImported: Bool

    package init(day: Int64, values: ActivityValues, isImported: Bool) {
        self.day = day
        self.values = values
        self.isImported = isImported
    }
}

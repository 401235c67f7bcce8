// SPDX-License-Identifier: Apache-2.0

/// What is said of one day's activity: amounts and goals, each in the unit in which it came.
package struct ActivityValues: Sendable, Hashable {
    /// What the move ring counts.
    package var moveMode = HKActivityMoveMode.activeEnergy
    package var activeEnergyBurned = HKQuantity(unit: .kilocalorie(), doubleValue: 0)
    package var appleMoveTime = HKQuantity(unit: .minute(), doubleValue: 0)
    package var appleExerciseTime = HKQuantity(unit: .minute(), doubleValue: 0)
    package var appleStandHours = HKQuantity(unit: .count(), doubleValue: 0)
    /// What the person wants to reach; nil where nothing was said.
    package var goals = HealthActivityGoals()
    /// Whether the day is left out of what rings count.
    package var isPaused = false

    package init() {}
}

/// What somebody wants to reach each day; nil is no goal. Not part of HealthKit, where only the summaries have goals.
public struct HealthActivityGoals: Sendable, Hashable {
    /// Energy.
    public var activeEnergyBurned: HKQuantity?
    /// Time in motion.
    public var appleMoveTime: HKQuantity?
    /// Time of exercise.
    public var appleExerciseTime: HKQuantity?
    /// Hours with a stand, a count.
    public var appleStandHours: HKQuantity?

    /// Goals; none of what is left out.
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

/// A day and what is said of its activity.
package struct ActivityDay: Sendable, Hashable {
    /// Days since 1970-01-01.
    package let day: Int64
    package let values: ActivityValues
    /// Whether an import said so; else it was computed from samples.
    package let isImported: Bool

    package init(day: Int64, values: ActivityValues, isImported: Bool) {
        self.day = day
        self.values = values
        self.isImported = isImported
    }
}

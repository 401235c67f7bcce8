// SPDX-License-Identifier: Apache-2.0

/// The archived values of an activity summary.
struct SummaryRecord: Codable {
    private let day: Int64?
    private let moveMode: Int
    private let amounts: [QuantityRecord]
    private let goals: [String: QuantityRecord]
    private let isPaused: Bool

    init(_ summary: HKActivitySummary) {
        let values = summary.values
        day = summary.day
        moveMode = values.moveMode.rawValue
        amounts = [
            values.activeEnergyBurned, values.appleMoveTime, values.appleExerciseTime, values.appleStandHours,
        ].map { QuantityRecord($0) }
        goals = [
            "energy": values.goals.activeEnergyBurned, "move": values.goals.appleMoveTime,
            "exercise": values.goals.appleExerciseTime, "stand": values.goals.appleStandHours,
        ].compactMapValues { $0.map { QuantityRecord($0) } }
        isPaused = values.isPaused
    }

    /// The day and the values; nil if amounts are missing.
    var content: (day: Int64?, values: ActivityValues)? {
        // Days beyond these are in no calendar.
        guard amounts.count == 4, (day ?? 0).magnitude < 1_000_000_000 else { return nil }
        var values = ActivityValues()
        values.moveMode = HKActivityMoveMode(rawValue: moveMode) ?? .activeEnergy
        values.activeEnergyBurned = amounts[0].quantity
        values.appleMoveTime = amounts[1].quantity
        values.appleExerciseTime = amounts[2].quantity
        values.appleStandHours = amounts[3].quantity
        values.goals = HealthActivityGoals(
            activeEnergyBurned: goals["energy"]?.quantity, appleMoveTime: goals["move"]?.quantity,
            appleExerciseTime: goals["exercise"]?.quantity, appleStandHours: goals["stand"]?.quantity)
        values.isPaused = isPaused
        return (day, values)
    }
}

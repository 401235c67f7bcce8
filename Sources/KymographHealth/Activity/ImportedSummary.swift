// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel

/// The attributes of an `ActivitySummary` element of an export.
struct ImportedSummary {
    private let attributes: [String: String]

    /// - Parameter xml: the element; bytes that are not XML yield no attributes.
    init(_ xml: [UInt8]) { attributes = Self.attributes(xml) }

    /// Returns the values of the summary as the element states them.
    ///
    /// - Parameter mode: the move mode if the element has neither move goal.
    func values(_ mode: HKActivityMoveMode) -> ActivityValues {
        var values = ActivityValues()
        let energy = energyUnit
        values.activeEnergyBurned =
            quantity("activeEnergyBurned", energy) ?? HKQuantity(unit: energy ?? .kilocalorie(), doubleValue: 0)
        // The attribute's name in version 11 of the export.
        let move = attributes["appleMoveTime"] == nil ? "appleMoveMinutes" : "appleMoveTime"
        values.appleMoveTime = quantity(move, .minute()) ?? values.appleMoveTime
        values.appleExerciseTime = quantity("appleExerciseTime", .minute()) ?? values.appleExerciseTime
        values.appleStandHours = quantity("appleStandHours", .count()) ?? values.appleStandHours
        values.goals = HealthActivityGoals(
            activeEnergyBurned: quantity("activeEnergyBurnedGoal", energy),
            appleMoveTime: quantity(move + "Goal", .minute()),
            appleExerciseTime: quantity("appleExerciseTimeGoal", .minute()),
            appleStandHours: quantity("appleStandHoursGoal", .count()))
        let hasEnergyGoal = (values.goals.activeEnergyBurned?.value ?? 0) > 0
        let hasMoveGoal = (values.goals.appleMoveTime?.value ?? 0) > 0
        values.moveMode = hasEnergyGoal ? .activeEnergy : hasMoveGoal ? .appleMoveTime : mode
        return values
    }

    /// The unit of energy; nil if the stated unit is unknown or not a unit of energy.
    private var energyUnit: HKUnit? {
        guard let text = attributes["activeEnergyBurnedUnit"] else { return .kilocalorie() }
        guard let unit = try? HKUnit(parsing: text), unit.isCompatible(with: .kilocalorie()) else { return nil }
        return unit
    }

    /// Returns a quantity; nil if its unit is nil or its text is not a decimal number.
    private func quantity(_ name: String, _ unit: HKUnit?) -> HKQuantity? {
        guard let unit, let text = attributes[name], let number = DecimalText.parse(Array(text.utf8)) else {
            return nil
        }
        return HKQuantity(unit: unit, doubleValue: number)
    }

    /// Returns the attributes of the first tag; of repeated ones the first. In a malformed tag, the attributes before
    /// the malformed one count.
    static func attributes(_ xml: [UInt8]) -> [String: String] {
        var reader = MarkupReader(xml)
        _ = reader.next()
        return Dictionary(reader.attributeTexts.map { ($0.name, $0.value) }) { first, _ in first }
    }
}

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
        guard let unit, let text = attributes[name], text.utf8.allSatisfy(Self.isOfDecimals),
            let number = Double(text), number.isFinite
        else { return nil }
        return HKQuantity(unit: unit, doubleValue: number)
    }

    /// Returns whether a byte can be part of a decimal number. Hexadecimal numbers and names have other bytes.
    private static func isOfDecimals(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// Returns the attributes of the first tag. References are not resolved: dates, numbers and units of energy have
    /// none.
    static func attributes(_ xml: [UInt8]) -> [String: String] {
        var found: [String: String] = [:]
        var name: [UInt8] = []
        var isAfterSpace = false
        var at = xml.firstIndex(of: UInt8(ascii: "<")).map { $0 + 1 } ?? xml.count
        while at < xml.count, xml[at] != UInt8(ascii: ">") {
            let byte = xml[at]
            at += 1
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                let end = xml[at...].firstIndex(of: byte) ?? xml.count
                let key = String(decoding: name, as: UTF8.self)
                if found[key] == nil { found[key] = String(decoding: xml[at..<end], as: UTF8.self) }
                at = min(end + 1, xml.count)
                name = []
                isAfterSpace = false
            } else if byte <= 0x20 {
                // Space around the equals sign belongs to neither side.
                isAfterSpace = true
            } else if byte != UInt8(ascii: "=") {
                if isAfterSpace { name = [] }
                isAfterSpace = false
                name.append(byte)
            }
        }
        return found
    }
}

// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel

/// An `ActivitySummary` element of an export, read.
struct ImportedSummary {
    private let attributes: [String: String]

    /// - Parameter xml: the element; what is no XML has no attributes.
    init(_ xml: [UInt8]) { attributes = Self.attributes(xml) }

    /// What it says, each as it is written there.
    ///
    /// - Parameter mode: what the move ring counts where neither ring has a goal.
    func values(_ mode: HKActivityMoveMode) -> ActivityValues {
        var values = ActivityValues()
        let energy = energyUnit
        values.activeEnergyBurned =
            quantity("activeEnergyBurned", energy) ?? HKQuantity(unit: energy ?? .kilocalorie(), doubleValue: 0)
        // Its name in version 11.
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

    /// The unit of energy; nil where the one that is written measures something else, or is none.
    private var energyUnit: HKUnit? {
        guard let text = attributes["activeEnergyBurnedUnit"] else { return .kilocalorie() }
        guard let unit = try? HKUnit(parsing: text), unit.isCompatible(with: .kilocalorie()) else { return nil }
        return unit
    }

    /// An amount; nil where its unit is, and where no decimal number is written.
    private func quantity(_ name: String, _ unit: HKUnit?) -> HKQuantity? {
        guard let unit, let text = attributes[name], text.utf8.allSatisfy(Self.isOfDecimals),
            let number = Double(text), number.isFinite
        else { return nil }
        return HKQuantity(unit: unit, doubleValue: number)
    }

    /// Whether a byte can be one of a decimal number: hexadecimal ones and names have others.
    private static func isOfDecimals(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// The attributes of the first tag. References stay as they are: dates, numbers and units of energy have none.
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
                // Around the equals sign it is part of neither side.
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

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import Foundation
import HealthModel
import KymographHealth

struct AddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a sample by hand.",
        discussion: """
            EXAMPLES
              kymo add bodyMass 70.2 kg
              kymo add bloodPressure 120/80 --start 2024-01-31T07:30
              kymo add sleepAnalysis asleepCore --start 2024-01-30T23:10 --end 2024-01-31T06:40
              kymo add dietaryWater 250 mL --metadata HKFoodType=tea
              kymo add food dietaryProtein=12g,dietaryEnergyConsumed=250kcal --metadata HKFoodType=Soup
              kymo add bodyMass 70.2 kg --device "name=Scale,model=X1"

            A quantity is a number with a unit; without one it is the unit of the samples that are there, else the \
            usual one of the type. A category is the name or number of a value. It is now unless --start says \
            otherwise, and ends where it starts unless --end does.

            Metadata is key=value, of a predefined key as an export writes it (HKWasUserEntered=0, HKLapLength=25 m). \
            That a person entered it is noted. The sample's identity is printed; "kymo show" shows it. What HealthKit \
            would refuse is refused.
            """)

    @OptionGroup var store: StoreOption

    @Argument(help: ArgumentHelp("The type, or bloodPressure or food.", valueName: "type"))
    var type: String

    @Argument(help: ArgumentHelp("A number, a category's value, or 120/80 of a blood pressure.", valueName: "value"))
    var value: String

    @Argument(help: ArgumentHelp("The unit of a number.", valueName: "unit"))
    var unit: String?

    @Option(help: ArgumentHelp("When it starts: a date or an instant. Default: now.", valueName: "date"))
    var start: String?

    @Option(help: ArgumentHelp("When it ends. Default: when it starts.", valueName: "date"))
    var end: String?

    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("What is said about it; may be given several times.", valueName: "key=value"))
    var metadata: [String] = []

    @Option(
        help: ArgumentHelp(
            "What measured it: a name, or name=, manufacturer=, model=, hardware=, firmware=, software= with commas.",
            valueName: "device"))
    var device: String?

    func run() throws {
        try perform { output in
            let path = try store.resolved()
            let zone = try zone.resolved()
            let begins = try start.map { try date($0, zone) } ?? Date()
            let ends = try end.map { try date($0, zone) } ?? begins
            if ends < begins { throw Failure.usage("--end \(end ?? "") lies before the start") }
            // What is wrong in itself must not leave an empty store behind.
            let units = try storedUnits(path)
            let draft = SampleDraft(
                start: begins, end: ends, device: try device.map { try SampleDraft.device($0) },
                metadata: try SampleDraft.metadata(metadata))
            let sample = try draft.sample(type, value, unit, units)
            try HealthSaveRules.check(sample)
            try StoreOption.makeParents(of: path)
            let health = HKHealthStore(directory: path)
            defer { health.close() }
            try health.saveNow([sample])
            try output.line(sample.uuid.uuidString)
            return .done
        }
    }

    private func date(_ text: String, _ zone: CivilZone) throws -> Date {
        let instant = try Civil.parse(text, zone: zone)
        let (seconds, rest) = instant.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Date(timeIntervalSinceReferenceDate: Double(seconds - 978_307_200) + Double(rest) / 1e9)
    }

    /// The units that samples of each type are stored in, if there is a store.
    private func storedUnits(_ path: String) throws -> [String: String] {
        let store: HealthStore
        do {
            store = try HealthStore.open(at: path, mode: .readOnly)
        } catch {
            if case .engine(.notAStore) = error.kind { return [:] }
            throw error
        }
        defer { store.close() }
        var units: [String: String] = [:]
        for overview in try store.types() { units[overview.type.identifier] = overview.units.first }
        return units
    }
}

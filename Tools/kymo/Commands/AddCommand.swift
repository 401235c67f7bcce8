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
            one that people read the type in where you live: count/min of heartRate, kg or lb of bodyMass. A category \
            is the name or number of a value. It is now unless --start says otherwise, and ends where it starts \
            unless --end does.

            Metadata is key=value, of a predefined key as an export writes it (HKWasUserEntered=0, HKLapLength=25 m). \
            That a person entered it is noted. The sample's identity is printed, and on standard error what was \
            added; "kymo show" shows it. What HealthKit would refuse is refused.
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
            let begins = try start.map { try Civil.parse($0, zone: zone) } ?? SystemClock.wallNanoseconds()
            let ends = try end.map { try Civil.parse($0, zone: zone) } ?? begins
            if ends < begins { throw Failure.usage("--end \(end ?? "") lies before the start") }
            // What is wrong in itself must not leave an empty store behind.
            let draft = SampleDraft(
                start: StoredTime.date(begins), end: StoredTime.date(ends),
                device: try device.map { try SampleDraft.device($0) },
                metadata: try SampleDraft.metadata(metadata), stored: try StoredTypes(at: path))
            let sample = try draft.sample(type, value, unit)
            try HealthSaveRules.check(sample)
            try StoreOption.makeParents(of: path)
            let health = HKHealthStore(directory: path)
            defer { health.close() }
            try health.saveNow([sample])
            try requireAdded(sample, health)
            try output.line(sample.uuid.uuidString)
            try output.finish()
            Messages.line(AddedText.text(sample, zone))
            return .done
        }
    }

    /// What has a sync identifier is passed over where a version that is as new is there.
    private func requireAdded(_ sample: HKSample, _ health: HKHealthStore) throws {
        guard let name = sample.metadata?[HKMetadataKeySyncIdentifier],
            try health.store().object(sample.uuid, parts: 0) == nil
        else { return }
        throw Failure(
            .failed,
            "a version of \"\(name)\" that is as new is there already; nothing was added: give it a higher "
                + "\(HKMetadataKeySyncVersion)")
    }
}

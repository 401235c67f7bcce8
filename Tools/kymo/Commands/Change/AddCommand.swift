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
        abstract: "Add a sample by hand.",
        discussion: """
            EXAMPLES
              kymo add weight 70.2 kg
              kymo add oxygenSaturation 97 %
              kymo add bloodPressure 120/80 --start 2024-01-31T07:30
              kymo add sleep asleepCore --start 2024-01-30T23:10 --end 2024-01-31T06:40
              kymo add water 250 ml --metadata HKFoodType=tea
              kymo add food protein=12g,water=200ml --metadata HKFoodType=Soup
              kymo add bodyMass 70.2 kg --device "name=Scale,model=X1"

            A quantity is a number with a unit. Without a unit, the unit of the stored samples is used, otherwise the \
            customary unit of your region: count/min for heartRate, kg or lb for bodyMass. A type in per cent always \
            needs the unit: 97 % or 97 percent. A value that no body or device can have, such as a heart rate of 900, \
            needs --anyway.

            A category is the name or number of a value. The sample starts now unless --start is given, and ends at \
            its start unless --end is given.

            Metadata is key=value; predefined keys take values as an export writes them (HKWasUserEntered=0, \
            HKLapLength=25 m). The sample is marked as entered by a person. The command prints the sample's identity, \
            and its contents on standard error; "kymo show" shows the sample. Samples that HealthKit would reject are \
            rejected.
            """)

    @OptionGroup var store: StoreOption

    @Argument(
        help: ArgumentHelp("The type, or bloodPressure or food.", valueName: "type"), completion: Completions.types)
    var type: String

    @Argument(
        help: ArgumentHelp("A number, a category's value, or 120/80 for a blood pressure.", valueName: "value"),
        completion: Completions.values)
    var value: String

    @Argument(help: ArgumentHelp("The unit of the number.", valueName: "unit"), completion: Completions.units)
    var unit: String?

    @Option(
        help: ArgumentHelp(
            "Start of the sample: a date (also yesterday) or an instant. Default: now.", valueName: "date"))
    var start: String?

    @Option(help: ArgumentHelp("End of the sample. Default: its start.", valueName: "date"))
    var end: String?

    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("Metadata of the sample; may be repeated.", valueName: "key=value"))
    var metadata: [String] = []

    @Option(
        help: ArgumentHelp(
            "Recording device: a name, or name=, manufacturer=, model=, hardware=, firmware=, software= with commas.",
            valueName: "device"))
    var device: String?

    @Flag(help: "Store a value outside of the possible range of its type.")
    var anyway = false

    func run() throws {
        try perform { output in
            let path = try store.resolved()
            let zone = try zone.resolved(at: path)
            let begins = try start.map { try RangeOptions.instant($0, zone) } ?? SystemClock.wallNanoseconds()
            let ends = try end.map { try RangeOptions.instant($0, zone) } ?? begins
            if ends < begins { throw Failure.usage("--end \(end ?? "") is before the start") }
            // Checks the sample before opening the store, so that an invalid sample does not create an empty store.
            let draft = SampleDraft(
                start: StoredTime.date(begins), end: StoredTime.date(ends),
                device: try device.map { try SampleDraft.device($0) },
                metadata: try SampleDraft.metadata(metadata), stored: try StoredTypes(at: path),
                allowsImpossible: anyway)
            let sample = try draft.sample(type, value, unit)
            try HealthSaveRules.check(sample)
            try StoreOption.makeParents(of: path)
            let health = HKHealthStore(path: path, options: try Stores.options(creating: path), isOwner: true)
            defer { health.close() }
            try health.saveNow([sample])
            try requireAdded(sample, health)
            try output.line(sample.uuid.uuidString)
            try output.finish()
            Messages.line(AddedText.text(sample, zone))
            return .done
        }
    }

    /// Throws if the store ignored the sample because it has the same or a newer version of its sync identifier.
    private func requireAdded(_ sample: HKSample, _ health: HKHealthStore) throws {
        guard let name = sample.metadata?[HKMetadataKeySyncIdentifier],
            try health.store().object(sample.uuid, parts: 0) == nil
        else { return }
        throw Failure(
            .failed,
            "the store already has this or a newer version of \"\(name)\"; nothing was added: use a higher "
                + "\(HKMetadataKeySyncVersion)")
    }
}

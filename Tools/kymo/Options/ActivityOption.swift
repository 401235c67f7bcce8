// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HealthViews

/// The selected activities of workouts.
struct ActivityOption: ParsableArguments {
    @Option(
        name: .customLong("activity"),
        help: ArgumentHelp(
            "Show only workouts of this activity: a word such as run, or HealthKit's name; may be repeated.",
            valueName: "name"),
        completion: Completions.activities)
    var names: [String] = []

    /// Returns HealthKit's names of the selected activities; nil for all.
    ///
    /// - Parameter stored: the names of the stored activities, of which this version may not know some.
    func resolved(_ stored: Set<String>) throws -> Set<String>? {
        names.isEmpty ? nil : Set(try names.map { try ActivityName.find($0, stored) })
    }
}

/// The names of activities: HealthKit's, such as `HKWorkoutActivityTypeCycling`, and everyday words.
enum ActivityName {
    private static let prefix = "HKWorkoutActivityType"

    /// Words that are not the name of an activity, with the name.
    private static let aliases: [String: HKWorkoutActivityType] = [
        "bike": .cycling, "bikeride": .cycling, "biking": .cycling, "cycle": .cycling, "ride": .cycling,
        "run": .running, "jog": .running, "jogging": .running, "walk": .walking, "hike": .hiking, "swim": .swimming,
        "row": .rowing, "climb": .climbing, "hiit": .highIntensityIntervalTraining,
        "strength": .traditionalStrengthTraining, "weights": .traditionalStrengthTraining,
        "core": .coreTraining, "triathlon": .swimBikeRun, "multisport": .swimBikeRun,
        "football": .soccer, "ski": .downhillSkiing, "skiing": .downhillSkiing, "skate": .skatingSports,
        "skating": .skatingSports, "dance": .socialDance, "dancing": .socialDance, "paddle": .paddleSports,
    ]

    /// Returns an activity in words: `Cycling`, `High intensity interval training`.
    static func words(_ name: String) -> String {
        var text = ""
        for letter in name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : name[...] {
            let begins = letter.isUppercase && text.last?.isLowercase ?? false
            text += begins ? " " + letter.lowercased() : String(letter)
        }
        return text.isEmpty ? "Other" : text
    }

    /// Returns the short name of an activity: `highIntensityIntervalTraining`.
    static func short(_ name: String) -> String {
        let rest = name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : name[...]
        return rest.prefix(1).lowercased() + rest.dropFirst()
    }

    /// The words and names for completion.
    static var all: [String] { aliases.keys.sorted() + HKWorkoutActivityType.allCases.map { short($0.name) } }

    /// Returns HealthKit's name of an activity. Throws for an unknown one.
    static func find(_ text: String, _ stored: Set<String>) throws -> String {
        let wanted = plain(text)
        if let name = stored.first(where: { plain(words($0)) == wanted || plain($0) == wanted }) { return name }
        if let activity = HKWorkoutActivityType.find(text) ?? aliases[wanted] { return activity.name }
        let own = Spelling.nearest(text, stored.map(short).sorted(), parts: true)
        let similar = own.isEmpty ? Spelling.nearest(text, all) : own
        let list = stored.map(short).sorted().prefix(5)
        let advice =
            Spelling.question(similar) ?? (list.isEmpty ? nil : "stored are \(list.joined(separator: ", "))")
            ?? "use a name such as running"
        throw Failure.usage("no activity \"\(text)\"; \(advice)")
    }

    private static func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
}

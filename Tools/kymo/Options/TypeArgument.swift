// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HealthModel
import KymographHealth

/// The sample type.
struct TypeArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The type: a word such as steps, its short name stepCount, or HealthKit's identifier.", valueName: "type"),
        completion: Completions.types)
    var name: String

    /// Returns the type with the given name.
    ///
    /// - Parameter store: may hold types that are newer than this program.
    func resolved(_ store: HealthStore) throws -> HealthType { try Self.type(name, store) }

    /// Returns the type with this name; see `resolved(_:)`.
    static func type(_ name: String, _ store: HealthStore) throws -> HealthType {
        try type(name) { try store.types().map(\.type) }
    }

    /// Returns the type with this name.
    ///
    /// - Parameter stored: the types in a store, requested only if the tables do not contain the name.
    static func type(_ name: String, among stored: () throws -> [HealthType]) throws -> HealthType {
        if let type = HealthTypes.find(TypeAlias.expanded(name)) { return type }
        if let type = try stored().first(where: { $0.identifier == name || $0.shortName == name }) { return type }
        if ArgumentAdvice.isDate(name) { throw Failure.usage("\"\(name)\" is a date; the type comes before it") }
        let similar = similar(to: name)
        try requireValues(name)
        let advice = Spelling.question(similar) ?? "\"kymo types\" lists the stored types"
        throw Failure.usage("no type \"\(name)\"; \(advice)")
    }

    /// Returns at most three words and names of types that are similar to a mistyped one.
    private static func similar(to name: String) -> [String] {
        let words = TypeAlias.similar(to: name)
        let listed = Spelling.nearest(name, ListedType.allCases.map(\.rawValue))
        let names = listed + HealthTypes.suggestions(for: name, limit: 3).map(\.shortName)
        let others = names.filter { name in !words.contains { $0.type == name } }
        return Array((words.map(\.word) + others).prefix(3))
    }
}

extension TypeArgument {
    /// Throws for types whose objects are not samples with a value; the error names an alternative.
    private static func requireValues(_ name: String) throws {
        if let correlation = TypeList.correlation(name) {
            throw Failure.usage(
                correlation.hasSuffix("Food")
                    ? "food has no value; use the types of its members, such as dietaryProtein"
                    : "a blood pressure is a pair of values; use bloodPressureSystolic and bloodPressureDiastolic")
        }
        if let listed = ListedType.find(name) {
            let advice =
                switch listed {
                case .electrocardiogram: "\"kymo ecg\" lists and draws electrocardiograms"
                case .workout: "\"kymo workouts\" lists workouts, \"kymo workouts --totals\" adds them up"
                default: "\"kymo query \(listed.rawValue)\" lists its samples"
                }
            throw Failure.usage("\(name) has no samples with a value; \(advice)")
        }
        let type = HKObjectType.type(for: name)
        if type is HKQuantityType || type is HKCategoryType { return }
        throw Failure.usage("\(name) has no samples with a value; \"kymo types\" lists the types with values")
    }
}

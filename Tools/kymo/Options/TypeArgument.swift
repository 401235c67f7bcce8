// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HealthModel
import KymographHealth

/// The sample type.
struct TypeArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The type: HealthKit's identifier or its short name, such as stepCount.", valueName: "type"),
        completion: Self.completion)
    var name: String

    /// The completion of type names in a shell.
    static var completion: CompletionKind { .custom { _, _, begun in completions(begun) } }

    /// Returns the type names that complete the typed text in a shell.
    private static func completions(_ begun: String) -> [String] {
        let names = HealthTypes.all.map { begun.hasPrefix("HK") ? $0.identifier : $0.shortName }
        return names.filter { $0.hasPrefix(begun) }
    }

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
        if let type = HealthTypes.find(name) { return type }
        if let type = try stored().first(where: { $0.identifier == name || $0.shortName == name }) { return type }
        let near = HealthTypes.suggestions(for: name, limit: 3).map(\.shortName)
        try requireValues(name)
        let last = near.last.map { near.count > 1 ? near.dropLast().joined(separator: ", ") + " or " + $0 : $0 }
        let advice = last.map { "did you mean \($0)?" } ?? "\"kymo types\" lists the stored types"
        throw Failure.usage("no type \"\(name)\"; \(advice)")
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
            throw Failure.usage(
                "\(name) has no samples with a value; \"kymo query \(listed.rawValue)\" lists its samples")
        }
        let type = HKObjectType.type(for: name)
        if type is HKQuantityType || type is HKCategoryType { return }
        throw Failure.usage("\(name) has no samples with a value; \"kymo types\" lists the types with values")
    }
}

/// The unit of values.
struct UnitOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Unit of the values, such as km or count/min. Default: the stored unit.", valueName: "unit"))
    var unit: String?

    /// Returns the unit; nil if the option is not given. Throws if the type cannot have this unit.
    func resolved(_ type: HealthType) throws -> HKUnit? {
        try unit.map { try Self.unit($0, of: type) }
    }

    /// The words for `%`.
    private static let percentNames = ["percent", "per cent"]

    /// Returns the unit of a string. Throws if the type cannot have this unit.
    static func unit(_ unit: String, of type: HealthType) throws -> HKUnit {
        let parsed = try HKUnit(parsing: percentNames.contains(unit.lowercased()) ? ShownUnit.percent : unit)
        if type.kind == .category {
            throw Failure.usage("\(type.shortName) is a category and has no unit; omit --unit")
        }
        guard type.isCompatible(with: parsed) else {
            let usual = type.canonicalUnit.map { ", such as \($0.unitString)" } ?? ""
            throw Failure.usage("\(unit) does not fit \(type.shortName); use a compatible unit\(usual)")
        }
        return parsed
    }
}

/// The selected sources.
struct SourceOption: ParsableArguments {
    @Option(
        name: .customLong("source"),
        help: ArgumentHelp("Use only this source; may be repeated.", valueName: "name"))
    var names: [String] = []

    /// Returns the stored names of the given sources, ignoring kinds of blanks. Throws if one is not stored.
    func resolved(_ store: HealthStore, asOf commit: Int64? = nil) throws -> Set<String>? {
        names.isEmpty ? nil : try Self.matching(names, store, asOf: commit)
    }

    /// Returns the stored sources with the given names.
    static func matching(
        _ names: [String], _ store: HealthStore, asOf commit: Int64? = nil
    ) throws -> Set<String> {
        try matching(names, among: store.sources(asOf: commit).map(\.name))
    }

    /// Returns the known sources with the given names.
    static func matching(_ names: [String], among known: [String]) throws -> Set<String> {
        var wanted = Set<String>()
        for name in names {
            let found = known.filter { $0 == name || Self.plain($0) == Self.plain(name) }
            if found.isEmpty { throw Failure.usage("no source \"\(name)\"; \"kymo sources\" lists them") }
            wanted.formUnion(found)
        }
        return wanted
    }

    /// Returns the name in lower case with plain blanks and apostrophes: exports contain typographic ones.
    private static func plain(_ name: String) -> String {
        String(name.lowercased().map { $0.isWhitespace ? " " : $0 == "\u{2019}" ? "'" : $0 })
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HealthModel
import KymographHealth

/// Which type of sample.
struct TypeArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The type: HealthKit's identifier or its short name, such as stepCount.", valueName: "type"),
        completion: .custom { _, _, begun in Self.completions(begun) })
    var name: String

    /// The names that a shell offers for what is typed so far.
    private static func completions(_ begun: String) -> [String] {
        let names = HealthTypes.all.map { begun.hasPrefix("HK") ? $0.identifier : $0.shortName }
        return names.filter { $0.hasPrefix(begun) }
    }

    /// The type that is meant.
    ///
    /// - Parameter store: A store may hold types that are newer than this program.
    func resolved(_ store: HealthStore) throws -> HealthType { try Self.type(name, store) }

    /// The type that a name means; see `resolved(_:)`.
    static func type(_ name: String, _ store: HealthStore) throws -> HealthType {
        try type(name) { try store.types().map(\.type) }
    }

    /// - Parameter stored: the types that a store holds.
    static func type(_ name: String, among stored: () throws -> [HealthType]) throws -> HealthType {
        if let type = HealthTypes.find(name) { return type }
        if let type = try stored().first(where: { $0.identifier == name || $0.shortName == name }) { return type }
        let near = HealthTypes.suggestions(for: name, limit: 3).map(\.shortName)
        try requireValues(name)
        let last = near.last.map { near.count > 1 ? near.dropLast().joined(separator: ", ") + " or " + $0 : $0 }
        let advice = last.map { "did you mean \($0)?" } ?? "\"kymo types\" lists what the store holds"
        throw Failure.usage("there is no type \"\(name)\"; \(advice)")
    }
}

extension TypeArgument {
    /// Refuses types of objects that are no samples with a value, and says what to take in their place.
    private static func requireValues(_ name: String) throws {
        if let correlation = TypeList.correlation(name) {
            let members = correlation.hasSuffix("Food") ? "dietaryProtein" : "bloodPressureSystolic"
            throw Failure.usage(
                "correlations have no samples with a value; take the types of their members, such as \(members)")
        }
        if let listed = ListedType.find(name) {
            throw Failure.usage(
                "\(name) has no samples with a value; \"kymo query \(listed.rawValue)\" lists what it has")
        }
        let type = HKObjectType.type(for: name)
        if type is HKQuantityType || type is HKCategoryType { return }
        throw Failure.usage("\(name) has no samples with a value; \"kymo types\" lists the types that have")
    }
}

/// Which unit.
struct UnitOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The unit of the values, such as km or count/min. Default: the stored one.", valueName: "unit"))
    var unit: String?

    /// - Parameter type: What the unit has to measure.
    func resolved(_ type: HealthType) throws -> HKUnit? {
        try unit.map { try Self.unit($0, of: type) }
    }

    /// A unit that measures a type.
    static func unit(_ unit: String, of type: HealthType) throws -> HKUnit {
        let parsed = try HKUnit(parsing: unit)
        if type.kind == .category {
            throw Failure.usage("\(type.shortName) is a category and has no unit; leave --unit out")
        }
        guard type.isCompatible(with: parsed) else {
            let usual = type.canonicalUnit.map { ", such as \($0.unitString)" } ?? ""
            throw Failure.usage("\(unit) does not measure \(type.shortName); use a unit that does\(usual)")
        }
        return parsed
    }
}

/// Only some sources.
struct SourceOption: ParsableArguments {
    @Option(
        name: .customLong("source"),
        help: ArgumentHelp("Only this source; may be given several times.", valueName: "name"))
    var names: [String] = []

    /// The names, which must be in the store. Names that differ only in kinds of blanks are the same to a person.
    func resolved(_ store: HealthStore, asOf commit: Int64? = nil) throws -> Set<String>? {
        names.isEmpty ? nil : try Self.matching(names, store, asOf: commit)
    }

    /// The sources in the store that names mean.
    static func matching(
        _ names: [String], _ store: HealthStore, asOf commit: Int64? = nil
    ) throws -> Set<String> {
        try matching(names, among: store.sources(asOf: commit).map(\.name))
    }

    /// The sources of these that names mean.
    static func matching(_ names: [String], among known: [String]) throws -> Set<String> {
        var wanted = Set<String>()
        for name in names {
            let found = known.filter { $0 == name || Self.plain($0) == Self.plain(name) }
            if found.isEmpty { throw Failure.usage("there is no source \"\(name)\"; \"kymo sources\" lists them") }
            wanted.formUnion(found)
        }
        return wanted
    }

    /// Small letters, one kind of blank and of apostrophe: exports have typographic ones that no keyboard has.
    private static func plain(_ name: String) -> String {
        String(name.lowercased().map { $0.isWhitespace ? " " : $0 == "\u{2019}" ? "'" : $0 })
    }
}

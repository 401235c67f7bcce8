// SPDX-License-Identifier: Apache-2.0

/// A named value of a category sample.
public struct HealthCategoryValue: Hashable, Sendable {
    /// The name of the constant in exports: `HKCategoryValueSleepAnalysisAsleepCore`.
    public let name: String
    /// The number stored in a sample.
    public let rawValue: Int

    /// Creates a value with this name and number.
    public init(name: String, rawValue: Int) {
        self.name = name
        self.rawValue = rawValue
    }
}

/// The names and numbers of category values by type.
public enum HealthCategoryValues {
    /// Returns all values of a type, including former names, current names first; empty for unknown types.
    public static func values(of type: HKCategoryTypeIdentifier) -> [HealthCategoryValue] {
        index.sets[type.rawValue]?.flatMap(\.values) ?? []
    }

    /// Returns whether a sample of the type may hold this number; always true for an unknown type.
    public static func isValid(_ rawValue: Int, for type: HKCategoryTypeIdentifier) -> Bool {
        guard let sets = index.sets[type.rawValue] else { return true }
        return sets.contains { $0.values.contains { $0.rawValue == rawValue } }
    }

    /// Returns the current name of a number in this type; nil if it has none.
    public static func name(of rawValue: Int, for type: HKCategoryTypeIdentifier) -> String? {
        for set in index.sets[type.rawValue] ?? [] {
            if let value = set.values.first(where: { $0.rawValue == rawValue }) { return value.name }
        }
        return nil
    }

    /// Returns the number that a text means in this type; nil if it means none.
    ///
    /// The text is looked up in this order: a name of the type; a name of any other enumeration (exports of older
    /// systems write `HKCategoryValueNotApplicable` for types that have names today); the last part of a name of the
    /// type, ignoring case (`asleepCore`); an integer. Call ``isValid(_:for:)`` to check that the type has the number.
    public static func rawValue(of text: String, for type: HKCategoryTypeIdentifier) -> Int? {
        let sets = index.sets[type.rawValue] ?? []
        for set in sets {
            if let value = set.values.first(where: { $0.name == text }) { return value.rawValue }
        }
        if let raw = index.anywhere[text] { return raw }
        for set in sets {
            for value in set.values where shortName(value, in: set).elementsEqual(text.utf8, by: Letters.same) {
                return value.rawValue
            }
        }
        return Int(text)
    }

    /// Returns the short names of a type's values, current names first: `asleepCore`; empty for unknown types.
    package static func shortNames(of type: HKCategoryTypeIdentifier) -> [String] {
        (index.sets[type.rawValue] ?? []).flatMap { set in
            set.values.map { HealthType.memberName(String($0.name.dropFirst(set.name.count))) }
        }
    }

    private static func shortName(_ value: HealthCategoryValue, in set: CategoryValueSet) -> Substring.UTF8View {
        value.name.dropFirst(set.name.count).utf8
    }

    private static let index = Index()

    private struct Index: Sendable {
        let sets: [String: [CategoryValueSet]]
        let anywhere: [String: Int]

        init() {
            let types = TypeTables.categoryTypes.map { (HealthType.categoryPrefix + $0.name, $0.sets) }
            sets = Dictionary(types) { first, _ in first }
            let values = CategoryValueSet.all.flatMap(\.values).map { ($0.name, $0.rawValue) }
            anywhere = Dictionary(values) { first, _ in first }
        }
    }
}

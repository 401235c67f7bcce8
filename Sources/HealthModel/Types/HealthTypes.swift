// SPDX-License-Identifier: Apache-2.0

/// The registry of sample types: all types, lookup by identifier, lookup by a person's input.
public enum HealthTypes {
    /// All types of the tables: quantities, then categories, each in table order.
    public static var all: [HealthType] { index.all }

    /// Returns the type with exactly this identifier; a type derived from the prefix if the tables do not contain it.
    ///
    /// An unknown type, for instance from a newer system, has `isKnown == false`, is discrete and has no canonical
    /// unit. An identifier without a known prefix is a quantity. One dictionary lookup.
    public static func type(for identifier: String) -> HealthType {
        index.byIdentifier[identifier] ?? HealthType(unknown: identifier)
    }

    /// Returns the quantity type with this identifier, which may be unknown.
    public static func type(for identifier: HKQuantityTypeIdentifier) -> HealthType { type(for: identifier.rawValue) }

    /// Returns the category type with this identifier, which may be unknown.
    public static func type(for identifier: HKCategoryTypeIdentifier) -> HealthType { type(for: identifier.rawValue) }

    /// Returns the type that matches a person's input: `stepCount`, `StepCount`, `step-count`, `step count` or
    /// `HKQuantityTypeIdentifierStepCount`, ignoring case; nil if there is none.
    public static func find(_ text: String) -> HealthType? { index.byFoldedName[fold(text)] }

    /// Returns the types whose names are most similar to a person's input, best first, for "did you mean".
    ///
    /// Names that contain the text come before names within a few typing errors (an inserted, missing, wrong or swapped
    /// letter counts as one error). Texts with fewer than 2 or more than 100 bytes have no suggestions.
    public static func suggestions(for text: String, limit: Int = 5) -> [HealthType] {
        let wanted = Array(HealthType.withoutPrefix(fold(text)).utf8)
        guard wanted.count > 1, wanted.count <= 100, limit > 0 else { return [] }
        var found: [(score: Int, at: Int)] = []
        for (at, candidate) in candidates.enumerated() {
            if let score = candidate.score(wanted) { found.append((score, at)) }
        }
        found.sort { ($0.score, $0.at) < ($1.score, $1.at) }
        return found.prefix(limit).map { index.all[$0.at] }
    }

    /// Returns the text in lower case, reduced to letters and digits.
    static func fold(_ text: String) -> String {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            let lower = Letters.lower(byte)
            if Letters.isLower(lower) || Letters.isDigit(lower) { folded.append(lower) }
        }
        return String(decoding: folded, as: UTF8.self)
    }

    private static let index = Index()

    /// Built on the first typing error.
    private static let candidates = index.all.map { NameCandidate($0.shortName) }

    private struct Index: Sendable {
        let all: [HealthType]
        let byIdentifier: [String: HealthType]
        let byFoldedName: [String: HealthType]

        init() {
            let types =
                TypeTables.quantityTypes.map { HealthType($0) } + TypeTables.categoryTypes.map { HealthType($0) }
            all = types
            // A test rejects duplicate names in the tables; this code would keep the first.
            byIdentifier = Dictionary(types.map { ($0.identifier, $0) }) { first, _ in first }
            let quantity = HealthTypes.fold(HealthType.quantityPrefix)
            let category = HealthTypes.fold(HealthType.categoryPrefix)
            var names: [(String, HealthType)] = []
            for type in types {
                let short = HealthTypes.fold(type.shortName)
                names.append((short, type))
                names.append(((type.kind == .quantity ? quantity : category) + short, type))
            }
            byFoldedName = Dictionary(names) { first, _ in first }
        }
    }
}

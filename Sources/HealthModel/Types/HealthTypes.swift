// SPDX-License-Identifier: Apache-2.0

/// The registry of types: all of them, one by its identifier, one by what a person typed.
public enum HealthTypes {
    /// Every type of the tables: quantities, then categories, each in the order of its table.
    public static var all: [HealthType] { index.all }

    /// The type with exactly this identifier; where the tables do not have it, one made from its prefix.
    ///
    /// A type from a newer system than this build is `isKnown == false`, discrete, and has no canonical unit. An
    /// identifier with neither prefix counts as a quantity. One dictionary look-up.
    public static func type(for identifier: String) -> HealthType {
        index.byIdentifier[identifier] ?? HealthType(unknown: identifier)
    }

    /// The quantity type with this identifier, known or not.
    public static func type(for identifier: HKQuantityTypeIdentifier) -> HealthType { type(for: identifier.rawValue) }

    /// The category type with this identifier, known or not.
    public static func type(for identifier: HKCategoryTypeIdentifier) -> HealthType { type(for: identifier.rawValue) }

    /// The type of the tables that a person means: `stepCount`, `StepCount`, `step-count`, `step count` or
    /// `HKQuantityTypeIdentifierStepCount`, in any case of letters; nil where none has that name.
    public static func find(_ text: String) -> HealthType? { index.byFoldedName[fold(text)] }

    /// The types of the tables nearest to what a person typed, best first: for "did you mean".
    ///
    /// A name that contains the text comes before one that is a few typing errors away (an inserted, missing, wrong
    /// or swapped letter each count one). Texts of a single letter, empty ones and very long ones get no answer.
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

    /// Lower case, nothing but letters and digits.
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

    /// Only made for a typo.
    private static let candidates = index.all.map { NameCandidate($0.shortName) }

    private struct Index: Sendable {
        let all: [HealthType]
        let byIdentifier: [String: HealthType]
        let byFoldedName: [String: HealthType]

        init() {
            let types =
                TypeTables.quantityTypes.map { HealthType($0) } + TypeTables.categoryTypes.map { HealthType($0) }
            all = types
            // A table with a name twice would be a mistake that a test finds; here the first one stands.
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

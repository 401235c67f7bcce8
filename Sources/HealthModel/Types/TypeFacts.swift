// SPDX-License-Identifier: Apache-2.0

/// What is known of a type; all objects of the type's class share it.
final class TypeFacts: Sendable {
    let identifier: String
    let kind: ObjectTypeKind
    /// Style and unit, of quantities and categories.
    let sample: HealthType?
    /// Whether samples of the type add up.
    let isCumulative: Bool
    /// The longest that a sample may be, in seconds; nil where no limit is known.
    let maximumDuration: Double?
    /// Whether the tables have the type.
    let isKnown: Bool
    /// The metadata key that samples of the type must have, if any.
    let requiredMetadata: String?
    /// Of the identifier, which is long, and types are asked for it often.
    let hash: Int

    private init(_ identifier: String, _ kind: ObjectTypeKind, sample: HealthType?, longest: Double?, isKnown: Bool) {
        self.identifier = identifier
        self.kind = kind
        self.sample = sample
        isCumulative = sample?.aggregationStyle == .cumulative
        maximumDuration = longest
        self.isKnown = isKnown
        requiredMetadata = Self.requiredMetadata[identifier]
        hash = identifier.hashValue
    }

    private convenience init(_ type: HealthType) {
        self.init(
            type.identifier, type.kind == .quantity ? .quantity : .category, sample: type, longest: nil,
            isKnown: type.isKnown)
    }

    private convenience init(_ row: OtherTypeRow) {
        self.init(row.identifier, row.kind, sample: nil, longest: row.maximumDuration, isKnown: true)
    }

    /// What types ask for: whether a menstrual flow begins a cycle, and what insulin was for.
    private static let requiredMetadata: [String: String] = [
        HKCategoryTypeIdentifier.menstrualFlow.rawValue: HKMetadataKeyMenstrualCycleStart,
        HKQuantityTypeIdentifier.insulinDelivery.rawValue: HKMetadataKeyInsulinDeliveryReason,
    ]

    /// Whether both are the same type.
    func isSame(as other: TypeFacts) -> Bool {
        self === other || (hash == other.hash && kind == other.kind && identifier == other.identifier)
    }
}

extension TypeFacts {
    private static let all: [TypeFacts] =
        HealthTypes.all.map { TypeFacts($0) } + TypeTables.otherTypes.map { TypeFacts($0) }

    private static let index: [String: TypeFacts] =
        Dictionary(all.map { ($0.identifier, $0) }) { first, _ in first }

    private static let firstOfKind: [ObjectTypeKind: TypeFacts] =
        Dictionary(all.map { ($0.kind, $0) }) { first, _ in first }

    /// The type of the tables with this identifier, if it is of this kind.
    static func known(_ identifier: String, _ kind: ObjectTypeKind) -> TypeFacts? {
        guard let facts = index[identifier], facts.kind == kind else { return nil }
        return facts
    }

    /// The type of this kind with this identifier; one that the tables do not have is newer than this build.
    static func of(_ identifier: String, _ kind: ObjectTypeKind) -> TypeFacts {
        if let facts = known(identifier, kind) { return facts }
        switch kind {
        case .quantity, .category:
            let type = HealthTypes.type(for: identifier)
            if (type.kind == .quantity) == (kind == .quantity) { return TypeFacts(type) }
            return TypeFacts(identifier, kind, sample: nil, longest: nil, isKnown: false)
        default: return TypeFacts(identifier, kind, sample: nil, longest: nil, isKnown: false)
        }
    }

    /// The only type of a kind that has one type: the workout type, say.
    static func only(_ kind: ObjectTypeKind) -> TypeFacts { firstOfKind[kind] ?? of(kind.rawValue, kind) }

    /// The type with this identifier, whatever it is; where the tables do not have it, the prefix tells the kind, and
    /// without one it counts as a quantity.
    static func find(_ identifier: String) -> TypeFacts {
        if let facts = index[identifier] { return facts }
        let kind = ObjectTypeKind.allCases.first { $0.prefix.map(identifier.hasPrefix) ?? false }
        return of(identifier, kind ?? .quantity)
    }

    /// A quantity or category type.
    static func of(_ type: HealthType) -> TypeFacts {
        of(type.identifier, type.kind == .quantity ? .quantity : .category)
    }
}

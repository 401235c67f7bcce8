// SPDX-License-Identifier: Apache-2.0

/// The properties of a type, shared by all objects of the type's class.
final class TypeFacts: Sendable {
    let identifier: String
    let kind: ObjectTypeKind
    /// The aggregation style and unit; nil for all types but quantities and categories.
    let sample: HealthType?
    /// True if samples of the type have a sum.
    let isCumulative: Bool
    /// The maximum duration of a sample in seconds; nil if no limit is known.
    let maximumDuration: Double?
    /// True if the tables contain the type.
    let isKnown: Bool
    /// The metadata key that samples of the type must have; nil if there is none.
    let requiredMetadata: String?
    /// The hash of the identifier, stored because identifiers are long and hashed often.
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

    /// Required metadata: whether a menstrual flow starts a cycle, and the reason for an insulin delivery.
    private static let requiredMetadata: [String: String] = [
        HKCategoryTypeIdentifier.menstrualFlow.rawValue: HKMetadataKeyMenstrualCycleStart,
        HKQuantityTypeIdentifier.insulinDelivery.rawValue: HKMetadataKeyInsulinDeliveryReason,
    ]

    /// Returns whether both are the same type.
    func isSame(as other: TypeFacts) -> Bool {
        self === other || (hash == other.hash && kind == other.kind && identifier == other.identifier)
    }

    private static let all: [TypeFacts] =
        HealthTypes.all.map { TypeFacts($0) } + TypeTables.otherTypes.map { TypeFacts($0) }

    private static let index: [String: TypeFacts] =
        Dictionary(all.map { ($0.identifier, $0) }) { first, _ in first }

    private static let firstOfKind: [ObjectTypeKind: TypeFacts] =
        Dictionary(all.map { ($0.kind, $0) }) { first, _ in first }

    /// Returns the type in the tables with this identifier; nil if there is none of this kind.
    static func known(_ identifier: String, _ kind: ObjectTypeKind) -> TypeFacts? {
        guard let facts = index[identifier], facts.kind == kind else { return nil }
        return facts
    }

    /// Returns the type of this kind with this identifier, which may be unknown.
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

    /// Returns the type of a kind with a single type, for instance the workout type.
    static func only(_ kind: ObjectTypeKind) -> TypeFacts { firstOfKind[kind] ?? of(kind.rawValue, kind) }

    /// Returns the type of any kind with this identifier. The kind of an unknown identifier follows from its prefix;
    /// without a known prefix it is a quantity.
    static func find(_ identifier: String) -> TypeFacts {
        if let facts = index[identifier] { return facts }
        let kind = ObjectTypeKind.allCases.first { $0.prefix.map(identifier.hasPrefix) ?? false }
        return of(identifier, kind ?? .quantity)
    }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The identifier of the type of state-of-mind entries.
public let HKDataTypeIdentifierStateOfMind = "HKDataTypeStateOfMind"

/// A feeling at a moment, or the mood of a day.
public final class HKStateOfMind: HKSample, @unchecked Sendable {
    /// The kind of the entry. Raw values are HealthKit's.
    public enum Kind: Int, Hashable, Sendable, CaseIterable {
        /// A feeling at a moment.
        case momentaryEmotion = 1
        /// The mood of a day.
        case dailyMood = 2
    }

    /// A part of the range from unpleasant to pleasant. Raw values are HealthKit's.
    public enum ValenceClassification: Int, Hashable, Sendable, CaseIterable {
        /// Below -5/7.
        case veryUnpleasant = 1
        /// From -5/7 to below -3/7.
        case unpleasant = 2
        /// From -3/7 to below -1/7.
        case slightlyUnpleasant = 3
        /// From -1/7 to 1/7.
        case neutral = 4
        /// Above 1/7, to 3/7.
        case slightlyPleasant = 5
        /// Above 3/7, to 5/7.
        case pleasant = 6
        /// Above 5/7.
        case veryPleasant = 7

        /// Creates the classification of a valence: seven equal parts. HealthKit's limits are not public.
        ///
        /// - Parameter valence: from -1 to 1; nil is returned for any other number.
        public init?(valence: Double) {
            guard (-1...1).contains(valence) else { return nil }
            let sevenths = valence.magnitude * 7
            let steps = sevenths <= 1 ? 0 : sevenths <= 3 ? 1 : sevenths <= 5 ? 2 : 3
            self.init(rawValue: 4 + (valence < 0 ? -steps : steps))
        }
    }

    /// The kind of the entry.
    public let kind: Kind
    /// From -1, very unpleasant, to 1, very pleasant.
    public let valence: Double
    /// The feelings.
    public let labels: [Label]
    /// The areas of life that caused the feelings.
    public let associations: [Association]

    package init(
        header: ObjectHeader, date: Date, kind: Kind, valence: Double, labels: [Label], associations: [Association]
    ) {
        self.kind = kind
        self.valence = valence
        self.labels = labels
        self.associations = associations
        super.init(header: header, type: HKObjectType.stateOfMindType(), start: date, end: date)
    }

    /// Decodes an entry that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKStateOfMind.self) else { return nil }
        kind = known.kind
        valence = known.valence
        labels = known.labels
        associations = known.associations
        super.init(coder: coder)
    }

    /// Creates an entry. Never fails; `save` refuses a valence outside of -1 to 1, where HealthKit raises an exception.
    ///
    /// - Parameters:
    ///   - date: the start and the end of the sample.
    ///   - valence: from -1, very unpleasant, to 1, very pleasant.
    public convenience init(
        date: Date, kind: Kind, valence: Double, labels: [Label], associations: [Association],
        metadata: [String: Any]? = [:]
    ) {
        self.init(
            header: ObjectHeader(device: nil, metadata: metadata), date: date, kind: kind, valence: valence,
            labels: labels, associations: associations)
    }

    /// The classification of the valence; neutral for a valence that cannot be saved.
    public var valenceClassification: ValenceClassification { ValenceClassification(valence: valence) ?? .neutral }

    /// The values as fields: 1 kind, 2 valence, 3 each label, 4 each association.
    package override var fields: HealthFields? {
        var fields = HealthFields()
        fields.put(1, kind.rawValue)
        fields.put(2, valence)
        for label in labels { fields.put(3, label.rawValue) }
        for association in associations { fields.put(4, association.rawValue) }
        return fields
    }

    /// Returns the entry of a header, a date and fields.
    static func stored(
        _ header: ObjectHeader, _ fields: HealthFields, at date: Date
    ) throws(HealthFields.Fault) -> HKStateOfMind {
        HKStateOfMind(
            header: header, date: date, kind: try required(fields.all(1, of: Kind.self).first, "the kind of the entry"),
            valence: try required(fields.real(2), "the valence"), labels: try fields.all(3, of: Label.self),
            associations: try fields.all(4, of: Association.self))
    }
}

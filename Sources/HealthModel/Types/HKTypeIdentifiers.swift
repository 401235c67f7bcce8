// SPDX-License-Identifier: Apache-2.0

/// The identifier of a quantity type. Static members name all types of the tables; any other text is valid too.
public struct HKQuantityTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored and exported identifier: `HKQuantityTypeIdentifierStepCount`.
    public let rawValue: String

    /// Creates the identifier with this text, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The stored and exported identifier.
    public var description: String { rawValue }
}

/// The identifier of a category type. Static members name all types of the tables; any other text is valid too.
public struct HKCategoryTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored and exported identifier: `HKCategoryTypeIdentifierSleepAnalysis`.
    public let rawValue: String

    /// Creates the identifier with this text, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The stored and exported identifier.
    public var description: String { rawValue }
}

/// The identifier of a correlation type: samples that belong together, such as the two values of a blood pressure.
public struct HKCorrelationTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored and exported identifier: `HKCorrelationTypeIdentifierBloodPressure`.
    public let rawValue: String

    /// Creates the identifier with this text, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The stored and exported identifier.
    public var description: String { rawValue }
}

/// The identifier of a characteristic: a property of a person that does not change, such as the date of birth.
public struct HKCharacteristicTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored and exported identifier: `HKCharacteristicTypeIdentifierBloodType`.
    public let rawValue: String

    /// Creates the identifier with this text, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The stored and exported identifier.
    public var description: String { rawValue }
}

/// The identifier of a type of clinical records, such as lab results.
public struct HKClinicalTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored identifier: `HKClinicalTypeIdentifierLabResultRecord`.
    public let rawValue: String

    /// Creates the identifier with this text, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The stored identifier.
    public var description: String { rawValue }
}

/// The identifier of a type of documents.
public struct HKDocumentTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored identifier: `HKDocumentTypeIdentifierCDA`.
    public let rawValue: String

    /// Creates the identifier with this text, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The stored identifier.
    public var description: String { rawValue }
}

/// The identifier of a type of questionnaires with a score.
public struct HKScoredAssessmentTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stored identifier: `HKScoredAssessmentTypeIdentifierGAD7`.
    public let rawValue: String

    /// Creates the identifier with this text, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The stored identifier.
    public var description: String { rawValue }
}

/// The style in which samples of a quantity type are aggregated. Raw values are HealthKit's.
public enum HKQuantityAggregationStyle: Int, Hashable, Sendable, CaseIterable {
    /// Samples add up: steps, energy, distance.
    case cumulative = 0
    /// The average is the mean of the values: body mass.
    case discreteArithmetic = 1
    /// The average weights each value by its duration: heart rate.
    case discreteTemporallyWeighted = 2
    /// The average is the equivalent continuous sound level of IEC 61672-1: headphone audio exposure.
    case discreteEquivalentContinuousLevel = 3

    /// The older name of ``discreteArithmetic``.
    public static var discrete: Self { .discreteArithmetic }
}

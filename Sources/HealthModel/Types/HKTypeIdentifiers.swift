// SPDX-License-Identifier: Apache-2.0

/// Names a quantity type. Every type of the tables is a static member; any other text is an identifier too.
public struct HKQuantityTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The identifier as it is stored and exported: `HKQuantityTypeIdentifierStepCount`.
    public let rawValue: String

    /// The identifier with this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The identifier as it is stored and exported.
    public var description: String { rawValue }
}

/// Names a category type. Every type of the tables is a static member; any other text is an identifier too.
public struct HKCategoryTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The identifier as it is stored and exported: `HKCategoryTypeIdentifierSleepAnalysis`.
    public let rawValue: String

    /// The identifier with this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The identifier as it is stored and exported.
    public var description: String { rawValue }
}

/// Names a correlation type: samples that belong together, such as the two numbers of a blood pressure.
public struct HKCorrelationTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The identifier as it is stored and exported: `HKCorrelationTypeIdentifierBloodPressure`.
    public let rawValue: String

    /// The identifier with this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The identifier as it is stored and exported.
    public var description: String { rawValue }
}

/// Names a characteristic: a fact about the person that does not change with time, such as the date of birth.
public struct HKCharacteristicTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The identifier as it is stored and exported: `HKCharacteristicTypeIdentifierBloodType`.
    public let rawValue: String

    /// The identifier with this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The identifier as it is stored and exported.
    public var description: String { rawValue }
}

/// Names a type of clinical records, such as lab results.
public struct HKClinicalTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The identifier as it is stored: `HKClinicalTypeIdentifierLabResultRecord`.
    public let rawValue: String

    /// The identifier with this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The identifier as it is stored.
    public var description: String { rawValue }
}

/// Names a type of documents.
public struct HKDocumentTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The identifier as it is stored: `HKDocumentTypeIdentifierCDA`.
    public let rawValue: String

    /// The identifier with this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The identifier as it is stored.
    public var description: String { rawValue }
}

/// Names a type of questionnaires with a score.
public struct HKScoredAssessmentTypeIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The identifier as it is stored: `HKScoredAssessmentTypeIdentifierGAD7`.
    public let rawValue: String

    /// The identifier with this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The identifier as it is stored.
    public var description: String { rawValue }
}

/// How samples of a quantity type are put together. Raw values are HealthKit's.
public enum HKQuantityAggregationStyle: Int, Hashable, Sendable, CaseIterable {
    /// Samples add up: steps, energy, distance.
    case cumulative = 0
    /// The average is the mean of the values: body mass.
    case discreteArithmetic = 1
    /// The average weights each value with the time it held: heart rate.
    case discreteTemporallyWeighted = 2
    /// The average is the equivalent continuous sound level of IEC 61672-1: headphone audio exposure.
    case discreteEquivalentContinuousLevel = 3

    /// The older name of ``discreteArithmetic``.
    public static var discrete: Self { .discreteArithmetic }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The way in which a tone reaches the inner ear. The raw value is HealthKit's.
public enum HKAudiogramConductionType: Int, Hashable, Sendable, CaseIterable {
    /// Through the air, with headphones.
    case air = 0
}

/// The tested ear. Raw values are HealthKit's.
public enum HKAudiogramSensitivityTestSide: Int, Hashable, Sendable, CaseIterable {
    /// The left ear.
    case left = 0
    /// The right ear.
    case right = 1
}

/// The range of sensitivities that a test can measure. A result at a bound may be lower or higher in truth.
public final class HKAudiogramSensitivityPointClampingRange: NSObject, NSCopying, Sendable {
    /// The lowest sensitivity in `dBHL`; nil if there is no bound.
    public let lowerBound: HKQuantity?
    /// The highest sensitivity in `dBHL`; nil if there is no bound.
    public let upperBound: HKQuantity?

    /// Creates a range of numbers in `dBHL`.
    ///
    /// - Parameters:
    ///   - lowerBound: from -100 to 200; nil for no bound.
    ///   - upperBound: from -100 to 200 and above the lower bound; nil for no bound.
    /// - Throws: ``HKError`` `errorInvalidArgument` for other numbers, and for a range without any bound.
    public convenience init(lowerBound: NSNumber?, upperBound: NSNumber?) throws {
        try self.init(lowerBound?.doubleValue, upperBound?.doubleValue)
    }

    package init(_ lower: Double?, _ upper: Double?) throws(HKError) {
        for bound in [lower, upper] {
            if let bound, !HKAudiogramSensitivityTest.levels.contains(bound) {
                throw HKError(
                    .errorInvalidArgument, reason: "the bound \(NumberText.shortest(bound)) dBHL is not a sensitivity",
                    place: "clampingRange", advice: "give a number from -100 to 200")
            }
        }
        guard lower != nil || upper != nil, lower ?? -.infinity < upper ?? .infinity else {
            throw HKError(
                .errorInvalidArgument, reason: "the range is empty or has no bound", place: "clampingRange",
                advice: "give a lower bound below the upper one, or leave one out")
        }
        lowerBound = lower.map { HKQuantity(unit: .decibelHearingLevel(), doubleValue: $0) }
        upperBound = upper.map { HKQuantity(unit: .decibelHearingLevel(), doubleValue: $0) }
        super.init()
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the bounds.
    public override var hash: Int { lowerBound.hashValue ^ (upperBound.hashValue &* 31) }

    /// Returns whether the other range has the same bounds.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKAudiogramSensitivityPointClampingRange else { return false }
        return lowerBound == other.lowerBound && upperBound == other.upperBound
    }

    /// The bounds.
    public override var description: String {
        "\(lowerBound.map { "\($0)" } ?? "any") to \(upperBound.map { "\($0)" } ?? "any")"
    }
}

/// The quietest tone of one frequency that one ear hears.
public final class HKAudiogramSensitivityTest: NSObject, NSCopying, Sendable {
    /// The sensitivity in `dBHL`: 0 for young, healthy ears, higher for worse hearing.
    public let sensitivity: HKQuantity
    /// The way in which the tone reached the ear.
    public let type: HKAudiogramConductionType
    /// Whether noise kept the other ear from hearing the tone.
    public let masked: Bool
    /// The tested ear.
    public let side: HKAudiogramSensitivityTestSide
    /// The range that the test could measure; nil if unknown.
    public let clampingRange: HKAudiogramSensitivityPointClampingRange?

    /// The accepted sensitivities in `dBHL`. HealthKit's range is not public.
    static let levels = -100.0...200.0

    /// Creates a test.
    ///
    /// - Parameter sensitivity: from -100 to 200 `dBHL`.
    /// - Throws: ``HKError`` `errorInvalidArgument` for another number or unit.
    public init(
        sensitivity: HKQuantity, type: HKAudiogramConductionType, masked: Bool, side: HKAudiogramSensitivityTestSide,
        clampingRange: HKAudiogramSensitivityPointClampingRange? = nil
    ) throws {
        self.sensitivity = try Self.checked(sensitivity)
        self.type = type
        self.masked = masked
        self.side = side
        self.clampingRange = clampingRange
        super.init()
    }

    package static func checked(_ sensitivity: HKQuantity) throws(HKError) -> HKQuantity {
        guard levels.contains(sensitivity.doubleValue(for: .decibelHearingLevel())) else {
            throw HKError(
                .errorInvalidArgument, reason: "\(sensitivity) is not a sensitivity", place: "sensitivity",
                advice: "give a number from -100 to 200 in dBHL")
        }
        return sensitivity
    }

    /// The values as fields: 1 sensitivity, 2 conduction, 3 masked, 4 side, 5 and 6 the bounds in `dBHL`.
    var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, sensitivity)
        fields.put(2, type.rawValue)
        fields.put(3, masked ? 1 : 0)
        fields.put(4, side.rawValue)
        fields.put(5, clampingRange?.lowerBound?.value)
        fields.put(6, clampingRange?.upperBound?.value)
        return fields
    }

    /// Creates the test of its fields.
    convenience init(fields: HealthFields) throws(HealthFields.Fault) {
        let sensitivity = try required(fields.quantity(1), "the sensitivity of a test")
        let type = try required(fields.all(2, of: HKAudiogramConductionType.self).first, "the conduction of a test")
        let masked = try fields.integer(3) == 1
        let side = try required(fields.all(4, of: HKAudiogramSensitivityTestSide.self).first, "the side of a test")
        let (lower, upper) = (try fields.real(5), try fields.real(6))
        do {
            try self.init(
                sensitivity: sensitivity, type: type, masked: masked, side: side,
                clampingRange: lower == nil && upper == nil
                    ? nil : HKAudiogramSensitivityPointClampingRange(lower, upper))
        } catch {
            throw HealthFields.Fault(reason: (error as? HKError)?.reason ?? "a test is not valid")
        }
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the values.
    public override var hash: Int { fields.hashValue }

    /// Returns whether the other test has equal values.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKAudiogramSensitivityTest)?.fields == fields
    }

    /// The ear, the sensitivity and the conditions.
    public override var description: String {
        let range = clampingRange.map { ", measured from \($0)" } ?? ""
        return "\(side) \(sensitivity)\(masked ? ", masked" : "")\(range)"
    }
}

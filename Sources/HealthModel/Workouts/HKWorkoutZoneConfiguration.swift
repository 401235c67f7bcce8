// SPDX-License-Identifier: Apache-2.0

/// The zones of a quantity type: three to nine adjacent ranges of values. The lowest zone has no lower bound, and the
/// highest zone no upper bound.
///
/// ```swift
/// let beats = HKUnit.count().unitDivided(by: .minute())
/// let zones = try HKWorkoutZoneConfiguration(
///     quantityType: HKQuantityType(.heartRate),
///     zoneBoundaries: [91, 114, 136, 158].map { HKQuantity(unit: beats, doubleValue: $0) })  // five zones
/// ```
///
/// Heart rate and cycling power have zones. A value that equals a boundary belongs to the zone above it.
public struct HKWorkoutZoneConfiguration: Sendable, Hashable {
    /// The origin of zones.
    public enum Source: Hashable, Sendable, CaseIterable {
        /// Computed from the age and measurements of the person.
        case system
        /// Chosen by the person.
        case user
        /// Set by a program.
        case app
    }

    /// The type of the values.
    public let quantityType: HKQuantityType
    /// The zones from low to high, with boundaries in `count/min` or `W`.
    public let zones: [HKWorkoutZone]
    /// The origin of the zones; `app` for a configuration that a program creates.
    public let source: Source
    /// The boundaries in the unit of the zones, ascending.
    package let boundaries: [Double]
    /// The boundaries in the type's canonical unit, ascending.
    private let limits: [Double]

    /// The possible numbers of zones.
    package static let zoneCounts = 3...9

    /// The types that have zones.
    package static let types = [HKQuantityType(.cyclingPower), HKQuantityType(.heartRate)]

    /// Creates the zones between boundaries: one more zone than boundaries.
    ///
    /// - Parameters:
    ///   - quantityType: heart rate or cycling power.
    ///   - zoneBoundaries: two to eight finite values in strictly ascending order, in units of the type.
    /// - Throws: ``HKError``: `errorInvalidArgument` for another type, and for boundaries that break these rules.
    public init(quantityType: HKQuantityType, zoneBoundaries: [HKQuantity]) throws(HKError) {
        let unit = try Self.unit(of: quantityType)
        var values: [Double] = []
        for boundary in zoneBoundaries {
            guard let value = try? boundary.value(in: unit) else {
                throw Self.refusal(
                    "the boundary \(boundary) does not convert to \(unit)", "give boundaries in \(unit)", quantityType)
            }
            values.append(value)
        }
        try self.init(quantityType, values, .app)
    }

    /// Creates the zones between boundaries in the unit of the zones.
    ///
    /// - Throws: `errorInvalidArgument`.
    package init(_ type: HKQuantityType, _ boundaries: [Double], _ source: Source) throws(HKError) {
        let unit = try Self.unit(of: type)
        guard Self.zoneCounts.contains(boundaries.count + 1) else {
            throw Self.refusal(
                "\(boundaries.count) boundaries do not make three to nine zones", "give two to eight boundaries", type)
        }
        let limits = try Self.limits(boundaries, unit, type)
        guard Self.isAscending(boundaries), Self.isAscending(limits) else {
            let text = boundaries.map { NumberText.shortest($0) }.joined(separator: ", ")
            throw Self.refusal(
                "the boundaries \(text) are not finite and ascending", "give finite boundaries, each above the last",
                type)
        }
        let quantities = boundaries.map { HKQuantity(unit: unit, doubleValue: $0) }
        quantityType = type
        self.source = source
        self.boundaries = boundaries
        self.limits = limits
        zones = (0...boundaries.count).map { index in
            HKWorkoutZone(
                index: index, minimum: index == 0 ? nil : quantities[index - 1],
                maximum: index == boundaries.count ? nil : quantities[index])
        }
    }

    /// Returns the same zones with another origin.
    package func from(_ source: Source) -> Self { Self(copy: self, source) }

    private init(copy other: Self, _ source: Source) {
        quantityType = other.quantityType
        zones = other.zones
        boundaries = other.boundaries
        limits = other.limits
        self.source = source
    }

    /// Returns the index of the zone of a value in the type's canonical unit.
    package func zone(of value: Double) -> Int {
        var zone = 0
        while zone < limits.count, value >= limits[zone] { zone += 1 }
        return zone
    }

    private static func isAscending(_ values: [Double]) -> Bool {
        values.allSatisfy(\.isFinite) && zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
    }

    /// Returns boundaries in the type's canonical unit. Samples are converted in the same way, so that a sample with
    /// the value of a boundary equals the boundary.
    private static func limits(
        _ boundaries: [Double], _ unit: HKUnit, _ type: HKQuantityType
    ) throws(HKError) -> [Double] {
        guard let own = type.canonicalUnit, let conversion = try? UnitConversion(from: unit, to: own) else {
            throw refusal("\(unit) is not a unit of the type", "use heart rate or cycling power", type)
        }
        return boundaries.map { conversion.convert($0) }
    }

    /// Throws for a type without zones.
    package static func check(_ type: HKQuantityType) throws(HKError) { _ = try unit(of: type) }

    /// The unit of the zones: `count/min` or `W`.
    package var unit: HKUnit { Self.units[quantityType] ?? .watt() }

    private static let units = [
        HKQuantityType(.heartRate): HKUnit.count().unitDivided(by: .minute()), HKQuantityType(.cyclingPower): .watt(),
    ]

    private static func unit(of type: HKQuantityType) throws(HKError) -> HKUnit {
        if let unit = units[type] { return unit }
        throw refusal("the type has no workout zones", "use heart rate or cycling power", type)
    }

    private static func refusal(_ reason: String, _ advice: String, _ type: HKQuantityType) -> HKError {
        HKError(
            .errorInvalidArgument, reason: reason, place: "HKWorkoutZoneConfiguration, \(type.identifier)",
            advice: advice)
    }
}

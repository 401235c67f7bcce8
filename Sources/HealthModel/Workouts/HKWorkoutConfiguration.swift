// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Where a workout takes place. Raw values are HealthKit's.
public enum HKWorkoutSessionLocationType: Int, Hashable, Sendable, CaseIterable {
    /// Unknown.
    case unknown = 1
    /// Indoors.
    case indoor = 2
    /// Outdoors.
    case outdoor = 3
}

/// The configuration of a workout or of one of its activities: activity type, location, length of a lap.
///
/// A configuration is mutable, as in HealthKit. Do not change an object that another thread uses. Builders and sessions
/// copy it.
public final class HKWorkoutConfiguration: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The activity type; `.other` at first.
    public var activityType: HKWorkoutActivityType {
        get { value.activity }
        set { value.activity = newValue }
    }
    /// The location; `.unknown` at first.
    public var locationType: HKWorkoutSessionLocationType {
        get { value.location }
        set { value.location = newValue }
    }
    /// The place of a swim, a pool or open water; `.unknown` at first, and for all other activities.
    public var swimmingLocationType: HKWorkoutSwimmingLocationType {
        get { value.swimming }
        set { value.swimming = newValue }
    }
    /// The length of one lap in a pool, a positive length; nil at first. A swim in a pool requires it.
    public var lapLength: HKQuantity? {
        get { value.lapLength }
        set { value.lapLength = newValue }
    }

    package var value: WorkoutConfiguration

    /// Creates a configuration of the activity type `.other` at an unknown location.
    public override init() {
        value = WorkoutConfiguration()
        super.init()
    }

    package init(_ value: WorkoutConfiguration) {
        self.value = value
        super.init()
    }

    /// Returns a new configuration with the same values.
    public func copy(with zone: NSZone? = nil) -> Any { HKWorkoutConfiguration(value) }

    /// The hash of the values.
    public override var hash: Int { value.hashValue }

    /// Returns whether the other configuration has the same values.
    public override func isEqual(_ object: Any?) -> Bool { (object as? HKWorkoutConfiguration)?.value == value }

    /// The activity type and the location.
    public override var description: String { "HKWorkoutConfiguration \(value.activity), \(value.location)" }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes all values.
    public func encode(with coder: NSCoder) {
        coder.encode(Int(value.activity.rawValue), forKey: "activity")
        coder.encode(value.location.rawValue, forKey: "location")
        coder.encode(value.swimming.rawValue, forKey: "swimming")
        guard let length = value.lapLength else { return }
        coder.encode(length.value, forKey: "lap")
        coder.encode(NSString(string: length.unit.unitString), forKey: "lapUnit")
    }

    /// Decodes a configuration that `encode(with:)` encoded; nil if the archive has no configuration.
    public required init?(coder: NSCoder) {
        // `NSCoder` ends the process when a key without a value is decoded.
        guard coder.containsValue(forKey: "activity"), coder.containsValue(forKey: "location"),
            coder.containsValue(forKey: "swimming"),
            let raw = UInt(exactly: coder.decodeInteger(forKey: "activity")),
            let activity = HKWorkoutActivityType(rawValue: raw),
            let location = HKWorkoutSessionLocationType(rawValue: coder.decodeInteger(forKey: "location")),
            let swimming = HKWorkoutSwimmingLocationType(rawValue: coder.decodeInteger(forKey: "swimming"))
        else { return nil }
        value = WorkoutConfiguration(activity, location, swimming: swimming)
        if coder.containsValue(forKey: "lap"), coder.containsValue(forKey: "lapUnit") {
            guard let text = coder.decodeObject(of: NSString.self, forKey: "lapUnit"),
                let unit = try? HKUnit(parsing: text.description)
            else { return nil }
            value.lapLength = HKQuantity(unit: unit, doubleValue: coder.decodeDouble(forKey: "lap"))
        }
        super.init()
    }
}

/// A configuration as a value.
package struct WorkoutConfiguration: Sendable, Hashable {
    package var activity: HKWorkoutActivityType = .other
    package var location: HKWorkoutSessionLocationType = .unknown
    package var swimming: HKWorkoutSwimmingLocationType = .unknown
    package var lapLength: HKQuantity?

    package init(
        _ activity: HKWorkoutActivityType = .other, _ location: HKWorkoutSessionLocationType = .unknown,
        swimming: HKWorkoutSwimmingLocationType = .unknown, lapLength: HKQuantity? = nil
    ) {
        self.activity = activity
        self.location = location
        self.swimming = swimming
        self.lapLength = lapLength
    }

    /// Creates the configuration that the metadata of a finished workout states.
    package init(_ activity: HKWorkoutActivityType, metadata: HealthMetadataValues?) {
        self.activity = activity
        if case .boolean(let isIndoor)? = metadata?[HKMetadataKeyIndoorWorkout] {
            location = isIndoor ? .indoor : .outdoor
        }
        switch metadata?[HKMetadataKeyIndoorWorkout] {
        case .integer(0)?: location = .outdoor
        case .integer(1)?: location = .indoor
        default: break
        }
        if case .integer(let raw)? = metadata?[HKMetadataKeySwimmingLocationType] {
            swimming = HKWorkoutSwimmingLocationType(rawValue: raw) ?? .unknown
        }
        if case .quantity(let length)? = metadata?[HKMetadataKeyLapLength] { lapLength = length }
    }

    /// The metadata that states the configuration; unknown properties are absent.
    package var metadata: HealthMetadataValues {
        var values = HealthMetadataValues()
        if location != .unknown { values[HKMetadataKeyIndoorWorkout] = .boolean(location == .indoor) }
        if swimming != .unknown { values[HKMetadataKeySwimmingLocationType] = .integer(swimming.rawValue) }
        if let lapLength { values[HKMetadataKeyLapLength] = .quantity(lapLength) }
        return values
    }

    private static let swims: Set<HKWorkoutActivityType> = [.swimming, .waterFitness, .waterPolo, .swimBikeRun]

    /// Throws for an invalid configuration.
    ///
    /// - Parameter isSession: whether the configuration is for a session, which cannot be a transition.
    /// - Throws: ``HKError/Code/errorInvalidArgument``, ``HKError/Code/errorWorkoutActivityNotAllowed``.
    package func check(isSession: Bool = false) throws(HKError) {
        func refusal(_ reason: String, _ advice: String) -> HKError {
            HKError(.errorInvalidArgument, reason: reason, place: "HKWorkoutConfiguration", advice: advice)
        }
        if isSession, activity == .transition {
            throw HKError(
                .errorWorkoutActivityNotAllowed, reason: "a session cannot be a transition",
                place: "HKWorkoutConfiguration.activityType",
                advice: "use swimBikeRun, and begin transitions as its activities")
        }
        if let lapLength {
            let metres = lapLength.doubleValue(for: .meter())
            guard metres > 0, metres.isFinite else {
                throw refusal("the lap length is \(lapLength)", "give a positive length, for example 25 m")
            }
        }
        if swimming == .pool, lapLength == nil {
            throw refusal("a swim in a pool needs the length of a lap", "set lapLength")
        }
        if swimming != .unknown, !Self.swims.contains(activity) {
            throw refusal(
                "a \(activity) workout has no swimming location",
                "leave swimmingLocationType unknown, or change activityType")
        }
    }
}

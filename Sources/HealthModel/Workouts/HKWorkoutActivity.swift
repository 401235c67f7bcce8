// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The stored properties of an activity of a workout.
package struct WorkoutActivity: Sendable, Equatable {
    package var uuid: UUID
    package var configuration: WorkoutConfiguration
    package var start: Date
    /// The end; nil while the activity is in progress.
    package var end: Date?
    package var metadata: HealthMetadataValues?
    package var statistics: WorkoutStatistics
    /// The duration in seconds that an import stated; nil for the time from start to end without pauses.
    package var statedDuration: TimeInterval?
    /// The time in zones within the activity, for each type that has time in it.
    package var zones: WorkoutZones

    package init(
        uuid: UUID, configuration: WorkoutConfiguration, start: Date, end: Date?, metadata: HealthMetadataValues? = nil,
        statistics: WorkoutStatistics = [:], statedDuration: TimeInterval? = nil, zones: WorkoutZones = [:]
    ) {
        self.uuid = uuid
        self.configuration = configuration
        self.start = start
        self.end = end
        self.metadata = metadata
        self.statistics = statistics
        self.statedDuration = statedDuration
        self.zones = zones
    }

    /// Creates the only activity of a workout without explicit activities.
    package static func whole(
        _ configuration: WorkoutConfiguration, start: Date, end: Date?, statistics: WorkoutStatistics = [:],
        zones: WorkoutZones = [:]
    ) -> WorkoutActivity {
        WorkoutActivity(
            uuid: ObjectIdentity.next(), configuration: configuration, start: start, end: end, statistics: statistics,
            zones: zones)
    }

    /// Returns the duration without pauses, in seconds.
    ///
    /// - Parameter now: the end of an activity in progress; nil if unknown, for a duration of 0.
    package func duration(_ events: [HKWorkoutEvent], now: Date? = nil) -> TimeInterval {
        if let statedDuration { return statedDuration }
        guard let end = end ?? now else { return 0 }
        return WorkoutPauses(events).activeTime(from: start, to: end)
    }
}

/// A part of a workout with a configuration of its own: the swim of a triathlon, one interval of a run.
///
/// Activities are immutable. When a builder or session ends an activity, it returns a new object with the same
/// identity.
public final class HKWorkoutActivity: NSObject, NSSecureCoding, NSCopying, Sendable {
    package let value: WorkoutActivity
    private let events: [HKWorkoutEvent]
    private let time: TimeInterval

    /// Creates an activity that a builder can add to a workout.
    ///
    /// Creation never fails. `addWorkoutActivity` throws `errorInvalidArgument` for an end before the start, and for a
    /// configuration that does not fit the workout.
    ///
    /// - Parameter endDate: the end; nil for an activity in progress.
    public convenience init(
        workoutConfiguration: HKWorkoutConfiguration, start startDate: Date, end endDate: Date?,
        metadata: [String: Any]?
    ) {
        let value = WorkoutActivity(
            uuid: ObjectIdentity.next(), configuration: workoutConfiguration.value, start: startDate, end: endDate,
            metadata: metadata.map { HealthMetadataValues($0) })
        self.init(value, events: [])
    }

    /// Creates an activity of a workout.
    ///
    /// - Parameters:
    ///   - events: the events of the workout. The activity keeps the events that overlap it.
    ///   - now: the end of an activity in progress; nil if unknown.
    package init(_ value: WorkoutActivity, events: [HKWorkoutEvent], now: Date? = nil) {
        self.value = value
        self.events = events.filter { $0.overlaps(value.start, value.end ?? .distantFuture) }
        time = value.duration(events, now: now)
        super.init()
    }

    /// The identity of the activity.
    public var uuid: UUID { value.uuid }
    /// A copy of the configuration.
    public var workoutConfiguration: HKWorkoutConfiguration { HKWorkoutConfiguration(value.configuration) }
    /// The start of the activity.
    public var startDate: Date { value.start }
    /// The end of the activity; nil while it is in progress.
    public var endDate: Date? { value.end }
    /// The metadata of the activity.
    public var metadata: [String: Any]? { value.metadata.map(\.anyValues) }
    /// The duration without pauses, in seconds; 0 for an activity in progress that is not part of a workout.
    public var duration: TimeInterval { time }
    /// The events of the workout that overlap the activity; empty for an activity that is not part of a workout.
    public var workoutEvents: [HKWorkoutEvent] { events }

    /// The statistics of the workout's samples within the activity, by type.
    public var allStatistics: [HKQuantityType: HKStatistics] {
        value.statistics.all(start: value.start, end: value.end ?? value.start)
    }

    /// Returns the statistics of a type; nil without samples of the type within the activity.
    public func statistics(for quantityType: HKQuantityType) -> HKStatistics? {
        value.statistics.statistics(for: quantityType, start: value.start, end: value.end ?? value.start)
    }

    /// The time in the zones of each type within the activity; nil without time in zones.
    public var zoneGroupsByType: [HKQuantityType: HKWorkoutZoneGroup]? { value.zones.groups }

    /// Returns the time in the zones of a type within the activity; nil without time in these zones.
    public func zoneGroup(for quantityType: HKQuantityType) -> HKWorkoutZoneGroup? {
        value.zones.group(for: quantityType)
    }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes identity, configuration, times and metadata, but not events, statistics and zones.
    public func encode(with coder: NSCoder) {
        coder.encode(NSString(string: uuid.uuidString), forKey: "uuid")
        coder.encode(workoutConfiguration, forKey: "configuration")
        coder.encode(value.start.timeIntervalSinceReferenceDate, forKey: "start")
        if let end = value.end { coder.encode(end.timeIntervalSinceReferenceDate, forKey: "end") }
        coder.encode(value.metadata, named: "metadata")
    }

    /// Decodes an activity that `encode(with:)` encoded; nil if the archive has no activity.
    public convenience init?(coder: NSCoder) {
        // `NSCoder` ends the process when a key without a value is decoded.
        guard coder.containsValue(forKey: "uuid"), coder.containsValue(forKey: "configuration"),
            coder.containsValue(forKey: "start"),
            let text = coder.decodeObject(of: NSString.self, forKey: "uuid"),
            let uuid = UUID(uuidString: text.description),
            let configuration = coder.decodeObject(of: HKWorkoutConfiguration.self, forKey: "configuration")
        else { return nil }
        func date(_ key: String) -> Date { Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: key)) }
        let value = WorkoutActivity(
            uuid: uuid, configuration: configuration.value, start: date("start"),
            end: coder.containsValue(forKey: "end") ? date("end") : nil,
            metadata: coder.decodeMetadata(named: "metadata"))
        self.init(value, events: [])
    }

    /// Returns the activity itself.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the identity.
    public override var hash: Int { uuid.hashValue }

    /// Returns whether the other activity has the same identity.
    public override func isEqual(_ object: Any?) -> Bool { (object as? HKWorkoutActivity)?.uuid == uuid }

    /// The activity type, the times and the identity.
    public override var description: String {
        let end = value.end.map(DateText.text) ?? "in progress"
        return "HKWorkoutActivity \(value.configuration.activity) \(DateText.text(value.start)) - \(end) \(uuid)"
    }
}

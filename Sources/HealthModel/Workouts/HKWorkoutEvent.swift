// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The kind of a workout event. Raw values are HealthKit's.
public enum HKWorkoutEventType: Int, Hashable, Sendable, CaseIterable {
    /// The person paused the workout.
    case pause = 1
    /// The person resumed the workout.
    case resume = 2
    /// A lap, for example one length of a pool. It may have a duration; laps do not overlap.
    case lap = 3
    /// A point of interest.
    case marker = 4
    /// The system paused the workout, because the person stopped moving.
    case motionPaused = 5
    /// The system resumed the workout.
    case motionResumed = 6
    /// A period of the workout. It may have a duration; segments may overlap.
    case segment = 7
    /// The person asked to pause or resume. The event changes no state; the program decides.
    case pauseOrResumeRequest = 8

    /// Whether an event of this type may have a duration.
    package var mayLast: Bool { self == .lap || self == .segment }

    /// The name of the constant in exports: `HKWorkoutEventTypePause`.
    public var name: String { "HKWorkoutEventType\(Self.suffixes[self] ?? "")" }

    /// Creates the type whose constant has exactly this name; nil for an unknown name.
    public init?(name: String) {
        guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    private static let suffixes: [Self: String] = [
        .pause: "Pause", .resume: "Resume", .lap: "Lap", .marker: "Marker", .motionPaused: "MotionPaused",
        .motionResumed: "MotionResumed", .segment: "Segment", .pauseOrResumeRequest: "PauseOrResumeRequest",
    ]
}

/// An event of a workout: a pause, a lap, a marker.
///
/// Events are immutable. Two events are equal if their types, intervals and metadata are equal.
public final class HKWorkoutEvent: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The kind of the event.
    public let type: HKWorkoutEventType
    /// The start of the event.
    package let start: Date
    /// The end of the event; equal to the start for an instant.
    package let end: Date
    package let values: HealthMetadataValues?

    package init(_ type: HKWorkoutEventType, start: Date, end: Date, values: HealthMetadataValues? = nil) {
        self.type = type
        self.start = start
        self.end = end
        self.values = values?.isEmpty ?? true ? nil : values
        super.init()
    }

    /// Creates an event.
    ///
    /// Only `lap` and `segment` may have an interval that is not empty. For other types HealthKit raises an exception.
    /// Here creation always succeeds; builders and `save` throw ``HKError/Code/errorInvalidArgument``.
    public convenience init(type: HKWorkoutEventType, dateInterval: DateInterval, metadata: [String: Any]?) {
        self.init(
            type, start: dateInterval.start, end: dateInterval.end, values: metadata.map { HealthMetadataValues($0) })
    }

    /// Creates an event at an instant.
    @available(*, deprecated, message: "use init(type:dateInterval:metadata:)")
    public convenience init(type: HKWorkoutEventType, date: Date) { self.init(type, start: date, end: date) }

    /// Creates an event at an instant.
    @available(*, deprecated, message: "use init(type:dateInterval:metadata:)")
    public convenience init(type: HKWorkoutEventType, date: Date, metadata: [String: Any]) {
        self.init(type, start: date, end: date, values: HealthMetadataValues(metadata))
    }

    /// The time of the event; empty for an instant.
    public var dateInterval: DateInterval { Self.interval(start, end) }

    /// The start of the event.
    @available(*, deprecated, message: "use dateInterval")
    public var date: Date { start }

    /// The metadata of the event.
    public var metadata: [String: Any]? { values.map(\.anyValues) }

    /// Returns an interval, which is empty if the end is before the start. `DateInterval` would trap.
    package static func interval(_ start: Date, _ end: Date) -> DateInterval {
        let length = end.timeIntervalSince(start)
        return DateInterval(start: start, duration: length > 0 && length.isFinite ? length : 0)
    }

    /// Returns whether the event overlaps a range. An instant at either bound overlaps it. A lap or segment that only
    /// touches a bound does not.
    func overlaps(_ first: Date, _ last: Date) -> Bool {
        start == end ? start >= first && start <= last : start < last && end > first
    }

    /// The type and the time.
    public override var description: String { "HKWorkoutEvent \(type) \(DateText.text(start)) - \(DateText.text(end))" }

    /// The hash of type and time.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(type)
        hasher.combine(start)
        hasher.combine(end)
        return hasher.finalize()
    }

    /// Returns whether the other event has the same type, time and metadata.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKWorkoutEvent else { return false }
        return other === self
            || (type == other.type && start == other.start && end == other.end && values == other.values)
    }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes type, time and metadata.
    public func encode(with coder: NSCoder) {
        coder.encode(type.rawValue, forKey: "type")
        coder.encode(start.timeIntervalSinceReferenceDate, forKey: "start")
        coder.encode(end.timeIntervalSinceReferenceDate, forKey: "end")
        coder.encode(values, named: "metadata")
    }

    /// Decodes an event that `encode(with:)` encoded; nil if the archive has no event.
    public required init?(coder: NSCoder) {
        // `NSCoder` ends the process when a key without a value is decoded.
        guard coder.containsValue(forKey: "type"), coder.containsValue(forKey: "start"),
            coder.containsValue(forKey: "end"),
            let type = HKWorkoutEventType(rawValue: coder.decodeInteger(forKey: "type"))
        else { return nil }
        self.type = type
        start = Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "start"))
        end = Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "end"))
        values = coder.decodeMetadata(named: "metadata")
        super.init()
    }

    /// Returns the event itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

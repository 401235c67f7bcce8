// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An object with a type, a start and an end.
public class HKSample: HKObject, @unchecked Sendable {
    /// The type of the sample.
    public let sampleType: HKSampleType
    /// The start of the sample.
    public let startDate: Date
    /// The end of the sample; equal to ``startDate`` for an instant.
    public let endDate: Date

    package init(header: ObjectHeader, type: HKSampleType, start: Date, end: Date) {
        sampleType = type
        startDate = start
        endDate = end
        super.init(header: header)
    }

    /// Encodes all properties of the sample.
    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(SampleRecord(self), record: "sample")
        coder.encode(fieldsOf: self)
    }

    /// Decodes a sample that `encode(with:)` encoded; nil if the archive has no sample of this class.
    public required init?(coder: NSCoder) {
        guard let record = coder.decode(SampleRecord.self, record: "sample"), let type = record.type else { return nil }
        sampleType = type
        startDate = record.start
        endDate = record.end
        super.init(coder: coder)
    }

    /// True if the end is unknown, that is, `Date.distantFuture`.
    public var hasUndeterminedDuration: Bool { endDate == .distantFuture }

    /// The type, the times and the identity.
    public override var description: String { "\(sampleType) \(times) \(uuid)" }

    /// The content of a sample that a store keeps as fields; nil for other classes.
    package var fields: HealthFields? { nil }

    var times: String { "\(DateText.text(startDate)) - \(DateText.text(endDate))" }
}

/// A sample with one of a few named values.
public final class HKCategorySample: HKSample, @unchecked Sendable {
    /// The raw value; the type's enumeration defines its meaning, for instance `HKCategoryValueSleepAnalysis`.
    public let value: Int

    package init(header: ObjectHeader, type: HKCategoryType, value: Int, start: Date, end: Date) {
        self.value = value
        super.init(header: header, type: type, start: start, end: end)
    }

    /// Creates a sample. Never fails; ``HealthSaveRules`` decides whether the sample can be saved.
    public convenience init(
        type: HKCategoryType, value: Int, start startDate: Date, end endDate: Date, device: HKDevice?,
        metadata: [String: Any]?
    ) {
        let header = ObjectHeader(device: device, metadata: metadata)
        self.init(header: header, type: type, value: value, start: startDate, end: endDate)
    }

    /// Creates a sample. Never fails; ``HealthSaveRules`` decides whether the sample can be saved.
    public convenience init(
        type: HKCategoryType, value: Int, start startDate: Date, end endDate: Date, metadata: [String: Any]?
    ) {
        self.init(type: type, value: value, start: startDate, end: endDate, device: nil, metadata: metadata)
    }

    /// Creates a sample. Never fails; ``HealthSaveRules`` decides whether the sample can be saved.
    public convenience init(type: HKCategoryType, value: Int, start startDate: Date, end endDate: Date) {
        self.init(type: type, value: value, start: startDate, end: endDate, device: nil, metadata: nil)
    }

    /// Encodes all properties of the sample.
    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode([value], record: "value")
    }

    /// Decodes a sample that `encode(with:)` encoded; nil if the archive has no category sample.
    public required init?(coder: NSCoder) {
        guard let value = coder.decode([Int].self, record: "value")?.first else { return nil }
        self.value = value
        super.init(coder: coder)
        if !(sampleType is HKCategoryType) { return nil }
    }

    /// The category type of the sample.
    public var categoryType: HKCategoryType { sampleType as? HKCategoryType ?? HKCategoryType(facts: sampleType.facts) }

    /// The type, the value, the times and the identity.
    public override var description: String { "\(sampleType) \(value) \(times) \(uuid)" }
}

/// A sample that represents a series of measurements. A builder creates the series; a query returns the measurements.
public class HKSeriesSample: HKSample, @unchecked Sendable {
    /// The number of measurements in the series.
    public let count: Int

    package init(header: ObjectHeader, type: HKSampleType, start: Date, end: Date, count: Int) {
        self.count = count
        super.init(header: header, type: type, start: start, end: end)
    }

    /// Encodes all properties of the sample, but not its measurements.
    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode([count], record: "count")
    }

    /// Decodes a sample that `encode(with:)` encoded; nil if the archive has no series.
    public required init?(coder: NSCoder) {
        guard let count = coder.decode([Int].self, record: "count")?.first else { return nil }
        self.count = count
        super.init(coder: coder)
    }
}

/// The route of a workout: a series of locations.
public final class HKWorkoutRoute: HKSeriesSample, @unchecked Sendable {
    /// Creates a route read from a store.
    package convenience init(header: ObjectHeader, start: Date, end: Date, count: Int) {
        self.init(header: header, type: HKSeriesType.workoutRoute(), start: start, end: end, count: count)
    }
}

/// A series of heartbeats.
public final class HKHeartbeatSeriesSample: HKSeriesSample, @unchecked Sendable {
    /// Creates a series read from a store.
    package convenience init(header: ObjectHeader, start: Date, end: Date, count: Int) {
        self.init(header: header, type: HKSeriesType.heartbeat(), start: start, end: end, count: count)
    }
}

// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// One sample with all its stored fields.
public struct HealthSample: Sendable, Hashable {
    /// The type.
    public var type: HealthType
    /// The start, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// The end; equal to `start` for a point.
    public var end: Int64
    /// The quantity in `unit`, or the number of a category value; -1 for an unknown category value.
    public var value: Double
    /// The requested unit, or the stored unit if none was requested; nil for categories.
    public var unit: String?
    /// The name of a category value, such as `HKCategoryValueSleepAnalysisAsleepCore`. A value stored under an older
    /// name keeps that name.
    public var valueName: String?
    /// The app or device that recorded it.
    public var source: String
    /// The version of that app or system.
    public var version: String?
    /// The description of the device, without its heap address.
    public var device: String?
    /// The time of saving, in nanoseconds since 1970-01-01 UTC.
    public var created: Int64?
    /// The metadata.
    public var metadata: HealthMetadata
    /// Its identity in this store.
    public var uuid: UUID

    /// The original text of the value in an export; nil if it equals the canonical text of the stored number or name,
    /// empty if the record had no value.
    public var originalValue: String? { metadata.hasNoValue ? "" : metadata.valueText }
}

extension HealthSample {
    /// Creates the sample that an object shows. A series becomes one sample.
    ///
    /// - Parameter unit: the unit of the value; nil for that of the object.
    /// - Returns: nil for an object without a value, or if its unit does not convert.
    package init?(_ listed: ListedSample, as type: HealthType, unit: HKUnit?) {
        let object = listed.sample
        var metadata = HealthMetadata()
        for (key, value) in (object.header.metadata ?? [:]).sorted(by: { $0.key < $1.key }) {
            metadata.entries.append(.init(key: key, value: value.exportText))
        }
        let revision = object.sourceRevision
        self.init(
            type: type, start: listed.start, end: listed.end, value: 0, source: revision.source.name,
            version: revision.version, device: object.device?.description, metadata: metadata, uuid: object.uuid)
        switch object {
        case let object as HKQuantitySample:
            let unit = unit ?? object.quantity.unit
            guard object.quantity.is(compatibleWith: unit) else { return nil }
            (value, self.unit) = (object.quantity.doubleValue(for: unit), unit.unitString)
        case let object as HKCategorySample:
            value = Double(object.value)
            valueName = HealthCategoryValues.name(
                of: object.value, for: HKCategoryTypeIdentifier(rawValue: type.identifier))
        default: return nil
        }
    }
}

/// A request for the samples of one type.
public struct SampleRequest: Sendable {
    /// The type.
    public var type: HealthType
    /// The range of the samples' starts.
    public var range: TimeRange
    /// The maximum number of samples.
    public var limit: Int
    /// The order by start: earliest first or latest first.
    public var order: ScanOrder
    /// The names of the sources; nil for all sources.
    public var sources: Set<String>?
    /// The unit of the values; nil for each sample's stored unit.
    public var unit: HKUnit?
    /// The state of the store after this commit; nil for the newest. See `TimeSeriesStore.snapshot(asOf:)`.
    public var asOf: Int64?

    /// Creates a request; by default for all samples of the type.
    public init(
        _ type: HealthType, range: TimeRange = .all, limit: Int = .max, order: ScanOrder = .forward,
        sources: Set<String>? = nil, unit: HKUnit? = nil, asOf: Int64? = nil
    ) {
        self.type = type
        self.range = range
        self.limit = limit
        self.order = order
        self.sources = sources
        self.unit = unit
        self.asOf = asOf
    }
}

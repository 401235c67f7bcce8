// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// One sample with everything that is known of it.
public struct HealthSample: Sendable, Hashable {
    /// The type.
    public var type: HealthType
    /// When it starts, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// When it ends; equal to `start` for a point.
    public var end: Int64
    /// The quantity in `unit`, or the number of a category's value; -1 for a value nobody knows.
    public var value: Double
    /// The unit asked for, or the one that the sample is stored in; nil for categories.
    public var unit: String?
    /// The name of a category's value, such as `HKCategoryValueSleepAnalysisAsleepCore`; where it was stored under
    /// another name than today's, that one.
    public var valueName: String?
    /// The app or device that recorded it.
    public var source: String
    /// The version of that app or system.
    public var version: String?
    /// The description of the device, without its heap address.
    public var device: String?
    /// When the sample was saved, in nanoseconds since 1970-01-01 UTC.
    public var created: Int64?
    /// What was said about it.
    public var metadata: HealthMetadata
    /// Its identity in this store.
    public var uuid: UUID

    /// The text that the value had in an export, where it is not the canonical text of the stored number or name;
    /// empty where it had none.
    public var originalValue: String? { metadata.hasNoValue ? "" : metadata.valueText }
}

/// Which samples of a type to give, and how.
public struct SampleRequest: Sendable {
    /// The type.
    public var type: HealthType
    /// Samples that start in this range.
    public var range: TimeRange
    /// The most samples to give.
    public var limit: Int
    /// By start, the earliest or the latest first.
    public var order: ScanOrder
    /// Only sources of these names; nil for all.
    public var sources: Set<String>?
    /// The unit of the values; nil for the one that each sample is stored in.
    public var unit: HKUnit?
    /// The commit after which the store is looked at; nil for now. See `TimeSeriesStore.snapshot(asOf:)`.
    public var asOf: Int64?

    /// A request for the samples of a type, all of them unless more is said.
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

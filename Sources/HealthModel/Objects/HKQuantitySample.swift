// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A sample with one quantity: a number with a unit.
public class HKQuantitySample: HKSample, @unchecked Sendable {
    /// The quantity; for a series its sum (cumulative types) or its average (discrete types).
    public let quantity: HKQuantity
    /// The number of quantities in the sample: 1, or more for a series.
    public let count: Int

    package init(
        header: ObjectHeader, type: HKQuantityType, quantity: HKQuantity, count: Int, start: Date, end: Date
    ) {
        self.quantity = quantity
        self.count = count
        super.init(header: header, type: type, start: start, end: end)
    }

    /// Creates a sample. Never fails; ``HealthSaveRules`` decides whether the sample can be saved.
    public convenience init(
        type quantityType: HKQuantityType, quantity: HKQuantity, start startDate: Date, end endDate: Date,
        device: HKDevice?, metadata: [String: Any]?
    ) {
        let header = ObjectHeader(device: device, metadata: metadata)
        self.init(header: header, type: quantityType, quantity: quantity, count: 1, start: startDate, end: endDate)
    }

    /// Creates a sample. Never fails; ``HealthSaveRules`` decides whether the sample can be saved.
    public convenience init(
        type quantityType: HKQuantityType, quantity: HKQuantity, start startDate: Date, end endDate: Date,
        metadata: [String: Any]?
    ) {
        self.init(
            type: quantityType, quantity: quantity, start: startDate, end: endDate, device: nil, metadata: metadata)
    }

    /// Creates a sample. Never fails; ``HealthSaveRules`` decides whether the sample can be saved.
    public convenience init(
        type quantityType: HKQuantityType, quantity: HKQuantity, start startDate: Date, end endDate: Date
    ) {
        self.init(type: quantityType, quantity: quantity, start: startDate, end: endDate, device: nil, metadata: nil)
    }

    /// Encodes all properties of the sample.
    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(QuantityRecord(quantity), record: "quantity")
        coder.encode([count], record: "count")
    }

    /// Decodes a sample that `encode(with:)` encoded; nil if the archive has no quantity sample.
    public required init?(coder: NSCoder) {
        guard let record = coder.decode(QuantityRecord.self, record: "quantity"),
            let count = coder.decode([Int].self, record: "count")?.first
        else { return nil }
        quantity = record.quantity
        self.count = count
        super.init(coder: coder)
        if !(sampleType is HKQuantityType) { return nil }
    }

    /// The quantity type of the sample.
    public var quantityType: HKQuantityType { sampleType as? HKQuantityType ?? HKQuantityType(facts: sampleType.facts) }

    /// The type, the quantity, the times and the identity.
    public override var description: String { "\(sampleType) \(quantity) \(times) \(uuid)" }
}

/// A quantity sample of a cumulative type, as returned by a store.
public class HKCumulativeQuantitySample: HKQuantitySample, @unchecked Sendable {
    /// The sum of the sample's quantities.
    public var sumQuantity: HKQuantity { quantity }
    /// The older name of ``sumQuantity``, from series samples.
    public var sum: HKQuantity { sumQuantity }
}

/// The older name of ``HKCumulativeQuantitySample``, when only series had a separate class.
public typealias HKCumulativeQuantitySeriesSample = HKCumulativeQuantitySample

/// A quantity sample of a discrete type, as returned by a store.
public class HKDiscreteQuantitySample: HKQuantitySample, @unchecked Sendable {
    private let range: QuantityRange?

    package override init(
        header: ObjectHeader, type: HKQuantityType, quantity: HKQuantity, count: Int, start: Date, end: Date
    ) {
        range = nil
        super.init(header: header, type: type, quantity: quantity, count: count, start: start, end: end)
    }

    /// Creates a series; `quantity` is its average.
    package init(
        header: ObjectHeader, type: HKQuantityType, quantity: HKQuantity, count: Int, start: Date, end: Date,
        range: QuantityRange
    ) {
        self.range = range
        super.init(header: header, type: type, quantity: quantity, count: count, start: start, end: end)
    }

    /// Encodes all properties of the sample.
    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        if let range { coder.encode(RangeRecord(range), record: "range") }
    }

    /// Decodes a sample that `encode(with:)` encoded; nil if the archive has no quantity sample.
    public required init?(coder: NSCoder) {
        range = coder.decode(RangeRecord.self, record: "range")?.range
        super.init(coder: coder)
    }

    /// The minimum of the sample's quantities.
    public var minimumQuantity: HKQuantity { range?.minimum ?? quantity }
    /// The average of the sample's quantities.
    public var averageQuantity: HKQuantity { quantity }
    /// The maximum of the sample's quantities.
    public var maximumQuantity: HKQuantity { range?.maximum ?? quantity }
    /// The last of the sample's quantities.
    public var mostRecentQuantity: HKQuantity { range?.mostRecent ?? quantity }
    /// The time of the last of the sample's quantities.
    public var mostRecentQuantityDateInterval: DateInterval {
        if let range { return range.mostRecentInterval }
        // `DateInterval` traps if the end is before the start.
        let length = endDate.timeIntervalSince(startDate)
        return DateInterval(start: startDate, duration: length > 0 ? length : 0)
    }
}

/// Minimum, maximum and latest quantity of a discrete series.
package struct QuantityRange: Sendable {
    package var minimum: HKQuantity
    package var maximum: HKQuantity
    package var mostRecent: HKQuantity
    package var mostRecentInterval: DateInterval

    package init(minimum: HKQuantity, maximum: HKQuantity, mostRecent: HKQuantity, mostRecentInterval: DateInterval) {
        self.minimum = minimum
        self.maximum = maximum
        self.mostRecent = mostRecent
        self.mostRecentInterval = mostRecentInterval
    }
}

/// The archived range of a discrete series.
private struct RangeRecord: Codable {
    private let minimum: QuantityRecord
    private let maximum: QuantityRecord
    private let mostRecent: QuantityRecord
    private let start: Date
    private let duration: TimeInterval

    init(_ range: QuantityRange) {
        minimum = QuantityRecord(range.minimum)
        maximum = QuantityRecord(range.maximum)
        mostRecent = QuantityRecord(range.mostRecent)
        start = range.mostRecentInterval.start
        duration = range.mostRecentInterval.duration
    }

    var range: QuantityRange {
        QuantityRange(
            minimum: minimum.quantity, maximum: maximum.quantity, mostRecent: mostRecent.quantity,
            // `DateInterval` traps for a negative duration.
            mostRecentInterval: DateInterval(start: start, duration: duration > 0 ? duration : 0))
    }
}

extension HKQuantitySample {
    /// Creates the sample that a store returns, of the class that fits the type's aggregation style.
    package static func stored(
        header: ObjectHeader, type: HKQuantityType, quantity: HKQuantity, count: Int = 1, start: Date, end: Date
    ) -> HKQuantitySample {
        type.facts.isCumulative
            ? HKCumulativeQuantitySample(
                header: header, type: type, quantity: quantity, count: count, start: start, end: end)
            : HKDiscreteQuantitySample(
                header: header, type: type, quantity: quantity, count: count, start: start, end: end)
    }
}

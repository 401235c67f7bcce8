// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A sample that is a number with a unit.
public class HKQuantitySample: HKSample, @unchecked Sendable {
    /// The amount; of a series, its sum or its average.
    public let quantity: HKQuantity
    /// How many quantities the sample holds: 1, but for a series.
    public let count: Int

    package init(
        header: ObjectHeader, type: HKQuantityType, quantity: HKQuantity, count: Int, start: Date, end: Date
    ) {
        self.quantity = quantity
        self.count = count
        super.init(header: header, type: type, start: start, end: end)
    }

    /// A new sample. Never fails: whether it can be saved, ``HealthSaveRules`` says.
    public convenience init(
        type quantityType: HKQuantityType, quantity: HKQuantity, start startDate: Date, end endDate: Date,
        device: HKDevice?, metadata: [String: Any]?
    ) {
        let header = ObjectHeader(device: device, metadata: metadata)
        self.init(header: header, type: quantityType, quantity: quantity, count: 1, start: startDate, end: endDate)
    }

    /// A new sample. Never fails: whether it can be saved, ``HealthSaveRules`` says.
    public convenience init(
        type quantityType: HKQuantityType, quantity: HKQuantity, start startDate: Date, end endDate: Date,
        metadata: [String: Any]?
    ) {
        self.init(
            type: quantityType, quantity: quantity, start: startDate, end: endDate, device: nil, metadata: metadata)
    }

    /// A new sample. Never fails: whether it can be saved, ``HealthSaveRules`` says.
    public convenience init(
        type quantityType: HKQuantityType, quantity: HKQuantity, start startDate: Date, end endDate: Date
    ) {
        self.init(type: quantityType, quantity: quantity, start: startDate, end: endDate, device: nil, metadata: nil)
    }

    /// What kind of quantity it is.
    public var quantityType: HKQuantityType { sampleType as? HKQuantityType ?? HKQuantityType(facts: sampleType.facts) }

    /// The type, the amount, the times and the identity.
    public override var description: String { "\(sampleType) \(quantity) \(times) \(uuid)" }
}

/// A quantity sample of a type whose samples add up, as a store gives it.
public class HKCumulativeQuantitySample: HKQuantitySample, @unchecked Sendable {
    /// The sum of the sample's quantities.
    public var sumQuantity: HKQuantity { quantity }
    /// The older name of ``sumQuantity``, that of a series.
    public var sum: HKQuantity { sumQuantity }
}

/// The older name of ``HKCumulativeQuantitySample``, from when only series had a class of their own.
public typealias HKCumulativeQuantitySeriesSample = HKCumulativeQuantitySample

/// A quantity sample of a type whose samples do not add up, as a store gives it.
public class HKDiscreteQuantitySample: HKQuantitySample, @unchecked Sendable {
    private let range: QuantityRange?

    package override init(
        header: ObjectHeader, type: HKQuantityType, quantity: HKQuantity, count: Int, start: Date, end: Date
    ) {
        range = nil
        super.init(header: header, type: type, quantity: quantity, count: count, start: start, end: end)
    }

    /// A series: `quantity` is its average.
    package init(
        header: ObjectHeader, type: HKQuantityType, quantity: HKQuantity, count: Int, start: Date, end: Date,
        range: QuantityRange
    ) {
        self.range = range
        super.init(header: header, type: type, quantity: quantity, count: count, start: start, end: end)
    }

    /// The least of the sample's quantities.
    public var minimumQuantity: HKQuantity { range?.minimum ?? quantity }
    /// The average of the sample's quantities.
    public var averageQuantity: HKQuantity { quantity }
    /// The greatest of the sample's quantities.
    public var maximumQuantity: HKQuantity { range?.maximum ?? quantity }
    /// The last of the sample's quantities.
    public var mostRecentQuantity: HKQuantity { range?.mostRecent ?? quantity }
    /// When the last of the sample's quantities was measured.
    public var mostRecentQuantityDateInterval: DateInterval {
        if let range { return range.mostRecentInterval }
        // An interval with its end before its start ends the program.
        let length = endDate.timeIntervalSince(startDate)
        return DateInterval(start: startDate, duration: length > 0 ? length : 0)
    }
}

/// What the quantities of a discrete series were.
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

extension HKQuantitySample {
    /// A sample as a store gives it: of the class that fits the type's style.
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

// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An object with a type, a start and an end.
public class HKSample: HKObject, @unchecked Sendable {
    /// What kind of sample it is.
    public let sampleType: HKSampleType
    /// When it starts.
    public let startDate: Date
    /// When it ends; equal to ``startDate`` for a point in time.
    public let endDate: Date

    package init(header: ObjectHeader, type: HKSampleType, start: Date, end: Date) {
        sampleType = type
        startDate = start
        endDate = end
        super.init(header: header)
    }

    /// Whether the end is not known: it is `Date.distantFuture`.
    public var hasUndeterminedDuration: Bool { endDate == .distantFuture }

    /// The type, the times and the identity.
    public override var description: String { "\(sampleType) \(times) \(uuid)" }

    var times: String { "\(DateText.text(startDate)) - \(DateText.text(endDate))" }
}

/// A sample that is one of a few named values.
public final class HKCategorySample: HKSample, @unchecked Sendable {
    /// The number of the value; what it means, the type's enumeration says: `HKCategoryValueSleepAnalysis`.
    public let value: Int

    package init(header: ObjectHeader, type: HKCategoryType, value: Int, start: Date, end: Date) {
        self.value = value
        super.init(header: header, type: type, start: start, end: end)
    }

    /// A new sample. Never fails: whether it can be saved, ``HealthSaveRules`` says.
    public convenience init(
        type: HKCategoryType, value: Int, start startDate: Date, end endDate: Date, device: HKDevice?,
        metadata: [String: Any]?
    ) {
        let header = ObjectHeader(device: device, metadata: metadata)
        self.init(header: header, type: type, value: value, start: startDate, end: endDate)
    }

    /// A new sample. Never fails: whether it can be saved, ``HealthSaveRules`` says.
    public convenience init(
        type: HKCategoryType, value: Int, start startDate: Date, end endDate: Date, metadata: [String: Any]?
    ) {
        self.init(type: type, value: value, start: startDate, end: endDate, device: nil, metadata: metadata)
    }

    /// A new sample. Never fails: whether it can be saved, ``HealthSaveRules`` says.
    public convenience init(type: HKCategoryType, value: Int, start startDate: Date, end endDate: Date) {
        self.init(type: type, value: value, start: startDate, end: endDate, device: nil, metadata: nil)
    }

    /// What kind of category it is.
    public var categoryType: HKCategoryType { sampleType as? HKCategoryType ?? HKCategoryType(facts: sampleType.facts) }

    /// The type, the value, the times and the identity.
    public override var description: String { "\(sampleType) \(value) \(times) \(uuid)" }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Samples that belong together: the two numbers of a blood pressure, what was in a meal.
public final class HKCorrelation: HKSample, @unchecked Sendable {
    /// The samples.
    public let objects: Set<HKSample>

    package init(header: ObjectHeader, type: HKCorrelationType, start: Date, end: Date, objects: Set<HKSample>) {
        self.objects = objects
        super.init(header: header, type: type, start: start, end: end)
    }

    /// A new correlation. Never fails: whether it can be saved, ``HealthSaveRules`` says.
    public convenience init(
        type correlationType: HKCorrelationType, start startDate: Date, end endDate: Date, objects: Set<HKSample>,
        device: HKDevice?, metadata: [String: Any]?
    ) {
        let header = ObjectHeader(device: device, metadata: metadata)
        self.init(header: header, type: correlationType, start: startDate, end: endDate, objects: objects)
    }

    /// A new correlation. Never fails: whether it can be saved, ``HealthSaveRules`` says.
    public convenience init(
        type correlationType: HKCorrelationType, start startDate: Date, end endDate: Date, objects: Set<HKSample>,
        metadata: [String: Any]?
    ) {
        self.init(
            type: correlationType, start: startDate, end: endDate, objects: objects, device: nil, metadata: metadata)
    }

    /// A new correlation. Never fails: whether it can be saved, ``HealthSaveRules`` says.
    public convenience init(
        type correlationType: HKCorrelationType, start startDate: Date, end endDate: Date, objects: Set<HKSample>
    ) {
        self.init(type: correlationType, start: startDate, end: endDate, objects: objects, device: nil, metadata: nil)
    }

    /// What kind of correlation it is.
    public var correlationType: HKCorrelationType {
        sampleType as? HKCorrelationType ?? HKCorrelationType(facts: sampleType.facts)
    }

    /// The samples of one type. O(samples).
    public func objects(for objectType: HKObjectType) -> Set<HKSample> {
        objects.filter { $0.sampleType == objectType }
    }
}

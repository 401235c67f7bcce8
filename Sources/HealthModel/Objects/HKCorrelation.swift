// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Samples that belong together: the two values of a blood pressure, the nutrients of a meal.
public final class HKCorrelation: HKSample, @unchecked Sendable {
    /// The samples.
    public let objects: Set<HKSample>

    package init(header: ObjectHeader, type: HKCorrelationType, start: Date, end: Date, objects: Set<HKSample>) {
        self.objects = objects
        super.init(header: header, type: type, start: start, end: end)
    }

    /// Creates a correlation. Never fails; ``HealthSaveRules`` decides whether the correlation can be saved.
    public convenience init(
        type correlationType: HKCorrelationType, start startDate: Date, end endDate: Date, objects: Set<HKSample>,
        device: HKDevice?, metadata: [String: Any]?
    ) {
        let header = ObjectHeader(device: device, metadata: metadata)
        self.init(header: header, type: correlationType, start: startDate, end: endDate, objects: objects)
    }

    /// Creates a correlation. Never fails; ``HealthSaveRules`` decides whether the correlation can be saved.
    public convenience init(
        type correlationType: HKCorrelationType, start startDate: Date, end endDate: Date, objects: Set<HKSample>,
        metadata: [String: Any]?
    ) {
        self.init(
            type: correlationType, start: startDate, end: endDate, objects: objects, device: nil, metadata: metadata)
    }

    /// Creates a correlation. Never fails; ``HealthSaveRules`` decides whether the correlation can be saved.
    public convenience init(
        type correlationType: HKCorrelationType, start startDate: Date, end endDate: Date, objects: Set<HKSample>
    ) {
        self.init(type: correlationType, start: startDate, end: endDate, objects: objects, device: nil, metadata: nil)
    }

    /// The type of the correlation.
    public var correlationType: HKCorrelationType {
        sampleType as? HKCorrelationType ?? HKCorrelationType(facts: sampleType.facts)
    }

    /// Returns the samples of one type. O(samples).
    public func objects(for objectType: HKObjectType) -> Set<HKSample> {
        objects.filter { $0.sampleType == objectType }
    }
}

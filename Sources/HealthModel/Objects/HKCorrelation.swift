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

    /// Encodes all properties of the correlation, with its samples.
    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode([objects.count], record: "count")
        for (place, sample) in objects.sorted(by: { $0.uuid.uuidString < $1.uuid.uuidString }).enumerated() {
            coder.encode(sample, forKey: "sample.\(place)")
        }
    }

    /// Decodes a correlation that `encode(with:)` encoded; nil if the archive has no correlation.
    public required init?(coder: NSCoder) {
        guard let count = coder.decode([Int].self, record: "count")?.first else { return nil }
        var objects: Set<HKSample> = []
        var place = 0
        while place < count {
            let key = "sample.\(place)"
            guard coder.containsValue(forKey: key), let sample = coder.decodeObject(of: HKSample.self, forKey: key)
            else { return nil }
            objects.insert(sample)
            place += 1
        }
        self.objects = objects
        super.init(coder: coder)
        if !(sampleType is HKCorrelationType) { return nil }
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

// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Initialisers that throw the errors of a save. HealthKit raises an exception instead.
extension HKQuantitySample {
    /// Creates a sample that fulfils ``HealthSaveRules``.
    ///
    /// - Throws: ``HKError/Code/errorInvalidArgument`` for a violated rule.
    public convenience init(
        validating quantityType: HKQuantityType, quantity: HKQuantity, start startDate: Date, end endDate: Date,
        device: HKDevice? = nil, metadata: [String: Any]? = nil
    ) throws(HKError) {
        self.init(
            type: quantityType, quantity: quantity, start: startDate, end: endDate, device: device, metadata: metadata)
        try HealthSaveRules.check(self)
    }
}

extension HKCategorySample {
    /// Creates a sample that fulfils ``HealthSaveRules``.
    ///
    /// - Throws: ``HKError/Code/errorInvalidArgument`` for a violated rule.
    public convenience init(
        validating type: HKCategoryType, value: Int, start startDate: Date, end endDate: Date,
        device: HKDevice? = nil, metadata: [String: Any]? = nil
    ) throws(HKError) {
        self.init(type: type, value: value, start: startDate, end: endDate, device: device, metadata: metadata)
        try HealthSaveRules.check(self)
    }
}

extension HKCorrelation {
    /// Creates a correlation that fulfils ``HealthSaveRules``.
    ///
    /// - Throws: ``HKError/Code/errorInvalidArgument`` for a violated rule.
    public convenience init(
        validating correlationType: HKCorrelationType, start startDate: Date, end endDate: Date,
        objects: Set<HKSample>, device: HKDevice? = nil, metadata: [String: Any]? = nil
    ) throws(HKError) {
        self.init(
            type: correlationType, start: startDate, end: endDate, objects: objects, device: device,
            metadata: metadata)
        try HealthSaveRules.check(self)
    }
}

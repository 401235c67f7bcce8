// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import TestSupport
import Testing

@Suite("S-22 S-23 save rules refuse exactly the invalid objects and never trap")
struct SaveRulesPropertyTests {
    private static let seconds: [Double] = [
        0, 1, -1, 700_000_000, 700_000_060, 1e9, -1e9, 8.23e9, 9.2e9, 9.3e9, -9.2e9, -1.019e10, -1.1e10, 1e12, -1e12,
        1e18, 1e19, 1e300,
        -1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, Date.distantPast.timeIntervalSinceReferenceDate,
        Date.distantFuture.timeIntervalSinceReferenceDate,
    ]
    private static let numbers: [Double] = [0, -0.0, 1, -1, 72, 1e308, .infinity, -.infinity, .nan, 0x1p-1074]
    private static let units = ["count/min", "count", "kg", "()", "degC", "mmol<180.15588000005408>/L"]
    private static let values: [any Sendable] = [
        "", "text", 1, -1, Int.min, UInt.max, true, 0.5, Double.nan, Double.infinity, Data(), [1], Float(1e38),
        Date(timeIntervalSinceReferenceDate: 1e300), Date(timeIntervalSinceReferenceDate: .nan), Int128.max,
        HKQuantity(unit: .gram(), doubleValue: .nan), HKQuantity(unit: .gram(), doubleValue: 1),
    ]
    private static let keys = ["", "a", HKMetadataKeyWasUserEntered, HKMetadataKeyTimeZone, HKMetadataKeySyncVersion]

    private func isInBounds(_ date: Date) -> Bool { date.timeIntervalSince1970.magnitude <= 9_200_000_000 }

    /// A naive check of a sample's times, for types without an open end.
    private func timesAreSound(_ sample: HKSample) -> Bool {
        isInBounds(sample.startDate) && isInBounds(sample.endDate) && sample.startDate <= sample.endDate
    }

    private func metadata(_ die: inout SeededGenerator) -> [String: Any]? {
        guard die.chance(0.3) else { return nil }
        var metadata: [String: Any] = [:]
        for _ in 0..<die.below(3) { metadata[die.pick(Self.keys)] = die.pick(Self.values) }
        return metadata
    }

    private func isAccepted(_ object: HKObject) -> Bool {
        do throws(HKError) {
            try HealthSaveRules.check(object)
            return true
        } catch {
            #expect(!error.description.isEmpty && error.place != nil && error.advice != nil)
            return false
        }
    }

    @Test("random samples of extreme values are accepted exactly if they are valid", arguments: [1, 2, 3] as [UInt64])
    func random(_ seed: UInt64) throws {
        var die = SeededGenerator(seed: seed)
        var accepted = 0
        for round in 0..<3000 {
            let start = Date(timeIntervalSinceReferenceDate: die.pick(Self.seconds))
            let end = die.chance(0.4) ? start : Date(timeIntervalSinceReferenceDate: die.pick(Self.seconds))
            let metadata = metadata(&die)
            let sample: HKSample
            let isSound: Bool
            if die.chance(0.5) {
                let value = die.pick([0, 1, 4, 5, -1, Int.max, Int.min])
                sample = HKCategorySample(
                    type: HKCategoryType(.acne), value: value, start: start, end: end, metadata: metadata)
                isSound = (0...4).contains(value)
            } else {
                let quantity = HKQuantity(
                    unit: try HKUnit(parsing: die.pick(Self.units)), doubleValue: die.pick(Self.numbers))
                sample = HKDiscreteQuantitySample(
                    type: HKQuantityType(.heartRate), quantity: quantity, start: start, end: end, metadata: metadata)
                isSound = quantity.value.isFinite && quantity.unit.unitString == "count/min"
            }
            let window = HKQuery.predicateForSamples(withStart: start, end: end, options: [])
            let same = HKQuery.predicateForObjects(withMetadataKey: "a", allowedValues: [die.pick(Self.values)])
            _ = (window.evaluate(with: sample), same.evaluate(with: sample))
            let texts = [sample.description, window.description, same.description]
            #expect(texts.allSatisfy { !$0.isEmpty })
            if let discrete = sample as? HKDiscreteQuantitySample {
                #expect(discrete.mostRecentQuantityDateInterval.duration >= 0)
            }
            let isAccepted = isAccepted(sample)
            if metadata == nil {
                #expect(isAccepted == (isSound && timesAreSound(sample)), "seed \(seed), round \(round): \(sample)")
            } else if isAccepted {
                #expect(isSound && timesAreSound(sample), "seed \(seed), round \(round): \(sample)")
            }
            accepted += isAccepted ? 1 : 0
        }
        #expect(accepted > 30)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-14 S-15 S-18 S-19 S-20 S-21 S-25 S-26 S-27 samples of every type are saved and read back")
struct SampleTypesTests {
    @Test("a sample of every quantity type in its canonical unit reads back equal")
    func quantities() async throws {
        let door = try TestDoor()
        var saved = [HKQuantitySample]()
        for type in HealthTypes.all where type.kind == .quantity {
            let needed = type.identifier == HKQuantityTypeIdentifier.insulinDelivery.rawValue
            saved.append(
                HKQuantitySample(
                    type: HKQuantityType(HKQuantityTypeIdentifier(rawValue: type.identifier)),
                    quantity: HKQuantity(unit: type.canonicalUnit ?? .count(), doubleValue: Double(saved.count) + 0.25),
                    start: clock, end: clock.addingTimeInterval(60),
                    metadata: needed ? [HKMetadataKeyInsulinDeliveryReason: 1] : nil))
        }
        #expect(saved.count >= 120)
        try await door.health.save(saved)
        door.health.close()
        for sample in saved {
            let query = HKSampleQueryDescriptor(predicates: [.quantitySample(type: sample.quantityType)])
            let found = try await query.result(for: door.health)
            #expect(found == [sample] && found.first?.quantity == sample.quantity, "\(sample.quantityType)")
            let isCumulative = sample.quantityType.aggregationStyle == .cumulative
            #expect(found.first is HKCumulativeQuantitySample == isCumulative)
        }
    }

    @Test("samples of every category type with every value, and with the talks' metadata, read back equal")
    func categories() async throws {
        let door = try TestDoor()
        var saved = [HKCategorySample]()
        for type in HealthTypes.all where type.kind == .category {
            let identifier = HKCategoryTypeIdentifier(rawValue: type.identifier)
            let metadata: [HKCategoryTypeIdentifier: [String: Any]] = [
                .menstrualFlow: [HKMetadataKeyMenstrualCycleStart: true],
                .sexualActivity: [HKMetadataKeySexualActivityProtectionUsed: false],
            ]
            for value in Set(HealthCategoryValues.values(of: identifier).map(\.rawValue)) {
                saved.append(
                    HKCategorySample(
                        type: HKCategoryType(identifier), value: value,
                        start: clock.addingTimeInterval(Double(value)), end: clock.addingTimeInterval(100),
                        metadata: metadata[identifier]))
            }
        }
        try await door.health.save(saved)
        door.health.close()
        for (type, samples) in Dictionary(grouping: saved, by: \.categoryType) {
            let found = try await HKSampleQueryDescriptor(predicates: [.categorySample(type: type)])
                .result(for: door.health)
            #expect(Set(found) == Set(samples) && Set(found.map(\.value)) == Set(samples.map(\.value)), "\(type)")
        }
        let flow = try await HKSampleQueryDescriptor(
            predicates: [.categorySample(type: HKCategoryType(.menstrualFlow))]).result(for: door.health)
        #expect(flow.first?.metadata?[HKMetadataKeyMenstrualCycleStart] as? Bool == true)
    }
}

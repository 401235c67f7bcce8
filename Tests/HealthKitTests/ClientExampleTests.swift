// SPDX-License-Identifier: Apache-2.0

import HealthKit
import TestSupport
import Testing

/// The examples of `Docs/Guide/HealthKitImport.md` and `Docs/Guide/PredicateFormats.md`.
@Suite("X-5 the examples of the pages about import HealthKit and predicate formats")
struct ClientExampleTests {
    @Test("the examples of the pages about import HealthKit and about predicate formats")
    func pages() async throws {
        let directory = try TemporaryDirectory()
        let store = HKHealthStore(directory: directory.file("store"))
        defer { store.close() }
        let noon = Date(timeIntervalSince1970: 1_704_110_400)
        // example healthkit-import begins
        let quantity = HKQuantity(unit: .liter(), doubleValue: 0.3)
        let water = HKQuantitySample(type: HKQuantityType(.dietaryWater), quantity: quantity, start: .now, end: .now)
        try await store.save(water)
        // example healthkit-import ends
        let (midnight, tomorrow) = (noon.addingTimeInterval(-43_200), noon.addingTimeInterval(43_200))
        // example predicate-formats begins
        let entered = NSPredicate(format: "metadata.%K != YES", HKMetadataKeyWasUserEntered)
        let today = NSPredicate(format: "%K >= %@ AND %K < %@", "startDate", midnight, "startDate", tomorrow)
        // example predicate-formats ends
        func count(_ predicate: NSPredicate) async throws -> Int {
            try await HKSampleQueryDescriptor(
                predicates: [.quantitySample(type: HKQuantityType(.dietaryWater), predicate: predicate)]
            ).result(for: store).count
        }
        #expect(try await count(entered) == 1)
        #expect(try await count(today) == 0)
    }
}

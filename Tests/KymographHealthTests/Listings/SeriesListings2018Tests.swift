// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import Testing

/// Listings of Apple's talk of 2018 on quantity series, with the names of the slides, which no release has.
@Suite("S-117 S-118 S-119 S-120 listings of the talk of 2018 on quantity series, with the names of the slides")
struct SeriesListings2018Tests {
    @Test("a series takes quantities at the present time, and a query passes them to its handler")
    @available(*, deprecated, message: "tests deprecated functions")
    func series() async throws {
        let listing = try ListingStore()
        let healthStore = listing.healthStore
        let quantityType = HKQuantityType(.distanceWalkingRunning)
        let distances = [2.25, 0.6, 1.5]
        let inserted = Collected<Bool>()
        var shouldInsert: Bool { inserted.all.count < distances.count }

        // Step 1: Create an HKQuantitySeriesSampleBuilder
        let seriesBuilder = HKQuantitySeriesSampleBuilder(
            healthStore: healthStore,
            quantityType:
                quantityType, startDate: Date(), device: nil)
        // Step 2: Insert HKQuantity objects
        while shouldInsert {
            let before = inserted.all.count
            let lastDistance = distances[before]
            let quantity = HKQuantity(unit: .meter(), doubleValue: lastDistance)
            seriesBuilder.insert(quantity) { (success, error) in
                // Handle errors...
                inserted.append(success && error == nil)
            }
            await inserted.wait { $0.count > before }
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(inserted.all == [true, true, true])
        let wrong = Collected<Bool>()
        seriesBuilder.insert(HKQuantity(unit: .second(), doubleValue: 1)) { (success, error) in
            wrong.append(!success && (error as? HKError)?.code == .errorInvalidArgument)
        }
        #expect(await wrong.first() == true)
        // Step 3: Complete the series
        let made = Collected<[HKQuantitySample]>()
        seriesBuilder.finishSeries(metadata: nil) { (quantity, error) in
            // Handle errors...
            made.append(quantity ?? [])
        }
        let seriesSample = try #require(await made.first()?.first)
        #expect(seriesSample.count == 3)

        // Step 1: Create array to hold HKQuantity objects
        let quantities = Collected<HKQuantity>()
        let ends = Collected<Bool>()
        // Step 2: Initialize your query and gather data in handler
        let seriesQuery = HKQuantitySeriesSampleQuery(quantitySample: seriesSample) {
            (query, quantity, date, success, error) in
            if let quantity { quantities.append(quantity) }
            if success { ends.append(true) }
        }
        // Step 3: Execute the query
        healthStore.execute(seriesQuery)
        await ends.wait { !$0.isEmpty }
        #expect(quantities.all.map { $0.doubleValue(for: .meter()) } == distances)
        // Another store does not have the sample.
        let other = try ListingStore()
        let answers = Collected<Bool>()
        other.healthStore.execute(
            HKQuantitySeriesSampleQuery(quantitySample: seriesSample) { (query, quantity, date, success, error) in
                answers.append(quantity == nil && (success || error != nil))
            })
        #expect(await answers.first() == true)
    }
}

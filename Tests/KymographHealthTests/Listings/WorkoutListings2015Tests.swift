// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

#if canImport(Darwin)
    import HealthKit
#else
    import KymographHealth
#endif

/// The calls of Apple's talk of 2015 on workouts, which are deprecated. They compile with HealthKit, too.
@Suite("S-59 S-62 S-63 S-65 S-70 S-71 calls of the talk of 2015 on workouts")
struct WorkoutListings2015Tests {
    private final class Watcher: NSObject, HKWorkoutSessionDelegate {
        let states = Collected<HKWorkoutSessionState>()

        func workoutSession(
            _ workoutSession: HKWorkoutSession, didChangeTo toState: HKWorkoutSessionState,
            from fromState: HKWorkoutSessionState, date: Date
        ) {
            if states.all.isEmpty { states.append(fromState) }
            states.append(toState)
        }

        func workoutSession(_ workoutSession: HKWorkoutSession, didFailWithError error: any Error) {
            Issue.record(error)
        }
    }

    @Test("a session without a store runs in the store that starts it")
    @available(*, deprecated, message: "tests deprecated functions")
    func session() async throws {
        let listing = try ListingStore()
        let store = listing.healthStore
        let session = HKWorkoutSession(activityType: .running, locationType: .outdoor)
        let watcher = Watcher()
        session.delegate = watcher
        store.start(session)
        await watcher.states.wait { $0.contains(.running) }
        #expect(session.startDate != nil && session.activityType == .running && session.locationType == .outdoor)
        #if !canImport(Darwin)
            // HealthKit raises an exception at associatedWorkoutBuilder().
            let builder = session.associatedWorkoutBuilder()
            try await builder.beginCollection(at: Date())
        #endif
        store.end(session)
        await watcher.states.wait { $0.contains(.ended) }
        #expect(watcher.states.all == [.notStarted, .running, .ended])
        #if !canImport(Darwin)
            let workout = try await builder.finishWorkout()
            #expect(try await listing.workouts().map(\.uuid) == [workout?.uuid])
        #endif
    }

    @Test("a workout of totals is saved, and samples are added to it afterwards")
    @available(*, deprecated, message: "tests deprecated functions")
    func workout() async throws {
        let listing = try ListingStore()
        let store = listing.healthStore
        let end = Date(timeIntervalSinceReferenceDate: Date.timeIntervalSinceReferenceDate.rounded())
        let start = end.addingTimeInterval(-1_800)
        let energy = HKQuantity(unit: .kilocalorie(), doubleValue: 320)
        let distance = HKQuantity(unit: .mile(), doubleValue: 3)
        let workout = HKWorkout(
            activityType: .running, start: start, end: end, duration: 1_700, totalEnergyBurned: energy,
            totalDistance: distance, metadata: nil)
        try await store.save(workout)
        let heartRate = HKQuantityType(.heartRate)
        let beats = HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 140)
        let samples: [HKSample] = [
            HKQuantitySample(type: heartRate, quantity: beats, start: start, end: start),
            HKQuantitySample(
                type: HKQuantityType(.activeEnergyBurned), quantity: HKQuantity(unit: .kilocalorie(), doubleValue: 300),
                start: start, end: end),
        ]
        let results = Collected<Bool>()
        store.add(samples, to: workout) { (success, error) in results.append(success && error == nil) }
        #expect(await results.first() == true)

        listing.restart()
        let stored = try #require(try await listing.workouts().first)
        #expect(stored.uuid == workout.uuid && stored.duration == 1_700)
        #expect(stored.totalEnergyBurned == energy && stored.totalDistance == distance)
        #expect(try await listing.samples(heartRate, of: stored).count == 1)
        #expect(try await listing.samples(HKQuantityType(.activeEnergyBurned), of: stored).count == 1)
        #expect(stored.statistics(for: heartRate)?.averageQuantity() == beats)
        // The totals stay.
        let sum = stored.statistics(for: HKQuantityType(.activeEnergyBurned))?.sumQuantity()
        #expect(sum?.doubleValue(for: .kilocalorie()) == 320)
    }
}

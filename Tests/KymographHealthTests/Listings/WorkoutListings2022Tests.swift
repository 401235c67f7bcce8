// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

#if canImport(Darwin)
    import HealthKit
#else
    import KymographHealth
#endif

/// The steps of Apple's talk of 2022 on workouts, written so that they compile with HealthKit, too.
@Suite("S-138 to S-153 S-156 S-157 S-177 S-178 steps of the talk of 2022 on workouts")
struct WorkoutListings2022Tests {
    private let beatsPerMinute = HKUnit(from: "count/min")
    /// Three and a half hours ago, in whole seconds.
    private let startDate = Date(
        timeIntervalSinceReferenceDate: (Date.timeIntervalSinceReferenceDate - 12_600).rounded())

    private func configuration(_ activity: HKWorkoutActivityType) -> HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = activity
        return configuration
    }

    private func date(_ seconds: TimeInterval) -> Date { startDate.addingTimeInterval(seconds) }

    private func sample(
        _ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: HKUnit, _ start: TimeInterval, _ end: TimeInterval
    ) -> HKQuantitySample {
        HKQuantitySample(
            type: HKQuantityType(type), quantity: HKQuantity(unit: unit, doubleValue: value), start: date(start),
            end: date(end))
    }

    private func heartRates(_ beats: Double, _ start: TimeInterval, _ end: TimeInterval) -> [HKQuantitySample] {
        stride(from: start, to: end, by: 300).map { sample(.heartRate, beats, beatsPerMinute, $0, $0) }
    }

    @Test("a builder adds activities to a workout of the past")
    func past() async throws {
        let listing = try ListingStore()
        let builder = HKWorkoutBuilder(
            healthStore: listing.healthStore, configuration: configuration(.swimBikeRun), device: nil)
        try await builder.beginCollection(at: startDate)
        try await builder.addSamples([sample(.distanceSwimming, 1_500, .meter(), 0, 1_800)])

        let start = date(0)
        let end = date(1_800)
        let a = HKWorkoutActivity(
            workoutConfiguration: configuration(.swimming), start: start, end: end, metadata: nil)
        try await builder.addWorkoutActivity(a)

        // Activities do not overlap, and need not be contiguous.
        let overlapping = HKWorkoutActivity(
            workoutConfiguration: configuration(.cycling), start: date(1_799), end: date(3_000), metadata: nil)
        await #expect(throws: HKError.self) { try await builder.addWorkoutActivity(overlapping) }
        let later = HKWorkoutActivity(
            workoutConfiguration: configuration(.cycling), start: date(2_000), end: date(3_000),
            metadata: ["bicycle": "blue"])
        try await builder.addWorkoutActivity(later)
        try await builder.endCollection(at: date(3_000))
        let workout = try #require(try await builder.finishWorkout())
        let parts = workout.workoutActivities
        #expect(parts.map(\.workoutConfiguration.activityType) == [.swimming, .cycling])
        #expect(parts.map(\.duration) == [1_800, 1_000] && parts[1].metadata?["bicycle"] as? String == "blue")
        let metres = parts[0].statistics(for: HKQuantityType(.distanceSwimming))?.sumQuantity()
        #expect(metres?.doubleValue(for: .meter()) == 1_500)
        #expect(parts[1].statistics(for: HKQuantityType(.distanceSwimming)) == nil)
    }

    /// Saves samples as the sensors of the running activity would, and waits until the builder has collected the last
    /// type.
    private func record(
        _ samples: [HKQuantitySample], _ builder: HKLiveWorkoutBuilder, _ store: HKHealthStore
    ) async throws {
        try await store.save(samples)
        let last = try #require(samples.last)
        await waitUntil {
            guard let found = builder.statistics(for: last.quantityType) else { return false }
            return found.sumQuantity() == last.quantity || found.mostRecentQuantity() == last.quantity
        }
    }

    private func running(_ activity: HKWorkoutActivityType, _ builder: HKLiveWorkoutBuilder) async {
        await waitUntil { builder.currentWorkoutActivity?.workoutConfiguration.activityType == activity }
    }

    /// Records a workout of five activities with a session.
    private func triathlon(_ listing: ListingStore) async throws -> HKWorkout {
        let store = listing.healthStore
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .swimBikeRun
        let session = try HKWorkoutSession(healthStore: store, configuration: configuration)
        let builder = session.associatedWorkoutBuilder()
        builder.dataSource = HKLiveWorkoutDataSource(healthStore: store, workoutConfiguration: configuration)
        session.startActivity(with: startDate)
        try await builder.beginCollection(at: startDate)

        // The swim
        let swimming = HKWorkoutConfiguration()
        swimming.activityType = .swimming
        session.beginNewActivity(configuration: swimming, date: date(0), metadata: nil)
        builder.dataSource?.enableCollection(for: HKQuantityType(.distanceSwimming), predicate: nil)
        await running(.swimming, builder)
        try await record(
            heartRates(130, 0, 1_800) + [sample(.distanceSwimming, 1_500, .meter(), 0, 1_800)], builder, store)
        session.endCurrentActivity(on: date(1_800))

        // A transition: swimming distance is no longer relevant
        let transition = HKWorkoutConfiguration()
        transition.activityType = .transition
        session.beginNewActivity(configuration: transition, date: date(1_800), metadata: nil)
        builder.dataSource?.disableCollection(for: HKQuantityType(.distanceSwimming))
        await running(.transition, builder)
        try await record(
            [
                sample(.distanceSwimming, 40, .meter(), 1_810, 1_820),
                sample(.activeEnergyBurned, 20, .kilocalorie(), 1_820, 2_000),
            ], builder, store)
        session.endCurrentActivity(on: date(2_000))

        // The ride
        session.beginNewActivity(configuration: self.configuration(.cycling), date: date(2_000), metadata: nil)
        builder.dataSource?.enableCollection(for: HKQuantityType(.distanceCycling), predicate: nil)
        await running(.cycling, builder)
        try await record(
            heartRates(160, 2_000, 7_400) + [sample(.distanceCycling, 40, .meterUnit(with: .kilo), 2_000, 7_400)],
            builder, store)
        session.endCurrentActivity(on: date(7_400))
        session.beginNewActivity(configuration: transition, date: date(7_400), metadata: nil)
        builder.dataSource?.disableCollection(for: HKQuantityType(.distanceCycling))
        session.endCurrentActivity(on: date(7_500))

        // The run
        session.beginNewActivity(configuration: self.configuration(.running), date: date(7_500), metadata: nil)
        await running(.running, builder)
        try await record(
            heartRates(150, 7_500, 12_000)
                + [sample(.distanceWalkingRunning, 10, .meterUnit(with: .kilo), 7_500, 12_500)], builder, store)

        // Ending the session ends the running activity
        session.end()
        return try #require(try await builder.finishWorkout())
    }

    @Test("a session records a swim, a ride and a run with transitions, and the finished workout is read")
    @available(*, deprecated, message: "reads deprecated totals")
    func session() async throws {
        let listing = try ListingStore()
        let store = listing.healthStore
        let recorded = try await triathlon(listing)
        listing.restart()
        let workout = try #require(try await listing.workouts().first)
        #expect(workout.uuid == recorded.uuid && workout.startDate == startDate)
        let parts = workout.workoutActivities
        #expect(
            parts.map(\.workoutConfiguration.activityType) == [.swimming, .transition, .cycling, .transition, .running])
        #expect(parts.map(\.startDate) == [0, 1_800, 2_000, 7_400, 7_500].map(date))
        #expect(parts.last?.endDate == workout.endDate && parts.dropLast().last?.endDate == date(7_500))

        #expect(workout.totalEnergyBurned == HKQuantity(unit: .kilocalorie(), doubleValue: 20))
        #expect(workout.totalDistance?.doubleValue(for: .meter()) == 51_500)
        let energy = workout.statistics(for: HKQuantityType(.activeEnergyBurned))?.sumQuantity()
        #expect(energy?.doubleValue(for: .kilocalorie()) == 20)
        let swum = workout.statistics(for: HKQuantityType(.distanceSwimming))?.sumQuantity()
        #expect(swum?.doubleValue(for: .meter()) == 1_500, "distance after the end of the activity is not collected")
        func distance(_ part: Int, _ type: HKQuantityTypeIdentifier) -> Double? {
            parts[part].statistics(for: HKQuantityType(type))?.sumQuantity()?.doubleValue(for: .meter())
        }
        #expect(distance(0, .distanceSwimming) == 1_500 && distance(2, .distanceCycling) == 40_000)
        #expect(distance(4, .distanceWalkingRunning) == 10_000 && distance(1, .distanceSwimming) == nil)
        let spent = parts[1].statistics(for: HKQuantityType(.activeEnergyBurned))?.sumQuantity()
        #expect(spent?.doubleValue(for: .kilocalorie()) == 20)

        // Workouts with an activity whose average heart rate is above 150
        let p = HKQuery.predicateForWorkoutActivities(
            operatorType: .greaterThan, quantityType: HKQuantityType(.heartRate),
            averageQuantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 150))
        let w = HKQuery.predicateForWorkouts(activityPredicate: p)
        let found = try await HKSampleQueryDescriptor(predicates: [.workout(w)], sortDescriptors: []).result(for: store)
        #expect(found.map(\.uuid) == [workout.uuid])
        let more = HKQuery.predicateForWorkoutActivities(
            operatorType: .greaterThan, quantityType: HKQuantityType(.heartRate),
            averageQuantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 160))
        #expect(try await listing.workouts(HKQuery.predicateForWorkouts(activityPredicate: more)).isEmpty)
    }

    @Test("every interval of a run is an activity of the workout's own type, with statistics of its own")
    func intervals() async throws {
        let listing = try ListingStore()
        let builder = HKWorkoutBuilder(
            healthStore: listing.healthStore, configuration: configuration(.running), device: nil)
        try await builder.beginCollection(at: startDate)
        for place in 0..<4 {
            let start = TimeInterval(place) * 600
            try await builder.addSamples(heartRates(140 + Double(place) * 5, start, start + 600))
            try await builder.addWorkoutActivity(
                HKWorkoutActivity(
                    workoutConfiguration: configuration(.running), start: date(start), end: date(start + 600),
                    metadata: nil))
        }
        let other = HKWorkoutActivity(
            workoutConfiguration: configuration(.cycling), start: date(2_400), end: date(2_500), metadata: nil)
        await #expect(throws: HKError.self) { try await builder.addWorkoutActivity(other) }
        try await builder.endCollection(at: date(2_500))
        let workout = try #require(try await builder.finishWorkout())
        #expect(
            workout.workoutActivities.map(\.workoutConfiguration.activityType) == Array(repeating: .running, count: 4))
        let averages = workout.workoutActivities.map { part in
            part.statistics(for: HKQuantityType(.heartRate))?.averageQuantity()?.doubleValue(for: beatsPerMinute)
        }
        #expect(averages == [140, 145, 150, 155])
    }

    @Test("a cardio recovery is saved by hand, with the context of its workout as metadata")
    func recovery() async throws {
        let listing = try ListingStore()
        let (start, end) = (date(12_600), date(12_660))
        let sample = HKQuantitySample(
            type: HKQuantityType(.heartRateRecoveryOneMinute),
            quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 50), start: start, end: end,
            metadata: [
                HKMetadataKeyHeartRateRecoveryTestType: HKHeartRateRecoveryTestType.maxExercise.rawValue,
                HKMetadataKeyHeartRateRecoveryActivityType: HKWorkoutActivityType.swimBikeRun.rawValue,
                HKMetadataKeyHeartRateRecoveryActivityDuration: HKQuantity(unit: .hour(), doubleValue: 3.5),
                HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate: HKQuantity(
                    unit: HKUnit(from: "count/min"), doubleValue: 184),
            ])
        try await listing.healthStore.save(sample)
        listing.restart()
        let stored = try #require(try await listing.samples(HKQuantityType(.heartRateRecoveryOneMinute)).first)
        #expect(stored.uuid == sample.uuid && stored.startDate == start && stored.endDate == end)
        #expect(stored.quantity.doubleValue(for: beatsPerMinute) == 50)
        let metadata = try #require(stored.metadata)
        let test = (metadata[HKMetadataKeyHeartRateRecoveryTestType] as? NSNumber)?.intValue
        #expect(test.flatMap { HKHeartRateRecoveryTestType(rawValue: $0) } == .maxExercise)
        let activity = (metadata[HKMetadataKeyHeartRateRecoveryActivityType] as? NSNumber)?.uintValue
        #expect(activity.flatMap { HKWorkoutActivityType(rawValue: $0) } == .swimBikeRun)
        let duration = metadata[HKMetadataKeyHeartRateRecoveryActivityDuration] as? HKQuantity
        #expect(duration?.doubleValue(for: .minute()) == 210)
        let most = metadata[HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate] as? HKQuantity
        #expect(most?.doubleValue(for: beatsPerMinute) == 184)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

#if canImport(Darwin)
    import HealthKit
#else
    import KymographHealth
#endif

/// Listings of Apple's talk of 2018 on workouts, written so that they compile with HealthKit, too, except for names
/// that the talk shows and no release has.
@Suite("S-79 to S-112 S-173 S-174 listings of the talk of 2018 on workouts")
struct WorkoutListings2018Tests {
    private let heartRateType = HKQuantityType(.heartRate)
    private let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())

    private var workoutConfiguration: HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        configuration.locationType = .outdoor
        return configuration
    }

    private func heartRate(_ beats: Double, at date: Date) -> HKQuantitySample {
        let quantity = HKQuantity(unit: beatsPerMinute, doubleValue: beats)
        return HKQuantitySample(type: heartRateType, quantity: quantity, start: date, end: date)
    }

    @Test("a builder collects samples, events and metadata, and saves a workout with them")
    func builder() async throws {
        let listing = try ListingStore()
        let healthStore = listing.healthStore
        let results = Collected<Bool>()

        // HKWorkoutBuilder
        let builder = HKWorkoutBuilder(
            healthStore: healthStore,
            configuration: workoutConfiguration,
            device: nil)
        // Start
        builder.beginCollection(
            withStart: Date(),
            completion: { (success, error) in
                // Handle error
                results.append(success && error == nil)
            })
        await results.wait { $0.count == 1 }
        let start = try #require(builder.startDate)

        let samples: [HKSample] = [60.0, 72, 90].map { heartRate($0, at: start) }
        builder.add(samples) { (success, error) in
            // Handle error
            results.append(success && error == nil)
        }
        let point = DateInterval(start: start, duration: 0)
        let events: [HKWorkoutEvent] = [
            HKWorkoutEvent(type: .marker, dateInterval: point, metadata: ["note": "bridge"]),
            HKWorkoutEvent(type: .lap, dateInterval: point, metadata: nil),
        ]
        builder.addWorkoutEvents(events) { (success, error) in
            // Handle error
            results.append(success && error == nil)
        }
        let metadata: [String: Any] = ["route": "along the lake", HKMetadataKeyIndoorWorkout: false]
        builder.addMetadata(metadata) { (success, error) in
            // Handle error
            results.append(success && error == nil)
        }
        await results.wait { $0.count == 4 }
        #expect(builder.workoutEvents.count == 2 && builder.metadata["route"] as? String == "along the lake")
        let live = builder.statistics(for: heartRateType)
        #expect(live?.maximumQuantity()?.doubleValue(for: beatsPerMinute) == 90)

        // End builder
        builder.endCollection(
            withEnd: Date(),
            completion: { (success, error) in
                // Handle error
                results.append(success && error == nil)
            })
        await results.wait { $0.count == 5 }
        // Save
        let workouts = Collected<HKWorkout?>()
        builder.finishWorkout { (workout, error) in
            // Handle error
            results.append(error == nil)
            workouts.append(workout)
        }
        await workouts.wait { $0.count == 1 }
        #expect(results.all == Array(repeating: true, count: 6))

        listing.restart()
        let saved = try #require(workouts.all.first ?? nil)
        try await check(saved, start, samples, listing)
    }

    /// Compares a stored workout with what its builder added.
    private func check(
        _ saved: HKWorkout, _ start: Date, _ samples: [HKSample], _ listing: ListingStore
    ) async throws {
        let stored = try #require(try await listing.workouts().first)
        #expect(stored.uuid == saved.uuid && stored.startDate == start && stored.device == nil)
        #expect(stored.workoutActivityType == .running && stored.endDate == saved.endDate)
        #expect(stored.workoutEvents?.map(\.type) == [.marker, .lap])
        #expect(stored.workoutEvents?.first?.metadata?["note"] as? String == "bridge")
        #expect(stored.metadata?["route"] as? String == "along the lake")
        #expect(stored.metadata?[HKMetadataKeyIndoorWorkout] as? Bool == false)
        let members = try await listing.samples(heartRateType, of: stored)
        #expect(Set(members.map(\.uuid)) == Set(samples.map(\.uuid)))
        let statistics = stored.statistics(for: heartRateType)
        #expect(statistics?.minimumQuantity()?.doubleValue(for: beatsPerMinute) == 60)
    }

    /// Saves heart rates, a temperature that the predicate of the listing selects, and another one.
    private func save(from start: Date, _ temperature: HKQuantityType, _ healthStore: HKHealthStore) async throws {
        func measured(_ degrees: Double, _ metadata: [String: Any]?) -> HKQuantitySample {
            HKQuantitySample(
                type: temperature, quantity: HKQuantity(unit: .degreeCelsius(), doubleValue: degrees), start: start,
                end: start, metadata: metadata)
        }
        try await healthStore.save([
            heartRate(120, at: start), heartRate(131, at: start.addingTimeInterval(0.01)),
            measured(36.5, ["ear": true]), measured(39.5, nil),
        ])
    }

    @Test("a session and its builder collect what the data source selects, show it, and end in the slide's order")
    func session() async throws {
        let listing = try ListingStore()
        let healthStore = listing.healthStore

        // Create session
        let session = try HKWorkoutSession(
            healthStore: healthStore,
            configuration: workoutConfiguration)
        // Retrieve builder
        let builder = session.associatedWorkoutBuilder()
        #expect(builder === session.associatedWorkoutBuilder() && builder.workoutSession === session)
        let controller = WorkoutController(builder)
        session.delegate = controller
        builder.delegate = controller
        let workoutBuilder = builder

        // Create a data source
        let dataSource = HKLiveWorkoutDataSource(
            healthStore: healthStore,
            workoutConfiguration: workoutConfiguration)
        // Set data source
        workoutBuilder.dataSource = dataSource
        // Optionally add other types
        let quantityType = HKQuantityType(.bodyTemperature)
        let optionalPredicate: NSPredicate = HKQuery.predicateForObjects(withMetadataKey: "ear")
        dataSource.enableCollection(for: quantityType, predicate: optionalPredicate)
        #expect(dataSource.typesToCollect.contains(heartRateType) && dataSource.typesToCollect.contains(quantityType))

        // Start session and builder
        let results = Collected<Bool>()
        session.startActivity(with: nil)
        builder.beginCollection(
            withStart: Date(),
            completion: { (success, error) in
                // Handle error
                results.append(success && error == nil)
            })
        #expect(await results.first() == true)
        await waitUntil { session.state == .running }
        let start = try #require(builder.startDate)

        try await save(from: start, quantityType, healthStore)
        await controller.labels.wait { $0.contains(131) }
        await waitUntil { builder.statistics(for: quantityType) != nil }
        let warmest = builder.statistics(for: quantityType)?.maximumQuantity()?.doubleValue(for: .degreeCelsius())
        #expect(abs((warmest ?? 0) - 36.5) < 1e-9)

        // End session
        session.end()
        // End builder
        builder.endCollection(
            withEnd: Date(),
            completion: { (success, error) in
                // Handle error
                results.append(success && error == nil)
            })
        // Save
        let workouts = Collected<HKWorkout?>()
        builder.finishWorkout { (workout, error) in
            // Handle error
            results.append(error == nil)
            workouts.append(workout)
        }
        let workout = try #require(await workouts.first() ?? nil)
        #expect(results.all == [true, true, true])
        await waitUntil { session.state == .ended }

        #expect(controller.states.all.map(\.rawValue).last == HKWorkoutSessionState.ended.rawValue)
        try await checkStored(workout, listing, quantityType)
    }

    private func checkStored(
        _ workout: HKWorkout, _ listing: ListingStore, _ quantityType: HKQuantityType
    ) async throws {
        let stored = try #require(try await listing.workouts().first)
        #expect(stored.uuid == workout.uuid && stored.device == HKDevice.local())
        #expect(try await listing.samples(heartRateType, of: stored).count == 2)
        #expect(try await listing.samples(quantityType, of: stored).count == 1)
        #expect(stored.statistics(for: heartRateType)?.maximumQuantity()?.doubleValue(for: beatsPerMinute) == 131)
    }

    #if !canImport(Darwin)
        @Test("the calls of the slides that no release has: no date for start and stop, and collectStatistics")
        @available(*, deprecated, message: "tests deprecated functions")
        func slideNames() async throws {
            let listing = try ListingStore()
            let healthStore = listing.healthStore
            let session = try HKWorkoutSession(healthStore: healthStore, configuration: workoutConfiguration)
            let builder = session.associatedWorkoutBuilder()
            let controller = WorkoutController(builder)
            session.delegate = controller
            builder.delegate = controller
            let dataSource = HKLiveWorkoutDataSource(
                healthStore: healthStore,
                workoutConfiguration: nil)
            let quantityType: HKQuantityType = heartRateType
            let optionalPredicate: NSPredicate? = nil
            dataSource.collectStatistics(for: quantityType, predicate: optionalPredicate)
            builder.dataSource = dataSource
            #expect(dataSource.typesToCollect == [heartRateType])

            session.prepare()
            session.startActivity()
            try await builder.beginCollection(at: Date())
            await waitUntil { session.state == .running }
            session.pause()
            await waitUntil { session.state == .paused }
            // Neither data nor time is collected in a pause.
            let elapsed = builder.elapsedTime
            try await healthStore.save(heartRate(150, at: Date()))
            try await Task.sleep(for: .milliseconds(60))
            #expect(abs(builder.elapsedTime - elapsed) < 1e-6 && builder.statistics(for: heartRateType) == nil)
            session.resume()
            session.stopActivity()
            session.end()
            await controller.states.wait { $0.last == .ended }
            #expect(controller.states.all == [.prepared, .running, .paused, .running, .stopped, .ended])
            let workout = try #require(try await builder.finishWorkout())
            #expect(workout.workoutEvents?.map(\.type) == [.pause, .resume] && workout.device != nil)
            #expect(workout.duration < workout.endDate.timeIntervalSince(workout.startDate) - 0.05)
            #expect(controller.timers.all.count == 2, "the timer follows each event")
        }
    #endif
}

/// The interface of a workout app: two labels, and the states of the session.
private final class WorkoutController: NSObject, HKWorkoutSessionDelegate, HKLiveWorkoutBuilderDelegate, Sendable {
    let builder: HKLiveWorkoutBuilder
    let labels = Collected<Double>()
    let timers = Collected<TimeInterval>()
    let states = Collected<HKWorkoutSessionState>()

    init(_ builder: HKLiveWorkoutBuilder) { self.builder = builder }

    private func updateHeartRateLabel(_ statistics: HKStatistics?) {
        let unit = HKUnit.count().unitDivided(by: .minute())
        if let newest = statistics?.mostRecentQuantity() { labels.append(newest.doubleValue(for: unit)) }
    }

    private func updateTimer(with elapsedTime: TimeInterval) { timers.append(elapsedTime) }

    //MARK: HKLiveWorkoutBuilderDelegate
    func workoutBuilder(
        _ workoutBuilder: HKLiveWorkoutBuilder,
        didCollectDataOf collectedTypes: Set<HKSampleType>
    ) {
        let heartRateType = HKQuantityType.quantityType(forIdentifier: .heartRate)!

        if collectedTypes.contains(heartRateType) {
            let updatedStatistics = workoutBuilder.statistics(for: heartRateType)
            updateHeartRateLabel(updatedStatistics)
        }
    }

    // The talk's name is workoutBuilderDidCollectEvents.
    func workoutBuilderDidCollectEvent(_ workoutBuilder: HKLiveWorkoutBuilder) {
        let elapsedTime = builder.elapsedTime
        updateTimer(with: elapsedTime)
    }

    //MARK: HKWorkoutSessionDelegate
    func workoutSession(
        _ workoutSession: HKWorkoutSession, didChangeTo toState: HKWorkoutSessionState,
        from fromState: HKWorkoutSessionState, date: Date
    ) { states.append(toState) }

    func workoutSession(_ workoutSession: HKWorkoutSession, didFailWithError error: any Error) {
        Issue.record(error)
    }
}

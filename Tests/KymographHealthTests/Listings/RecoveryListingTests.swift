// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KymographHealth

/// The listing of Apple's talk of 2018 on a workout whose program crashed. The class has the talk's name; its protocol
/// belongs to the watch.
private final class ExtensionDelegate: NSObject {
    let sessions = Collected<HKWorkoutSession?>()

    func handleActiveWorkoutRecovery() {
        let healthStore = HKHealthStore()
        let sessions = sessions
        healthStore.recoverActiveWorkoutSession { (session, error) in
            // Handle error
            if let error { Issue.record(error) }
            sessions.append(session)
        }
    }
}

@Suite("S-109 S-110 S-111 S-112 the listing of the talk of 2018 on recovery")
struct RecoveryListingTests {
    @Test("a program gets the session and the builder of its crashed process back in their state")
    func recovery() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        let type = HKQuantityType(.heartRate)
        // The crash of a process with a running workout.
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let healthStore = HKHealthStore(directory: path)
            let configuration = HKWorkoutConfiguration()
            configuration.activityType = .running
            let session = try HKWorkoutSession(healthStore: healthStore, configuration: configuration)
            let builder = session.associatedWorkoutBuilder()
            session.startActivity(with: clock)
            try await builder.beginCollection(at: clock)
            try await builder.addSamples([quantity(.heartRate, 144, "count/min", at: 3)])
            await session.settle()
            kill(getpid(), SIGKILL)
        }
        // The next process of the program. Only here the environment can be set: no other thread reads it.
        await #expect(processExitsWith: .success) { [path = path as String] in
            unsafe setenv("KYMO_STORE", path, 1)
            let program = ExtensionDelegate()
            program.handleActiveWorkoutRecovery()
            let session = try #require(await program.sessions.first() ?? nil)
            let builder = session.associatedWorkoutBuilder()
            #expect(session.state == .running && session.startDate == clock && builder.startDate == clock)
            let rate = builder.statistics(for: HKQuantityType(.heartRate))
            #expect(rate?.maximumQuantity()?.doubleValue(for: HKUnit(from: "count/min")) == 144)
            // The data source must be set again, activity and collection are not started again.
            #expect(builder.dataSource == nil)
            session.end()
            let workout = try await builder.finishWorkout()
            #expect(workout?.startDate == clock)
        }
        let health = HKHealthStore(directory: path)
        defer { health.close() }
        let workouts = try await HKSampleQueryDescriptor(predicates: [.workout()], sortDescriptors: [])
            .result(for: health)
        #expect(workouts.count == 1 && workouts.first?.device == HKDevice.local())
        let own = try #require(workouts.first.map { HKQuery.predicateForObjects(from: $0) })
        let members = try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: type, predicate: own)])
            .result(for: health)
        #expect(members.count == 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KymographHealth

/// The examples of `Docs/Guide/Sessions.md`. The lines between the marks are those of the page.
@Suite("S-60 S-80 S-84 the examples of the page about workout sessions")
struct SessionsExampleTests {
    @Test("a session with sensors, its end, and a recovery without a session")
    func session() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let sensors = ScriptedSource([.heartRate])
        let watcher = SessionRecorder()
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .walking
        let start = clock
        let end = clock.addingTimeInterval(60)

        // example session begins
        try health.attach(sensors)  // a SampleSource; not in HealthKit
        let session = try HKWorkoutSession(healthStore: health, configuration: configuration)
        let builder = session.associatedWorkoutBuilder()
        session.delegate = watcher
        builder.delegate = watcher
        builder.dataSource = HKLiveWorkoutDataSource(healthStore: health, workoutConfiguration: configuration)
        session.startActivity(with: start)
        try await builder.beginCollection(at: start)
        // example session ends

        await session.settle()
        sensors.deliver([quantity(.heartRate, 88, "count/min", at: 30)])
        sensors.set(60)

        // example session-end begins
        session.end()
        try await builder.endCollection(at: end)
        let workout = try await builder.finishWorkout()
        // example session-end ends

        #expect(workout?.duration == 60 && workout?.allStatistics.count == 1)

        // example session-recovery begins
        if let session = try await health.recoverActiveWorkoutSession() {
            let builder = session.associatedWorkoutBuilder()  // samples, events, metadata, statistics
            print(session.state, builder.elapsedTime)
        }
        // example session-recovery ends
    }
}

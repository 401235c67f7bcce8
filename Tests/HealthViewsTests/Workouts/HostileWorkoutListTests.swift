// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthViews
import TestSupport
import Testing

@Suite("T-3 hostile arguments of workouts")
struct HostileWorkoutListTests {
    @Test("impossible requests are refused, and requests of nothing return nothing")
    func requests() async throws {
        let recorded = try RecordedWorkouts()
        try await recorded.save(RecordedWorkouts.configuration(.walking), from: 0, to: 60)
        let store = try recorded.health.store()
        for commit in [-1, Int64.min, .max] {
            #expect(throws: HealthStoreError.self, "\(commit)") { try store.workouts(WorkoutRequest(asOf: commit)) }
        }
        let nothing = [
            WorkoutRequest(range: TimeRange(5, 5)), WorkoutRequest(range: TimeRange(.max, .min)),
            WorkoutRequest(range: TimeRange(.max - 1, .max)), WorkoutRequest(activities: []),
            WorkoutRequest(activities: ["", "\0", String(repeating: "x", count: 100_000)]),
            WorkoutRequest(sources: []), WorkoutRequest(sources: ["nobody", ""]),
        ]
        for request in nothing { #expect(try store.workouts(request).all.isEmpty, "\(request)") }
        #expect(try store.workouts().all.count == 1)
        recorded.health.close()
        #expect(throws: HealthStoreError.self) { try store.workouts() }
    }

    @Test("no workouts have no totals")
    func nothing() {
        #expect(ActivityTotals([]) == nil)
    }
}

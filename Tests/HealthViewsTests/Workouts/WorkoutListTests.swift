// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import TestSupport
import Testing

@testable import HealthViews

@Suite("T-3 the list of workouts, and their totals")
struct WorkoutListTests {
    @Test("a summary has the totals of the saved samples, without pauses")
    func summary() async throws {
        let recorded = try RecordedWorkouts()
        let run = try await recorded.saveRun()
        try await recorded.save(RecordedWorkouts.configuration(.yoga, .indoor), from: 5_000, to: 6_800)
        let list = try recorded.health.store().workouts()
        #expect(list.all.map(\.activity) == [.running, .yoga])
        let one = try #require(list.all.first)
        #expect(one.id.uuid == run.uuid && one.activityName == "HKWorkoutActivityTypeRunning")
        #expect(one.start == RecordedWorkouts.nanoseconds(0) && one.end == RecordedWorkouts.nanoseconds(1_200))
        #expect(one.duration == 1_100 && one.distance == 3_250 && one.energy == 220 && one.isIndoor == false)
        #expect(abs((one.speed ?? 0) - 3_250 / 1_100) < 1e-12)
        #expect(one.pulse?.least == 100 && one.pulse?.greatest == 159)
        let yoga = list.all[1]
        #expect(yoga.duration == 1_800 && yoga.distance == nil && yoga.speed == nil && yoga.pulse == nil)
        #expect(yoga.isIndoor == true && yoga.source == one.source)
    }

    @Test("requests select by start, activity and source; short identities distinguish all workouts")
    func requests() async throws {
        let recorded = try RecordedWorkouts()
        for hour in 0..<4 {
            let activity: HKWorkoutActivityType = hour == 2 ? .cycling : .walking
            let start = Double(hour) * 3_600
            try await recorded.save(RecordedWorkouts.configuration(activity), from: start, to: start + 60)
        }
        let store = try recorded.health.store()
        let all = try store.workouts()
        #expect(all.all.count == 4 && Set(all.all.map { all.short($0) }).count == 4)
        let range = TimeRange(RecordedWorkouts.nanoseconds(3_600), RecordedWorkouts.nanoseconds(7_200.5))
        let two = try store.workouts(WorkoutRequest(range: range))
        #expect(two.all.map(\.activity) == [.walking, .cycling])
        #expect(all.filtered(WorkoutRequest(range: range)).all == two.all)
        #expect(two.short(two.all[0]) == all.short(two.all[0]))
        let rides = try store.workouts(WorkoutRequest(activities: ["HKWorkoutActivityTypeCycling"]))
        #expect(rides.all.count == 1)
        #expect(try store.workouts(WorkoutRequest(sources: [all.all[0].source])).all.count == 4)
        #expect(all.matching(all.short(all.all[3])) == [all.all[3]])
        #expect(all.matching(all.all[3].id.uuid.uuidString) == [all.all[3]] && all.matching("-").isEmpty)
        #expect(try store.latestWorkout(before: .max)?.id == all.all[3].id)
        #expect(try store.latestWorkout(before: all.all[1].start)?.id == all.all[0].id)
        #expect(try store.latestWorkout(before: all.all[0].start) == nil)
    }

    @Test("the pulse of a workout without statistics is that of its source's samples")
    func pulse() async throws {
        let recorded = try RecordedWorkouts()
        let rates = [90.0, 100, 140].enumerated().map { place, rate in
            RecordedWorkouts.quantity(
                .heartRate, rate, "count/min", from: Double(place) * 10, to: Double(place) * 10)
        }
        try recorded.health.saveNow(rates)
        try await recorded.save(RecordedWorkouts.configuration(.rowing), from: 0, to: 15)
        let one = try #require(try recorded.health.store().workouts().all.first)
        #expect(one.pulse == PulseRange(average: 95, least: 90, greatest: 100))
    }

    @Test("totals by activity, with the longest and the fastest workout; weeks begin on Monday")
    func totals() async throws {
        let recorded = try RecordedWorkouts()
        let day = 86_400.0
        // Kilometres and seconds; the short run is too short for a record.
        for (place, (kilometres, seconds)) in [(10.0, 3_600.0), (5, 1_500), (0.5, 60), (12, 4_800)].enumerated() {
            let start = Double(place) * 3 * day
            try await recorded.save(
                RecordedWorkouts.configuration(.running), from: start, to: start + seconds,
                samples: [
                    RecordedWorkouts.quantity(
                        .distanceWalkingRunning, kilometres, "km", from: start, to: start + seconds)
                ])
        }
        try await recorded.save(RecordedWorkouts.configuration(.yoga), from: day, to: day + 20_000)
        let list = try recorded.health.store().workouts()
        #expect(list.totals.map(\.activity) == [.yoga, .running] && list.totals.map(\.count) == [1, 4])
        let runs = list.totals[1]
        #expect(runs.distance == 27_500 && runs.duration == 9_960 && runs.energy == nil)
        #expect(runs.longest.distance == 12_000 && runs.fastest?.distance == 5_000)
        #expect(list.total?.count == 5 && list.total?.duration == 29_960 && list.total?.longest == runs.longest)
        #expect(list.totals[0].fastest == nil && list.totals[0].distance == nil)
        let zone = try #require(CivilZone(identifier: "Europe/Zurich"))
        let first = CalendarDate(containing: RecordedWorkouts.nanoseconds(0), in: zone)
        #expect(first.weekday == 1)
        let span = DaySpan(first.adding(-2), through: first.adding(15), in: zone)
        let weeks = list.weeks(span)
        #expect(weeks.map(\.monday) == [-7, 0, 7, 14].map { first.adding($0) })
        #expect(weeks.map { $0.seconds["HKWorkoutActivityTypeRunning"] ?? 0 } == [0, 5_160, 4_800, 0])
        #expect(weeks.map { $0.seconds["HKWorkoutActivityTypeYoga"] ?? 0 } == [0, 20_000, 0, 0])
        let review = try recorded.health.store().review(span)
        #expect(review.workouts?.all.count == 5)
        #expect(try recorded.health.store().review(span, only: []).workouts == nil)
    }

    @Test("the overview of a day has the latest workout, also without other data")
    func overview() async throws {
        let recorded = try RecordedWorkouts()
        try await recorded.save(RecordedWorkouts.configuration(.cycling), from: 0, to: 600)
        let store = try recorded.health.store()
        let now = RecordedWorkouts.nanoseconds(40 * 86_400)
        let day = try #require(try store.dayOverview(now: now, zone: .utc))
        #expect(day.lastWorkout?.activity == .cycling && day.date.description == "2024-04-01" && !day.isToday)
        #expect(try store.dayOverview(now: RecordedWorkouts.nanoseconds(-1), zone: .utc) == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel

private func at(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: 700_000_000 + seconds) }
private func kilocalories(_ value: Double) -> HKQuantity { HKQuantity(unit: .kilocalorie(), doubleValue: value) }

@Suite("S-70 S-139 S-153 the rules for saving workouts")
struct WorkoutSaveRuleTests {
    /// Returns the error of a refused workout, or nil.
    @available(*, deprecated)
    private func refusal(_ workout: HKWorkout) -> HKError? {
        do throws(HKError) {
            try HealthSaveRules.check(workout)
            return nil
        } catch {
            #expect(error.code == .errorInvalidArgument && error.advice != nil && !error.reason.isEmpty)
            return error
        }
    }

    @available(*, deprecated)
    private func workout(
        _ events: [HKWorkoutEvent] = [], energy: HKQuantity? = nil, distance: HKQuantity? = nil,
        from start: Double = 0, to end: Double = 100
    ) -> HKWorkout {
        HKWorkout(
            activityType: .running, start: at(start), end: at(end), workoutEvents: events, totalEnergyBurned: energy,
            totalDistance: distance, metadata: nil)
    }

    @available(*, deprecated)
    @Test("events outside of the workout, intervals of instants and a first resume are refused")
    func events() {
        #expect(refusal(workout()) == nil)
        #expect(refusal(workout([event(.pause, 10), event(.resume, 20), event(.marker, 100)])) == nil)
        #expect(refusal(workout([event(.resume, 20), event(.pause, 10)])) == nil, "events are sorted")
        #expect(refusal(workout([event(.marker, 5), event(.pause, 10), event(.resume, 11)])) == nil)
        #expect(refusal(workout([event(.lap, 0, 100), event(.segment, 50, 50), event(.segment, 60, 10)])) == nil)
        for wrong in [
            [event(.marker, -1)], [event(.marker, 101)], [event(.lap, 90, 20)], [event(.pause, 10, 3_600)],
            [event(.marker, 10, 1)], [event(.resume, 10)], [event(.motionResumed, 10)],
            [event(.marker, 5), event(.resume, 10), event(.pause, 20)],
            [event(.pauseOrResumeRequest, 5), event(.resume, 10)],
            [HKWorkoutEvent(.lap, start: at(20), end: at(10))],
            [HKWorkoutEvent(.marker, start: at(.nan), end: at(.nan))],
            [HKWorkoutEvent(.marker, start: .distantFuture, end: .distantFuture)],
            [
                HKWorkoutEvent(
                    type: .marker, dateInterval: DateInterval(start: at(5), duration: 0), metadata: ["a": [1]])
            ],
        ] {
            #expect(refusal(workout(wrong)) != nil, "\(wrong)")
        }
    }

    @available(*, deprecated)
    @Test("totals of the wrong dimension, negative and infinite totals are refused")
    func totals() {
        let metres = HKQuantity(unit: .meter(), doubleValue: 3)
        #expect(refusal(workout(energy: kilocalories(3), distance: metres)) == nil)
        #expect(refusal(workout(energy: HKQuantity(unit: .jouleUnit(with: .kilo), doubleValue: 3))) == nil)
        #expect(refusal(workout(energy: metres))?.place?.contains("totalEnergyBurned") == true)
        #expect(refusal(workout(distance: kilocalories(3)))?.place?.contains("totalDistance") == true)
        for value in [-1, .nan, .infinity] as [Double] { #expect(refusal(workout(energy: kilocalories(value))) != nil) }
        for duration in [-1, .nan, .infinity] as [Double] {
            let stated = HKWorkout(
                activityType: .running, start: at(0), end: at(1), duration: duration, totalEnergyBurned: nil,
                totalDistance: nil, metadata: nil)
            #expect(refusal(stated)?.place?.contains("duration") == true)
        }
        #expect(refusal(workout(from: 10, to: 0)) != nil && refusal(workout(to: .nan)) != nil)
    }

    @available(*, deprecated)
    private func part(_ start: Double, _ end: Double?, _ activity: HKWorkoutActivityType) -> WorkoutActivity {
        WorkoutActivity(
            uuid: UUID(), configuration: WorkoutConfiguration(activity), start: at(start), end: end.map { at($0) })
    }

    @available(*, deprecated)
    @Test("activities do not overlap, lie inside the workout, and have a fitting activity")
    func activities() {
        func isRefused(_ parts: [WorkoutActivity], in activity: HKWorkoutActivityType = .swimBikeRun) -> Bool {
            do throws(HKError) {
                try HealthSaveRules.checkParts(
                    events: [], activities: parts, of: WorkoutConfiguration(activity), from: at(0), to: at(100))
                return false
            } catch {
                #expect(error.code == .errorInvalidArgument)
                return true
            }
        }
        let swim = part(0, 30, .swimming)
        #expect(!isRefused([]) && !isRefused([swim, part(30, 35, .transition), part(40, 100, .cycling)]))
        #expect(!isRefused([swim, part(30, nil, .running)]))
        #expect(!isRefused([part(0, 0, .running), part(0, 0, .running)], in: .running))
        #expect(isRefused([swim, part(29, 40, .transition)]), "overlap")
        #expect(isRefused([part(0, nil, .swimming), part(30, 40, .cycling)]), "an open activity before another")
        #expect(isRefused([part(-1, 30, .swimming)]) && isRefused([part(90, 101, .running)]))
        #expect(isRefused([part(101, nil, .running)]) && isRefused([part(20, 10, .running)]))
        #expect(isRefused([part(0, 10, .yoga)]), "an activity that swimBikeRun cannot have")
        #expect(isRefused([part(0, 10, .cycling)], in: .running) && !isRefused([part(0, 10, .running)], in: .running))
        #expect(isRefused([part(.nan, 10, .running)]) && isRefused([part(0, .infinity, .running)]))
    }
}

@Suite("S-90 sets of identities as runs")
struct IdentityRunsTests {
    @Test("runs equal a set of identities, whatever the order of insertion", arguments: 1...60)
    func random(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var runs = IdentityRuns()
        var known = Set<[UInt64]>()
        let ends: [UInt64] = [0, 1, UInt64.max - 40, 1 << 63]
        for _ in 0..<12 {
            let base = dice.pick(ends)
            let more = (0..<dice.below(40)).map { _ in
                (high: UInt64(dice.below(3)), low: base &+ UInt64(dice.below(40)))
            }
            let batch = dice.chance(0.5) ? more.sorted { ($0.high, $0.low) < ($1.high, $1.low) } : more
            let isNew = runs.insert(batch)
            for (one, isNew) in zip(batch, isNew) { #expect(isNew == known.insert([one.high, one.low]).inserted) }
            #expect(runs.count == UInt64(known.count))
        }
        for one in known { #expect(runs.contains(high: one[0], low: one[1])) }
        for high in UInt64(0)..<4 {
            for base in ends {
                for low in 0..<45 {
                    let low = base &+ UInt64(low) &- 2
                    #expect(runs.contains(high: high, low: low) == known.contains([high, low]))
                }
            }
        }
        for (one, next) in zip(runs.runs, runs.runs.dropFirst()) {
            let isApart = one.high < next.high || next.low - one.low > one.count
            #expect(isApart, "runs are sorted, disjoint and do not adjoin")
        }
        var halves = (IdentityRuns(), IdentityRuns())
        for one in known {
            if dice.chance(0.5) { halves.0.insert([(one[0], one[1])]) } else { halves.1.insert([(one[0], one[1])]) }
        }
        #expect(halves.0.union(halves.1) == runs && runs.union(runs) == runs)
    }

    @Test("the union of a set with unknown times has unknown times")
    func times() {
        var (one, other) = (IdentityRuns(), IdentityRuns())
        one.insert([(1, 1)])
        other.insert([(1, 5)])
        #expect(one.union(other).starts == nil)
        other.starts = at(0)...at(1)
        #expect(one.union(other).starts == nil && IdentityRuns().union(other).starts == at(0)...at(1))
        one.starts = at(5)...at(6)
        #expect(one.union(other).starts == at(0)...at(6))
    }

    @Test("a hundred thousand identities in random order take less than quadratic time")
    func many() {
        var dice = SeededGenerator(seed: 7)
        var runs = IdentityRuns()
        let all = (0..<100_000).map { _ in (high: UInt64(dice.below(1 << 20)), low: UInt64(dice.below(1 << 40))) }
        let start = ContinuousClock.now
        runs.insert(all)
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(runs.contains(high: all[0].high, low: all[0].low))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel

private func at(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: 700_000_000 + seconds) }
private func kilocalories(_ value: Double) -> HKQuantity { HKQuantity(unit: .kilocalorie(), doubleValue: value) }
private func metres(_ value: Double) -> HKQuantity { HKQuantity(unit: .meter(), doubleValue: value) }
private func number(_ value: Double) -> HKQuantity { HKQuantity(unit: .count(), doubleValue: value) }

@Suite("S-70 S-141 S-148 S-149 workouts of which only totals are known")
struct WorkoutValueTests {
    @available(*, deprecated)
    @Test("a workout without totals has one activity, which is all of it")
    func plain() throws {
        let workout = HKWorkout(activityType: .yoga, start: at(0), end: at(60))
        #expect(workout.workoutActivityType == .yoga && workout.duration == 60 && workout.workoutEvents == nil)
        #expect(workout.sampleType == HKObjectType.workoutType() && workout.allStatistics.isEmpty)
        #expect(workout.totalDistance == nil && workout.totalEnergyBurned == nil)
        #expect(workout.totalFlightsClimbed == nil && workout.totalSwimmingStrokeCount == nil)
        let only = try #require(workout.workoutActivities.first)
        #expect(workout.workoutActivities.count == 1 && only.startDate == at(0) && only.endDate == at(60))
        #expect(only.workoutConfiguration.activityType == .yoga && only.duration == 60 && only.metadata == nil)
    }

    @available(*, deprecated)
    @Test("totals are the sums of active energy and of the activity's distance type")
    func totals() throws {
        let device = HKDevice.local()
        let workout = HKWorkout(
            activityType: .cycling, start: at(0), end: at(600),
            workoutEvents: [
                HKWorkoutEvent(type: .resume, date: at(200)), HKWorkoutEvent(type: .pause, date: at(100)),
            ],
            totalEnergyBurned: kilocalories(120), totalDistance: metres(5_000), device: device,
            metadata: [HKMetadataKeyIndoorWorkout: true])
        #expect(workout.duration == 500 && workout.device == device)
        #expect(workout.workoutEvents?.map(\.type) == [.pause, .resume])
        #expect(workout.totalEnergyBurned == kilocalories(120) && workout.totalDistance == metres(5_000))
        let distance = HKQuantityType(.distanceCycling)
        for statistics in [workout.allStatistics, workout.workoutActivities[0].allStatistics] {
            #expect(Set(statistics.keys) == [distance, HKQuantityType(.activeEnergyBurned)])
            #expect(statistics[distance]?.sumQuantity() == metres(5_000))
            #expect(statistics[distance]?.averageQuantity() == nil)
            #expect(statistics[distance]?.startDate == at(0) && statistics[distance]?.endDate == at(600))
        }
        #expect(workout.statistics(for: distance)?.sumQuantity() == metres(5_000))
        #expect(workout.statistics(for: HKQuantityType(.heartRate)) == nil)
        #expect(workout.workoutActivities[0].statistics(for: distance)?.sumQuantity() == metres(5_000))
        #expect(workout.workoutActivities[0].workoutConfiguration.locationType == .indoor)
        #expect(workout.workoutActivities[0].workoutEvents.count == 2)
        #expect(!workout.description.isEmpty)
    }

    @available(*, deprecated)
    @Test("each initialiser keeps its totals; a duration of 0 is the time from start to end")
    func initialisers() {
        let strokes = HKWorkout(
            activityType: .swimming, start: at(0), end: at(60), workoutEvents: nil, totalEnergyBurned: nil,
            totalDistance: nil, totalSwimmingStrokeCount: number(40), device: nil, metadata: nil)
        #expect(strokes.totalSwimmingStrokeCount == number(40))
        #expect(strokes.statistics(for: HKQuantityType(.swimmingStrokeCount))?.sumQuantity() == number(40))
        let flights = HKWorkout(
            activityType: .stairs, start: at(0), end: at(60), workoutEvents: nil, totalEnergyBurned: nil,
            totalDistance: nil, totalFlightsClimbed: number(7), device: nil, metadata: nil)
        #expect(flights.totalFlightsClimbed == number(7))
        for (stated, wanted) in [(0.0, 60.0), (45, 45), (1e9, 1e9)] {
            let workout = HKWorkout(
                activityType: .running, start: at(0), end: at(60), duration: stated, totalEnergyBurned: nil,
                totalDistance: nil, metadata: nil)
            #expect(workout.duration == wanted)
        }
    }

    @available(*, deprecated)
    @Test("a swimBikeRun workout has a total distance, but no type for it")
    func mixed() {
        let workout = HKWorkout(
            activityType: .swimBikeRun, start: at(0), end: at(60), duration: 0, totalEnergyBurned: nil,
            totalDistance: metres(9), metadata: nil)
        #expect(workout.totalDistance == metres(9) && workout.allStatistics.isEmpty)
        let statistics: WorkoutStatistics = [
            HKQuantityTypeIdentifier.distanceSwimming.rawValue: WorkoutStatistic(sum: metres(1)),
            HKQuantityTypeIdentifier.distanceCycling.rawValue: WorkoutStatistic(
                sum: HKQuantity(unit: .meterUnit(with: .kilo), doubleValue: 2)),
        ]
        #expect(WorkoutTotals(statistics, of: .swimBikeRun).distance == metres(2_001))
        #expect(WorkoutTotals(statistics, of: .cycling).distance == metres(2_000))
        #expect(WorkoutTotals(statistics, of: .running).distance == nil)
    }

    @available(*, deprecated)
    @Test("extreme dates, durations and totals are kept, and nothing traps")
    func hostile() {
        let times = [0, .nan, .infinity, -.infinity, 1e300, -1e300].map { Date(timeIntervalSinceReferenceDate: $0) }
        for start in times {
            for end in times {
                let events = times.map { HKWorkoutEvent(type: .pause, date: $0) }
                for value in [Double.nan, .infinity, -1] {
                    let workout = HKWorkout(
                        activityType: .other, start: start, end: end, workoutEvents: events,
                        totalEnergyBurned: metres(value), totalDistance: kilocalories(value), metadata: ["": ""])
                    #expect(workout.workoutActivities.count == 1 && workout.workoutEvents?.count == times.count)
                    _ = (workout.allStatistics, workout.description, workout.workoutActivities[0].allStatistics)
                    _ = workout.statistics(for: HKQuantityType(.activeEnergyBurned))?.sumQuantity()
                    let activity = HKWorkoutActivity(
                        workoutConfiguration: HKWorkoutConfiguration(), start: start, end: end, metadata: ["a": value])
                    _ = (activity.duration, activity.allStatistics, activity.description)
                }
            }
        }
    }
}

@Suite("S-62 S-138 S-143 S-153 configurations and activities")
struct WorkoutConfigurationTests {
    @Test("a configuration starts with unknown values, is copied, and equals one with the same values")
    func values() throws {
        let one = HKWorkoutConfiguration()
        #expect(one.activityType == .other && one.locationType == .unknown)
        #expect(one.swimmingLocationType == .unknown && one.lapLength == nil)
        one.activityType = .swimming
        one.locationType = .indoor
        one.swimmingLocationType = .pool
        one.lapLength = metres(25)
        let copy = try #require(one.copy() as? HKWorkoutConfiguration)
        #expect(copy == one && copy !== one && copy.hash == one.hash && !one.description.isEmpty)
        copy.lapLength = metres(50)
        #expect(copy != one)
        let data = try NSKeyedArchiver.archivedData(withRootObject: one, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: HKWorkoutConfiguration.self, from: data)
        #expect(read == one && HKWorkoutConfiguration.supportsSecureCoding)
        #expect(HKWorkoutSessionLocationType.allCases.map(\.rawValue) == [1, 2, 3])
    }

    @Test(
        "a finished workout's metadata states the configuration, and the configuration follows from the metadata",
        arguments: [
            WorkoutConfiguration(.running, .indoor), WorkoutConfiguration(.running, .outdoor),
            WorkoutConfiguration(.running), WorkoutConfiguration(.swimming, swimming: .openWater),
            WorkoutConfiguration(.swimming, .indoor, swimming: .pool, lapLength: metres(25)),
        ])
    func metadata(configuration: WorkoutConfiguration) {
        #expect(WorkoutConfiguration(configuration.activity, metadata: configuration.metadata) == configuration)
    }

    @Test(
        "configurations that no session accepts are refused",
        arguments: [
            (WorkoutConfiguration(.swimming, swimming: .pool), true),
            (WorkoutConfiguration(.swimming, swimming: .pool, lapLength: metres(0)), true),
            (WorkoutConfiguration(.swimming, swimming: .pool, lapLength: metres(.nan)), true),
            (WorkoutConfiguration(.swimming, swimming: .pool, lapLength: kilocalories(3)), true),
            (WorkoutConfiguration(.running, lapLength: metres(-1)), true),
            (WorkoutConfiguration(.running, swimming: .openWater), true),
            (WorkoutConfiguration(.swimBikeRun, swimming: .openWater), false),
            (WorkoutConfiguration(.waterPolo, swimming: .pool, lapLength: metres(25)), false),
            (WorkoutConfiguration(.running, .outdoor), false), (WorkoutConfiguration(.transition), false),
        ])
    func checks(configuration: WorkoutConfiguration, isRefused: Bool) {
        var found: HKError?
        do throws(HKError) { try configuration.check() } catch { found = error }
        #expect((found?.code == .errorInvalidArgument) == isRefused)
    }

    @Test("a session cannot be a transition")
    func transition() {
        let error = #expect(throws: HKError.self) { try WorkoutConfiguration(.transition).check(isSession: true) }
        #expect(error?.code == .errorWorkoutActivityNotAllowed)
    }

    @Test("an activity has an identity, a copy of its configuration, and no events before it is part of a workout")
    func activity() {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        let one = HKWorkoutActivity(
            workoutConfiguration: configuration, start: at(0), end: nil, metadata: ["lap": 1])
        configuration.activityType = .cycling
        #expect(one.workoutConfiguration.activityType == .running && one.startDate == at(0) && one.endDate == nil)
        #expect(one.metadata?["lap"] as? Int == 1 && one.workoutEvents.isEmpty && one.allStatistics.isEmpty)
        #expect(one.duration == 0 && one.copy() as? HKWorkoutActivity == one)
        let other = HKWorkoutActivity(
            workoutConfiguration: configuration, start: at(0), end: at(9), metadata: nil)
        #expect(other != one && other.duration == 9 && other.metadata == nil && other.uuid != one.uuid)
    }

    @Test("events and activities survive an archive, with metadata of every kind")
    func archives() throws {
        let metadata: [String: Any] = [
            "text": "é\0", "flag": true, "whole": -5, "huge": UInt.max, "real": 0.1, "date": at(1.5),
            "amount": metres(2.5), "data": Data([0, 255, 7]), "": "",
        ]
        func copy<T: NSObject & NSSecureCoding>(_ one: T) throws -> T? {
            let data = try NSKeyedArchiver.archivedData(withRootObject: one, requiringSecureCoding: true)
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data)
        }
        for values in [metadata, nil] {
            let event = HKWorkoutEvent(
                type: .segment, dateInterval: DateInterval(start: at(0.1), duration: 3), metadata: values)
            #expect(try copy(event) == event && HKWorkoutEvent.supportsSecureCoding)
            for end in [at(9), nil] {
                let activity = HKWorkoutActivity(
                    workoutConfiguration: HKWorkoutConfiguration(WorkoutConfiguration(.running, .outdoor)),
                    start: at(0.1), end: end, metadata: values)
                let read = try #require(try copy(activity))
                #expect(read.value == activity.value && HKWorkoutActivity.supportsSecureCoding)
            }
        }
    }

    @Test("the types of an activity's distance, and of a live workout")
    func types() {
        for type in HKWorkoutActivityType.allCases {
            let isMixed = type == .swimBikeRun
            #expect(WorkoutTypes.distances(of: type).count == (isMixed ? 3 : 1))
            let collected = WorkoutTypes.collected(by: WorkoutConfiguration(type))
            #expect(collected.isSuperset(of: [.activeEnergyBurned, .basalEnergyBurned, .heartRate]))
        }
        #expect(WorkoutTypes.distances(of: .handCycling) == [.distanceCycling])
        #expect(WorkoutTypes.collected(by: WorkoutConfiguration(.running, .outdoor)).contains(.runningPower))
        #expect(!WorkoutTypes.collected(by: WorkoutConfiguration(.running, .indoor)).contains(.runningPower))
        for (types, activity) in [
            ([.distanceSwimming, .heartRate], .swimming), ([.swimmingStrokeCount], .swimming),
            ([.distanceCycling], .cycling), ([.distanceWalkingRunning], .running), ([.heartRate], .transition),
        ] as [([HKQuantityTypeIdentifier], HKWorkoutActivityType)] {
            #expect(WorkoutTypes.activity(ofPartWith: types.map(\.rawValue)) == activity)
        }
    }
}

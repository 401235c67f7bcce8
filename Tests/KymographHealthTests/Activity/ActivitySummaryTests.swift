// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-56 activity summaries: values")
struct ActivitySummaryTests {
    private func summaries(_ door: TestDoor, _ predicate: NSPredicate? = nil) async throws -> [HKActivitySummary] {
        try await HKActivitySummaryQueryDescriptor(predicate: predicate).result(for: door.health)
    }

    private func between(_ first: DateComponents, _ last: DateComponents) -> NSPredicate {
        HKQuery.predicate(forActivitySummariesBetweenStart: first, end: last)
    }

    @Test("a day is the sum of its samples: energy across midnight is split, an hour with a stand sample counts once")
    func computed() async throws {
        let door = try TestDoor()
        let monday = day(3, 4)
        try door.health.store().load([
            activity(.activeEnergyBurned, 100, from: time(monday, 8), minutes: 30),
            activity(.activeEnergyBurned, 40, from: time(monday, 23.5), minutes: 60),
            activity(.appleExerciseTime, 25, from: time(monday, 8), minutes: 25),
            activity(.appleMoveTime, 12, from: time(monday, 8), minutes: 12),
            stand(time(monday, 9)), stand(time(monday, 9.5)), stand(time(monday, 10)),
            stand(time(monday, 11), stood: false), stand(time(day(3, 6), 9), stood: false),
        ])
        for _ in 0..<2 {
            let found = try await summaries(door, between(day(3, 1), day(3, 31)))
            #expect(found.map(\.date) == [304, 305, 306])
            #expect(found.map { $0.activeEnergyBurned.doubleValue(for: .kilocalorie()) } == [120, 20, 0])
            #expect(found[0].appleExerciseTime == HKQuantity(unit: .minute(), doubleValue: 25))
            #expect(found[0].appleMoveTime == HKQuantity(unit: .minute(), doubleValue: 12))
            #expect(found.map(\.appleStandHours.value) == [2, 0, 0])
            #expect(found[0].exerciseTimeGoal == nil && found[0].standHoursGoal == nil)
            #expect(found[0].activeEnergyBurnedGoal.value == 0 && found[0].appleStandHoursGoal.value == 0)
            #expect(found[0].activityMoveMode == .activeEnergy)
            door.health.close()
        }
    }

    @Test("a workout with a total only adds its energy; one with samples does not add it twice")
    @available(*, deprecated, message: "tests deprecated functions")
    func workouts() async throws {
        let door = try TestDoor()
        let monday = day(3, 4)
        try await door.health.save(
            HKWorkout(
                activityType: .running, start: time(monday, 23.5), end: time(monday, 24.5), duration: 0,
                totalEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: 60), totalDistance: nil, metadata: nil)
        )
        let builder = HKWorkoutBuilder(healthStore: door.health, configuration: configured(.cycling), device: nil)
        try await builder.beginCollection(at: time(monday, 8))
        try await builder.addSamples([
            HKQuantitySample(
                type: kilocalories, quantity: HKQuantity(unit: .kilocalorie(), doubleValue: 100),
                start: time(monday, 8), end: time(monday, 9))
        ])
        try await builder.endCollection(at: time(monday, 9))
        try await builder.finishWorkout()
        let found = try await summaries(door, between(day(3, 1), day(3, 31)))
        #expect(found.map(\.date) == [304, 305])
        #expect(found.map { $0.activeEnergyBurned.doubleValue(for: .kilocalorie()) } == [130, 30])
    }

    @Test("for the same time only the watch's energy counts, not the phone's")
    func merged() async throws {
        let door = try TestDoor()
        let start = time(day(3, 4), 8)
        try door.health.store().load([
            activity(.activeEnergyBurned, 100, from: start, minutes: 30, source: "Ann's Apple Watch"),
            activity(.activeEnergyBurned, 80, from: start, minutes: 30, source: "Ann's iPhone"),
            activity(.activeEnergyBurned, 418.4, from: time(day(3, 4), 12), minutes: 5, source: "Bike", unit: "kJ"),
            stand(start, source: "A"), stand(start, source: "B"),
        ])
        let found = try await summaries(door, HKQuery.predicateForActivitySummary(with: day(3, 4)))
        #expect(found.count == 1)
        let energy = try #require(found.first).activeEnergyBurned
        #expect(energy.unit == .kilocalorie() && abs(energy.value - 200) < 1e-9)
        #expect(found[0].appleStandHours.value == 1)
    }

    @Test("an imported summary replaces computed values, as written; the last summary of a date is used")
    func imported() async throws {
        let door = try TestDoor()
        let energy = #"activeEnergyBurned="795.309" activeEnergyBurnedGoal="500" activeEnergyBurnedUnit="#
        let rest = #" appleExerciseTime="90" appleExerciseTimeGoal="30" appleStandHours="7" appleStandHoursGoal="12""#
        try door.health.store().load(summaries: [
            ("2024-03-04", energy + #""kJ" appleMoveTime="0" appleMoveTimeGoal="0""# + rest),
            ("2024-03-05", #"activeEnergyBurned="1""#), ("2024-03-05", #"activeEnergyBurned = '2' appleStandHours="#),
            ("2024-03-06", #"appleMoveMinutes="33" appleMoveMinutesGoal="60" activeEnergyBurnedGoal="0""#),
        ])
        try door.health.store().load([
            activity(.activeEnergyBurned, 1, from: time(day(3, 4), 8), minutes: 30), stand(time(day(3, 5), 8)),
            activity(.activeEnergyBurned, 3, from: time(day(3, 7), 8), minutes: 30),
        ])
        for _ in 0..<2 {
            let found = try await summaries(door)
            #expect(found.map(\.date) == [304, 305, 306, 307])
            let kilojoules = HKUnit(from: "kJ")
            #expect(found[0].activeEnergyBurned == HKQuantity(unit: kilojoules, doubleValue: 795.309))
            #expect(found[0].activeEnergyBurnedGoal == HKQuantity(unit: kilojoules, doubleValue: 500))
            #expect(found[0].appleExerciseTime.value == 90 && found[0].exerciseTimeGoal?.value == 30)
            #expect(found[0].appleStandHours.value == 7 && found[0].standHoursGoal?.value == 12)
            #expect(found[0].activityMoveMode == .activeEnergy)
            #expect(found[1].activeEnergyBurned.value == 2 && found[1].activeEnergyBurned.unit == .kilocalorie())
            #expect(found[1].appleStandHours.value == 0 && found[1].standHoursGoal == nil)
            #expect(found[2].appleMoveTime.value == 33 && found[2].appleMoveTimeGoal.value == 60)
            #expect(found[2].activityMoveMode == .appleMoveTime)
            #expect(found[3].activeEnergyBurned.value == 3)
            let two = try await summaries(door, between(day(3, 5), day(3, 6)))
            #expect(two.map(\.date) == [305, 306])
            door.health.close()
        }
    }

    @Test("energy in a unit of another dimension, and a text that is not a decimal number, count as zero")
    func unreadable() {
        func values(_ rest: String) -> ActivityValues {
            ImportedSummary(Array("<ActivitySummary \(rest)/>".utf8)).values(.appleMoveTime)
        }
        let energy = #"activeEnergyBurned="795.3" activeEnergyBurnedGoal="500" appleExerciseTime="9""#
        for unit in ["m", "min", "count", "kg", "", "furlong", "kcal/min"] {
            let found = values(energy + " activeEnergyBurnedUnit=\"\(unit)\"")
            #expect(found.activeEnergyBurned == HKQuantity(unit: .kilocalorie(), doubleValue: 0), "\(unit)")
            #expect(found.goals.activeEnergyBurned == nil && found.moveMode == .appleMoveTime, "\(unit)")
            #expect(found.appleExerciseTime.value == 9)
        }
        for unit in ["kcal", "kJ", "Cal", "J"] {
            let found = values(energy + " activeEnergyBurnedUnit=\"\(unit)\"")
            #expect(found.activeEnergyBurned == HKQuantity(unit: HKUnit(from: unit), doubleValue: 795.3), "\(unit)")
            #expect(found.goals.activeEnergyBurned?.value == 500 && found.moveMode == .activeEnergy, "\(unit)")
        }
        #expect(values(energy).activeEnergyBurned == HKQuantity(unit: .kilocalorie(), doubleValue: 795.3))
        for text in ["0x10", "0x1p4", "nan", "inf", "Infinity", "1e999", "", " 5", "5 kcal", "1,5", "1_0", "e", "-"] {
            let found = values(
                #"activeEnergyBurned="\#(text)" appleExerciseTime="\#(text)" appleStandHours="\#(text)" "#
                    + #"appleMoveTime="\#(text)" appleStandHoursGoal="\#(text)""#)
            #expect(found.activeEnergyBurned.value == 0 && found.appleExerciseTime.value == 0, "\(text)")
            #expect(found.appleStandHours.value == 0 && found.appleMoveTime.value == 0, "\(text)")
            #expect(found.goals.appleStandHours == nil, "\(text)")
        }
        #expect(values(#"appleExerciseTime="1.5e+1" appleStandHours="+2""#).appleExerciseTime.value == 15)
    }

    @Test("damaged bytes of an element yield finite values and never trap", arguments: 1...4)
    func hostile(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let good = Array(#"<ActivitySummary dateComponents="2024-03-04" activeEnergyBurned = '5' a="">"#.utf8)
        #expect(ImportedSummary.attributes(good)["activeEnergyBurned"] == "5")
        #expect(ImportedSummary(good).values(.activeEnergy).activeEnergyBurned.value == 5)
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0...dice.below(4) { bytes[dice.below(bytes.count)] = UInt8(dice.below(256)) }
            if dice.chance(0.3) { bytes.removeLast(dice.below(bytes.count)) }
            #expect(ImportedSummary(bytes).values(.activeEnergy).activeEnergyBurned.value.isFinite)
        }
        #expect(ImportedSummary([]).values(.appleMoveTime).moveMode == .appleMoveTime)
    }

    @Test("summaries of random samples equal a naive sum, across both changes of the clocks", arguments: 1...6)
    func random(seed: UInt64) async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: seed)
        let first = time(seed % 2 == 0 ? day(3, 29) : day(10, 25))
        var energy: [Date: Double] = [:]
        var hours: [Date: Set<Date>] = [:]
        var samples: [TestSample] = []
        var at = first
        for _ in 0..<300 {
            at = at.addingTimeInterval(Double(dice.below(1_800)))
            let minutes = 1 + Double(dice.below(50))
            let end = at.addingTimeInterval(minutes * 60)
            let value = Double(dice.below(10_000)) / 100
            samples.append(activity(.activeEnergyBurned, value, from: at, minutes: minutes))
            var from = at
            while from < end {
                let midnight = zurich.startOfDay(for: from)
                let next = zurich.date(byAdding: .day, value: 1, to: midnight) ?? .distantFuture
                energy[midnight, default: 0] += value * min(end, next).timeIntervalSince(from) / (minutes * 60)
                from = min(end, next)
            }
            if dice.chance(0.3) {
                let hour = zurich.dateInterval(of: .hour, for: at)?.start ?? at
                let stood = dice.chance(0.6)
                samples.append(stand(hour, stood: stood))
                let midnight = zurich.startOfDay(for: hour)
                if stood { hours[midnight, default: []].insert(hour) }
            }
            at = end
        }
        try door.health.store().load(samples)
        let found = try await summaries(door, between(day(1, 1), day(12, 31)))
        #expect(found.count == energy.count)
        for summary in found {
            let midnight = try #require(summary.dateComponents(for: zurich).date)
            #expect(abs(summary.activeEnergyBurned.value - (energy[midnight] ?? .nan)) < 1e-9)
            #expect(summary.appleStandHours.value == Double(hours[midnight]?.count ?? 0), "\(midnight)")
        }
        var (early, late) = (day(1, 1), day(12, 31))
        (early.timeZone, late.timeZone) = (TimeZone(identifier: "Asia/Kathmandu"), .gmt)
        let all = try await summaries(door, between(early, late))
        #expect(abs(all.reduce(0) { $0 + $1.activeEnergyBurned.value } - energy.values.reduce(0, +)) < 1e-6)
    }

    @Test("each hour with a stand sample counts, also on days with a half-hour clock change")
    func halfHours() async throws {
        let door = try TestDoor()
        var island = Calendar(identifier: .gregorian)
        island.timeZone = try #require(TimeZone(identifier: "Australia/Lord_Howe"))
        for (month, number, hours) in [(4, 7, 25), (10, 6, 24), (7, 1, 24)] {
            let asked = DateComponents(calendar: island, year: 2_024, month: month, day: number)
            let midnight = try #require(asked.date)
            let next = try #require(island.date(byAdding: .day, value: 1, to: midnight))
            var at = midnight
            while at < next {
                try door.health.store().load([stand(at), stand(at, source: "Phone")])
                at += 3_600
            }
            let found = try await summaries(door, HKQuery.predicateForActivitySummary(with: asked))
            #expect(found.map(\.appleStandHours.value) == [Double(hours)])
        }
    }

    @Test("a summary can be changed, and its copy is independent")
    func object() throws {
        let summary = HKActivitySummary()
        #expect(summary.dateComponents(for: zurich) == DateComponents(calendar: zurich))
        #expect(!summary.isPaused)
        summary.isPaused = true
        summary.activityMoveMode = .appleMoveTime
        summary.activeEnergyBurned = HKQuantity(unit: .kilocalorie(), doubleValue: 5)
        summary.activeEnergyBurnedGoal = HKQuantity(unit: .kilocalorie(), doubleValue: 6)
        summary.appleMoveTime = HKQuantity(unit: .minute(), doubleValue: 7)
        summary.appleMoveTimeGoal = HKQuantity(unit: .hour(), doubleValue: 8)
        summary.appleExerciseTime = HKQuantity(unit: .minute(), doubleValue: 9)
        summary.appleExerciseTimeGoal = HKQuantity(unit: .minute(), doubleValue: 10)
        summary.appleStandHours = HKQuantity(unit: .count(), doubleValue: 11)
        summary.appleStandHoursGoal = HKQuantity(unit: .count(), doubleValue: 12)
        let copy = try #require(summary.copy() as? HKActivitySummary)
        summary.isPaused = false
        summary.exerciseTimeGoal = nil
        summary.standHoursGoal = nil
        summary.appleStandHours = HKQuantity(unit: .gram(), doubleValue: 1)
        #expect(copy.isPaused && !summary.isPaused)
        #expect(copy.activityMoveMode == .appleMoveTime && copy.appleMoveTimeGoal.doubleValue(for: .minute()) == 480)
        #expect(copy.exerciseTimeGoal?.value == 10 && copy.standHoursGoal?.value == 12)
        #expect([copy.activeEnergyBurned, copy.activeEnergyBurnedGoal].map(\.value) == [5, 6])
        #expect([copy.appleMoveTime, copy.appleExerciseTime, copy.appleStandHours].map(\.value) == [7, 9, 11])
        #expect(summary.appleExerciseTimeGoal.value == 0 && summary.appleStandHours.doubleValue(for: .count()).isNaN)
    }
}

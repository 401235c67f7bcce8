// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-56 activity summaries: predicates, queries and goals")
struct ActivityQueryTests {
    /// A store with one energy sample on each of the first nine days of March 2024.
    private func march() throws -> TestDoor {
        let door = try TestDoor()
        try door.health.store().load(
            (1...9).map {
                activity(.activeEnergyBurned, Double($0), from: time(day(3, $0), 12), minutes: 10)
            })
        return door
    }

    private func days(_ door: TestDoor, _ predicate: NSPredicate?) async throws -> [Int] {
        try await HKActivitySummaryQueryDescriptor(predicate: predicate).result(for: door.health).map { $0.date - 300 }
    }

    private func one(_ number: Int) -> NSPredicate { HKQuery.predicateForActivitySummary(with: day(3, number)) }

    private func range(_ first: Int, _ last: Int) -> NSPredicate {
        HKQuery.predicate(forActivitySummariesBetweenStart: day(3, first), end: day(3, last))
    }

    @Test("predicates select one day, a range of days, and combinations with and, or and not")
    func predicates() async throws {
        let door = try march()
        #expect(try await days(door, nil) == Array(1...9))
        #expect(try await days(door, one(4)) == [4])
        #expect(try await days(door, range(4, 6)) == [4, 5, 6])
        #expect(try await days(door, range(6, 4)) == [])
        #expect(try await days(door, one(20)) == [])
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [range(2, 7), range(5, 9)])
        #expect(try await days(door, both) == [5, 6, 7])
        let apart = NSCompoundPredicate(andPredicateWithSubpredicates: [range(2, 3), range(5, 9)])
        #expect(try await days(door, apart) == [])
        let either = NSCompoundPredicate(orPredicateWithSubpredicates: [one(2), range(8, 9)])
        #expect(try await days(door, either) == [2, 8, 9])
        #expect(try await days(door, NSCompoundPredicate(notPredicateWithSubpredicate: range(2, 8))) == [1, 9])
        #expect(try await days(door, NSPredicate(value: false)) == [])
        let wide = HKQuery.predicate(forActivitySummariesBetweenStart: day(1, 1, 1), end: day(1, 1, 9_999))
        #expect(try await days(door, wide) == Array(1...9))
    }

    @Test("a format with the key path of the day selects as the functions do")
    func formats() async throws {
        let door = try march()
        func format(_ text: String, _ day: DateComponents) -> NSPredicate {
            NSPredicate(format: text, HKPredicateKeyPathDateComponents, day)
        }
        for (sign, selected) in [
            ("=", [4]), ("!=", [1, 2, 3, 5, 6, 7, 8, 9]), ("<", [1, 2, 3]), ("<=", [1, 2, 3, 4]),
            (">", [5, 6, 7, 8, 9]), (">=", [4, 5, 6, 7, 8, 9]),
        ] {
            #expect(try await days(door, format("%K \(sign) %@", day(3, 4))) == selected, "\(sign)")
        }
        let range = NSPredicate(format: "dateComponents BETWEEN %@", [day(3, 2), day(3, 3)])
        #expect(try await days(door, range) == [2, 3])
        for wrong in [NSPredicate(format: "dateComponents = 4"), format("%K = %@", DateComponents(year: 2024))] {
            await #expect(throws: HKError.self) { try await days(door, wrong) }
        }
    }

    @Test(
        "a random compound predicate selects exactly the days that its parts select, and its bounds contain them",
        arguments: 1...4)
    func compounds(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        func part(_ depth: Int) -> (SamplePredicate, (Int64) -> Bool) {
            switch depth == 0 ? 0 : dice.below(4) {
            case 1:
                let parts = (0..<dice.below(3)).map { _ in part(depth - 1) }
                return (.and(parts.map(\.0)), { day in parts.allSatisfy { $0.1(day) } })
            case 2:
                let parts = (0..<dice.below(3)).map { _ in part(depth - 1) }
                return (.or(parts.map(\.0)), { day in parts.contains { $0.1(day) } })
            case 3:
                let inner = part(depth - 1)
                return (.not(inner.0), { !inner.1($0) })
            default:
                let (first, last) = (Int64(dice.below(20)), Int64(dice.below(20)))
                let days = PredicateDays(first: first, last: last, timeZone: .gmt)
                return (.days(days), { $0 >= first && $0 <= last })
            }
        }
        for _ in 0..<500 {
            let (predicate, means) = part(3)
            let condition = try DayCondition(predicate)
            for day in Int64(-2)...22 {
                #expect(condition.matches(day) == means(day), "\(predicate)")
                if means(day) { #expect(condition.bounds?.contains(day) == true, "\(predicate)") }
            }
        }
    }

    @Test("a predicate accepts a day of another calendar, or a day in another time zone")
    func calendars() async throws {
        let door = try march()
        var buddhist = Calendar(identifier: .buddhist)
        buddhist.timeZone = zurich.timeZone
        let asked = DateComponents(calendar: buddhist, year: 2_567, month: 3, day: 4)
        let found = try await HKActivitySummaryQueryDescriptor(
            predicate: HKQuery.predicateForActivitySummary(with: asked)
        ).result(for: door.health)
        #expect(found.map(\.date) == [304])
        #expect(found.first?.dateComponents(for: buddhist).year == 2_567)
        // Noon in Zurich is already the next day in a zone 14 hours ahead of UTC.
        var east = day(3, 5)
        east.timeZone = TimeZone(identifier: "Pacific/Kiritimati")
        let there = try await HKActivitySummaryQueryDescriptor(
            predicate: HKQuery.predicateForActivitySummary(with: east)
        ).result(for: door.health)
        #expect(there.map(\.activeEnergyBurned.value) == [4])
    }

    @Test("a day of a leap month and the same day of the month before are different days")
    func leapMonth() async throws {
        let door = try TestDoor()
        let days = [day(2, 24, 2_023), day(3, 26, 2_023)]
        try door.health.store().load(
            days.map { activity(.activeEnergyBurned, 1, from: time($0, 12), minutes: 10) })
        var chinese = Calendar(identifier: .chinese)
        chinese.timeZone = zurich.timeZone
        var asked: [DateComponents] = []
        for summary in try await HKActivitySummaryQueryDescriptor(predicate: nil).result(for: door.health) {
            asked.append(summary.dateComponents(for: chinese))
        }
        #expect(asked.map(\.isLeapMonth) == [false, true])
        #expect(Set(asked.map(\.month)) == [2] && Set(asked.map(\.day)) == [5])
        for (components, date) in zip(asked, [224, 326]) {
            let found = try await HKActivitySummaryQueryDescriptor(
                predicate: HKQuery.predicateForActivitySummary(with: components)
            ).result(for: door.health)
            #expect(found.map(\.date) == [date])
        }
    }

    @Test("predicates that name no valid day, or no property of a summary, are refused")
    func refused() async throws {
        let door = try march()
        let wrong = [
            DateComponents(year: 2_024, month: 3, day: 4), DateComponents(calendar: zurich, year: 2_024, month: 3),
            day(2, 30), day(13, 1), day(0, 1), day(3, 4, .max), DateComponents(calendar: zurich),
        ]
        for components in wrong {
            let predicate = HKQuery.predicateForActivitySummary(with: components)
            #expect(await code { _ = try await self.days(door, predicate) } == .errorInvalidArgument, "\(components)")
            let range = HKQuery.predicate(forActivitySummariesBetweenStart: day(3, 1), end: components)
            let compound = NSCompoundPredicate(orPredicateWithSubpredicates: [one(1), range])
            #expect(await code { _ = try await self.days(door, compound) } == .errorInvalidArgument)
        }
        let others = [
            HKQuery.predicateForSamples(withStart: clock, end: nil),
            HKQuery.predicateForObject(with: UUID()), NSPredicate { _, _ in true },
        ]
        for predicate in others {
            #expect(await code { _ = try await self.days(door, predicate) } == .errorInvalidArgument)
        }
        // A predicate for days matches no samples.
        let type = HKQuantityType(.activeEnergyBurned)
        let samples = HKSampleQueryDescriptor(predicates: [.quantitySample(type: type, predicate: one(4))])
        #expect(try await samples.result(for: door.health).isEmpty)
        let sum = HKStatisticsQueryDescriptor(
            predicate: .quantitySample(type: type, predicate: one(4)), options: .cumulativeSum)
        #expect(await code { _ = try await sum.result(for: door.health) } == .errorNoData)
    }

    @Test("computed days use the stored goals; imported days keep the goals of the import")
    func goals() async throws {
        let door = try march()
        try door.health.store().load(summaries: [("2024-03-10", #"appleStandHours="7" appleStandHoursGoal="9""#)])
        #expect(try await door.health.activityGoals() == HealthActivityGoals())
        let goals = HealthActivityGoals(
            activeEnergyBurned: HKQuantity(unit: HKUnit(from: "kJ"), doubleValue: 2_000.5),
            appleExerciseTime: HKQuantity(unit: .hour(), doubleValue: 0.5),
            appleStandHours: HKQuantity(unit: .count(), doubleValue: 12))
        try await door.health.setActivityGoals(goals)
        let wrong = [
            HealthActivityGoals(activeEnergyBurned: HKQuantity(unit: .minute(), doubleValue: 1)),
            HealthActivityGoals(appleMoveTime: HKQuantity(unit: .minute(), doubleValue: -1)),
            HealthActivityGoals(appleStandHours: HKQuantity(unit: .count(), doubleValue: .nan)),
        ]
        for one in wrong {
            #expect(await code { try await door.health.setActivityGoals(one) } == .errorInvalidArgument)
        }
        for _ in 0..<2 {
            #expect(try await door.health.activityGoals() == goals)
            let found = try await HKActivitySummaryQueryDescriptor(predicate: range(9, 10)).result(for: door.health)
            #expect(found.map(\.standHoursGoal?.value) == [12, 9])
            #expect(found[0].activeEnergyBurnedGoal == goals.activeEnergyBurned)
            #expect(found[0].exerciseTimeGoal == goals.appleExerciseTime && found[1].exerciseTimeGoal == nil)
            door.health.close()
        }
        try await door.health.setActivityGoals(HealthActivityGoals())
        #expect(try await door.health.activityGoals() == HealthActivityGoals())
    }

    @Test("an update handler is called for samples, imports, goals and the move mode, and for nothing else")
    func live() async throws {
        let door = try march()
        let answers = Answers<[Int: Double]>()
        let goals = Answers<Double>()
        let query = HKActivitySummaryQuery(predicate: range(3, 4)) { _, found, error in
            #expect(error == nil)
            answers.put((found ?? []).reduce(into: [:]) { $0[$1.date - 300] = $1.activeEnergyBurned.value })
        }
        query.updateHandler = { _, found, error in
            #expect(error == nil)
            answers.put((found ?? []).reduce(into: [:]) { $0[$1.date - 300] = $1.activeEnergyBurned.value })
            goals.put(found?.last?.standHoursGoal?.value ?? 0)
        }
        door.health.execute(query)
        #expect(await answers.first(1) == [[3: 3, 4: 4]])
        let store = try door.health.store()
        try store.load([activity(.activeEnergyBurned, 10, from: time(day(3, 4), 15), minutes: 1)])
        #expect(await answers.first(2).last == [3: 3, 4: 14])
        // A sample of another day, and one of another type.
        try store.load([activity(.activeEnergyBurned, 10, from: time(day(3, 8), 15), minutes: 1)])
        try await door.health.save(mass(70))
        try store.load(summaries: [("2024-03-03", #"activeEnergyBurned="7""#)])
        #expect(await answers.first(3).last == [3: 7, 4: 14])
        try await door.health.setActivityGoals(
            HealthActivityGoals(appleStandHours: HKQuantity(unit: .count(), doubleValue: 12)))
        #expect(await goals.until { $0 == 12 }.last == 12)
        try await door.health.set(HKActivityMoveMode.appleMoveTime)
        #expect(await answers.first(5).count == 5)
        door.health.stop(query)
        try store.load([activity(.activeEnergyBurned, 10, from: time(day(3, 4), 16), minutes: 1)])
        // A late answer of the stopped query would arrive before the first answer of this query.
        let other = HKActivitySummaryQuery(predicate: one(4)) { _, found, _ in
            answers.put([-1: found?.first?.activeEnergyBurned.value ?? 0])
        }
        door.health.execute(other)
        #expect(await answers.until { $0[-1] != nil }.dropFirst(5) == [[-1: 24]])
    }

    @Test("a handler receives the error")
    func failure() async throws {
        let door = try march()
        let codes = Answers<HKError.Code?>()
        let query = HKActivitySummaryQuery(predicate: HKQuery.predicateForActivitySummary(with: DateComponents())) {
            #expect($1 == nil)
            codes.put(($2 as? HKError)?.code)
        }
        #expect(query.objectType == HKObjectType.activitySummaryType())
        door.health.execute(query)
        #expect(await codes.first(1) == [.errorInvalidArgument])
    }

    @Test("an asynchronous sequence yields after each change until the caller leaves the loop")
    func sequence() async throws {
        let door = try march()
        var sums: [Double] = []
        for try await found in HKActivitySummaryQueryDescriptor(predicate: one(4)).results(for: door.health) {
            sums.append(found.first?.activeEnergyBurned.value ?? 0)
            if sums.count == 3 { break }
            try door.health.store().load([
                activity(.activeEnergyBurned, 1, from: time(day(3, 4), 15 + Double(sums.count)), minutes: 1),
                activity(.activeEnergyBurned, 1, from: time(day(3, 5), 15 + Double(sums.count)), minutes: 1),
            ])
        }
        #expect(sums == [4, 5, 6])
    }
}

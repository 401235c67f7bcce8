// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-44 saves with a sync identifier")
struct SyncIdentifierTests {
    private func synced(
        _ kilos: Double, _ identifier: String, _ version: Any, at seconds: Double = 0
    ) -> HKQuantitySample {
        mass(kilos, at: seconds, [HKMetadataKeySyncIdentifier: identifier, HKMetadataKeySyncVersion: version])
    }

    @Test("a higher version replaces the sample, an equal or lower one is ignored, other programs' samples stay")
    func replaces() async throws {
        let door = try TestDoor()
        func values() throws -> [Double] {
            try door.all(HKQuantityType(.bodyMass)).compactMap { ($0 as? HKQuantitySample)?.quantity.value }
        }
        try await door.health.save(synced(70, "a", 1))
        try await door.health.save(synced(60, "b", 1, at: 1))
        try await door.health.save(synced(71, "a", 2, at: 5))
        #expect(try values() == [60, 71])
        try await door.health.save(synced(72, "a", 2))
        try await door.health.save(synced(73, "a", 1.5))
        #expect(try values() == [60, 71])
        try await door.other("com.example.scale").save(synced(80, "a", 1, at: 9))
        #expect(try values() == [60, 71, 80])
        // Within one save the highest version is stored; samples without an identifier are stored as well.
        try await door.health.save([
            synced(74, "a", 3, at: 6), mass(50, at: 2), synced(75, "a", 4, at: 7), synced(76, "a", 4, at: 8),
        ])
        #expect(try values() == [60, 50, 75, 80])
        #expect(try door.health.store().verify().isSound)
    }

    @Test("a newer correlation replaces the older one and its members; an equal or older one is ignored")
    func correlations() async throws {
        let door = try TestDoor()
        let systolic = HKQuantityType(.bloodPressureSystolic)
        let type = HKCorrelationType(.bloodPressure)
        func pressure(_ value: Double, _ version: Int?, at seconds: Double = 0) -> HKCorrelation {
            let members = [(systolic, value), (HKQuantityType(.bloodPressureDiastolic), value - 40)].map {
                HKQuantitySample(
                    type: $0, quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: $1), start: at(seconds),
                    end: at(seconds))
            }
            let metadata = version.map {
                [HKMetadataKeySyncIdentifier: "p", HKMetadataKeySyncVersion: $0] as [String: Any]
            }
            return HKCorrelation(
                type: type, start: at(seconds), end: at(seconds), objects: Set(members), metadata: metadata)
        }
        func values() throws -> [Double] {
            let pairs = try door.all(type).compactMap { ($0 as? HKCorrelation)?.objects(for: systolic).first }
            let inside = pairs.compactMap { ($0 as? HKQuantitySample)?.quantity.value }
            let all = try door.all(systolic).compactMap { ($0 as? HKQuantitySample)?.quantity.value }
            #expect(inside.sorted() == all.sorted())
            return all
        }
        try await door.health.save([pressure(120, 1), pressure(100, nil, at: 1)])
        #expect(try values() == [120, 100])
        let anchor = try await HKAnchoredObjectQueryDescriptor(
            predicates: [.correlation(type: type)], anchor: nil
        ).result(for: door.health).newAnchor
        try await door.health.save(pressure(130, 2, at: 2))
        #expect(try values() == [100, 130])
        try await door.health.save([pressure(140, 2, at: 3), pressure(150, 1, at: 4), pressure(90, nil, at: 5)])
        #expect(try values() == [100, 130, 90])
        try await door.health.save([pressure(160, 4, at: 6), pressure(170, 3, at: 7)])
        #expect(try values() == [100, 90, 160])
        let news = try await HKAnchoredObjectQueryDescriptor(
            predicates: [.correlation(type: type)], anchor: anchor
        ).result(for: door.health)
        #expect(news.addedSamples.count == 2 && news.deletedObjects.count == 2)
        #expect(try door.health.store().verify().isSound)
        // Saving the same object again replaces nothing and adds no second object of its identity.
        let again = pressure(180, 9, at: 8)
        try await door.health.save(again)
        try await door.health.save(again)
        #expect(try values() == [100, 90, 180])
        // Replacing a member by its own identifier would leave the correlation with a missing member.
        let member = HKQuantitySample(
            type: systolic, quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: 1), start: clock,
            end: clock, metadata: [HKMetadataKeySyncIdentifier: "m", HKMetadataKeySyncVersion: 1])
        let food = HKCorrelation(type: HKCorrelationType(.food), start: clock, end: clock, objects: [member])
        #expect(await code { try await door.health.save(food) } == .errorInvalidArgument)
    }

    @Test("a newer series replaces the older one and its quantities")
    func series() async throws {
        let door = try TestDoor()
        let type = HKQuantityType(.heartRate)
        func save(_ values: [Double], _ version: Int) async throws {
            let builder = door.builder()
            for (second, value) in values.enumerated() { try builder.insert(beats(value), at: at(Double(second))) }
            _ = try await builder.finishSeries(
                metadata: [HKMetadataKeySyncIdentifier: "s", HKMetadataKeySyncVersion: version])
        }
        func counts() throws -> [Int] { try door.all(type).compactMap { ($0 as? HKQuantitySample)?.count } }
        try await save([60, 61, 62], 1)
        try await save([70, 71], 3)
        #expect(try counts() == [2])
        try await save([80, 81, 82, 83], 2)
        #expect(try counts() == [2])
        #expect(try door.health.store().engine.info().samples == 2)
        try await door.health.save(
            HKQuantitySample(
                type: type, quantity: beats(90), start: clock, end: clock,
                metadata: [HKMetadataKeySyncIdentifier: "s", HKMetadataKeySyncVersion: 4]))
        #expect(try counts() == [1])
        #expect(try door.health.store().engine.info().samples == 1)
        #expect(try door.health.store().verify().isSound)
    }

    @Test("a deletion forgets the version, so that a lower version can be saved")
    func afterDeletion() async throws {
        let door = try TestDoor()
        let one = synced(70, "a", 7)
        try await door.health.save(one)
        try await door.health.delete(one)
        try await door.health.save(synced(71, "a", 1))
        #expect(try door.all(HKQuantityType(.bodyMass)).count == 1)
    }

    @Test("random saves and deletions give the same samples as a dictionary", arguments: 1...4)
    func random(seed: UInt64) async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: seed)
        var oracle: [String: (version: Int, sample: HKQuantitySample)] = [:]
        for _ in 0..<60 {
            let identifier = "\(dice.below(5))"
            if dice.chance(0.2), let known = oracle[identifier] {
                try await door.health.delete(known.sample)
                oracle[identifier] = nil
                continue
            }
            let version = dice.below(6)
            let sample = synced(Double(dice.below(99) + 1), identifier, version, at: Double(dice.below(4)))
            try await door.health.save(sample)
            if version > oracle[identifier]?.version ?? -1 { oracle[identifier] = (version, sample) }
        }
        let found = try door.all(HKQuantityType(.bodyMass))
        #expect(Set(found.map(\.uuid)) == Set(oracle.values.map(\.sample.uuid)))
        #expect(found.count == oracle.count)
    }
}

@Suite("S-41 S-42 S-43 deletion of one object, of several, and by predicate")
struct DeleteObjectTests {
    @Test("several objects are deleted all or none, and only objects that the program saved")
    func several() async throws {
        let door = try TestDoor()
        let type = HKQuantityType(.bodyMass)
        let mine = (0..<6).map { mass(Double(60 + $0), at: Double($0)) }
        try await door.health.save(mine)
        let scale = door.other("com.example.scale")
        try await scale.save(mass(90, at: 10))
        let theirs = try #require(try door.all(type).last)
        #expect(await code { try await door.health.delete([mine[0], theirs]) } == .errorAuthorizationDenied)
        #expect(await code { try await door.health.delete([mine[0], mass(1)]) } == .errorInvalidArgument)
        #expect(try door.all(type).count == 7)
        try await door.health.delete([mine[0], mine[3], mine[0]])
        #expect(try door.all(type).map(\.uuid) == [1, 2, 4, 5].map { mine[$0].uuid } + [theirs.uuid])
        #expect(await code { try await door.health.delete(mine[3]) } == .errorInvalidArgument)
        try await scale.delete(theirs)
        #expect(try door.all(type).count == 4)
    }

    @Test("a deletion by predicate deletes the program's own matching samples and returns their number")
    func byPredicate() async throws {
        let door = try TestDoor()
        let type = HKQuantityType(.bodyMass)
        var samples = [HKQuantitySample]()
        for number in 0..<40 {
            let isEven = number % 2 == 0
            samples.append(mass(Double(50 + number), at: Double(number), ["even": isEven]))
        }
        try await door.health.save(samples)
        try await door.other("com.example.scale").save(mass(51, at: 1))
        let window = HKQuery.predicateForSamples(
            withStart: clock.addingTimeInterval(10), end: clock.addingTimeInterval(30), options: .strictStartDate)
        let even = HKQuery.predicateForObjects(withMetadataKey: "even", operatorType: .equalTo, value: true)
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [window, even])
        #expect(try await door.health.deleteObjects(of: type, predicate: both) == 10)
        #expect(try await door.health.deleteObjects(of: type, predicate: both) == 0)
        #expect(try door.all(type).count == 31)
        let none = HKQuery.predicateForSamples(withStart: clock, end: clock)
        #expect(try await door.health.deleteObjects(of: type, predicate: none) == 0)
        let block = NSPredicate { _, _ in true }
        #expect(await code { try await door.health.deleteObjects(of: type, predicate: block) } == .errorInvalidArgument)
        // A predicate for activity summaries is refused for samples.
        var first = DateComponents(calendar: Calendar(identifier: .gregorian), year: 2024, month: 1, day: 1)
        first.timeZone = .gmt
        let days = HKQuery.predicateForActivitySummary(with: first)
        for predicate in [days, NSCompoundPredicate(notPredicateWithSubpredicate: days)] {
            let reported = await code { try await door.health.deleteObjects(of: type, predicate: predicate) }
            #expect(reported == .errorInvalidArgument)
        }
        #expect(try door.all(type).count == 31)
        let all = HKQuery.predicateForSamples(withStart: nil, end: nil)
        #expect(try await door.health.deleteObjects(of: type, predicate: all) == 30)
        #expect(try door.all(type).map(\.source.bundleIdentifier) == ["com.example.scale"])
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-46 S-47 S-50 S-51 S-52 S-180 anchored queries return each addition and deletion once")
struct AnchoredQueryTests {
    /// A copy of the store's samples, kept current with an anchor.
    private struct Mirror {
        var anchor: HKQueryAnchor?
        var samples: Set<UUID> = []
        var pages = 0

        mutating func update(
            _ health: HKHealthStore, _ predicates: [HKSamplePredicate<HKSample>], limit: Int?
        ) async throws {
            while true {
                let query = HKAnchoredObjectQueryDescriptor(predicates: predicates, anchor: anchor, limit: limit)
                let page = try await query.result(for: health)
                pages += 1
                if let limit { #expect(page.addedSamples.count + page.deletedObjects.count <= limit) }
                for one in page.deletedObjects { samples.remove(one.uuid) }
                for one in page.addedSamples { #expect(samples.insert(one.uuid).inserted, "returned twice") }
                // The anchor goes through an archive, as a program stores it.
                let archive = try NSKeyedArchiver.archivedData(
                    withRootObject: page.newAnchor, requiringSecureCoding: true)
                let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQueryAnchor.self, from: archive)
                #expect(read == page.newAnchor)
                anchor = read
                if page.addedSamples.isEmpty, page.deletedObjects.isEmpty { return }
                if limit == nil { return }
            }
        }
    }

    @Test("a mirror that follows page by page equals the store after random saves and deletions", arguments: 1...10)
    func mirror(seed: UInt64) async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: seed)
        let few = HKQuery.predicateForQuantitySamples(
            with: .lessThan, quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 50))
        let types: [HKSampleType] = [
            bodyMass, HKCorrelationType(.bloodPressure), HKQuantityType(.bloodPressureSystolic),
        ]
        let predicates = types.map { HKSamplePredicate<HKSample>.sample(type: $0) }
        var all = Mirror()
        var paged = Mirror()
        var filtered = Mirror()
        var there: [HKSample] = []
        for _ in 0..<14 {
            switch dice.below(6) {
            case 0 where !there.isEmpty:
                there.shuffle(using: &dice)
                let gone = Array(there.prefix(dice.below(8) + 1))
                try await door.health.delete(gone)
                there.removeFirst(gone.count)
            case 1:
                let end = clock.addingTimeInterval(Double(dice.below(30)))
                let old = HKQuery.predicateForSamples(withStart: nil, end: end, options: .strictStartDate)
                let type = types[dice.below(3)]
                try await door.health.deleteObjects(of: type, predicate: old)
                there.removeAll { $0.sampleType == type && $0.startDate < end }
            case 2:
                let pressures = (0..<1 + dice.below(4)).map { _ in bloodPressure(120, 80, at: Double(dice.below(30))) }
                try await door.health.save(pressures)
                there += pressures
                there += pressures.flatMap { $0.objects(for: HKQuantityType(.bloodPressureSystolic)) }
            case 3:
                let engine = try door.health.store().engine
                try engine.seal()
                _ = try engine.compact()
            default:
                // Many samples have the same start.
                let some = (0..<1 + dice.below(39)).map { _ in
                    mass(Double(dice.below(100)), at: Double(dice.below(3) == 0 ? 7 : dice.below(30)))
                }
                try await door.health.save(some)
                there += some
            }
            if dice.chance(0.2) { door.health.close() }
            if dice.chance(0.6) { try await all.update(door.health, predicates, limit: nil) }
            if dice.chance(0.6) { try await paged.update(door.health, predicates, limit: 1 + dice.below(6)) }
            if dice.chance(0.6) {
                try await filtered.update(
                    door.health, [.sample(type: bodyMass, predicate: few)], limit: dice.chance(0.5) ? 3 : nil)
            }
        }
        try await all.update(door.health, predicates, limit: nil)
        try await paged.update(door.health, predicates, limit: 4)
        try await filtered.update(door.health, [.sample(type: bodyMass, predicate: few)], limit: 5)
        let wanted = Set(there.map(\.uuid))
        #expect(all.samples == wanted)
        #expect(paged.samples == wanted)
        let light = try SamplePredicate(few)
        #expect(filtered.samples == Set(there.filter { $0.sampleType == bodyMass && light.matches($0) }.map(\.uuid)))
    }

    @Test("a page is full even if all samples start at the same time")
    func ties() async throws {
        let door = try TestDoor()
        let saved = (0..<30).map { mass(Double($0), at: 5) }
        try await door.health.save(saved)
        var mirror = Mirror()
        try await mirror.update(door.health, [.sample(type: bodyMass)], limit: 4)
        #expect(mirror.samples == Set(saved.map(\.uuid)) && mirror.pages == 9)
    }

    @Test("pages return each matching sample once, also if many samples start together", arguments: [63, 64, 150])
    func manyTies(limit: Int) async throws {
        let door = try TestDoor()
        let saved = (0..<900).map { mass(Double($0 % 100), at: $0 < 800 ? 5 : Double($0)) }
        try await door.health.save(saved)
        let few = HKQuery.predicateForQuantitySamples(
            with: .lessThan, quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 50))
        for predicate in [nil, few] {
            var mirror = Mirror()
            try await mirror.update(door.health, [.sample(type: bodyMass, predicate: predicate)], limit: limit)
            let wanted = saved.filter { predicate == nil || $0.quantity.doubleValue(for: .gramUnit(with: .kilo)) < 50 }
            #expect(mirror.samples == Set(wanted.map(\.uuid)))
        }
    }

    @Test("a range deletion returns the identities of its samples; after compaction the anchor is refused")
    func ranges() async throws {
        let door = try TestDoor()
        let saved = (0..<10).map { mass(Double($0), at: Double($0)) }
        try await door.health.save(saved)
        let query = HKAnchoredObjectQueryDescriptor(predicates: [.quantitySample(type: bodyMass)], anchor: nil)
        let first = try await query.result(for: door.health)
        let start = try #require(StoredTime.nanoseconds(clock))
        let type = HealthTypes.type(for: bodyMass.identifier)
        try door.health.store().delete(type, startingIn: TimeRange(start, start + 3_500_000_000))
        let next = HKAnchoredObjectQueryDescriptor(
            predicates: [.quantitySample(type: bodyMass)], anchor: first.newAnchor)
        #expect(Set(try await next.result(for: door.health).deletedObjects.map(\.uuid)) == Set(saved[..<4].map(\.uuid)))
        let engine = try door.health.store().engine
        try engine.seal()
        _ = try engine.compact()
        #expect(await code { _ = try await next.result(for: door.health) } == .errorInvalidArgument)
        let foreign = try TestDoor()
        try await foreign.health.save(mass(1))
        #expect(await code { _ = try await next.result(for: foreign.health) } == .errorInvalidArgument)
    }

    @Test("an anchor older than a forgotten deletion is refused, and an anchor of another type stays valid")
    func forgotten() async throws {
        let door = try TestDoor()
        let saved = (0..<4).map { mass(Double($0), at: Double($0)) }
        try await door.health.save(saved + [systolic(120, at: 1)])
        let systolicType = HKQuantityType(.bloodPressureSystolic)
        func query(_ type: HKQuantityType, _ anchor: HKQueryAnchor?) async throws -> (HKQueryAnchor, Int, Int) {
            let query = HKAnchoredObjectQueryDescriptor(predicates: [.quantitySample(type: type)], anchor: anchor)
            let page = try await query.result(for: door.health)
            return (page.newAnchor, page.addedSamples.count, page.deletedObjects.count)
        }
        let (first, other) = (try await query(bodyMass, nil).0, try await query(systolicType, nil).0)
        try await door.health.delete(saved[0])
        let middle = try await query(bodyMass, first)
        #expect(middle.2 == 1)
        try await door.health.delete(saved[1])
        var options = StoreOptions()
        options.deletionsKept = .zero
        let brief = try HealthStore.open(at: door.directory.file("store"), mode: .shared, options: options)
        _ = try brief.engine.compact()
        brief.close()
        #expect(await code { _ = try await query(bodyMass, first) } == .errorInvalidArgument)
        // The newest deletion is never forgotten.
        #expect(try await query(bodyMass, middle.0).2 == 1)
        #expect(try await query(systolicType, other).1 == 0)
        let anew = try await query(bodyMass, nil)
        #expect(anew.1 == 2 && anew.2 == 0)
    }

    @Test("an object that one page returned and that is deleted before the next page is returned as deleted")
    func deletionBetweenFirstPages() async throws {
        let door = try TestDoor()
        let type = HKCorrelationType(.bloodPressure)
        try await door.health.save((0..<6).map { bloodPressure(120, 80, at: Double($0)) })
        var there = Set<UUID>()
        var anchor: HKQueryAnchor?
        var isGone = false
        while true {
            let query = HKAnchoredObjectQueryDescriptor(
                predicates: [.correlation(type: type)], anchor: anchor, limit: 2)
            let page = try await query.result(for: door.health)
            for one in page.deletedObjects { there.remove(one.uuid) }
            for one in page.addedSamples { there.insert(one.uuid) }
            anchor = page.newAnchor
            if page.addedSamples.isEmpty, page.deletedObjects.isEmpty { break }
            if !isGone, let first = page.addedSamples.first {
                try await door.health.delete(first)
                isGone = true
            }
        }
        #expect(there == Set(try door.all(type).map(\.uuid)) && there.count == 5)
    }

    @Test("deletions of sources outside the predicate are not returned")
    func otherSources() async throws {
        let door = try TestDoor()
        let other = door.other("com.example.scale")
        let (own, foreign) = (mass(1), mass(2, at: 1))
        let pressures = [bloodPressure(120, 80, at: 0), bloodPressure(130, 85, at: 1)]
        try await door.health.save([own, pressures[0]])
        try await other.save([foreign, pressures[1]])
        let mine = HKQuery.predicateForObjects(from: HKSource.default())
        let types: [HKSampleType] = [bodyMass, HKCorrelationType(.bloodPressure)]
        var query = HKAnchoredObjectQueryDescriptor(
            predicates: types.map { .sample(type: $0, predicate: mine) }, anchor: nil)
        let first = try await query.result(for: door.health)
        #expect(Set(first.addedSamples.map(\.uuid)) == [own.uuid, pressures[0].uuid])
        try await door.health.delete([own, pressures[0]])
        let stored = try #require(try door.all(bodyMass).first)
        try await other.delete([stored, try #require(try door.all(types[1]).first)])
        query.anchor = first.newAnchor
        let deleted = try await query.result(for: door.health).deletedObjects
        #expect(Set(deleted.map(\.uuid)) == [own.uuid, pressures[0].uuid])
    }

    @Test("texts that are not anchors are refused")
    func texts() {
        for text in ["", "q1", "q1:::::", "q1:zz:0:0.0:0.0:", "q2::0:0.0:0.0:", "q1::-1:0.0:0.0:", "q1::0:0:0.0:"] {
            #expect(HKQueryAnchor(text: text) == nil, "\(text)")
        }
        // An anchor of an earlier version, without a checksum.
        #expect(HKQueryAnchor(text: "q1::0:-1.9223372036854775807:-1.9223372036854775807:")?.position.isStart == true)
        let start = HKQueryAnchor(fromValue: 7)
        #expect(HKQueryAnchor(text: start.text) == start && start.position.isStart)
    }

    @Test(
        "S-135 a loop yields at once, then after each change, and ends when the caller leaves it or is cancelled",
        .timeLimit(.minutes(2)))
    func loop() async throws {
        let door = try TestDoor()
        let other = door.other("com.example.scale")
        try await door.health.save([mass(1), mass(2, at: 1)])
        let query = HKAnchoredObjectQueryDescriptor(predicates: [.quantitySample(type: bodyMass)], anchor: nil)
        var counts = [Int]()
        var deleted = 0
        var gone: HKQuantitySample?
        for try await update in query.results(for: door.health) {
            counts.append(update.addedSamples.count)
            deleted += update.deletedObjects.count
            switch counts.count {
            case 1:
                gone = update.addedSamples.first
                // A sample of another type does not end the wait.
                try await other.save(systolic(120, at: 0))
                try await other.save(mass(3, at: 2))
            case 2: try await door.health.delete(try #require(gone))
            default: break
            }
            if counts.count == 3 { break }
        }
        #expect(counts == [2, 1, 0] && deleted == 1)
        let health = door.health
        let task = Task { () async throws -> Int in
            var count = 0
            for try await _ in query.results(for: health) { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        let count = try await task.value
        #expect(count <= 1)
    }

    @Test("update handlers are called until the query is stopped", .timeLimit(.minutes(2)))
    func updates() async throws {
        let door = try TestDoor()
        try await door.health.save(mass(1))
        let first = Answers<Int>()
        let later = Answers<(Int, Int)>()
        let query = HKAnchoredObjectQuery(type: bodyMass, predicate: nil, anchor: nil, limit: HKObjectQueryNoLimit) {
            first.put($4 == nil ? $1?.count ?? -1 : -2)
        }
        query.updateHandler = { _, added, deleted, _, _ in later.put((added?.count ?? -1, deleted?.count ?? -1)) }
        door.health.execute(query)
        #expect(await first.first(1) == [1])
        let sample = mass(2, at: 1)
        try await door.health.save(sample)
        #expect(await later.first(1).map(\.0) == [1])
        try await door.health.delete(sample)
        #expect(await later.first(2).last?.1 == 1)
        door.health.stop(query)
        door.health.stop(query)
        try await door.health.save(mass(3, at: 2))
        try await Task.sleep(for: .milliseconds(200))
        #expect(later.count == 2 && first.count == 1)
    }
}

@Suite("S-45 S-49 observer queries report that samples of a type changed")
struct ObserverQueryTests {
    @Test(
        "a handler is called for additions and deletions of the observed types and samples only",
        .timeLimit(.minutes(2)))
    func changes() async throws {
        let door = try TestDoor()
        try await door.health.save(mass(1))
        let types = Answers<Set<HKSampleType>>()
        let heavy = HKQuery.predicateForQuantitySamples(
            with: .greaterThan, quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 50))
        let pressure = HKCorrelationType(.bloodPressure)
        let query = HKObserverQuery(queryDescriptors: [
            HKQueryDescriptor(sampleType: bodyMass, predicate: heavy),
            HKQueryDescriptor(sampleType: pressure, predicate: nil),
        ]) { _, changed, completion, _ in
            types.put(changed ?? [])
            completion()
        }
        door.health.execute(query)
        // The execution itself is reported, with all types.
        #expect(await types.first(1) == [[bodyMass, pressure]])
        try await door.health.save(mass(60, at: 1))
        #expect(await types.first(2).last == [bodyMass])
        try await door.health.save(mass(3, at: -1))
        try await door.health.save(systolic(120, at: 0))
        try await door.health.save(bloodPressure(120, 80, at: 0))
        let all = await types.until { $0 == [pressure] }
        #expect(all.last == [pressure] && all.dropFirst().dropLast().allSatisfy { $0 == [bodyMass] })
        try await door.health.deleteObjects(of: bodyMass, predicate: NSPredicate(value: true))
        #expect(await types.first(all.count + 1).last == [bodyMass])
        door.health.stop(query)
    }

    @Test("closing the store ends the query with an error", .timeLimit(.minutes(2)))
    func closed() async throws {
        let door = try TestDoor()
        try await door.health.save(mass(1))
        let answers = Answers<HKError.Code?>()
        let query = HKObserverQuery(sampleType: bodyMass, predicate: nil) { answers.put(($2 as? HKError)?.code) }
        door.health.execute(query)
        #expect(await answers.first(1) == [nil])
        door.health.close()
        let all = await answers.until { $0 != nil }
        #expect(all.compactMap(\.self) == [.errorDatabaseInaccessible])
    }
}

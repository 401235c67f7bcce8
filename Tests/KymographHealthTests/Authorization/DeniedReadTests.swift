// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import Synchronization
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-2 S-72 S-171 a program that may not read a type sees its own objects only")
struct DeniedReadTests {
    private let rate = HKQuantityType(.heartRate)
    private let step = HKQuantityType(.stepCount)

    /// A store with two samples of another program and one of the client, who may not read.
    private func door(_ types: [HKObjectType] = []) async throws -> PrivateDoor {
        let door = try PrivateDoor()
        try door.decide(read: [rate, step] + types, false)
        try door.decide(share: [rate, step])
        try await door.other.save([beats(50, at: 0), beats(60, at: 100), steps(1_000, at: 0)])
        try await door.client.save([beats(70, at: 50), steps(10, at: 30)])
        return door
    }

    @Test("samples, statistics, collections and sources")
    func samples() async throws {
        let door = try await door()
        #expect(try await door.values(rate) == [70])
        #expect(try await door.values(rate, door.other) == [50, 70, 60])
        #expect(try await door.values(rate, door.owner) == [50, 70, 60])
        let average = try await HKStatisticsQueryDescriptor(
            predicate: .quantitySample(type: rate), options: .discreteAverage
        ).result(for: door.client)
        let perMinute = HKUnit.count().unitDivided(by: .minute())
        #expect(average?.averageQuantity()?.doubleValue(for: perMinute) == 70)
        let sum = try await HKStatisticsQueryDescriptor(
            predicate: .quantitySample(type: step), options: [.cumulativeSum, .separateBySource]
        ).result(for: door.client)
        #expect(sum?.sumQuantity()?.doubleValue(for: .count()) == 10)
        #expect(sum?.sources?.map(\.bundleIdentifier) == [PrivateDoor.name])
        let days = try await HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(type: step), options: .cumulativeSum, anchorDate: clock,
            intervalComponents: DateComponents(day: 1)
        ).result(for: door.client)
        #expect(days.statistics().map { $0.sumQuantity()?.doubleValue(for: .count()) } == [10])
        let sources = try await HKSourceQueryDescriptor(predicate: .quantitySample(type: rate)).result(for: door.client)
        #expect(sources.map(\.bundleIdentifier) == [PrivateDoor.name])
        try door.decide(read: [rate])
        #expect(try await door.values(rate) == [50, 70, 60])
        #expect(try await door.values(step) == [10])
    }

    @Test("no data and no permission give the same error")
    func noData() async throws {
        let door = try await door([HKQuantityType(.bodyMass)])
        try await door.other.save(mass(70))
        func failure(_ type: HKQuantityType) async -> HKError? {
            do {
                _ = try await HKStatisticsQueryDescriptor(
                    predicate: .quantitySample(type: type), options: .discreteAverage
                ).result(for: door.client)
                return nil
            } catch { return error as? HKError }
        }
        let denied = await failure(HKQuantityType(.bodyMass))
        try door.decide(read: [HKQuantityType(.height)])
        let missing = await failure(HKQuantityType(.height))
        #expect(denied?.code == .errorNoData && denied?.reason == missing?.reason && denied?.advice == missing?.advice)
    }

    @Test("limited history shows other programs' objects that end at the date or later, and all own objects")
    func since() async throws {
        let door = try await door()
        try await door.other.save(beats(90, at: 20, lasting: 60))
        try door.decide(read: [rate, step], from: clock.addingTimeInterval(80))
        #expect(try await door.values(rate) == [90, 70, 60])
        let steps = try await HKStatisticsQueryDescriptor(
            predicate: .quantitySample(type: step), options: .cumulativeSum
        ).result(for: door.client)
        #expect(steps?.sumQuantity()?.doubleValue(for: .count()) == 10)
        #expect(try await door.client.earliestAuthorizedSampleDate(for: [rate])[rate] == clock.addingTimeInterval(80))
    }

    @Test("an anchor stays the same until something visible changes, and a decision restarts its type")
    func anchors() async throws {
        let door = try await door()
        func changes(_ anchor: HKQueryAnchor?) async throws -> HKAnchoredObjectQueryDescriptor<HKQuantitySample>.Result
        {
            try await HKAnchoredObjectQueryDescriptor(
                predicates: [.quantitySample(type: rate), .quantitySample(type: step)], anchor: anchor
            ).result(for: door.client)
        }
        let first = try await changes(nil)
        #expect(first.addedSamples.map { $0.quantity.value }.sorted() == [10, 70])
        let foreign = beats(55, at: 200)
        try await door.other.save(foreign)
        let stored = try await HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: rate, predicate: HKQuery.predicateForObject(with: foreign.uuid))]
        ).result(for: door.other)
        try await door.other.delete(stored)
        let second = try await changes(first.newAnchor)
        #expect(second.addedSamples.isEmpty && second.deletedObjects.isEmpty)
        #expect(second.newAnchor == first.newAnchor && second.newAnchor.text == first.newAnchor.text)
        let own = beats(71, at: 300)
        try await door.client.save(own)
        try await door.client.delete(first.addedSamples.filter { $0.quantityType == rate })
        let third = try await changes(HKQueryAnchor(text: second.newAnchor.text))
        #expect(third.addedSamples.map(\.uuid) == [own.uuid])
        #expect(third.deletedObjects.map(\.uuid) == first.addedSamples.filter { $0.quantityType == rate }.map(\.uuid))
        // A refusal and a grant both restart the type, and only this type.
        try door.decide(read: [rate], false)
        let fourth = try await changes(third.newAnchor)
        #expect(fourth.addedSamples.map(\.uuid) == [own.uuid] && fourth.deletedObjects.isEmpty)
        try door.decide(read: [rate])
        let fifth = try await changes(fourth.newAnchor)
        #expect(fifth.addedSamples.map { $0.quantity.value }.sorted() == [50, 60, 71])
        let last = try await changes(fifth.newAnchor)
        #expect(last.addedSamples.isEmpty && last.newAnchor == fifth.newAnchor)
    }

    @Test("pages of an anchored query with a limit deliver everything once")
    func pages() async throws {
        let door = try await door()
        try await door.client.save((0..<30).map { beats(Double(100 + $0), at: Double(1_000 + $0)) })
        try await door.client.save((0..<20).map { steps(Double(100 + $0), at: Double(1_000 + 60 * $0)) })
        var (anchor, found) = (HKQueryAnchor?.none, [UUID]())
        for _ in 0..<40 {
            let page = try await HKAnchoredObjectQueryDescriptor(
                predicates: [.quantitySample(type: rate), .quantitySample(type: step)], anchor: anchor, limit: 7
            ).result(for: door.client)
            found += page.addedSamples.map(\.uuid)
            anchor = page.newAnchor
            if page.addedSamples.isEmpty { break }
        }
        #expect(found.count == 52 && Set(found).count == 52)
    }

    @Test("an observer is called for own changes and for every decision, not for others' changes")
    func observers() async throws {
        let door = try await door()
        let calls = Mutex(0)
        let query = HKObserverQuery(sampleType: rate, predicate: nil) { _, done, _ in
            calls.withLock { $0 += 1 }
            done()
        }
        door.client.execute(query)
        func wait(for count: Int) async throws -> Int {
            for _ in 0..<400 where calls.withLock({ $0 }) < count { try await Task.sleep(for: .milliseconds(5)) }
            try await Task.sleep(for: .milliseconds(50))
            return calls.withLock { $0 }
        }
        let begun = try await wait(for: 1)
        try await door.other.save(beats(80, at: 400))
        #expect(try await wait(for: begun) == begun)
        try await door.client.save(beats(81, at: 500))
        #expect(try await wait(for: begun + 1) == begun + 1)
        try door.decide(read: [rate], false)
        #expect(try await wait(for: begun + 2) == begun + 2)
        try door.decide(read: [rate])
        #expect(try await wait(for: begun + 3) == begun + 3)
        try await door.other.save(beats(82, at: 600))
        #expect(try await wait(for: begun + 4) == begun + 4)
        door.client.stop(query)
    }

    @Test("a correlation is visible if all types of its members are readable")
    func correlations() async throws {
        let (upper, lower) = (HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic))
        let pressure = HKCorrelationType(.bloodPressure)
        let door = try PrivateDoor()
        func reading(_ value: Double, at seconds: Double) -> HKCorrelation {
            let date = clock.addingTimeInterval(seconds)
            let samples = [(upper, value), (lower, value - 40)].map { type, value in
                HKQuantitySample(
                    type: type, quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value), start: date,
                    end: date)
            }
            return HKCorrelation(type: pressure, start: date, end: date, objects: Set(samples))
        }
        func found() async throws -> Int {
            try await HKSampleQueryDescriptor(predicates: [.correlation(type: pressure)]).result(for: door.client).count
        }
        try await door.other.save(reading(120, at: 0))
        #expect(await code { _ = try await found() } == .errorAuthorizationNotDetermined)
        #expect(await code { try await door.client.save(reading(130, at: 1)) } == .errorAuthorizationNotDetermined)
        try door.decide(read: [upper, lower], false)
        try door.decide(share: [upper, lower])
        try await door.client.save(reading(130, at: 1))
        #expect(try await found() == 1)
        try door.decide(read: [upper])
        #expect(try await found() == 1)
        try door.decide(read: [lower])
        #expect(try await found() == 2)
    }

    @Test("activity summaries are readable only with their own permission")
    func summaries() async throws {
        let door = try await door([HKObjectType.activitySummaryType()])
        let energy = HKQuantitySample(
            type: HKQuantityType(.activeEnergyBurned), quantity: HKQuantity(unit: .kilocalorie(), doubleValue: 300),
            start: clock, end: clock.addingTimeInterval(60))
        try await door.other.save(energy)
        func count() async throws -> Int {
            try await HKActivitySummaryQueryDescriptor(predicate: nil).result(for: door.client).count
        }
        #expect(try await count() == 0)
        try door.decide(read: [HKObjectType.activitySummaryType()])
        #expect(try await count() == 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-2 S-66 S-67 a program changes only what it may read and save")
struct DeniedChangeTests {
    private let rate = HKQuantityType(.heartRate)
    private let workout = HKObjectType.workoutType()
    private let effort = HKQuantityType(.workoutEffortScore)
    private let estimate = HKQuantityType(.estimatedWorkoutEffortScore)
    private let sugar = HKQuantityType(.dietarySugar)

    private func record(_ health: HKHealthStore, _ samples: [HKSample] = []) async throws -> HKWorkout {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        let builder = HKWorkoutBuilder(healthStore: health, configuration: configuration, device: nil)
        try await builder.beginCollection(at: clock)
        if !samples.isEmpty { try await builder.addSamples(samples) }
        try await builder.endCollection(at: clock.addingTimeInterval(600))
        return try #require(try await builder.finishWorkout())
    }

    private func score(_ value: Double, _ type: HKQuantityType? = nil) -> HKQuantitySample {
        HKQuantitySample(
            type: type ?? effort, quantity: HKQuantity(unit: .appleEffortScore(), doubleValue: value), start: clock,
            end: clock.addingTimeInterval(600))
    }

    private func relationships(_ door: PrivateDoor) async throws -> [HKWorkoutEffortRelationship] {
        try await HKWorkoutEffortRelationshipQueryDescriptor(predicate: nil, anchor: nil, option: .default)
            .result(for: door.client).relationships
    }

    @Test("relations: hidden workouts and samples are none, and only own relations are removed")
    func relations() async throws {
        let door = try PrivateDoor()
        let foreign = try await record(door.other)
        let hidden = score(7)
        try await door.other.relateWorkoutEffortSample(hidden, with: foreign, activity: nil)
        let own = score(3)
        func relate() async -> HKError.Code? {
            await code { _ = try await door.client.relateWorkoutEffortSample(own, with: foreign, activity: nil) }
        }
        #expect(await relate() == .errorAuthorizationNotDetermined)
        try door.decide(read: [workout, effort], false)
        try door.decide(share: [effort])
        // The same error as for a workout that is not stored.
        #expect(await relate() == .errorInvalidArgument)
        #expect(try await relationships(door).isEmpty)
        try door.decide(read: [workout])
        #expect(try await relationships(door).isEmpty)
        #expect(await relate() == nil)
        #expect(try await relationships(door).map { $0.samples?.count } == [1])
        func unrelate(_ sample: HKSample) async -> HKError.Code? {
            await code { _ = try await door.client.unrelateWorkoutEffortSample(sample, from: foreign, activity: nil) }
        }
        #expect(await unrelate(hidden) == .errorInvalidArgument)
        try door.decide(read: [effort])
        #expect(try await relationships(door).first?.samples?.count == 2)
        #expect(await unrelate(hidden) == .errorInvalidArgument)
        try door.decide(share: [effort], false)
        #expect(await unrelate(own) == .errorAuthorizationDenied)
        try door.decide(share: [effort])
        #expect(await unrelate(own) == nil)
        let left = try await relationships(door)
        #expect(left.first?.samples?.map(\.uuid) == [hidden.uuid])
    }

    @Test("the error of an effort query does not depend on relations")
    func effortErrors() async throws {
        let door = try PrivateDoor()
        try door.decide(read: [workout])
        #expect(await code { _ = try await relationships(door) } == .errorAuthorizationNotDetermined)
        let foreign = try await record(door.other)
        try await door.other.relateWorkoutEffortSample(score(7), with: foreign, activity: nil)
        #expect(await code { _ = try await relationships(door) } == .errorAuthorizationNotDetermined)
        try door.decide(read: [estimate])
        #expect(try await relationships(door).isEmpty)
        let anchor = try await HKWorkoutEffortRelationshipQueryDescriptor(predicate: nil, anchor: nil, option: .default)
            .result(for: door.client).newAnchor
        try await door.other.relateWorkoutEffortSample(score(6), with: foreign, activity: nil)
        let next = try await HKWorkoutEffortRelationshipQueryDescriptor(
            predicate: nil, anchor: anchor, option: .default
        ).result(for: door.client)
        #expect(next.relationships.isEmpty && next.newAnchor == anchor)
    }

    @available(*, deprecated, message: "tests a deprecated method")
    @Test("samples are added to own workouts, and stored statistics count all samples")
    func additions() async throws {
        let door = try PrivateDoor()
        let foreign = try await record(door.other)
        try door.decide(read: [workout, rate], share: [rate])
        func add(_ sample: HKSample, _ workout: HKWorkout) async -> HKError.Code? {
            await code { try await door.client.addSamples([sample], to: workout) }
        }
        #expect(await add(beats(70, at: 1), foreign) == .errorAuthorizationNotDetermined)
        try door.decide(share: [workout])
        #expect(await add(beats(70, at: 2), foreign) == .errorAuthorizationDenied)
        try door.decide(read: [workout], false)
        #expect(await add(beats(70, at: 3), foreign) == .errorInvalidArgument)
        // A heart rate of another program is part of the client's workout.
        let mine = try await record(door.client)
        let theirs = beats(180, at: 20)
        try await door.other.save(theirs)
        #expect(await add(theirs, mine) == nil)
        try door.decide(read: [rate], false)
        #expect(await add(beats(60, at: 30), mine) == nil)
        let stored = try await HKSampleQueryDescriptor(predicates: [.workout()]).result(for: door.owner)
        let perMinute = HKUnit.count().unitDivided(by: .minute())
        let statistics = stored.first { $0.uuid == mine.uuid }?.statistics(for: rate)
        #expect(statistics?.minimumQuantity()?.doubleValue(for: perMinute) == 60)
        #expect(statistics?.maximumQuantity()?.doubleValue(for: perMinute) == 180)
    }

    @Test("a deletion needs the permission for the members of a correlation, and is refused to guests")
    func food() async throws {
        let door = try PrivateDoor()
        let member = HKQuantitySample(
            type: sugar, quantity: HKQuantity(unit: .gram(), doubleValue: 10), start: clock, end: clock)
        let food = HKCorrelation(type: HKCorrelationType(.food), start: clock, end: clock, objects: [member])
        try door.decide(read: [sugar], share: [sugar])
        try await door.client.save(food)
        let stored = try await HKSampleQueryDescriptor(predicates: [.correlation(type: HKCorrelationType(.food))])
            .result(for: door.client)
        let saved = try #require(stored.first)
        try door.decide(share: [sugar], false)
        let all = HKQuery.predicateForSamples(withStart: nil, end: nil)
        func failures() async -> [HKError.Code?] {
            [
                await code { try await door.client.delete(saved) },
                await code {
                    try await door.client.deleteObjects(of: HKCorrelationType(.food), predicate: all)
                },
            ]
        }
        #expect(await failures() == [.errorAuthorizationDenied, .errorAuthorizationDenied])
        try door.decide(share: [sugar])
        try door.owner.store().setAuthorizationMode(.guest)
        #expect(
            await failures() == [.errorNotPermissibleForGuestUserMode, .errorNotPermissibleForGuestUserMode])
        try door.owner.store().setAuthorizationMode(.enforced)
        #expect(await code { try await door.client.delete(saved) } == nil)
    }

    @Test("the stored source of an object decides who deletes it")
    func forgedSource() async throws {
        let door = try PrivateDoor()
        let prescription = glasses()
        try await door.other.save(prescription)
        let type = HKObjectType.visionPrescriptionType()
        try door.decide(share: [type])
        let forged = HKGlassesPrescription(
            header: ObjectHeader(
                uuid: prescription.uuid, sourceRevision: door.client.revision, device: nil, metadata: nil),
            right: nil, left: nil, issued: prescription.startDate, expires: nil)
        #expect(await code { try await door.client.delete(forged) } == .errorInvalidArgument)
        let left = try await HKSampleQueryDescriptor(predicates: [.visionPrescription()]).result(for: door.owner)
        #expect(left.count == 1)
    }

    @Test("a route needs a workout that the program may read")
    func routes() async throws {
        let door = try PrivateDoor()
        let foreign = try await record(door.other)
        let route = HKSeriesType.workoutRoute()
        try door.decide(read: [workout, route], false)
        try door.decide(share: [route, workout])
        let builder = HKWorkoutRouteBuilder(healthStore: door.client, device: nil)
        try await builder.insertRouteData([CLLocation(latitude: 48, longitude: 11)])
        #expect(
            await code { _ = try await builder.finishRoute(with: foreign, metadata: nil) } == .errorInvalidArgument)
        try door.decide(read: [workout])
        #expect(await code { _ = try await builder.finishRoute(with: foreign, metadata: nil) } == nil)
    }

    @Test("limited history leaves out deletions of objects before the date, and conditions see no hidden correlation")
    func deletions() async throws {
        let door = try PrivateDoor()
        let (old, new) = (beats(50, at: 0), beats(60, at: 100))
        try await door.other.save([old, new])
        func delete(_ sample: HKSample) async throws {
            let predicate = HKQuery.predicateForObject(with: sample.uuid)
            try await door.other.deleteObjects(of: rate, predicate: predicate)
        }
        try door.decide(read: [rate], from: clock.addingTimeInterval(80))
        func page(_ anchor: HKQueryAnchor?) async throws -> HKAnchoredObjectQueryDescriptor<HKQuantitySample>.Result {
            try await HKAnchoredObjectQueryDescriptor(predicates: [.quantitySample(type: rate)], anchor: anchor)
                .result(for: door.client)
        }
        let first = try await page(nil)
        #expect(first.addedSamples.map(\.uuid) == [new.uuid])
        try await delete(old)
        let second = try await page(first.newAnchor)
        #expect(second.deletedObjects.isEmpty && second.newAnchor == first.newAnchor)
        try await delete(new)
        #expect(try await page(second.newAnchor).deletedObjects.map(\.uuid) == [new.uuid])
        // Also after the deleted samples are erased.
        let (older, newer) = (beats(51, at: 10), beats(61, at: 110))
        try await door.other.save([older, newer])
        let third = try await page(second.newAnchor)
        for sample in [older, newer] { try await delete(sample) }
        try door.owner.store().compact()
        #expect(try await page(third.newAnchor).deletedObjects.map(\.uuid) == [newer.uuid])

        let systolic = HKQuantityType(.bloodPressureSystolic)
        let diastolic = HKQuantityType(.bloodPressureDiastolic)
        func pressure(_ type: HKQuantityType, _ value: Double) -> HKQuantitySample {
            HKQuantitySample(
                type: type, quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value), start: clock,
                end: clock)
        }
        let pair = HKCorrelation(
            type: HKCorrelationType(.bloodPressure), start: clock, end: clock,
            objects: [pressure(systolic, 120), pressure(diastolic, 80)])
        try await door.other.save(pair)
        let alone = HKQuery.predicateForObjectsWithNoCorrelation()
        func count() async throws -> Int {
            try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: systolic, predicate: alone)])
                .result(for: door.client).count
        }
        // The correlation is hidden, because one of its members is.
        try door.decide(read: [systolic])
        try door.decide(read: [diastolic], false)
        #expect(try await count() == 1)
        try door.decide(read: [diastolic])
        #expect(try await count() == 0)
    }
}

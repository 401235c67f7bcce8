// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import TestSupport
import UniformTypeIdentifiers

@testable import HealthModel
@testable import KymographHealth

/// What the person decided about a client: the columns of the table on the page about privacy.
enum DeniedState: String, CaseIterable, Sendable {
    case notAsked = "not asked"
    case refused
    case since = "since a date"
    case allowed
    case guest
    /// Object by object: the early objects. All types are refused.
    case chosen
}

/// A store with the same objects of three programs: the client, and two others. Those of `early` end before the date
/// from which a client with a limited history reads, those of `late` after it.
final class DeniedScene: Sendable {
    /// The objects of a program.
    struct Objects: Sendable {
        let steps: HKQuantitySample
        let workout: HKWorkout
        let route: HKWorkoutRoute
        let electrocardiogram: HKElectrocardiogram
        let beats: HKHeartbeatSeriesSample
        let prescription: HKGlassesPrescription
        let attachment: HKAttachment
    }

    static let names = ["own", "early", "late"]
    static let boundary = at(10_000)
    static let rate = HKQuantityType(.heartRate)
    static let step = HKQuantityType(.stepCount)
    static let energy = HKQuantityType(.activeEnergyBurned)
    static let power = HKQuantityType(.cyclingPower)
    static let sleep = HKCategoryType(.sleepAnalysis)
    static let effort = HKQuantityType(.workoutEffortScore)
    static let pressure = HKCorrelationType(.bloodPressure)
    static let workout = HKObjectType.workoutType()
    static let route = HKSeriesType.workoutRoute()
    static let prescription = HKObjectType.visionPrescriptionType()
    private static let types: [HKSampleType] = [
        rate, step, energy, power, sleep, effort, HKQuantityType(.estimatedWorkoutEffortScore),
        HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic), workout, route,
        HKSeriesType.heartbeat(), HKObjectType.electrocardiogramType(),
    ]
    private static let person: [HKObjectType] = [
        HKObjectType.activitySummaryType(), HKCharacteristicType(.biologicalSex),
    ]

    let door: PrivateDoor
    let state: DeniedState
    /// The objects by the name of their program.
    let objects: [String: Objects]
    var client: HKHealthStore { door.client }

    init(_ state: DeniedState) async throws {
        self.state = state
        door = try PrivateDoor(.open)
        var objects: [String: Objects] = [:]
        for (name, start) in zip(Self.names, [5_000.0, 0, 20_000]) {
            objects[name] = try await Self.save(door, name, start)
        }
        self.objects = objects
        try await door.owner.set(HKBiologicalSex.female)
        try await door.owner.setPreferredUnit(.count().unitDivided(by: .hour()), for: Self.rate)
        let list = HealthMedicationStore(healthStore: door.owner)
        var medications: Set<UUID> = []
        for name in ["early", "late"] {
            let one = HKUserAnnotatedMedication(medication: HKMedicationConcept(displayText: name))
            try await list.save(one)
            try await list.log(HealthMedicationDose(date: at(0)), of: one)
            if name == "early" { medications = [one.medication.identifier.uuid] }
        }
        try decide(objects["early"], medications)
    }

    /// Returns the program of a name.
    static func program(_ door: PrivateDoor, _ name: String) -> HKHealthStore {
        name == "own" ? door.client : HKHealthStore(directory: door.path, client: name)
    }

    private func decide(_ early: Objects?, _ medications: Set<UUID>) throws {
        try door.owner.store().setAuthorizationMode(.enforced)
        let first = state == .since ? Self.boundary : nil
        let isAllowed = ![.refused, .chosen].contains(state)
        if state != .notAsked {
            try door.decide(read: Self.types, isAllowed, from: first)
            // The date limits samples.
            try door.decide(read: Self.person, isAllowed)
            try door.decide(share: Self.types + [Self.prescription], state != .refused)
        }
        if state == .guest { try door.owner.store().setAuthorizationMode(.guest) }
        guard state == .chosen else { return }
        let chosen = [
            (Self.prescription as HKObjectType, Set([early?.prescription.uuid].compactMap(\.self))),
            (HKObjectType.userAnnotatedMedicationType(), medications),
        ]
        for (type, uuids) in chosen {
            var change = AuthorizationChange(client: PrivateDoor.name, origin: "test")
            change.objectType = type
            for uuid in uuids { change.objects[uuid] = true }
            try door.owner.store().decide(change)
        }
    }

    // MARK: - Objects

    /// Saves the objects of a program. The workout of the client is late, because the date decides about the values of
    /// own workouts, too.
    private static func save(_ door: PrivateDoor, _ name: String, _ start: Double) async throws -> Objects {
        let health = program(door, name)
        let count: [String: Double] = ["own": 1, "early": 10, "late": 100]
        let sleep = HKCategorySample(type: Self.sleep, value: 1, start: at(start), end: at(start + 60))
        try await health.save([sleep, bloodPressure(120, 80, at: start), glasses(start / 86_400)])
        let step = steps(count[name] ?? 0, at: start)
        try await health.save(step)
        let workout = try await workout(health, name == "own" ? start + 20_000 : start)
        let members = HKQuery.predicateForObjects(from: workout)
        let routes = HKSampleQueryDescriptor(predicates: [.workoutRoute(members)])
        let score = HKQuantitySample(
            type: effort, quantity: HKQuantity(unit: .appleEffortScore(), doubleValue: 5), start: workout.startDate,
            end: workout.endDate)
        try await health.relateWorkoutEffortSample(score, with: workout, activity: nil)
        let series = HKQuantitySeriesSampleBuilder(
            healthStore: health, quantityType: power, startDate: at(start), device: nil)
        try series.insert(values: [count[name] ?? 0], unit: .watt(), starts: [at(start)])
        _ = try await series.finishSeries(metadata: nil)
        let beats = HKHeartbeatSeriesBuilder(healthStore: health, device: nil, start: at(start))
        try await beats.addHeartbeat(at: 1, precededByGap: false)
        let electrocardiogram = HealthElectrocardiogramBuilder(
            healthStore: health, device: nil, start: at(start),
            samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512))
        try electrocardiogram.append(voltages: [1, 2], unit: .voltUnit(with: .micro))
        let prescriptions = HKSampleQueryDescriptor(
            predicates: [.visionPrescription(HKQuery.predicateForObjects(from: health.revision.source))])
        let all = try await prescriptions.result(for: door.owner)
        guard let prescription = all.first as? HKGlassesPrescription,
            let route = try await routes.result(for: health).first
        else { throw HKError(.errorNoData, reason: "the objects of \(name) are lost") }
        let attachment = try await HKAttachmentStore(healthStore: health).addAttachment(
            to: prescription, name: name, contentType: .png, url: door.directory.write(noise(10), "\(name).png"))
        return Objects(
            steps: try await stored(step, door.owner), workout: workout, route: route,
            electrocardiogram: try await electrocardiogram.finish(classification: .sinusRhythm),
            beats: try await beats.finishSeries(), prescription: prescription, attachment: attachment)
    }

    /// Returns a sample with its source.
    private static func stored(_ sample: HKQuantitySample, _ health: HKHealthStore) async throws -> HKQuantitySample {
        let only = HKQuery.predicateForObject(with: sample.uuid)
        let query = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: sample.quantityType, predicate: only)])
        return try await query.result(for: health).first ?? sample
    }

    private static func workout(_ health: HKHealthStore, _ start: Double) async throws -> HKWorkout {
        let builder = HKWorkoutBuilder(healthStore: health, configuration: configured(.running), device: nil)
        try await builder.beginCollection(at: at(start))
        try await builder.addSamples([beats(160, at: start + 10), KymographHealthTests.energy(30, start, start + 60)])
        let place = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 11), altitude: 500, horizontalAccuracy: 5,
            verticalAccuracy: 5, timestamp: at(start))
        try await (builder.seriesBuilder(for: route) as? HKWorkoutRouteBuilder)?.insertRouteData([place])
        try await builder.endCollection(at: at(start + 60))
        guard let workout = try await builder.finishWorkout() else {
            throw HKError(.errorNoData, reason: "there is no workout")
        }
        return workout
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthModel
import KymographHealth
import UniformTypeIdentifiers

/// The older call that adds samples to a saved workout, without the warning that it is deprecated.
private protocol AddingSamples {
    func addSamples(_ samples: [HKSample], to workout: HKWorkout) async throws
}

extension HKHealthStore: AddingSamples {}

extension AccessWorld {
    /// Does a step. Returns what the client gets: results and errors.
    ///
    /// - Throws: an error of another program, which means that the history is wrong.
    func perform(_ step: AccessStep) async throws -> [String] {
        switch step {
        case .save(let number, let object, let actor, let isHidden):
            return try await save(number, object, actor, isHidden)
        case .decide(let change): try store.decide(change)
        case .choose(let number, let isAllowed): try choose(number, isAllowed)
        case .reset: try store.resetAuthorization(client: AccessRules.client)
        case .mode(let mode):
            try store.setAuthorizationMode(mode)
            isGuest = mode == .guest
        case .policy(let text): try await write(policy: text)
        case .delete(let number, let actor, let isHidden): return await delete(number, actor, isHidden)
        case .deleteMatching(let type, let place):
            return await lines {
                let count = try await self.client.deleteObjects(of: type, predicate: self.predicate(place))
                return ["\(count) deleted"]
            }
        case .relate(let sample, let number, let actor, let isHidden):
            return await relate(sample, number, actor, isHidden)
        case .unrelate(let sample, let number):
            guard let workout = made[number]?.first as? HKWorkout else { return [] }
            return await lines {
                ["\(try await self.client.unrelateWorkoutEffortSample(sample, from: workout, activity: nil))"]
            }
        case .attach(let number, let actor, let isHidden): return await attach(number, actor, isHidden)
        case .detach(let number): return await detach(number)
        case .route(let number, let date): return await route(number, date)
        case .add(let sample, let number):
            guard let workout = made[number]?.first as? HKWorkout else { return [] }
            let client: any AddingSamples = client
            return await lines {
                try await client.addSamples([sample], to: workout)
                return ["added"]
            }
        case .sex(let sex): if original == nil { try await owner.set(sex) }
        case .seal: try store.engine.seal()
        case .compact: try store.compact()
        }
        return []
    }

    /// Returns the lines of a body, or the line of its error.
    func lines(_ body: () async throws -> [String]) async -> [String] {
        do { return try await body() } catch { return [text(of: error)] }
    }

    private func choose(_ number: Int, _ isAllowed: Bool) throws {
        var change = AuthorizationChange(client: AccessRules.client, origin: "campaign")
        change.objectType = AccessTypes.prescription
        for sample in made[number] ?? [] { change.objects[sample.uuid] = isAllowed }
        try store.decide(change)
    }

    /// Writes the policy file, which both stores have in common.
    private func write(policy: String) async throws {
        guard original == nil else { return }
        let path = store.path + "/authorization.json"
        try FileManager.default.createDirectory(atPath: store.path, withIntermediateDirectories: true)
        try policy.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        // A look at the file counts for 20 microseconds.
        try await Task.sleep(for: .microseconds(100))
    }

    // MARK: - Saving

    private func save(
        _ number: Int, _ object: AccessObject, _ actor: AccessActor, _ isHidden: Bool
    ) async throws -> [String] {
        let health = program(actor)
        if isHidden, let original {
            note(original.made[number] ?? [], number)
            let rest = rules.visible(of: object)
            if !rest.isEmpty { try await health.save(rest) }
            return []
        }
        let object = original == nil || actor == .client ? object : rules.withoutHidden(object)
        if actor != .client {
            var saved = try await made(object, by: health)
            // The client knows the hidden route of a visible workout.
            if saved.first is HKWorkout, rules.isHidden(AccessTypes.route) {
                saved += original?.made[number]?.dropFirst() ?? []
            }
            note(saved, number)
            return []
        }
        // After an error the client has objects that it never saved.
        if case .samples(let samples) = object { note(samples, number) }
        let result = await lines {
            self.note(try await self.made(object, by: health), number)
            return ["saved"]
        }
        // An error names one of the types of the parts.
        return result.map {
            AccessTypes.decided.reduce($0) { $0.replacingOccurrences(of: $1.identifier, with: "type") }
        }
    }

    /// Saves an object, and returns the saved samples.
    private func made(_ object: AccessObject, by health: HKHealthStore) async throws -> [HKSample] {
        switch object {
        case .samples(let samples):
            try await health.save(samples)
            return try await stored(samples)
        case .total(let workout):
            try await health.save(workout)
            return try await stored([workout])
        case .workout(let one):
            let workout = try await record(one, health)
            let members = HKQuery.predicateForObjects(from: workout)
            let routes = HKSampleQueryDescriptor(predicates: [.workoutRoute(members)])
            return try await [workout] + routes.result(for: owner)
        case .power(let start, let values):
            let builder = HKQuantitySeriesSampleBuilder(
                healthStore: health, quantityType: AccessTypes.power, startDate: start, device: nil)
            try builder.insert(
                values: values, unit: .watt(), starts: values.indices.map { start.addingTimeInterval(Double($0)) })
            return try await builder.finishSeries(metadata: nil)
        case .beats(let start, let times):
            let builder = HKHeartbeatSeriesBuilder(healthStore: health, device: nil, start: start)
            for time in times { try await builder.addHeartbeat(at: time, precededByGap: false) }
            return [try await builder.finishSeries()]
        case .electrocardiogram(let start, let values):
            let builder = HealthElectrocardiogramBuilder(
                healthStore: health, device: nil, start: start,
                samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512))
            try builder.append(voltages: values, unit: .voltUnit(with: .micro))
            return [try await builder.finish(classification: .sinusRhythm)]
        }
    }

    /// Returns samples of one type as they are stored, with their source.
    private func stored(_ samples: [HKSample]) async throws -> [HKSample] {
        guard let type = samples.first?.sampleType else { return [] }
        let only = HKQuery.predicateForObjects(with: Set(samples.map(\.uuid)))
        return try await HKSampleQueryDescriptor(predicates: [.sample(type: type, predicate: only)]).result(for: owner)
    }

    private func record(_ one: AccessWorkout, _ health: HKHealthStore) async throws -> HKWorkout {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = one.activity
        let builder = HKWorkoutBuilder(healthStore: health, configuration: configuration, device: nil)
        try await builder.beginCollection(at: one.start)
        if !one.samples.isEmpty { try await builder.addSamples(one.samples) }
        if one.places > 0, let route = builder.seriesBuilder(for: AccessTypes.route) as? HKWorkoutRouteBuilder {
            try await route.insertRouteData(Self.locations(one.places, one.start))
        }
        try await builder.endCollection(at: one.start.addingTimeInterval(100))
        guard let workout = try await builder.finishWorkout() else { throw CampaignError("there is no workout") }
        return workout
    }

    private static func locations(_ count: Int, _ start: Date) -> [CLLocation] {
        (0..<count).map { number in
            CLLocation(
                coordinate: CLLocationCoordinate2D(latitude: 48 + Double(number) / 1e5, longitude: 11),
                altitude: Double(number), horizontalAccuracy: 5, verticalAccuracy: 5,
                timestamp: start.addingTimeInterval(Double(number)))
        }
    }

    // MARK: - Changes of saved objects

    private func delete(_ number: Int, _ actor: AccessActor, _ isHidden: Bool) async -> [String] {
        guard let objects = made[number], !(isHidden && original != nil) else { return [] }
        if actor == .client {
            return await lines {
                try await self.client.delete(objects)
                return ["deleted"]
            }
        }
        // The route of a workout goes with it. A repeated deletion fails.
        try? await program(actor).delete(objects.first is HKWorkout ? [objects[0]] : objects)
        return []
    }

    private func relate(
        _ sample: HKQuantitySample, _ number: Int, _ actor: AccessActor, _ isHidden: Bool
    ) async -> [String] {
        guard let workout = made[number]?.first as? HKWorkout, !(isHidden && original != nil) else { return [] }
        let health = program(actor)
        let result = await lines {
            ["\(try await health.relateWorkoutEffortSample(sample, with: workout, activity: nil))"]
        }
        return actor == .client ? result : []
    }

    private func attach(_ number: Int, _ actor: AccessActor, _ isHidden: Bool) async -> [String] {
        if isHidden, let original {
            note(original.attachments[attachments.count])
            return []
        }
        guard let object = made[number]?.first else {
            note(nil)
            return []
        }
        let store = HKAttachmentStore(healthStore: program(actor))
        var added: HKAttachment?
        let result = await lines {
            added = try await store.addAttachment(to: object, name: "scan", contentType: .png, url: self.scan)
            return ["attached"]
        }
        note(added)
        return actor == .client ? result : []
    }

    private func detach(_ number: Int) async -> [String] {
        guard let object = made[number]?.first, let one = attachments.compactMap({ $0 }).last else { return [] }
        return await lines {
            try await HKAttachmentStore(healthStore: self.client).removeAttachment(one, from: object)
            return ["detached"]
        }
    }

    private func route(_ number: Int, _ date: Date) async -> [String] {
        guard let workout = made[number]?.first as? HKWorkout else { return [] }
        return await lines {
            let builder = HKWorkoutRouteBuilder(healthStore: self.client, device: nil)
            try await builder.insertRouteData(Self.locations(2, date))
            let route = try await builder.finishRoute(with: workout, metadata: nil)
            return ["a route of \(route.count) locations"]
        }
    }
}

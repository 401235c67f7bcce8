// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import TestSupport

/// A random history of decisions, saves, deletions and queries of one client.
struct AccessHistory {
    private static let names = (client: "com.example.client", other: "com.example.other")
    private static let types = [HKQuantityType(.heartRate), HKQuantityType(.stepCount)]
    private static let begin = Date(timeIntervalSince1970: 1_700_000_000)

    private let store: HealthStore
    private let owner: HKHealthStore
    /// A program with complete permissions.
    private let other: HKHealthStore
    private let client: HKHealthStore
    private var model = AccessModel()
    private var random: SeededGenerator
    private var next = 0
    private var anchor: HKQueryAnchor?
    /// Whether the person decided about the client after the last anchored query.
    private var hasDecided = false

    init(_ store: HealthStore, seed: UInt64) throws {
        self.store = store
        owner = HKHealthStore(store)
        other = HKHealthStore(store, client: Self.names.other)
        client = HKHealthStore(store, client: Self.names.client)
        random = SeededGenerator(seed: seed)
        try store.setAuthorizationMode(.enforced)
        var all = AuthorizationChange(client: Self.names.other, origin: "campaign")
        for type in Self.types { (all.read[type], all.share[type]) = (true, true) }
        try store.decide(all)
    }

    /// Does one operation; returns a description of a difference, or nil.
    mutating func step() async throws -> String? {
        let type = random.pick(Self.types)
        switch random.below(10) {
        case 0, 1: return try decide(type)
        case 2, 3: return try await save(type, isOwn: false)
        case 4: return try await save(type, isOwn: true)
        case 5: return try await delete()
        case 6: return try await list(type)
        case 7: return try await sum(type)
        case 8: return try await changes()
        default: return try await sources(type)
        }
    }

    private mutating func decide(_ type: HKQuantityType) throws -> String? {
        var change = AuthorizationChange(client: Self.names.client, origin: "campaign")
        switch random.below(5) {
        case 0:
            (change.read[type], model.reads[type]) = (false, .denied)
        case 1:
            let first = Self.begin.addingTimeInterval(Double(random.below(1_000)))
            (change.read[type], change.readFrom, model.reads[type]) = (true, first, .since(first))
        case 2:
            let isAllowed = random.chance(0.7)
            (change.share[type], model.shares[type]) = (isAllowed, isAllowed)
        case 3 where random.chance(0.2):
            hasDecided = true
            try store.resetAuthorization(client: Self.names.client)
            (model.reads, model.shares) = ([:], [:])
            return nil
        default:
            (change.read[type], model.reads[type]) = (true, .allowed)
        }
        hasDecided = true
        try store.decide(change)
        return nil
    }

    private mutating func sample(_ type: HKQuantityType) -> HKQuantitySample {
        next += 1
        // Distinct times, so that the order is unique.
        let start = Self.begin.addingTimeInterval(Double(random.below(1_000)) + Double(next) / 10_000)
        return HKQuantitySample(
            type: type, quantity: HKQuantity(unit: Self.unit(type), doubleValue: Double(1 + random.below(100))),
            start: start, end: type == Self.types[0] ? start.addingTimeInterval(5) : start)
    }

    private static func unit(_ type: HKQuantityType) -> HKUnit {
        type == types[0] ? .count().unitDivided(by: .minute()) : .count()
    }

    private static func code(_ body: () async throws -> Void) async throws -> HKError.Code? {
        do { try await body() } catch let error as HKError { return error.code }
        return nil
    }

    private mutating func save(_ type: HKQuantityType, isOwn: Bool) async throws -> String? {
        let made = (0..<1 + random.below(4)).map { _ in sample(type) }
        let health = isOwn ? client : other
        let failure = try await Self.code { try await health.save(made) }
        let wanted: HKError.Code? =
            switch isOwn ? model.shares[type] : true {
            case nil: .errorAuthorizationNotDetermined
            case false: .errorAuthorizationDenied
            default: nil
            }
        if failure != wanted { return "a save gave \(String(describing: failure))" }
        if failure == nil { for one in made { model.objects[one.uuid] = .init(sample: one, isOwn: isOwn) } }
        return nil
    }

    private mutating func delete() async throws -> String? {
        let all = model.objects.values.sorted { $0.sample.startDate < $1.sample.startDate }
        guard !all.isEmpty else { return nil }
        let one = random.pick(all)
        let health = one.isOwn ? client : other
        let only = HKQuery.predicateForObject(with: one.sample.uuid)
        let stored = try await HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: one.sample.quantityType, predicate: only)]
        ).result(for: owner)
        guard let stored = stored.first else { return "\(one.sample) is lost" }
        let failure = try await Self.code { try await health.delete(stored) }
        let isAllowed = !one.isOwn || model.shares[one.sample.quantityType] == true
        if (failure == nil) != isAllowed { return "a deletion gave \(String(describing: failure))" }
        if failure == nil { model.objects[one.sample.uuid] = nil }
        return nil
    }

    private func list(_ type: HKQuantityType) async throws -> String? {
        let wanted = model.visible(type)
        do {
            let found = try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: type)])
                .result(for: client)
            guard let wanted else { return "an undetermined type was read" }
            return found.map(\.uuid) == wanted.map(\.uuid) ? nil : "\(found.count) samples, expected \(wanted.count)"
        } catch HKError.errorAuthorizationNotDetermined {
            return wanted == nil ? nil : "a decided type is undetermined"
        }
    }

    private func sum(_ type: HKQuantityType) async throws -> String? {
        let isSum = type == Self.types[1]
        // Statistics are in the type's own unit; another one would round twice.
        let unit = isSum ? HKUnit.count() : .count().unitDivided(by: .second())
        let wanted = model.visible(type).map { $0.map { $0.quantity.doubleValue(for: unit) } }
        var found: Double?
        do {
            let result = try await HKStatisticsQueryDescriptor(
                predicate: .quantitySample(type: type), options: isSum ? .cumulativeSum : .discreteMax
            ).result(for: client)
            found = (isSum ? result?.sumQuantity() : result?.maximumQuantity())?.doubleValue(for: unit)
        } catch HKError.errorAuthorizationNotDetermined {
            return wanted == nil ? nil : "a decided type is undetermined"
        } catch HKError.errorNoData {
            return wanted?.isEmpty ?? false ? nil : "no data, expected \(String(describing: wanted))"
        }
        guard let wanted else { return "statistics of an undetermined type" }
        let right = isSum ? wanted.reduce(0, +) : wanted.max()
        return found == right ? nil : "\(String(describing: found)), expected \(String(describing: right))"
    }

    private func sources(_ type: HKQuantityType) async throws -> String? {
        guard let seen = model.visible(type) else { return nil }
        let owners = Set(seen.map { model.objects[$0.uuid]?.isOwn ?? false })
        let wanted = Set(owners.map { $0 ? Self.names.client : Self.names.other })
        let found = try await HKSourceQueryDescriptor(predicate: .quantitySample(type: type)).result(for: client)
        return Set(found.map(\.bundleIdentifier)) == wanted ? nil : "the sources are \(found)"
    }

    /// Follows the store with an anchored query, which reports exactly the visible objects that are new.
    private mutating func changes() async throws -> String? {
        let seen = Self.types.map { model.visible($0) }
        do {
            let page = try await HKAnchoredObjectQueryDescriptor(
                predicates: Self.types.map { .quantitySample(type: $0) }, anchor: anchor
            ).result(for: client)
            if seen.contains(where: { $0 == nil }) { return "changes of an undetermined type" }
            if anchor != nil, page.addedSamples.isEmpty, page.deletedObjects.isEmpty, page.newAnchor != anchor,
                !hasDecided
            {
                return "an empty answer changed the anchor"
            }
            let visible = Set(seen.flatMap { $0 ?? [] }.map(\.uuid))
            let added = page.addedSamples.map(\.uuid)
            if let hidden = added.first(where: { !visible.contains($0) }) { return "the hidden \(hidden) was reported" }
            model.known.formUnion(added)
            (anchor, hasDecided) = (page.newAnchor, false)
            // A client keeps what it saw before a refusal.
            let missing = visible.subtracting(model.known)
            model.known = visible
            return missing.isEmpty ? nil : "\(missing.count) objects were not reported"
        } catch HKError.errorAuthorizationNotDetermined {
            return seen.contains { $0 == nil } ? nil : "changes of decided types are undetermined"
        }
    }
}

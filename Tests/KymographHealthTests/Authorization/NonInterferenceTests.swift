// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

/// A naive model of a client: the objects it may see, computed from all objects and decisions.
private struct ClientModel {
    struct Object {
        let sample: HKQuantitySample
        let isOwn: Bool
    }

    enum Permission: Equatable {
        case undetermined, denied, allowed, since(Date)
    }

    var objects: [UUID: Object] = [:]
    var reads: [HKQuantityType: Permission] = [:]
    var shares: [HKQuantityType: Bool] = [:]
    /// The objects that the client's list contains, by anchored queries.
    var known: Set<UUID> = []

    /// Returns the visible objects of a type, in order of their start; nil without a decision.
    func visible(_ type: HKQuantityType) -> [HKQuantitySample]? {
        let permission = reads[type] ?? .undetermined
        if permission == .undetermined { return nil }
        return objects.values.filter { one in
            guard one.sample.quantityType == type else { return false }
            switch permission {
            case .undetermined, .denied: return one.isOwn
            case .allowed: return true
            case .since(let first): return one.isOwn || one.sample.endDate >= first
            }
        }.map(\.sample).sorted { $0.startDate < $1.startDate }
    }
}

/// A random history of decisions, saves, deletions and queries of one client.
private struct ClientHistory {
    let door: PrivateDoor
    var model = ClientModel()
    var random: SeededGenerator
    var next = 0
    var anchor: HKQueryAnchor?
    let types = [HKQuantityType(.heartRate), HKQuantityType(.stepCount)]

    init(seed: UInt64) throws {
        door = try PrivateDoor()
        random = SeededGenerator(seed: seed)
    }

    /// Does one operation; returns a description of a difference, or nil.
    mutating func step() async throws -> String? {
        let type = random.pick(types)
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
        switch random.below(5) {
        case 0:
            try door.decide(read: [type], false)
            model.reads[type] = .denied
        case 1:
            let first = clock.addingTimeInterval(Double(random.below(1_000)))
            try door.decide(read: [type], from: first)
            model.reads[type] = .since(first)
        case 2:
            let isAllowed = random.chance(0.7)
            try door.decide(share: [type], isAllowed)
            model.shares[type] = isAllowed
        case 3 where random.chance(0.2):
            try door.owner.store().resetAuthorization(client: PrivateDoor.name)
            (model.reads, model.shares) = ([:], [:])
        default:
            try door.decide(read: [type])
            model.reads[type] = .allowed
        }
        return nil
    }

    private mutating func sample(_ type: HKQuantityType) -> HKQuantitySample {
        next += 1
        // Distinct times, so that the order is unique.
        let at = Double(random.below(1_000)) + Double(next) / 10_000
        let value = Double(1 + random.below(100))
        return type == types[0] ? beats(value, at: at, lasting: 5) : steps(value, at: at, lasting: 0)
    }

    private mutating func save(_ type: HKQuantityType, isOwn: Bool) async throws -> String? {
        let made = (0..<1 + random.below(4)).map { _ in sample(type) }
        let health = isOwn ? door.client : door.other
        let failure = await code { try await health.save(made) }
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
        let health = one.isOwn ? door.client : door.other
        let stored = try await HKSampleQueryDescriptor(
            predicates: [
                .quantitySample(
                    type: one.sample.quantityType, predicate: HKQuery.predicateForObject(with: one.sample.uuid))
            ]
        ).result(for: door.owner)
        guard let stored = stored.first else { return "\(one.sample) is lost" }
        let failure = await code { try await health.delete(stored) }
        let isAllowed = !one.isOwn || model.shares[one.sample.quantityType] == true
        if (failure == nil) != isAllowed { return "a deletion gave \(String(describing: failure))" }
        if failure == nil { model.objects[one.sample.uuid] = nil }
        return nil
    }

    private func list(_ type: HKQuantityType) async throws -> String? {
        let wanted = model.visible(type)
        do {
            let found = try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: type)])
                .result(for: door.client)
            guard let wanted else { return "an undetermined type was read" }
            return found.map(\.uuid) == wanted.map(\.uuid) ? nil : "\(found.count) samples, expected \(wanted.count)"
        } catch HKError.errorAuthorizationNotDetermined {
            return wanted == nil ? nil : "a decided type is undetermined"
        }
    }

    private func sum(_ type: HKQuantityType) async throws -> String? {
        let isSum = type == types[1]
        let unit = isSum ? HKUnit.count() : .count().unitDivided(by: .minute())
        let wanted = model.visible(type).map { $0.map { $0.quantity.doubleValue(for: unit) } }
        var found: Double?
        do {
            let result = try await HKStatisticsQueryDescriptor(
                predicate: .quantitySample(type: type), options: isSum ? .cumulativeSum : .discreteMax
            ).result(for: door.client)
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
        guard model.visible(type) != nil else { return nil }
        let seen = model.visible(type) ?? []
        let owners = Set(seen.map { model.objects[$0.uuid]?.isOwn ?? false })
        let wanted = Set(owners.map { $0 ? PrivateDoor.name : "com.example.other" })
        let found = try await HKSourceQueryDescriptor(predicate: .quantitySample(type: type)).result(for: door.client)
        return Set(found.map(\.bundleIdentifier)) == wanted ? nil : "the sources are \(found)"
    }

    /// Follows the store with an anchored query; the list of the client then contains exactly the visible objects.
    private mutating func changes() async throws -> String? {
        let seen = types.map { model.visible($0) }
        do {
            let page = try await HKAnchoredObjectQueryDescriptor(
                predicates: types.map { .quantitySample(type: $0) }, anchor: anchor
            ).result(for: door.client)
            if seen.contains(where: { $0 == nil }) { return "changes of an undetermined type" }
            if let anchor, page.addedSamples.isEmpty, page.deletedObjects.isEmpty, page.newAnchor != anchor,
                Self.decisions(page.newAnchor) == Self.decisions(anchor)
            {
                return "an empty answer changed the anchor"
            }
            let added = page.addedSamples.map(\.uuid)
            if let hidden = added.first(where: { uuid in !seen.contains { $0?.contains { $0.uuid == uuid } ?? false } })
            {
                return "the hidden object \(hidden) was reported"
            }
            model.known.formUnion(added)
            model.known.subtract(page.deletedObjects.map(\.uuid))
            anchor = page.newAnchor
        } catch HKError.errorAuthorizationNotDetermined {
            return seen.contains { $0 == nil } ? nil : "changes of decided types are undetermined"
        }
        let visible = Set(seen.flatMap { $0 ?? [] }.map(\.uuid))
        // A client keeps what it has seen before a refusal.
        let missing = visible.subtracting(model.known)
        model.known = visible
        return missing.isEmpty ? nil : "\(missing.count) objects were not reported"
    }

    private static func decisions(_ anchor: HKQueryAnchor) -> [String: Int64] {
        anchor.position.types.mapValues(\.decision)
    }
}

@Suite("S-2 S-72 S-73 S-171 S-172 results do not depend on objects that a client may not read")
struct NonInterferenceTests {
    @Test("random histories of decisions, saves and queries agree with a naive model", arguments: 0..<20)
    func histories(seed: Int) async throws {
        var history = try ClientHistory(seed: UInt64(seed) + 1)
        for number in 0..<60 {
            if let fault = try await history.step() {
                Issue.record("seed \(seed), operation \(number): \(fault)")
                return
            }
        }
    }

    @Test("two stores that differ only in hidden objects give the same results and errors")
    func twins() async throws {
        let (rate, step) = (HKQuantityType(.heartRate), HKQuantityType(.stepCount))
        let doors = [try PrivateDoor(), try PrivateDoor()]
        var answers = [String]()
        for (number, door) in doors.enumerated() {
            try door.decide(read: [rate, step], false)
            try door.decide(share: [rate])
            if number == 1 {
                try await door.other.save((0..<50).map { beats(Double(40 + $0), at: Double($0)) })
                try await door.other.save(steps(500, at: 3))
            }
            try await door.client.save([beats(61, at: 5), beats(62, at: 6)])
            if number == 1 { try await door.other.save(steps(700, at: 30)) }
            var text = "\(try await door.values(rate)) \(try await door.values(step))"
            for type in [rate, step] {
                do {
                    let options: HKStatisticsOptions = type == step ? .cumulativeSum : [.discreteAverage, .discreteMin]
                    let found = try await HKStatisticsQueryDescriptor(
                        predicate: .quantitySample(type: type), options: options
                    ).result(for: door.client)
                    text += " \(String(describing: found?.averageQuantity())) \(found?.sources ?? [])"
                    text += " \(found?.startDate ?? .distantPast) \(found?.endDate ?? .distantPast)"
                } catch { text += " \(error)" }
            }
            do { try await door.client.save(steps(1, at: 0)) } catch { text += " \(error)" }
            answers.append(text)
        }
        #expect(answers[0] == answers[1])
    }
}

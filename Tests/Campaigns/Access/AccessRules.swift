// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import TestSupport

/// What a history may allow the client, so that hidden objects stay hidden from the first step to the last.
struct AccessRules: Sendable {
    enum Kind: CaseIterable, Sendable {
        /// No type is ever allowed.
        case denied
        /// Some types are never allowed.
        case mixed
        /// All types may be allowed, from a date on. Hidden objects end before it.
        case limited
        /// A policy file denies some types, whatever the rows of the store say.
        case policy
        /// As `mixed`, with a guest at times.
        case guest
    }

    static let client = "com.example.client"

    /// The types of the parts of one object. A save needs the permission for all. The order in which they are tested is
    /// not fixed, so that the code of an error would be random with different decisions.
    private static let sharedTogether: [[HKObjectType]] = [
        [AccessTypes.upper, AccessTypes.lower], [AccessTypes.protein, AccessTypes.fat],
        [AccessTypes.rate, AccessTypes.energy, AccessTypes.workout, AccessTypes.route],
    ]

    let kind: Kind
    /// The types that are never allowed.
    private let hidden: Set<HKObjectType>

    /// - Parameter kind: nil for a random kind.
    init(_ random: inout SeededGenerator, _ kind: Kind? = nil) {
        let kind = kind ?? random.pick(Kind.allCases)
        self.kind = kind
        var hidden: Set<HKObjectType> = [AccessTypes.prescription]
        for type in AccessTypes.decided + [AccessTypes.sex, AccessTypes.summary] {
            let isHidden = random.chance(0.5)
            if kind == .denied || isHidden && kind != .limited { hidden.insert(type) }
        }
        // A route is readable without its workout, but cannot be saved without one.
        if hidden.contains(AccessTypes.workout) { hidden.insert(AccessTypes.route) }
        // A summary shows the energy of all programs.
        if kind == .limited || hidden.contains(AccessTypes.energy) || hidden.contains(AccessTypes.workout) {
            hidden.insert(AccessTypes.summary)
        }
        self.hidden = hidden
    }

    func isHidden(_ type: HKObjectType) -> Bool { hidden.contains(type) }

    /// Returns whether another program may save an object of a kind that stays hidden.
    func mayHide(_ kind: AccessKind) -> Bool {
        self.kind == .limited || AccessTypes.types(of: kind).contains { isHidden($0) }
    }

    /// Returns whether another program may save an object of a kind to both stores. Prescriptions are chosen.
    func mayShow(_ kind: AccessKind) -> Bool {
        kind == .prescription || AccessTypes.types(of: kind).allSatisfy { !isHidden($0) }
    }

    /// Returns the parts of a hidden object that are visible after all: members of types that may be allowed.
    func visible(of object: AccessObject) -> [HKSample] {
        if kind == .limited { return [] }
        let parts: [HKSample]
        switch object {
        case .samples(let samples): parts = samples.flatMap { ($0 as? HKCorrelation).map { Array($0.objects) } ?? [] }
        case .workout(let workout): parts = workout.samples
        case .total, .power, .beats, .electrocardiogram: return []
        }
        return parts.filter { !isHidden($0.sampleType) }
    }

    /// Returns an object without its hidden parts.
    func withoutHidden(_ object: AccessObject) -> AccessObject {
        switch object {
        case .workout(let one):
            return .workout(
                AccessWorkout(
                    start: one.start, activity: one.activity, samples: one.samples.filter { !isHidden($0.sampleType) },
                    places: isHidden(AccessTypes.route) ? 0 : one.places))
        case .total(let one) where isHidden(AccessTypes.energy):
            var content = one.content
            content.totals.energy = nil
            content.statistics = [:]
            for place in content.activities.indices { content.activities[place].statistics = [:] }
            return .total(HKWorkout(header: one.header, start: one.startDate, end: one.endDate, content: content))
        default: return object
        }
    }

    // MARK: - Decisions

    /// Returns the first decisions: about nearly all types.
    func begin(_ random: inout SeededGenerator) -> [AccessStep] {
        var steps: [AccessStep] = kind == .policy ? [.policy(policy(&random))] : []
        let all = AccessTypes.decided + [AccessTypes.sex, AccessTypes.summary]
        steps.append(.decide(change(all.filter { _ in random.chance(0.9) }, &random)))
        return steps
    }

    /// Returns a decision of the person.
    func decision(_ random: inout SeededGenerator) -> AccessStep {
        if kind == .policy, random.chance(0.4) { return .policy(policy(&random)) }
        if kind == .guest, random.chance(0.4) { return .mode(random.chance(0.5) ? .guest : .enforced) }
        if random.chance(0.1) { return .reset }
        let types = (0..<1 + random.below(5)).map { _ in random.pick(AccessTypes.decided + [AccessTypes.sex]) }
        return .decide(change(types, &random))
    }

    private func change(_ types: [HKObjectType], _ random: inout SeededGenerator) -> AuthorizationChange {
        var change = AuthorizationChange(client: Self.client, origin: "campaign")
        for type in types {
            let mayAllow = kind == .policy || !isHidden(type)
            change.read[type] = mayAllow && random.chance(0.7)
            if !(type is HKSampleType) { continue }
            let mayShare = random.chance(0.8)
            for member in Self.sharedTogether.first(where: { $0.contains(type) }) ?? [type] {
                change.share[member] = mayShare
            }
        }
        if let sample = AccessTypes.prescription as HKSampleType?, random.chance(0.5) {
            change.share[sample] = random.chance(0.8)
        }
        change.readFrom = first(&random)
        return change
    }

    /// Returns the earliest end of readable objects; nil for no limit.
    private func first(_ random: inout SeededGenerator) -> Date? {
        let later = AccessMaker.boundary.addingTimeInterval(Double(random.pick([0, 3_000])))
        return kind == .limited || random.chance(0.2) ? later : nil
    }

    /// Returns the text of a policy file that denies the hidden types.
    private func policy(_ random: inout SeededGenerator) -> String {
        func list(_ types: [HKObjectType]) -> String {
            types.map { "\"\($0.identifier)\"" }.sorted().joined(separator: ", ")
        }
        let allowed = AccessTypes.decided.filter { !isHidden($0) && random.chance(0.7) }
        let shared = AccessTypes.decided.filter { $0 is HKSampleType && random.chance(0.6) }.flatMap { type in
            Self.sharedTogether.first { $0.contains(type) } ?? [type]
        }
        let read = random.chance(0.2) ? "\"*\"" : list(allowed)
        let from = random.chance(0.2) ? "\"readFrom\": \"2023-11-15\", " : ""
        let fallback = random.pick(["ask", "allow", "deny"])
        return """
            {"clients": {"\(Self.client)": {\(from)"read": [\(read)], "share": [\(list(shared))],
            "deny": {"read": [\(list(Array(hidden)))]}},
            "\(AccessWorld.otherName)": {"read": ["*"], "share": ["*"]}}, "default": "\(fallback)"}
            """
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import TestSupport

/// The program that does a step.
enum AccessActor: Sendable {
    /// The restricted client.
    case client
    /// Another program, with complete permissions.
    case other
    /// The owner of the store.
    case owner
}

/// A step of a history. A number names the objects that an earlier step saved.
enum AccessStep: Sendable {
    /// Saves an object; the client never sees a hidden one.
    case save(Int, AccessObject, AccessActor, isHidden: Bool)
    case decide(AuthorizationChange)
    /// The person chooses or refuses the prescriptions of a step.
    case choose(Int, Bool)
    case reset
    case mode(HealthAuthorizationMode)
    /// The text of the policy file.
    case policy(String)
    case delete(Int, AccessActor, isHidden: Bool)
    /// The client deletes its objects of a type; the predicate is chosen by a number.
    case deleteMatching(HKSampleType, Int)
    case relate(HKQuantitySample, Int, AccessActor, isHidden: Bool)
    /// The client removes the relations of a hidden effort sample, or of its own.
    case unrelate(HKQuantitySample, Int)
    case attach(Int, AccessActor, isHidden: Bool)
    /// The client removes the first known attachment.
    case detach(Int)
    /// The client finishes a route of a workout.
    case route(Int, Date)
    /// The client adds a sample to a workout.
    case add(HKQuantitySample, Int)
    /// The owner sets the biological sex.
    case sex(HKBiologicalSex)
    case seal, compact
}

/// A random history of two stores: the steps, and what the client asks after each.
struct AccessScript: Sendable {
    let seed: UInt64
    let rules: AccessRules
    private(set) var steps: [(step: AccessStep, questions: [AccessQuestion])] = []

    /// What a step saved.
    private struct Saved {
        let kind: AccessKind
        let actor: AccessActor
        let isHidden: Bool
    }

    private var saved: [Int: Saved] = [:]
    private var efforts: [(sample: HKQuantitySample, workout: Int)] = []
    private var random: SeededGenerator
    private var maker: AccessMaker

    init(seed: UInt64, length: Int = 14) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        rules = AccessRules(&random)
        maker = AccessMaker(random.split())
        // The client saves in an open store, also electrocardiograms, which no client may save in an enforced one.
        for number in 0..<3 {
            let kind = number == 0 ? .electrocardiogram : random.pick(AccessKind.allCases)
            append(save(kind, .client, isHidden: false))
        }
        append(.mode(.enforced))
        for step in rules.begin(&random) { append(step) }
        for _ in 0..<length { append(next()) }
        steps[steps.count - 1].questions += AccessQuestion.last(saved.keys.sorted(), &random)
    }

    private mutating func append(_ step: AccessStep) {
        let known = saved.keys.sorted()
        var questions = AccessQuestion.about(step, saved.mapValues { AccessTypes.types(of: $0.kind) })
        for _ in 0..<4 { questions.append(AccessQuestion.random(known, &random)) }
        steps.append((step, questions))
    }

    private mutating func save(_ kind: AccessKind, _ actor: AccessActor, isHidden: Bool) -> AccessStep {
        // In a history with a limit the time hides an object. In the others the time does not matter.
        let isEarly: Bool? = rules.kind == .limited && actor != .client ? isHidden : nil
        let object = maker.object(kind, isEarly: isEarly)
        saved[saved.count] = Saved(kind: kind, actor: actor, isHidden: isHidden)
        return .save(saved.count - 1, object, actor, isHidden: isHidden)
    }

    private mutating func next() -> AccessStep {
        switch random.below(24) {
        case 0...4: return foreign(isHidden: true)
        case 5: return foreign(isHidden: false)
        case 6, 7: return save(random.pick(AccessKind.allCases), .client, isHidden: false)
        case 8...10: return rules.decision(&random)
        case 11: return delete(isHidden: true)
        case 12: return delete(isHidden: false)
        case 13: return .deleteMatching(random.pick(AccessTypes.samples), random.below(4))
        case 14, 15: return relate()
        case 16: return attach()
        case 17: return pick([.prescription]).map { .detach($0) } ?? .seal
        case 18: return pick([.workout, .total]).map { .route($0, AccessMaker.begin) } ?? .seal
        case 19: return pick([.workout, .total]).map { .add(maker.rate(), $0) } ?? .seal
        case 20: return pick([.prescription], isHidden: false).map { .choose($0, random.chance(0.5)) } ?? .seal
        case 21: return efforts.isEmpty ? .seal : unrelate()
        case 22: return rules.isHidden(AccessTypes.sex) ? .sex(random.pick([.female, .male, .other])) : .seal
        default: return random.chance(0.5) ? .compact : .seal
        }
    }

    /// Another program saves an object: one for the client to see, or a hidden one.
    private mutating func foreign(isHidden: Bool) -> AccessStep {
        var kinds = AccessKind.allCases
        if isHidden { kinds = kinds.filter { rules.mayHide($0) } }
        if !isHidden { kinds = kinds.filter { rules.mayShow($0) } }
        guard !kinds.isEmpty else { return .seal }
        let kind = random.pick(kinds)
        let actor: AccessActor = kind == .electrocardiogram || random.chance(0.2) ? .owner : .other
        return save(kind, actor, isHidden: isHidden)
    }

    private mutating func delete(isHidden: Bool) -> AccessStep {
        let all = saved.filter { $0.value.isHidden == isHidden }.keys.sorted()
        guard !all.isEmpty else { return .seal }
        let number = random.pick(all)
        // The client also tries to delete the objects of other programs.
        let isByClient = random.chance(0.3)
        return .delete(
            number, isByClient ? .client : saved[number]?.actor ?? .client, isHidden: isHidden && !isByClient)
    }

    /// Returns an object of some kinds.
    private mutating func pick(_ kinds: Set<AccessKind>, isHidden: Bool? = nil) -> Int? {
        let all = saved.filter { kinds.contains($0.value.kind) && $0.value.isHidden == isHidden ?? $0.value.isHidden }
        return all.isEmpty ? nil : random.pick(all.keys.sorted())
    }

    private mutating func relate() -> AccessStep {
        guard let workout = pick([.workout, .total]) else { return .seal }
        // A hidden relation has a hidden sample, or a hidden workout.
        let isHidden = rules.mayHide(.effort) && random.chance(0.6)
        let sample = maker.effort(isEarly: rules.kind == .limited ? isHidden : nil)
        efforts.append((sample, workout))
        return .relate(sample, workout, isHidden ? .other : .client, isHidden: isHidden)
    }

    private mutating func unrelate() -> AccessStep {
        let (sample, workout) = efforts[random.below(efforts.count)]
        return .unrelate(sample, workout)
    }

    private mutating func attach() -> AccessStep {
        guard let number = pick([.prescription]), let one = saved[number] else { return .seal }
        let isByClient = random.chance(0.5)
        return .attach(number, isByClient ? .client : one.actor, isHidden: one.isHidden && !isByClient)
    }
}

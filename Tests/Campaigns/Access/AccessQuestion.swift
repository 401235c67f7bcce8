// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import TestSupport

/// A question of the client. A number names the objects that a step saved.
enum AccessQuestion: Sendable {
    case samples(HKSampleType, Int)
    case changes(HKSampleType)
    case sources(HKSampleType)
    case statistics(HKQuantityType)
    case collection(HKQuantityType)
    /// The quantities of all series of a type.
    case quantities(HKQuantityType)
    case correlations(HKCorrelationType)
    case workouts(Int)
    case members(Int, HKSampleType)
    /// The objects of a step by their identities.
    case objects(Int)
    /// The content of the objects of a step: locations, beats, voltages, quantities and attachments.
    case content(Int)
    case effort(Int)
    case summaries
    case person
    case permissions(HKObjectType)

    /// Returns the questions about what a step changes.
    ///
    /// - Parameter known: the types of all saved objects, by step.
    static func about(_ step: AccessStep, _ known: [Int: [HKObjectType]]) -> [AccessQuestion] {
        func about(_ number: Int) -> [AccessQuestion] {
            let types = (known[number] ?? []).compactMap { $0 as? HKSampleType }
            return types.flatMap { [.samples($0, 0), .changes($0)] } + [.objects(number), .content(number)]
        }
        switch step {
        case .save(let number, _, _, _), .delete(let number, _, _): return about(number)
        case .choose(let number, _), .attach(let number, _, _), .detach(let number): return about(number)
        case .deleteMatching(let type, _): return [.samples(type, 0), .changes(type)]
        case .relate(_, let number, _, _): return about(number) + [.effort(number), .changes(AccessTypes.effort)]
        case .unrelate(_, let number), .add(_, let number): return about(number) + [.effort(number)]
        case .route(let number, _): return about(number) + [.changes(AccessTypes.route)]
        case .decide(let change):
            return change.read.keys.sorted { $0.identifier < $1.identifier }.compactMap { type in
                (type as? HKSampleType).map { .changes($0) } ?? .person
            }
        case .sex: return [.person]
        case .reset, .mode, .policy: return [.changes(AccessTypes.steps), .changes(AccessTypes.workout), .person]
        case .seal, .compact: return [.changes(AccessTypes.rate), .changes(AccessTypes.sleep)]
        }
    }

    /// Returns a random question.
    ///
    /// - Parameter known: the steps with objects.
    static func random(_ known: [Int], _ random: inout SeededGenerator) -> AccessQuestion {
        let type = random.pick(AccessTypes.samples)
        let quantity = random.pick(AccessTypes.quantities)
        let number = known.isEmpty ? 0 : random.pick(known)
        switch random.below(16) {
        case 0, 1: return .samples(type, random.below(5))
        case 2, 3: return .changes(type)
        case 4: return .sources(type)
        case 5: return .statistics(quantity)
        case 6: return .collection(quantity)
        case 7: return .quantities(quantity)
        case 8: return .correlations(random.chance(0.5) ? AccessTypes.pressure : AccessTypes.food)
        case 9: return .workouts(random.below(7))
        case 10: return .members(number, type)
        case 11: return .content(number)
        case 12: return .effort(number)
        case 13: return .summaries
        case 14: return .permissions(random.pick(AccessTypes.decided))
        default: return .person
        }
    }

    /// Returns a third of the questions about all types and all steps.
    static func last(_ known: [Int], _ random: inout SeededGenerator) -> [AccessQuestion] {
        all(known).filter { _ in random.chance(0.33) }
    }

    private static func all(_ known: [Int]) -> [AccessQuestion] {
        var all = AccessTypes.samples.flatMap { type -> [AccessQuestion] in
            [.samples(type, 0), .samples(type, 4), .changes(type), .sources(type)]
        }
        all += AccessTypes.quantities.map { .statistics($0) }
        all += (0..<7).map { .workouts($0) }
        all += known.flatMap { [.objects($0), .content($0), .members($0, AccessTypes.rate)] }
        return all + [
            .quantities(AccessTypes.power), .correlations(AccessTypes.pressure), .correlations(AccessTypes.food),
            .effort(0), .summaries, .person,
        ]
    }
}

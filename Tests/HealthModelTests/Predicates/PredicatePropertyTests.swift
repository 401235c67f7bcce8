// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import TestSupport
import Testing

@Suite("S-37 S-38 S-68 random predicates match exactly the objects of a naive implementation")
struct PredicatePropertyTests {
    /// A predicate and the same condition as a closure.
    private struct Question {
        let predicate: NSPredicate
        let answer: (HKSample) -> Bool
    }

    private let sources = (0..<3).map { HKSource(name: "\($0)", bundleIdentifier: "app.\($0)") }

    private func sample(_ die: inout SeededGenerator) -> HKSample {
        let start = Date(timeIntervalSinceReferenceDate: Double(die.below(20)))
        let end = start.addingTimeInterval(Double(die.below(6)))
        let revision = HKSourceRevision(source: die.pick(sources), version: die.chance(0.5) ? "1" : nil)
        var metadata: HealthMetadataValues?
        if die.chance(0.5) {
            metadata = ["k": die.chance(0.5) ? .integer(die.below(4)) : .real(Double(die.below(8)) / 2)]
        }
        let header = ObjectHeader(uuid: UUID(), sourceRevision: revision, device: nil, metadata: metadata)
        if die.chance(0.5) {
            return HKCategorySample(
                header: header, type: HKCategoryType(.sleepAnalysis), value: die.below(6), start: start, end: end)
        }
        return HKQuantitySample.stored(
            header: header, type: HKQuantityType(.bodyMass),
            quantity: HKQuantity(
                unit: die.chance(0.5) ? .gram() : .gramUnit(with: .kilo), doubleValue: Double(die.below(4))),
            start: start, end: end)
    }

    private func question(_ die: inout SeededGenerator, depth: Int) -> Question {
        if depth > 0, die.chance(0.6) { return compound(&die, depth: depth) }
        switch die.below(5) {
        case 0: return time(&die)
        case 1:
            let chosen = Set(sources.filter { _ in die.chance(0.5) })
            let names = Set(chosen.map(\.name))
            return Question(predicate: HKQuery.predicateForObjects(from: chosen)) { names.contains($0.source.name) }
        case 2:
            let values = Set((0..<6).filter { _ in die.chance(0.3) })
            return Question(predicate: HKQuery.predicateForCategorySamples(equalTo: values)) {
                values.contains(($0 as? HKCategorySample)?.value ?? -1)
            }
        case 3:
            let grams = Double(die.below(4000))
            let limit = HKQuantity(unit: .gram(), doubleValue: grams)
            return Question(predicate: HKQuery.predicateForQuantitySamples(with: .lessThanOrEqualTo, quantity: limit)) {
                ($0 as? HKQuantitySample).map { $0.quantity.doubleValue(for: .gram()) <= grams } ?? false
            }
        default:
            let limit = Double(die.below(8)) / 2
            let predicate = HKQuery.predicateForObjects(withMetadataKey: "k", operatorType: .greaterThan, value: limit)
            return Question(predicate: predicate) { sample in
                switch sample.metadata?["k"] {
                case let number as Int: Double(number) > limit
                case let number as Double: number > limit
                default: false
                }
            }
        }
    }

    private func time(_ die: inout SeededGenerator) -> Question {
        let (from, to) = (Double(die.below(22)), Double(die.below(22)))
        let options = HKQueryOptions(rawValue: UInt(die.below(4)))
        let predicate = HKQuery.predicateForSamples(
            withStart: Date(timeIntervalSinceReferenceDate: from), end: Date(timeIntervalSinceReferenceDate: to),
            options: options)
        return Question(predicate: predicate) { sample in
            let (first, last) = (
                sample.startDate.timeIntervalSinceReferenceDate, sample.endDate.timeIntervalSinceReferenceDate
            )
            // Times are whole seconds: a sample overlaps the window if one of its half seconds, or its only point, is
            // inside.
            let parts = first == last ? [first] : stride(from: first, to: last, by: 0.5).map { $0 }
            let overlaps = parts.contains { $0 >= from && $0 < to }
            let starts = first >= from && first < to
            let ends = last >= from && last < to
            return switch options {
            case []: overlaps
            case .strictStartDate: starts
            case .strictEndDate: ends
            default: starts && ends
            }
        }
    }

    private func compound(_ die: inout SeededGenerator, depth: Int) -> Question {
        if die.chance(0.3) {
            let inner = question(&die, depth: depth - 1)
            let predicate = NSCompoundPredicate(notPredicateWithSubpredicate: inner.predicate)
            return Question(predicate: predicate) { !inner.answer($0) }
        }
        var parts: [Question] = []
        for _ in 0..<die.below(4) { parts.append(question(&die, depth: depth - 1)) }
        let all = parts
        if die.chance(0.5) {
            let predicate = NSCompoundPredicate(andPredicateWithSubpredicates: all.map(\.predicate))
            return Question(predicate: predicate) { sample in all.allSatisfy { $0.answer(sample) } }
        }
        let predicate = NSCompoundPredicate(orPredicateWithSubpredicates: all.map(\.predicate))
        return Question(predicate: predicate) { sample in all.contains { $0.answer(sample) } }
    }

    @Test(
        "predicates evaluate as the naive condition, also after conversion to a value",
        arguments: [1, 2, 3, 4] as [UInt64])
    func random(_ seed: UInt64) throws {
        var die = SeededGenerator(seed: seed)
        let samples = (0..<40).map { _ in sample(&die) }
        for round in 0..<100 {
            let question = question(&die, depth: 3)
            let value = try SamplePredicate(question.predicate)
            for sample in samples {
                let expected = question.answer(sample)
                #expect(question.predicate.evaluate(with: sample) == expected, "seed \(seed), round \(round), \(value)")
                #expect(value.matches(sample) == expected, "seed \(seed), round \(round), \(value) of \(sample)")
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel

private func at(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: 700_000_000 + seconds) }
private func metres(_ value: Double) -> HKQuantity { HKQuantity(unit: .meter(), doubleValue: value) }
private let perMinute = HKUnit.count().unitDivided(by: .minute())
private func beats(_ value: Double) -> HKQuantity { HKQuantity(unit: perMinute, doubleValue: value) }
private let distance = HKQuantityType(.distanceCycling)
private let heartRate = HKQuantityType(.heartRate)

private func not(_ part: NSPredicate) -> NSPredicate { NSCompoundPredicate(notPredicateWithSubpredicate: part) }
private func and(_ parts: NSPredicate...) -> NSPredicate { NSCompoundPredicate(andPredicateWithSubpredicates: parts) }
private func or(_ parts: NSPredicate...) -> NSPredicate { NSCompoundPredicate(orPredicateWithSubpredicates: parts) }

/// The properties of a workout, or of one activity, for a naive evaluation.
private struct Facts {
    var activity: HKWorkoutActivityType
    var start: Double
    var end: Double
    var sum: Double?
    var pulse: (low: Double, mean: Double, high: Double)?

    var statistics: WorkoutStatistics {
        var found = WorkoutStatistics()
        if let sum { found[distance.identifier] = WorkoutStatistic(sum: metres(sum)) }
        if let pulse {
            var one = WorkoutStatistic(unit: perMinute)
            (one.minimum, one.average, one.maximum) = (pulse.low, pulse.mean, pulse.high)
            found[heartRate.identifier] = one
        }
        return found
    }

    static func random(_ dice: inout SeededGenerator) -> Facts {
        let start = Double(dice.below(10))
        let low = Double(60 + dice.below(6))
        return Facts(
            activity: dice.pick([.swimming, .cycling, .running]), start: start, end: start + Double(dice.below(6)),
            sum: dice.chance(0.7) ? Double(dice.below(6)) : nil,
            pulse: dice.chance(0.7) ? (low, low + 1, low + 2) : nil)
    }
}

private func workout(_ whole: Facts, _ parts: [Facts]) -> HKWorkout {
    let content = WorkoutContent(
        activity: whole.activity, duration: whole.end - whole.start,
        activities: parts.map {
            WorkoutActivity(
                uuid: UUID(), configuration: WorkoutConfiguration($0.activity), start: at($0.start), end: at($0.end),
                statistics: $0.statistics)
        }, statistics: whole.statistics,
        totals: WorkoutTotals(
            energy: whole.sum.map { HKQuantity(unit: .kilocalorie(), doubleValue: $0) },
            distance: whole.sum.map(metres), strokes: nil,
            flights: whole.sum.map { HKQuantity(unit: .count(), doubleValue: $0) }))
    let header = ObjectHeader(uuid: UUID(), sourceRevision: .thisProgram, device: nil, metadata: nil)
    return HKWorkout(header: header, start: at(whole.start), end: at(whole.end), content: content)
}

@Suite("S-37 S-151 S-152 predicates for workouts and their activities")
struct WorkoutPredicateTests {
    private static let comparisons: [HealthComparison] = [
        .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo,
    ]

    private static func holds(_ a: Double?, _ comparison: HealthComparison, _ b: Double) -> Bool {
        guard let a else { return false }
        return switch comparison {
        case .lessThan: a < b
        case .lessThanOrEqualTo: a <= b
        case .greaterThan: a > b
        case .greaterThanOrEqualTo: a >= b
        case .equalTo: a == b
        default: a != b
        }
    }

    /// A predicate with its naive evaluation.
    private struct Question {
        var predicate: NSPredicate
        var answer: (Facts) -> Bool
    }

    /// A condition on statistics, which workouts and activities have.
    private func statistic(_ dice: inout SeededGenerator, isOfActivity: Bool) -> Question {
        let comparison = dice.pick(Self.comparisons)
        let (amount, rate) = (Double(dice.below(6)), Double(60 + dice.below(8)))
        let compare = Self.holds
        switch dice.below(4) {
        case 0:
            let kilometres = HKQuantity(unit: .meterUnit(with: .kilo), doubleValue: amount / 1_000)
            return Question(
                predicate: isOfActivity
                    ? HKQuery.predicateForWorkoutActivities(
                        operatorType: comparison, quantityType: distance, sumQuantity: kilometres)
                    : HKQuery.predicateForWorkouts(
                        operatorType: comparison, quantityType: distance, sumQuantity: kilometres)
            ) { compare($0.sum, comparison, amount) }
        case 1:
            return Question(
                predicate: isOfActivity
                    ? HKQuery.predicateForWorkoutActivities(
                        operatorType: comparison, quantityType: heartRate, minimumQuantity: beats(rate))
                    : HKQuery.predicateForWorkouts(
                        operatorType: comparison, quantityType: heartRate, minimumQuantity: beats(rate))
            ) { compare($0.pulse?.low, comparison, rate) }
        case 2:
            return Question(
                predicate: isOfActivity
                    ? HKQuery.predicateForWorkoutActivities(
                        operatorType: comparison, quantityType: heartRate, maximumQuantity: beats(rate))
                    : HKQuery.predicateForWorkouts(
                        operatorType: comparison, quantityType: heartRate, maximumQuantity: beats(rate))
            ) { compare($0.pulse?.high, comparison, rate) }
        default:
            return Question(
                predicate: isOfActivity
                    ? HKQuery.predicateForWorkoutActivities(
                        operatorType: comparison, quantityType: heartRate, averageQuantity: beats(rate))
                    : HKQuery.predicateForWorkouts(
                        operatorType: comparison, quantityType: heartRate, averageQuantity: beats(rate))
            ) { compare($0.pulse?.mean, comparison, rate) }
        }
    }

    private func activityQuestion(_ dice: inout SeededGenerator, depth: Int) -> Question {
        if depth > 0, dice.chance(0.5) {
            let (one, two) = (activityQuestion(&dice, depth: depth - 1), activityQuestion(&dice, depth: depth - 1))
            switch dice.below(3) {
            case 0: return Question(predicate: not(one.predicate)) { !one.answer($0) }
            case 1: return Question(predicate: and(one.predicate, two.predicate)) { one.answer($0) && two.answer($0) }
            default: return Question(predicate: or(one.predicate, two.predicate)) { one.answer($0) || two.answer($0) }
            }
        }
        let type = dice.pick([HKWorkoutActivityType.swimming, .cycling, .running])
        let comparison = dice.pick(Self.comparisons)
        let (from, length) = (Double(dice.below(12)), Double(dice.below(6)))
        switch dice.below(4) {
        case 0:
            return Question(predicate: HKQuery.predicateForWorkoutActivities(workoutActivityType: type)) {
                $0.activity == type
            }
        case 1:
            let predicate = HKQuery.predicateForWorkoutActivities(operatorType: comparison, duration: length)
            return Question(predicate: predicate) { Self.holds($0.end - $0.start, comparison, length) }
        case 2:
            let predicate = HKQuery.predicateForWorkoutActivities(
                start: at(from), end: at(from + length), options: .strictStartDate)
            return Question(predicate: predicate) { $0.start >= from && $0.start < from + length }
        default: return statistic(&dice, isOfActivity: true)
        }
    }

    @Test("random compounds match exactly the workouts of a naive evaluation", arguments: 1...40)
    func random(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let all = (0..<40).map { _ in
            (Facts.random(&dice), (0..<(1 + dice.below(4))).map { _ in Facts.random(&dice) })
        }
        let workouts = all.map { workout($0.0, $0.1) }
        for _ in 0..<25 {
            let inner = activityQuestion(&dice, depth: 2)
            let some = HKQuery.predicateForWorkouts(activityPredicate: inner.predicate)
            let own = statistic(&dice, isOfActivity: false)
            let comparison = dice.pick(Self.comparisons)
            let length = Double(dice.below(6))
            let time = HKQuery.predicateForWorkouts(with: comparison, duration: length)
            let type = HKQuery.predicateForWorkouts(with: HKWorkoutActivityType.running)
            let predicate = or(and(some, not(type)), and(own.predicate, time))
            _ = try SamplePredicate(predicate)
            for (facts, workout) in zip(all, workouts) {
                let isSome = facts.1.contains(where: inner.answer)
                let isOwn = own.answer(facts.0) && Self.holds(facts.0.end - facts.0.start, comparison, length)
                let wanted = isSome && facts.0.activity != .running || isOwn
                #expect(predicate.evaluate(with: workout) == wanted, "\(predicate)")
                #expect(some.evaluate(with: workout) == isSome)
            }
        }
    }

    @available(*, deprecated)
    private func totals(_ comparison: HealthComparison, _ number: Double) -> [NSPredicate] {
        let count = HKQuantity(unit: .count(), doubleValue: number)
        return [
            HKQuery.predicateForWorkouts(
                with: comparison, totalEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: number)),
            HKQuery.predicateForWorkouts(with: comparison, totalDistance: metres(number)),
            HKQuery.predicateForWorkouts(with: comparison, totalFlightsClimbed: count),
            HKQuery.predicateForWorkouts(with: comparison, totalSwimmingStrokeCount: count),
        ]
    }

    @available(*, deprecated)
    @Test("totals are compared; a workout without the total does not match")
    func totals() {
        for comparison in Self.comparisons {
            for number in [2.0, 3, 4] {
                let one = workout(Facts(activity: .running, start: 0, end: 9, sum: 3), [])
                let none = workout(Facts(activity: .running, start: 0, end: 9), [])
                let predicates = totals(comparison, number)
                for predicate in predicates.prefix(3) {
                    #expect(predicate.evaluate(with: one) == Self.holds(3, comparison, number))
                    #expect(!predicate.evaluate(with: none))
                }
                #expect(!predicates[3].evaluate(with: one), "a run has no strokes")
            }
        }
    }

    @Test("a workout's predicate matches no other sample, and an activity's time may be open")
    func others() {
        let sample = HKCategorySample(type: HKCategoryType(.acne), value: 0, start: at(0), end: at(1))
        let run = HKQuery.predicateForWorkouts(with: HKWorkoutActivityType.running)
        #expect(!run.evaluate(with: sample) && not(run).evaluate(with: sample))
        let one = workout(
            Facts(activity: .running, start: 0, end: 9), [Facts(activity: .running, start: 3, end: 6)])
        for (start, end, wanted) in [
            (nil, nil, true), (at(6), nil, false), (at(5), nil, true), (nil, at(3), false), (nil, at(4), true),
        ] as [(Date?, Date?, Bool)] {
            let inner = HKQuery.predicateForWorkoutActivities(start: start, end: end)
            #expect(HKQuery.predicateForWorkouts(activityPredicate: inner).evaluate(with: one) == wanted)
        }
        #expect(run.isEqual(HKQuery.predicateForWorkouts(with: HKWorkoutActivityType.running)))
        #expect(run.hash == HKQuery.predicateForWorkouts(with: HKWorkoutActivityType.running).hash)
    }

    /// Returns the error of a predicate that no query can read.
    private func refusal(_ predicate: NSPredicate) -> HKError? {
        do throws(HKError) {
            _ = try SamplePredicate(predicate)
            return nil
        } catch {
            #expect(error.code == .errorInvalidArgument && error.advice != nil)
            return error
        }
    }

    @Test("predicates that cannot be evaluated are refused, also inside compounds")
    func refused() {
        let energy = HKQuantity(unit: .kilocalorie(), doubleValue: 1)
        let activity = HKQuery.predicateForWorkoutActivities(workoutActivityType: .running)
        let run = HKQuery.predicateForWorkouts(with: HKWorkoutActivityType.running)
        #expect(refusal(run) == nil && refusal(HKQuery.predicateForWorkouts(activityPredicate: activity)) == nil)
        #expect(refusal(activity) != nil, "an activity is no sample")
        var wrong: [NSPredicate] = [
            HKQuery.predicateForWorkouts(activityPredicate: run),
            HKQuery.predicateForWorkouts(activityPredicate: HKQuery.predicateForSamples(withStart: nil, end: nil)),
            HKQuery.predicateForWorkouts(activityPredicate: NSPredicate { _, _ in true }),
            HKQuery.predicateForWorkouts(
                activityPredicate: HKQuery.predicateForWorkouts(activityPredicate: activity)),
            HKQuery.predicateForWorkouts(with: .beginsWith, duration: 1),
            HKQuery.predicateForWorkoutActivities(operatorType: .contains, duration: 1),
            HKQuery.predicateForWorkouts(with: .lessThan, totalDistance: energy),
            // A sum of a discrete type, an average of a cumulative one, a unit of another dimension.
            HKQuery.predicateForWorkouts(operatorType: .lessThan, quantityType: heartRate, sumQuantity: beats(1)),
            HKQuery.predicateForWorkouts(operatorType: .lessThan, quantityType: distance, averageQuantity: metres(1)),
            HKQuery.predicateForWorkouts(operatorType: .lessThan, quantityType: distance, minimumQuantity: metres(1)),
            HKQuery.predicateForWorkouts(operatorType: .lessThan, quantityType: distance, maximumQuantity: metres(1)),
            HKQuery.predicateForWorkouts(operatorType: .lessThan, quantityType: distance, sumQuantity: energy),
            HKQuery.predicateForWorkoutActivities(
                operatorType: .endsWith, quantityType: distance, sumQuantity: metres(1)),
        ]
        for part in wrong { wrong += [not(part), and(run, part), or(run, not(or(part)))] }
        for predicate in wrong { #expect(refusal(predicate) != nil, "\(predicate)") }
        #expect(refusal(and(run, activity)) != nil && refusal(not(activity)) != nil)
        #expect(refusal(HKQuery.predicateForWorkouts(activityPredicate: wrong[4])) != nil)
        // Deep compounds are refused before the stack overflows.
        var deep = activity
        for _ in 0..<300 { deep = not(deep) }
        #expect(refusal(HKQuery.predicateForWorkouts(activityPredicate: deep)) != nil)
        // NaN matches nothing.
        let nan = HKQuery.predicateForWorkouts(with: .lessThan, duration: .nan)
        #expect(!nan.evaluate(with: workout(Facts(activity: .running, start: 0, end: 9), [])))
    }
}

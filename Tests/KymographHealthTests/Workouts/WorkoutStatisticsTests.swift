// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

/// A naive computation of a workout's statistics.
struct WorkoutOracle {
    /// A quantity in the canonical unit, in nanoseconds.
    struct Amount: Comparable {
        var start: Int64
        var end: Int64
        var value: Double
        static func < (a: Amount, b: Amount) -> Bool { (a.start, a.end, a.value) < (b.start, b.end, b.value) }
    }

    var amounts: [HKQuantityType: [Amount]] = [:]

    mutating func add(_ quantity: HKQuantity, of type: HKQuantityType, _ start: Date, _ end: Date) {
        guard let unit = type.canonicalUnit, let first = StoredTime.nanoseconds(start), let last = StoredTime.end(end)
        else { return }
        amounts[type, default: []].append(
            Amount(start: first, end: last, value: quantity.doubleValue(for: unit)))
    }

    /// The exact sum, rounded once (Shewchuk).
    static func exactSum(_ values: [Double]) -> Double {
        var parts: [Double] = []
        for value in values {
            var x = value
            var kept: [Double] = []
            for var y in parts {
                if abs(x) < abs(y) { swap(&x, &y) }
                let high = x + y
                let low = y - (high - x)
                if low != 0 { kept.append(low) }
                x = high
            }
            parts = kept + [x]
        }
        guard var high = parts.popLast() else { return 0 }
        var low = 0.0
        while let y = parts.popLast() {
            let x = high
            high = x + y
            low = y - (high - x)
            if low != 0 { break }
        }
        // Half-way cases depend on the next part.
        if let next = parts.last, (low < 0 && next < 0) || (low > 0 && next > 0) {
            let twice = low * 2
            let sum = high + twice
            if twice == sum - high { high = sum }
        }
        return high
    }

    /// Returns the statistic of a type in a half-open range; nil without samples.
    func statistic(_ type: HKQuantityType, _ range: Range<Int64>? = nil) -> WorkoutStatistic? {
        guard let unit = type.canonicalUnit, let all = amounts[type]?.sorted() else { return nil }
        var statistic = WorkoutStatistic(unit: unit)
        if type.aggregationStyle == .cumulative {
            let shares = all.compactMap { Self.share($0, range) }
            if shares.isEmpty { return nil }
            statistic.sum = Self.exactSum(shares)
            return statistic
        }
        let own = all.filter { range?.contains($0.start) ?? true }
        guard let latest = own.max(by: { ($0.end, $0.start, $0.value) < ($1.end, $1.start, $1.value) }) else {
            return nil
        }
        let (least, greatest) = (own.map(\.value).min() ?? 0, own.map(\.value).max() ?? 0)
        (statistic.minimum, statistic.maximum) = (least, greatest)
        statistic.average = min(max(Self.average(own, type.aggregationStyle), least), greatest)
        statistic.recent = WorkoutStatistic.Recent(
            value: latest.value, start: StoredTime.date(latest.start), end: StoredTime.endDate(latest.end))
        return statistic
    }

    private static func share(_ one: Amount, _ range: Range<Int64>?) -> Double? {
        guard let range else { return one.value }
        if one.start == one.end { return range.contains(one.start) ? one.value : nil }
        let (from, to) = (max(one.start, range.lowerBound), min(one.end, range.upperBound))
        if from >= to { return nil }
        if from == one.start, to == one.end { return one.value }
        return one.value * (Double(to - from) / Double(one.end - one.start))
    }

    private static func average(_ own: [Amount], _ style: HKQuantityAggregationStyle) -> Double {
        let mean = exactSum(own.map(\.value)) / Double(own.count)
        switch style {
        case .discreteTemporallyWeighted:
            let areas = zip(own, own.dropFirst()).map { $0.value * (Double($1.start - $0.start) / 1e9) }
            let length = Double(own[own.count - 1].start - own[0].start) / 1e9
            return length > 0 ? exactSum(areas) / length : mean
        case .discreteEquivalentContinuousLevel:
            var (energy, time, power) = (0.0, 0.0, 0.0)
            for one in own {
                let linear = pow(10, one.value / 10)
                let length = Double(one.end - one.start) / 1e9
                energy += linear * length
                time += length
                power += linear
            }
            return 10 * log10(time > 0 ? energy / time : power / Double(own.count))
        default: return mean
        }
    }
}

@Suite("S-96 S-138 S-149 S-150 S-177 statistics of workouts and activities equal a naive computation to the last bit")
struct WorkoutStatisticsTests {
    private static let types: [(HKQuantityTypeIdentifier, [HKUnit])] = [
        (.activeEnergyBurned, [.kilocalorie(), .jouleUnit(with: .kilo)]),
        (.distanceCycling, [.meter(), .meterUnit(with: .kilo), .mile()]),
        (.heartRate, [.count().unitDivided(by: .minute()), .count().unitDivided(by: .second())]),
        (.bodyTemperature, [.degreeCelsius(), .degreeFahrenheit()]),
        (.environmentalAudioExposure, [.decibelAWeightedSoundPressureLevel()]),
    ]

    /// A builder with the added samples and activities.
    private final class Trial {
        let door: TestDoor
        let builder: HKWorkoutBuilder
        var oracle = WorkoutOracle()
        /// The activities with the seconds of their start and end.
        var parts: [(uuid: UUID, start: Double, end: Double?)] = []
        var added: [HKSample] = []
        var next = 0.0

        init() throws {
            door = try TestDoor()
            builder = door.workoutBuilder(.swimBikeRun)
        }

        func addPart(_ dice: inout SeededGenerator) async throws {
            if let last = parts.last, last.end == nil {
                try await end(parts.count - 1, at: next)
            }
            let start = next + Double(dice.below(3) * 5)
            if start > 280 { return }
            let isOpen = dice.chance(0.5)
            next = start + Double(dice.below(60))
            let activity = part(dice.pick([.swimming, .cycling, .running, .transition]), start, isOpen ? nil : next)
            try await builder.addWorkoutActivity(activity)
            parts.append((activity.uuid, start, isOpen ? nil : next))
        }

        private func end(_ place: Int, at second: Double) async throws {
            try await builder.updateActivity(uuid: parts[place].uuid, end: at(second))
            parts[place].end = second
        }

        func check(_ types: [HKQuantityType]) {
            for type in types {
                let wanted = oracle.statistic(type)
                let found = builder.statistics(for: type)
                WorkoutStatisticsTests.compare(found, wanted, "\(type)")
            }
            for activity in builder.workoutActivities { check(activity, types, end: .max) }
        }

        func check(_ activity: HKWorkoutActivity, _ types: [HKQuantityType], end: Int64) {
            guard let part = parts.first(where: { $0.uuid == activity.uuid }) else { return }
            let start = StoredTime.nanoseconds(at(part.start)) ?? 0
            let end = part.end.flatMap { StoredTime.nanoseconds(at($0)) } ?? end
            for type in types {
                WorkoutStatisticsTests.compare(
                    activity.statistics(for: type), oracle.statistic(type, start..<max(start, end)),
                    "\(type) in \(part)")
            }
        }
    }

    static func compare(_ found: HKStatistics?, _ wanted: WorkoutStatistic?, _ comment: Comment) {
        #expect((found == nil) == (wanted == nil), comment)
        guard let found, let wanted else { return }
        func same(_ quantity: HKQuantity?, _ value: Double?) {
            #expect(quantity?.value.bitPattern == value?.bitPattern, comment)
            if let quantity { #expect(quantity.unit == wanted.unit, comment) }
        }
        same(found.sumQuantity(), wanted.sum)
        same(found.averageQuantity(), wanted.average)
        same(found.minimumQuantity(), wanted.minimum)
        same(found.maximumQuantity(), wanted.maximum)
        same(found.mostRecentQuantity(), wanted.recent?.value)
        #expect(found.mostRecentQuantityDateInterval()?.start == wanted.recent?.start, comment)
        #expect(found.mostRecentQuantityDateInterval()?.end == wanted.recent?.end, comment)
    }

    private func sample(
        _ type: HKQuantityType, _ units: [HKUnit], _ dice: inout SeededGenerator
    ) -> HKQuantitySample {
        let start = Double(dice.below(300)) + (dice.chance(0.5) ? 0 : Double(dice.below(1_000)) / 1_000)
        let length = dice.chance(0.3) ? 0 : Double(dice.below(60)) + Double(dice.below(1_000)) / 1_000
        let unit = dice.pick(units)
        let value = dice.chance(0.5) ? Double(dice.below(100)) : dice.fraction() * 100
        return HKQuantitySample(
            type: type, quantity: HKQuantity(unit: unit, doubleValue: value), start: at(start),
            end: at(start + length))
    }

    /// Saves a series and returns its sample.
    private func series(
        _ type: HKQuantityType, _ unit: HKUnit, _ trial: Trial, _ dice: inout SeededGenerator
    ) async throws -> HKQuantitySample {
        let start = Double(dice.below(250))
        let builder = HKQuantitySeriesSampleBuilder(
            healthStore: trial.door.health, quantityType: type, startDate: at(start), device: nil)
        var time = start
        for _ in 0..<(2 + dice.below(12)) {
            let length = Double(1 + dice.below(40)) / 4
            let quantity = HKQuantity(unit: unit, doubleValue: Double(dice.below(400)) / 3)
            try builder.insert(quantity, for: span(time, time + length))
            trial.oracle.add(quantity, of: type, at(time), at(time + length))
            time += length
        }
        let made = try await builder.finishSeries(metadata: nil)
        #expect(made.count == 1 && made[0].count > 1)
        return made[0]
    }

    @Test("random samples of every aggregation, in any order, with activities set later", arguments: 1...30)
    func random(seed: UInt64) async throws {
        var dice = SeededGenerator(seed: seed)
        let trial = try Trial()
        let types = Self.types.map { HKQuantityType($0.0) }
        try await trial.builder.beginCollection(at: at(0))
        for _ in 0..<14 {
            switch dice.below(10) {
            case 0, 1: try await trial.addPart(&dice)
            case 2:
                let (type, units) = dice.pick(Self.types)
                let one = try await series(HKQuantityType(type), units[0], trial, &dice)
                try await trial.builder.addSamples([one])
                trial.added.append(one)
            default:
                var batch: [HKSample] = []
                for _ in 0..<(1 + dice.below(12)) {
                    let (type, units) = dice.pick(Self.types)
                    let one = sample(HKQuantityType(type), units, &dice)
                    trial.oracle.add(one.quantity, of: one.quantityType, one.startDate, one.endDate)
                    batch.append(one)
                }
                // Samples that are saved or added already, and a category, count nothing.
                if dice.chance(0.3) { try await trial.door.health.save(Array(batch.prefix(3))) }
                if dice.chance(0.3), let old = trial.added.randomElement(using: &dice) { batch.append(old) }
                if dice.chance(0.2) { batch.append(batch[0]) }
                if dice.chance(0.2) {
                    let start = Double(dice.below(300))
                    batch.append(
                        HKCategorySample(
                            type: HKCategoryType(.mindfulSession), value: 0, start: at(start), end: at(start + 5)))
                }
                try await trial.builder.addSamples(batch)
                trial.added += batch
            }
            if dice.chance(0.3) { trial.check(types) }
        }
        trial.check(types)
        let end = max(300, trial.next)
        try await trial.builder.endCollection(at: at(end))
        let made = try #require(try await trial.builder.finishWorkout())
        let last = try #require(StoredTime.nanoseconds(at(end)))
        for workout in [made, try await trial.door.stored(made)] {
            for type in types {
                Self.compare(workout.statistics(for: type), trial.oracle.statistic(type), "\(type)")
            }
            #expect(workout.workoutActivities.count == max(1, trial.parts.count))
            for activity in workout.workoutActivities { trial.check(activity, types, end: last) }
            let energy = trial.oracle.statistic(HKQuantityType(.activeEnergyBurned))?.sum
            #expect(workout.statistics(for: kilocalories)?.sumQuantity()?.value == energy)
        }
        let unique = identities(trial.added)
        var found = Set<UUID>()
        for type in types + [HKCategoryType(.mindfulSession)] as [HKSampleType] {
            found.formUnion(try await trial.door.members(made, type))
        }
        #expect(found == unique)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-121 S-129 every statistic equals a naive computation over the same objects")
struct StatisticsPropertyTests {
    private static let types: [(HKQuantityTypeIdentifier, [HKUnit])] = [
        (.stepCount, [.count()]),
        (.distanceWalkingRunning, [.meter(), .meterUnit(with: .kilo)]),
        (.heartRate, [.count().unitDivided(by: .minute())]),
        (.heartRate, [.count().unitDivided(by: .minute()), .count().unitDivided(by: .second())]),
        (.bodyTemperature, [.degreeCelsius(), .degreeFahrenheit()]),
        (.environmentalAudioExposure, [.decibelAWeightedSoundPressureLevel()]),
    ]

    private func device(_ model: String) -> HKDevice {
        HKDevice(
            name: model, manufacturer: nil, model: model, hardwareVersion: nil, firmwareVersion: nil,
            softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
    }

    private func sample(
        _ type: HKQuantityType, _ units: [HKUnit], _ seen: inout Set<[Int]>, _ dice: inout SeededGenerator
    ) -> HKQuantitySample? {
        let start = dice.below(300)
        let length = dice.chance(0.3) ? 0 : dice.chance(0.1) ? dice.below(250) : 1 + dice.below(30)
        // Which of two samples with equal start and end holds until the next sample is unspecified.
        let isNew = seen.insert([start, length]).inserted
        if type.aggregationStyle == .discreteTemporallyWeighted, !isNew { return nil }
        return HKQuantitySample(
            type: type, quantity: HKQuantity(unit: dice.pick(units), doubleValue: Double(dice.below(40)) / 4),
            start: clock.addingTimeInterval(Double(start)), end: clock.addingTimeInterval(Double(start + length)),
            device: dice.pick([nil, device("Watch"), device("iPhone")]),
            metadata: dice.chance(0.3) ? ["few": true] : nil)
    }

    private func window(_ dice: inout SeededGenerator) -> SamplePredicate {
        let start = clock.addingTimeInterval(Double(dice.below(700)) / 2 - 20)
        let end = clock.addingTimeInterval(Double(dice.below(800)) / 2 - 20)
        return .time(
            start: dice.chance(0.3) ? nil : start, end: dice.chance(0.3) ? nil : max(end, start),
            options: HKQueryOptions(rawValue: UInt(dice.below(4))))
    }

    private func predicate(
        _ sources: [HKSource], _ all: [HKQuantitySample], _ dice: inout SeededGenerator
    ) -> SamplePredicate {
        switch dice.below(12) {
        case 0: .always(true)
        case 1...4: window(&dice)
        case 5: .and([window(&dice), window(&dice)])
        case 6: .and([window(&dice), .sources([dice.pick(sources)])])
        case 7: .and([.not(.sources([dice.pick(sources)])), window(&dice), .always(true)])
        case 8: .or([window(&dice), .hasMetadata("few")])
        case 9: .and([window(&dice), .metadata("few", .notEqualTo, .boolean(true))])
        case 10:
            .or([
                .uuids(Set(all.prefix(9).map(\.uuid))),
                .and([
                    .quantity(.lessThan, all.first?.quantity ?? HKQuantity(unit: .count(), doubleValue: 1)),
                    .device(.model, ["Watch"]), .withoutCorrelation,
                ]),
            ])
        default: .and([.revisions(Set(all.prefix(3).map(\.sourceRevision))), .not(window(&dice))])
        }
    }

    private func options(_ type: HKQuantityType, _ dice: inout SeededGenerator) -> HKStatisticsOptions {
        var options: HKStatisticsOptions = []
        let own: [HKStatisticsOptions] =
            type.aggregationStyle == .cumulative
            ? [.cumulativeSum] : [.discreteAverage, .discreteMin, .discreteMax]
        for one in own where dice.chance(0.7) { options.insert(one) }
        if dice.chance(0.4) { options.insert(.mostRecent) }
        if dice.chance(0.3) { options.insert(.duration) }
        if dice.chance(0.4) { options.insert(.separateBySource) }
        return options
    }

    @Test(
        "statistics equal the naive ones for random samples, predicates, options and intervals of every aggregation",
        arguments: 1...56)
    func random(seed: UInt64) async throws {
        var dice = SeededGenerator(seed: seed)
        let door = try TestDoor()
        let doors = [door.health, door.other("b.watch"), door.other("a.app")]
        var others = [HKQuantitySample]()
        for (identifier, units) in Self.types.shuffled(using: &dice).prefix(3) {
            let type = HKQuantityType(identifier)
            var seen = Set<[Int]>()
            for health in doors.prefix(1 + dice.below(3)) {
                var samples = (0..<dice.below(20)).compactMap { _ in sample(type, units, &seen, &dice) }
                if let one = samples.first, type.aggregationStyle == .cumulative {
                    samples.append(
                        HKQuantitySample(type: type, quantity: one.quantity, start: one.startDate, end: one.endDate))
                }
                if !samples.isEmpty { try await health.save(samples) }
                if dice.chance(0.4) { try door.health.store().engine.seal() }
            }
            let all = try door.all(type).compactMap { $0 as? HKQuantitySample }
            for _ in 0..<60 { try query(type, all, others, door, &dice) }
            others += all
        }
    }

    private func query(
        _ type: HKQuantityType, _ all: [HKQuantitySample], _ others: [HKQuantitySample], _ door: TestDoor,
        _ dice: inout SeededGenerator
    ) throws {
        let unit = try #require(type.canonicalUnit)
        let oracle = StatisticsOracle(type, unit, all: all, others: others)
        let sources = oracle.order + [HKSource(name: "nobody", bundleIdentifier: "nobody")]
        let predicate = predicate(sources, all, &dice)
        let options = options(type, &dice)
        let matching = all.filter { predicate.matches($0) }
        let comment: Comment = "\(type) \(options.rawValue) \(predicate)"
        let store = try door.health.store()
        let hasDuration = options.contains(.duration)
        func check(_ found: HKStatistics, _ interval: Range<Int>?) {
            found.expect(
                oracle.answer(matching, in: interval, hasDuration: hasDuration), options, unit, comment)
            let separate = options.contains(.separateBySource)
            var present = [HKSource]()
            for source in sources {
                let own = oracle.answer(
                    matching.filter { $0.source == source }, in: interval, hasDuration: hasDuration)
                if own.isThere { present.append(source) }
                found.expect(separate ? own : .init(), separate ? options : [], unit, of: source, comment)
            }
            #expect(found.sources.map { Set($0) } == (separate ? Set(present) : nil), comment)
        }
        if dice.chance(0.4) {
            let whole = oracle.answer(matching, in: nil, hasDuration: hasDuration)
            let found: HKStatistics
            do {
                found = try store.statistics(of: type, where: predicate, options)
            } catch {
                #expect(error.code == .errorNoData && matching.isEmpty, "\(error) \(comment)")
                return
            }
            #expect(found.startDate == whole.extent?.start && found.endDate == whole.extent?.end, comment)
            check(found, nil)
            return
        }
        let step = dice.pick([7, 30, 60, 100, 1_000])
        let anchor = dice.below(500) + dice.pick([0, -1_000_000, 40_000_000]) / step * step
        let collection = try store.statisticsCollection(
            CollectionQuestion(
                statistics: StatisticsQuestion(type: type, predicate: predicate, options: options),
                anchor: clock.addingTimeInterval(Double(anchor)), components: DateComponents(second: step)))
        let first = anchor - (anchor / step + 3) * step
        let places = (0..<(2_000 / step + 4)).map { first + $0 * step..<first + ($0 + 1) * step }
        let there = places.filter { oracle.answer(matching, in: $0, hasDuration: hasDuration).isThere }
        #expect(
            collection.statistics().map { StatisticsOracle.second($0.startDate) } == there.map(\.lowerBound), comment)
        var at = 0
        let (from, to) = (places[0], places[places.count - 1])
        collection.enumerateStatistics(
            from: clock.addingTimeInterval(Double(from.lowerBound)),
            to: clock.addingTimeInterval(Double(to.upperBound - 1))
        ) { found, _ in
            #expect(StatisticsOracle.second(found.startDate) == places[at].lowerBound, comment)
            #expect(StatisticsOracle.second(found.endDate) == places[at].upperBound, comment)
            check(found, places[at])
            at += 1
        }
        #expect(at == places.count, comment)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-39 S-68 S-69 sample queries return matching samples, sorted, up to a limit")
struct SampleQueryTests {
    private func some(_ dice: inout SeededGenerator, _ count: Int) -> [HKQuantitySample] {
        (0..<count).map { number in
            let start = clock.addingTimeInterval(Double(dice.below(40)) * 60)
            return HKQuantitySample(
                type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: Double(number)),
                start: start, end: start.addingTimeInterval(Double(dice.below(10)) * 60))
        }
    }

    @Test("descriptors with every sort order and limit return the same as a sort of all samples", arguments: 1...6)
    func orders(seed: UInt64) async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: seed)
        try await door.health.save(some(&dice, 150))
        try await door.health.save((0..<20).map { mass(Double($0), at: Double(dice.below(3_000))) })
        let orders: [[SortDescriptor<HKSample>]] = [
            [], [SortDescriptor(\.startDate)], [SortDescriptor(\.startDate, order: .reverse)],
            [SortDescriptor(\.endDate)], [SortDescriptor(\.endDate, order: .reverse), SortDescriptor(\.startDate)],
            [SortDescriptor(\.startDate, order: .reverse), SortDescriptor(\.endDate)],
        ]
        let all =
            try await HKSampleQueryDescriptor<HKSample>(
                predicates: [.sample(type: HKQuantityType(.stepCount)), .sample(type: bodyMass)]
            ).result(for: door.health)
        #expect(all.count == 170)
        for order in orders {
            for limit in [nil, 0, 1, 7, 169, 170, 500] {
                let query = HKSampleQueryDescriptor<HKSample>(
                    predicates: [.sample(type: bodyMass), .sample(type: HKQuantityType(.stepCount))],
                    sortDescriptors: order, limit: limit)
                let found = try await query.result(for: door.health)
                let count = limit.map { $0 == 0 ? 170 : min($0, 170) } ?? 170
                #expect(found.count == count && Set(found).count == count)
                let keys = order.isEmpty ? [SortDescriptor<HKSample>(\.startDate)] : order
                let wanted = all.sorted(using: keys).prefix(count)
                // The order of equal samples is unspecified.
                for (one, other) in zip(found, wanted) {
                    #expect(keys.allSatisfy { $0.compare(one, other) == .orderedSame })
                }
            }
        }
    }

    @Test("batches return the same samples as a single result, and changes of the store do not affect them")
    func batches() async throws {
        let door = try TestDoor()
        let type = HKQuantityType(.stepCount)
        var dice = SeededGenerator(seed: 3)
        for _ in 0..<20 { try await door.health.save(some(&dice, 1_000)) }
        for reverse in [false, true] {
            let query = HKSampleQueryDescriptor<HKQuantitySample>(
                predicates: [.quantitySample(type: type)],
                sortDescriptors: [SortDescriptor(\.startDate, order: reverse ? .reverse : .forward)])
            let all = try await query.result(for: door.health)
            var batches = [[HKQuantitySample]]()
            for try await batch in query.batches(for: door.health) {
                batches.append(batch)
                if batches.count == 1 { try await door.health.save(some(&dice, 1)) }
            }
            #expect(batches.count > 2 && batches.allSatisfy { !$0.isEmpty })
            #expect(batches.flatMap(\.self).map(\.uuid) == all.map(\.uuid))
        }
        let few = HKSampleQueryDescriptor<HKQuantitySample>(predicates: [.quantitySample(type: type)], limit: 300)
        var count = 0
        for try await batch in few.batches(for: door.health) { count += batch.count }
        #expect(count == 300)
    }

    @Test("a query object calls its handler once, with samples in the requested order, and cannot run twice")
    func classQuery() async throws {
        let door = try TestDoor()
        try await door.health.save((0..<10).map { mass(Double($0), at: Double($0)) })
        let answers = Answers<([HKSample]?, (any Error)?)>()
        let query = HKSampleQuery(
            sampleType: bodyMass,
            predicate: HKQuery.predicateForSamples(withStart: clock.addingTimeInterval(3), end: nil), limit: 4,
            sortDescriptors: [NSSortDescriptor(key: HKSampleSortIdentifierStartDate, ascending: false)]
        ) { answers.put(($1, $2)) }
        #expect(query.sampleType == bodyMass && query.limit == 4)
        #expect(query.sortDescriptors?.map(\.ascending) == [false])
        door.health.execute(query)
        let first = try #require(await answers.first(1).first)
        #expect(first.1 == nil)
        let values = first.0?.compactMap {
            ($0 as? HKQuantitySample)?.quantity.doubleValue(for: .gramUnit(with: .kilo))
        }
        #expect(values == [9, 8, 7, 6])
        // A second execution is an error.
        door.health.execute(query)
        let second = try #require(await answers.first(2).last)
        #expect((second.1 as? HKError)?.code == .errorInvalidArgument && second.0 == nil)
    }

    @Test("block predicates, unknown sort keys and a path that is not a store are errors")
    func refusals() async throws {
        let door = try TestDoor()
        try await door.health.save(mass(1))
        let block = NSPredicate { _, _ in true }
        let descriptor = HKSampleQueryDescriptor(predicates: [.quantitySample(type: bodyMass, predicate: block)])
        #expect(await code { _ = try await descriptor.result(for: door.health) } == .errorInvalidArgument)
        let answers = Answers<(any Error)?>()
        door.health.execute(
            HKSampleQuery(sampleType: bodyMass, predicate: block, limit: 0, sortDescriptors: nil) { answers.put($2) })
        door.health.execute(
            HKSampleQuery(
                sampleType: bodyMass, predicate: nil, limit: 0,
                sortDescriptors: [NSSortDescriptor(key: "duration", ascending: true)]
            ) { answers.put($2) })
        for error in await answers.first(2) { #expect((error as? HKError)?.code == .errorInvalidArgument) }
        let file = try TemporaryDirectory()
        try Data("x".utf8).write(to: URL(fileURLWithPath: file.file("x")))
        let broken = HKHealthStore(directory: file.file("x"))
        let whole = HKSampleQueryDescriptor(predicates: [.quantitySample(type: bodyMass)])
        #expect(await code { _ = try await whole.result(for: broken) } == .errorDatabaseInaccessible)
        #expect(try await whole.result(for: door.health).count == 1)
    }

    @Test("a cancelled task gets CancellationError")
    func cancelled() async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: 5)
        for _ in 0..<5 { try await door.health.save(some(&dice, 1_000)) }
        let query = HKSampleQueryDescriptor(predicates: [.quantitySample(type: HKQuantityType(.stepCount))])
        let health = door.health
        let task = Task { try await query.result(for: health) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

@Suite("S-30 S-39 correlation and source queries")
struct CorrelationQueryTests {
    @Test("correlations are returned with their members and filtered by date and by their members' values")
    func correlations() async throws {
        let door = try TestDoor()
        let saved = (0..<1_200).map { bloodPressure(100 + Double($0 % 50), 60 + Double($0 % 20), at: Double($0)) }
        try await door.health.save(saved)
        let type = HKCorrelationType(.bloodPressure)
        let all = try await HKSampleQueryDescriptor(predicates: [.correlation(type: type)]).result(for: door.health)
        #expect(all.map(\.uuid) == saved.map(\.uuid))
        #expect(all.map(\.objects) == saved.map(\.objects))
        let reverse = HKSampleQueryDescriptor(
            predicates: [.correlation(type: type)], sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)],
            limit: 700)
        #expect(try await reverse.result(for: door.health).map(\.uuid) == saved.reversed().prefix(700).map(\.uuid))
        let answers = Answers<([HKCorrelation]?, (any Error)?)>()
        let high = HKQuery.predicateForQuantitySamples(
            with: .greaterThan, quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: 147))
        let query = HKCorrelationQuery(
            type: type, predicate: HKQuery.predicateForSamples(withStart: nil, end: clock.addingTimeInterval(600)),
            samplePredicates: [HKQuantityType(.bloodPressureSystolic): high]
        ) { answers.put(($1, $2)) }
        door.health.execute(query)
        let found = try #require(await answers.first(1).first?.0)
        #expect(found.count == 24 && found.allSatisfy { $0.startDate < clock.addingTimeInterval(600) })
        // A deleted member is missing from its correlation; the correlation stays.
        try await door.health.delete(try #require(saved[0].objects.first))
        let after = try await HKSampleQueryDescriptor(predicates: [.correlation(type: type)], limit: 1)
            .result(for: door.health)
        #expect(after.first?.uuid == saved[0].uuid && after.first?.objects.count == 1)
    }

    @Test("correlations and samples are returned in one common order")
    func mixed() async throws {
        let door = try TestDoor()
        try await door.health.save((0..<50).map { bloodPressure(120, 80, at: Double($0 * 10)) })
        try await door.health.save((0..<500).map { mass(70, at: Double($0)) })
        for backward in [false, true] {
            let query = HKSampleQueryDescriptor<HKSample>(
                predicates: [.sample(type: HKCorrelationType(.bloodPressure)), .sample(type: bodyMass)],
                sortDescriptors: [SortDescriptor(\.startDate, order: backward ? .reverse : .forward)])
            let found = try await query.result(for: door.health)
            #expect(found.count == 550 && Set(found).count == 550)
            #expect(
                zip(found, found.dropFirst()).allSatisfy {
                    backward ? $0.startDate >= $1.startDate : $0.startDate <= $1.startDate
                })
        }
    }

    @Test("source queries return the sources of a type, of a predicate and of correlations")
    func sources() async throws {
        let door = try TestDoor()
        let scale = door.other("com.example.scale")
        try await door.health.save([mass(70, at: 0), mass(71, at: 100)])
        try await scale.save([mass(72, at: 200)])
        try await scale.save([bloodPressure(120, 80, at: 0)])
        let own = HKSource.default()
        let other = scale.revision.source
        func sources(_ predicate: HKSamplePredicate<HKSample>) async throws -> Set<HKSource> {
            Set(try await HKSourceQueryDescriptor(predicate: predicate).result(for: door.health))
        }
        #expect(try await sources(.sample(type: bodyMass)) == [own, other])
        let early = HKQuery.predicateForSamples(withStart: nil, end: clock.addingTimeInterval(150))
        #expect(try await sources(.sample(type: bodyMass, predicate: early)) == [own])
        #expect(try await sources(.sample(type: HKCorrelationType(.bloodPressure))) == [other])
        #expect(try await sources(.sample(type: HKQuantityType(.height))).isEmpty)
        let answers = Answers<Set<HKSource>?>()
        door.health.execute(
            HKSourceQuery(sampleType: bodyMass, samplePredicate: early) { answers.put($2 == nil ? $1 : nil) })
        #expect(await answers.first(1) == [[own]])
    }
}

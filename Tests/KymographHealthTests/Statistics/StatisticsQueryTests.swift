// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-121 S-129 S-131 S-136 statistics queries of HealthKit")
struct StatisticsQueryTests {
    private let steps = HKQuantityType(.stepCount)
    private let hours = DateComponents(hour: 1)

    private func steps(_ count: Double, hour: Double) -> HKQuantitySample {
        let date = clock.addingTimeInterval(hour * 3_600)
        return HKQuantitySample(
            type: steps, quantity: HKQuantity(unit: .count(), doubleValue: count), start: date,
            end: date.addingTimeInterval(60))
    }

    private func sums(_ collection: HKStatisticsCollection?) -> [Double?]? {
        collection?.statistics().map { $0.sumQuantity()?.value }
    }

    /// Runs a statistics query and waits for its handler.
    private func run(
        _ door: TestDoor, _ predicate: NSPredicate?, _ options: HKStatisticsOptions
    ) async -> (Double?, HKError.Code?) {
        await withCheckedContinuation { waiting in
            door.health.execute(
                HKStatisticsQuery(
                    quantityType: steps, quantitySamplePredicate: predicate, options: options
                ) { _, found, error in
                    waiting.resume(returning: (found?.sumQuantity()?.value, (error as? HKError)?.code))
                })
        }
    }

    @Test("a statistics query calls its handler once, with statistics or with an error")
    func statisticsQuery() async throws {
        let door = try TestDoor()
        #expect(await run(door, nil, .cumulativeSum) == (nil, .errorNoData))
        try await door.health.save([steps(3, hour: 0), steps(4, hour: 5)])
        #expect(await run(door, nil, .cumulativeSum) == (7, nil))
        let early = HKQuery.predicateForSamples(withStart: clock, end: clock.addingTimeInterval(60))
        #expect(await run(door, early, .cumulativeSum) == (3, nil))
        #expect(await run(door, nil, .discreteMin) == (nil, .errorInvalidArgument))
        #expect(await run(door, NSPredicate { _, _ in true }, .cumulativeSum) == (nil, .errorInvalidArgument))
    }

    @Test("the descriptor returns the same statistics, and throws the error")
    func statisticsDescriptor() async throws {
        let door = try TestDoor()
        let descriptor = HKStatisticsQueryDescriptor(
            predicate: .quantitySample(type: steps), options: [.cumulativeSum, .mostRecent])
        await #expect(code { _ = try await descriptor.result(for: door.health) } == .errorNoData)
        try await door.health.save([steps(3, hour: 0), steps(4, hour: 5)])
        let found = try #require(try await descriptor.result(for: door.health))
        #expect(found.sumQuantity()?.value == 7 && found.mostRecentQuantity()?.value == 4)
        let wrong = HKStatisticsQueryDescriptor(predicate: .quantitySample(type: steps), options: .discreteMax)
        await #expect(code { _ = try await wrong.result(for: door.health) } == .errorInvalidArgument)
    }

    @Test("a collection query without an update handler calls its handler once, with a collection or with an error")
    func collectionQuery() async throws {
        let door = try TestDoor()
        try await door.health.save([steps(3, hour: 0), steps(4, hour: 5)])
        func run(_ options: HKStatisticsOptions, _ components: DateComponents) async -> ([Double?]?, HKError.Code?) {
            await withCheckedContinuation { waiting in
                let query = HKStatisticsCollectionQuery(
                    quantityType: steps, quantitySamplePredicate: nil, options: options, anchorDate: clock,
                    intervalComponents: components)
                query.initialResultsHandler = { query, found, error in
                    #expect(query.anchorDate == clock && query.intervalComponents == components)
                    waiting.resume(returning: (self.sums(found), (error as? HKError)?.code))
                }
                door.health.execute(query)
            }
        }
        #expect(await run(.cumulativeSum, hours) == ([3, 4], nil))
        #expect(await run(.discreteMax, hours) == (nil, .errorInvalidArgument))
        #expect(await run(.cumulativeSum, DateComponents()) == (nil, .errorInvalidArgument))
    }

    @Test("a collection query with an update handler reports each interval that a save or a deletion changed")
    func updates() async throws {
        let door = try TestDoor()
        let first = steps(3, hour: 0)
        try await door.health.save([first, steps(4, hour: 5)])
        let query = HKStatisticsCollectionQuery(
            quantityType: steps, quantitySamplePredicate: nil, options: .cumulativeSum, anchorDate: clock,
            intervalComponents: hours)
        let (events, continuation) = AsyncStream<(start: Double?, sum: Double?, all: [Double?])>.makeStream()
        query.initialResultsHandler = { _, found, _ in continuation.yield((nil, nil, self.sums(found) ?? [])) }
        query.statisticsUpdateHandler = { _, one, found, _ in
            let start = one.map { $0.startDate.timeIntervalSince(clock) / 3_600 }
            continuation.yield((start, one?.sumQuantity()?.value, self.sums(found) ?? []))
        }
        door.health.execute(query)
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next()?.all == [3, 4])
        // A sample of another type changes nothing.
        try await door.health.save(mass(70))
        try await door.health.save(steps(5, hour: 5.5))
        #expect(try #require(await iterator.next()) == (5, 9, [3, 9]))
        try await door.health.delete(first)
        #expect(try #require(await iterator.next()) == (0, nil, [9]))
        // Half of the sample is in the next hour.
        try await door.health.save(
            HKQuantitySample(
                type: steps, quantity: HKQuantity(unit: .count(), doubleValue: 8),
                start: clock.addingTimeInterval(7.5 * 3_600), end: clock.addingTimeInterval(8.5 * 3_600)))
        #expect(try #require(await iterator.next()) == (7, 4, [9, 4, 4]))
        #expect(try #require(await iterator.next()) == (8, 4, [9, 4, 4]))
        try await door.health.save((0..<100).map { steps(1, hour: 20 + Double($0)) })
        let many = try #require(await iterator.next())
        #expect(many.start == nil && many.all.count == 103)
        door.health.stop(query)
        try await door.health.save(steps(5, hour: 5.75))
        continuation.finish()
        #expect(await iterator.next() == nil)
    }

    @Test("a descriptor's sequence starts with the whole collection and yields after each change")
    func results() async throws {
        let door = try TestDoor()
        let descriptor = HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(
                type: steps,
                predicate: HKQuery.predicateForSamples(withStart: clock, end: clock.addingTimeInterval(36_000))),
            options: .cumulativeSum, anchorDate: clock, intervalComponents: hours)
        #expect(try await descriptor.result(for: door.health).statistics().isEmpty)
        var found = [([Double?]?, Double?)]()
        for try await result in descriptor.results(for: door.health) {
            found.append((sums(result.statisticsCollection), result.updatedStatistics?.first?.sumQuantity()?.value))
            switch found.count {
            case 1:
                // A sample outside the predicate changes nothing.
                try await door.health.save(steps(9, hour: 20))
                try await door.health.save(steps(2, hour: 1))
            case 2: try await door.health.save(steps(3, hour: 1.5))
            default: break
            }
            if found.count == 3 { break }
        }
        #expect(found.map(\.0) == [[], [2], [5]] && found.map(\.1) == [nil, 2, 5])
        let wrong = HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(type: steps), options: .discreteMax, anchorDate: clock,
            intervalComponents: hours)
        await #expect(code { _ = try await wrong.result(for: door.health) } == .errorInvalidArgument)
        await #expect(code { for try await _ in wrong.results(for: door.health) {} } == .errorInvalidArgument)
        let task = Task { [health = door.health] in
            var count = 0
            for try await _ in descriptor.results(for: health) { count += 1 }
            return count
        }
        task.cancel()
        #expect(try await task.value <= 1)
    }
}

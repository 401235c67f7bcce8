// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

/// The calls of a series query's handler.
private struct Received: Sendable {
    var values: [Double] = []
    var intervals: [DateInterval?] = []
    var samples: [UUID?] = []
    var dones: [Bool] = []
    var code: HKError.Code?
}

@Suite("S-116 S-117 series queries return the quantities of samples one by one")
struct QuantitySeriesQueryTests {
    private func run(
        _ door: TestDoor, _ predicate: NSPredicate?, includesSample: Bool = false, bySample: Bool = false
    ) async -> Received {
        await withCheckedContinuation { waiting in
            let received = Mutex(Received())
            let query = HKQuantitySeriesSampleQuery(quantityType: heartRate, predicate: predicate) {
                _, quantity, interval, sample, done, error in
                let all = received.withLock { received in
                    if let quantity {
                        received.values.append(quantity.value)
                        received.intervals.append(interval)
                        received.samples.append(sample?.uuid)
                    }
                    received.dones.append(done)
                    received.code = (error as? HKError)?.code
                    return received
                }
                if done || error != nil { waiting.resume(returning: all) }
            }
            query.includeSample = includesSample
            query.orderByQuantitySampleStartDate = bySample
            door.health.execute(query)
        }
    }

    @Test("the handler receives each quantity and a mark on the last one; a single sample has one quantity")
    func handler() async throws {
        let door = try TestDoor()
        let none = await run(door, nil)
        #expect(none.values.isEmpty && none.dones == [true])
        let one = try await door.series([60, 61, 62], from: 0)
        let two = try await door.series([70, 71], from: 1.5)
        let single = try await door.single(99, at: 2.25)
        let across = await run(door, nil, includesSample: true)
        #expect(across.values == [60, 61, 70, 62, 99, 71])
        #expect(across.samples == [one, one, two, one, single, two].map(\.uuid))
        #expect(across.dones == [false, false, false, false, false, true])
        #expect(across.intervals.first == span(0, 1) && across.intervals.last == span(2.5, 2.5))
        let bySample = await run(door, nil, includesSample: true, bySample: true)
        #expect(bySample.values == [60, 61, 62, 70, 71, 99])
        #expect(bySample.samples == [one, one, one, two, two, single].map(\.uuid))
        let bare = await run(door, HKQuery.predicateForObject(with: two.uuid))
        #expect(bare.values == [70, 71] && bare.samples == [nil, nil])
        let refused = await run(door, NSPredicate { _, _ in true })
        #expect(refused.code == .errorInvalidArgument && refused.values.isEmpty)
    }

    @Test("a query of one sample passes the start of each quantity to the handler")
    func ofSample() async throws {
        let door = try TestDoor()
        let one = try await door.series([60, 61, 62], from: 0)
        let single = try await door.single(99, at: 1)
        func quantities(_ sample: HKQuantitySample) async -> (values: [Double], dates: [Date], code: HKError.Code?) {
            await withCheckedContinuation { waiting in
                let received = Mutex((values: [Double](), dates: [Date]()))
                let query = HKQuantitySeriesSampleQuery(sample: sample) { _, quantity, date, done, error in
                    let all = received.withLock { received in
                        if let quantity { received.values.append(quantity.value) }
                        if let date { received.dates.append(date) }
                        return received
                    }
                    if done || error != nil {
                        waiting.resume(returning: (all.values, all.dates, (error as? HKError)?.code))
                    }
                }
                door.health.execute(query)
            }
        }
        let series = await quantities(one)
        #expect(series.values == [60, 61, 62] && series.dates == [at(0), at(1), at(2)])
        #expect(await quantities(single).values == [99])
        try await door.health.delete(one)
        #expect(await quantities(one).code == .errorInvalidArgument)
    }

    @Test("a stopped query calls its handler no more, and a second execution is refused")
    func stopped() async throws {
        let door = try TestDoor()
        try await door.series((0..<2_000).map { Double($0 + 1) }, from: 0)
        let count: Int = await withCheckedContinuation { waiting in
            let received = Mutex(0)
            let query = HKQuantitySeriesSampleQuery(quantityType: heartRate, predicate: nil) {
                query, _, _, _, _, error in
                if (error as? HKError)?.code == .errorInvalidArgument {
                    return waiting.resume(returning: received.withLock { $0 })
                }
                let number = received.withLock { received in
                    received += 1
                    return received
                }
                if number == 10 {
                    door.health.stop(query)
                    door.health.execute(query)
                }
            }
            door.health.execute(query)
        }
        #expect(count == 10)
    }

    @Test("the descriptor returns the same quantities, unaffected by saves in the meantime", arguments: [false, true])
    func descriptor(bySample: Bool) async throws {
        let door = try TestDoor()
        let values = (0..<20_000).map { Double($0 % 113) + 40 }
        let one = try await door.series(values, from: 0)
        let two = try await door.series(values, from: 5_000.5)
        let options: HKQuantitySeriesSampleQueryDescriptor.Options =
            bySample ? [.includeSample, .orderByQuantitySampleStartDate] : [.includeSample]
        let descriptor = HKQuantitySeriesSampleQueryDescriptor(
            predicate: .quantitySample(type: heartRate), options: options)
        var found: [(value: Double, start: Date, uuid: UUID?)] = []
        for try await one in descriptor.results(for: door.health) {
            if found.count == 5 { try await door.series([999], from: 19_000) }
            found.append((one.quantity.value, one.dateInterval.start, one.sample?.uuid))
        }
        #expect(found.count == 40_000)
        #expect(found.filter { $0.uuid == one.uuid }.map(\.value) == values)
        #expect(found.filter { $0.uuid == two.uuid }.map(\.value) == values)
        if bySample {
            #expect(found.prefix(20_000).allSatisfy { $0.uuid == one.uuid })
        } else {
            #expect(zip(found, found.dropFirst()).allSatisfy { $0.start < $1.start })
        }
    }

    @Test("an anchored query returns a series, and its deletion, as one object")
    func anchored() async throws {
        let door = try TestDoor()
        let first = try await door.series((0..<30).map { Double($0 + 40) }, from: 0)
        let single = try await door.single(99, at: 5)
        func query(_ anchor: HKQueryAnchor?) async throws -> HKAnchoredObjectQueryDescriptor<HKQuantitySample>.Result {
            try await HKAnchoredObjectQueryDescriptor(
                predicates: [.quantitySample(type: heartRate)], anchor: anchor
            ).result(for: door.health)
        }
        let start = try await query(nil)
        #expect(Set(start.addedSamples.map(\.uuid)) == [first.uuid, single.uuid] && start.deletedObjects.isEmpty)
        let second = try await door.series((0..<30).map { Double($0 + 140) }, from: 100)
        let next = try await query(start.newAnchor)
        #expect(next.addedSamples.map(\.uuid) == [second.uuid] && next.deletedObjects.isEmpty)
        // One of the series shares its time with another sample, the other does not.
        try await door.health.delete([first, second])
        let last = try await query(next.newAnchor)
        #expect(last.addedSamples.isEmpty)
        #expect(last.deletedObjects.count == 2 && Set(last.deletedObjects.map(\.uuid)) == [first.uuid, second.uuid])
        try await door.health.delete(single)
        #expect(try await query(last.newAnchor).deletedObjects.map(\.uuid) == [single.uuid])
    }

    @Test("pages of an anchored query return every series and sample once")
    func anchoredPages() async throws {
        let door = try TestDoor()
        var all = Set<UUID>()
        for number in 0..<4 {
            all.insert(try await door.series((0..<30).map { Double($0 + 40) }, from: Double(number) * 20).uuid)
            all.insert(try await door.single(99, at: Double(number) * 20 + 5).uuid)
        }
        for limit in [1, 3] {
            var (anchor, received): (HKQueryAnchor?, [UUID]) = (nil, [])
            while true {
                let page = try await HKAnchoredObjectQueryDescriptor(
                    predicates: [.quantitySample(type: heartRate)], anchor: anchor, limit: limit
                ).result(for: door.health)
                if page.addedSamples.isEmpty { break }
                #expect(page.addedSamples.count <= limit && page.deletedObjects.isEmpty)
                received += page.addedSamples.map(\.uuid)
                anchor = page.newAnchor
            }
            #expect(received.count == 8 && Set(received) == all)
        }
    }

    @Test("sample queries return a series as one sample, sorted, up to a limit")
    func sampleQuery() async throws {
        let door = try TestDoor()
        let one = try await door.series([60, 61, 62], from: 0)
        let two = try await door.series([70, 71], from: 1.5)
        let single = try await door.single(99, at: 1)
        let all = try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: heartRate)]).result(
            for: door.health)
        #expect(all.map(\.uuid) == [one, single, two].map(\.uuid) && all.map(\.count) == [3, 1, 2])
        let last = try await HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: heartRate)],
            sortDescriptors: [SortDescriptor(\.endDate, order: .reverse)], limit: 1
        ).result(for: door.health)
        #expect(last.map(\.uuid) == [two.uuid])
    }

    @Test("handler and descriptor return the heartbeats of a series one by one")
    func heartbeats() async throws {
        let door = try TestDoor()
        let builder = HKHeartbeatSeriesBuilder(healthStore: door.health, device: nil, start: clock)
        for (place, time) in [0.5, 1.25, 2.0].enumerated() {
            try await builder.addHeartbeatWithTimeInterval(sinceSeriesStartDate: time, precededByGap: place == 2)
        }
        let sample = try await builder.finishSeries()
        let received: [String] = await withCheckedContinuation { waiting in
            let received = Mutex([String]())
            let query = HKHeartbeatSeriesQuery(heartbeatSeries: sample) { _, time, gap, done, _ in
                let all = received.withLock { received in
                    received.append("\(time) \(gap) \(done)")
                    return received
                }
                if done { waiting.resume(returning: all) }
            }
            door.health.execute(query)
        }
        #expect(received == ["0.5 false false", "1.25 false false", "2.0 true true"])
        var beats = [HKHeartbeatSeriesQueryDescriptor.Heartbeat]()
        for try await beat in HKHeartbeatSeriesQueryDescriptor(sample).results(for: door.health) { beats.append(beat) }
        #expect(beats.map(\.timeIntervalSinceStart) == [0.5, 1.25, 2])
        #expect(beats.map(\.precededByGap) == [false, false, true])
        let found = try await HKSampleQueryDescriptor(predicates: [.heartbeatSeries()]).result(for: door.health)
        #expect(found.map(\.uuid) == [sample.uuid])
        try await door.health.delete(sample)
        let code = await code {
            for try await _ in HKHeartbeatSeriesQueryDescriptor(sample).results(for: door.health) {}
        }
        #expect(code == .errorInvalidArgument)
    }
}

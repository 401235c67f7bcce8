// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

extension TestDoor {
    /// Saves a series of heart rates that each last a second.
    @discardableResult
    func series(
        _ values: [Double], from start: Double, step: Double = 1, by health: HKHealthStore? = nil,
        _ metadata: [String: Any]? = nil
    ) async throws -> HKQuantitySample {
        let builder = HKQuantitySeriesSampleBuilder(
            healthStore: health ?? self.health, quantityType: HKQuantityType(.heartRate), startDate: at(start),
            device: .local())
        try builder.insert(
            values: values, unit: perMinute, starts: values.indices.map { at(start + step * Double($0)) })
        return try await builder.finishSeries(metadata: metadata)[0]
    }

    /// Saves one heart rate that is not a series.
    func single(_ value: Double, at seconds: Double, _ length: Double = 0) async throws -> HKQuantitySample {
        let sample = HKQuantitySample(
            type: HKQuantityType(.heartRate), quantity: beats(value), start: at(seconds), end: at(seconds + length))
        try await health.save(sample)
        return sample
    }

    /// Returns the engine's statistics of all heart rates.
    func statistics() throws -> StatisticsRow? {
        let type = HealthTypes.type(for: HKQuantityTypeIdentifier.heartRate.rawValue)
        return try health.store().statistics(StatisticsRequest(type)).rows.first
    }
}

let heartRate = HKQuantityType(.heartRate)

@Suite("S-113 S-116 S-117 S-120 a stored series is one sample, and all its quantities count")
struct QuantitySeriesStoreTests {
    @Test("queries return a series as one object with all its properties, also after reopening")
    func oneObject() async throws {
        let door = try TestDoor()
        let device = HKDevice(
            name: "strap", manufacturer: nil, model: nil, hardwareVersion: nil, firmwareVersion: nil,
            softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
        let builder = door.builder(device: device)
        for number in 0..<5 { try builder.insert(beats(Double(60 + number)), at: at(Double(number))) }
        let made = try #require(try await builder.finishSeries(metadata: ["lap": 3]).first)
        _ = try await door.single(99, at: 2)
        for round in 0..<3 {
            let found = try door.all(heartRate)
            #expect(found.map(\.uuid).first == made.uuid && found.count == 2)
            let sample = try #require(found.first as? HKDiscreteQuantitySample)
            #expect(sample.count == 5 && sample.device == device && sample.metadata?["lap"] as? Int == 3)
            #expect(sample.startDate == made.startDate && sample.endDate == made.endDate)
            #expect(sample.sourceRevision == door.health.revision && sample.averageQuantity == made.quantity)
            #expect(try door.quantities(of: sample).map(\.value) == [60, 61, 62, 63, 64])
            #expect(try door.statistics()?.count == 6)
            #expect(try door.health.store().verify().isSound)
            if round == 0 { try door.health.store().engine.seal() }
            if round == 1 { _ = try door.health.store().engine.compact() }
            door.health.close()
        }
    }

    @Test("statistics include exactly the quantities of the series that match the predicate")
    func statisticsByPredicate() async throws {
        let door = try TestDoor()
        let run = try await door.series([60, 80], from: 0, ["note": "run"])
        _ = try await door.single(70, at: 100)
        func greatest(_ predicate: SamplePredicate) async throws -> Double? {
            let query = HKStatisticsQueryDescriptor(
                predicate: .quantitySample(type: heartRate, predicate: HealthPredicate(predicate)),
                options: .discreteMax)
            do {
                let found = try await query.result(for: door.health)
                return found?.maximumQuantity()?.doubleValue(for: perMinute).rounded()
            } catch {
                if (error as? HKError)?.code == .errorNoData { return nil }
                throw error
            }
        }
        for round in 0..<2 {
            #expect(try await greatest(.hasMetadata("note")) == 80)
            #expect(try await greatest(.uuids([run.uuid])) == 80)
            #expect(try await greatest(.not(.hasMetadata("note"))) == 70)
            #expect(try await greatest(.metadata("note", .notEqualTo, .string("run"))) == 70)
            // The quantity of the series is its average weighted by time; the last quantity is a point.
            #expect(run.quantity == beats(60))
            #expect(try await greatest(.quantity(.greaterThan, beats(65))) == 70)
            #expect(try await greatest(.quantity(.lessThan, beats(65))) == 80)
            if round == 0 { try door.health.store().engine.seal() }
        }
    }

    @Test("statistics of the type are those of the quantities, also in buckets that cut a series")
    func statistics() async throws {
        let door = try TestDoor()
        let values = (0..<3_000).map { Double(($0 * 7_919) % 101) + 40 }
        try await door.series(values, from: 0)
        try await door.series([200], from: 9_999)
        let row = try #require(try door.statistics())
        #expect(row.count == 3_001 && row.min == 40 && row.max == 200)
        #expect(row.sum == values.reduce(200, +))
        let type = HealthTypes.type(for: heartRate.identifier)
        let base = Int64(clock.timeIntervalSince1970) * second
        let buckets = try door.health.store().statistics(
            StatisticsRequest(
                type, buckets: .fixed(nanoseconds: 1_000 * second, anchor: base),
                range: TimeRange(base, base + 3_000 * second))
        ).rows
        #expect(buckets.map(\.count) == [1_000, 1_000, 1_000])
        for (place, bucket) in buckets.enumerated() {
            #expect(bucket.sum == values[place * 1_000..<place * 1_000 + 1_000].reduce(0, +))
        }
    }

    @Test("single samples and series are sorted by start, with any limit and predicate", arguments: 1...6)
    func searches(seed: UInt64) async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: seed)
        var saved = [HKQuantitySample]()
        for number in 0..<60 {
            let start = Double(dice.below(400))
            if dice.chance(0.5) {
                saved.append(try await door.single(Double(dice.below(90) + 40), at: start, Double(dice.below(30))))
            } else {
                let values = (0...dice.below(30)).map { _ in Double(dice.below(90) + 40) }
                let metadata: [String: Any]? = dice.chance(0.3) ? ["marked": true] : nil
                saved.append(try await door.series(values, from: start, metadata))
            }
            if number == 20 { try door.health.store().engine.seal() }
        }
        let store = try door.health.store()
        let predicates: [SamplePredicate] = [
            .always(true), .hasMetadata("marked"), .not(.hasMetadata("marked")),
            .time(start: at(100), end: at(200), options: []),
            .time(start: at(100), end: at(200), options: .strictStartDate),
            .time(start: at(100), end: at(200), options: .strictEndDate),
            .quantity(.lessThan, beats(70)), .uuids(Set(saved.prefix(3).map(\.uuid))),
        ]
        for predicate in predicates {
            let wanted = saved.filter { predicate.matches($0) }
            for backward in [false, true] {
                for limit in [Int.max, 7, 1] {
                    var found = [HKSample]()
                    try store.search(
                        SampleSearch(type: heartRate, predicate: predicate, backward: backward, limit: limit)
                    ) {
                        found += $0.samples
                        return true
                    }
                    #expect(found.count == min(limit, wanted.count))
                    let starts = wanted.map(\.startDate).sorted { backward ? $0 > $1 : $0 < $1 }
                    #expect(found.map(\.startDate) == Array(starts.prefix(limit)))
                    #expect(Set(found.map(\.uuid)).isSubset(of: wanted.map(\.uuid)))
                    #expect(Set(found.map(\.uuid)).count == found.count)
                }
            }
        }
    }

    @Test("the quantities are read by time or by sample, as in a plain list", arguments: 1...6)
    func quantities(seed: UInt64) async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: seed)
        var all: [(sample: HKQuantitySample, values: [Double])] = []
        for _ in 0..<30 {
            // No two quantities start together, so that only one order is correct.
            let start = Double(dice.below(100_000)) / 100 + Double(all.count) / 10_000
            if dice.chance(0.4) {
                let value = Double(dice.below(90) + 40)
                all.append((try await door.single(value, at: start), [value]))
            } else {
                let values = (0...dice.below(40)).map { _ in Double(dice.below(90) + 40) }
                let metadata: [String: Any]? = dice.chance(0.3) ? ["marked": true] : nil
                all.append((try await door.series(values, from: start, metadata), values))
            }
        }
        let predicates: [SamplePredicate] = [
            .always(true), .hasMetadata("marked"), .time(start: at(300), end: at(600), options: []),
            .time(start: at(300), end: at(301), options: .strictEndDate),
            .and([.time(start: at(300), end: nil, options: .strictStartDate), .quantity(.greaterThan, beats(80))]),
        ]
        for predicate in predicates {
            let wanted = all.filter { predicate.matches($0.sample) }.sorted {
                $0.sample.startDate < $1.sample.startDate
            }
            let bySample = try door.quantities(.heartRate, predicate, includesSample: true, bySample: true)
            #expect(bySample.map(\.value) == wanted.flatMap(\.values))
            #expect(bySample.map(\.sample?.uuid) == wanted.flatMap { one in one.values.map { _ in one.sample.uuid } })
            let across = try door.quantities(.heartRate, predicate, includesSample: true)
            #expect(zip(across, across.dropFirst()).allSatisfy { $0.start <= $1.start })
            var rows: [(start: Date, value: Double, uuid: UUID)] = []
            for one in wanted {
                for (place, value) in one.values.enumerated() {
                    rows.append((one.sample.startDate.addingTimeInterval(Double(place)), value, one.sample.uuid))
                }
            }
            rows.sort { $0.start < $1.start }
            #expect(across.map(\.value) == rows.map(\.value))
            #expect(across.map(\.sample?.uuid) == rows.map(\.uuid))
            let bare = try door.quantities(.heartRate, predicate)
            #expect(bare.map(\.value) == rows.map(\.value) && bare.allSatisfy { $0.sample == nil })
        }
    }

    @Test("a long series is written to segments, reads back whole, and is deleted by a range")
    func long() async throws {
        let door = try TestDoor()
        let values = (0..<70_000).map { Double($0 % 97) + 50 }
        let sample = try await door.series(values, from: 0, step: 0.01)
        #expect(try door.all(heartRate).map(\.uuid) == [sample.uuid])
        #expect(try door.quantities(of: sample).map(\.value) == values)
        let store = try door.health.store()
        #expect(try store.verify().isSound)
        try await door.health.delete(sample)
        #expect(try door.all(heartRate).isEmpty && door.statistics()?.count ?? 0 == 0)
        #expect(try store.verify().isSound)
    }

    @Test("samples of the store are the single quantities, each with the metadata of its series")
    func plainSamples() async throws {
        let door = try TestDoor()
        try await door.series([60, 61], from: 0, ["note": "run"])
        try await door.series([70, 71], from: 5)
        _ = try await door.single(80, at: 9)
        let type = HealthTypes.type(for: heartRate.identifier)
        let found = try door.health.store().samples(SampleRequest(type))
        #expect(found.map(\.value) == [60, 61, 70, 71, 80])
        #expect(found.map { $0.metadata.values["note"] } == [.string("run"), .string("run"), nil, nil, nil])
    }

    @Test("concurrent builders and saves all succeed")
    func concurrent() async throws {
        let door = try TestDoor()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    let values = (0...number).map { Double($0 + 40) }
                    try await door.series(values, from: Double(number) * 5)
                }
                group.addTask { _ = try await door.single(Double(number + 1), at: Double(number)) }
            }
            try await group.waitForAll()
        }
        let found = try door.all(heartRate).compactMap { $0 as? HKQuantitySample }
        #expect(found.count == 48 && Set(found.map(\.uuid)).count == 48)
        for sample in found where sample.count > 1 {
            #expect(try door.quantities(of: sample).map(\.value) == (0..<sample.count).map { Double($0 + 40) })
        }
        #expect(try door.health.store().verify().isSound)
    }
}

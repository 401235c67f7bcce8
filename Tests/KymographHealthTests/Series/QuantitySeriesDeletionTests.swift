// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-41 S-42 S-120 a series is deleted as a whole with its quantities")
struct QuantitySeriesDeletionTests {
    @Test("deleting the object deletes its quantities and nothing else", arguments: [false, true])
    func object(isSealed: Bool) async throws {
        let door = try TestDoor()
        let one = try await door.series((0..<50).map { Double($0 + 40) }, from: 0)
        // Another series and single samples at the same times.
        let two = try await door.series((0..<50).map { Double($0 + 140) }, from: 0.5)
        let single = try await door.single(99, at: 10)
        if isSealed { try door.health.store().engine.seal() }
        try await door.health.delete(one)
        #expect(try Set(door.all(heartRate).map(\.uuid)) == [two.uuid, single.uuid])
        #expect(try door.statistics()?.count == 51 && door.statistics()?.min == 99)
        #expect(await code { try await door.health.delete(one) } == .errorInvalidArgument)
        #expect(await code { try await door.health.delete([two, one]) } == .errorInvalidArgument)
        #expect(try door.quantities(.heartRate).count == 51)
        try await door.health.delete([two, single])
        #expect(try door.all(heartRate).isEmpty && door.quantities(.heartRate).isEmpty)
        #expect(try door.health.store().verify().isSound)
        _ = try door.health.store().engine.compact()
        door.health.close()
        #expect(try door.health.store().verify().isSound && door.all(heartRate).isEmpty)
    }

    @Test("another program cannot delete the series, by object or by predicate")
    func others() async throws {
        let door = try TestDoor()
        let mine = try await door.series([60, 61], from: 0)
        let strap = door.other("com.example.strap")
        let theirs = try await door.series([70, 71, 72], from: 5, by: strap)
        #expect(await code { try await strap.delete(mine) } == .errorAuthorizationDenied)
        #expect(await code { try await door.health.delete([mine, theirs]) } == .errorAuthorizationDenied)
        let all = HKQuery.predicateForSamples(withStart: nil, end: nil)
        #expect(try await strap.deleteObjects(of: heartRate, predicate: all) == 1)
        #expect(try door.all(heartRate).map(\.uuid) == [mine.uuid])
        #expect(try door.quantities(.heartRate).map(\.value) == [60, 61])
    }

    @Test("a deletion by predicate deletes or keeps whole series and counts each as one", arguments: 1...5)
    func predicates(seed: UInt64) async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: seed)
        var left: [(sample: HKQuantitySample, values: [Double])] = []
        for _ in 0..<40 {
            let start = Double(dice.below(2_000)) / 10
            let values = (0...dice.below(20)).map { _ in Double(dice.below(90) + 40) }
            if dice.chance(0.5) {
                left.append((try await door.single(values[0], at: start, 1), [values[0]]))
            } else {
                left.append((try await door.series(values, from: start, dice.chance(0.3) ? ["a": 1] : nil), values))
            }
        }
        let predicates: [NSPredicate] = [
            HKQuery.predicateForObjects(withMetadataKey: "a"),
            HKQuery.predicateForSamples(withStart: at(50), end: at(60), options: .strictStartDate),
            HKQuery.predicateForSamples(withStart: at(100), end: at(101)),
            HKQuery.predicateForQuantitySamples(with: .greaterThan, quantity: beats(95)),
            HKQuery.predicateForObject(with: left[0].sample.uuid),
            HKQuery.predicateForSamples(withStart: nil, end: nil),
        ]
        for predicate in predicates {
            let meant = try SamplePredicate(predicate)
            let gone = left.filter { meant.matches($0.sample) }.count
            left.removeAll { meant.matches($0.sample) }
            #expect(try await door.health.deleteObjects(of: heartRate, predicate: predicate) == gone)
            #expect(try Set(door.all(heartRate).map(\.uuid)) == Set(left.map(\.sample.uuid)))
            let values = try door.quantities(.heartRate).map(\.value)
            #expect(values.sorted() == left.flatMap(\.values).sorted())
            let report = try door.health.store().verify()
            #expect(report.isSound, "\(report.problems) \(report.engine.problems)")
        }
    }

    @Test("a deletion by time deletes the series that start in the range as a whole, and no others")
    func byTime() async throws {
        let door = try TestDoor()
        let early = try await door.series((0..<20).map { Double($0 + 40) }, from: 0)
        try await door.series((0..<20).map { Double($0 + 140) }, from: 10)
        _ = try await door.single(99, at: 12)
        let late = try await door.single(98, at: 15)
        let base = Int64(clock.timeIntervalSince1970) * second
        let type = HealthTypes.type(for: heartRate.identifier)
        let receipt = try door.health.store().delete(
            type, startingIn: TimeRange(base + 10 * second, base + 13 * second))
        #expect(receipt.count == 21)
        #expect(try door.all(heartRate).map(\.uuid) == [early.uuid, late.uuid])
        #expect(try door.quantities(of: early).map(\.value) == (0..<20).map { Double($0 + 40) })
        let report = try door.health.store().verify()
        #expect(report.isSound, "\(report.problems) \(report.engine.problems)")
        #expect(try door.health.store().delete(type).count == 21)
        #expect(try door.all(heartRate).isEmpty && door.health.store().verify().isSound)
    }

    @Test("a query as of an earlier commit still returns a deleted series")
    func past() async throws {
        let door = try TestDoor()
        let sample = try await door.series([60, 61, 62], from: 0)
        let store = try door.health.store()
        let commit = store.engine.snapshot().sequence
        try await door.health.delete(sample)
        let type = HealthTypes.type(for: heartRate.identifier)
        #expect(try store.samples(SampleRequest(type, asOf: commit)).map(\.value) == [60, 61, 62])
        #expect(try store.samples(SampleRequest(type)).isEmpty)
    }
}

@Suite("T-5 verification and repair of series")
struct QuantitySeriesRepairTests {
    @Test("quantities without their object are reported")
    func orphans() async throws {
        let door = try TestDoor()
        try await door.series([60, 61, 62], from: 0)
        let store = try door.health.store()
        #expect(try store.verify().isSound)
        try store.engine.write { _ in
            var batch = WriteBatch()
            batch.inCommit = { transaction, _ in try HealthCatalog.retire(savedObjects: [1], transaction) }
            return batch
        }
        let problems = try store.verify().problems
        #expect(problems.count == 1 && problems[0].contains("3 samples"), "\(problems)")
    }

    @Test("a repair keeps series whole", arguments: [false, true])
    func repair(isSealed: Bool) async throws {
        let door = try TestDoor()
        let sample = try await door.series((0..<500).map { Double($0 % 90 + 40) }, from: 0, ["note": "run"])
        if isSealed { try door.health.store().engine.seal() }
        door.health.close()
        let target = door.directory.file("repaired")
        let report = try HealthStore.repair(from: door.directory.file("store"), to: target)
        #expect(report.isComplete && report.remarks.isEmpty)
        let store = try HealthStore.open(at: target)
        defer { store.close() }
        #expect(try store.verify().isSound)
        var found = [SeriesQuantity]()
        try store.quantities(of: sample) {
            found += $0
            return true
        }
        #expect(found.map(\.value) == (0..<500).map { Double($0 % 90 + 40) })
    }

    @Test("objects lost with a damaged page are rebuilt from their quantities, and the repaired store is sound")
    func lostObjects() async throws {
        let door = try TestDoor()
        var values: [[Double]] = []
        for number in 0..<60 {
            values.append((0..<20).map { Double(number + $0 + 40) })
            try await door.series(values[number], from: Double(number) * 10)
        }
        try door.health.store().engine.seal()
        door.health.close()
        let disk = RealDisk()
        let path = door.directory.file("store") + "/kymograph.sqlite"
        let sound = try disk.contents(of: path, limit: 1 << 26)
        var restored = 0
        for page in 1..<sound.count / 4_096 {
            var bytes = sound
            for at in page * 4_096..<(page + 1) * 4_096 { bytes[at] ^= 0x55 }
            try disk.remove(path)
            try disk.createFile(path, bytes)
            let target = door.directory.file("repaired\(page)")
            let report = try HealthStore.repair(from: door.directory.file("store"), to: target)
            let store = try HealthStore.open(at: target)
            defer { store.close() }
            let found = try store.verify()
            #expect(found.isSound, "page \(page): \(found.problems) \(found.engine.problems)")
            guard report.remarks.contains(where: { $0.contains("were restored") }) else { continue }
            restored += 1
            var samples = [HKQuantitySample]()
            try store.search(SampleSearch(type: heartRate, predicate: .always(true))) { found in
                samples += found.samples.compactMap { $0 as? HKQuantitySample }
                return true
            }
            #expect(samples.map(\.count) == values.map(\.count))
            var read = [[Double]]()
            for sample in samples {
                var some = [Double]()
                try store.quantities(of: sample) {
                    some += $0.map(\.value)
                    return true
                }
                read.append(some)
            }
            #expect(read == values)
        }
        #expect(restored > 0)
    }
}

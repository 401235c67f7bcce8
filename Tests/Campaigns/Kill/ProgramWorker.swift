// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import TestSupport

/// A program that saves and deletes with HealthKit's API until it is killed, and reports each action before and after.
struct ProgramWorker {
    /// The metadata key with the number of an object's save.
    static let key = "save"
    static let rate = HKQuantityType(.heartRate)
    static let power = HKQuantityType(.cyclingPower)
    static let pressure = HKCorrelationType(.bloodPressure)
    static let types: [HKSampleType] = [
        rate, power, pressure, HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic),
    ]
    /// The maximum number of saves of one program.
    static let saves: UInt64 = 100_000

    private let health: HKHealthStore
    private let run: UInt64
    private var random: SeededGenerator
    /// Acknowledged saves of samples that are not deleted.
    private var saved: [Int] = []

    /// - Parameter run: the number of the program, unique for a store.
    init(_ path: String, run: UInt64) {
        // Before the first use of the program's name.
        ProcessInfo.processInfo.processName = Self.name(ofRun: run)
        health = HKHealthStore(directory: path)
        self.run = run
        random = SeededGenerator(seed: run)
    }

    /// Several programs share a store, and several runs have the same program name.
    private static func name(ofRun run: UInt64) -> String { "program-\(run % 3)" }

    /// Works until the parent closes the pipe.
    mutating func work(_ say: (String) -> Bool) async throws {
        for number in Int(run * Self.saves)..<Int((run + 1) * Self.saves) {
            if !(try await step(number, say)) { return }
        }
    }

    private mutating func step(_ number: Int, _ say: (String) -> Bool) async throws -> Bool {
        let metadata: [String: Any] = [Self.key: number]
        let start = Date(timeIntervalSince1970: 1_700_000_000 + Double(random.below(1_000_000)))
        switch random.below(10) {
        case 0 where !saved.isEmpty:
            let victim = saved.remove(at: random.below(saved.count))
            guard say("deleting \(victim)") else { return false }
            try await health.deleteObjects(
                of: Self.rate,
                predicate: HKQuery.predicateForObjects(withMetadataKey: Self.key, allowedValues: [victim]))
            return say("deleted \(victim)")
        case 1:
            guard say("saving \(number) 1") else { return false }
            let builder = HKQuantitySeriesSampleBuilder(
                healthStore: health, quantityType: Self.power, startDate: start, device: nil)
            let values = (0..<20).map { _ in Double(random.below(300)) }
            try builder.insert(
                values: values, unit: .watt(), starts: values.indices.map { start.addingTimeInterval(Double($0)) })
            _ = try await builder.finishSeries(metadata: metadata)
        case 2:
            guard say("saving \(number) 3") else { return false }
            let members = [HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic)].map {
                HKQuantitySample(
                    type: $0, quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: 100), start: start,
                    end: start, metadata: metadata)
            }
            try await health.save(
                HKCorrelation(
                    type: Self.pressure, start: start, end: start, objects: Set(members), metadata: metadata))
        default:
            let count = 1 + random.below(8)
            guard say("saving \(number) \(count)") else { return false }
            try await health.save(
                (0..<count).map { i in
                    HKQuantitySample(
                        type: Self.rate,
                        quantity: HKQuantity(
                            unit: HKUnit.count().unitDivided(by: .minute()), doubleValue: Double(60 + i)),
                        start: start.addingTimeInterval(Double(i)), end: start.addingTimeInterval(Double(i)),
                        metadata: metadata)
                })
            saved.append(number)
        }
        return say("saved \(number)")
    }

    /// Returns the number of visible objects of each save; an incomplete series counts as none.
    static func counts(at path: String) async throws -> [Int: Int] {
        let health = HKHealthStore(directory: path)
        defer { health.close() }
        var found: [Int: Int] = [:]
        for type in types {
            for sample in try await HKSampleQueryDescriptor(predicates: [.sample(type: type)]).result(for: health) {
                let number = sample.metadata?[key] as? Int ?? -1
                let source = sample.sourceRevision.source.bundleIdentifier
                guard source == name(ofRun: UInt64(max(0, number)) / saves) else {
                    throw CampaignError("an object of save \(number) has the source \(source)")
                }
                if let series = sample as? HKQuantitySample, type == power {
                    let descriptor = HKQuantitySeriesSampleQueryDescriptor(
                        predicate: .quantitySample(
                            type: power, predicate: HKQuery.predicateForObject(with: series.uuid)))
                    var count = 0
                    for try await _ in descriptor.results(for: health) { count += 1 }
                    if count != 20 || series.count != 20 { continue }
                }
                if let pair = sample as? HKCorrelation, pair.objects.count != 2 { continue }
                found[number, default: 0] += 1
            }
        }
        guard try health.store().verify().isSound else { throw CampaignError("the store is damaged") }
        return found
    }
}

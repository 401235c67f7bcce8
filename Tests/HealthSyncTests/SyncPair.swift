// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import HealthSync
import Kymograph
import KymographHealth
import TestSupport
import Testing

/// Two empty health stores, and programs that save in them.
final class SyncPair {
    static let steps = HKQuantityType(.stepCount)
    static let rate = HKQuantityType(.heartRate)
    static let pressure = HKCorrelationType(.bloodPressure)
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    let directory: TemporaryDirectory
    var first: HealthStore
    var second: HealthStore

    init() throws {
        directory = try TemporaryDirectory()
        first = try HealthStore.openOrCreate(at: directory.file("first"), mode: .shared)
        second = try HealthStore.openOrCreate(at: directory.file("second"), mode: .shared)
    }

    deinit {
        first.close()
        second.close()
    }

    /// Synchronises the first store with the second one.
    @discardableResult
    func sync(_ options: SyncOptions = SyncOptions()) throws -> SyncReport {
        try HealthStoreSync(first, options: options).run(with: second)
    }

    static func sample(
        _ second: Int, _ value: Double, type: HKQuantityType = steps, metadata: [String: Any]? = nil
    ) -> HKQuantitySample {
        let unit = type == steps ? HKUnit.count() : HKUnit.count().unitDivided(by: .minute())
        let date = start.addingTimeInterval(Double(second))
        return HKQuantitySample(
            type: type, quantity: HKQuantity(unit: unit, doubleValue: value), start: date,
            end: date.addingTimeInterval(1), device: nil, metadata: metadata)
    }

    static func versioned(_ second: Int, _ value: Double, _ name: String, _ version: Int) -> HKQuantitySample {
        sample(
            second, value,
            metadata: [HKMetadataKeySyncIdentifier: name, HKMetadataKeySyncVersion: NSNumber(value: version)])
    }

    static func bloodPressure(_ second: Int) -> HKCorrelation {
        let date = start.addingTimeInterval(Double(second))
        func part(_ type: HKQuantityTypeIdentifier, _ value: Double) -> HKQuantitySample {
            HKQuantitySample(
                type: HKQuantityType(type), quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value),
                start: date, end: date)
        }
        return HKCorrelation(
            type: pressure, start: date, end: date,
            objects: [part(.bloodPressureSystolic, 120), part(.bloodPressureDiastolic, 80)])
    }

    static func save(_ objects: [HKObject], in store: HealthStore) async throws {
        try await HKHealthStore(store).save(objects)
    }

    static func delete(_ objects: [HKObject], in store: HealthStore) async throws {
        try await HKHealthStore(store).delete(objects)
    }

    /// The samples of a type as lines of text, sorted.
    static func lines(_ store: HealthStore, _ type: HKSampleType = steps) async throws -> [String] {
        try store.refresh()
        let descriptor = HKSampleQueryDescriptor(predicates: [.sample(type: type)])
        return try await descriptor.result(for: HKHealthStore(store)).map { sample in
            let value = (sample as? HKQuantitySample).map { "\($0.quantity)" } ?? ""
            let members = ((sample as? HKCorrelation)?.objects ?? []).map { "\($0.uuid)" }.sorted()
            let metadata = (sample.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
            return "\(sample.uuid) \(sample.startDate.timeIntervalSince1970) \(value) "
                + "\(sample.sourceRevision.source.bundleIdentifier) \(members) \(metadata)"
        }.sorted()
    }

    /// Expects that both stores have the same samples of some types and are sound.
    func expectSame(_ types: [HKSampleType] = [steps], _ note: String = "") async throws {
        for type in types {
            let (one, other) = (try await Self.lines(first, type), try await Self.lines(second, type))
            #expect(one == other, "\(type.identifier) \(note)")
        }
        for store in [first, second] {
            let report = try store.verify()
            #expect(report.isSound, "\(report)")
        }
    }
}

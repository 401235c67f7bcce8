// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("E-21 S-3 encrypted and decrypted copies of a health store")
struct HealthEncryptionTests {
    private let types: [HKSampleType] = [
        heartRate, HKQuantityType(.bodyMass), HKQuantityType(.stepCount), HKSeriesType.heartbeat(),
        HKCorrelationType(.bloodPressure), HKQuantityType(.bloodPressureSystolic), HKObjectType.electrocardiogramType(),
        HKObjectType.workoutType(),
    ]

    /// Options with a key; without one, options for plain stores, also if the tests run with a key for all stores.
    private func options(_ secret: StoreSecret?) -> StoreOptions {
        var options = StoreOptions()
        (options.key, options.isKeyOptional) = (secret.map { KeyOnce($0) }, secret == nil)
        return options
    }

    /// A store with samples of each kind from two programs, with metadata and devices, and with deleted objects.
    private func filled() async throws -> (door: TestDoor, anchor: ChangeAnchor) {
        let door = try TestDoor(options(nil))
        _ = try await door.series([60, 61, 62], from: 0)
        try await door.health.save(bloodPressure(120, 80, at: 5))
        try await door.health.save(mass(77.125, at: 10, ["note": "canary", HKMetadataKeyWasUserEntered: true]))
        try await door.recordings(of: .local())
        let doomed = [mass(1, at: 20), mass(2, at: 30)]
        try await door.health.save(doomed)
        let store = try door.health.store()
        try store.load(
            (0..<3_000).map { place in
                var sample = TestSample(source: "source \(place % 7)", value: Double(place))
                sample.start = newYear + Int64(place) * hour
                sample.end = sample.start + second
                if place % 2 == 0 { sample.device = "device \(place % 5)" }
                if place % 4 == 0 { sample.note = "note \(place)" }
                return sample
            })
        let anchor = store.engine.currentAnchor()
        try await door.health.delete(doomed)
        try await door.health.deleteObjects(of: heartRate, predicate: NSPredicate(value: true))
        return (door, anchor)
    }

    /// All properties of all objects, in an order of their own.
    private func objects(_ store: HealthStore) throws -> [String] {
        var all: [String] = []
        for type in types {
            try store.search(SampleSearch(type: type, predicate: .always(true))) { page in
                for sample in page.samples {
                    let metadata = (sample.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
                    let source = sample.sourceRevision
                    let value = (sample as? HKQuantitySample).map { "\($0.quantity) \($0.count)" } ?? ""
                    all.append(
                        "\(type.identifier) \(sample.uuid) \(sample.startDate) \(sample.endDate) \(value) \(metadata) "
                            + "\(source.source.bundleIdentifier) \(source.version ?? "") "
                            + "\(sample.device?.name ?? "")")
                }
                return true
            }
        }
        return all.sorted()
    }

    /// The deleted samples of a type since an anchor.
    private func deletions(_ store: HealthStore, since anchor: ChangeAnchor) throws -> Set<UUID> {
        var found: Set<UUID> = []
        let type = try #require(HealthTypes.find("bodyMass"))
        _ = try store.changes(SampleRequest(type), since: anchor) { (all) throws(HealthStoreError) in
            for deletion in all { found.formUnion(deletion.uuids ?? []) }
        } _: { (_) throws(HealthStoreError) in
            true
        }
        return found
    }

    @Test("Samples, objects, metadata, sources and deletions are equal in an encrypted, re-encrypted and plain copy")
    func copies() async throws {
        let (door, anchor) = try await filled()
        let plain = try door.health.store()
        let (wanted, samples, sources) = (try objects(plain), try plain.all(), try plain.sources())
        let gone = try deletions(plain, since: anchor)
        #expect(wanted.count > 3_000 && gone.count == 2 && sources.count > 7)
        #expect(wanted.contains { $0.contains("canary") } && !wanted.contains { $0.contains(heartRate.identifier) })
        door.health.close()
        let (first, second) = (try StoreSecret.random(), try StoreSecret.random())
        let paths = ["store", "first", "second", "again"].map { door.directory.file($0) }
        try HealthStore.encrypt(from: paths[0], to: paths[1], key: KeyOnce(first), options: options(nil))
        try HealthStore.encrypt(from: paths[1], to: paths[2], key: KeyOnce(second), options: options(first))
        try HealthStore.decrypt(from: paths[2], to: paths[3], options: options(second))
        for (path, secret) in zip(paths, [nil, first, second, nil]) {
            let copy = try HealthStore.open(at: path, mode: .readOnly, options: options(secret))
            defer { copy.close() }
            #expect(try objects(copy) == wanted, "\(path)")
            #expect(try copy.all().counts == samples.counts && copy.sources() == sources, "\(path)")
            #expect(try deletions(copy, since: anchor) == gone, "\(path)")
            #expect(try copy.verify().isSound, "\(path)")
            #expect((copy.engine.keys == nil) == (secret == nil))
        }
    }

    @Test("A missing or wrong key and a plain store are errors that make nothing")
    func refused() async throws {
        let (door, _) = try await filled()
        door.health.close()
        let (plain, encrypted, target) = (
            door.directory.file("store"), door.directory.file("encrypted"), door.directory.file("target")
        )
        let secret = try StoreSecret.random()
        try HealthStore.encrypt(from: plain, to: encrypted, key: KeyOnce(secret), options: options(nil))
        func kind(_ body: () throws -> Void) -> HealthStoreError.Kind? {
            do { try body() } catch { return (error as? HealthStoreError)?.kind }
            return nil
        }
        #expect(
            kind { try HealthStore.decrypt(from: plain, to: target, options: options(nil)) } == .engine(.notEncrypted))
        #expect(
            kind { try HealthStore.decrypt(from: encrypted, to: target, options: options(nil)) } == .engine(.needsKey))
        let other = options(try .random())
        #expect(kind { try HealthStore.decrypt(from: encrypted, to: target, options: other) } == .engine(.wrongKey))
        #expect(
            kind { try HealthStore.encrypt(from: plain, to: encrypted, key: KeyOnce(secret), options: options(nil)) }
                == .engine(.alreadyExists))
        #expect(!FileManager.default.fileExists(atPath: target))
    }
}

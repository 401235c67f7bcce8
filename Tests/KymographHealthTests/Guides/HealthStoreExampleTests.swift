// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

/// The examples of `Docs/Guide/HealthStore.md`. The lines between the marks are those of the page.
@Suite("S-28 S-39 S-40 S-46 S-49 the examples of the page about the health store")
struct HealthStoreExampleTests {
    private let now = Date(timeIntervalSinceReferenceDate: 757_382_400)

    private func masses(_ kilos: [Double]) -> [HKQuantitySample] {
        kilos.enumerated().map { place, value in
            let date = now.addingTimeInterval(Double(place))
            return HKQuantitySample(
                type: HKQuantityType(.bodyMass),
                quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: value), start: date, end: date)
        }
    }

    @Test("saves a body mass, finds it and deletes it")
    func saving() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")

        // example health-store begins
        let health = HKHealthStore(directory: path)  // HKHealthStore() opens the default directory
        let kilogram = HKUnit.gramUnit(with: .kilo)
        let mass = HKQuantitySample(
            type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: kilogram, doubleValue: 70.2),
            start: now, end: now, metadata: [HKMetadataKeyWasUserEntered: true])
        try await health.save(mass)  // on disk when it returns

        let newest = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: HKQuantityType(.bodyMass))],
            sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: 100)
        let found = try await newest.result(for: health)
        for sample in found { print(sample.startDate, sample.quantity.doubleValue(for: kilogram)) }

        try await health.delete(mass)
        health.close()
        // example health-store ends

        #expect(found.map(\.uuid) == [mass.uuid])
        #expect(found.map { $0.quantity.doubleValue(for: kilogram) } == [70.2])
        #expect(found.first?.metadata?[HKMetadataKeyWasUserEntered] as? Bool == true)
        let left = try await newest.result(for: health)
        #expect(left.isEmpty)
        health.close()
    }

    @Test("a mirror holds what the store holds after additions and a deletion")
    func anchors() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let samples = masses([70, 71, 72])
        var mirror: [UUID: HKQuantity] = [:]
        var saved: String?
        for step in 0..<2 {
            if step == 0 { try await health.save(samples) } else { try await health.delete(samples[0]) }

            // example anchored begins
            let query = HKAnchoredObjectQueryDescriptor(
                predicates: [.quantitySample(type: HKQuantityType(.bodyMass))],
                anchor: saved.flatMap { HKQueryAnchor(text: $0) })
            let change = try await query.result(for: health)
            for deleted in change.deletedObjects { mirror[deleted.uuid] = nil }
            for sample in change.addedSamples { mirror[sample.uuid] = sample.quantity }
            saved = change.newAnchor.text  // store it together with the mirror
            // example anchored ends

            #expect(mirror.count == 3 - step)
        }
        let kept = Dictionary(uniqueKeysWithValues: samples.dropFirst().map { ($0.uuid, $0.quantity) })
        #expect(mirror == kept)
    }

    @Test("a subscribed observer is called after a save")
    func delivery() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let (events, changes) = AsyncStream<Void>.makeStream()

        // example background-delivery begins
        let type = HKQuantityType(.bodyMass)
        try await health.enableBackgroundDelivery(for: type, frequency: .hourly)
        // At each start of the program:
        let observer = HKObserverQuery(sampleType: type, predicate: nil) { _, completion, error in
            guard error == nil else { return }
            changes.yield()  // wakes the task that reads with an anchored query
            completion()
        }
        health.execute(observer)
        // example background-delivery ends

        try await health.save(masses([70]))
        var iterator = events.makeAsyncIterator()
        let isCalled = await iterator.next() != nil
        #expect(isCalled)
        health.stop(observer)
    }

    @Test("plain values of the saved samples, in another unit")
    func plain() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        let health = HKHealthStore(directory: path)
        let samples = masses([70, 71, 72])
        try await health.save(samples)
        health.close()

        // example plain-values begins
        let store = try HealthStore.open(at: path, mode: .readOnly)
        for one in try store.types() { print(one.type.shortName, one.samples, one.unit ?? "") }

        var request = SampleRequest(HealthTypes.type(for: .bodyMass), limit: 10, order: .backward)
        request.unit = .pound()
        for sample in try store.samples(request) { print(sample.start, sample.value, sample.source) }
        // example plain-values ends

        defer { store.close() }
        let types = try store.types()
        #expect(types.map(\.samples) == [3] && types.first?.unit == "kg")
        let values = try store.samples(request).map(\.value)
        #expect(values == samples.reversed().map { $0.quantity.doubleValue(for: .pound()) })
    }
}

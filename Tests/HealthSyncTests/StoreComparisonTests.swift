// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import CoreLocation
import Foundation
import HealthCatalog
import HealthModel
import HealthSync
import Kymograph
import KymographHealth
import TestSupport
import Testing

@Suite("S-55 E-16 comparison of two stores by content")
struct StoreComparisonTests {
    private static func fill(_ store: HealthStore) async throws {
        try await SyncPair.save(
            (0..<900).map { SyncPair.sample($0, Double($0), metadata: ["note": "n\($0 % 5)"]) }
                + [SyncPair.bloodPressure(3), SyncPair.bloodPressure(9)],
            in: store)
        let door = HKHealthStore(store)
        let builder = HKQuantitySeriesSampleBuilder(
            healthStore: door, quantityType: HKQuantityType(.cyclingPower), startDate: SyncPair.start, device: nil)
        try builder.insert(
            values: (0..<40).map { Double($0) }, unit: .watt(),
            starts: (0..<40).map { SyncPair.start.addingTimeInterval(Double($0)) })
        _ = try await builder.finishSeries(metadata: nil)
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        let workout = HKWorkoutBuilder(healthStore: door, configuration: configuration, device: nil)
        try await workout.beginCollection(at: SyncPair.start)
        let route = try #require(workout.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
        try await route.insertRouteData(
            (0..<30).map {
                CLLocation(
                    coordinate: CLLocationCoordinate2D(latitude: 48 + Double($0) / 1e5, longitude: 11),
                    altitude: Double($0), horizontalAccuracy: 5, verticalAccuracy: 5,
                    timestamp: SyncPair.start.addingTimeInterval(Double($0)))
            })
        try await workout.endCollection(at: SyncPair.start.addingTimeInterval(60))
        try await workout.finishWorkout()
    }

    @Test("Two stores are equal after a synchronisation, and after compactions of one of them")
    func equal() async throws {
        let pair = try SyncPair()
        try await Self.fill(pair.first)
        try await SyncPair.save([SyncPair.sample(5_000, 1)], in: pair.second)
        try pair.sync()
        let found = try pair.first.compare(with: pair.second)
        #expect(found.isEqual && found.differences.isEmpty, "\(found)")
        #expect(found.samples > 900 + 4 + 40 + 30 && found.objects >= 5, "\(found)")
        try pair.second.compact()
        #expect(try pair.second.compare(with: pair.first).isEqual)
        #expect(try pair.first.compare(with: pair.first).isEqual)
    }

    @Test("An empty store lacks each sample and object of the other store, and the listed differences are limited")
    func missing() async throws {
        let pair = try SyncPair()
        try await Self.fill(pair.first)
        let found = try pair.first.compare(with: pair.second, limit: 7)
        #expect(found.differenceCount == found.samples + found.objects && found.differences.count == 7, "\(found)")
        #expect(found.differences.allSatisfy { $0.presence == .first && $0.name != nil && $0.start != nil })
        let mirrored = try pair.second.compare(with: pair.first, limit: -1)
        #expect(mirrored.differenceCount == found.differenceCount && mirrored.differences.isEmpty)
        #expect(mirrored.samples == found.samples)
    }

    @Test("One missing deletion is one difference, with type, identity and time")
    func deletion() async throws {
        let pair = try SyncPair()
        let samples = (0..<10).map { SyncPair.sample($0, Double($0)) }
        try await SyncPair.save(samples, in: pair.first)
        try pair.sync()
        try await SyncPair.delete([samples[4]], in: pair.first)
        let found = try pair.first.compare(with: pair.second)
        #expect(found.differenceCount == 1 && found.samples == 10, "\(found)")
        let one = try #require(found.differences.first)
        #expect(one.presence == .second && one.type == SyncPair.steps.identifier, "\(one)")
        #expect(one.name == samples[4].uuid.uuidString)
        #expect(one.start == 1_700_000_004_000_000_000)
        #expect(one.details.first == "value: 4.0 count", "\(one)")
    }

    /// Gives a sample to a store as a peer that has it under another identity and time of creation would.
    private static func transfer(
        _ sample: HKSample, as identity: UUID, created: Int64, to store: HealthStore
    ) async throws {
        let pair = try SyncPair()
        try await SyncPair.save([sample], in: pair.first)
        let peer = SyncPeerRow(store: store.identity, name: "peer", at: 0)
        var feed = try pair.first.syncFeed(for: peer, after: "")
        var page = try #require(try pair.first.syncPage(&feed))
        var rows = SampleRows()
        var decoder = ChangeBlockDecoder(store: pair.first.identity)
        let block = try #require(page.blocks.first)
        try decoder.decode(page.bytes, block.range, series: block.series, place: 0, into: &rows)
        let known = SampleIdentity(identity)
        (rows.identityHigh, rows.identityLow) = (.constant(known.high), .constant(known.low))
        rows.created = .constant(created)
        var writer = ByteWriter()
        var encoder = ChangeBlockEncoder(store: pair.first.identity)
        try encoder.encode(rows, series: block.series, place: 0, into: &writer)
        page.bytes = writer.bytes
        page.blocks = [.init(series: block.series, range: 0..<writer.count)]
        var mapping = SyncMapping()
        var sender = try store.meet(pair.first.identity, name: "peer", epoch: 0)
        #expect(try store.apply(page, &mapping, from: &sender).samples == 1)
    }

    private static func rate(
        _ value: Double = 61.5, lasting seconds: Double = 0, note: String = "a", device: String = "D"
    ) -> HKQuantitySample {
        let date = SyncPair.start
        return HKQuantitySample(
            type: SyncPair.rate,
            quantity: HKQuantity(unit: HKUnit.count().unitDivided(by: .minute()), doubleValue: value),
            start: date, end: date.addingTimeInterval(seconds),
            device: HKDevice(
                name: device, manufacturer: nil, model: nil, hardwareVersion: nil, firmwareVersion: nil,
                softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil),
            metadata: note.isEmpty ? nil : ["note": note])
    }

    @Test("The last bit of a value, a metadata entry, a device, an end and a time of creation are differences")
    func properties() async throws {
        let identity = UUID()
        let changes: [(HKQuantitySample, created: Int64, text: String)] = [
            (Self.rate(61.5.nextUp), 7, "value: 61.5 and 61.50000000000001"),
            (Self.rate(note: "b"), 7, "metadata note: "), (Self.rate(note: ""), 7, "metadata note: "),
            (Self.rate(device: "E"), 7, "device: "), (Self.rate(lasting: 1e-6), 7, "end: "),
            (Self.rate(), 8, "time of creation: "),
        ]
        for (sample, created, text) in changes {
            let pair = try SyncPair()
            try await Self.transfer(Self.rate(), as: identity, created: 7, to: pair.first)
            try await Self.transfer(sample, as: identity, created: created, to: pair.second)
            let found = try pair.first.compare(with: pair.second)
            #expect(found.differenceCount == 1 && found.samples == 1, "\(text): \(found)")
            let one = try #require(found.differences.first)
            #expect(one.presence == .both && one.name == identity.uuidString, "\(text): \(one)")
            #expect(one.details.count == 1 && one.details.first?.hasPrefix(text) == true, "\(text): \(one)")
        }
        let pair = try SyncPair()
        for store in [pair.first, pair.second] {
            try await Self.transfer(Self.rate(), as: identity, created: 7, to: store)
        }
        #expect(try pair.first.compare(with: pair.second).isEqual)
    }

    @Test("Samples without identities, more of them at one instant than a window has, in another order")
    func instants() throws {
        let pair = try SyncPair()
        let numbers = (0..<70_000).map { Sample(start: $0 < 30 ? Int64($0) : 1_000, value: Double($0 % 40_000)) }
        for (store, samples) in [(pair.first, numbers), (pair.second, numbers.reversed())] {
            let series = try store.engine.series("plain", kind: .discrete)
            for part in 0..<2 {
                try store.engine.append(to: series.id, Array(samples[(part * 35_000)..<((part + 1) * 35_000)]))
            }
        }
        let found = try pair.first.compare(with: pair.second)
        #expect(found.isEqual && found.samples == 70_000, "\(found)")
        let series = try pair.second.engine.series("plain", kind: .discrete)
        try pair.second.engine.append(to: series.id, [Sample(start: 1_000, value: 3)])
        let more = try pair.first.compare(with: pair.second)
        #expect(more.differenceCount == 1 && more.samples == 70_001, "\(more)")
        #expect(more.differences.first?.presence == .second && more.differences.first?.name == nil, "\(more)")
        #expect(more.differences.first?.type == "plain" && more.differences.first?.start == 1_000)
    }

    @Test("Characteristics and settings of a person are compared")
    func settings() async throws {
        let pair = try SyncPair()
        try await HKHealthStore(pair.first).set(HKBiologicalSex.female)
        try await HKHealthStore(pair.second).setPreferredUnit(.pound(), for: HKQuantityType(.bodyMass))
        let found = try pair.first.compare(with: pair.second)
        #expect(found.differenceCount == 2 && found.settings == 2, "\(found)")
        #expect(Set(found.differences.map(\.type)) == ["characteristic", "setting"])
    }

    @Test("A closed store throws")
    func closed() throws {
        let pair = try SyncPair()
        pair.second.close()
        #expect(throws: HealthStoreError.self) { try pair.first.compare(with: pair.second) }
    }
}

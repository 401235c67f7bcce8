// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import HealthSync
import Kymograph
import KymographHealth
import TestSupport
import Testing

@Suite("S-4 S-55 synchronisation of two stores")
struct SyncTests {
    @Test("Samples, their identities, sources and metadata arrive in both directions, and only once")
    func samples() async throws {
        let pair = try SyncPair()
        try await SyncPair.save(
            (0..<50).map { SyncPair.sample($0, Double($0), metadata: ["note": "n\($0 % 3)"]) }, in: pair.first)
        try await SyncPair.save((100..<120).map { SyncPair.sample($0, Double($0)) }, in: pair.second)
        let report = try pair.sync()
        #expect(report.sent.samples == 50 && report.received.samples == 20, "\(report)")
        try await pair.expectSame()
        #expect(try await SyncPair.lines(pair.first).count == 70)
        let again = try pair.sync()
        #expect(again.sent.isEmpty && again.received.isEmpty, "\(again)")
        #expect(again.sent.bytes < 1_000 && again.received.bytes < 1_000)
    }

    @Test("Each side makes its log durable before it reports its commits to the other side")
    func durable() async throws {
        let pair = try SyncPair()
        try await SyncPair.save([SyncPair.sample(0, 1)], in: pair.first)
        for _ in 0..<2 { try pair.sync() }
        for (store, name) in [(pair.first, "first"), (pair.second, "second")] {
            store.engine.giveWay()
            let mark = pair.directory.file(name) + "/DOUBT"
            try Data().write(to: URL(fileURLWithPath: mark))
            // Nothing is exchanged, so that no commit settles the log.
            #expect(try pair.sync().sent.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: mark))
        }
    }

    @Test("Later samples and deletions travel alone, also back to the store where a sample was saved")
    func later() async throws {
        let pair = try SyncPair()
        let samples = (0..<10).map { SyncPair.sample($0, 1) }
        try await SyncPair.save(samples, in: pair.first)
        try pair.sync()
        try await SyncPair.save([SyncPair.sample(50, 2)], in: pair.second)
        try await SyncPair.delete(Array(samples[3..<5]), in: pair.second)
        let report = try pair.sync()
        #expect(report.received.samples == 1 && report.received.deletions == 2, "\(report)")
        #expect(report.sent.isEmpty)
        try await pair.expectSame()
        #expect(try await SyncPair.lines(pair.first).count == 9)
    }

    @Test("A deleted object does not return, whichever store hears first of it")
    func deletions() async throws {
        let pair = try SyncPair()
        let third = try HealthStore.openOrCreate(at: pair.directory.file("third"), mode: .shared)
        defer { third.close() }
        let sample = SyncPair.sample(0, 1)
        try await SyncPair.save([sample], in: pair.first)
        try pair.sync()
        try await SyncPair.delete([sample], in: pair.first)
        // The third store hears of the deletion before it hears of the sample.
        _ = try HealthStoreSync(pair.first).run(with: third)
        _ = try HealthStoreSync(pair.second).run(with: third)
        #expect(try await SyncPair.lines(third).isEmpty)
        try pair.sync()
        #expect(try await SyncPair.lines(pair.first).isEmpty)
        #expect(try await SyncPair.lines(pair.second).isEmpty)
    }

    @Test("A correlation arrives with its members, and its deletion, too")
    func correlations() async throws {
        let pair = try SyncPair()
        let types: [HKSampleType] = [
            SyncPair.pressure, HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic),
        ]
        let pressure = SyncPair.bloodPressure(0)
        try await SyncPair.save([pressure, SyncPair.bloodPressure(60)], in: pair.first)
        try pair.sync()
        try await pair.expectSame(types)
        #expect(try await SyncPair.lines(pair.second, SyncPair.pressure).count == 2)
        let stored = HKSampleQueryDescriptor(predicates: [.correlation(type: SyncPair.pressure)])
        let there = try await stored.result(for: HKHealthStore(pair.second)).first { $0.uuid == pressure.uuid }
        try await SyncPair.delete([try #require(there)], in: pair.second)
        try pair.sync()
        try await pair.expectSame(types)
        #expect(try await SyncPair.lines(pair.first, SyncPair.pressure).count == 1)
    }

    @Test("Of a sync identifier the higher version stays on both sides, wherever it was saved")
    func versions() async throws {
        let pair = try SyncPair()
        try await SyncPair.save([SyncPair.versioned(0, 1, "a", 1), SyncPair.versioned(10, 5, "b", 9)], in: pair.first)
        try await SyncPair.save([SyncPair.versioned(1, 2, "a", 2), SyncPair.versioned(11, 6, "b", 3)], in: pair.second)
        try pair.sync()
        try await pair.expectSame()
        let lines = try await SyncPair.lines(pair.first)
        #expect(lines.count == 2 && lines.contains { $0.contains("HKMetadataKeySyncVersion=9") }, "\(lines)")
        try await SyncPair.save([SyncPair.versioned(2, 3, "a", 5)], in: pair.first)
        try pair.sync()
        try await pair.expectSame()
        #expect(try await SyncPair.lines(pair.second).count == 2)
    }

    @Test("Of two saves with one version the same one stays on both sides")
    func sameVersion() async throws {
        for _ in 0..<4 {
            let pair = try SyncPair()
            try await SyncPair.save([SyncPair.versioned(0, 1, "a", 1)], in: pair.first)
            try await SyncPair.save([SyncPair.versioned(1, 2, "a", 1)], in: pair.second)
            try pair.sync()
            try pair.sync()
            try await pair.expectSame()
            #expect(try await SyncPair.lines(pair.first).count == 1)
        }
    }

    @Test("One direction only")
    func directions() async throws {
        let pair = try SyncPair()
        try await SyncPair.save([SyncPair.sample(0, 1)], in: pair.first)
        try await SyncPair.save([SyncPair.sample(1, 2)], in: pair.second)
        var options = SyncOptions()
        options.sends = false
        #expect(try pair.sync(options).sent.isEmpty)
        #expect(try await SyncPair.lines(pair.first).count == 2)
        #expect(try await SyncPair.lines(pair.second).count == 1)
        (options.sends, options.receives) = (true, false)
        #expect(try pair.sync(options).sent.samples == 1)
        try await pair.expectSame()
    }

    @Test("Many samples arrive in several pages, and compactions change nothing")
    func many() async throws {
        let pair = try SyncPair()
        for part in 0..<4 {
            try await SyncPair.save(
                (0..<5_000).map { SyncPair.sample(part * 10_000 + $0, Double($0), type: SyncPair.rate) }, in: pair.first
            )
        }
        try pair.sync()
        try await pair.expectSame([SyncPair.rate])
        try pair.first.compact()
        try pair.second.compact()
        let report = try pair.sync()
        #expect(report.sent.isEmpty && report.received.isEmpty, "\(report)")
        try await pair.expectSame([SyncPair.rate])
    }

    @Test("Three stores agree, whatever their order, and nothing goes round")
    func three() async throws {
        let pair = try SyncPair()
        let third = try HealthStore.openOrCreate(at: pair.directory.file("third"), mode: .shared)
        defer { third.close() }
        try await SyncPair.save([SyncPair.sample(0, 1)], in: pair.first)
        try await SyncPair.save([SyncPair.sample(1, 1)], in: pair.second)
        try await SyncPair.save([SyncPair.sample(2, 1)], in: third)
        try pair.sync()
        _ = try HealthStoreSync(pair.second).run(with: third)
        _ = try HealthStoreSync(third).run(with: pair.first)
        try pair.sync()
        try await pair.expectSame()
        #expect(try await SyncPair.lines(third) == SyncPair.lines(pair.first))
        #expect(try await SyncPair.lines(third).count == 3)
        for store in [pair.second, third] {
            let report = try HealthStoreSync(pair.first).run(with: store)
            #expect(report.received.samples == 0 && report.sent.samples == 0, "\(report)")
        }
    }

    @Test("A store is not synchronised with itself or with its copy")
    func itself() async throws {
        let pair = try SyncPair()
        let error = #expect(throws: SyncError.self) { try HealthStoreSync(pair.first).run(with: pair.first) }
        #expect(error?.kind == .refused, "\(error as Any)")
    }

    @Test("Peers are listed by name, and forgotten")
    func peers() async throws {
        let pair = try SyncPair()
        #expect(try pair.first.peers().isEmpty)
        try await SyncPair.save([SyncPair.sample(0, 1)], in: pair.first)
        try pair.sync()
        let peers = try pair.first.peers()
        #expect(peers.map(\.name) == [pair.second.path])
        #expect(try pair.first.removePeer(peers[0].store))
        #expect(try !pair.first.removePeer(peers[0].store))
        // A new acquaintance: everything is sent again, and passed over.
        try pair.sync()
        try await pair.expectSame()
    }
}

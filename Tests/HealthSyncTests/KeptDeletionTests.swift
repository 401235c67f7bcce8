// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import HealthSync
import Kymograph
import KymographHealth
import TestSupport
import Testing

@Suite("S-48 deletions kept for peers")
struct KeptDeletionTests {
    /// Returns two synchronised stores with 20 samples, whose deletions are forgotten after ten days.
    private func pair() async throws -> (pair: HistoryPair, samples: [HKQuantitySample]) {
        let pair = try HistoryPair(keeps: .everything, deletionsKept: .seconds(10 * 86_400))
        let samples = (0..<20).map { pair.sample(Double($0) / 10) }
        try await SyncPair.save(samples, in: pair.watch)
        try pair.sync()
        return (pair, samples)
    }

    /// Deletes samples one by one in the first store, and erases them long after.
    private func delete(_ samples: some Sequence<HKQuantitySample>, _ pair: HistoryPair) async throws {
        for one in samples { try await SyncPair.delete([one], in: pair.watch) }
        pair.clock.advance(days: 100)
        try pair.watch.compact()
    }

    @Test("A deletion is kept until every peer has acknowledged it, or is dropped")
    func acknowledged() async throws {
        let (pair, samples) = try await pair()
        let third = try HealthStore.openOrCreate(at: pair.directory.file("third"), mode: .shared)
        defer { third.close() }
        _ = try HealthStoreSync(pair.watch).run(with: third)
        try await delete(samples[0..<5], pair)
        #expect(try pair.watch.info().deletions == 5)
        try pair.sync()
        try pair.watch.compact()
        #expect(try pair.watch.info().deletions == 5)
        #expect(try await pair.days(pair.archive).count == 15)
        #expect(try HealthStoreSync(pair.watch).run(with: third).sent.deletions == 5)
        try pair.watch.compact()
        // The newest deletion stays, so that no number is used twice.
        #expect(try pair.watch.info().deletions == 1)
        #expect(try await pair.days(third).count == 15)
        try await delete(samples[5..<10], pair)
        try pair.sync()
        #expect(try pair.watch.info().deletions == 5)
        #expect(try pair.watch.removePeer(third.path))
        try pair.watch.compact()
        #expect(try pair.watch.info().deletions == 1)
    }

    @Test("A program that knows only the engine forgets no deletion of a health store")
    func engine() async throws {
        let (pair, samples) = try await pair()
        try await delete(samples[0..<5], pair)
        pair.watch.close()
        let engine = try TimeSeriesStore.open(at: pair.directory.file("watch"), options: pair.options)
        try engine.compact()
        #expect(try engine.info().deletions == 5)
        engine.close()
    }

    @Test("A dropped peer takes part again, and brings back nothing that was deleted here")
    func dropped() async throws {
        let (pair, samples) = try await pair()
        #expect(try pair.watch.removePeer(pair.archive.path))
        try await delete(samples[0..<5], pair)
        #expect(try pair.watch.info().deletions == 1)
        let later = pair.sample(0.01, 99)
        try await SyncPair.save([later], in: pair.archive)
        let report = try pair.sync()
        #expect(report.received.samples == 1, "\(report)")
        #expect(try await pair.days(pair.watch).count == 16)
        for _ in 0..<2 { #expect(try pair.sync().received.isEmpty) }
    }

    @Test("A peer that forgot this store, too, repeats everything; what is older than its drop is passed over")
    func anew() async throws {
        let pair = try HistoryPair(keeps: .everything, deletionsKept: .seconds(10 * 86_400))
        let samples = (0..<20).map { pair.sample(Double($0) / 10) }
        try await SyncPair.save(samples, in: pair.watch)
        var push = SyncOptions()
        push.receives = false
        try pair.sync(push)
        #expect(try pair.watch.removePeer(pair.archive.path) && pair.archive.removePeer(pair.watch.path))
        try await delete(samples[0..<5], pair)
        try await SyncPair.save([pair.sample(0.01, 99)], in: pair.archive)
        let report = try pair.sync()
        #expect(report.received.samples == 1 && report.passedOver == 20, "\(report)")
        #expect(try await pair.days(pair.watch).count == 16)
        // From now on nothing is passed over, whatever its time of creation.
        try await SyncPair.save([pair.sample(300)], in: pair.archive)
        #expect(try pair.sync().received.samples == 1)
        for store in [pair.watch, pair.archive] { #expect(try store.verify().isSound) }
    }
}

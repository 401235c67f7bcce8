// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel
import HealthSync
import Kymograph
import KymographHealth
import TestSupport
import Testing
import UniformTypeIdentifiers

@Suite("S-53 S-54 limited history")
struct HistoryTests {
    @Test("Nothing is pruned before another store has it; then older days are gone here, and stay there")
    func acknowledged() async throws {
        let pair = try HistoryPair()
        try await pair.fill(days: 20)
        #expect(try pair.watch.pruneHistory().begin != nil)
        #expect(try pair.watch.historyBegin() == nil)
        #expect(try await pair.days(pair.watch).count == 20 * 24 + 12)
        let before = try pair.statistics(pair.watch)
        // A peer without any acknowledgement.
        var pull = SyncOptions()
        pull.sends = false
        #expect(try pair.sync(pull).pruned.samples == 0)
        #expect(try await pair.days(pair.watch).count == 20 * 24 + 12)
        let report = try pair.sync()
        #expect(report.pruned.samples == 13 * 24 - 1, "\(report)")
        #expect(try await pair.days(pair.watch).max() == 7)
        #expect(try await pair.days(pair.archive).count == 20 * 24 + 12)
        #expect(try pair.statistics(pair.watch) == before)
        #expect(try pair.statistics(pair.archive) == before)
        let again = try pair.sync()
        #expect(again.sent.isEmpty && again.received.isEmpty && again.pruned.samples == 0, "\(again)")
        for store in [pair.watch, pair.archive] { #expect(try store.verify().isSound) }
        #expect(try pair.watch.engine.info().deletedSamples == 0)
        #expect(try pair.archive.historyBegin() == nil)
    }

    @Test("The earliest permitted date follows, and a save before it fails as a whole, also without the option")
    func saves() async throws {
        let pair = try HistoryPair()
        try await pair.fill(days: 20)
        try pair.sync()
        for round in 0..<2 {
            let health = HKHealthStore(pair.watch)
            let begin = pair.today.addingTimeInterval(-7 * HistoryPair.day)
            #expect(health.earliestPermittedSampleDate() == begin)
            let count = try await pair.days(pair.watch).count
            do {
                try await health.save([pair.sample(1.5), pair.sample(7.5)])
                Issue.record("a sample before the kept history was saved")
            } catch let error as HKError {
                #expect(error.code == .errorInvalidArgument, "\(error)")
            }
            #expect(try await pair.days(pair.watch).count == count)
            // The end decides, not the start.
            try await health.save([pair.sample(7.01 + Double(round) / 1_000, length: 3_600)])
            try pair.reopenWithoutLimit()
        }
        // The beginning stays where it is.
        pair.clock.advance(days: 3)
        try await SyncPair.save([pair.sample(-3)], in: pair.watch)
        #expect(try pair.sync().pruned.samples == 0)
        #expect(try pair.watch.historyBegin() == pair.today.addingTimeInterval(-7 * HistoryPair.day))
        #expect(try pair.watch.pruneHistory(keeping: .days(7)).samples > 0)
        #expect(try pair.watch.historyBegin() == pair.today.addingTimeInterval(-4 * HistoryPair.day))
        #expect(HKHealthStore(pair.archive).earliestPermittedSampleDate() < Date(timeIntervalSince1970: -9e9))
    }

    @Test("A sample across the limit stays, with what the kept days get of it")
    func across() async throws {
        let pair = try HistoryPair()
        let steps = HKQuantityType(.stepCount)
        func walk(_ days: Double, hours: Double) -> HKQuantitySample {
            let start = pair.today.addingTimeInterval(-days * HistoryPair.day)
            return HKQuantitySample(
                type: steps, quantity: HKQuantity(unit: .count(), doubleValue: 1_000), start: start,
                end: start.addingTimeInterval(hours * 3_600))
        }
        try await SyncPair.save(
            [walk(9, hours: 1), walk(7.25, hours: 8), walk(7.1, hours: 1), walk(3, hours: 1), walk(0, hours: 1)],
            in: pair.watch)
        func statistics() throws -> [String] {
            let snapshot = pair.watch.engine.snapshot()
            let begin = Int64(pair.today.timeIntervalSince1970 - 7 * HistoryPair.day) * 1_000_000_000
            return try snapshot.allSeries(named: steps.identifier).map { series in
                "\(try snapshot.aggregate(of: series.id, over: TimeRange(begin, .max), computing: .all))"
            }
        }
        let before = try statistics()
        #expect(try pair.sync().pruned.samples == 1)
        #expect(try await pair.days(pair.watch, steps).count == 4)
        #expect(try statistics() == before)
        pair.clock.advance(days: 1)
        try await SyncPair.save([walk(-1, hours: 1)], in: pair.watch)
        #expect(try pair.sync().pruned.samples == 2)
        #expect(try await pair.days(pair.archive, steps).count == 6)
    }

    @Test("The attachments of a pruned object stay in the other store")
    func attachments() async throws {
        let pair = try HistoryPair()
        let prescription = HKGlassesPrescription(
            rightEyeSpecification: nil, leftEyeSpecification: nil, dateIssued: pair.sample(18).startDate,
            expirationDate: pair.sample(17).startDate, device: nil, metadata: nil)
        try await HKHealthStore(pair.watch).save(prescription)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).pdf")
        try Data([1, 2, 3]).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await HKAttachmentStore(healthStore: HKHealthStore(pair.watch)).addAttachment(
            to: prescription, name: "scan.pdf", contentType: .pdf, url: file)
        try await pair.fill(days: 20)
        for _ in 0..<3 { try pair.sync() }
        #expect(try pair.watch.attachmentCount().count == 0)
        try pair.archive.refresh()
        #expect(try pair.archive.attachmentCount().count == 1)
    }

    @Test("An object is kept until the other store has its attachments and additions")
    func laterChanges() async throws {
        let pair = try HistoryPair()
        let health = HKHealthStore(pair.watch)
        let prescription = HKGlassesPrescription(
            rightEyeSpecification: nil, leftEyeSpecification: nil, dateIssued: pair.sample(6).startDate,
            expirationDate: pair.sample(5).startDate, device: nil, metadata: nil)
        try await health.save(prescription)
        let builder = HKWorkoutBuilder(healthStore: health, configuration: HKWorkoutConfiguration(), device: nil)
        try await builder.beginCollection(at: pair.sample(6).startDate)
        try await builder.endCollection(at: pair.sample(5.9).startDate)
        let workout = try #require(try await builder.finishWorkout())
        try pair.sync()
        // After the acknowledgement of the objects.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).pdf")
        try Data([1, 2, 3]).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await HKAttachmentStore(healthStore: health).addAttachment(
            to: prescription, name: "scan.pdf", contentType: .pdf, url: file)
        try await health.addSamples([pair.sample(5.95, 150, length: 30)], to: workout)
        pair.clock.advance(days: 20)
        try await health.save(pair.sample(-20))
        try pair.watch.pruneHistory()
        #expect(try pair.watch.attachmentCount().count == 1)
        for _ in 0..<2 { try pair.sync() }
        try pair.watch.pruneHistory()
        #expect(try pair.watch.attachmentCount().count == 0)
        try pair.archive.refresh()
        #expect(try pair.archive.attachmentCount().count == 1)
        let there = try await HKSampleQueryDescriptor(predicates: [.workout()]).result(for: HKHealthStore(pair.archive))
        let rates = try #require(there.first).statistics(for: HistoryPair.rate)
        #expect(rates?.maximumQuantity()?.doubleValue(for: HistoryPair.perMinute) == 150)
    }

    @Test("A store with limited history does not count as a holder")
    func limitedPeer() async throws {
        let pair = try HistoryPair()
        try await pair.fill(days: 20)
        let small = try TemporaryDirectory()
        var options = StoreOptions()
        options.keepsHistory = .days(3)
        let other = try HealthStore.openOrCreate(at: small.file("small"), mode: .shared, options: options)
        defer { other.close() }
        let report = try HealthStoreSync(pair.watch).run(with: other)
        #expect(report.pruned.samples == 0)
        #expect(try await pair.days(pair.watch).count == 20 * 24 + 12)
    }

    @Test("Pruned history is no deletion: neither queries nor peers nor the change feed report one")
    func feeds() async throws {
        let pair = try HistoryPair()
        try await pair.fill(days: 20)
        try await pair.saveObjects(10, in: pair.watch)
        try await pair.saveObjects(2, in: pair.watch)
        func feed(
            _ store: HealthStore, _ anchor: HKQueryAnchor?
        ) async throws
            -> HKAnchoredObjectQueryDescriptor<HKSample>.Result
        {
            try await HKAnchoredObjectQueryDescriptor(
                predicates: HistoryPair.objectTypes.map { .sample(type: $0) }, anchor: anchor
            ).result(for: HKHealthStore(store))
        }
        let third = try HealthStore.openOrCreate(at: pair.directory.file("third"), mode: .shared)
        defer { third.close() }
        let begin = try await feed(pair.watch, nil)
        let anchor = pair.watch.engine.currentAnchor()
        let report = try pair.sync()
        #expect(report.pruned.samples > 13 * 24 && report.pruned.objects == 4, "\(report)")
        let news = try await feed(pair.watch, begin.newAnchor)
        #expect(news.deletedObjects.isEmpty && news.addedSamples.isEmpty)
        let changes = try pair.watch.engine.changes(since: anchor) { _ in true }
        #expect(changes.deletions.isEmpty && changes.samples == 0)
        // The third store has everything from the archive.
        _ = try HealthStoreSync(third).run(with: pair.archive)
        for store in [pair.archive, third] {
            let report = try HealthStoreSync(pair.watch).run(with: store)
            #expect(report.sent.deletions == 0 && report.received.deletions == 0, "\(report)")
            for type in HistoryPair.objectTypes where type != HistoryPair.rate {
                #expect(try await pair.days(store, type).count == 2, "\(type)")
                #expect(try await pair.days(pair.watch, type) == [2], "\(type)")
            }
        }
        for store in [pair.watch, pair.archive, third] {
            let report = try store.verify()
            #expect(report.isSound, "\(report)")
        }
        // Only the newest row of the table may stay.
        let rows = try pair.watch.engine.readCatalog { transaction in
            var rows = [SavedObjectRow]()
            try HealthCatalog.eachSavedObject(transaction) { rows.append($0) }
            return rows
        }
        #expect(rows.allSatisfy { $0.died == nil } && rows.count == 4, "\(rows.count)")
        let target = pair.directory.file("repaired")
        pair.watch.close()
        #expect(try HealthStore.repair(from: pair.directory.file("watch"), to: target).isComplete)
    }

    @Test("A peer's samples and objects before the kept history are passed over, and its deletions do no harm")
    func received() async throws {
        let pair = try HistoryPair()
        try await pair.fill(days: 3)
        try await SyncPair.save((0..<200).map { pair.sample(5 + Double($0) / 10, 90) }, in: pair.archive)
        try await pair.saveObjects(30, in: pair.archive)
        let first = try pair.sync()
        #expect(first.received.samples == 21 && first.passedOver > 179, "\(first)")
        #expect(try await pair.days(pair.watch).max() == 7)
        let again = try pair.sync()
        #expect(again.received.isEmpty && again.passedOver == 0)
        let query = HKSampleQueryDescriptor(predicates: [.sample(type: HistoryPair.rate)])
        let old = try await query.result(for: HKHealthStore(pair.archive)).filter {
            $0.startDate < pair.today.addingTimeInterval(-20 * HistoryPair.day)
        }
        try await SyncPair.delete(old, in: pair.archive)
        try pair.sync()
        #expect(try pair.watch.verify().isSound)
        let count = try await pair.days(pair.archive).count
        try pair.sync()
        #expect(try await pair.days(pair.archive).count == count)
    }

    @Test("A clock that is years ahead prunes nothing that the days of the samples do not")
    func clocks() async throws {
        let pair = try HistoryPair()
        try await pair.fill(days: 20)
        pair.clock.advance(days: 3_000)
        #expect(try pair.sync().pruned.samples == 13 * 24 - 1)
        #expect(try pair.watch.historyBegin() == pair.today.addingTimeInterval(-7 * HistoryPair.day))
        pair.clock.advance(days: -6_000)
        #expect(try pair.sync().pruned.samples == 0)
        #expect(try await pair.days(pair.watch).count == 7 * 24 + 13)
        for days in [Int.min, -1, 0, 100_001, Int.max] {
            #expect(throws: HealthStoreError.self) { try pair.watch.pruneHistory(keeping: .days(days)) }
        }
    }

    @Test("Rows of objects and of deletions do not collect in the catalog of a store with limited history")
    func rows() async throws {
        let pair = try HistoryPair()
        var counts = [Int]()
        for day in 0..<24 {
            let now = -Double(day)
            try await pair.saveObjects(now, in: pair.watch)
            let gone = pair.sample(now - 0.2)
            let identifier: [String: Any] = [
                HKMetadataKeySyncIdentifier: "n\(day)", HKMetadataKeySyncVersion: NSNumber(value: 1),
            ]
            let named = HKQuantitySample(
                type: SyncPair.steps, quantity: HKQuantity(unit: .count(), doubleValue: 1), start: gone.startDate,
                end: gone.endDate, device: nil, metadata: identifier)
            try await SyncPair.save([gone, named], in: pair.watch)
            try pair.sync()
            try await SyncPair.delete([gone], in: pair.watch)
            pair.clock.advance(days: 1)
            try pair.sync()
            counts.append(
                try pair.watch.engine.readCatalog { transaction in
                    var count = try HealthCatalog.allSyncDeletions(transaction).count
                    try HealthCatalog.eachSavedObject(transaction) { _ in count += 1 }
                    for peer in try HealthCatalog.peers(transaction) {
                        count += try HealthCatalog.commits(of: peer.id, transaction).count
                    }
                    let identifiers = try (0...day).filter { name in
                        try HealthCatalog.sync(
                            type: SyncPair.steps.identifier, source: 1, identifier: "n\(name)", transaction) != nil
                    }
                    return count + identifiers.count
                })
        }
        #expect(counts.last == counts[12] && counts[12] > 8, "\(counts)")
        #expect(try await pair.days(pair.archive, HKWorkoutType.workoutType()).count == 24)
        for store in [pair.watch, pair.archive] { #expect(try store.verify().isSound) }
    }
}

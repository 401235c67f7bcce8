// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel
import HealthSync
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import KymographHealth

@Suite("S-4 S-55 S-57 S-58 S-78 synchronisation of settings, decisions and attachments")
struct SyncValuesTests {
    private static let coach = "com.example.coach"

    @Test("Characteristics and settings arrive, the later change counts, and a removal is a change")
    func settings() async throws {
        let pair = try SyncPair()
        let (here, there) = (HKHealthStore(pair.first), HKHealthStore(pair.second))
        try await here.set(HKBiologicalSex.female)
        try await here.setPreferredUnit(.mile(), for: HKQuantityType(.distanceWalkingRunning))
        #expect(try pair.sync().changedValues == 0)
        #expect(try there.biologicalSex().biologicalSex == .female)
        try await there.set(HKBiologicalSex.other)
        try await here.set(HKBloodType.aPositive)
        try await here.setPreferredUnit(nil, for: HKQuantityType(.distanceWalkingRunning))
        let report = try pair.sync()
        #expect(report.changedValues == 1 && report.rules[.laterValue] ?? 0 > 0, "\(report)")
        for store in [pair.first, pair.second] {
            try store.refresh()
            let health = HKHealthStore(store)
            #expect(try health.biologicalSex().biologicalSex == .other)
            #expect(try health.bloodType().bloodType == .aPositive)
        }
        let unit = try await there.preferredUnits(for: [HKQuantityType(.distanceWalkingRunning)])
        #expect(unit == (try await here.preferredUnits(for: [HKQuantityType(.distanceWalkingRunning)])))
        let again = try pair.sync()
        #expect(again.sent.bytes < 1_000 && again.received.bytes < 1_000 && again.changedValues == 0, "\(again)")
    }

    @Test("Of changes in both stores the later one counts on both sides, in either direction")
    func conflicts() async throws {
        for isFirstLater in [true, false] {
            let pair = try SyncPair()
            let (early, late) = isFirstLater ? (pair.second, pair.first) : (pair.first, pair.second)
            try await HKHealthStore(early).set(HKBloodType.abNegative)
            try await HKHealthStore(late).set(HKBloodType.oPositive)
            try pair.sync()
            for store in [pair.first, pair.second] {
                try store.refresh()
                #expect(try HKHealthStore(store).bloodType().bloodType == .oPositive)
            }
        }
    }

    private static func decide(_ isAllowed: Bool, in store: HealthStore) throws {
        var change = AuthorizationChange(client: coach, origin: "kymo")
        change.read = [SyncPair.steps: isAllowed]
        try store.decide(change)
    }

    private static func decisions(_ store: HealthStore) throws -> [Bool] {
        try store.refresh()
        return try store.authorizedClients().flatMap { $0.decisions.map(\.isAllowed) }
    }

    @Test("A decision about a program holds in both stores, a refusal arrives with the data after it")
    func decisions() async throws {
        let pair = try SyncPair()
        for store in [pair.first, pair.second] { try store.setAuthorizationMode(.enforced) }
        try Self.decide(true, in: pair.first)
        try pair.sync()
        #expect(try Self.decisions(pair.second) == [true])
        try Self.decide(false, in: pair.second)
        try await SyncPair.save([SyncPair.sample(0, 7)], in: pair.second)
        #expect(try pair.sync().changedValues == 1)
        #expect(try Self.decisions(pair.first) == [false])
        let program = try HealthStore.open(at: pair.first.path, mode: .readOnly)
        defer { program.close() }
        #expect(try program.authorizationMode() == .enforced)
        try pair.first.resetAuthorization(client: Self.coach)
        try pair.sync()
        #expect(try Self.decisions(pair.second).isEmpty)
        // A removal removes no later decision.
        try Self.decide(true, in: pair.second)
        try pair.sync()
        #expect(try Self.decisions(pair.first) == [true])
    }

    @Test("A request is pending in both stores, and an answer in one of them ends it in both")
    func requests() async throws {
        let pair = try SyncPair()
        for store in [pair.first, pair.second] { try store.setAuthorizationMode(.enforced) }
        let program = HKHealthStore(directory: pair.first.path, client: Self.coach, authorization: .later)
        HealthPurpose.set(read: "tests read", share: "tests save", clinical: "tests read records")
        let error = await #expect(throws: HKError.self) {
            try await program.requestAuthorization(toShare: [], read: [SyncPair.steps])
        }
        #expect(error?.code == .errorUserCanceled)
        let asked = AsyncStream<HKHealthStore>.makeStream()
        let sibling = HKHealthStore(directory: pair.second.path, client: Self.coach, authorization: .later)
        let waiting = sibling.whenShouldRequestAuthorization { asked.continuation.yield($0) }
        defer { waiting.cancel() }
        Task {
            _ = await waiting.result
            asked.continuation.finish()
        }
        try pair.first.refresh()
        try pair.sync()
        try pair.second.refresh()
        #expect(try pair.second.authorizedClients().map(\.requests.count) == [1])
        var asks = asked.stream.makeAsyncIterator()
        #expect(await asks.next() === sibling)
        try Self.decide(true, in: pair.second)
        try pair.sync()
        try pair.first.refresh()
        let client = try #require(try pair.first.authorizedClients().first)
        #expect(client.requests.isEmpty && client.decisions.map(\.isAllowed) == [true])
    }

    @Test("Additions to a saved workout arrive, and additions in both stores are merged")
    func additions() async throws {
        let pair = try SyncPair()
        let types: [HKSampleType] = [HKObjectType.workoutType(), SyncPair.rate, SyncPair.steps]
        let (here, there) = (HKHealthStore(pair.first), HKHealthStore(pair.second))
        let builder = HKWorkoutBuilder(healthStore: here, configuration: HKWorkoutConfiguration(), device: nil)
        try await builder.beginCollection(at: SyncPair.start)
        try await builder.endCollection(at: SyncPair.start.addingTimeInterval(600))
        let workout = try #require(try await builder.finishWorkout())
        try pair.sync()
        try await here.addSamples([SyncPair.sample(10, 100, type: SyncPair.rate)], to: workout)
        try pair.sync()
        #expect(try await Self.statistics(there) == [100, 100, 0])
        try await here.addSamples([SyncPair.sample(20, 120, type: SyncPair.rate)], to: workout)
        try await there.addSamples(
            [SyncPair.sample(30, 80, type: SyncPair.rate), SyncPair.sample(40, 7)], to: workout)
        try pair.sync()
        #expect(try await Self.statistics(there) == [80, 120, 7])
        #expect(try await Self.statistics(here) == [80, 120, 7])
        try await pair.expectSame(types)
        let again = try pair.sync()
        #expect(again.sent.isEmpty && again.received.isEmpty, "\(again)")
    }

    @Test("An addition is sent also after an addition of the other store came first")
    func additionAfterMerge() async throws {
        let pair = try SyncPair()
        let (here, there) = (HKHealthStore(pair.first), HKHealthStore(pair.second))
        let builder = HKWorkoutBuilder(healthStore: here, configuration: HKWorkoutConfiguration(), device: nil)
        try await builder.beginCollection(at: SyncPair.start)
        try await builder.endCollection(at: SyncPair.start.addingTimeInterval(600))
        let workout = try #require(try await builder.finishWorkout())
        try pair.sync()
        try await here.addSamples([SyncPair.sample(20, 120, type: SyncPair.rate)], to: workout)
        try await there.addSamples([SyncPair.sample(30, 80, type: SyncPair.rate)], to: workout)
        var pull = SyncOptions()
        pull.sends = false
        try pair.sync(pull)
        #expect(try await Self.statistics(here) == [80, 120, 0])
        try pair.sync()
        #expect(try await Self.statistics(there) == [80, 120, 0])
    }

    @Test("Of two decisions of one time the refusal counts, and texts with NUL are refused")
    func ties() async throws {
        let pair = try SyncPair()
        var peer = try pair.first.meet(pair.second.identity, name: "peer", epoch: 0)
        var mapping = SyncMapping()
        func take(_ isAllowed: Bool, client: String = Self.coach) throws {
            var page = SyncPage()
            page.values.decisions = [
                AuthorizationRow(
                    client: client, direction: .read, type: SyncPair.steps.identifier, isAllowed: isAllowed,
                    decided: 1_000, origin: "kymo")
            ]
            page.position = SyncPosition().text
            _ = try pair.first.apply(page, &mapping, from: &peer)
        }
        for (isAllowed, wanted) in [(true, true), (false, false), (true, false)] {
            try take(isAllowed)
            #expect(try Self.decisions(pair.first) == [wanted])
        }
        #expect(throws: HealthStoreError.self) { try take(true, client: "a\u{0}b") }
    }

    /// The least and the greatest heart rate, and the steps of the only workout.
    private static func statistics(_ health: HKHealthStore) async throws -> [Double] {
        let workouts = try await HKSampleQueryDescriptor(predicates: [.workout()]).result(for: health)
        let workout = try #require(workouts.first)
        let rates = workout.statistics(for: SyncPair.rate)
        let steps = workout.statistics(for: SyncPair.steps)?.sumQuantity()
        let extremes = [rates?.minimumQuantity(), rates?.maximumQuantity()].map {
            ($0?.doubleValue(for: .count().unitDivided(by: .minute())) ?? 0).rounded()
        }
        return extremes + [steps?.doubleValue(for: .count()) ?? 0]
    }

    @Test("A deletion counts against a save of the same version, and not against a higher or a later one")
    func deletedVersions() async throws {
        for (version, isLater, left) in [(1, false, 0), (2, false, 1), (1, true, 1)] {
            let pair = try SyncPair()
            let sample = SyncPair.versioned(0, 1, "a", 1)
            try await SyncPair.save([sample], in: pair.second)
            if isLater { try pair.sync() }
            let own = SyncPair.versioned(0, 2, "a", version)
            if !isLater { try await SyncPair.save([own], in: pair.first) }
            try await SyncPair.delete([sample], in: pair.second)
            if isLater {
                try pair.sync()
                try await SyncPair.save([own], in: pair.first)
            }
            try pair.sync()
            try pair.sync()
            try await pair.expectSame()
            #expect(try await SyncPair.lines(pair.first).count == left, "\(version), \(isLater)")
        }
    }

    @Test("Attachments arrive with their bytes, and their removal, too")
    func attachments() async throws {
        let pair = try SyncPair()
        let prescription = HKGlassesPrescription(
            rightEyeSpecification: nil, leftEyeSpecification: nil, dateIssued: SyncPair.start, expirationDate: nil,
            device: nil, metadata: nil)
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
        let file = URL(fileURLWithPath: pair.directory.file("scan.pdf"))
        try bytes.write(to: file)
        try await SyncPair.save([prescription], in: pair.first)
        try pair.sync()
        let (here, there) = (
            HKAttachmentStore(healthStore: HKHealthStore(pair.first)),
            HKAttachmentStore(healthStore: HKHealthStore(pair.second))
        )
        let added = try await here.addAttachment(to: prescription, name: "scan.pdf", contentType: .pdf, url: file)
        let report = try pair.sync()
        #expect(report.sent.attachments == 1, "\(report)")
        try pair.second.refresh()
        let arrived = try #require(try await there.attachments(for: prescription).first)
        #expect(arrived == added && arrived.name == "scan.pdf" && arrived.creationDate == added.creationDate)
        #expect(try await there.dataReader(for: arrived).data == bytes)
        #expect(try pair.sync().sent.isEmpty)
        try await there.removeAttachment(arrived, from: prescription)
        try pair.sync()
        try pair.first.refresh()
        #expect(try await here.attachments(for: prescription).isEmpty)
        #expect(try pair.first.verify().isSound)
    }

    @Test("An attachment follows its object to a newer version, in both stores")
    func replaced() async throws {
        let pair = try SyncPair()
        func prescription(_ version: Int) -> HKGlassesPrescription {
            HKGlassesPrescription(
                rightEyeSpecification: nil, leftEyeSpecification: nil, dateIssued: SyncPair.start,
                expirationDate: nil, device: nil,
                metadata: [HKMetadataKeySyncIdentifier: "glasses", HKMetadataKeySyncVersion: version])
        }
        let file = URL(fileURLWithPath: pair.directory.file("scan.pdf"))
        try Data([1, 2, 3]).write(to: file)
        let first = prescription(1)
        try await SyncPair.save([first], in: pair.first)
        let here = HKAttachmentStore(healthStore: HKHealthStore(pair.first))
        _ = try await here.addAttachment(to: first, name: "scan.pdf", contentType: .pdf, url: file)
        try pair.sync()
        let second = prescription(2)
        try await SyncPair.save([second], in: pair.first)
        for _ in 0..<2 { try pair.sync() }
        for store in [pair.first, pair.second] {
            try store.refresh()
            let attachments = HKAttachmentStore(healthStore: HKHealthStore(store))
            let found = try await attachments.attachments(for: second)
            #expect(found.map(\.name) == ["scan.pdf"])
            #expect(try store.verify().isSound)
        }
        #expect(try pair.first.compare(with: pair.second).isEqual)
    }

    @Test("Settings that belong to one store are refused")
    func foreignSettings() throws {
        let pair = try SyncPair()
        var page = SyncPage()
        page.values.values = [
            PersonValueRow(
                kind: .setting, key: HealthCatalog.authorizationKey, value: "open 0", at: 1, store: pair.second.identity
            )
        ]
        page.position = SyncPosition().text
        var peer = try pair.first.meet(pair.second.identity, name: "peer", epoch: 0)
        var mapping = SyncMapping()
        #expect(throws: HealthStoreError.self) { try pair.first.apply(page, &mapping, from: &peer) }
        #expect(try pair.first.authorizationMode() == .open)
    }

    @Test("A part by types and time, then everything")
    func parts() async throws {
        let pair = try SyncPair()
        try await SyncPair.save(
            (0..<10).map { SyncPair.sample($0, 1) } + (0..<5).map { SyncPair.sample($0, 60, type: SyncPair.rate) }
                + [SyncPair.bloodPressure(3)], in: pair.first)
        try await HKHealthStore(pair.first).set(HKBloodType.oPositive)
        var options = SyncOptions()
        options.types = [SyncPair.steps, SyncPair.pressure]
        options.from = SyncPair.start.addingTimeInterval(3)
        let part = try pair.sync(options)
        #expect(part.sent.samples == 9 && part.sent.objects == 1, "\(part)")
        #expect(try await SyncPair.lines(pair.second, SyncPair.rate).isEmpty)
        #expect(try HKHealthStore(pair.second).bloodType().bloodType == .notSet)
        #expect(try pair.sync(options).sent.isEmpty)
        var all = SyncOptions()
        all.explains = true
        let report = try pair.sync(all)
        #expect(report.rules[.known] == 10 && report.conflicts.count { $0.rule == .known } == 10, "\(report.rules)")
        try await pair.expectSame([SyncPair.steps, SyncPair.rate, SyncPair.pressure])
        #expect(try HKHealthStore(pair.second).bloodType().bloodType == .oPositive)
        #expect(try pair.sync().sent.isEmpty)
    }
}

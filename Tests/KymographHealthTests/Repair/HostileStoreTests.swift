// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

let hostileTexts = ["", "\0", "\u{9B}\u{202E}\n", "nobody", String(repeating: "x", count: 100_000)]
let hostileDates = [
    Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: .nan),
    Date(timeIntervalSinceReferenceDate: .infinity), Date(timeIntervalSinceReferenceDate: -.infinity),
    Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude),
]
private let times: [Int64] = [.min, -1, 0, 1, .max]
private let metre = HKUnit.meter()

private func kind(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "done"
    } catch let error as HealthStoreError {
        return "\(error.kind)"
    } catch {
        return "\(error)"
    }
}

@Suite("S-40 hostile arguments of every public function of the health store that opens, stores or answers")
struct HostileStoreTests {
    private let door: TestDoor

    init() async throws {
        door = try TestDoor()
        try await door.health.save([mass(70), mass(71, at: 60)])
    }

    private var store: HealthStore { get throws { try door.health.store() } }

    @Test("opening, verifying and repairing a path without a store is an error; relative default paths are ignored")
    func places() async throws {
        let missing = door.directory.file("missing/deep")
        #expect(kind { _ = try HealthStore.open(at: missing) } == "engine(Kymograph.StoreError.Kind.notAStore)")
        #expect(
            kind { _ = try HealthStore.openOrCreate(at: missing) } == "engine(Kymograph.StoreError.Kind.inputOutput)")
        #expect(kind { _ = try HealthStore.verify(at: missing) } == "engine(Kymograph.StoreError.Kind.notAStore)")
        #expect(
            kind { _ = try HealthStore.repair(from: missing, to: door.directory.file("new")) }
                == "engine(Kymograph.StoreError.Kind.notAStore)")
        let new = door.directory.file("new")
        let key = KeyOnce(try StoreSecret.random())
        #expect(
            kind { try HealthStore.encrypt(from: missing, to: new, key: key) }
                == "engine(Kymograph.StoreError.Kind.notAStore)")
        #expect(
            kind { try HealthStore.encrypt(from: store.path, to: store.path, key: key) } == "invalidArgument")
        #expect(
            kind { try HealthStore.encrypt(at: missing, keepingFormerAt: new, key: key) }
                == "engine(Kymograph.StoreError.Kind.notAStore)")
        #expect(
            kind { try HealthStore.encrypt(at: store.path, keepingFormerAt: door.directory.path, key: key) }
                == "engine(Kymograph.StoreError.Kind.alreadyExists)")
        #expect(
            kind { try HealthStore.rotateKeys(at: missing, keepingFormerAt: new) }
                == "engine(Kymograph.StoreError.Kind.notEncrypted)")
        #expect(
            kind { try HealthStore.decrypt(from: missing, to: new) }
                == "engine(Kymograph.StoreError.Kind.notEncrypted)")
        #expect(
            kind { _ = try HealthStore.verifyWithoutKey(at: missing) }
                == "engine(Kymograph.StoreError.Kind.notAStore)")
        for path in ["", missing, "/dev/null/x"] {
            let health = HKHealthStore(directory: path)
            #expect(await code { try await health.save([mass(1)]) } != nil, "\(path)")
            health.close()
        }
        let plain = HKHealthStore(directory: door.directory.file("keyed"), key: key)
        try await plain.save([mass(1)])
        let other = HKHealthStore(directory: door.directory.file("keyed"), key: KeyOnce(try StoreSecret.random()))
        #expect(await code { try await other.save([mass(2)]) } != nil)
        #expect(await code { try await plain.save([mass(3)]) } == nil)
        plain.close()
        #expect(await code { try await other.save([mass(2)]) } != nil)
        other.close()
        let unencrypted = HKHealthStore(directory: try store.path, key: key)
        #expect(await code { try await unencrypted.save([mass(2)]) } != nil)
        for text in hostileTexts {
            #expect(HealthStore.defaultPath(["KYMO_STORE": text]) == (text.isEmpty ? nil : text))
            #expect(HealthStore.defaultPath(["XDG_DATA_HOME": text]) == nil)
        }
        #expect(HealthStore.defaultPath([:]) == nil)
    }

    @Test(
        "requests accept any range and limit, and refuse units of another dimension")
    func requests() throws {
        let store = try store
        let type = HealthTypes.type(for: .bodyMass)
        for start in times {
            for end in times {
                let range = TimeRange(start, end)
                let within = range.contains(1_735_689_600 * second) ? 2 : 0
                #expect(try store.samples(SampleRequest(type, range: range)).count == within)
                #expect(try store.statistics(StatisticsRequest(type, range: range)).rows.count <= 1)
                #expect(try store.downsampled(SampleRequest(type, range: range), to: 3).samples.count <= 3)
                #expect(try store.envelope(SampleRequest(type, range: range), points: 3).slices.count <= 3)
                try store.objects(.workout, range: range) { _ in true }
            }
        }
        for limit in [Int.min, -1, 0, 1, .max] {
            #expect(try store.samples(SampleRequest(type, limit: limit)).count == max(0, min(limit, 2)), "\(limit)")
        }
        for text in hostileTexts {
            let unknown = HealthTypes.type(for: text)
            #expect(try store.samples(SampleRequest(unknown)).isEmpty)
            #expect(try store.samples(SampleRequest(type, sources: [text])).isEmpty)
            #expect(
                try store.statistics(StatisticsRequest(type, sources: [text], priority: [text])).rows.allSatisfy {
                    $0.count == 0
                })
            _ = try store.delete(unknown)
            _ = try store.delete(type, sources: [text])
        }
        #expect(kind { _ = try store.samples(SampleRequest(type, unit: metre)) } == "incompatibleUnit")
        #expect(kind { _ = try store.statistics(StatisticsRequest(type, unit: metre)) } == "incompatibleUnit")
        #expect(kind { _ = try store.statistics(StatisticsRequest(type, unit: .stored("?"))) } == "incompatibleUnit")
    }

    @Test("requests refuse invalid quantiles, buckets, point counts, commits and anchors; a closed store is an error")
    func settings() throws {
        let store = try store
        let type = HealthTypes.type(for: .bodyMass)
        for quantile in [Double.nan, -1, 2, .infinity] {
            #expect(
                kind { _ = try store.statistics(StatisticsRequest(type, quantiles: [quantile])) }.contains(
                    "invalidArgument"))
        }
        for buckets: Buckets in [
            .fixed(nanoseconds: 0), .fixed(nanoseconds: .min), .fixed(nanoseconds: 1), .edges([1, 0]),
            .calendar(.days(1), zone: "Mars"), .calendar(.years(.max), zone: "UTC"),
            .calendar(.days(.min), zone: "UTC"),
        ] {
            let found = kind { _ = try store.statistics(StatisticsRequest(type, buckets: buckets)) }
            #expect(found.contains("invalidArgument"), "\(buckets)")
        }
        for points in [Int.min, -1, 0, .max] {
            #expect(kind { _ = try store.downsampled(SampleRequest(type), to: points) }.contains("invalidArgument"))
            #expect(kind { _ = try store.envelope(SampleRequest(type), points: points) }.contains("invalidArgument"))
        }
        for commit in [Int64.min, -1, .max] {
            for found in [
                kind { _ = try store.samples(SampleRequest(type, asOf: commit)) },
                kind { _ = try store.types(asOf: commit) },
                kind { _ = try store.sources(asOf: commit) },
                kind { _ = try store.statistics(StatisticsRequest(type, asOf: commit)) },
            ] {
                #expect(found.contains("invalidArgument"), "\(commit)")
            }
        }
        for id in times { #expect(try store.documentBytes(id) == nil) }
        let foreign = try TestHealthStore().store.engine.currentAnchor()
        #expect(
            kind { _ = try store.changes(SampleRequest(type), since: foreign, onDeletions: { _ in }, { _ in true }) }
                .contains("invalidArgument"))
        for limit in [Int.min, 0, 1] {
            var count = 0
            let page = try store.changes(SampleRequest(type, limit: limit), since: nil, onDeletions: { _ in }) {
                found in
                count += found.count
                return true
            }
            #expect(count == 1 && !page.isComplete, "a limit below 1 counts as 1")
        }
        _ = try store.compact { _ in false }
        #expect(try store.samples(SampleRequest(type)).count == 2)
        #expect(ImportedElementKind(element: "\u{9B}") == .other && ImportedElementKind(element: "Workout") == .workout)
        #expect(HealthMetadata()["\0"] == nil)
        store.close()
        #expect(kind { _ = try store.delete(type) }.contains("closed"))
    }

    @Test("saving and deleting invalid or unknown objects fails in every form of the call, and nothing changes")
    func saving() async throws {
        let health = door.health
        let body = HKQuantityType(.bodyMass)
        func sample(_ quantity: HKQuantity, _ start: Date = clock, _ end: Date = clock) -> HKQuantitySample {
            HKQuantitySample(type: body, quantity: quantity, start: start, end: end)
        }
        let good = HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 70)
        var wrong = [
            sample(HKQuantity(unit: metre, doubleValue: 1)), sample(HKQuantity(unit: .gram(), doubleValue: .nan)),
            sample(HKQuantity(unit: .gram(), doubleValue: .infinity)), sample(good, clock, clock - 1),
        ]
        wrong += hostileDates.map { sample(good, $0, $0) }
        for one in wrong {
            #expect(await code { try await health.save(one) } == .errorInvalidArgument)
            #expect(await code { try await health.save([mass(1, at: 9), one]) } == .errorInvalidArgument)
            let answers = Answers<Bool>()
            health.save(one) { isDone, error in answers.put(isDone || error == nil) }
            health.save([one]) { isDone, error in answers.put(isDone || error == nil) }
            #expect(await answers.first(2) == [false, false])
        }
        #expect(await code { try await health.save([HKObject]()) } == .errorInvalidArgument)
        #expect(await code { try await health.delete(mass(5)) } != nil)
        #expect(await code { try await health.delete([mass(5)]) } != nil)
        let answers = Answers<Bool>()
        health.delete(mass(5)) { isDone, _ in answers.put(isDone) }
        health.delete([mass(5)]) { isDone, _ in answers.put(isDone) }
        #expect(await answers.first(2) == [false, false])
        let none = NSPredicate(value: false)
        #expect(try await health.deleteObjects(of: body, predicate: none) == 0)
        #expect(
            await code { _ = try await health.deleteObjects(of: HKQuantityType(.init(rawValue: "")), predicate: none) }
                == nil)
        let odd = await code {
            _ = try await health.deleteObjects(of: HKCharacteristicType(.bloodType), predicate: none)
        }
        #expect([nil, .errorInvalidArgument].contains(odd))
        let counts = Answers<Int>()
        health.deleteObjects(of: body, predicate: none) { _, count, _ in counts.put(count) }
        #expect(await counts.first(1) == [0])
        #expect(try door.all(body).count == 2)
    }

    @Test("settings of the person refuse invalid values: characteristics, goals, units, source order and deliveries")
    func person() async throws {
        let health = door.health
        var odd = DateComponents()
        (odd.year, odd.month, odd.day) = (.max, .min, .max)
        for birth in [odd, DateComponents(), DateComponents(year: 2024, month: 2, day: 30)] {
            #expect(await code { try await health.set(dateOfBirth: birth) } == .errorInvalidArgument, "\(birth)")
        }
        try await health.set(dateOfBirth: nil)
        for sex in [HKBiologicalSex.notSet, .other] { try await health.set(sex) }
        try await health.set(HKBloodType.notSet)
        try await health.set(HKFitzpatrickSkinType.notSet)
        try await health.set(HKWheelchairUse.notSet)
        try await health.set(HKActivityMoveMode.activeEnergy)
        for quantity in [
            HKQuantity(unit: metre, doubleValue: 1), HKQuantity(unit: .kilocalorie(), doubleValue: .nan),
            HKQuantity(unit: .kilocalorie(), doubleValue: -1),
        ] {
            #expect(
                await code { try await health.setActivityGoals(HealthActivityGoals(activeEnergyBurned: quantity)) }
                    == .errorInvalidArgument)
        }
        let body = HKQuantityType(.bodyMass)
        #expect(await code { try await health.setPreferredUnit(metre, for: body) } == .errorInvalidArgument)
        #expect(await code { try await health.setPreferredUnit(.stored("?"), for: body) } == .errorInvalidArgument)
        try await health.setPreferredUnit(nil, for: HKQuantityType(.init(rawValue: "")))
        #expect(try await health.preferredUnits(for: []).isEmpty)
        let units = Answers<Int>()
        health.preferredUnits(for: [HKQuantityType(.init(rawValue: "\0"))]) { found, _ in units.put(found.count) }
        #expect(await units.first(1).count == 1)
        #expect(try await health.preferredSources(for: HKQuantityType(.init(rawValue: "\0"))).isEmpty)
        let offset = await code { try await health.setHomeTimeZone(TimeZone(secondsFromGMT: 61)) }
        #expect([nil, .errorInvalidArgument].contains(offset))
        try await health.setHomeTimeZone(nil)
        let source = HKSource(name: "", bundleIdentifier: "")
        #expect(
            [nil, .errorInvalidArgument].contains(
                await code { try await health.setPreferredSources([source, source], for: HKQuantityType(.stepCount)) }))
        let deliveries = Answers<Bool>()
        #expect(
            [nil, .errorInvalidArgument].contains(
                await code {
                    try await health.enableBackgroundDelivery(for: HKCharacteristicType(.bloodType), frequency: .hourly)
                }))
        health.enableBackgroundDelivery(for: HKCharacteristicType(.bloodType), frequency: .hourly) { _, _ in
            deliveries.put(true)
        }
        #expect(await code { try await health.disableBackgroundDelivery(for: body) } == nil)
        health.disableBackgroundDelivery(for: body) { _, _ in deliveries.put(true) }
        health.disableAllBackgroundDelivery { _, _ in deliveries.put(true) }
        #expect(await deliveries.first(3).count == 3)
        let block = NSPredicate { _, _ in true }
        #expect(
            [nil, .errorInvalidArgument].contains(
                await code { _ = try await HKActivitySummaryQueryDescriptor(predicate: block).result(for: health) }))
        #expect(
            [nil, .errorInvalidArgument].contains(
                await code {
                    for try await _ in HKActivitySummaryQueryDescriptor(predicate: block).results(for: health) { break }
                }))
        let summaries = Answers<Bool>()
        health.execute(
            HKActivitySummaryQuery(predicate: NSPredicate(value: false)) { _, found, _ in
                summaries.put(found?.isEmpty ?? true)
            })
        #expect(await summaries.first(1) == [true])
    }

    @Test("a simulated wearer with invalid rates makes valid samples, and none for an invalid date")
    func wearer() {
        for value in [Double.nan, .infinity, -.infinity, -1, 1e300] {
            let wearer = SimulatedWearer(
                seed: .max, restingHeartRate: value, maximumHeartRate: value, dailySteps: value,
                heartRateInterval: value)
            for date in hostileDates where StoredTime.nanoseconds(date) == nil {
                #expect(wearer.samples(of: date).isEmpty)
            }
            #expect(throws: Never.self) { try HealthSaveRules.check(wearer.samples(of: clock)) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

/// The health store of one program, in a temporary directory.
final class TestDoor: Sendable {
    let directory: TemporaryDirectory
    let health: HKHealthStore

    init(_ options: StoreOptions = StoreOptions()) throws {
        directory = try TemporaryDirectory()
        health = HKHealthStore(path: directory.file("store"), options: options)
    }

    /// Returns the same store as another program sees it.
    func other(_ bundle: String) -> HKHealthStore {
        let source = HKSource(name: bundle, bundleIdentifier: bundle)
        return HKHealthStore(
            path: directory.file("store"),
            as: HKSourceRevision(
                source: source, version: "2.1", productType: "Test1,1",
                operatingSystemVersion: OperatingSystemVersion(majorVersion: 9, minorVersion: 1, patchVersion: 0)))
    }

    /// Returns all samples of a type, sorted by start.
    func all(
        _ type: HKSampleType, _ predicate: SamplePredicate = .always(true), _ explanation: QueryExplanation? = nil
    ) throws -> [HKSample] {
        var found = [HKSample]()
        try health.store().search(SampleSearch(type: type, predicate: predicate), explain: explanation) {
            found += $0.samples
            return true
        }
        return found
    }

    deinit { health.close() }
}

/// Returns the code of the error that a call throws, or nil.
func code(_ body: () async throws -> Void) async -> HKError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? HKError)?.code
    }
}

let clock = Date(timeIntervalSinceReferenceDate: 757_382_400)

func mass(_ kilos: Double, at seconds: Double = 0, _ metadata: [String: Any]? = nil) -> HKQuantitySample {
    let date = clock.addingTimeInterval(seconds)
    return HKQuantitySample(
        type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: kilos),
        start: date, end: date, metadata: metadata)
}

@Suite("S-29 S-32 S-36 S-39 S-40 S-179 objects are saved all or none, and read back unchanged")
struct SaveTests {
    @Test("every property of quantity and category samples reads back, also after reopening", arguments: 1...6)
    func roundTrip(seed: UInt64) async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: seed)
        let devices = [
            nil, HKDevice.local(),
            HKDevice(
                name: "A, model:B", manufacturer: "", model: nil, hardwareVersion: "1", firmwareVersion: nil,
                softwareVersion: "x:y", localIdentifier: "", udiDeviceIdentifier: "u"),
        ]
        let units: [HKUnit] = [.gram(), .gramUnit(with: .kilo), .pound()]
        var saved = [HKSample]()
        for number in 0..<200 {
            let start = clock.addingTimeInterval(Double(dice.below(1_000_000)) / 997)
            let end = dice.chance(0.5) ? start : start.addingTimeInterval(Double(dice.below(9_000)) / 7)
            let metadata: [String: Any]? =
                dice.chance(0.5)
                ? nil
                : [
                    HKMetadataKeyWasUserEntered: dice.chance(0.5), "text": "ü\u{1F600}\(dice.below(3))", "i": number,
                    "d": 0.1 * Double(dice.below(9)), "date": start,
                    HKMetadataKeyAudioExposureLevel: HKQuantity(
                        unit: .decibelAWeightedSoundPressureLevel(), doubleValue: 61.5),
                    "data": Data([1, 2, UInt8(dice.below(255))]),
                ]
            if dice.chance(0.5) {
                saved.append(
                    HKQuantitySample(
                        type: HKQuantityType(.bodyMass),
                        quantity: HKQuantity(unit: dice.pick(units), doubleValue: Double(dice.below(99)) / 3),
                        start: start, end: end, device: dice.pick(devices), metadata: metadata))
            } else {
                saved.append(
                    HKCategorySample(
                        type: HKCategoryType(.sleepAnalysis), value: dice.below(6), start: start, end: end,
                        device: dice.pick(devices), metadata: metadata))
            }
        }
        try await door.health.save(Array(saved.prefix(150)))
        for one in saved.dropFirst(150) { try await door.health.save(one) }
        for _ in 0..<2 {
            for type in [HKQuantityType(.bodyMass), HKCategoryType(.sleepAnalysis)] as [HKSampleType] {
                let wanted = saved.filter { $0.sampleType == type }
                let found = try door.all(type)
                #expect(found.count == wanted.count)
                let byUUID = Dictionary(uniqueKeysWithValues: found.map { ($0.uuid, $0) })
                for one in wanted { try check(one, #require(byUUID[one.uuid])) }
                #expect(zip(found, found.dropFirst()).allSatisfy { $0.startDate <= $1.startDate })
            }
            #expect(try door.health.store().verify().isSound)
            door.health.close()
        }
    }

    @Test("texts of a gigabyte are refused, and nothing is stored")
    func longTexts() async throws {
        let door = try TestDoor()
        let long = String(repeating: "x", count: 1 << 30)
        let saved = await code { try await door.health.save(mass(70, ["note": long])) }
        #expect(saved == .errorInvalidArgument)
        let name = String(repeating: "x", count: HealthSaveRules.maximumTextBytes)
        let other = await code { try await door.other(name).save(mass(70)) }
        #expect(other == .errorInvalidArgument)
        let unit = await code {
            let type = HKQuantityType(
                HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifier" + name + name + name + name))
            try await door.health.setPreferredUnit(.count(), for: type)
        }
        #expect(unit == .errorInvalidArgument)
        #expect(try door.health.store().engine.snapshot().sequence == 0)
    }

    @Test("a save or a load from within a load is refused, since it would deadlock")
    func insideLoad() throws {
        let door = try TestDoor()
        let store = try door.health.store()
        _ = try store.load { _ in
            for call in [
                { _ = try store.load { _ in } },
                { try store.save([mass(70)], as: HKSourceRevision.thisProgram) },
            ] as [() throws -> Void] {
                let error = #expect(throws: (any Error).self) { try call() }
                let isRefused =
                    (error as? HealthStoreError)?.kind == .invalidArgument
                    || (error as? HKError)?.code == .errorInvalidArgument
                #expect(isRefused, "\(String(describing: error))")
            }
        }
        try store.save([mass(70)], as: HKSourceRevision.thisProgram)
        #expect(try door.all(HKQuantityType(.bodyMass)).count == 1)
    }

    private func check(_ one: HKSample, _ other: HKSample) {
        #expect(one.startDate == other.startDate && one.endDate == other.endDate && one.sampleType == other.sampleType)
        #expect(one.device == other.device && one.sourceRevision == other.sourceRevision)
        #expect(one.header.metadata ?? [:] == other.header.metadata ?? [:])
        if let one = one as? HKQuantitySample {
            #expect((other as? HKQuantitySample)?.quantity == one.quantity)
            #expect(other is HKDiscreteQuantitySample)
        } else {
            #expect((other as? HKCategorySample)?.value == (one as? HKCategorySample)?.value)
        }
    }

    @Test("an open end reads back as an open end")
    func openEnd() async throws {
        let door = try TestDoor()
        let type = HKCategoryType(.pregnancy)
        try await door.health.save(HKCategorySample(type: type, value: 0, start: clock, end: .distantFuture))
        #expect(try door.all(type).map(\.hasUndeterminedDuration) == [true])
    }

    @Test("if one object is invalid or already stored, nothing is saved")
    func allOrNone() async throws {
        let door = try TestDoor()
        let old = mass(70)
        try await door.health.save(old)
        let wrong = HKQuantitySample(
            type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .meter(), doubleValue: 1), start: clock,
            end: clock)
        let new = mass(71)
        #expect(await code { try await door.health.save([mass(1), wrong]) } == .errorInvalidArgument)
        #expect(await code { try await door.health.save([mass(1), old]) } == .errorInvalidArgument)
        #expect(await code { try await door.health.save([new, mass(1), new]) } == .errorInvalidArgument)
        #expect(try door.all(HKQuantityType(.bodyMass)).map(\.uuid) == [old.uuid])
        #expect(await code { try await door.health.save([]) } == .errorInvalidArgument)
        let twice = await #expect(throws: HKError.self) { try await door.health.save([old]) }
        #expect(twice?.reason == "an object with this identity is saved already")
        try await door.health.save(new)
        #expect(try door.all(HKQuantityType(.bodyMass)).count == 2)
        #expect(try door.health.store().verify().isSound)
    }

    @Test("the error of a save of many objects names the first invalid object")
    func manyWrong() async throws {
        let door = try TestDoor()
        var objects = (0..<40_000).map { mass(70, at: Double($0)) }
        for place in [39_999, 20_123, 31_000] { objects[place] = mass(.infinity) }
        do {
            try await door.health.save(objects)
            Issue.record("the invalid objects were saved")
        } catch {
            let place = (error as? HKError)?.place ?? ""
            #expect(place.contains(objects[20_123].uuid.uuidString))
        }
        #expect(try door.all(HKQuantityType(.bodyMass)).isEmpty)
    }

    @Test("the store records the saving program, and completion handlers receive the result")
    func stamps() async throws {
        let door = try TestDoor()
        let other = door.other("com.example.scale")
        let said: [String] = await withCheckedContinuation { waiting in
            other.save(mass(70)) { isSaved, error in
                other.save([mass(.nan)]) { isAlsoSaved, nextError in
                    waiting.resume(
                        returning: [
                            "\(isSaved) \(error == nil)",
                            "\(isAlsoSaved) \((nextError as? HKError)?.code == .errorInvalidArgument)",
                        ])
                }
            }
        }
        #expect(said == ["true true", "false true"])
        try await door.health.save(mass(71, at: 1))
        let found = try door.all(HKQuantityType(.bodyMass))
        #expect(found.map(\.sourceRevision) == [other.revision, door.health.revision])
        #expect(found.map(\.source.bundleIdentifier) == ["com.example.scale", HKSource.default().bundleIdentifier])
    }

    @Test("saves of many tasks are all stored, and an invalid one fails alone")
    func together() async throws {
        let door = try TestDoor()
        let health = door.health
        let failed = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var failed = 0
                    for number in 0..<20 {
                        let kilos = number % 5 == 4 ? Double.infinity : Double(task)
                        let one = mass(kilos, at: Double(number), ["task": task])
                        if await code({ try await health.save(one) }) != nil { failed += 1 }
                    }
                    return failed
                }
            }
            return await group.reduce(0, +)
        }
        #expect(failed == 8 * 4)
        let found = try door.all(HKQuantityType(.bodyMass))
        #expect(found.count == 8 * 16)
        for task in 0..<8 {
            let mine = found.filter { $0.metadata?["task"] as? Int == task }
            #expect(mine.count == 16)
        }
        #expect(try health.store().verify().isSound)
    }

    @Test("a type whose first save failed is found after a later save, also after another new type")
    func lateSeries() async throws {
        let door = try TestDoor()
        func sample(
            _ type: HKQuantityTypeIdentifier, _ unit: HKUnit, _ value: Double, _ version: Int? = nil
        ) -> HKQuantitySample {
            HKQuantitySample(
                type: HKQuantityType(type), quantity: HKQuantity(unit: unit, doubleValue: value), start: clock,
                end: clock,
                metadata: version.map { [HKMetadataKeySyncIdentifier: "h", HKMetadataKeySyncVersion: $0] })
        }
        let known = mass(70)
        try await door.health.save(known)
        let height = sample(.height, .meter(), 1.8, 1)
        #expect(await code { try await door.health.save([height, known]) } == .errorInvalidArgument)
        try await door.health.save(sample(.waistCircumference, .meter(), 0.9))
        #expect(try door.all(HKQuantityType(.waistCircumference)).count == 1)
        try await door.health.save(height)
        #expect(try door.all(HKQuantityType(.height)).count == 1)
        try await door.health.save(sample(.height, .meter(), 1.81, 2))
        #expect(try door.all(HKQuantityType(.height)).count == 1)
        #expect(try door.health.store().verify().isSound)
    }

    @Test("concurrent loads and saves keep their new sources, devices and metadata apart")
    func besideLoads() async throws {
        let door = try TestDoor()
        let store = try door.health.store()
        let health = door.health
        let failures = await withTaskGroup(of: Int.self) { group in
            for task in 0..<3 {
                group.addTask {
                    var failed = 0
                    for number in 0..<15 {
                        let one = mass(Double(task + 1), at: Double(number), ["task": task, "number": number])
                        if await code({ try await health.save(one) }) != nil { failed += 1 }
                    }
                    return failed
                }
            }
            group.addTask {
                var failed = 0
                for number in 0..<15 {
                    let samples = (0..<20).map { place in
                        TestSample(
                            source: "App \(number)", version: "\(place)", device: "d\(number)",
                            start: newYear + Int64(place) * second,
                            end: newYear + Int64(place) * second, note: "n\(number).\(place % 3)")
                    }
                    if (try? store.load(samples)) == nil { failed += 1 }
                }
                return failed
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 0)
        let saved = try door.all(HKQuantityType(.bodyMass))
        #expect(saved.count == 45)
        for task in 0..<3 {
            let mine = saved.filter { $0.metadata?["task"] as? Int == task }
            #expect(Set(mine.compactMap { $0.metadata?["number"] as? Int }).count == 15)
            #expect(mine.allSatisfy { ($0 as? HKQuantitySample)?.quantity.value == Double(task + 1) })
        }
        let loaded = try door.all(HKQuantityType(.stepCount))
        #expect(loaded.count == 300 && Set(loaded.map(\.source.name)).count == 15)
        #expect(loaded.allSatisfy { $0.device?.name == "d" + $0.source.name.dropFirst(4) })
        #expect(try store.verify().isSound)
    }

    @Test("metadata values that look equal or measure the same read back exactly")
    func lookalikes() async throws {
        let door = try TestDoor()
        let values: [Any] = [
            HKQuantity(unit: .meterUnit(with: .kilo), doubleValue: 1), HKQuantity(unit: .meter(), doubleValue: 1_000),
            0.0, -0.0, "e\u{301}", "\u{e9}", 1, 1.0, true,
        ]
        let samples = values.enumerated().map { mass(70, at: Double($0.offset), ["d": $0.element]) }
        try await door.health.save(samples)
        let found = try door.all(HKQuantityType(.bodyMass))
        for (one, other) in zip(samples, found) {
            var (writer, again) = (MetadataWriter(), MetadataWriter())
            writer.write(try #require(one.header.metadata))
            again.write(try #require(other.header.metadata))
            #expect(writer.bytes == again.bytes)
        }
        #expect(await code { try await door.health.save(mass(1, ["d": Date(timeIntervalSince1970: 1e300)])) } != nil)
    }

    @Test("metadata reads back, however many sets the store has")
    func manySets() async throws {
        let door = try TestDoor()
        let common = ["common": true]
        var samples = [mass(1, at: 0, common)]
        samples += (1...21_000).map { mass(2, at: Double($0), ["number": $0]) }
        samples += (21_001...21_500).map { mass(1, at: Double($0), common) }
        try await door.health.save(samples)
        #expect(try door.all(HKQuantityType(.bodyMass), .hasMetadata("common")).count == 501)
        #expect(try door.all(HKQuantityType(.bodyMass), .hasMetadata("number")).count == 21_000)
    }

    @Test("a program with a new name is still the same program")
    func renamed() async throws {
        let door = try TestDoor()
        func program(_ name: String) -> HKHealthStore {
            HKHealthStore(
                path: door.directory.file("store"),
                as: HKSourceRevision(
                    source: HKSource(name: name, bundleIdentifier: "com.example.app"), version: nil, productType: nil,
                    operatingSystemVersion: OperatingSystemVersion()))
        }
        let sync: [String: Any] = [HKMetadataKeySyncIdentifier: "a", HKMetadataKeySyncVersion: 1]
        let next: [String: Any] = [HKMetadataKeySyncIdentifier: "a", HKMetadataKeySyncVersion: 2]
        let old = [mass(1), mass(2, at: 1), mass(3, at: 2)]
        try await program("Old").save(old + [mass(4, at: 3, sync)])
        try await program("New").save(mass(5, at: 4, next))
        let type = HKQuantityType(.bodyMass)
        #expect(try door.all(type).count == 4)
        try await program("New").delete(try door.all(type)[0])
        let all = HKQuery.predicateForSamples(withStart: nil, end: clock.addingTimeInterval(2))
        #expect(try await program("New").deleteObjects(of: type, predicate: all) == 1)
        #expect(try door.all(type).count == 2)
    }

    @Test("a correlation is saved with its members, which are samples in their own right")
    func correlation() async throws {
        let door = try TestDoor()
        func pressure(_ identifier: HKQuantityTypeIdentifier, _ value: Double) -> HKQuantitySample {
            HKQuantitySample(
                type: HKQuantityType(identifier),
                quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value), start: clock, end: clock)
        }
        let members: Set<HKSample> = [
            pressure(.bloodPressureSystolic, 120), pressure(.bloodPressureDiastolic, 80),
        ]
        let whole = HKCorrelation(
            type: HKCorrelationType(.bloodPressure), start: clock, end: clock, objects: members,
            metadata: ["arm": "left"])
        try await door.health.save(whole)
        #expect(try door.all(HKQuantityType(.bloodPressureSystolic)).count == 1)
        #expect(try door.all(HKQuantityType(.bloodPressureDiastolic)).count == 1)
        #expect(await code { try await door.health.save(whole) } == .errorInvalidArgument)
        try await door.health.delete(whole)
        #expect(try door.all(HKQuantityType(.bloodPressureSystolic)).count == 1)
        let again = (0..<3).map { number in
            HKCorrelation(
                type: HKCorrelationType(.bloodPressure), start: clock, end: clock,
                objects: [pressure(.bloodPressureSystolic, 120), pressure(.bloodPressureDiastolic, 80)],
                metadata: ["arm": number == 0 ? "left" : "right"])
        }
        try await door.health.save(again)
        let right = HKQuery.predicateForObjects(withMetadataKey: "arm", allowedValues: ["right"])
        let type = HKCorrelationType(.bloodPressure)
        #expect(try await door.other("com.example.scale").deleteObjects(of: type, predicate: right) == 0)
        // Three of the four systolic samples are in a correlation; the correlation of the fourth is deleted.
        let systolic = HKQuantityType(.bloodPressureSystolic)
        #expect(try door.all(systolic, .withoutCorrelation).count == 1)
        #expect(try door.all(systolic, .not(.withoutCorrelation)).count == 3)
        let single = HKQuery.predicateForObjectsWithNoCorrelation()
        #expect(try await door.health.deleteObjects(of: systolic, predicate: single) == 1)
        #expect(try await door.health.deleteObjects(of: type, predicate: right) == 2)
        #expect(try await door.health.deleteObjects(of: type, predicate: right) == 0)
        #expect(await code { try await door.health.delete(again[1]) } == .errorInvalidArgument)
        try await door.health.delete(again[0])
        #expect(try door.all(HKQuantityType(.bloodPressureSystolic)).count == 3)
        #expect(await code { try await door.health.delete(whole) } == .errorInvalidArgument)
        #expect(try door.health.store().verify().isSound)
    }
}

@Suite("S-32 stored form of dates and devices")
struct StoredFormTests {
    @Test("a date of a clock reads back exactly, a finer one to the nearest nanosecond")
    func dates() {
        var dice = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let grid = (Double(dice.below(2_000_000_000)) - 900_000_000 + Double(dice.below(1 << 23)) * 0x1p-23)
            let date = Date(timeIntervalSinceReferenceDate: grid)
            // The years 1970 to 2110, except those around 2001, where dates are finer than a nanosecond.
            if abs(grid) < 0x1p23 { continue }
            #expect(StoredTime.nanoseconds(date).map { StoredTime.date($0) } == date)
        }
        #expect(StoredTime.nanoseconds(Date(timeIntervalSince1970: -1.25)) == -1_250_000_000)
        #expect(StoredTime.nanoseconds(.distantFuture) == nil && StoredTime.end(.distantFuture) == StoredTime.openEnd)
        #expect(StoredTime.nanoseconds(Date(timeIntervalSinceReferenceDate: .nan)) == nil)
        #expect(StoredTime.nanoseconds(Date(timeIntervalSinceReferenceDate: 1e300)) == nil)
    }

    @Test("a device reads back from its text, whatever its properties contain")
    func devices() {
        var dice = SeededGenerator(seed: 4)
        let pieces = ["a", ", ", "name:", "model:", ":", ">", "<", "é", "=", "1", "\u{1}", "software:", ""]
        for _ in 0..<3_000 {
            func text() -> String? {
                dice.chance(0.3) ? nil : (0..<dice.below(5)).map { _ in dice.pick(pieces) }.joined()
            }
            let device = HKDevice(
                name: text(), manufacturer: text(), model: text(), hardwareVersion: text(), firmwareVersion: text(),
                softwareVersion: text(), localIdentifier: text(), udiDeviceIdentifier: text())
            let stored = DeviceDescription(device).text
            #expect(HKDevice(description: stored) == device, "\(stored)")
        }
        #expect(HKDevice(description: "Polar H10").name == "Polar H10")
    }
}

@Suite("S-40 the range of dates that a store can hold")
struct SavedDateTests {
    @Test(
        "dates from the first to the last storable one read back, all others are refused",
        arguments: [
            (-9_200_000_000, true), (-9_100_000_000, true), (9_199_999_999, true), (-9_200_000_001, false),
            (9_200_000_001, false),
        ] as [(Double, Bool)])
    func limits(seconds: Double, isInside: Bool) async throws {
        let door = try TestDoor()
        let date = Date(timeIntervalSince1970: seconds)
        let sample = HKQuantitySample(
            type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .gram(), doubleValue: 1), start: date, end: date
        )
        let refusal = await code { try await door.health.save(sample) }
        #expect(refusal == (isInside ? nil : .errorInvalidArgument))
        #expect(try door.all(HKQuantityType(.bodyMass)).map(\.startDate) == (isInside ? [date] : []))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-39 S-40 S-45 S-128 electrocardiograms with their voltages")
struct ElectrocardiogramTests {
    private let type = HKObjectType.electrocardiogramType()
    private let microvolts = HKUnit.voltUnit(with: .micro)
    private let perMinute = HKUnit.count().unitDivided(by: .minute())

    private func builder(
        _ door: TestDoor, at seconds: Double = 0, _ frequency: HKQuantity = HKQuantity(unit: .hertz(), doubleValue: 512)
    ) -> HealthElectrocardiogramBuilder {
        HealthElectrocardiogramBuilder(
            healthStore: door.health, device: .local(), start: clock.addingTimeInterval(seconds),
            samplingFrequency: frequency)
    }

    private func made(
        _ door: TestDoor, at seconds: Double = 0, _ classification: HKElectrocardiogram.Classification = .sinusRhythm
    ) async throws -> HKElectrocardiogram {
        let builder = builder(door, at: seconds)
        try builder.append(voltages: [1, 2, 3], unit: microvolts)
        return try await builder.finish(classification: classification)
    }

    private func voltages(_ door: TestDoor, of one: HKElectrocardiogram) async throws -> [Double] {
        var found: [Double] = []
        for try await measurement in HKElectrocardiogramQueryDescriptor(one).results(for: door.health) {
            found.append(measurement.quantity(for: .appleWatchSimilarToLeadI)?.doubleValue(for: microvolts) ?? .nan)
        }
        return found
    }

    @Test("an electrocardiogram reads back to the last bit, also after reopening and a repair")
    func roundTrip() async throws {
        let door = try TestDoor()
        let values = wristVoltages(15_360)
        let builder = builder(door)
        for piece in [0..<5_000, 5_000..<15_360] {
            try builder.append(voltages: Array(values[piece]), unit: microvolts)
        }
        let made = try await builder.finish(
            classification: .atrialFibrillation, symptomsStatus: .present,
            averageHeartRate: HKQuantity(unit: perMinute, doubleValue: 61), metadata: ["a": 2])
        for _ in 0..<2 {
            let found = try await HKSampleQueryDescriptor(predicates: [.electrocardiogram()]).result(for: door.health)
            let one = try #require(found.first)
            #expect(found.count == 1 && one.uuid == made.uuid && one.sampleType == type)
            #expect(one.numberOfVoltageMeasurements == 15_360 && one.classification == .atrialFibrillation)
            #expect(one.symptomsStatus == .present && one.averageHeartRate?.doubleValue(for: perMinute) == 61)
            #expect(one.samplingFrequency == HKQuantity(unit: .hertz(), doubleValue: 512))
            #expect(one.startDate == clock && one.endDate == clock.addingTimeInterval(30))
            #expect(one.metadata?["a"] as? Int == 2 && one.device == .local())
            #expect(one.sourceRevision == door.health.revision)
            #expect(try await voltages(door, of: one).map(\.bitPattern) == values.map(\.bitPattern))
            #expect(try door.health.store().verify().isSound)
            door.health.close()
        }
        let target = door.directory.file("repaired")
        #expect(try HealthStore.repair(from: door.directory.file("store"), to: target).isComplete)
        let store = try HealthStore.open(at: target)
        defer { store.close() }
        let kept = try store.voltages(of: made)
        #expect((0..<kept.count).map { kept[$0].quantity(for: .appleWatchSimilarToLeadI)?.value } == values)
    }

    @Test("a query returns each voltage with its time and then the end, or an error")
    func query() async throws {
        let door = try TestDoor()
        let one = try await made(door)
        let answers = Answers<String>()
        let received: HKElectrocardiogramQuery.Handler = { _, result in
            switch result {
            case .measurement(let measurement):
                let value = measurement.quantity(for: .appleWatchSimilarToLeadI)
                answers.put("\(measurement.timeSinceSampleStart * 512) \(value?.description ?? "nothing")")
            case .done: answers.put("done")
            case .error(let error): answers.put("\((error as? HKError)?.code.rawValue ?? -1)")
            }
        }
        let query = HKElectrocardiogramQuery(one, dataHandler: received)
        #expect(query.objectType == type)
        door.health.execute(query)
        #expect(await answers.first(4) == ["0.0 1 mcV", "1.0 2 mcV", "2.0 3 mcV", "done"])
        try await door.health.delete(one)
        door.health.execute(HKElectrocardiogramQuery(one, dataHandler: received))
        #expect(await answers.first(5).last == "3")
        #expect(await code { _ = try await self.voltages(door, of: one) } == .errorInvalidArgument)
    }

    @Test("voltages are converted to the unit of the first call, which is volts by default")
    func units() async throws {
        let door = try TestDoor()
        let builder = builder(door, HKQuantity(unit: .hertzUnit(with: .kilo), doubleValue: 0.25))
        try builder.append(voltages: [0.5])
        try builder.append(voltages: [250], unit: .voltUnit(with: .milli))
        try builder.append(voltages: [])
        let one = try await builder.finish()
        #expect(one.samplingFrequency?.doubleValue(for: .hertz()) == 250)
        #expect(one.endDate == clock.addingTimeInterval(2.0 / 250) && one.averageHeartRate == nil)
        #expect(one.classification == .notSet && one.symptomsStatus == .notSet)
        let found = try door.health.store().voltages(of: one)
        #expect(
            (0..<2).map { found[$0].quantity(for: .appleWatchSimilarToLeadI)?.doubleValue(for: .volt()) } == [
                0.5, 0.25,
            ])
    }

    @Test("invalid arguments are refused, and the builder stays usable")
    func refused() async throws {
        let door = try TestDoor()
        let builder = builder(door)
        #expect(await code { _ = try await builder.finish() } == .errorNoData)
        for wrong in [Double.nan, .infinity] {
            #expect(await code { try builder.append(voltages: [1, wrong]) } == .errorInvalidArgument)
        }
        #expect(await code { try builder.append(voltages: [1], unit: .gram()) } == .errorInvalidArgument)
        let many = [Double](repeating: 0, count: HealthElectrocardiogramBuilder.maximumCount + 1)
        #expect(await code { try builder.append(voltages: many) } == .errorDataSizeExceeded)
        try builder.append(voltages: [1, 2])
        let grams = HKQuantity(unit: .gram(), doubleValue: 1)
        #expect(await code { _ = try await builder.finish(averageHeartRate: grams) } == .errorInvalidArgument)
        #expect(await code { _ = try await builder.finish(metadata: ["a": [1]]) } == .errorInvalidArgument)
        let one = try await builder.finish()
        #expect(one.numberOfVoltageMeasurements == 2)
        #expect(await code { try builder.append(voltages: [1]) } == .errorInvalidArgument)
        #expect(await code { _ = try await builder.finish() } == .errorInvalidArgument)
        for frequency in [0, -1, Double.nan, .infinity, 1e7] {
            let other = self.builder(door, HKQuantity(unit: .hertz(), doubleValue: frequency))
            try other.append(voltages: [1])
            #expect(await code { _ = try await other.finish() } == .errorInvalidArgument, "\(frequency)")
        }
        let late = self.builder(door, at: 1e12)
        try late.append(voltages: [1])
        #expect(await code { _ = try await late.finish() } == .errorInvalidArgument)
        late.discard()
        #expect(await code { try late.append(voltages: [1]) } == .errorInvalidArgument)
        // An electrocardiogram from a query has no voltages to save.
        #expect(await code { try await door.health.save(one) } == .errorInvalidArgument)
    }

    @Test("a voltage that is infinite in the lead's unit is refused, and none of the call is added")
    func tooMuch() async throws {
        let door = try TestDoor()
        let builder = builder(door)
        let nanovolts = HKUnit.voltUnit(with: .nano)
        try builder.append(voltages: [1, 2], unit: nanovolts)
        #expect(await code { try builder.append(voltages: [3, 1e305]) } == .errorInvalidArgument)
        #expect(await code { try builder.append(voltages: [-1e305]) } == .errorInvalidArgument)
        try builder.append(voltages: [0.5])
        let one = try await builder.finish()
        #expect(one.numberOfVoltageMeasurements == 3)
        let found = try door.health.store().voltages(of: one)
        let values = (0..<3).map { found[$0].quantity(for: .appleWatchSimilarToLeadI) }
        #expect(values == [1, 2, 500_000_000].map { HKQuantity(unit: nanovolts, doubleValue: $0) })
        // As the first voltages of a lead the same values are valid.
        let other = self.builder(door, at: 60)
        #expect(await code { try other.append(voltages: [.nan], unit: nanovolts) } == .errorInvalidArgument)
        try other.append(voltages: [1e305, -1e305])
        #expect(try await other.finish().numberOfVoltageMeasurements == 2)
    }

    @Test("the sequence of voltages ends when its task is cancelled")
    func cancelled() async throws {
        let door = try TestDoor()
        let one = try await made(door)
        #expect(await isEndedByCancelling { HKElectrocardiogramQueryDescriptor(one).results(for: door.health) })
    }

    @Test("a builder that is discarded during finish stays closed, also if the save fails")
    func discardMeanwhile() async throws {
        for isFailing in [true, false] {
            let door = try TestDoor()
            let builder = builder(door)
            try builder.append(voltages: [0])
            let outcome = try await door.discardWhileFinishing(isFailing: isFailing) {
                await code { _ = try await builder.finish() }
            } isTaking: {
                (try? builder.append(voltages: [1])) != nil
            } discard: {
                builder.discard()
            }
            #expect(outcome == (isFailing ? .errorDatabaseInaccessible : nil))
            #expect(await code { try builder.append(voltages: [1]) } == .errorInvalidArgument)
            #expect(await code { _ = try await builder.finish() } == .errorInvalidArgument)
            door.health.close()
            #expect(try door.all(type).count == (isFailing ? 0 : 1))
        }
    }

    @Test("predicates, anchored queries and deletions include electrocardiograms")
    func queries() async throws {
        let door = try TestDoor()
        let first = try await made(door)
        let second = try await made(door, at: 60, .inconclusiveOther)
        let predicate = HKQuery.predicateForElectrocardiograms(classification: .inconclusiveOther)
        let descriptor = HKSampleQueryDescriptor(predicates: [.electrocardiogram(predicate)])
        #expect(try await descriptor.result(for: door.health).map(\.uuid) == [second.uuid])
        let feed = HKAnchoredObjectQueryDescriptor(predicates: [.electrocardiogram()], anchor: nil)
        let page = try await feed.result(for: door.health)
        #expect(page.addedSamples.map(\.uuid) == [first.uuid, second.uuid])
        #expect(await code { try await door.other("com.example.x").delete(first) } == .errorAuthorizationDenied)
        #expect(try await door.health.deleteObjects(of: self.type, predicate: predicate) == 1)
        let next = try await HKAnchoredObjectQueryDescriptor(
            predicates: [.electrocardiogram()], anchor: page.newAnchor
        ).result(for: door.health)
        #expect(next.addedSamples.isEmpty && next.deletedObjects.map(\.uuid) == [second.uuid])
        #expect(try door.all(type).map(\.uuid) == [first.uuid])
    }

    @Test("an electrocardiogram is imported once, however often it is loaded, beside those of programs")
    func loaded() async throws {
        let door = try TestDoor()
        let own = try await made(door, at: -1_000)
        var one = LoadedElectrocardiogram(
            start: nanoseconds(clock), frequency: 512.844, classification: .sinusRhythm, symptoms: .notSet,
            unit: microvolts, voltages: [-265.868, 3.092, -0.0], version: "1.90", hardware: "Watch6,2")
        for round in 0..<3 {
            let isChanged = try door.health.store().load { loader in
                let (isNew, isNewAgain) = (try loader.add(one), try loader.add(one))
                #expect(isNew == (round == 0) && !isNewAgain)
            }
            #expect(isChanged == (round == 0))
        }
        one.voltages[0] = -265.869
        _ = try door.health.store().load { _ = try $0.add(one) }
        let found = try door.all(type).compactMap { $0 as? HKElectrocardiogram }
        #expect(found.count == 3 && found[0].uuid == own.uuid)
        #expect(found[1].sourceRevision.source.name == "ECG" && found[1].sourceRevision.version == "1.90")
        #expect(found[1].device?.hardwareVersion == "Watch6,2")
        #expect(found[1].samplingFrequency?.value == 512.844)
        let firsts = try await [voltages(door, of: found[1])[0], voltages(door, of: found[2])[0]]
        #expect(Set(firsts) == [-265.868, -265.869])
        #expect(try door.health.store().verify().isSound)
        // Imported samples belong to no program.
        let everything = NSPredicate(value: true)
        #expect(try await door.other("ECG").deleteObjects(of: type, predicate: everything) == 0)
    }
}

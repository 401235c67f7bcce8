// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-159 S-160 S-40 prescriptions, audiograms, states of mind and questionnaires in a store")
struct FieldSamplesTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)

    private static func quantity(_ value: Double, _ unit: String) -> HKQuantity {
        HKQuantity(unit: HKUnit(from: unit), doubleValue: value)
    }

    /// Returns one sample of each class, with all properties set.
    static func all(_ metadata: [String: Any] = ["note": "n"]) throws -> [HKSample] {
        let glasses = HKGlassesLensSpecification(
            sphere: quantity(-1.25, "D"), cylinder: quantity(-0.5, "D"), axis: quantity(1.25, "rad"),
            addPower: quantity(2, "D"), vertexDistance: quantity(1.2, "cm"),
            prism: HKVisionPrism(amount: quantity(2, "pD"), angle: quantity(35, "deg"), eye: .right),
            farPupillaryDistance: quantity(32, "mm"), nearPupillaryDistance: quantity(30.5, "mm"))
        let other = HKGlassesLensSpecification(
            sphere: quantity(0, "D"),
            prism: HKVisionPrism(
                verticalAmount: quantity(1, "pD"), verticalBase: .down, horizontalAmount: quantity(0.5, "pD"),
                horizontalBase: .out, eye: .left))
        let contacts = HKContactsLensSpecification(
            sphere: quantity(-3, "D"), baseCurve: quantity(8.6, "mm"), diameter: quantity(14.2, "mm"))
        let range = try HKAudiogramSensitivityPointClampingRange(lowerBound: -10, upperBound: 85)
        let points = [
            try HKAudiogramSensitivityPoint(
                frequency: quantity(500, "Hz"), leftEarSensitivity: quantity(10, "dBHL"), rightEarSensitivity: nil),
            try HKAudiogramSensitivityPoint(
                frequency: quantity(1, "kHz"),
                tests: [
                    HKAudiogramSensitivityTest(
                        sensitivity: quantity(12.5, "dBHL"), type: .air, masked: true, side: .right,
                        clampingRange: range)
                ]),
        ]
        return [
            HKVisionPrescription(
                type: .contacts, dateIssued: date, expirationDate: nil, device: nil, metadata: metadata),
            HKGlassesPrescription(
                rightEyeSpecification: glasses, leftEyeSpecification: other, dateIssued: date, expirationDate: nil,
                device: .local(), metadata: metadata),
            HKContactsPrescription(
                rightEyeSpecification: nil, leftEyeSpecification: contacts, brand: "Brand \"A\"", dateIssued: date,
                expirationDate: date.addingTimeInterval(86_400.5), device: nil, metadata: metadata),
            HKAudiogramSample(
                sensitivityPoints: points, start: date, end: date.addingTimeInterval(600), device: .local(),
                metadata: metadata),
            HKStateOfMind(
                date: date, kind: .dailyMood, valence: -0.25, labels: [.sad, .hopeful], associations: [.health, .work],
                metadata: metadata),
            HKGAD7Assessment(
                date: date,
                answers: [
                    .notAtAll, .severalDays, .nearlyEveryDay, .notAtAll, .notAtAll, .notAtAll,
                    .moreThanHalfTheDays,
                ], metadata: metadata),
            HKPHQ9Assessment(
                date: date,
                answers: [HKPHQ9Assessment.Answer](repeating: .severalDays, count: 8) + [.preferNotToAnswer],
                metadata: metadata),
        ]
    }

    @Test("each class is saved, and queried as the same subclass with equal content, also after a restart")
    func roundTrip() async throws {
        let door = try TestDoor()
        let saved = try Self.all()
        try await door.health.save(saved)
        door.health.close()
        let again = HKHealthStore(path: door.directory.file("store"))
        defer { again.close() }
        for sample in saved {
            let found = try await HKSampleQueryDescriptor(
                predicates: [.sample(type: sample.sampleType, predicate: HKQuery.predicateForObject(with: sample.uuid))]
            ).result(for: again)
            let one = try #require(found.first)
            #expect(found.count == 1 && type(of: one) == type(of: sample))
            #expect(one.fields == sample.fields && one.startDate == sample.startDate && one.endDate == sample.endDate)
            #expect(one.device == sample.device && one.metadata?["note"] as? String == "n")
        }
        let glasses = try await HKSampleQueryDescriptor(
            predicates: [.visionPrescription()], sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)],
            limit: 10
        ).result(for: again)
        #expect(glasses.count == 3 && glasses.contains { $0 is HKContactsPrescription })
        let prism = glasses.compactMap { ($0 as? HKGlassesPrescription)?.leftEye?.prism }.first
        #expect(prism?.verticalBase == .down && prism?.horizontalBase == .out)
        #expect(try await HKSampleQueryDescriptor(predicates: [.audiogram()]).result(for: again).count == 1)
        #expect(try await HKSampleQueryDescriptor(predicates: [.gad7Assessment()]).result(for: again).first?.score == 6)
        #expect(try await HKSampleQueryDescriptor(predicates: [.phq9Assessment()]).result(for: again).first?.score == 8)
        let sad = HKQuery.predicateForStatesOfMind(with: HKStateOfMind.Label.sad)
        let states = HKSampleQueryDescriptor(predicates: [.stateOfMind(sad)])
        #expect(try await states.result(for: again).first?.associations == [.health, .work])
        #expect(try again.store().verify().isSound)
    }

    @Test("anchored queries report additions and deletions; a second save of an object is refused")
    func changes() async throws {
        let door = try TestDoor()
        let saved = try Self.all()
        let parts = Set(saved.map(\.sampleType)).map { HKSamplePredicate<HKSample>.sample(type: $0) }
        let empty = try await HKAnchoredObjectQueryDescriptor(predicates: parts, anchor: nil).result(for: door.health)
        try await door.health.save(saved)
        #expect(await code { try await door.health.save(saved[1]) } == .errorInvalidArgument)
        let fresh = try Self.all()
        #expect(await code { try await door.health.save([fresh[0], fresh[0]]) } == .errorInvalidArgument)
        let added = try await HKAnchoredObjectQueryDescriptor(predicates: parts, anchor: empty.newAnchor)
            .result(for: door.health)
        #expect(Set(added.addedSamples) == Set(saved))
        try await door.health.delete(saved[0])
        let count = try await door.health.deleteObjects(
            of: HKObjectType.stateOfMindType(), predicate: NSPredicate(value: true))
        #expect(count == 1)
        let gone = try await HKAnchoredObjectQueryDescriptor(predicates: parts, anchor: added.newAnchor)
            .result(for: door.health)
        #expect(Set(gone.deletedObjects.map(\.uuid)) == [saved[0].uuid, saved[4].uuid])
        try door.health.store().compact()
        #expect(try await HKSampleQueryDescriptor(predicates: parts).result(for: door.health).count == saved.count - 2)
        #expect(try door.health.store().verify().isSound)
    }

    @Test("an object with a sync identifier replaces its earlier version")
    func synced() async throws {
        let door = try TestDoor()
        for version in 1...2 {
            try await door.health.save(
                try Self.all([HKMetadataKeySyncIdentifier: "a", HKMetadataKeySyncVersion: version])[4])
        }
        let found = try await HKSampleQueryDescriptor(predicates: [.stateOfMind()]).result(for: door.health)
        #expect(found.count == 1 && found.first?.metadata?[HKMetadataKeySyncVersion] as? Int == 2)
    }

    @Test("a file with one property wrong is refused, and nothing of the save is stored")
    func refused() async throws {
        let door = try TestDoor()
        let wrong = HKStateOfMind(date: Self.date, kind: .dailyMood, valence: 2, labels: [], associations: [])
        let all = try Self.all() + [wrong]
        #expect(await code { try await door.health.save(all) } == .errorInvalidArgument)
        #expect(try await HKSampleQueryDescriptor(predicates: [.audiogram()]).result(for: door.health).isEmpty)
        let record = HKClinicalRecord(
            header: wrong.header, type: HKClinicalType(.conditionRecord), date: Self.date,
            content: .init(displayName: "", resourceType: "", identifier: "", fhirVersion: ""))
        #expect(await code { try await door.health.save(record) } == .errorInvalidArgument)
    }

    @Test("each truncation and each changed byte of a body is an error or a record, and unknown versions are named")
    func damage() throws {
        for sample in try Self.all() {
            let fields = try #require(sample.fields)
            let record = FieldsRecord(fields, element: .init(object: 7, digest: -9))
            #expect(try FieldsRecord(record.body) == record)
            let plain = try ObjectExpander.decode(record.body)
            for length in 0..<plain.count {
                #expect(throws: HealthStoreError.self) {
                    try FieldsRecord(ObjectCompressor.plain(Array(plain[..<length])))
                }
            }
            for place in plain.indices {
                for value in [0, plain[place] ^ 0xFF, plain[place] &+ 1] {
                    var bytes = plain
                    bytes[place] = value
                    guard let read = try? FieldsRecord(ObjectCompressor.plain(bytes)) else { continue }
                    _ = try? read.fields.sample(
                        of: sample.sampleType, sample.header, start: sample.startDate, end: sample.endDate)
                }
            }
            var newer = plain
            newer[0] = 2
            let bytes = newer
            #expect { try FieldsRecord(ObjectCompressor.plain(bytes)) } throws: {
                ($0 as? HealthStoreError)?.kind == .newerFormat
            }
        }
        // Fields in fields beyond the deepest level.
        let deep = (0..<100).reduce(HealthFields()) { inner, _ in HealthFields([.init(1, .fields(inner))]) }
        #expect { try FieldsRecord(FieldsRecord(deep).body) } throws: { ($0 as? HealthStoreError)?.kind == .corrupt }
    }

    @Test("a body whose fields are not those of its type makes the query fail with a typed error")
    func foreign() async throws {
        let door = try TestDoor()
        try await door.health.save(try Self.all())
        let store = try door.health.store()
        let rows = try store.catalog([SavedObjectRow]()) { transaction in
            var rows: [SavedObjectRow] = []
            try HealthCatalog.eachSavedObject(kind: SavedObjectKind.fields.rawValue, transaction) { rows.append($0) }
            return rows
        }
        let row = try #require(rows.first { $0.type == HKDataTypeIdentifierStateOfMind })
        let body = FieldsRecord(HealthFields([.init(1, .integer(99))])).body
        try store.write { try HealthCatalog.rewrite(savedObject: row.id, body: body, metadata: 0, $0) }
        #expect(
            await code { _ = try await HKSampleQueryDescriptor(predicates: [.stateOfMind()]).result(for: door.health) }
                == .errorDatabaseInaccessible)
        #expect(try await HKSampleQueryDescriptor(predicates: [.audiogram()]).result(for: door.health).count == 1)
    }

    @Test("a FHIR resource is saved as a record of its type, and impossible resources are refused")
    func records() async throws {
        let door = try TestDoor()
        let maker = HealthRecordStore(healthStore: door.health)
        let json = Data(#"{"code":{"coding":[{"display":"Asthma"}]}}"#.utf8)
        func resource(_ type: String, _ data: Data, identifier: String = "1") -> HKFHIRResource {
            HKFHIRResource(
                resourceType: HKFHIRResourceType(rawValue: type), identifier: identifier, fhirVersion: .primaryR4(),
                sourceURL: URL(string: "https://a.example/1"), data: data)
        }
        let saved = try await maker.save(resource("Condition", json), receivedDate: Self.date)
        let type = HKClinicalType(.conditionRecord)
        let found = try await HKSampleQueryDescriptor(predicates: [.clinicalRecord(type: type)])
            .result(for: door.health)
        #expect(found == [saved] && found.first?.displayName == "Asthma" && found.first?.clinicalType == type)
        #expect(found.first?.fhirResource == resource("Condition", json))
        let long = String(repeating: "a", count: HealthSaveRules.maximumTextBytes + 1)
        for wrong in [resource("", json), resource(long, json), resource("Condition", json, identifier: long)] {
            #expect(await code { try await maker.save(wrong, receivedDate: Self.date) } == .errorInvalidArgument)
        }
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        #expect(
            await code { try await maker.save(resource("Condition", json), receivedDate: never) }
                == .errorInvalidArgument)
        let large = Data(count: HealthRecordStore.maximumResourceBytes + 1)
        #expect(
            await code { try await maker.save(resource("Condition", large), receivedDate: Self.date) }
                == .errorDataSizeExceeded)
        // Bytes that are no JSON are kept.
        let other = try await maker.save(resource("Observation", Data([0xFF])), receivedDate: Self.date)
        #expect(other.clinicalType == HKClinicalType(.labResultRecord) && other.displayName == "Observation")
        #expect(HKFHIRRelease(rawValue: "R4") == .r4)
    }

    @Test("estimates cannot be recalibrated, and energy is split by the stored resting energy")
    @available(*, deprecated)
    func estimates() async throws {
        let door = try TestDoor()
        let steps = HKQuantityType(.stepCount)
        #expect(!steps.allowsRecalibrationForEstimates)
        #expect(
            await code { try await door.health.recalibrateEstimates(sampleType: steps, date: Self.date) }
                == .errorInvalidArgument)
        let failed = await withCheckedContinuation { (done: CheckedContinuation<Bool, Never>) in
            door.health.recalibrateEstimates(sampleType: steps, date: Self.date) { isDone, error in
                done.resume(returning: !isDone && error is HKError)
            }
        }
        #expect(failed)
        func split(_ energy: HKQuantity) async -> (HKQuantity?, HKQuantity?, HKError.Code?) {
            await withCheckedContinuation { done in
                door.health.splitTotalEnergy(
                    energy, start: Self.date, end: Self.date.addingTimeInterval(3_600)
                ) { resting, active, error in
                    done.resume(returning: (resting, active, (error as? HKError)?.code))
                }
            }
        }
        #expect(await split(Self.quantity(300, "kcal")).2 == .errorNoData)
        #expect(await split(Self.quantity(.nan, "kcal")).2 == .errorInvalidArgument)
        #expect(await split(Self.quantity(1, "m")).2 == .errorInvalidArgument)
        try await door.health.save(
            HKQuantitySample(
                type: HKQuantityType(.basalEnergyBurned), quantity: Self.quantity(80, "kcal"), start: Self.date,
                end: Self.date.addingTimeInterval(3_600)))
        let parts = await split(Self.quantity(300, "kcal"))
        #expect(parts.0 == Self.quantity(80, "kcal") && parts.1 == Self.quantity(220, "kcal"))
        #expect(await split(Self.quantity(50, "kcal")).1 == Self.quantity(0, "kcal"))
    }

    @Test("samples that start within an electrocardiogram are associated with it")
    func associated() async throws {
        let door = try TestDoor()
        let builder = HealthElectrocardiogramBuilder(
            healthStore: door.health, device: nil, start: Self.date,
            samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 1))
        try builder.append(voltages: [Double](repeating: 0.1, count: 30))
        let recording = try await builder.finish()
        let type = HKCategoryType(.dizziness)
        for offset in [-60.0, 10, 60] {
            let time = Self.date.addingTimeInterval(offset)
            try await door.health.save(HKCategorySample(type: type, value: 1, start: time, end: time))
        }
        let predicate = HKQuery.predicateForObjectsAssociated(electrocardiogram: recording)
        let found = try await HKSampleQueryDescriptor(
            predicates: [.categorySample(type: type, predicate: predicate)]
        ).result(for: door.health)
        #expect(found.map(\.startDate) == [Self.date.addingTimeInterval(10)])
    }
}

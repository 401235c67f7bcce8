// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel

@Suite("X-5 each class keeps the contract of NSObject: equality, hash, copies, archives, a description")
struct ObjectContractTests {
    private let start = Date(timeIntervalSinceReferenceDate: 712_345_678)

    private func quantity(_ unit: HKUnit, _ value: Double) -> HKQuantity { HKQuantity(unit: unit, doubleValue: value) }

    /// Checks two equal objects, and an object of the same class that differs.
    private func check<Object: NSObject & NSCopying>(
        _ one: Object, _ same: Object, _ other: Object, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(one.isEqual(same) && same.isEqual(one) && one.hash == same.hash, sourceLocation: sourceLocation)
        #expect(!one.isEqual(other) && !other.isEqual(one), sourceLocation: sourceLocation)
        #expect(!one.isEqual(nil) && !one.isEqual("text"), sourceLocation: sourceLocation)
        #expect((one.copy(with: nil) as? Object).map(one.isEqual) == true, sourceLocation: sourceLocation)
        #expect(!one.description.isEmpty, sourceLocation: sourceLocation)
    }

    /// Checks as ``check(_:_:_:sourceLocation:)``, and that an archive keeps equality.
    private func archive<Object: NSObject & NSCopying & NSSecureCoding>(
        _ one: Object, _ same: Object, _ other: Object, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        check(one, same, other, sourceLocation: sourceLocation)
        #expect(Object.supportsSecureCoding, sourceLocation: sourceLocation)
        let data = try NSKeyedArchiver.archivedData(withRootObject: one, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
        #expect(copy.isEqual(one) && copy.hash == one.hash, sourceLocation: sourceLocation)
    }

    @Test("characteristics")
    func characteristics() throws {
        try archive(HKBiologicalSexObject(.female), HKBiologicalSexObject(.female), HKBiologicalSexObject())
        try archive(HKBloodTypeObject(.abPositive), HKBloodTypeObject(.abPositive), HKBloodTypeObject())
        try archive(HKFitzpatrickSkinTypeObject(.II), HKFitzpatrickSkinTypeObject(.II), HKFitzpatrickSkinTypeObject())
        try archive(HKWheelchairUseObject(.yes), HKWheelchairUseObject(.yes), HKWheelchairUseObject())
        try archive(
            HKActivityMoveModeObject(.appleMoveTime), HKActivityMoveModeObject(.appleMoveTime),
            HKActivityMoveModeObject())
    }

    @Test("units, quantities, types and origins")
    func basics() throws {
        try archive(HKUnit.gram(), HKUnit(from: "g"), .meter())
        try archive(quantity(.gram(), 1), quantity(.gram(), 1), quantity(.gram(), 2))
        try archive(HKQuantityType(.stepCount), HKQuantityType(.stepCount), HKQuantityType(.bodyMass))
        let source = HKSource(name: "Watch", bundleIdentifier: "com.example.watch")
        try archive(
            source, HKSource(name: "Watch", bundleIdentifier: "com.example.watch"),
            HKSource(name: "Watch", bundleIdentifier: "com.example.phone"))
        try archive(
            HKSourceRevision(source: source, version: "1"), HKSourceRevision(source: source, version: "1"),
            HKSourceRevision(source: source, version: "2"))
        func device(_ model: String) -> HKDevice {
            HKDevice(
                name: nil, manufacturer: nil, model: model, hardwareVersion: nil, firmwareVersion: nil,
                softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
        }
        try archive(device("a"), device("a"), device("b"))
        let uuid = UUID()
        try archive(
            HKDeletedObject(uuid: uuid, metadata: nil), HKDeletedObject(uuid: uuid, metadata: nil),
            HKDeletedObject(uuid: UUID(), metadata: nil))
    }

    @Test("workouts")
    func workouts() throws {
        func event(_ seconds: Double) -> HKWorkoutEvent {
            HKWorkoutEvent(type: .lap, dateInterval: DateInterval(start: start, duration: seconds), metadata: nil)
        }
        try archive(event(1), event(1), event(2))
        func configuration(_ type: HKWorkoutActivityType) -> HKWorkoutConfiguration {
            let made = HKWorkoutConfiguration()
            made.activityType = type
            return made
        }
        let running = configuration(.running)
        try archive(running, configuration(.running), configuration(.rowing))
        let activity = HKWorkoutActivity(
            workoutConfiguration: running, start: start, end: start.addingTimeInterval(9), metadata: nil)
        let other = HKWorkoutActivity(
            workoutConfiguration: running, start: start, end: start.addingTimeInterval(9), metadata: nil)
        #expect(activity.isEqual(activity.copy(with: nil)) && !activity.isEqual(other), "activities have identity")
    }

    @Test("vision and hearing")
    func senses() throws {
        func prism(_ degrees: Double) -> HKVisionPrism {
            HKVisionPrism(amount: quantity(.prismDiopter(), 1), angle: quantity(.degreeAngle(), degrees), eye: .right)
        }
        check(prism(30), prism(30), prism(60))
        #expect(prism(30).eye == .right)
        func lens(_ diopters: Double) -> HKGlassesLensSpecification {
            HKGlassesLensSpecification(
                sphere: quantity(.diopter(), diopters), cylinder: quantity(.diopter(), 1),
                addPower: quantity(.diopter(), 2), nearPupillaryDistance: quantity(.meter(), 0.06))
        }
        check(lens(1), lens(1), lens(2))
        #expect(lens(1).cylinder == quantity(.diopter(), 1) && lens(1).addPower == quantity(.diopter(), 2))
        #expect(lens(1).nearPupillaryDistance == quantity(.meter(), 0.06))
        let contact = HKContactsLensSpecification(
            sphere: quantity(.diopter(), 1), diameter: quantity(.meterUnit(with: .milli), 14))
        #expect(contact.diameter == quantity(.meterUnit(with: .milli), 14))
        func range(_ bound: Double) throws -> HKAudiogramSensitivityPointClampingRange {
            try HKAudiogramSensitivityPointClampingRange(lowerBound: nil, upperBound: NSNumber(value: bound))
        }
        check(try range(80), try range(80), try range(90))
        func test(_ value: Double) throws -> HKAudiogramSensitivityTest {
            try HKAudiogramSensitivityTest(
                sensitivity: quantity(.decibelHearingLevel(), value), type: .air, masked: false, side: .left)
        }
        check(try test(10), try test(10), try test(20))
        #expect(try test(10).type == .air && test(10).sensitivity == quantity(.decibelHearingLevel(), 10))
        func point(_ value: Double) throws -> HKAudiogramSensitivityPoint {
            try HKAudiogramSensitivityPoint(frequency: quantity(.hertz(), value), tests: [test(10)])
        }
        check(try point(500), try point(500), try point(1_000))
    }

    @Test("clinical records and medications")
    func records() throws {
        let version = try HKFHIRVersion(fromVersionString: "4.0.1")
        check(version, .primaryR4(), .primaryDSTU2())
        #expect(version.majorVersion == 4 && version.minorVersion == 0 && version.patchVersion == 1)
        #expect(version.stringRepresentation == "4.0.1" && version.fhirRelease.rawValue == HKFHIRRelease.r4.rawValue)
        func resource(_ identifier: String) -> HKFHIRResource {
            HKFHIRResource(
                resourceType: .condition, identifier: identifier, fhirVersion: version, data: Data("{}".utf8))
        }
        check(resource("a"), resource("a"), resource("b"))
        func coding(_ code: String) -> HKClinicalCoding { HKClinicalCoding(system: "s", version: "1", code: code) }
        try archive(coding("a"), coding("a"), coding("b"))
        #expect(coding("a").system == "s" && coding("a").version == "1" && coding("a").code == "a")
        let uuid = UUID()
        let identifier = HKHealthConceptIdentifier(domain: .medication, uuid: uuid)
        try archive(
            identifier, HKHealthConceptIdentifier(domain: .medication, uuid: uuid),
            HKHealthConceptIdentifier(domain: .medication))
        func concept(_ text: String) -> HKMedicationConcept {
            HKMedicationConcept(identifier: identifier, displayText: text, generalForm: .gel)
        }
        try archive(concept("a"), concept("a"), concept("b"))
        #expect(concept("a").generalForm.rawValue == "HKMedicationGeneralFormGel")
        func listed(_ nickname: String) -> HKUserAnnotatedMedication {
            HKUserAnnotatedMedication(medication: concept("a"), nickname: nickname)
        }
        try archive(listed("a"), listed("a"), listed("b"))
        func person(_ name: String) -> HKVerifiableClinicalRecordSubject {
            HKVerifiableClinicalRecordSubject(fullName: name, dateOfBirthComponents: nil)
        }
        try archive(person("a"), person("a"), person("b"))
        #expect(person("a").fullName == "a")
    }

    @Test("an activity summary and statistics are copied, archived and described")
    func summaries() throws {
        let mind = HKStateOfMind(date: start, kind: .momentaryEmotion, valence: 0.5, labels: [], associations: [])
        #expect(mind.kind == .momentaryEmotion && mind.valence == 0.5)
        let summary = HKActivitySummary()
        summary.appleExerciseTime = quantity(.minute(), 30)
        let copy = try #require(summary.copy(with: nil) as? HKActivitySummary)
        #expect(copy.appleExerciseTime == summary.appleExerciseTime && HKActivitySummary.supportsSecureCoding)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel

@Suite("S-37 X-5 NSPredicate(format:) reads HealthKit's key paths")
struct PredicateFormatTests {
    private let start = Date(timeIntervalSinceReferenceDate: 700_000_000)

    private func mass(_ kilograms: Double, at seconds: Double = 0, _ metadata: [String: Any]? = nil) -> HKQuantitySample
    {
        HKQuantitySample(
            type: HKQuantityType(.bodyMass),
            quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: kilograms),
            start: start.addingTimeInterval(seconds), end: start.addingTimeInterval(seconds + 10), device: .local(),
            metadata: metadata)
    }

    private func matches(_ object: HKObject, _ format: String, _ arguments: Any?...) -> Bool {
        let predicate = NSPredicate(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
        #expect((predicate as? HealthPredicate)?.value.refusal == nil, "\(predicate)")
        return predicate.evaluate(with: object)
    }

    @Test("metadata: the format that programs use to exclude entered values")
    func metadata() {
        let predicate = NSPredicate(format: "metadata.%K != YES", HKMetadataKeyWasUserEntered)
        #expect((predicate as Any) is any HealthPredicateFormat)
        #expect(predicate.evaluate(with: mass(1)))
        #expect(predicate.evaluate(with: mass(1, [HKMetadataKeyWasUserEntered: false])))
        #expect(!predicate.evaluate(with: mass(1, [HKMetadataKeyWasUserEntered: true])))
        let noted = mass(1, ["com.example.note": "breakfast", "n": 3])
        #expect(matches(noted, "metadata.%K BEGINSWITH %@", "com.example.note", "break"))
        #expect(matches(noted, "metadata.n IN {2, 3}") && !matches(noted, "metadata.n IN %@", [4, 5]))
        #expect(matches(noted, "metadata.n BETWEEN {1, 3}") && !matches(noted, "metadata.n BETWEEN %@", [4, 5]))
        #expect(matches(noted, "metadata.x == nil") && matches(noted, "%K != NULL", "metadata.n"))
        #expect(matches(noted, "3 <= metadata.n") && !matches(noted, "metadata.n < %d", 3))
        #expect(matches(noted, "metadata.n == %ld AND metadata.n < %f", 3, 3.5))
    }

    @Test("times: each comparison, to the last bit")
    func times() {
        let one = mass(1, at: 60)
        let date = one.startDate
        let before = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.nextDown)
        for (format, isEqual, isLater) in [
            ("startDate == %@", true, false), ("startDate != %@", false, true), ("startDate < %@", false, false),
            ("startDate <= %@", true, false), ("startDate > %@", false, true), ("startDate >= %@", true, true),
        ] {
            #expect(matches(one, format, date) == isEqual && matches(one, format, before) == isLater, "\(format)")
        }
        #expect(matches(one, "%K >= %@ AND %K < %@", "startDate", start, "endDate", date.addingTimeInterval(11)))
        #expect(!matches(one, "endDate < %@", one.endDate) && matches(one, "endDate <= %@", one.endDate as NSDate))
    }

    @Test("identity, origin and values")
    func values() {
        let one = mass(70)
        #expect(matches(one, "UUID == %@", one.uuid) && matches(one, "UUID IN %@", [UUID(), one.uuid]))
        #expect(matches(one, "source == %@", one.source) && matches(one, "sourceRevision = %@", one.sourceRevision))
        #expect(matches(one, "device == %@", HKDevice.local()) && matches(one, "device.model == 'Linux'"))
        #expect(matches(one, "device.manufacturer = nil AND device.model != nil"))
        let heavy = HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: 69)
        #expect(matches(one, "quantity > %@", heavy) && matches(one, "correlation == nil"))
        let asleep = HKCategorySample(type: HKCategoryType(.sleepAnalysis), value: 3, start: start, end: start)
        #expect(matches(asleep, "value == 3") && matches(asleep, "value IN %@", Set([3, 4])))
        #expect(matches(asleep, "%K != %i", "value", 4) && !matches(one, "value == 3"))
    }

    @Test("HealthKit's constants for key paths")
    func constants() {
        let one = mass(70, ["n": 3])
        let asleep = HKCategorySample(type: HKCategoryType(.sleepAnalysis), value: 3, start: start, end: start)
        #expect(matches(one, "%K == %@", HKPredicateKeyPathUUID, one.uuid))
        #expect(matches(one, "%K == %@", HKPredicateKeyPathSource, one.source))
        #expect(matches(one, "%K == %@", HKPredicateKeyPathSourceRevision, one.sourceRevision))
        #expect(matches(one, "%K == %@ && %K == nil", HKPredicateKeyPathDevice, HKDevice.local(), "correlation"))
        #expect(matches(one, "%K == nil", HKPredicateKeyPathCorrelation))
        #expect(matches(one, "%K == %@", HKPredicateKeyPathStartDate, one.startDate))
        #expect(matches(one, "%K > %@", HKPredicateKeyPathEndDate, one.startDate))
        #expect(matches(one, "%K == %@", HKPredicateKeyPathQuantity, one.quantity))
        #expect(matches(asleep, "%K == %d", HKPredicateKeyPathCategoryValue, 3))
        #expect(matches(one, "%K.%K == %d", HKPredicateKeyPathMetadata, "n", 3))
        #expect(matches(one, "%K.model == 'Linux'", HKPredicateKeyPathDevice))
        #expect(matches(one, "%K.%K == %@", HKPredicateKeyPathDevice, HKDevicePropertyKeyModel, "Linux"))
    }

    @Test("clinical records by the type and the identifier of their resource")
    func resources() {
        let record = HKClinicalRecord(
            header: ObjectHeader(device: nil, metadata: nil), type: HKClinicalType(.labResultRecord), date: start,
            content: .init(displayName: "a", resourceType: "Observation", identifier: "lab-1", fhirVersion: "4.0.1"))
        #expect(matches(record, "%K == 'lab-1'", HKPredicateKeyPathClinicalRecordFHIRResourceIdentifier))
        #expect(!matches(record, "fhirResource.identifier == 'lab-2'"))
        #expect(matches(record, "%K == %@", HKPredicateKeyPathClinicalRecordFHIRResourceType, "Observation"))
        #expect(matches(record, "fhirResource.resourceType != 'Condition'"))
        #expect(!matches(mass(1), "fhirResource.resourceType == 'Observation'"))
    }

    @Test("workouts by type, duration and totals")
    func workouts() {
        let run = WorkoutContent(
            activity: .running, duration: 1_800, activities: [], statistics: [:],
            totals: WorkoutTotals(distance: HKQuantity(unit: .meter(), doubleValue: 5_000)))
        let workout = HKWorkout(
            header: ObjectHeader(device: nil, metadata: nil), start: start, end: start.addingTimeInterval(1_800),
            content: run)
        let long = HKQuantity(unit: .meterUnit(with: .kilo), doubleValue: 4)
        #expect(matches(workout, "workoutType == %lu", HKWorkoutActivityType.running.rawValue))
        #expect(matches(workout, "%K >= %@", HKPredicateKeyPathWorkoutTotalDistance, long))
        #expect(matches(workout, "duration > 1000 && !(totalEnergyBurned > %@)", long))
    }

    @Test("AND binds before OR, NOT before both; keywords in any case")
    func grammar() {
        let one = mass(1, ["a": 1, "b": 2])
        #expect(matches(one, "metadata.a = 1 or metadata.a = 2 and metadata.b = 3"))
        #expect(!matches(one, "(metadata.a = 1 OR metadata.a = 2) AND metadata.b = 3"))
        #expect(matches(one, "NOT metadata.a = 2 AND TRUEPREDICATE") && !matches(one, "FALSEPREDICATE"))
        #expect(matches(one, "! ! metadata.a == 1 || FALSEPREDICATE"))
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "metadata.a == 1"), HKQuery.predicateForObject(with: one.uuid),
        ])
        #expect(both.evaluate(with: one))
        #expect(NSCompoundPredicate(format: "metadata.a == 1").evaluate(with: one))
    }

    @Test(
        "any other format is refused with a reason, and matches nothing",
        arguments: [
            "", "a", "a ==", "== 3", "nothing == 3", "ANY metadata.a == 1", "SELF == 1", "metadata.a LIKE '*'",
            "metadata.a MATCHES 'x'", "metadata.a == %@", "metadata.a == %s", "metadata.a == 1 garbage", "(value == 1",
            "value == 'x'", "value == 1.5", "startDate == 3", "UUID < 3", "device.color == 'red'", "quantity > 3",
            "metadata.a IN {1, 2", "metadata.a IN 3", "metadata.a BETWEEN {1}", "metadata.a == 'x", "value == 1 ^ 2",
            "value == 99999999999999999999999", "correlation == 3", "3 == 4", "workoutType == -1", "%", "%K == 1",
            String(repeating: "(", count: 10_000) + "value == 1",
        ])
    func refusals(_ format: String) throws {
        let predicate = NSPredicate(format: format)
        #expect(!predicate.evaluate(with: mass(1)))
        let error = try #require(throws: HKError.self) { try SamplePredicate(predicate) }
        #expect(error.code == .errorInvalidArgument && error.place?.hasPrefix("NSPredicate(format:)") == true)
        #expect(error.advice != nil)
    }

    @Test("arguments without a specifier are refused")
    func arguments() {
        #expect(throws: HKError.self) { try SamplePredicate(NSPredicate(format: "value == 1", 3)) }
        #expect(throws: HKError.self) { try SamplePredicate(NSPredicate(format: "%K == 1", 3)) }
    }
}

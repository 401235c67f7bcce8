// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel

@Suite("S-6 S-7 S-8 types are classes with the properties of their table row")
struct ObjectTypeTests {
    @Test("each quantity type has the properties of its row")
    func quantityTypes() throws {
        for row in try Tables.rows("quantity-types.csv") {
            let identifier = HKQuantityTypeIdentifier(rawValue: try #require(row["identifier"]))
            let type = HKQuantityType(identifier)
            let facts = HealthTypes.type(for: identifier)
            #expect(type.identifier == identifier.rawValue && type.isKnown && type.facts.kind == .quantity)
            #expect(type.aggregationStyle == facts.aggregationStyle && type.canonicalUnit == facts.canonicalUnit)
            #expect(type.is(compatibleWith: try HKUnit(parsing: try #require(row["unit"]))))
            #expect(HKObjectType.quantityType(forIdentifier: identifier) == type)
            #expect(HKObjectType.type(for: identifier.rawValue) as? HKQuantityType == type)
            #expect(type.healthType == facts)
            #expect(!type.isMaximumDurationRestricted && type.maximumAllowedDuration == .infinity)
        }
    }

    @Test("each category type has the properties of its row")
    func categoryTypes() throws {
        for name in Set(try Tables.rows("category-values.csv").compactMap { $0["identifier"] }) {
            let identifier = HKCategoryTypeIdentifier(rawValue: name)
            let type = HKCategoryType(identifier)
            #expect(type.identifier == name && type.isKnown && type.facts.kind == .category)
            #expect(HKSampleType.categoryType(forIdentifier: identifier) == type)
            #expect(HKObjectType.type(for: name) as? HKCategoryType == type)
        }
    }

    @Test("each other type has the properties of its row and is made by its factory")
    func otherTypes() throws {
        let rows = try Tables.rows("other-types.csv")
        var made: [HKObjectType] = HKCorrelationTypeIdentifier.all.map { HKCorrelationType($0) }
        made += HKCharacteristicTypeIdentifier.all.map { HKCharacteristicType($0) }
        made += HKClinicalTypeIdentifier.all.map { HKClinicalType($0) }
        made += [HKDocumentType(.CDA), HKScoredAssessmentType(.GAD7), HKScoredAssessmentType(.PHQ9)]
        made += [HKSeriesType.heartbeat(), HKSeriesType.workoutRoute(), HKSampleType.workoutType()]
        made += [HKObjectType.audiogramSampleType(), HKObjectType.electrocardiogramType()]
        made += [HKPrescriptionType.visionPrescriptionType(), HKObjectType.stateOfMindType()]
        made += [HKObjectType.activitySummaryType(), HKObjectType.medicationDoseEventType()]
        made += [HKObjectType.userAnnotatedMedicationType()]
        #expect(made.map(\.identifier) == rows.map { $0["identifier"] })
        #expect(made.map(\.facts.kind.rawValue) == rows.map { $0["kind"] })
        for (type, row) in zip(made, rows) {
            #expect(type.isKnown && type.healthType == nil && HKObjectType.type(for: type.identifier) == type)
            #expect(Swift.type(of: HKObjectType.type(for: type.identifier)) == Swift.type(of: type))
            guard let sample = type as? HKSampleType else { continue }
            #expect(sample.maximumAllowedDuration == (Double(row["maximum_duration"] ?? "") ?? .infinity))
            #expect(sample.isMaximumDurationRestricted == (row["maximum_duration"] != ""))
            #expect(!sample.isMinimumDurationRestricted && sample.minimumAllowedDuration == 0)
        }
        #expect(Set(made).count == rows.count)
    }

    @Test("factories by identifier return known types, and nil for a wrong identifier")
    func factories() {
        #expect(HKObjectType.correlationType(forIdentifier: .food) == HKCorrelationType(.food))
        #expect(HKObjectType.characteristicType(forIdentifier: .bloodType) == HKCharacteristicType(.bloodType))
        #expect(HKObjectType.documentType(forIdentifier: .CDA) == HKDocumentType(.CDA))
        #expect(HKObjectType.clinicalType(forIdentifier: .labResultRecord) == HKClinicalType(.labResultRecord))
        #expect(HKObjectType.seriesType(forIdentifier: HKWorkoutRouteTypeIdentifier) == .workoutRoute())
        #expect(HKObjectType.seriesType(forIdentifier: HKDataTypeIdentifierHeartbeatSeries) == .heartbeat())
        #expect(HKObjectType.workoutType().identifier == HKWorkoutTypeIdentifier)
        #expect(HKObjectType.quantityType(forIdentifier: .init(rawValue: "HKQuantityTypeIdentifierNew")) == nil)
        #expect(HKObjectType.quantityType(forIdentifier: .init(rawValue: "HKWorkoutTypeIdentifier")) == nil)
        #expect(HKObjectType.seriesType(forIdentifier: "HKWorkoutTypeIdentifier") == nil)
    }

    @Test("unknown identifiers are types of the class that their prefix names")
    func unknown() {
        let quantity = HKObjectType.type(for: "HKQuantityTypeIdentifierNew") as? HKQuantityType
        #expect(quantity?.isKnown == false && quantity?.aggregationStyle == .discrete)
        #expect(quantity?.is(compatibleWith: .second()) == true && quantity?.canonicalUnit == nil)
        #expect(quantity == HKQuantityType(.init(rawValue: "HKQuantityTypeIdentifierNew")))
        #expect(HKObjectType.type(for: "HKCategoryTypeIdentifierNew") is HKCategoryType)
        #expect(HKObjectType.type(for: "HKCorrelationTypeIdentifierNew") is HKCorrelationType)
        #expect(HKObjectType.type(for: "HKCharacteristicTypeIdentifierNew") is HKCharacteristicType)
        #expect(HKObjectType.type(for: "HKClinicalTypeIdentifierNew") is HKClinicalType)
        #expect(HKObjectType.type(for: "HKDocumentTypeIdentifierNew") is HKDocumentType)
        #expect(HKObjectType.type(for: "HKScoredAssessmentTypeIdentifierNew") is HKScoredAssessmentType)
        #expect(HKObjectType.type(for: "HKDataTypeSleepDurationGoal") is HKQuantityType)
        let mixed = HKQuantityType(.init(rawValue: "HKCategoryTypeIdentifierSleepAnalysis"))
        #expect(mixed != HKCategoryType(.sleepAnalysis) && !mixed.isKnown && mixed.facts.kind == .quantity)
    }

    @Test("types are equal by identifier and usable as keys")
    func equality() {
        #expect(HKQuantityType(.heartRate) == HKQuantityType(.heartRate))
        #expect(HKQuantityType(.heartRate) !== HKQuantityType(.heartRate))
        #expect(HKQuantityType(.heartRate) != HKQuantityType(.stepCount))
        #expect(HKQuantityType(.heartRate).hashValue == HKQuantityType(.heartRate).hashValue)
        let types: Set<HKSampleType> = [HKQuantityType(.heartRate), HKQuantityType(.heartRate), .workoutType()]
        #expect(types.count == 2 && types.contains(HKObjectType.workoutType()))
        #expect(!HKQuantityType(.heartRate).isEqual("HKQuantityTypeIdentifierHeartRate"))
        #expect("\(HKQuantityType(.heartRate))" == "HKQuantityTypeIdentifierHeartRate")
    }

    @Test("S-168 prescriptions and medications require authorization per object")
    func perObject() {
        #expect(HKObjectType.visionPrescriptionType().requiresPerObjectAuthorization())
        #expect(HKObjectType.medicationDoseEventType().requiresPerObjectAuthorization())
        #expect(HKObjectType.userAnnotatedMedicationType().requiresPerObjectAuthorization())
        #expect(!HKQuantityType(.stepCount).requiresPerObjectAuthorization())
    }

    @Test("an archived type reads back with the same class")
    func archives() throws {
        for identifier in [
            "HKQuantityTypeIdentifierStepCount", "HKQuantityTypeIdentifierNew", "HKWorkoutTypeIdentifier",
        ] {
            let type = HKObjectType.type(for: identifier)
            let data = try NSKeyedArchiver.archivedData(withRootObject: type, requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: HKObjectType.self, from: data)
            #expect(read == type)
            #expect(read.map { Swift.type(of: $0) == Swift.type(of: type) } == true)
        }
    }
}

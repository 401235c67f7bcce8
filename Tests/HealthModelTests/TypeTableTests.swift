// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("S-6 the code has every row of the tables")
struct TypeTableTests {
    @Test("each quantity type has its style, unit and name")
    func quantityTypes() throws {
        let rows = try Tables.rows("quantity-types.csv")
        #expect(rows.count == 120)
        let styles: [String: HKQuantityAggregationStyle] = [
            "cumulative": .cumulative, "discreteArithmetic": .discreteArithmetic,
            "discreteTemporallyWeighted": .discreteTemporallyWeighted,
            "discreteEquivalentContinuousLevel": .discreteEquivalentContinuousLevel,
        ]
        for row in rows {
            let identifier = try #require(row["identifier"])
            let type = HealthTypes.type(for: identifier)
            #expect(type.isKnown && type.kind == .quantity && type.identifier == identifier)
            #expect(type.aggregationStyle == styles[row["aggregation"] ?? ""], "\(identifier)")
            let unit = try HKUnit(parsing: try #require(row["unit"]))
            #expect(type.canonicalUnit == unit, "\(identifier)")
            #expect(type.isCompatible(with: unit))
        }
        #expect(HealthTypes.all.filter { $0.kind == .quantity }.map(\.identifier) == rows.map { $0["identifier"] })
        #expect(HealthTypes.all.filter(\.isCumulative).count == 63)
    }

    @Test("each category type has its values")
    func categoryTypes() throws {
        let rows = try Tables.rows("category-values.csv")
        #expect(rows.count == 264)
        let byType = Dictionary(grouping: rows) { $0["identifier"] ?? "" }
        #expect(byType.count == 70)
        for (identifier, rows) in byType {
            let type = HealthTypes.type(for: identifier)
            #expect(type.isKnown && type.kind == .category && type.aggregationStyle == .discrete)
            #expect(type.canonicalUnit == nil && !type.isCompatible(with: .count()))
            let category = HKCategoryTypeIdentifier(rawValue: identifier)
            let expected = rows.map {
                HealthCategoryValue(name: $0["value"] ?? "", rawValue: Int($0["raw"] ?? "") ?? -1)
            }
            #expect(HealthCategoryValues.values(of: category) == expected, "\(identifier)")
            for value in expected {
                #expect(HealthCategoryValues.rawValue(of: value.name, for: category) == value.rawValue)
                #expect(HealthCategoryValues.isValid(value.rawValue, for: category))
                let first = expected.first { $0.rawValue == value.rawValue }
                #expect(HealthCategoryValues.name(of: value.rawValue, for: category) == first?.name)
            }
        }
        #expect(HealthTypes.all.count == 190)
    }

    @Test("each workout activity has its raw value")
    func workoutActivityTypes() throws {
        let rows = try Tables.rows("workout-activity-types.csv")
        #expect(rows.count == 84)
        for row in rows {
            let name = try #require(row["name"])
            let raw = try #require(UInt(row["raw"] ?? ""))
            #expect(HKWorkoutActivityType(name: name)?.rawValue == raw)
            #expect(HKWorkoutActivityType(rawValue: raw)?.name == name)
        }
        #expect(HKWorkoutActivityType.allCases.count == rows.count)
    }

    @Test("S-24 each metadata key has its stored string")
    func metadataKeys() throws {
        let rows = try Tables.rows("metadata-keys.csv")
        #expect(rows.count == 71)
        #expect(HealthMetadataKeys.all.count == 71)
        for (row, key) in zip(rows, HealthMetadataKeys.all) {
            #expect(key.constant == row["constant"])
            #expect(key.key == row["key"])
            #expect(key.valueKind.rawValue == row["value"])
            #expect((key.enumeration ?? "") == row["enumeration"])
            #expect(key.isConfirmed == (row["confirmed"] == "yes"))
            #expect(HealthMetadataKeys.predefined(key.key) == key)
        }
        #expect(HealthMetadataKeys.all.filter { !$0.isConfirmed }.count == 2)
    }

    @Test("S-24 each enumeration of metadata values has the table's raw values and a key")
    func metadataValues() throws {
        func raw<Value: RawRepresentable & CaseIterable>(_ type: Value.Type) -> [String] where Value.RawValue == Int {
            type.allCases.map { "\(type) \($0.rawValue)" }
        }
        let wanted = try Tables.rows("metadata-values.csv").map { "\($0["enumeration"] ?? "") \($0["raw"] ?? "")" }
        let found =
            raw(HKAppleECGAlgorithmVersion.self) + raw(HKBloodGlucoseMealTime.self)
            + raw(HKBodyTemperatureSensorLocation.self) + raw(HKCyclingFunctionalThresholdPowerTestType.self)
            + raw(HKDevicePlacementSide.self) + raw(HKHeartRateMotionContext.self)
            + raw(HKHeartRateRecoveryTestType.self) + raw(HKHeartRateSensorLocation.self)
            + raw(HKInsulinDeliveryReason.self) + raw(HKPhysicalEffortEstimationType.self)
            + raw(HKSwimmingStrokeStyle.self) + raw(HKUserMotionContext.self) + raw(HKVO2MaxTestType.self)
            + raw(HKWaterSalinity.self) + raw(HKWeatherCondition.self) + raw(HKWorkoutSwimmingLocationType.self)
        #expect(found == wanted && found.count == 88)
        #expect(HKAppleECGAlgorithmVersion.version2.rawValue == 2 && HKWeatherCondition.tornado.rawValue == 27)
        #expect(HKCyclingFunctionalThresholdPowerTestType.maxExercise20Minute.rawValue == 2)
        #expect(HKBodyTemperatureSensorLocation.gastroIntestinal.rawValue == 5)
        let enumerations = Set(HealthMetadataKeys.all.compactMap(\.enumeration)).subtracting(["HKWorkoutActivityType"])
        #expect(enumerations == Set(try Tables.rows("metadata-values.csv").compactMap { $0["enumeration"] }))
    }

    @Test("correlation, characteristic, clinical, document and assessment types are those of the table")
    func otherTypes() throws {
        let rows = try Tables.rows("other-types.csv")
        #expect(rows.count == 30)
        func identifiers(_ kind: String) -> [String?] { rows.filter { $0["kind"] == kind }.map { $0["identifier"] } }
        #expect(HKCorrelationTypeIdentifier.all.map(\.rawValue) == identifiers("correlation"))
        #expect(HKCharacteristicTypeIdentifier.all.map(\.rawValue) == identifiers("characteristic"))
        #expect(HKClinicalTypeIdentifier.all.map(\.rawValue) == identifiers("clinical"))
        #expect(HKDocumentTypeIdentifier.all.map(\.rawValue) == identifiers("document"))
        #expect(HKScoredAssessmentTypeIdentifier.all.map(\.rawValue) == identifiers("scoredAssessment"))
        #expect(HKCorrelationTypeIdentifier.bloodPressure.rawValue == "HKCorrelationTypeIdentifierBloodPressure")
        #expect(HKCharacteristicTypeIdentifier.bloodType.rawValue == "HKCharacteristicTypeIdentifierBloodType")
    }

    @Test("the generated code is up to date", .enabled(if: Tables.hasPython))
    func generator() throws {
        let result = try #require(
            Tables.run([Tables.root.appendingPathComponent("Tools/generate-types").path, "--check"]))
        #expect(result.status == 0, "run Tools/generate-types: \(result.output)")
    }

    @Test("members have the Swift spelling of HealthKit's constants")
    func members() {
        #expect(HKQuantityTypeIdentifier.stepCount.rawValue == "HKQuantityTypeIdentifierStepCount")
        #expect(HKQuantityTypeIdentifier.vo2Max.rawValue == "HKQuantityTypeIdentifierVO2Max")
        #expect(HKQuantityTypeIdentifier.uvExposure.rawValue == "HKQuantityTypeIdentifierUVExposure")
        #expect(HKCategoryTypeIdentifier.sleepAnalysis.rawValue == "HKCategoryTypeIdentifierSleepAnalysis")
        #expect(HKCategoryValueSleepAnalysis.asleepREM.rawValue == 5)
        #expect(HKCategoryValueSleepAnalysis.asleep == .asleepUnspecified)
        #expect(HKCategoryValueOvulationTestResult.positive == .luteinizingHormoneSurge)
        #expect(HKCategoryValueAppleStandHour.stood.rawValue == 0)
        #expect(HKCategoryValue.notApplicable.rawValue == 0)
        #expect(HKWorkoutActivityType.other.rawValue == 3000)
        #expect(HKWorkoutActivityType(rawValue: 81) == nil)
        #expect(HKMetadataKeyWasUserEntered == "HKWasUserEntered")
        #expect(
            HKMetadataKeyCyclingFunctionalThresholdPowerTestType == "HKCyclingCyclingFunctionalThresholdPowerTestType")
        #expect(HKQuantityAggregationStyle.allCases.map(\.rawValue) == [0, 1, 2, 3])
    }
}

// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Testing

@Suite("S-6 types are found by identifier and by names as people type them")
struct HealthTypesTests {
    @Test(
        "all spellings find the same type",
        arguments: [
            "stepCount", "StepCount", "stepcount", "STEPCOUNT", "step-count", "step_count", "step count",
            "HKQuantityTypeIdentifierStepCount", "hkquantitytypeidentifierstepcount",
        ])
    func spellings(_ text: String) {
        #expect(HealthTypes.find(text)?.identifier == "HKQuantityTypeIdentifierStepCount")
    }

    @Test("every type is found by its identifier, short name and member name")
    func all() {
        for type in HealthTypes.all {
            #expect(HealthTypes.find(type.identifier) == type)
            #expect(HealthTypes.find(type.shortName) == type)
            #expect(type.identifier.hasSuffix(type.shortName.dropFirst(3)), "\(type.shortName)")
            #expect(HealthTypes.type(for: type.identifier) == type)
        }
        #expect(Set(HealthTypes.all.map { $0.shortName.lowercased() }).count == HealthTypes.all.count)
    }

    @Test(
        "a text that names no type finds none",
        arguments: [
            "", "x", "steps", "HKQuantityTypeIdentifier", "stepCountt", "§", "HKCategoryTypeIdentifierStepCount",
        ])
    func notFound(_ text: String) {
        #expect(HealthTypes.find(text) == nil)
    }

    @Test(
        "for a misspelled name the intended type is the first suggestion",
        arguments: [
            ("steps", "stepCount"), ("stepCuont", "stepCount"), ("hartrate", "heartRate"), ("heartrat", "heartRate"),
            ("heart", "heartRate"), ("bodymas", "bodyMass"), ("glucose", "bloodGlucose"), ("vo2", "vo2Max"),
            ("feevr", "fever"),
            ("sleep", "sleepChanges"), ("HKQuantityTypeIdentifierStepCuont", "stepCount"),
            ("oxygen", "oxygenSaturation"),
        ])
    func typo(_ text: String, _ name: String) {
        let found = HealthTypes.suggestions(for: text).map(\.shortName)
        #expect(found.first == name, "\(found)")
        #expect(found.count <= 5)
    }

    @Test("a text that resembles no type has no suggestions")
    func noSuggestion() {
        #expect(HealthTypes.suggestions(for: "").isEmpty)
        #expect(HealthTypes.suggestions(for: "q").isEmpty)
        #expect(HealthTypes.suggestions(for: "xyzzyplugh").isEmpty)
        #expect(HealthTypes.suggestions(for: String(repeating: "steps", count: 1000)).isEmpty)
        #expect(HealthTypes.suggestions(for: "heart", limit: 0).isEmpty)
        #expect(HealthTypes.suggestions(for: "heart", limit: 2).count == 2)
    }

    @Test("types newer than the tables are usable")
    func unknown() {
        let quantity = HealthTypes.type(for: "HKQuantityTypeIdentifierHeartRateVariabilityRMSSD")
        #expect(quantity.kind == .quantity && !quantity.isKnown && quantity.aggregationStyle == .discrete)
        #expect(quantity.canonicalUnit == nil && quantity.isCompatible(with: .second()))
        #expect(quantity.shortName == "heartRateVariabilityRMSSD")
        let category = HealthTypes.type(for: HKCategoryTypeIdentifier(rawValue: "HKCategoryTypeIdentifierNewThing"))
        #expect(category.kind == .category && !category.isKnown && category.shortName == "newThing")
        #expect(!category.isCompatible(with: .count()))
        let odd = HealthTypes.type(for: "HKDataTypeSleepDurationGoal")
        #expect(odd.kind == .quantity && odd.identifier == "HKDataTypeSleepDurationGoal")
        #expect(HealthTypes.type(for: "").identifier.isEmpty)
        #expect(HealthTypes.type(for: "HKQuantityTypeIdentifier").shortName == "hkQuantityTypeIdentifier")
    }

    @Test("S-14 S-15 a type accepts every unit of its dimension and no other unit")
    func compatibility() {
        let water = HealthTypes.type(for: .dietaryWater)
        #expect(water.isCompatible(with: .fluidOunceUS()) && !water.isCompatible(with: .gram()))
        let heart = HealthTypes.type(for: .heartRate)
        #expect(heart.isCompatible(with: HKUnit(from: "count/min")) && !heart.isCompatible(with: .hertz()))
        let exposure = HealthTypes.type(for: .uvExposure)
        #expect(exposure.isCompatible(with: .percent()) && exposure.isCompatible(with: .count()))
        #expect(HealthTypes.type(for: .vo2Max).canonicalUnit?.unitString == "mL/min·kg")
    }
}

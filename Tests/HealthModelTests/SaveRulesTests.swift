// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("S-22 S-23 S-25 the rules for saving")
struct SaveRulesTests {
    private let start = Date(timeIntervalSinceReferenceDate: 700_000_000)

    private func quantity(
        _ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: String, length: TimeInterval = 60,
        metadata: [String: Any]? = nil
    ) -> HKQuantitySample {
        HKQuantitySample(
            type: HKQuantityType(type), quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value),
            start: start, end: start.addingTimeInterval(length), metadata: metadata)
    }

    private func category(
        _ type: HKCategoryTypeIdentifier, _ value: Int, end: Date? = nil, metadata: [String: Any]? = nil
    ) -> HKCategorySample {
        HKCategorySample(type: HKCategoryType(type), value: value, start: start, end: end ?? start, metadata: metadata)
    }

    /// Returns the error of a refused object, or nil if the object is accepted.
    private func refusal(_ object: HKObject) -> HKError? {
        do throws(HKError) {
            try HealthSaveRules.check(object)
            return nil
        } catch {
            #expect(error.code == .errorInvalidArgument && error.advice != nil && !error.reason.isEmpty)
            #expect(error.place?.contains(object.uuid.uuidString) == true)
            return error
        }
    }

    @Test("valid samples of every type of the tables are accepted")
    func sound() {
        for type in HealthTypes.all {
            switch type.kind {
            case .quantity:
                let unit = type.canonicalUnit ?? .count()
                let metadata: [String: Any] = [HKMetadataKeyInsulinDeliveryReason: 1]
                let sample = quantity(.init(rawValue: type.identifier), 1, unit.unitString, metadata: metadata)
                #expect(refusal(sample) == nil, "\(type)")
            case .category:
                let identifier = HKCategoryTypeIdentifier(rawValue: type.identifier)
                let metadata: [String: Any] = [HKMetadataKeyMenstrualCycleStart: false]
                for value in HealthCategoryValues.values(of: identifier) {
                    #expect(refusal(category(identifier, value.rawValue, metadata: metadata)) == nil, "\(value)")
                }
            }
        }
        #expect(refusal(quantity(.init(rawValue: "HKQuantityTypeIdentifierNew"), 1, "s")) == nil)
        #expect(refusal(category(.init(rawValue: "HKCategoryTypeIdentifierNew"), 77)) == nil)
    }

    @Test("texts beyond the limit are refused, and the error names the limit")
    func sizes() {
        let most = HealthSaveRules.maximumTextBytes
        let (long, longer) = (String(repeating: "x", count: most), String(repeating: "x", count: most + 1))
        func metadata(_ values: [String: Any]) -> HKError? {
            refusal(quantity(.heartRate, 60, "count/min", metadata: values))
        }
        #expect(metadata(["a": long]) == nil && metadata([long: 1]) == nil)
        #expect(metadata(["a": Data(count: most)]) == nil)
        // The limit counts bytes, not characters.
        let wide = String(repeating: "ü", count: most / 2 + 1)
        for (values, place) in [
            (["a": longer], "metadata[a]"), (["a": wide], "metadata[a]"), (["a": Data(count: most + 1)], "metadata[a]"),
            ([longer: 1], "metadata"), (["b": 1, "a": longer], "metadata[a]"),
            (
                [HKMetadataKeySyncIdentifier: longer, HKMetadataKeySyncVersion: 1],
                "metadata[HKMetadataKeySyncIdentifier]"
            ),
        ] as [([String: Any], String)] {
            let error = metadata(values)
            #expect(
                error?.place?.hasSuffix(", " + place) == true && error?.reason.contains("\(most)") == true, "\(place)")
            #expect(error?.description.utf8.count ?? 0 < 1_000)
        }
        let many = Dictionary(uniqueKeysWithValues: (0..<5).map { ("k\($0)", long) })
        #expect(metadata(many)?.reason.contains("\(HealthSaveRules.maximumMetadataBytes)") == true)
        func device(_ name: String, _ model: String) -> HKDevice {
            HKDevice(
                name: name, manufacturer: nil, model: model, hardwareVersion: nil, firmwareVersion: nil,
                softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
        }
        func sample(_ device: HKDevice) -> HKQuantitySample {
            HKQuantitySample(
                type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 1), start: start,
                end: start, device: device, metadata: nil)
        }
        #expect(refusal(sample(device(long, ""))) == nil)
        #expect(refusal(sample(device(long, "y")))?.place?.hasSuffix(", device") == true)
        let type = HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifier" + longer)
        let error = refusal(quantity(type, 1, "s"))
        #expect(error?.place?.hasSuffix(", sampleType") == true && error?.description.utf8.count ?? 0 < 1_000)
    }

    @Test("times must be in order and in the range of a store")
    func times() {
        #expect(refusal(quantity(.stepCount, 1, "count", length: 0)) == nil)
        #expect(refusal(quantity(.stepCount, 1, "count", length: -1))?.reason.contains("before the start") == true)
        #expect(refusal(quantity(.stepCount, 1, "count", length: 400 * 86_400)) == nil, "no maximum duration")
        #expect(refusal(quantity(.stepCount, 1, "count", length: .nan))?.reason == "the time is not a number")
        #expect(refusal(quantity(.stepCount, 1, "count", length: .infinity)) != nil)
        #expect(refusal(quantity(.stepCount, 1, "count", length: 1e10))?.reason.contains("outside") == true)
        let past = HKCategorySample(type: HKCategoryType(.acne), value: 0, start: .distantPast, end: start)
        #expect(refusal(past)?.place?.hasSuffix("startDate") == true)
    }

    @Test("an open end is accepted only for types that allow it")
    func openEnd() {
        for type in [HKCategoryTypeIdentifier.pregnancy, .lactation] {
            #expect(refusal(category(type, 0, end: .distantFuture)) == nil)
        }
        #expect(refusal(category(.contraceptive, 2, end: .distantFuture)) == nil)
        #expect(refusal(category(.acne, 0, end: .distantFuture))?.reason.contains("open") == true)
        #expect(refusal(category(.sleepAnalysis, 1, end: .distantFuture))?.place?.hasSuffix("endDate") == true)
    }

    @Test("quantities must be finite and of the type's dimension")
    func quantities() {
        #expect(refusal(quantity(.bodyMass, 70, "lb")) == nil && refusal(quantity(.bodyMass, -0.0, "kg")) == nil)
        #expect(refusal(quantity(.bodyMass, 70, "m"))?.advice?.contains("kg") == true)
        for value in [Double.nan, .infinity, -.infinity] { #expect(refusal(quantity(.bodyMass, value, "kg")) != nil) }
    }

    @Test("the identifier of a type must belong to its class")
    func types() {
        for identifier in [
            "HKCategoryTypeIdentifierAcne", "HKWorkoutTypeIdentifier", "HKCategoryTypeIdentifierNew", "",
        ] {
            let type = HKQuantityType(.init(rawValue: identifier))
            let one = HKQuantity(unit: .count(), doubleValue: 1)
            let sample = HKQuantitySample(type: type, quantity: one, start: start, end: start)
            #expect(refusal(sample)?.place?.hasSuffix("sampleType") == true)
        }
        #expect(refusal(category(.init(rawValue: "Mood"), 1))?.advice?.contains("HKCategoryTypeIdentifier") == true)
        #expect(refusal(quantity(.init(rawValue: "HKDataTypeSleepDurationGoal"), 8, "hr")) == nil)
    }

    @Test("a category value must be one of its type")
    func categories() {
        #expect(refusal(category(.cervicalMucusQuality, 0))?.advice == "use one of 1, 2, 3, 4, 5")
        #expect(refusal(category(.sleepAnalysis, 6)) != nil && refusal(category(.acne, -1)) != nil)
    }

    @Test("a category value that a store would round is refused")
    func wholeNumbers() {
        let tomorrow = HKCategoryTypeIdentifier(rawValue: "HKCategoryTypeIdentifierOfTomorrow")
        for value in [1 << 53, -(1 << 53), 7] { #expect(refusal(category(tomorrow, value)) == nil) }
        for value in [(1 << 53) + 1, .max, .min] {
            #expect(refusal(category(tomorrow, value))?.place?.hasSuffix("value") == true)
        }
    }

    @Test("texts that a store keeps as C strings must not contain NUL")
    func nul() {
        let device = HKDevice(
            name: "a", manufacturer: nil, model: "b\0", hardwareVersion: nil, firmwareVersion: nil,
            softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
        func mass(_ device: HKDevice?, _ metadata: [String: Any]?) -> HKQuantitySample {
            HKQuantitySample(
                type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .gram(), doubleValue: 1), start: start,
                end: start, device: device, metadata: metadata)
        }
        #expect(refusal(mass(device, nil))?.place?.hasSuffix("device") == true)
        #expect(refusal(mass(nil, [HKMetadataKeySyncIdentifier: "a\0", HKMetadataKeySyncVersion: 1])) != nil)
        #expect(refusal(mass(nil, ["a\0b": "c\0"])) == nil)
        #expect(refusal(category(.init(rawValue: "HKCategoryTypeIdentifierA\0"), 1)) != nil)
    }

    @Test("metadata that a type requires must be present")
    func required() {
        #expect(refusal(category(.menstrualFlow, 2))?.advice == "add HKMenstrualCycleStart")
        #expect(refusal(category(.menstrualFlow, 2, metadata: [HKMetadataKeyMenstrualCycleStart: true])) == nil)
        #expect(refusal(category(.menstrualFlow, 2, metadata: [HKMetadataKeyMenstrualCycleStart: 1])) == nil)
        #expect(refusal(category(.menstrualFlow, 2, metadata: [HKMetadataKeyMenstrualCycleStart: "yes"])) != nil)
        #expect(
            refusal(quantity(.insulinDelivery, 2, "IU"))?.place?.hasSuffix("metadata[HKInsulinDeliveryReason]") == true)
    }

    @Test("metadata values must be storable and of the kind of their predefined key")
    func metadata() {
        func refused(_ metadata: [String: Any]) -> Bool { refusal(category(.acne, 0, metadata: metadata)) != nil }
        #expect(!refused(["a": "b", "c": 1, "d": 2.5, "e": true, "f": start, "g": Data([1])]))
        #expect(!refused(["q": HKQuantity(unit: .gram(), doubleValue: 1)]))
        #expect(refused(["a": [1]]) && refused(["": 1]) && refused(["a": Double.nan]))
        #expect(refused(["q": HKQuantity(unit: .gram(), doubleValue: .infinity)]))
        #expect(refused(["a": Date(timeIntervalSinceReferenceDate: .nan)]))
        #expect(refused([HKMetadataKeyWasUserEntered: "1"]) && !refused([HKMetadataKeyWasUserEntered: 0]))
        #expect(refused([HKMetadataKeyWasUserEntered: 2]) && refused([HKMetadataKeyTimeZone: 1]))
        #expect(refused([HKMetadataKeyWeatherTemperature: 21.0]) && refused([HKMetadataKeyWeatherCondition: 1.5]))
        #expect(
            !refused([HKMetadataKeyWeatherCondition: 3])
                && !refused([HKMetadataKeyDateOfEarliestDataUsedForEstimate: start]))
        #expect(refused([HKMetadataKeySyncIdentifier: "a"]) && refused([HKMetadataKeySyncVersion: 1]))
        #expect(!refused([HKMetadataKeySyncIdentifier: "a", HKMetadataKeySyncVersion: 1]))
    }

    @Test("a correlation needs members, and a blood pressure needs its two")
    func correlations() {
        func correlation(_ type: HKCorrelationTypeIdentifier, _ members: [HKSample]) -> HKError? {
            refusal(HKCorrelation(type: HKCorrelationType(type), start: start, end: start, objects: Set(members)))
        }
        let upper = quantity(.bloodPressureSystolic, 120, "mmHg")
        let lower = quantity(.bloodPressureDiastolic, 80, "mmHg")
        #expect(correlation(.bloodPressure, [upper, lower]) == nil)
        #expect(correlation(.bloodPressure, [upper]) != nil && correlation(.bloodPressure, []) != nil)
        #expect(correlation(.bloodPressure, [upper, lower, quantity(.heartRate, 1, "count/s")]) != nil)
        #expect(correlation(.bloodPressure, [upper, quantity(.bloodPressureSystolic, 119, "mmHg")]) != nil)
        #expect(
            correlation(.food, [quantity(.dietaryEnergyConsumed, 400, "kcal"), quantity(.dietaryWater, 1, "L")]) == nil)
        let bad = quantity(.dietaryWater, 1, "kg")
        #expect(correlation(.food, [bad])?.place?.contains("member HKQuantityTypeIdentifierDietaryWater") == true)
        let inner = HKCorrelation(
            type: HKCorrelationType(.bloodPressure), start: start, end: start, objects: [upper, lower])
        #expect(correlation(.food, [inner])?.reason.contains("must be a quantity") == true)
    }

    @Test("series and electrocardiograms cannot be saved as plain objects")
    func series() {
        let header = ObjectHeader(
            uuid: UUID(), sourceRevision: HKSourceRevision(source: .default(), version: nil), device: nil, metadata: nil
        )
        #expect(refusal(HKHeartbeatSeriesSample(header: header, start: start, end: start, count: 3)) != nil)
        let many = HKQuantitySample.stored(
            header: header, type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 1),
            count: 2, start: start, end: start)
        #expect(refusal(many)?.advice?.contains("HKQuantitySeriesSampleBuilder") == true)
    }

    @Test("validating initialisers throw, and one invalid object makes a list invalid")
    func validating() throws {
        let type = HKQuantityType(.bodyMass)
        let mass = HKQuantity(unit: .pound(), doubleValue: 150)
        #expect(try HKQuantitySample(validating: type, quantity: mass, start: start, end: start).quantity === mass)
        #expect(throws: HKError.self) {
            try HKQuantitySample(
                validating: type, quantity: HKQuantity(unit: .meter(), doubleValue: 1), start: start, end: start)
        }
        #expect(throws: HKError.self) {
            try HKCategorySample(validating: HKCategoryType(.acne), value: 9, start: start, end: start)
        }
        #expect(throws: HKError.self) {
            try HKCorrelation(validating: HKCorrelationType(.food), start: start, end: start, objects: [])
        }
        #expect(throws: HKError.self) { try HealthSaveRules.check([category(.acne, 0), category(.acne, 9)]) }
        try HealthSaveRules.check([category(.acne, 0), category(.acne, 1)])
    }

    @Test("errors have HealthKit's domain and codes, and state reason, place and advice")
    func errors() {
        #expect(HKError.Code.allCases.map(\.rawValue) == Array(0...15))
        #expect(HKError.errorInvalidArgument.rawValue == 3 && HKError.errorNoData.rawValue == 11)
        #expect(HKError.errorDomain == "com.apple.healthkit" && HKErrorDomain == HKError.errorDomain)
        let error = HKError(.errorInvalidArgument, reason: "it is wrong", place: "a sample", advice: "mend it")
        #expect(error.errorCode == 3 && error.errorUserInfo["HKErrorPlace"] as? String == "a sample")
        #expect("\(error)" == "a sample: it is wrong; mend it (com.apple.healthkit 3, errorInvalidArgument)")
        #expect(error.recoverySuggestion == "mend it" && error.failureReason == "it is wrong")
        do {
            throw error
        } catch HKError.errorNoData {
            Issue.record("caught by another code")
        } catch HKError.errorInvalidArgument {
        } catch {
            Issue.record("not caught by its code")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel

private let texts = [
    "", "\0", "\u{9B}\u{202E}\n", "e\u{301}", "HK", "HKQuantityTypeIdentifier", "=1+1", "\u{FEFF}",
    String(repeating: "x", count: 1_000_000),
]
private let integers = [Int.min, .min + 1, -1, 0, 1, .max - 1, .max]
private let reals = [
    Double.nan, .signalingNaN, .infinity, -.infinity, -0.0, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    .leastNonzeroMagnitude, 1e300, -1,
]
private let dates = [
    Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: .nan),
    Date(timeIntervalSinceReferenceDate: .infinity), Date(timeIntervalSinceReferenceDate: -.infinity),
    Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude), Date(timeIntervalSince1970: 0),
]
private let kilogram = HKUnit.gramUnit(with: .kilo)

@Suite("S-9 S-40 hostile arguments of every public function of the model give an error or the documented result")
struct HostileValueTests {
    @Test("units of any text, power, molar mass and prefix are refused or valid")
    func units() throws {
        for text in texts where text.count != 0 && text != "e\u{301}" {
            #expect(throws: HKUnitError.self) { try HKUnit(parsing: text) }
        }
        for mass in reals where !(mass.isFinite && mass > 0) {
            #expect(
                HKUnit.moleUnit(withMolarMass: mass).isNull() && HKUnit.moleUnit(with: .milli, molarMass: mass).isNull()
            )
        }
        #expect(HKUnit.moleUnit(withMolarMass: .greatestFiniteMagnitude).isCompatible(with: .gram()))
        let factories: [(HKMetricPrefix) -> HKUnit] = [
            HKUnit.gramUnit(with:), HKUnit.meterUnit(with:), HKUnit.literUnit(with:), HKUnit.pascalUnit(with:),
            HKUnit.secondUnit(with:), HKUnit.hertzUnit(with:), HKUnit.jouleUnit(with:), HKUnit.wattUnit(with:),
            HKUnit.siemenUnit(with:), HKUnit.voltUnit(with:), HKUnit.luxUnit(with:), HKUnit.radianAngleUnit(with:),
            { HKUnit.moleUnit(with: $0, molarMass: 5) },
        ]
        let unreadable = HKUnit.stored("\u{9B}")
        for prefix in HKMetricPrefix.allCases {
            for factory in factories {
                var unit = factory(prefix)
                #expect(try HKUnit(parsing: unit.unitString) == unit)
                for power in integers {
                    let raised = unit.unitRaised(toPower: power)
                    #expect(power == 0 ? raised.isNull() : !raised.isNull(), "\(unit)^\(power)")
                    _ = unreadable.unitRaised(toPower: power)
                    #expect(!raised.isCompatible(with: unreadable))
                }
                for _ in 0..<80 { unit = unit.unitMultiplied(by: unit) }
                #expect(unit.unitDivided(by: unit).isNull() && !unit.unitDivided(by: unreadable).isNull())
            }
        }
    }

    @Test("HKUnit(from:) stops the program where HealthKit raises an exception")
    func from() async {
        await #expect(processExitsWith: .failure) { _ = HKUnit(from: "\u{9B}") }
    }

    @Test("quantities accept any number, and a conversion to another dimension is an error or NaN")
    func quantities() throws {
        let (metre, unreadable) = (HKUnit.meter(), HKUnit.stored("furlong"))
        for value in reals {
            let quantity = HKQuantity(unit: metre, doubleValue: value)
            #expect(quantity.doubleValue(for: metre).bitPattern == value.bitPattern || value.isNaN)
            #expect(quantity.doubleValue(for: .second()).isNaN && quantity.doubleValue(for: unreadable).isNaN)
            #expect(throws: HKUnitError.self) { try quantity.value(in: .second()) }
            #expect(!quantity.is(compatibleWith: .second()) && quantity.is(compatibleWith: .mile()))
            let other = HKQuantity(unit: .second(), doubleValue: value)
            #expect(throws: HKUnitError.self) { try quantity.compared(to: other) }
            #expect(quantity.compare(other) != .orderedSame)
            let conversion = try UnitConversion(from: metre, to: .mile())
            var values = [value, value]
            conversion.convert(&values)
            #expect(conversion.convert(value).isNaN == value.isNaN && values[0].isNaN == value.isNaN)
            #expect(value.isFinite || values[0].isNaN || values[0] == value)
        }
        #expect(throws: HKUnitError.self) { try UnitConversion(from: metre, to: .second()) }
        #expect(throws: HKUnitError.self) { try UnitConversion(from: unreadable, to: metre) }
    }

    @Test("types accept any text as identifier")
    func types() {
        for text in texts {
            #expect(HealthTypes.type(for: text).identifier == text)
            #expect(HealthTypes.type(for: HKQuantityTypeIdentifier(rawValue: text)).identifier == text)
            #expect(HealthTypes.type(for: HKCategoryTypeIdentifier(rawValue: text)).identifier == text)
            #expect(HealthTypes.find(text) == nil)
            for limit in integers {
                #expect(HealthTypes.suggestions(for: String(text.prefix(1_000)), limit: limit).count <= max(limit, 0))
            }
            #expect(HKWorkoutActivityType(name: text) == nil && HKWorkoutActivityType.find(text) == nil)
            #expect(HealthMetadataKeys.predefined(text) == nil)
            let category = HKCategoryTypeIdentifier(rawValue: text)
            #expect(HealthCategoryValues.values(of: category).isEmpty)
            for raw in integers {
                _ = (
                    HealthCategoryValues.isValid(raw, for: category), HealthCategoryValues.name(of: raw, for: category)
                )
                #expect(HealthCategoryValue(name: text, rawValue: raw).rawValue == raw)
                #expect(HealthCategoryValues.name(of: raw, for: .sleepAnalysis) == nil || (0...5).contains(raw))
            }
            #expect(HealthCategoryValues.rawValue(of: text, for: .sleepAnalysis) == nil)
            #expect(HKObjectType.seriesType(forIdentifier: text) == nil)
            for type: HKObjectType in [
                HKQuantityType(HKQuantityTypeIdentifier(rawValue: text)), HKCategoryType(category),
                HKCorrelationType(HKCorrelationTypeIdentifier(rawValue: text)),
                HKDocumentType(HKDocumentTypeIdentifier(rawValue: text)),
                HKClinicalType(HKClinicalTypeIdentifier(rawValue: text)),
                HKScoredAssessmentType(HKScoredAssessmentTypeIdentifier(rawValue: text)),
                HKCharacteristicType(HKCharacteristicTypeIdentifier(rawValue: text)),
            ] {
                #expect(type.identifier == text)
            }
            let quantity = HKObjectType.quantityType(forIdentifier: HKQuantityTypeIdentifier(rawValue: text))
            #expect(quantity.map { $0.identifier == text } ?? true)
            #expect(quantity.map { $0.is(compatibleWith: .meter()) } ?? true)
            _ = HKObjectType.categoryType(forIdentifier: category)
            _ = HKObjectType.characteristicType(forIdentifier: HKCharacteristicTypeIdentifier(rawValue: text))
            _ = HKObjectType.correlationType(forIdentifier: HKCorrelationTypeIdentifier(rawValue: text))
            _ = HKObjectType.documentType(forIdentifier: HKDocumentTypeIdentifier(rawValue: text))
            _ = HKObjectType.clinicalType(forIdentifier: HKClinicalTypeIdentifier(rawValue: text))
            for locale in ["", "xx_YY", "en_US@\0", String(text.prefix(1_000))] {
                #expect(
                    HealthPreferredUnits.unit(for: HKQuantityType(.bodyMass), locale: Locale(identifier: locale)) != nil
                )
            }
        }
        #expect(!HealthTypes.type(for: HKQuantityTypeIdentifier.bodyMass).isCompatible(with: .meter()))
        #expect(!HKQuantityType(.bodyMass).is(compatibleWith: HKUnit.stored("?")))
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.finishEncoding()
        if let empty = try? NSKeyedUnarchiver(forReadingFrom: archiver.encodedData) {
            #expect(HKQuantityType(coder: empty) == nil)
        }
    }

    @Test("samples accept any value, and invalid samples fail validation and the save rules")
    func samples() throws {
        let mass = HKQuantityType(.bodyMass)
        let (now, sleep) = (Date(timeIntervalSinceReferenceDate: 700_000_000), HKCategoryType(.sleepAnalysis))
        func refused(_ quantity: HKQuantity, _ start: Date, _ end: Date, _ metadata: [String: Any]? = nil) {
            let sample = HKQuantitySample(
                type: mass, quantity: quantity, start: start, end: end, device: nil, metadata: metadata)
            #expect(throws: HKError.self, "\(quantity) \(start) \(end)") { try HealthSaveRules.check(sample) }
            #expect(throws: HKError.self) { try HealthSaveRules.check([sample]) }
            #expect(throws: HKError.self) {
                try HKQuantitySample(validating: mass, quantity: quantity, start: start, end: end, metadata: metadata)
            }
        }
        let good = HKQuantity(unit: kilogram, doubleValue: 70)
        for value in reals where !value.isFinite { refused(HKQuantity(unit: kilogram, doubleValue: value), now, now) }
        refused(HKQuantity(unit: .meter(), doubleValue: 1), now, now)
        refused(HKQuantity(unit: .stored("?"), doubleValue: 1), now, now)
        for date in dates where date.timeIntervalSince1970 != 0 { refused(good, date, date) }
        refused(good, now, now - 1)
        for value: Any in [NSObject(), [1], ["a": 1], Double.nan as Any, Date(timeIntervalSinceReferenceDate: .nan)] {
            refused(good, now, now, ["own": value])
        }
        for value in integers where !(0...5).contains(value) {
            let sample = HKCategorySample(type: sleep, value: value, start: now, end: now)
            #expect(throws: HKError.self) { try HealthSaveRules.check(sample) }
            #expect(throws: HKError.self) {
                try HKCategorySample(validating: sleep, value: value, start: now, end: now)
            }
            #expect(HKCategorySample(type: sleep, value: value, start: now, end: now, metadata: nil).value == value)
            #expect(
                HKCategorySample(type: sleep, value: value, start: now, end: now, device: nil, metadata: nil).value
                    == value)
        }
        let pressure = HKCorrelationType(.bloodPressure)
        let empty = HKCorrelation(type: pressure, start: now, end: now - 1, objects: [])
        #expect(throws: HKError.self) { try HealthSaveRules.check(empty) }
        #expect(throws: HKError.self) { try HKCorrelation(validating: pressure, start: now, end: now, objects: []) }
        let nested = HKCorrelation(type: pressure, start: now, end: now, objects: [empty], metadata: nil)
        #expect(throws: HKError.self) { try HealthSaveRules.check(nested) }
        #expect(
            nested.objects(for: HKQuantityType(.init(rawValue: ""))).isEmpty && nested.objects(for: pressure) == [empty]
        )
        let again = HKCorrelation(type: pressure, start: now, end: now, objects: [], device: nil, metadata: ["": ""])
        #expect(throws: HKError.self) { try HealthSaveRules.check(again) }
        #expect(
            HKQuantitySample(type: mass, quantity: good, start: now, end: now, metadata: ["own": "x"]).metadata?.count
                == 1)
        #expect(throws: Never.self) {
            try HealthSaveRules.check(HKQuantitySample(type: mass, quantity: good, start: now, end: now))
        }
        #expect(throws: Never.self) { try HealthSaveRules.check([HKObject]()) }
    }

    @Test("devices, sources, errors, goals and summaries keep any value")
    func values() {
        for text in texts {
            let device = HKDevice(
                name: text, manufacturer: text, model: nil, hardwareVersion: text, firmwareVersion: nil,
                softwareVersion: text, localIdentifier: text, udiDeviceIdentifier: nil)
            #expect(device.name == text && device.model == nil)
            let version = OperatingSystemVersion(majorVersion: .min, minorVersion: .max, patchVersion: -1)
            let revision = HKSourceRevision(
                source: .default(), version: text, productType: text, operatingSystemVersion: version)
            #expect(revision.version == text && HKSourceRevision(source: .default(), version: nil).version == nil)
            let error = HKError(.errorInvalidArgument, reason: text, place: text, advice: text, isOutcomeUnknown: true)
            #expect(error.code == .errorInvalidArgument)
        }
        let goals = HealthActivityGoals(
            activeEnergyBurned: HKQuantity(unit: .meter(), doubleValue: .nan), appleMoveTime: nil,
            appleExerciseTime: HKQuantity(unit: .minute(), doubleValue: -1), appleStandHours: nil)
        #expect(goals.activeEnergyBurned?.doubleValue(for: .kilocalorie()).isNaN == true)
        var calendar = Calendar(identifier: .gregorian)
        for zone in ["UTC", "Pacific/Kiritimati"] {
            calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
            #expect(HKActivitySummary().dateComponents(for: calendar).calendar != nil)
            #expect(HKActivitySummary().dateComponents(for: Calendar(identifier: .hebrew)).year != .min)
        }
    }

    @Test("predicates accept any date, key, value and option, and match only what they state")
    func predicates() throws {
        let now = Date(timeIntervalSinceReferenceDate: 700_000_000)
        let sample = HKQuantitySample(
            type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: kilogram, doubleValue: 70), start: now,
            end: now,
            metadata: ["own": 5])
        func matches(_ predicate: NSPredicate) -> Bool { predicate.evaluate(with: sample) }
        for start in dates {
            for end in dates {
                for options in [HKQueryOptions(rawValue: 0), HKQueryOptions(rawValue: .max)] {
                    let predicate = HKQuery.predicateForSamples(withStart: start, end: end, options: options)
                    if end < now { #expect(!matches(predicate), "\(start) \(end)") }
                }
            }
        }
        #expect(matches(HKQuery.predicateForSamples(withStart: nil, end: nil)))
        #expect(!matches(HKQuery.predicateForObjects(with: [])) && !matches(HKQuery.predicateForObject(with: UUID())))
        #expect(matches(HKQuery.predicateForObjects(with: [sample.uuid])))
        #expect(!matches(HKQuery.predicateForObjects(from: Set<HKSource>())))
        #expect(!matches(HKQuery.predicateForObjects(from: Set<HKSourceRevision>())))
        #expect(!matches(HKQuery.predicateForObjects(from: Set<HKDevice>())))
        _ = matches(HKQuery.predicateForObjects(from: HKSource.default()))
        for text in texts {
            #expect(!matches(HKQuery.predicateForObjects(withDeviceProperty: text, allowedValues: [text])))
            #expect(!matches(HKQuery.predicateForObjects(withMetadataKey: text)))
            #expect(!matches(HKQuery.predicateForObjects(withMetadataKey: "own", allowedValues: [text])))
            #expect(!matches(HKQuery.predicateForObjects(withMetadataKey: text, operatorType: .equalTo, value: text)))
        }
        for value: Any in [
            NSObject(), [1], Double.nan, Date(timeIntervalSinceReferenceDate: .nan),
            HKQuantity(unit: .meter(), doubleValue: .nan),
        ] {
            #expect(!matches(HKQuery.predicateForObjects(withMetadataKey: "own", allowedValues: [value])))
            #expect(
                !matches(HKQuery.predicateForObjects(withMetadataKey: "own", operatorType: .lessThan, value: value)))
        }
        #expect(!matches(HKQuery.predicateForObjects(withMetadataKey: "own", allowedValues: [])))
        for unit in [HKUnit.meter(), .stored("?"), kilogram] {
            for value in [Double.nan, .infinity] {
                let quantity = HKQuantity(unit: unit, doubleValue: value)
                #expect(!matches(HKQuery.predicateForQuantitySamples(with: .greaterThan, quantity: quantity)))
            }
        }
        for value in integers {
            #expect(!matches(HKQuery.predicateForCategorySamples(with: .equalTo, value: value)))
        }
        #expect(!matches(HKQuery.predicateForCategorySamples(equalTo: [])))
        #expect(!matches(HKQuery.predicateForElectrocardiograms(classification: .notSet)))
        #expect(!matches(HKQuery.predicateForElectrocardiograms(symptomsStatus: .none)))
        #expect(!matches(HKCategoryValueSleepAnalysis.predicateForSamples(.equalTo, value: .inBed)))
        #expect(!matches(HKCategoryValueSleepAnalysis.predicateForSamples(equalTo: [])))
        var odd = DateComponents()
        (odd.year, odd.month, odd.day) = (.max, .min, .max)
        for components in [DateComponents(), odd, DateComponents(year: 2024, month: 13, day: 40)] {
            #expect(!matches(HKQuery.predicateForActivitySummary(with: components)))
            #expect(!matches(HKQuery.predicate(forActivitySummariesBetweenStart: components, end: components)))
        }
        let none = NSPredicate(value: false)
        #expect(
            !matches(HKSamplePredicate<HKSample>.sample(type: sample.sampleType, predicate: none).nsPredicate ?? none))
        _ = HKSamplePredicate<HKQuantitySample>.quantitySample(
            type: HKQuantityType(.init(rawValue: "")), predicate: none)
        _ = HKSamplePredicate<HKCategorySample>.categorySample(
            type: HKCategoryType(.init(rawValue: "")), predicate: none)
        _ = HKSamplePredicate<HKCorrelation>.correlation(type: HKCorrelationType(.init(rawValue: "")), predicate: none)
        _ = HKSamplePredicate<HKHeartbeatSeriesSample>.heartbeatSeries(none)
        _ = HKSamplePredicate<HKWorkoutRoute>.workoutRoute(none)
        _ = HKSamplePredicate<HKElectrocardiogram>.electrocardiogram(none)
        #expect(HKStatisticsOptions(rawValue: .max).contains(.cumulativeSum))
    }
}

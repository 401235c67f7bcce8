// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel

@Suite("S-6 audiograms, states of mind, questionnaires and classifications as values")
struct AudiogramTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
    private static func hertz(_ value: Double) -> HKQuantity { HKQuantity(unit: .hertz(), doubleValue: value) }
    private static func level(_ value: Double) -> HKQuantity {
        HKQuantity(unit: .decibelHearingLevel(), doubleValue: value)
    }

    private static func point(_ frequency: Double) throws -> HKAudiogramSensitivityPoint {
        try HKAudiogramSensitivityPoint(
            frequency: hertz(frequency), leftEarSensitivity: level(10), rightEarSensitivity: level(15))
    }

    private func isRefused(_ object: HKObject) -> Bool {
        do throws(HKError) {
            try HealthSaveRules.check(object)
            return false
        } catch {
            return error.code == .errorInvalidArgument
        }
    }

    private static func audiogram(_ points: [HKAudiogramSensitivityPoint]) -> HKAudiogramSample {
        HKAudiogramSample(sensitivityPoints: points, start: date, end: date, metadata: nil)
    }

    @Test("an audiogram has 1 to 30 points with ascending frequencies")
    func points() throws {
        let sound = try (1...30).map { try Self.point(Double($0) * 100) }
        #expect(!isRefused(Self.audiogram(sound)) && !isRefused(Self.audiogram([sound[0]])))
        #expect(isRefused(Self.audiogram([])))
        #expect(isRefused(Self.audiogram(sound + [try Self.point(9_000)])))
        #expect(isRefused(Self.audiogram([sound[1], sound[0]])) && isRefused(Self.audiogram([sound[0], sound[0]])))
        #expect(sound[0].leftEarSensitivity == Self.level(10) && sound[0].rightEarSensitivity == Self.level(15))
        #expect(sound[0].tests.map(\.side) == [.left, .right] && sound[0].tests.allSatisfy { !$0.masked })
        let device = HKAudiogramSample(
            sensitivityPoints: sound, start: Self.date, end: Self.date, device: .local(), metadata: nil)
        #expect(device.device == .local() && device.sampleType == HKObjectType.audiogramSampleType())
    }

    @Test("points, tests and ranges of impossible values throw errors")
    func hostile() {
        for frequency in [Self.hertz(0), Self.hertz(-1), Self.hertz(.nan), Self.hertz(200_000), Self.level(100)] {
            #expect(throws: HKError.self) {
                try HKAudiogramSensitivityPoint(
                    frequency: frequency, leftEarSensitivity: Self.level(1), rightEarSensitivity: nil)
            }
        }
        #expect(throws: HKError.self) {
            try HKAudiogramSensitivityPoint(
                frequency: Self.hertz(500), leftEarSensitivity: nil, rightEarSensitivity: nil)
        }
        for level in [Self.level(-101), Self.level(201), Self.level(.nan), Self.hertz(10)] {
            #expect(throws: HKError.self) {
                try HKAudiogramSensitivityTest(
                    sensitivity: level, type: .air, masked: false, side: .left, clampingRange: nil)
            }
        }
        #expect(throws: HKError.self) {
            let test = try HKAudiogramSensitivityTest(
                sensitivity: Self.level(1), type: .air, masked: true, side: .left)
            _ = try HKAudiogramSensitivityPoint(frequency: Self.hertz(500), tests: [test, test])
        }
        let ranges: [(Double?, Double?)] = [(nil, nil), (5, 5), (6, 5), (.nan, nil), (nil, .infinity), (-200, nil)]
        for (lower, upper) in ranges {
            #expect(throws: HKError.self) {
                try HKAudiogramSensitivityPointClampingRange(
                    lowerBound: lower.map { NSNumber(value: $0) }, upperBound: upper.map { NSNumber(value: $0) })
            }
        }
        let range = try? HKAudiogramSensitivityPointClampingRange(lowerBound: -10, upperBound: 85)
        #expect(range?.lowerBound == Self.level(-10) && range?.upperBound == Self.level(85))
    }

    @Test("the classifications of a valence are seven equal parts, and neutral includes its limits")
    func valence() {
        typealias Class = HKStateOfMind.ValenceClassification
        let limits: [(Double, Class)] = [
            (-1, .veryUnpleasant), (-0.72, .veryUnpleasant), (-0.7, .unpleasant), (-0.4, .slightlyUnpleasant),
            (-1.0 / 7, .neutral), (0, .neutral), (1.0 / 7, .neutral), (0.2, .slightlyPleasant), (0.5, .pleasant),
            (0.8, .veryPleasant), (1, .veryPleasant),
        ]
        for (valence, expected) in limits { #expect(Class(valence: valence) == expected, "\(valence)") }
        for wrong in [-1.01, 1.01, .nan, .infinity] { #expect(Class(valence: wrong) == nil) }
        #expect(HKStateOfMind.Label.allCases.map(\.rawValue) == Array(1...38))
        #expect(HKStateOfMind.Association.allCases.map(\.rawValue) == Array(1...18))
        #expect(HKStateOfMind.Label.worried.rawValue == 31 && HKStateOfMind.Association.weather.rawValue == 18)
    }

    @Test("states of mind match the predicates of kind, valence, label and association; a wrong valence is refused")
    func mind() {
        let state = HKStateOfMind(
            date: Self.date, kind: .momentaryEmotion, valence: 0.5, labels: [.calm, .proud], associations: [.work])
        let predicates = [
            HKQuery.predicateForStatesOfMind(with: HKStateOfMind.Kind.momentaryEmotion),
            HKQuery.predicateForStatesOfMind(with: HKStateOfMind.Label.calm),
            HKQuery.predicateForStatesOfMind(with: HKStateOfMind.Association.work),
            HKQuery.predicateForStatesOfMind(withValence: 0.4, operatorType: .greaterThan),
        ]
        let others = [
            HKQuery.predicateForStatesOfMind(with: HKStateOfMind.Kind.dailyMood),
            HKQuery.predicateForStatesOfMind(with: HKStateOfMind.Label.angry),
            HKQuery.predicateForStatesOfMind(with: HKStateOfMind.Association.money),
            HKQuery.predicateForStatesOfMind(withValence: .nan, operatorType: .greaterThan),
        ]
        for one in predicates { #expect(one.evaluate(with: state)) }
        for one in others { #expect(!one.evaluate(with: state)) }
        #expect(!isRefused(state) && state.valenceClassification == .pleasant && state.startDate == state.endDate)
        for valence in [1.5, -2, .nan] {
            let wrong = HKStateOfMind(
                date: Self.date, kind: .dailyMood, valence: valence, labels: [], associations: [], metadata: nil)
            #expect(isRefused(wrong) && wrong.valenceClassification == .neutral)
        }
    }

    @Test("questionnaires add their answers, and need all of them")
    func assessments() {
        for (score, risk) in [(4, HKGAD7Assessment.Risk.noneToMinimal), (5, .mild), (10, .moderate), (15, .severe)] {
            var answers = [HKGAD7Assessment.Answer](repeating: .notAtAll, count: 7)
            for place in 0..<score {
                answers[place % 7] = .init(rawValue: answers[place % 7].rawValue + 1) ?? .notAtAll
            }
            let one = HKGAD7Assessment(date: Self.date, answers: answers)
            #expect(one.score == score && one.risk == risk && !isRefused(one))
        }
        for (score, risk) in [
            (0, HKPHQ9Assessment.Risk.noneToMinimal), (9, .mild), (14, .moderate), (19, .moderatelySevere),
            (27, .severe),
        ] {
            var answers = [HKPHQ9Assessment.Answer](repeating: .notAtAll, count: 9)
            for place in 0..<score {
                answers[place % 9] = .init(rawValue: answers[place % 9].rawValue + 1) ?? .notAtAll
            }
            let one = HKPHQ9Assessment(date: Self.date, answers: answers)
            #expect(one.score == score && one.risk == risk && !isRefused(one))
        }
        let most = [HKPHQ9Assessment.Answer](repeating: .severalDays, count: 8)
        let silent = HKPHQ9Assessment(date: Self.date, answers: most + [.preferNotToAnswer])
        #expect(silent.score == 8 && !isRefused(silent))
        #expect(isRefused(HKPHQ9Assessment(date: Self.date, answers: [.preferNotToAnswer] + most)))
        #expect(isRefused(HKPHQ9Assessment(date: Self.date, answers: most)))
        #expect(isRefused(HKGAD7Assessment(date: Self.date, answers: [])))
    }

    @Test("classifications of steadiness and of breathing disturbances cover their ranges")
    func classifications() throws {
        typealias Steadiness = HKAppleWalkingSteadinessClassification
        func share(_ value: Double) -> HKQuantity { HKQuantity(unit: .percent(), doubleValue: value) }
        for one in Steadiness.allCases {
            #expect(try Steadiness(for: one.minimum) == one)
            #expect(one.minimum.value < one.maximum.value)
        }
        #expect(try Steadiness(for: share(1)) == .ok)
        for wrong in [share(-0.1), share(1.1), share(.nan), Self.hertz(0.5)] {
            #expect(throws: HKError.self) { try Steadiness(for: wrong) }
        }
        typealias Breathing = HKAppleSleepingBreathingDisturbancesClassification
        func count(_ value: Double) -> HKQuantity { HKQuantity(unit: .count(), doubleValue: value) }
        #expect(Breathing(classifying: count(3)) == .notElevated)
        for one in Breathing.allCases { #expect(Breathing(classifying: one.minimum) == one) }
        #expect(Breathing(classifying: count(-1)) == nil && Breathing(classifying: Self.hertz(1)) == nil)
    }

    @Test("units convert to those of Foundation's formatters and back")
    func formatters() {
        for unit in [EnergyFormatter.Unit.joule, .kilojoule, .calorie, .kilocalorie] {
            #expect(HKUnit.energyFormatterUnit(from: HKUnit(from: unit)) == unit)
        }
        let lengths: [LengthFormatter.Unit] = [
            .millimeter, .centimeter, .meter, .kilometer, .inch, .foot, .yard, .mile,
        ]
        for unit in lengths { #expect(HKUnit.lengthFormatterUnit(from: HKUnit(from: unit)) == unit) }
        for unit in [MassFormatter.Unit.gram, .kilogram, .ounce, .pound, .stone] {
            #expect(HKUnit.massFormatterUnit(from: HKUnit(from: unit)) == unit)
        }
        #expect(HKUnit.massFormatterUnit(from: .hertz()) == .gram)
        #expect(HKUnit.lengthFormatterUnit(from: .hertz()) == .meter)
        #expect(HKUnit.energyFormatterUnit(from: .largeCalorie()) == .kilocalorie)
    }

    @Test("the old constants of types are their identifiers")
    func constants() {
        let types: [(String, HKObjectType)] = [
            (HKActivitySummaryTypeIdentifier, .activitySummaryType()),
            (HKVisionPrescriptionTypeIdentifier, .visionPrescriptionType()),
            (HKDataTypeIdentifierStateOfMind, .stateOfMindType()),
            (HKDataTypeIdentifierUserAnnotatedMedicationConcept, .userAnnotatedMedicationType()),
            (HKMedicationDoseEventTypeIdentifierMedicationDoseEvent, .medicationDoseEventType()),
        ]
        for (identifier, type) in types { #expect(type.identifier == identifier && type.isKnown) }
        let all: [HKScoredAssessment] = [HKGAD7Assessment(date: Self.date, answers: [])]
        #expect(all[0].score == 0)
        let lens: HKLensSpecification = HKContactsLensSpecification(
            sphere: HKQuantity(unit: .diopter(), doubleValue: 1))
        #expect(lens.description == "sphere 1 D" && HKFHIRVersion.primaryR4().fhirRelease == HKFHIRRelease.r4)
    }

    @Test("versions of FHIR have three numbers, and records are classified by their resource")
    func clinical() throws {
        #expect(try HKFHIRVersion(fromVersionString: "4.0.1") == .primaryR4())
        #expect(HKFHIRVersion.primaryDSTU2().fhirRelease == .dstu2 && HKFHIRVersion.primaryR4().fhirRelease == .r4)
        #expect(HKFHIRVersion(stored: "").fhirRelease == .unknown)
        for wrong in ["", "4", "4.0", "4.0.x", "4.0.-1", "+4.0.1", "4..1", String(repeating: "9", count: 100_000)] {
            #expect(throws: HKError.self) { try HKFHIRVersion(fromVersionString: wrong) }
        }
        func kind(_ type: HKFHIRResourceType, _ json: String) -> HKClinicalTypeIdentifier {
            FHIRSummary(Data(json.utf8)).type(of: type)
        }
        #expect(kind(.observation, #"{"category":[{"coding":[{"code":"vital-signs"}]}]}"#) == .vitalSignRecord)
        #expect(kind(.observation, #"{"category":{"text":"Vital Signs"}}"#) == .vitalSignRecord)
        #expect(kind(.observation, "{") == .labResultRecord && kind(.condition, "[]") == .conditionRecord)
        #expect(kind(HKFHIRResourceType(rawValue: "New"), "") == .clinicalNoteRecord)
        let names = [
            (#"{"code":{"text":"Glucose"}}"#, "Glucose"), (#"{"vaccineCode":{"coding":[{"display":"Flu"}]}}"#, "Flu"),
        ]
        for (json, name) in names { #expect(FHIRSummary(Data(json.utf8)).displayName == name) }
        let deep = String(repeating: "[", count: 100_000)
        #expect(FHIRSummary(Data(deep.utf8)).displayName == nil)
    }
}

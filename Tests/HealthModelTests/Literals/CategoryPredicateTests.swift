// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("S-37 each enumeration of category values makes predicates")
struct CategoryPredicateTests {
    /// Checks the predicates of an enumeration with samples of a type that has its values.
    private func check<Value: HKCategoryValuePredicateProviding & Hashable>(
        _ type: HKCategoryTypeIdentifier, _ value: Value, _ number: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        func sample(_ number: Int) -> HKCategorySample {
            HKCategorySample(type: HKCategoryType(type), value: number, start: .distantPast, end: .distantPast)
        }
        let equal = Value.predicateForSamples(equalTo: [value])
        let notEqual = Value.predicateForSamples(.notEqualTo, value: value)
        let less = Value.predicateForSamples(NSComparisonPredicate.Operator.lessThan, value: value)
        #expect(equal.evaluate(with: sample(number)), sourceLocation: sourceLocation)
        #expect(!equal.evaluate(with: sample(number + 1)), sourceLocation: sourceLocation)
        #expect(!notEqual.evaluate(with: sample(number)), sourceLocation: sourceLocation)
        #expect(notEqual.evaluate(with: sample(number + 1)), sourceLocation: sourceLocation)
        #expect(!less.evaluate(with: sample(number)), sourceLocation: sourceLocation)
        #expect(less.evaluate(with: sample(number - 1)), sourceLocation: sourceLocation)
    }

    @Test("equality, inequality and order compare the number of the value")
    func predicates() {
        check(.headache, HKCategoryValueSeverity.mild, 2)
        check(.appetiteChanges, HKCategoryValueAppetiteChanges.decreased, 2)
        check(.appleStandHour, HKCategoryValueAppleStandHour.idle, 1)
        check(.appleWalkingSteadinessEvent, HKCategoryValueAppleWalkingSteadinessEvent.repeatLow, 3)
        check(.environmentalAudioExposureEvent, HKCategoryValueEnvironmentalAudioExposureEvent.momentaryLimit, 1)
        check(.headphoneAudioExposureEvent, HKCategoryValueHeadphoneAudioExposureEvent.sevenDayLimit, 1)
        check(.audioExposureEvent, HKCategoryValueAudioExposureEvent.loudEnvironment, 1)
        check(.bleedingDuringPregnancy, HKCategoryValueVaginalBleeding.medium, 3)
        check(.menstrualFlow, HKCategoryValueMenstrualFlow.medium, 3)
        check(.cervicalMucusQuality, HKCategoryValueCervicalMucusQuality.creamy, 3)
        check(.contraceptive, HKCategoryValueContraceptive.oral, 6)
        check(.mindfulSession, HKCategoryValue.notApplicable, 0)
        check(.lowCardioFitnessEvent, HKCategoryValueLowCardioFitnessEvent.lowFitness, 1)
        check(.sleepChanges, HKCategoryValuePresence.notPresent, 1)
        check(.ovulationTestResult, HKCategoryValueOvulationTestResult.estrogenSurge, 4)
        check(.pregnancyTestResult, HKCategoryValuePregnancyTestResult.positive, 2)
        check(.progesteroneTestResult, HKCategoryValueProgesteroneTestResult.positive, 2)
        check(.sleepAnalysis, HKCategoryValueSleepAnalysis.asleepCore, 3)
    }
}

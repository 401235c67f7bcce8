// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Testing

@Suite("S-10 category values have names and numbers")
struct CategoryValueTests {
    @Test("S-25 older value names of exports are parsed")
    func olderNames() {
        #expect(HealthCategoryValues.rawValue(of: "HKCategoryValueSleepAnalysisAsleep", for: .sleepAnalysis) == 1)
        #expect(
            HealthCategoryValues.name(of: 1, for: .sleepAnalysis) == "HKCategoryValueSleepAnalysisAsleepUnspecified")
        #expect(HealthCategoryValues.rawValue(of: "HKCategoryValueMenstrualFlowHeavy", for: .menstrualFlow) == 4)
        #expect(HealthCategoryValues.name(of: 4, for: .menstrualFlow) == "HKCategoryValueVaginalBleedingHeavy")
        #expect(
            HealthCategoryValues.rawValue(of: "HKCategoryValueOvulationTestResultPositive", for: .ovulationTestResult)
                == 2)
        // Types that have value names today had none when the export was written.
        #expect(HealthCategoryValues.rawValue(of: "HKCategoryValueNotApplicable", for: .sleepAnalysis) == 0)
        #expect(HealthCategoryValues.rawValue(of: "HKCategoryValueNotApplicable", for: .sexualActivity) == 0)
        let old = "HKCategoryValueAudioExposureEventLoudEnvironment"
        #expect(HealthCategoryValues.rawValue(of: old, for: .environmentalAudioExposureEvent) == 1)
    }

    @Test("short names and numbers are parsed")
    func people() {
        #expect(HealthCategoryValues.rawValue(of: "asleepCore", for: .sleepAnalysis) == 3)
        #expect(HealthCategoryValues.rawValue(of: "INBED", for: .sleepAnalysis) == 0)
        #expect(HealthCategoryValues.rawValue(of: "heavy", for: .menstrualFlow) == 4)
        #expect(HealthCategoryValues.rawValue(of: "notApplicable", for: .mindfulSession) == 0)
        #expect(HealthCategoryValues.rawValue(of: "5", for: .sleepAnalysis) == 5)
        #expect(HealthCategoryValues.rawValue(of: "-1", for: .sleepAnalysis) == -1)
        #expect(HealthCategoryValues.rawValue(of: "", for: .sleepAnalysis) == nil)
        #expect(HealthCategoryValues.rawValue(of: "asleepish", for: .sleepAnalysis) == nil)
        #expect(HealthCategoryValues.rawValue(of: "99999999999999999999", for: .sleepAnalysis) == nil)
    }

    @Test("S-19 numbers outside a type's values are invalid, and an unknown type accepts any number")
    func validity() {
        #expect(!HealthCategoryValues.isValid(0, for: .cervicalMucusQuality))
        #expect(HealthCategoryValues.isValid(5, for: .cervicalMucusQuality))
        #expect(HealthCategoryValues.name(of: 0, for: .cervicalMucusQuality) == nil)
        let unknown = HKCategoryTypeIdentifier(rawValue: "HKCategoryTypeIdentifierMenopausalState")
        #expect(HealthCategoryValues.isValid(7, for: unknown))
        #expect(HealthCategoryValues.values(of: unknown).isEmpty)
        #expect(HealthCategoryValues.name(of: 7, for: unknown) == nil)
        #expect(HealthCategoryValues.rawValue(of: "7", for: unknown) == 7)
        #expect(HealthCategoryValues.rawValue(of: "HKCategoryValueSeverityMild", for: unknown) == 2)
    }

    @Test("S-59 workout activities are found by names as people type them")
    func workouts() {
        #expect(HKWorkoutActivityType.find("running") == .running)
        #expect(HKWorkoutActivityType.find("high-intensity interval training") == .highIntensityIntervalTraining)
        #expect(HKWorkoutActivityType.find("hkworkoutactivitytypeYoga") == .yoga)
        #expect(HKWorkoutActivityType.find("quidditch") == nil)
        #expect(HKWorkoutActivityType(name: "running") == nil)
        #expect(HKWorkoutActivityType(name: "HKWorkoutActivityTypeNewSport") == nil)
    }
}

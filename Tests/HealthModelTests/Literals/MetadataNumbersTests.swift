// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Testing

@Suite("S-10 the values of metadata have HealthKit's numbers")
struct MetadataNumbersTests {
    @Test func appleECGAlgorithmVersion() {
        let numbers: KeyValuePairs<HKAppleECGAlgorithmVersion, Int> = [
            .version1: 1, .version2: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func bloodGlucoseMealTime() {
        let numbers: KeyValuePairs<HKBloodGlucoseMealTime, Int> = [
            .preprandial: 1, .postprandial: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func bodyTemperatureSensorLocation() {
        let numbers: KeyValuePairs<HKBodyTemperatureSensorLocation, Int> = [
            .other: 0, .armpit: 1, .body: 2, .ear: 3, .finger: 4, .gastroIntestinal: 5, .mouth: 6, .rectum: 7,
            .toe: 8, .earDrum: 9, .temporalArtery: 10, .forehead: 11,
        ]
        expectNumbers(numbers)
    }

    @Test func cyclingFunctionalThresholdPowerTestType() {
        let numbers: KeyValuePairs<HKCyclingFunctionalThresholdPowerTestType, Int> = [
            .maxExercise60Minute: 1, .maxExercise20Minute: 2, .rampTest: 3, .predictionExercise: 4,
        ]
        expectNumbers(numbers)
    }

    @Test func devicePlacementSide() {
        let numbers: KeyValuePairs<HKDevicePlacementSide, Int> = [
            .unknown: 0, .left: 1, .right: 2, .central: 3,
        ]
        expectNumbers(numbers)
    }

    @Test func heartRateMotionContext() {
        let numbers: KeyValuePairs<HKHeartRateMotionContext, Int> = [
            .notSet: 0, .sedentary: 1, .active: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func heartRateRecoveryTestType() {
        let numbers: KeyValuePairs<HKHeartRateRecoveryTestType, Int> = [
            .maxExercise: 1, .predictionSubMaxExercise: 2, .predictionNonExercise: 3,
        ]
        expectNumbers(numbers)
    }

    @Test func heartRateSensorLocation() {
        let numbers: KeyValuePairs<HKHeartRateSensorLocation, Int> = [
            .other: 0, .chest: 1, .wrist: 2, .finger: 3, .hand: 4, .earLobe: 5, .foot: 6,
        ]
        expectNumbers(numbers)
    }

    @Test func insulinDeliveryReason() {
        let numbers: KeyValuePairs<HKInsulinDeliveryReason, Int> = [
            .basal: 1, .bolus: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func physicalEffortEstimationType() {
        let numbers: KeyValuePairs<HKPhysicalEffortEstimationType, Int> = [
            .activityLookup: 1, .deviceSensed: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func swimmingStrokeStyle() {
        let numbers: KeyValuePairs<HKSwimmingStrokeStyle, Int> = [
            .unknown: 0, .mixed: 1, .freestyle: 2, .backstroke: 3, .breaststroke: 4, .butterfly: 5, .kickboard: 6,
        ]
        expectNumbers(numbers)
    }

    @Test func userMotionContext() {
        let numbers: KeyValuePairs<HKUserMotionContext, Int> = [
            .notSet: 0, .stationary: 1, .active: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func vO2MaxTestType() {
        let numbers: KeyValuePairs<HKVO2MaxTestType, Int> = [
            .maxExercise: 1, .predictionSubMaxExercise: 2, .predictionNonExercise: 3, .predictionStepTest: 4,
        ]
        expectNumbers(numbers)
    }

    @Test func waterSalinity() {
        let numbers: KeyValuePairs<HKWaterSalinity, Int> = [
            .freshWater: 1, .saltWater: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func weatherCondition() {
        let numbers: KeyValuePairs<HKWeatherCondition, Int> = [
            .none: 0, .clear: 1, .fair: 2, .partlyCloudy: 3, .mostlyCloudy: 4, .cloudy: 5, .foggy: 6, .haze: 7,
            .windy: 8, .blustery: 9, .smoky: 10, .dust: 11, .snow: 12, .hail: 13, .sleet: 14, .freezingDrizzle: 15,
            .freezingRain: 16, .mixedRainAndHail: 17, .mixedRainAndSnow: 18, .mixedRainAndSleet: 19,
            .mixedSnowAndSleet: 20, .drizzle: 21, .scatteredShowers: 22, .showers: 23, .thunderstorms: 24,
            .tropicalStorm: 25, .hurricane: 26, .tornado: 27,
        ]
        expectNumbers(numbers)
    }
}

// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// The activity types of the sports in files.
enum WorkoutSports {
    /// The activity types of FIT's sports, by number.
    private static let sports: [Int: HKWorkoutActivityType] = [
        1: .running, 2: .cycling, 3: .transition, 5: .swimming, 6: .basketball, 7: .soccer, 8: .tennis,
        9: .americanFootball, 11: .walking, 12: .crossCountrySkiing, 13: .downhillSkiing, 14: .snowboarding,
        15: .rowing, 16: .climbing, 17: .hiking, 18: .swimBikeRun, 19: .paddleSports, 21: .cycling, 25: .golf,
        27: .equestrianSports, 28: .hunting, 29: .fishing, 30: .skatingSports, 31: .climbing, 32: .sailing,
        33: .skatingSports, 35: .snowSports, 37: .paddleSports, 38: .surfingSports, 41: .paddleSports,
        42: .paddleSports, 43: .surfingSports, 44: .surfingSports, 47: .boxing, 48: .stairClimbing,
        53: .underwaterDiving,
    ]

    /// The activity types of FIT's sub-sports of fitness equipment and training, by number.
    private static let details: [Int: HKWorkoutActivityType] = [
        1: .running, 6: .cycling, 5: .cycling, 14: .rowing, 15: .elliptical, 16: .stairClimbing, 19: .flexibility,
        20: .traditionalStrengthTraining, 26: .mixedCardio, 27: .walking, 43: .yoga, 44: .pilates, 45: .running,
        70: .highIntensityIntervalTraining,
    ]

    /// FIT's sub-sports that take place indoors: treadmill, spin, indoor cycling, rowing, walking and running, lap
    /// swimming, virtual activity.
    private static let indoor: Set<Int> = [1, 5, 6, 14, 15, 16, 17, 27, 45, 58]

    /// Returns the activity type of a FIT sport and sub-sport; `.other` for an unknown sport.
    static func activity(fit sport: Int?, _ detail: Int?) -> HKWorkoutActivityType {
        if let sport, let known = sports[sport] { return known }
        return detail.flatMap { details[$0] } ?? .other
    }

    /// Returns the location of a FIT sub-sport.
    static func location(fit detail: Int?, hasPool: Bool) -> HKWorkoutSessionLocationType {
        guard let detail else { return .unknown }
        if indoor.contains(detail) { return .indoor }
        return detail == 18 ? .outdoor : hasPool && detail == 0 ? .indoor : .unknown
    }

    /// The activity types of words and numbers in XML files.
    private static let words: [String: HKWorkoutActivityType] = [
        "running": .running, "run": .running, "trail_running": .running, "9": .running, "biking": .cycling,
        "cycling": .cycling, "bike": .cycling, "ride": .cycling, "1": .cycling, "road_biking": .cycling,
        "mountain_biking": .cycling, "walking": .walking, "walk": .walking, "10": .walking, "hiking": .hiking,
        "hike": .hiking, "4": .hiking, "swimming": .swimming, "swim": .swimming, "16": .swimming,
        "open_water_swimming": .swimming, "rowing": .rowing, "multisport": .swimBikeRun, "transition": .transition,
        "cross_country_skiing": .crossCountrySkiing, "resort_skiing_snowboarding": .downhillSkiing,
        "inline_skating": .skatingSports, "kayaking": .paddleSports, "golf": .golf,
    ]

    /// Returns the activity type of a word or number; `.other` for an unknown word.
    static func activity(named word: String) -> HKWorkoutActivityType { words[word.lowercased()] ?? .other }
}

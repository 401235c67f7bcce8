// SPDX-License-Identifier: Apache-2.0

/// A word that people use for a type, such as `steps`.
///
/// `Docs/Guide/Names.md` lists the words. No word is the name of a type, so an alias hides no type.
package struct TypeAlias: Sendable {
    /// The word in lower case, letters and digits only.
    package let word: String
    /// The short name of the type: of a sample type, of a correlation, or of a type of objects without a value.
    package let type: String
    /// One sentence about the samples of the type.
    package let meaning: String

    private init(_ word: String, _ type: String, _ meaning: String) {
        (self.word, self.type, self.meaning) = (word, type, meaning)
    }

    /// Returns the short name of the type that a word means; the text itself if it is no alias.
    ///
    /// Case, blanks and punctuation are ignored: `Resting pulse` is `restingpulse`.
    package static func expanded(_ text: String) -> String { byWord[HealthTypes.fold(text)]?.type ?? text }

    /// Returns the aliases with at most one typing error, in table order; none for words of fewer than three letters.
    package static func similar(to text: String) -> [TypeAlias] {
        let wanted = Array(HealthTypes.fold(text).utf8)
        guard wanted.count > 2 else { return [] }
        return all.filter { $0.word.utf8.count > 2 && editDistance(wanted, Array($0.word.utf8), within: 1) != nil }
    }

    private static let byWord = Dictionary(all.map { ($0.word, $0) }) { first, _ in first }

    /// All words, sorted.
    package static let all: [TypeAlias] = [
        TypeAlias("activeenergy", "activeEnergyBurned", "Energy that movement uses."),
        TypeAlias("bloodsugar", "bloodGlucose", "Glucose in the blood."),
        TypeAlias("bmi", "bodyMassIndex", "Weight divided by the square of the height."),
        TypeAlias("bodyfat", "bodyFatPercentage", "The share of fat in the weight."),
        TypeAlias("bp", "bloodPressure", "Blood pressure, systolic and diastolic together."),
        TypeAlias("breathing", "respiratoryRate", "Breaths a minute."),
        TypeAlias("caffeine", "dietaryCaffeine", "Caffeine in food and drinks."),
        TypeAlias("carbs", "dietaryCarbohydrates", "Carbohydrates in food and drinks."),
        TypeAlias("daylight", "timeInDaylight", "Time in daylight."),
        TypeAlias("diastolic", "bloodPressureDiastolic", "The lower number of a blood pressure."),
        TypeAlias("distance", "distanceWalkingRunning", "Distance on foot."),
        TypeAlias("ecg", "electrocardiogram", "Electrocardiograms of a watch."),
        TypeAlias("ekg", "electrocardiogram", "Electrocardiograms of a watch."),
        TypeAlias("energy", "activeEnergyBurned", "Energy that movement uses."),
        TypeAlias("exercise", "appleExerciseTime", "Minutes of exercise."),
        TypeAlias("falls", "numberOfTimesFallen", "Falls."),
        TypeAlias("flights", "flightsClimbed", "Flights of stairs climbed."),
        TypeAlias("floors", "flightsClimbed", "Flights of stairs climbed."),
        TypeAlias("glucose", "bloodGlucose", "Glucose in the blood."),
        TypeAlias("heartbeats", "heartbeatSeries", "Times of single heartbeats."),
        TypeAlias("hr", "heartRate", "Heartbeats a minute."),
        TypeAlias("hrv", "heartRateVariabilitySDNN", "The standard deviation of the time between heartbeats."),
        TypeAlias("insulin", "insulinDelivery", "Insulin delivered."),
        TypeAlias("meditation", "mindfulSession", "Mindful minutes."),
        TypeAlias("mindfulness", "mindfulSession", "Mindful minutes."),
        TypeAlias("move", "activeEnergyBurned", "Energy that movement uses: the move ring."),
        TypeAlias("noise", "environmentalAudioExposure", "Sound around the wearer."),
        TypeAlias("oxygen", "oxygenSaturation", "Oxygen in the blood."),
        TypeAlias("period", "menstrualFlow", "Menstrual flow."),
        TypeAlias("protein", "dietaryProtein", "Protein in food and drinks."),
        TypeAlias("pulse", "heartRate", "Heartbeats a minute."),
        TypeAlias("restingenergy", "basalEnergyBurned", "Energy that the body uses at rest."),
        TypeAlias("restingpulse", "restingHeartRate", "Heartbeats a minute at rest."),
        TypeAlias("rhr", "restingHeartRate", "Heartbeats a minute at rest."),
        TypeAlias("routes", "workoutRoute", "Routes of workouts."),
        TypeAlias("sleep", "sleepAnalysis", "Time in bed, and time asleep by stage."),
        TypeAlias("spo2", "oxygenSaturation", "Oxygen in the blood."),
        TypeAlias("stairs", "flightsClimbed", "Flights of stairs climbed."),
        TypeAlias("stand", "appleStandHour", "Hours with a minute of standing: the stand ring."),
        TypeAlias("standhours", "appleStandHour", "Hours with a minute of standing."),
        TypeAlias("steps", "stepCount", "Steps."),
        TypeAlias("sugar", "bloodGlucose", "Glucose in the blood."),
        TypeAlias("systolic", "bloodPressureSystolic", "The upper number of a blood pressure."),
        TypeAlias("temperature", "bodyTemperature", "The temperature of the body."),
        TypeAlias("vo2", "vo2Max", "The greatest rate of oxygen uptake; also found as vo2max."),
        TypeAlias("waist", "waistCircumference", "The circumference of the waist."),
        TypeAlias("water", "dietaryWater", "Water drunk."),
        TypeAlias("weight", "bodyMass", "The weight of the body."),
        TypeAlias("workouts", "workout", "Workouts."),
    ]
}

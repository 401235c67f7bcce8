// SPDX-License-Identifier: Apache-2.0

/// Typical text of an export: the preset dictionary of a compressor.
///
/// The text is part of the format: bytes compressed with it need exactly this text to be decompressed. A better text
/// needs a new number. The most frequent text is last, where references to it are shortest.
enum ObjectDictionary {
    static let first: [UInt8] = Array(
        (vision + workoutExtras + summary + correlation + workout).utf8)

    private static let source =
        #"sourceName="Apple Watch" sourceVersion="10.1" device="&lt;&lt;HKDevice: 0x280000000&gt;, "#
        + #"name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:10.1&gt;" "#

    private static let dates =
        #"creationDate="2023-01-01 10:00:00 +0200" startDate="2023-01-01 10:00:00 +0200" "#
        + #"endDate="2023-01-01 10:00:00 +0200""#

    private static let vision =
        #"<VisionPrescription type="glasses" dateIssued="" expirationDate="" brand=""><RightEye sphere="" "#
        + #"sphereUnit="D" cylinder="" cylinderUnit="D" axis="" axisUnit="deg"/><LeftEye add="" vertex="" "#
        + #"prismAmount="" prismAngle="" farPD="" nearPD="" baseCurve="" diameter=""/></VisionPrescription>"#
        + #"<ClinicalRecord type="" identifier="" sourceName="" sourceURL="" fhirVersion="4.0.1" receivedDate="" "#
        + #"resourceFilePath="/clinical-records/"/><Audiogram type="HKDataTypeIdentifierAudiogram" "#
        + #"><SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="15" leftEarUnit="dBHL" "#
        + #"rightEarValue="10" rightEarUnit="dBHL"/></Audiogram>"#
        + #"<Location date="2019-01-01 10:00:00 +0100" latitude="" longitude="" altitude="" horizontalAccuracy="" "#
        + #"verticalAccuracy="" course="" speed=""/>"#

    private static let workoutExtras =
        #" totalDistance="0" totalDistanceUnit="km" totalEnergyBurned="0" totalEnergyBurnedUnit="kJ""#
        + #"HKWorkoutActivityTypeFunctionalStrengthTrainingHKWorkoutActivityTypeSwimmingHKWorkoutActivityTypeYoga"#
        + #"HKWorkoutActivityTypeHikingHKWorkoutActivityTypeElliptical"#
        + #"HKWorkoutEventTypeMarkerHKWorkoutEventTypeMotionPausedHKWorkoutEventTypeMotionResumed"#
        + #"HKQuantityTypeIdentifierDistanceSwimmingHKQuantityTypeIdentifierSwimmingStrokeCount"#
        + #"HKQuantityTypeIdentifierRunningPowerHKQuantityTypeIdentifierRunningSpeed" unit="km/hr"/>"#
        + #"<MetadataEntry key="HKMetadataKeySyncVersion" value="1"/><MetadataEntry key="HKMetadataKeySyncIdentifier" "#
        + #"value="<MetadataEntry key="HKElevationAscended" value="1000 cm"/>"#

    private static let summary =
        #"<ActivitySummary dateComponents="2023-01-01" activeEnergyBurned="500" activeEnergyBurnedGoal="500" "#
        + #"activeEnergyBurnedUnit="kcal" appleMoveTime="0" appleMoveTimeGoal="0" appleExerciseTime="30" "#
        + #"appleExerciseTimeGoal="30" appleStandHours="12" appleStandHoursGoal="12"/>"#

    private static let correlation =
        #"<Correlation type="HKCorrelationTypeIdentifierFood"<Correlation type="HKCorrelationTypeIdentifier"#
        + #"BloodPressure" sourceName="Health" sourceVersion="17.1" "# + dates
        + ">\n  " + #"<MetadataEntry key="HKWasUserEntered" value="1"/>"#
        + "\n  " + #"<Record type="HKQuantityTypeIdentifierBloodPressureSystolic" sourceName="Health" "#
        + #"sourceVersion="17.1" unit="mmHg" "# + dates + #" value="120">"#
        + "\n   " + #"<MetadataEntry key="HKWasUserEntered" value="1"/>"# + "\n  </Record>\n  "
        + #"<Record type="HKQuantityTypeIdentifierBloodPressureDiastolic" sourceName="Health" "#
        + #"sourceVersion="17.1" unit="mmHg" "# + dates + #" value="80">"#
        + "\n   " + #"<MetadataEntry key="HKWasUserEntered" value="1"/>"# + "\n  </Record>\n </Correlation>"

    private static let workout =
        #"<Workout workoutActivityType="HKWorkoutActivityTypeWalking" workoutActivityType="HKWorkoutActivityType"#
        + #"Cycling" workoutActivityType="HKWorkoutActivityTypeRunning" duration="30.5" durationUnit="min" "# + source
        + dates + ">\n  " + #"<MetadataEntry key="HKIndoorWorkout" value="0"/>"#
        + "\n  " + #"<MetadataEntry key="HKTimeZone" value="Europe/"/>"#
        + "\n  " + #"<MetadataEntry key="HKWeatherTemperature" value="59 degF"/>"#
        + "\n  " + #"<MetadataEntry key="HKWeatherHumidity" value="6100 %"/>"#
        + "\n  " + #"<MetadataEntry key="HKAverageMETs" value="4.5 kcal/hr·kg"/>"#
        + "\n  " + #"<WorkoutEvent type="HKWorkoutEventTypePause" date="2023-01-01 10:00:00 +0200"/>"#
        + "\n  " + #"<WorkoutEvent type="HKWorkoutEventTypeResume" date="2023-01-01 10:00:00 +0200"/>"#
        + "\n  " + #"<WorkoutEvent type="HKWorkoutEventTypeSegment" date="2023-01-01 10:00:00 +0200" duration="5."#
        + #"033333333333334" durationUnit="min"/>"# + "\n  <WorkoutRoute " + source + dates + ">\n   "
        + #"<FileReference path="/workout-routes/route_2023-01-01_10.00am.gpx"/>"# + "\n  </WorkoutRoute>\n  "
        + #"<WorkoutActivity uuid="" "# + dates + #" duration="30" durationUnit="min">"#
        + "\n  </WorkoutActivity>\n  "
        + statistics("HeartRate", #"average="130" minimum="80" maximum="170" unit="count/min""#)
        + statistics("StepCount", #"sum="1000" unit="count""#)
        + statistics("DistanceCycling", #"sum="10" unit="km""#)
        + statistics("DistanceWalkingRunning", #"sum="5" unit="km""#)
        + statistics("BasalEnergyBurned", #"sum="50" unit="kcal""#)
        + statistics("ActiveEnergyBurned", #"sum="300" unit="kcal""#) + "\n </Workout>"

    private static func statistics(_ type: String, _ rest: String) -> String {
        #"<WorkoutStatistics type="HKQuantityTypeIdentifier"# + type
            + #"" startDate="2023-01-01 10:00:00 +0200" endDate="2023-01-01 10:00:00 +0200" "# + rest + "/>\n  "
    }
}

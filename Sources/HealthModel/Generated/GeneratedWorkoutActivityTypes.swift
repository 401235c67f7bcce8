// SPDX-License-Identifier: Apache-2.0
//
// Every workout activity type.
// Written by Tools/generate-types from Tools/tables/workout-activity-types.csv; change the table, not this file.

/// What a person did in a workout. Raw values are HealthKit's; 81 is not used.
public enum HKWorkoutActivityType: UInt, Sendable, CaseIterable {
    /// `HKWorkoutActivityTypeAmericanFootball`, since iOS 8.0.
    case americanFootball = 1
    /// `HKWorkoutActivityTypeArchery`, since iOS 8.0.
    case archery = 2
    /// `HKWorkoutActivityTypeAustralianFootball`, since iOS 8.0.
    case australianFootball = 3
    /// `HKWorkoutActivityTypeBadminton`, since iOS 8.0.
    case badminton = 4
    /// `HKWorkoutActivityTypeBaseball`, since iOS 8.0.
    case baseball = 5
    /// `HKWorkoutActivityTypeBasketball`, since iOS 8.0.
    case basketball = 6
    /// `HKWorkoutActivityTypeBowling`, since iOS 8.0.
    case bowling = 7
    /// `HKWorkoutActivityTypeBoxing`, since iOS 8.0.
    case boxing = 8
    /// `HKWorkoutActivityTypeClimbing`, since iOS 8.0.
    case climbing = 9
    /// `HKWorkoutActivityTypeCricket`, since iOS 8.0.
    case cricket = 10
    /// `HKWorkoutActivityTypeCrossTraining`, since iOS 8.0.
    case crossTraining = 11
    /// `HKWorkoutActivityTypeCurling`, since iOS 8.0.
    case curling = 12
    /// `HKWorkoutActivityTypeCycling`, since iOS 8.0.
    case cycling = 13
    /// `HKWorkoutActivityTypeDance`, since iOS 8.0, deprecated in 14.0.
    case dance = 14
    /// `HKWorkoutActivityTypeDanceInspiredTraining`, since iOS 8.0, deprecated in 10.0.
    case danceInspiredTraining = 15
    /// `HKWorkoutActivityTypeElliptical`, since iOS 8.0.
    case elliptical = 16
    /// `HKWorkoutActivityTypeEquestrianSports`, since iOS 8.0.
    case equestrianSports = 17
    /// `HKWorkoutActivityTypeFencing`, since iOS 8.0.
    case fencing = 18
    /// `HKWorkoutActivityTypeFishing`, since iOS 8.0.
    case fishing = 19
    /// `HKWorkoutActivityTypeFunctionalStrengthTraining`, since iOS 8.0.
    case functionalStrengthTraining = 20
    /// `HKWorkoutActivityTypeGolf`, since iOS 8.0.
    case golf = 21
    /// `HKWorkoutActivityTypeGymnastics`, since iOS 8.0.
    case gymnastics = 22
    /// `HKWorkoutActivityTypeHandball`, since iOS 8.0.
    case handball = 23
    /// `HKWorkoutActivityTypeHiking`, since iOS 8.0.
    case hiking = 24
    /// `HKWorkoutActivityTypeHockey`, since iOS 8.0.
    case hockey = 25
    /// `HKWorkoutActivityTypeHunting`, since iOS 8.0.
    case hunting = 26
    /// `HKWorkoutActivityTypeLacrosse`, since iOS 8.0.
    case lacrosse = 27
    /// `HKWorkoutActivityTypeMartialArts`, since iOS 8.0.
    case martialArts = 28
    /// `HKWorkoutActivityTypeMindAndBody`, since iOS 8.0.
    case mindAndBody = 29
    /// `HKWorkoutActivityTypeMixedMetabolicCardioTraining`, since iOS 8.0, deprecated in 11.0.
    case mixedMetabolicCardioTraining = 30
    /// `HKWorkoutActivityTypePaddleSports`, since iOS 8.0.
    case paddleSports = 31
    /// `HKWorkoutActivityTypePlay`, since iOS 8.0.
    case play = 32
    /// `HKWorkoutActivityTypePreparationAndRecovery`, since iOS 8.0.
    case preparationAndRecovery = 33
    /// `HKWorkoutActivityTypeRacquetball`, since iOS 8.0.
    case racquetball = 34
    /// `HKWorkoutActivityTypeRowing`, since iOS 8.0.
    case rowing = 35
    /// `HKWorkoutActivityTypeRugby`, since iOS 8.0.
    case rugby = 36
    /// `HKWorkoutActivityTypeRunning`, since iOS 8.0.
    case running = 37
    /// `HKWorkoutActivityTypeSailing`, since iOS 8.0.
    case sailing = 38
    /// `HKWorkoutActivityTypeSkatingSports`, since iOS 8.0.
    case skatingSports = 39
    /// `HKWorkoutActivityTypeSnowSports`, since iOS 8.0.
    case snowSports = 40
    /// `HKWorkoutActivityTypeSoccer`, since iOS 8.0.
    case soccer = 41
    /// `HKWorkoutActivityTypeSoftball`, since iOS 8.0.
    case softball = 42
    /// `HKWorkoutActivityTypeSquash`, since iOS 8.0.
    case squash = 43
    /// `HKWorkoutActivityTypeStairClimbing`, since iOS 8.0.
    case stairClimbing = 44
    /// `HKWorkoutActivityTypeSurfingSports`, since iOS 8.0.
    case surfingSports = 45
    /// `HKWorkoutActivityTypeSwimming`, since iOS 8.0.
    case swimming = 46
    /// `HKWorkoutActivityTypeTableTennis`, since iOS 8.0.
    case tableTennis = 47
    /// `HKWorkoutActivityTypeTennis`, since iOS 8.0.
    case tennis = 48
    /// `HKWorkoutActivityTypeTrackAndField`, since iOS 8.0.
    case trackAndField = 49
    /// `HKWorkoutActivityTypeTraditionalStrengthTraining`, since iOS 8.0.
    case traditionalStrengthTraining = 50
    /// `HKWorkoutActivityTypeVolleyball`, since iOS 8.0.
    case volleyball = 51
    /// `HKWorkoutActivityTypeWalking`, since iOS 8.0.
    case walking = 52
    /// `HKWorkoutActivityTypeWaterFitness`, since iOS 8.0.
    case waterFitness = 53
    /// `HKWorkoutActivityTypeWaterPolo`, since iOS 8.0.
    case waterPolo = 54
    /// `HKWorkoutActivityTypeWaterSports`, since iOS 8.0.
    case waterSports = 55
    /// `HKWorkoutActivityTypeWrestling`, since iOS 8.0.
    case wrestling = 56
    /// `HKWorkoutActivityTypeYoga`, since iOS 8.0.
    case yoga = 57
    /// `HKWorkoutActivityTypeBarre`, since iOS 10.0.
    case barre = 58
    /// `HKWorkoutActivityTypeCoreTraining`, since iOS 10.0.
    case coreTraining = 59
    /// `HKWorkoutActivityTypeCrossCountrySkiing`, since iOS 10.0.
    case crossCountrySkiing = 60
    /// `HKWorkoutActivityTypeDownhillSkiing`, since iOS 10.0.
    case downhillSkiing = 61
    /// `HKWorkoutActivityTypeFlexibility`, since iOS 10.0.
    case flexibility = 62
    /// `HKWorkoutActivityTypeHighIntensityIntervalTraining`, since iOS 10.0.
    case highIntensityIntervalTraining = 63
    /// `HKWorkoutActivityTypeJumpRope`, since iOS 10.0.
    case jumpRope = 64
    /// `HKWorkoutActivityTypeKickboxing`, since iOS 10.0.
    case kickboxing = 65
    /// `HKWorkoutActivityTypePilates`, since iOS 10.0.
    case pilates = 66
    /// `HKWorkoutActivityTypeSnowboarding`, since iOS 10.0.
    case snowboarding = 67
    /// `HKWorkoutActivityTypeStairs`, since iOS 10.0.
    case stairs = 68
    /// `HKWorkoutActivityTypeStepTraining`, since iOS 10.0.
    case stepTraining = 69
    /// `HKWorkoutActivityTypeWheelchairWalkPace`, since iOS 10.0.
    case wheelchairWalkPace = 70
    /// `HKWorkoutActivityTypeWheelchairRunPace`, since iOS 10.0.
    case wheelchairRunPace = 71
    /// `HKWorkoutActivityTypeTaiChi`, since iOS 11.0.
    case taiChi = 72
    /// `HKWorkoutActivityTypeMixedCardio`, since iOS 11.0.
    case mixedCardio = 73
    /// `HKWorkoutActivityTypeHandCycling`, since iOS 11.0.
    case handCycling = 74
    /// `HKWorkoutActivityTypeDiscSports`, since iOS 13.0.
    case discSports = 75
    /// `HKWorkoutActivityTypeFitnessGaming`, since iOS 13.0.
    case fitnessGaming = 76
    /// `HKWorkoutActivityTypeCardioDance`, since iOS 14.0.
    case cardioDance = 77
    /// `HKWorkoutActivityTypeSocialDance`, since iOS 14.0.
    case socialDance = 78
    /// `HKWorkoutActivityTypePickleball`, since iOS 14.0.
    case pickleball = 79
    /// `HKWorkoutActivityTypeCooldown`, since iOS 14.0.
    case cooldown = 80
    /// `HKWorkoutActivityTypeSwimBikeRun`, since iOS 16.0.
    case swimBikeRun = 82
    /// `HKWorkoutActivityTypeTransition`, since iOS 16.0.
    case transition = 83
    /// `HKWorkoutActivityTypeUnderwaterDiving`, since iOS 17.0.
    case underwaterDiving = 84
    /// `HKWorkoutActivityTypeOther`, since iOS 8.0.
    case other = 3000
}

extension TypeTables {
    /// Constant without its prefix, and the activity.
    static let workoutActivityTypes: [(name: String, type: HKWorkoutActivityType)] = [
        ("AmericanFootball", .americanFootball),
        ("Archery", .archery),
        ("AustralianFootball", .australianFootball),
        ("Badminton", .badminton),
        ("Baseball", .baseball),
        ("Basketball", .basketball),
        ("Bowling", .bowling),
        ("Boxing", .boxing),
        ("Climbing", .climbing),
        ("Cricket", .cricket),
        ("CrossTraining", .crossTraining),
        ("Curling", .curling),
        ("Cycling", .cycling),
        ("Dance", .dance),
        ("DanceInspiredTraining", .danceInspiredTraining),
        ("Elliptical", .elliptical),
        ("EquestrianSports", .equestrianSports),
        ("Fencing", .fencing),
        ("Fishing", .fishing),
        ("FunctionalStrengthTraining", .functionalStrengthTraining),
        ("Golf", .golf),
        ("Gymnastics", .gymnastics),
        ("Handball", .handball),
        ("Hiking", .hiking),
        ("Hockey", .hockey),
        ("Hunting", .hunting),
        ("Lacrosse", .lacrosse),
        ("MartialArts", .martialArts),
        ("MindAndBody", .mindAndBody),
        ("MixedMetabolicCardioTraining", .mixedMetabolicCardioTraining),
        ("PaddleSports", .paddleSports),
        ("Play", .play),
        ("PreparationAndRecovery", .preparationAndRecovery),
        ("Racquetball", .racquetball),
        ("Rowing", .rowing),
        ("Rugby", .rugby),
        ("Running", .running),
        ("Sailing", .sailing),
        ("SkatingSports", .skatingSports),
        ("SnowSports", .snowSports),
        ("Soccer", .soccer),
        ("Softball", .softball),
        ("Squash", .squash),
        ("StairClimbing", .stairClimbing),
        ("SurfingSports", .surfingSports),
        ("Swimming", .swimming),
        ("TableTennis", .tableTennis),
        ("Tennis", .tennis),
        ("TrackAndField", .trackAndField),
        ("TraditionalStrengthTraining", .traditionalStrengthTraining),
        ("Volleyball", .volleyball),
        ("Walking", .walking),
        ("WaterFitness", .waterFitness),
        ("WaterPolo", .waterPolo),
        ("WaterSports", .waterSports),
        ("Wrestling", .wrestling),
        ("Yoga", .yoga),
        ("Barre", .barre),
        ("CoreTraining", .coreTraining),
        ("CrossCountrySkiing", .crossCountrySkiing),
        ("DownhillSkiing", .downhillSkiing),
        ("Flexibility", .flexibility),
        ("HighIntensityIntervalTraining", .highIntensityIntervalTraining),
        ("JumpRope", .jumpRope),
        ("Kickboxing", .kickboxing),
        ("Pilates", .pilates),
        ("Snowboarding", .snowboarding),
        ("Stairs", .stairs),
        ("StepTraining", .stepTraining),
        ("WheelchairWalkPace", .wheelchairWalkPace),
        ("WheelchairRunPace", .wheelchairRunPace),
        ("TaiChi", .taiChi),
        ("MixedCardio", .mixedCardio),
        ("HandCycling", .handCycling),
        ("DiscSports", .discSports),
        ("FitnessGaming", .fitnessGaming),
        ("CardioDance", .cardioDance),
        ("SocialDance", .socialDance),
        ("Pickleball", .pickleball),
        ("Cooldown", .cooldown),
        ("SwimBikeRun", .swimBikeRun),
        ("Transition", .transition),
        ("UnderwaterDiving", .underwaterDiving),
        ("Other", .other),
    ]
}

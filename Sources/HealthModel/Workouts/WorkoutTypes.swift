// SPDX-License-Identifier: Apache-2.0

/// The quantity types that belong to an activity.
package enum WorkoutTypes {
    /// Returns the distance types whose sums are the total distance of a workout. `swimBikeRun` has three types.
    package static func distances(of activity: HKWorkoutActivityType) -> [HKQuantityTypeIdentifier] {
        switch activity {
        case .swimBikeRun: [.distanceSwimming, .distanceCycling, .distanceWalkingRunning]
        case .cycling, .handCycling: [.distanceCycling]
        case .swimming: [.distanceSwimming]
        case .wheelchairWalkPace, .wheelchairRunPace: [.distanceWheelchair]
        case .downhillSkiing, .snowboarding: [.distanceDownhillSnowSports]
        case .crossCountrySkiing: [.distanceCrossCountrySkiing]
        case .rowing: [.distanceRowing]
        case .paddleSports: [.distancePaddleSports]
        case .skatingSports: [.distanceSkatingSports]
        default: [.distanceWalkingRunning]
        }
    }

    /// The types that a live workout collects for every activity.
    private static let always: Set<HKQuantityTypeIdentifier> = [.activeEnergyBurned, .basalEnergyBurned, .heartRate]

    private static let outdoorRunning: Set<HKQuantityTypeIdentifier> = [
        .runningSpeed, .runningPower, .runningStrideLength, .runningVerticalOscillation, .runningGroundContactTime,
    ]

    /// Returns the types that a live workout collects, from the activity and its location.
    ///
    /// HealthKit's documentation of each type names the activities for which a watch records it. All other activities
    /// collect only energy and heart rate.
    package static func collected(by configuration: WorkoutConfiguration) -> Set<HKQuantityTypeIdentifier> {
        let isOutdoor = configuration.location == .outdoor
        let more: Set<HKQuantityTypeIdentifier> =
            switch configuration.activity {
            case .running: ([.distanceWalkingRunning, .stepCount] as Set).union(isOutdoor ? outdoorRunning : [])
            case .walking, .hiking: [.distanceWalkingRunning]
            case .wheelchairWalkPace, .wheelchairRunPace: [.distanceWheelchair, .pushCount]
            case .cycling, .handCycling: [.distanceCycling, .cyclingPower, .cyclingCadence, .cyclingSpeed]
            case .swimming: [.distanceSwimming, .swimmingStrokeCount, .waterTemperature]
            case .crossCountrySkiing where isOutdoor: [.distanceCrossCountrySkiing, .crossCountrySkiingSpeed]
            case .rowing where isOutdoor: [.distanceRowing, .rowingSpeed]
            case .paddleSports where isOutdoor: [.distancePaddleSports, .paddleSportsSpeed]
            case .downhillSkiing, .snowboarding: [.distanceDownhillSnowSports]
            case .skatingSports where isOutdoor: [.distanceSkatingSports]
            case .underwaterDiving: [.underwaterDepth, .waterTemperature]
            default: []
            }
        return always.union(more)
    }

    /// Returns the activity type of one activity in a `swimBikeRun` workout, from the types of its statistics.
    package static func activity(ofPartWith types: some Sequence<String>) -> HKWorkoutActivityType {
        let types = Set(types)
        func has(_ type: HKQuantityTypeIdentifier) -> Bool { types.contains(type.rawValue) }
        if has(.distanceSwimming) || has(.swimmingStrokeCount) { return .swimming }
        if has(.distanceCycling) { return .cycling }
        return has(.distanceWalkingRunning) ? .running : .transition
    }
}

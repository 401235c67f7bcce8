// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// The HealthKit types of the measurements of an activity.
struct ReplayTypes {
    let distance: HKQuantityTypeIdentifier?
    let speed: HKQuantityTypeIdentifier?
    let power: HKQuantityTypeIdentifier?
    /// The type of the cadence; nil if the cadence counts steps or is not used.
    let cadence: HKQuantityTypeIdentifier?
    let countsSteps: Bool

    init(_ activity: HKWorkoutActivityType) {
        let isFoot = [.running, .walking, .hiking, .stairClimbing].contains(activity)
        let isBicycle = activity == .cycling || activity == .handCycling
        countsSteps = isFoot
        cadence = isBicycle ? .cyclingCadence : nil
        power = activity == .running ? .runningPower : isBicycle ? .cyclingPower : nil
        switch activity {
        case .running: (distance, speed) = (.distanceWalkingRunning, .runningSpeed)
        case .cycling, .handCycling: (distance, speed) = (.distanceCycling, .cyclingSpeed)
        case .swimming: (distance, speed) = (.distanceSwimming, nil)
        case .rowing: (distance, speed) = (.distanceRowing, .rowingSpeed)
        case .paddleSports: (distance, speed) = (.distancePaddleSports, .paddleSportsSpeed)
        case .crossCountrySkiing: (distance, speed) = (.distanceCrossCountrySkiing, .crossCountrySkiingSpeed)
        case .downhillSkiing, .snowboarding: (distance, speed) = (.distanceDownhillSnowSports, nil)
        case .skatingSports: (distance, speed) = (.distanceSkatingSports, nil)
        case .transition: (distance, speed) = (nil, nil)
        default: (distance, speed) = (.distanceWalkingRunning, nil)
        }
    }

    /// Returns the types of the samples that a replay of a file delivers.
    static func types(of file: WorkoutFile) -> Set<HKQuantityType> {
        var types: Set<HKQuantityTypeIdentifier> = []
        func has(_ path: KeyPath<WorkoutFilePoint, Double?>) -> Bool {
            file.points.contains { $0[keyPath: path] != nil }
        }
        if has(\.heartRate) { types.insert(.heartRate) }
        let (moves, speeds, powers, turns) = (has(\.distance), has(\.speed), has(\.power), has(\.cadence))
        for part in file.parts {
            let known = Self(part.activity)
            if moves || !file.lengths.isEmpty, let type = known.distance { types.insert(type) }
            if speeds, let type = known.speed { types.insert(type) }
            if powers, let type = known.power { types.insert(type) }
            if turns, let type = known.cadence { types.insert(type) }
            if turns, known.countsSteps { types.insert(.stepCount) }
            if part.energy != nil { types.insert(.activeEnergyBurned) }
        }
        if !file.lengths.isEmpty { types.insert(.swimmingStrokeCount) }
        return Set(types.map { HKQuantityType($0) })
    }
}

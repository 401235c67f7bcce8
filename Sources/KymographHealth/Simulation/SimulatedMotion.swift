// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The movement of a simulated wearer in an activity.
struct SimulatedMotion {
    /// The kind of movement. It determines the samples besides energy and heart rate.
    enum Kind: Equatable {
        case still
        /// On foot: steps and distance; in a run also the metrics of running.
        case foot(isRunning: Bool)
        /// On a bicycle, with sensors.
        case bicycle
        /// In water: strokes and distance.
        case swim
        /// In a boat, on skis, on skates or in a wheelchair: a distance, and a speed if it has a type.
        case glide(HKQuantityTypeIdentifier, speed: HKQuantityTypeIdentifier?)
    }

    let kind: Kind
    /// The effort, from 0 at rest to 1.
    let effort: Double
    /// The usual speed, in metres per second.
    let speed: Double
    /// Steps, revolutions or strokes per second.
    let cadence: Double

    private init(_ kind: Kind, _ effort: Double, speed: Double = 0, cadence: Double = 0) {
        self.kind = kind
        self.effort = effort
        self.speed = speed
        self.cadence = cadence
    }

    init(_ activity: HKWorkoutActivityType) {
        self =
            switch activity {
            case .running: Self(.foot(isRunning: true), 0.75, speed: 2.9, cadence: 2.75)
            case .walking: Self(.foot(isRunning: false), 0.3, speed: 1.45, cadence: 1.85)
            case .hiking: Self(.foot(isRunning: false), 0.5, speed: 1.2, cadence: 1.7)
            case .stairs, .stairClimbing: Self(.foot(isRunning: false), 0.65, speed: 0.5, cadence: 1.5)
            case .cycling, .handCycling: Self(.bicycle, 0.62, speed: 7.6, cadence: 1.45)
            case .swimming: Self(.swim, 0.68, speed: 0.9, cadence: 0.5)
            case .wheelchairWalkPace: Self(.glide(.distanceWheelchair, speed: nil), 0.35, speed: 1.3)
            case .wheelchairRunPace: Self(.glide(.distanceWheelchair, speed: nil), 0.65, speed: 2.8)
            case .rowing: Self(.glide(.distanceRowing, speed: .rowingSpeed), 0.7, speed: 3.6)
            case .paddleSports: Self(.glide(.distancePaddleSports, speed: .paddleSportsSpeed), 0.5, speed: 1.9)
            case .crossCountrySkiing:
                Self(.glide(.distanceCrossCountrySkiing, speed: .crossCountrySkiingSpeed), 0.72, speed: 3.4)
            case .downhillSkiing, .snowboarding:
                Self(.glide(.distanceDownhillSnowSports, speed: nil), 0.45, speed: 8)
            case .skatingSports: Self(.glide(.distanceSkatingSports, speed: nil), 0.55, speed: 4.5)
            case .highIntensityIntervalTraining: Self(.still, 0.9)
            case .transition: Self(.still, 0.45)
            case .yoga, .mindAndBody, .taiChi, .flexibility, .cooldown: Self(.still, 0.15)
            default: Self(.still, 0.5)
            }
    }

    /// The motion of a resting wearer.
    static let rest = SimulatedMotion(.still, 0)

    /// Whether the effort alternates between hard and easy minutes.
    var hasIntervals: Bool { kind == .still && effort >= 0.9 }

    /// The types that a simulated watch can record, for all activities.
    static let quantityTypes: Set<HKQuantityType> = Set(
        ([
            .heartRate, .activeEnergyBurned, .basalEnergyBurned, .stepCount, .distanceWalkingRunning, .runningSpeed,
            .runningPower, .runningStrideLength, .runningVerticalOscillation, .runningGroundContactTime,
            .distanceCycling, .cyclingSpeed, .cyclingPower, .cyclingCadence, .distanceSwimming, .swimmingStrokeCount,
            .distanceWheelchair, .distanceRowing, .rowingSpeed, .distancePaddleSports, .paddleSportsSpeed,
            .distanceCrossCountrySkiing, .crossCountrySkiingSpeed, .distanceDownhillSnowSports,
            .distanceSkatingSports,
        ] as [HKQuantityTypeIdentifier]).map { HKQuantityType($0) })
}

// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthModel

/// A workout of a simulated wearer, second by second, as a value.
struct SimulatedWorkout {
    private var heart: SimulatedHeart
    private var dice: SimulatedDice
    private var configuration: WorkoutConfiguration?
    private var motion = SimulatedMotion.rest
    private var swim: SimulatedSwim?
    /// The seconds of the present activity so far, without pauses.
    private var seconds = 0
    /// The present speed relative to the usual speed.
    private var form = 1.0
    /// The fraction of a step that is not counted yet.
    private var steps = 0.0
    private var position = SimulatedPosition()

    /// The data of one second.
    struct Second {
        var samples: [HKQuantitySample] = []
        var events: [HKWorkoutEvent] = []
        /// The position; nil indoors and without movement.
        var location: CLLocation?
        let start: Date
        let end: Date

        /// Adds a sample of the whole second.
        mutating func add(_ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: HKUnit) {
            add(type, value, unit, from: start)
        }

        /// Adds a sample that ends with the second.
        mutating func add(_ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: HKUnit, from first: Date) {
            samples.append(
                HKQuantitySample(
                    type: HKQuantityType(type), quantity: HKQuantity(unit: unit, doubleValue: value), start: first,
                    end: end, device: SimulatedWearer.device, metadata: nil))
        }

        /// Adds a sample at the start of the second.
        mutating func measure(_ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: HKUnit) {
            samples.append(
                HKQuantitySample(
                    type: HKQuantityType(type), quantity: HKQuantity(unit: unit, doubleValue: value), start: start,
                    end: start, device: SimulatedWearer.device, metadata: nil))
        }
    }

    private static let rateUnit = HKUnit.count().unitDivided(by: .minute())
    private static let speedUnit = HKUnit.meter().unitDivided(by: .second())
    /// The mass of the wearer in kilograms.
    private static let mass = 70.0

    init(_ wearer: SimulatedWearer) {
        heart = SimulatedHeart(wearer)
        dice = SimulatedDice(seed: wearer.seed, day: 0x776F_726B)
    }

    /// Returns the samples and events of the next second.
    ///
    /// - Parameter configuration: the configuration of the running activity.
    mutating func next(
        from start: Date, to end: Date, _ state: HKWorkoutSessionState, _ configuration: WorkoutConfiguration
    ) -> Second {
        var second = Second(start: start, end: end)
        if self.configuration != configuration { begin(configuration) }
        let isMoving = state == .running
        if !isMoving { swim?.interrupt() }
        let effort = isMoving ? effort : 0
        if isMoving {
            seconds += 1
            form = min(max(form + dice.between(-0.02, 0.02) + (1 - form) * 0.05, 0.8), 1.2)
        }
        heart.beat(effort: effort, &dice)
        second.measure(.heartRate, heart.rate.rounded(), Self.rateUnit)
        second.add(.basalEnergyBurned, Self.rounded(dice.between(0.0185, 0.0195), 100_000), .kilocalorie())
        guard isMoving else { return second }
        let energy = effort * form * dice.between(0.24, 0.28)
        second.add(.activeEnergyBurned, Self.rounded(energy, 10_000), .kilocalorie())
        move(&second)
        return second
    }

    private mutating func begin(_ configuration: WorkoutConfiguration) {
        self.configuration = configuration
        motion = SimulatedMotion(configuration.activity)
        swim = motion.kind == .swim ? SimulatedSwim(configuration) : nil
        (seconds, form, steps) = (0, 1, 0)
    }

    /// The effort of the present second: less in the first minutes, hard and easy in intervals.
    private var effort: Double {
        if swim?.isResting ?? false { return 0.1 }
        let usual = motion.effort * (0.75 + 0.25 * (1 - exp(-Double(seconds) / 180)))
        return motion.hasIntervals && seconds % 180 >= 120 ? usual * 0.45 : usual
    }

    private mutating func move(_ second: inout Second) {
        let metres = Self.rounded(motion.speed * form * dice.between(0.97, 1.03), 100)
        switch motion.kind {
        case .still: return
        case .foot(let isRunning): walk(metres, isRunning, &second)
        case .bicycle: ride(metres, &second)
        case .glide(let distance, let speed):
            second.add(distance, metres, .meter())
            if let speed { second.measure(speed, metres, Self.speedUnit) }
        case .swim:
            guard let part = swim?.swim(motion, from: second.start, to: second.end, &dice, &second.events) else {
                return
            }
            second.add(.distanceSwimming, part.distance, .meter(), from: part.start)
            second.add(.swimmingStrokeCount, part.strokes, .count(), from: part.start)
            return locate(part.distance, part.distance / second.end.timeIntervalSince(part.start), &second)
        }
        locate(metres, metres, &second)
    }

    /// Moves the wearer, and measures the position outdoors.
    private mutating func locate(_ metres: Double, _ speed: Double, _ second: inout Second) {
        guard configuration?.location == .outdoor else { return }
        position.move(metres)
        let coordinate = CLLocationCoordinate2D(latitude: position.latitude, longitude: position.longitude)
        second.location = CLLocation(
            coordinate: coordinate, altitude: position.altitude, horizontalAccuracy: 4, verticalAccuracy: 3,
            course: position.course, speed: speed, timestamp: second.start)
    }

    private mutating func walk(_ metres: Double, _ isRunning: Bool, _ second: inout Second) {
        second.add(.distanceWalkingRunning, metres, .meter())
        steps += motion.cadence * dice.between(0.98, 1.02)
        let count = steps.rounded(.down)
        steps -= count
        second.add(.stepCount, count, .count())
        guard isRunning else { return }
        second.measure(.runningSpeed, metres, Self.speedUnit)
        guard seconds.isMultiple(of: 5) else { return }
        second.measure(.runningPower, (metres * Self.mass * 1.05).rounded(), .watt())
        second.measure(.runningStrideLength, Self.rounded(metres / motion.cadence, 100), .meter())
        let bounce = Self.rounded(dice.between(8.2, 9.6), 10)
        second.measure(.runningVerticalOscillation, bounce, .meterUnit(with: .centi))
        second.measure(
            .runningGroundContactTime, dice.between(235, 262).rounded(), .secondUnit(with: .milli))
    }

    private mutating func ride(_ metres: Double, _ second: inout Second) {
        second.add(.distanceCycling, metres, .meter())
        second.measure(.cyclingSpeed, metres, Self.speedUnit)
        second.measure(.cyclingPower, (metres * metres * metres * 0.36 + 20).rounded(), .watt())
        second.measure(.cyclingCadence, (motion.cadence * form * 60).rounded(), Self.rateUnit)
    }

    private static func rounded(_ value: Double, _ parts: Double) -> Double { (value * parts).rounded() / parts }
}

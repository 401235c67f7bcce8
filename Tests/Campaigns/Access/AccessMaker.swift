// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import TestSupport

/// The kinds of objects that a history of two stores saves.
enum AccessKind: CaseIterable {
    case rate, steps, energy, sleep, pressure, food, total, workout, power, beats, electrocardiogram, prescription
    case effort
}

/// An object of a history, as the arguments of the calls that save it.
enum AccessObject: Sendable {
    case samples([HKSample])
    /// A workout with totals only, and the types of the totals.
    case total(HKWorkout)
    case workout(AccessWorkout)
    /// A series of watts, one per second.
    case power(start: Date, [Double])
    /// Seconds since the start.
    case beats(start: Date, [Double])
    /// Microvolts.
    case electrocardiogram(start: Date, [Double])
}

/// A workout of a builder: samples, and a route of one location per second.
struct AccessWorkout: Sendable {
    let start: Date
    let activity: HKWorkoutActivityType
    let samples: [HKQuantitySample]
    let places: Int
}

/// The types of a history.
enum AccessTypes {
    static let rate = HKQuantityType(.heartRate)
    static let steps = HKQuantityType(.stepCount)
    static let energy = HKQuantityType(.activeEnergyBurned)
    static let power = HKQuantityType(.cyclingPower)
    static let upper = HKQuantityType(.bloodPressureSystolic)
    static let lower = HKQuantityType(.bloodPressureDiastolic)
    static let protein = HKQuantityType(.dietaryProtein)
    static let fat = HKQuantityType(.dietaryFatTotal)
    static let effort = HKQuantityType(.workoutEffortScore)
    static let sleep = HKCategoryType(.sleepAnalysis)
    static let pressure = HKCorrelationType(.bloodPressure)
    static let food = HKCorrelationType(.food)
    static let workout = HKObjectType.workoutType()
    static let route = HKSeriesType.workoutRoute()
    static let beats = HKSeriesType.heartbeat()
    static let electrocardiogram = HKObjectType.electrocardiogramType()
    static let prescription = HKObjectType.visionPrescriptionType()
    static let summary = HKObjectType.activitySummaryType()
    static let sex = HKCharacteristicType(.biologicalSex)

    static let quantities = [rate, steps, energy, power, upper, lower, protein, fat, effort]
    /// The types that a person decides about.
    static let decided: [HKObjectType] = quantities + [sleep, workout, route, beats, electrocardiogram]
    /// The types of sample queries.
    static let samples: [HKSampleType] =
        quantities + [sleep, workout, route, beats, electrocardiogram, pressure, food, prescription]

    /// Returns the types whose permissions decide who sees an object of a kind.
    static func types(of kind: AccessKind) -> [HKObjectType] {
        switch kind {
        case .rate: [rate]
        case .steps: [steps]
        case .energy: [energy]
        case .sleep: [sleep]
        case .pressure: [upper, lower]
        case .food: [protein, fat]
        case .total: [workout]
        case .workout: [workout]
        case .power: [power]
        case .beats: [beats]
        case .electrocardiogram: [electrocardiogram]
        case .prescription: [prescription]
        case .effort: [effort]
        }
    }
}

/// Makes objects from a seeded generator. All starts differ, so that the order of results is unique.
struct AccessMaker {
    static let begin = Date(timeIntervalSince1970: 1_700_000_000)
    /// The earliest end of readable objects in histories with a limit.
    static let boundary = begin.addingTimeInterval(10_000)

    private var random: SeededGenerator
    private var count = 0

    init(_ random: SeededGenerator) { self.random = random }

    /// Returns a start.
    ///
    /// - Parameter isEarly: whether objects end before the boundary, or start after it; nil for either.
    private mutating func date(_ isEarly: Bool?) -> Date {
        count += 1
        let place = Double(random.below(9_000)) + Double(count) / 1_000
        return Self.begin.addingTimeInterval(isEarly ?? random.chance(0.5) ? place : 10_000 + place)
    }

    mutating func object(_ kind: AccessKind, isEarly: Bool? = nil) -> AccessObject {
        let start = date(isEarly)
        let values = (0..<1 + random.below(4)).map { _ in Double(40 + random.below(100)) }
        switch kind {
        case .rate, .steps, .energy, .effort: return .samples(quantities(kind, start, isEarly))
        case .sleep:
            return .samples([
                HKCategorySample(
                    type: AccessTypes.sleep, value: random.below(3), start: start, end: start.addingTimeInterval(60))
            ])
        case .pressure: return .samples([pressure(start)])
        case .food: return .samples([food(start)])
        case .total: return .total(total(start))
        case .workout: return .workout(workout(start))
        case .power: return .power(start: start, values)
        case .beats: return .beats(start: start, values.indices.map { Double($0) + 0.25 })
        case .electrocardiogram: return .electrocardiogram(start: start, values)
        case .prescription:
            return .samples([
                HKGlassesPrescription(
                    rightEyeSpecification: nil, leftEyeSpecification: nil, dateIssued: start, expirationDate: nil,
                    device: nil, metadata: nil)
            ])
        }
    }

    /// Returns an effort sample.
    mutating func effort(isEarly: Bool? = nil) -> HKQuantitySample {
        sample(AccessTypes.effort, .appleEffortScore(), 1 + random.below(10), date(isEarly), 0)
    }

    /// Returns a sample of heartbeats, for a workout of this program.
    mutating func rate(isEarly: Bool? = nil) -> HKQuantitySample { rate(date(isEarly)) }

    /// The values are exact in the unit of statistics, so that sums do not depend on their order.
    private mutating func rate(_ start: Date) -> HKQuantitySample {
        sample(AccessTypes.rate, .count().unitDivided(by: .minute()), 15 * (3 + random.below(10)), start, 0)
    }

    private mutating func quantities(_ kind: AccessKind, _ start: Date, _ isEarly: Bool?) -> [HKQuantitySample] {
        (0..<1 + random.below(3)).map { number in
            let date = number == 0 ? start : self.date(isEarly)
            switch kind {
            case .rate: return rate(date)
            case .energy: return sample(AccessTypes.energy, .kilocalorie(), 1 + random.below(50), date, 60)
            case .effort: return effort(isEarly: isEarly)
            default: return sample(AccessTypes.steps, .count(), 1 + random.below(500), date, 60)
            }
        }
    }

    private func sample(
        _ type: HKQuantityType, _ unit: HKUnit, _ value: Int, _ start: Date, _ length: Double
    ) -> HKQuantitySample {
        HKQuantitySample(
            type: type, quantity: HKQuantity(unit: unit, doubleValue: Double(value)), start: start,
            end: start.addingTimeInterval(length))
    }

    private mutating func pressure(_ start: Date) -> HKCorrelation {
        let upper = sample(AccessTypes.upper, .millimeterOfMercury(), 100 + random.below(60), start, 0)
        let lower = sample(AccessTypes.lower, .millimeterOfMercury(), 50 + random.below(40), start, 0)
        return HKCorrelation(type: AccessTypes.pressure, start: start, end: start, objects: [upper, lower])
    }

    private mutating func food(_ start: Date) -> HKCorrelation {
        let end = start.addingTimeInterval(30)
        let protein = sample(AccessTypes.protein, .gram(), 1 + random.below(40), start, 30)
        let fat = sample(AccessTypes.fat, .gram(), 1 + random.below(40), start, 30)
        return HKCorrelation(
            type: AccessTypes.food, start: start, end: end, objects: [protein, fat],
            metadata: [HKMetadataKeyFoodType: "meal \(random.below(5))"])
    }

    /// Returns a workout with totals of energy, as other programs made them before builders existed.
    private mutating func total(_ start: Date) -> HKWorkout {
        let end = start.addingTimeInterval(600)
        let energy = HKQuantity(unit: .kilocalorie(), doubleValue: Double(100 + random.below(300)))
        let totals = WorkoutTotals(energy: energy)
        let statistics = totals.statistics(of: .yoga)
        let whole = WorkoutActivity.whole(
            WorkoutConfiguration(.yoga, metadata: nil), start: start, end: end, statistics: statistics)
        let content = WorkoutContent(
            activity: .yoga, duration: 600, activities: [whole], statistics: statistics, totals: totals)
        // The identity is that of a new sample; the source is set by the save.
        return HKWorkout(header: rate(start).header, start: start, end: end, content: content)
    }

    private mutating func workout(_ start: Date) -> AccessWorkout {
        var samples = [HKQuantitySample]()
        for number in 0..<1 + random.below(3) {
            let date = start.addingTimeInterval(Double(10 + number * 20))
            samples.append(rate(date))
            samples.append(sample(AccessTypes.energy, .kilocalorie(), 1 + random.below(30), date, 15))
        }
        return AccessWorkout(
            start: start, activity: random.pick([.running, .cycling]), samples: samples, places: random.below(4))
    }
}

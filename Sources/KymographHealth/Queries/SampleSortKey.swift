// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The key of an `NSSortDescriptor` to sort workouts by duration.
public let HKWorkoutSortIdentifierDuration = "duration"
/// The key of an `NSSortDescriptor` to sort workouts by distance.
public let HKWorkoutSortIdentifierTotalDistance = "totalDistance"
/// The key of an `NSSortDescriptor` to sort workouts by active energy.
public let HKWorkoutSortIdentifierTotalEnergyBurned = "totalEnergyBurned"
/// The key of an `NSSortDescriptor` to sort workouts by number of strokes.
public let HKWorkoutSortIdentifierTotalSwimmingStrokeCount = "totalSwimmingStrokeCount"
/// The key of an `NSSortDescriptor` to sort workouts by number of flights of stairs.
public let HKWorkoutSortIdentifierTotalFlightsClimbed = "totalFlightsClimbed"

/// The keys of `NSSortDescriptor` that a sample query knows.
enum SampleSortKey: String, CaseIterable {
    case start = "startDate"
    case end = "endDate"
    case duration
    case totalDistance
    case totalEnergyBurned
    case totalSwimmingStrokeCount
    case totalFlightsClimbed

    /// Creates the key of a descriptor's key path; nil for another key path.
    init?(_ path: AnyKeyPath?) {
        switch path {
        case \HKSample.startDate: self = .start
        case \HKSample.endDate: self = .end
        default:
            guard let key = Self.allCases.first(where: { $0 != .start && $0 != .end && $0.workoutNumber == path })
            else { return nil }
            self = key
        }
    }

    /// The key path of the number that workouts are sorted by. A workout without the total comes before all others.
    var workoutNumber: any KeyPath<HKSample, Double> & Sendable {
        switch self {
        case .start, .end, .duration: \HKSample.workoutDuration
        case .totalDistance: \HKSample.workoutDistance
        case .totalEnergyBurned: \HKSample.workoutEnergy
        case .totalSwimmingStrokeCount: \HKSample.workoutStrokes
        case .totalFlightsClimbed: \HKSample.workoutFlights
        }
    }
}

extension HKSample {
    private var totals: WorkoutTotals? { (self as? HKWorkout)?.content.totals }

    fileprivate var workoutDuration: Double { (self as? HKWorkout)?.duration ?? -.infinity }
    fileprivate var workoutDistance: Double { totals?.distance?.doubleValue(for: .meter()) ?? -.infinity }
    fileprivate var workoutEnergy: Double { totals?.energy?.doubleValue(for: .kilocalorie()) ?? -.infinity }
    fileprivate var workoutStrokes: Double { totals?.strokes?.doubleValue(for: .count()) ?? -.infinity }
    fileprivate var workoutFlights: Double { totals?.flights?.doubleValue(for: .count()) ?? -.infinity }
}

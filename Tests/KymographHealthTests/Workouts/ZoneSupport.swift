// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import HealthModel
@testable import KymographHealth

let cyclingPower = HKQuantityType(.cyclingPower)

func rateZones(_ boundaries: [Double] = [100, 120, 140, 160]) throws -> HKWorkoutZoneConfiguration {
    try HKWorkoutZoneConfiguration(quantityType: heartRate, zoneBoundaries: boundaries.map { beats($0) })
}

func powerZones(_ boundaries: [Double] = [150, 200, 250]) throws -> HKWorkoutZoneConfiguration {
    try HKWorkoutZoneConfiguration(
        quantityType: cyclingPower, zoneBoundaries: boundaries.map { HKQuantity(unit: .watt(), doubleValue: $0) })
}

extension HKWorkoutZoneGroup {
    /// The time in each zone in seconds.
    var seconds: [Double] { zoneDurations.map(\.duration) }
}

extension TestDoor {
    /// Returns a builder with zones of heart rate whose collection began at 0.
    func zoneBuilder(
        _ activity: HKWorkoutActivityType = .running, _ zones: HKWorkoutZoneConfiguration? = nil
    ) async throws -> HKWorkoutBuilder {
        let builder = workoutBuilder(activity)
        try await builder.setCustomZoneConfiguration(try zones ?? rateZones(), for: heartRate)
        try await builder.beginCollection(at: at(0))
        return builder
    }
}

/// A naive computation of the time in zones, in steps of half a second. All times are multiples of half a second.
struct ZoneOracle {
    struct Value: Comparable {
        var start: Double
        var end: Double
        var value: Double
        static func < (a: Value, b: Value) -> Bool { (a.start, a.end, a.value) < (b.start, b.end, b.value) }
    }

    var boundaries: [Double]
    var values: [Value] = []
    /// The start and the end of each pause; the end is infinite while the pause lasts.
    var pauses: [(start: Double, end: Double)] = []
    /// The end of the workout; nil while it is in progress.
    var end: Double?

    /// Returns the seconds in each zone from `start` to `last`.
    func seconds(from start: Double = 0, to last: Double = .infinity) -> [Double] {
        var seconds = [Double](repeating: 0, count: boundaries.count + 1)
        let sorted = values.sorted()
        guard let latest = sorted.last else { return seconds }
        let limit = min(last, end ?? max(latest.start, latest.end))
        for step in stride(from: start, to: min(limit, 2_000), by: 0.5) {
            guard let value = sorted.last(where: { $0.start <= step }), step < max(value.start, value.end) + 10,
                !pauses.contains(where: { $0.start <= step && step < $0.end })
            else { continue }
            seconds[boundaries.filter { value.value >= $0 }.count] += 0.5
        }
        return seconds
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// A simulated swim: lengths of a pool with rests, or open water.
struct SimulatedSwim {
    /// The length of the pool in metres. Open water is divided into lengths of 25 m without laps.
    let length: Double
    let isPool: Bool
    private var lapStart: Date?
    private var swum = 0.0
    private var strokes = 0.0
    private var lapCount = 0
    /// The start of the set, which ends with a rest.
    private var setStart: Date?
    private var restEnd: Date?

    /// The number of lengths in a set.
    private static let lapsOfSet = 8
    /// The duration of a rest in seconds.
    private static let rest = 20.0

    init(_ configuration: WorkoutConfiguration) {
        isPool = configuration.swimming != .openWater
        let metres = configuration.lapLength?.doubleValue(for: .meter()) ?? 25
        length = metres.isFinite && metres > 0 ? max(metres, 1) : 25
    }

    /// Whether the swimmer rests at the edge.
    var isResting: Bool { restEnd != nil }

    /// Advances by one second.
    ///
    /// - Returns: the start, the distance in metres and the strokes of the length that ends with this second; nil if no
    ///   length ends.
    mutating func swim(
        _ motion: SimulatedMotion, from start: Date, to end: Date, _ dice: inout SimulatedDice,
        _ events: inout [HKWorkoutEvent]
    ) -> (start: Date, distance: Double, strokes: Double)? {
        if let restEnd {
            guard end >= restEnd else { return nil }
            let from = lapStart ?? start
            events.append(
                SwimmingLap(start: from, duration: end.timeIntervalSince(from), strokes: 0, style: .unknown).event)
            (self.restEnd, lapStart, setStart) = (nil, end, end)
            return nil
        }
        let from = lapStart ?? start
        lapStart = from
        setStart = setStart ?? from
        swum += motion.speed * dice.between(0.93, 1.07)
        strokes += motion.cadence * dice.between(0.95, 1.05)
        guard swum >= length else { return nil }
        let result = (from, length, max(1, strokes.rounded()))
        (swum, strokes, lapStart) = (0, 0, end)
        if isPool { endLap(from, end, result.2, &events) }
        return result
    }

    private mutating func endLap(
        _ start: Date, _ end: Date, _ strokes: Double, _ events: inout [HKWorkoutEvent]
    ) {
        lapCount += 1
        let style: HKSwimmingStrokeStyle = lapCount % 12 == 0 ? .breaststroke : .freestyle
        let lap = SwimmingLap(start: start, duration: end.timeIntervalSince(start), strokes: strokes, style: style)
        events.append(lap.event)
        guard lapCount.isMultiple(of: Self.lapsOfSet) else { return }
        let first = setStart ?? start
        events.append(HKWorkoutEvent(.segment, start: first, end: end))
        restEnd = end.addingTimeInterval(Self.rest)
    }

    /// Discards the present length, for a pause or the end of the swim.
    mutating func interrupt() { (lapStart, setStart, restEnd, swum, strokes) = (nil, nil, nil, 0, 0) }
}

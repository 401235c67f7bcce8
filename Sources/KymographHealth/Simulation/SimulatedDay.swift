// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// A wearer's activity on one day, minute by minute.
struct SimulatedDay {
    private let wearer: SimulatedWearer
    private let span: DateInterval
    /// Start and end of the night, in minutes from midnight; the start is on the evening before.
    private let night: ClosedRange<Int>
    /// The effort of each minute: 0 at rest, 0.3 walking, up to 1.
    private let effort: [Double]

    init(_ wearer: SimulatedWearer, _ span: DateInterval, _ dice: inout SimulatedDice) {
        self.wearer = wearer
        self.span = span
        let minutes = Int(span.duration / 60)
        let up = min(Int(dice.between(360, 480)), minutes)
        night = -Int(dice.between(30, 90))...up
        var effort = [Double](repeating: 0, count: minutes)
        // The walks of the day, at slightly more than a hundred steps a minute.
        var left = Int(wearer.dailySteps * dice.between(0.6, 1.4) / 105)
        let evening = max(up + 1, minutes - Int(dice.between(60, 120)))
        while left > 0, evening > up + 20 {
            let length = min(left, Int(dice.between(2, 25)))
            let from = up + Int(dice.unit() * Double(evening - up - length))
            for minute in max(0, from)..<min(minutes, from + length) { effort[minute] = max(effort[minute], 0.3) }
            left -= length
        }
        if dice.chance(0.3), evening > up + 120 {
            let from = up + Int(dice.unit() * Double(evening - up - 60))
            for minute in max(0, from)..<min(minutes, from + Int(dice.between(20, 55))) {
                effort[minute] = dice.between(0.65, 0.85)
            }
        }
        self.effort = effort
    }

    private func date(_ minute: Int, _ second: Double = 0) -> Date {
        span.start.addingTimeInterval(Double(minute) * 60 + second)
    }

    private func isAsleep(_ minute: Int) -> Bool { minute < night.upperBound }

    /// Returns the sleep stages of the night, in cycles with less deep sleep and more REM sleep towards the morning.
    func sleep(_ forge: inout SampleForge, _ dice: inout SimulatedDice) -> [HKSample] {
        let type = HKCategoryType(.sleepAnalysis)
        var found = [
            forge.category(
                type, HKCategoryValueSleepAnalysis.inBed.rawValue, date(night.lowerBound), date(night.upperBound))
        ]
        var minute = night.lowerBound + Int(dice.between(4, 20))
        var cycle = 0.0
        func stage(_ value: HKCategoryValueSleepAnalysis, _ length: Double) {
            let end = min(night.upperBound, minute + max(1, Int(length)))
            if end > minute { found.append(forge.category(type, value.rawValue, date(minute), date(end))) }
            minute = end
        }
        while minute < night.upperBound {
            stage(.asleepCore, dice.between(15, 30))
            stage(.asleepDeep, max(2, dice.between(20, 40) - cycle * 8))
            stage(.asleepCore, dice.between(10, 25))
            stage(.asleepREM, 8 + cycle * dice.between(4, 8))
            if dice.chance(0.4) { stage(.awake, dice.between(1, 8)) }
            cycle += 1
        }
        return found
    }

    /// Returns heart rates as points. The rate follows the effort with a delay, and falls at night.
    func heartRates(_ forge: inout SampleForge, _ dice: inout SimulatedDice) -> [HKSample] {
        let type = HKQuantityType(.heartRate)
        let unit = HKUnit.count().unitDivided(by: .minute())
        let motion: [HealthMetadataValues] = [0, 1, 2].map { [HKMetadataKeyHeartRateMotionContext: .integer($0)] }
        var found = [HKSample]()
        var (rate, drift, second) = (wearer.restingHeartRate, 0.0, dice.between(0, 1) * wearer.heartRateInterval)
        while second < span.duration {
            let minute = min(Int(second / 60), effort.count - 1)
            if minute < 0 { break }
            let asleep = isAsleep(minute)
            let step = wearer.heartRateInterval * (asleep ? 5 : 1)
            let work = effort[minute]
            drift = drift * 0.95 + dice.between(-1.2, 1.2)
            let calm = wearer.restingHeartRate * (asleep ? 0.92 : 1.12)
            let goal = calm + (wearer.maximumHeartRate - calm) * work * (work > 0.5 ? 1 : 0.9) + drift
            rate += (goal - rate) * (1 - exp(-step / 60))
            let context = asleep ? motion[1] : work > 0.1 ? motion[2] : motion[work == 0 ? 1 : 0]
            let at = span.start.addingTimeInterval((second * 1_000).rounded() / 1_000)
            let beats = min(max(rate, 30), wearer.maximumHeartRate).rounded()
            found.append(forge.quantity(type, beats, unit, at, at, context))
            second += step
        }
        return found
    }

    /// Returns steps, distance and active energy, one sample per minute of movement, and resting energy, one sample per
    /// quarter of an hour.
    func movements(_ forge: inout SampleForge, _ dice: inout SimulatedDice) -> [HKSample] {
        var (steps, distances, energies, basal) = ([HKSample](), [HKSample](), [HKSample](), [HKSample]())
        for (minute, work) in effort.enumerated() where work > 0 {
            let (start, end) = (date(minute), date(minute + 1))
            let count = (work > 0.5 ? dice.between(155, 175) : dice.between(90, 120)).rounded()
            let length = work > 0.5 ? dice.between(0.95, 1.15) : dice.between(0.62, 0.78)
            steps.append(forge.quantity(HKQuantityType(.stepCount), count, .count(), start, end))
            let meters = (count * length * 100).rounded() / 100
            distances.append(forge.quantity(HKQuantityType(.distanceWalkingRunning), meters, .meter(), start, end))
            let energy = (work * dice.between(12, 15) * 1_000).rounded() / 1_000
            energies.append(
                forge.quantity(HKQuantityType(.activeEnergyBurned), energy, .kilocalorie(), start, end))
        }
        for minute in stride(from: 0, to: effort.count - effort.count % 15, by: 15) {
            let energy = (dice.between(16, 18) * 1_000).rounded() / 1_000
            basal.append(
                forge.quantity(
                    HKQuantityType(.basalEnergyBurned), energy, .kilocalorie(), date(minute), date(minute + 15)))
        }
        return steps + distances + energies + basal
    }
}

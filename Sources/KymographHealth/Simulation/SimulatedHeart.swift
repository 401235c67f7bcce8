// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The heart of a simulated wearer, second by second. The rate follows the effort with a delay.
struct SimulatedHeart {
    /// The rate in beats per minute, not rounded.
    private(set) var rate: Double
    private let calm: Double
    private let maximum: Double
    /// A slow random change of the rate, in beats per minute.
    private var drift = 0.0
    /// The fatigue of a long effort raises the rate.
    private var fatigue = 0.0

    /// The seconds in which the rate covers 63 % of a difference, upwards and downwards.
    private static let rise = 40.0
    private static let fall = 75.0

    init(_ wearer: SimulatedWearer) {
        calm = wearer.restingHeartRate * 1.1
        maximum = wearer.maximumHeartRate
        rate = min(calm, maximum)
    }

    /// Advances by one second.
    mutating func beat(effort: Double, _ dice: inout SimulatedDice) {
        drift = drift * 0.98 + dice.between(-0.5, 0.5)
        fatigue = max(0, fatigue + (effort > 0.3 ? effort / 3_600 : -1 / 600) * 0.06)
        let goal = calm + (maximum - calm) * min(effort * 0.92 + min(fatigue, 0.12) * effort, 1) + drift
        rate += (goal - rate) * (1 - exp(-1 / (goal > rate ? Self.rise : Self.fall)))
        rate = min(max(rate, 30), maximum)
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The unit of distances and paces of workouts.
enum DistanceUnit: String, CaseIterable, ExpressibleByArgument {
    case km, miles

    init?(argument: String) {
        switch argument.lowercased() {
        case "km", "kilometer", "kilometers", "kilometre", "kilometres": self = .km
        case "mi", "mile", "miles": self = .miles
        default: return nil
        }
    }

    /// The length in metres.
    var metres: Double { self == .km ? 1_000 : 1_609.344 }
    /// The text after a number.
    var symbol: String { self == .km ? "km" : "mi" }
    /// One unit in words.
    var noun: String { self == .km ? "kilometre" : "mile" }
    /// The length in metres of the unit of short distances, such as a lap in a pool: a metre, or a yard.
    var shortMetres: Double { self == .km ? 1 : 0.9144 }
    /// The text after a number of short units.
    var shortSymbol: String { self == .km ? "m" : "yd" }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import WorkoutFiles

/// Files of sports watches.
enum WorkoutFileTargets {
    static let all = [
        Target(
            name: "workout-file", maximumLength: 4096, variants: 7,
            asserts: "a file has points in order, and damage within it, or is refused; a player ends",
            seeds: { files in files.workouts.map { Array($0.prefix(4_000)) } }, run: each(read))
    ]

    private static func read(_ bytes: [UInt8]) {
        guard let file = try? WorkoutFile(bytes: bytes) else { return }
        require(zip(file.points, file.points.dropFirst()).allSatisfy { $0.date <= $1.date }, "points out of order")
        require(file.endDate >= file.startDate && !file.parts.isEmpty, "no workout")
        if let damage = file.damage { require(damage.offset <= UInt64(bytes.count), "damage after the end") }
        var tape = ReplayTape(file)
        for second in 0..<60 { _ = tape.play(from: file.startDate.addingTimeInterval(Double(second))) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import WorkoutFiles

/// The arguments of the program.
struct Options {
    var store = "workouts"
    /// The speed of the simulated time; nil for real time.
    var factor: Double?
    /// The file that stands in for the sensors; nil for a simulated wearer.
    var file: String?
    /// The length of the workout, without pauses; nil until "end" is entered.
    var minutes: Double?

    static let usage = """
        usage: Workout [--store DIRECTORY] [--fast FACTOR] [--file FILE] [--minutes NUMBER]

        Records a run of a simulated wearer, or the workout of a FIT, TCX or GPX file.
        Enter p to pause and to resume, e to end. A workout that was interrupted continues.

        """

    /// Parses arguments; nil if they are wrong.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--store": store = value
            case "--file": file = value
            case "--fast":
                guard let number = Double(value), number > 0 else { return nil }
                factor = number
            case "--minutes":
                guard let number = Double(value), number > 0 else { return nil }
                minutes = number
            default: return nil
            }
        }
    }
}

/// The sensors of a workout.
struct Sensors {
    let source: any SampleSource
    let configuration: HKWorkoutConfiguration
    /// The start of a new workout.
    let start: Date
    /// Whether there is no more data.
    let isFinished: @Sendable () -> Bool

    /// Creates the sensors.
    ///
    /// - Parameter last: the newest heart rate in the store: with simulated time, the sensors continue after it.
    init(_ options: Options, after last: Date?) throws {
        let pace = options.factor.map { SourcePace.accelerated(by: $0) } ?? .realTime
        if let path = options.file {
            let file = try WorkoutFile(contentsOf: path)
            if let damage = file.damage { print("the file is incomplete: \(damage)") }
            // With simulated time samples keep their dates, and the newest date shows how much was played.
            let played = options.factor == nil ? 0 : max(0, (last?.timeIntervalSince(file.startDate) ?? -1) + 1)
            let isOver = played > file.endDate.timeIntervalSince(file.startDate)
            let offset = isOver ? 0 : played
            start = options.factor == nil ? Date() : file.startDate.addingTimeInterval(offset)
            let replayer = WorkoutReplayer(file, pace: pace, start: start, skipping: offset)
            source = replayer
            configuration = file.configuration
            isFinished = { replayer.isFinished }
            return
        }
        start = options.factor == nil ? Date() : max(Date(), last?.addingTimeInterval(1) ?? .distantPast)
        source = WorkoutSimulator(SimulatedWearer(seed: 2018), pace: pace, start: start)
        configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        configuration.locationType = .outdoor
        isFinished = { false }
    }
}

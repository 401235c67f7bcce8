// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth

/// A workout app at the command line: start, pause, resume, live data, end, save, and recovery after a crash.
///
///     swift run Workout --fast 60 --minutes 30
@main
struct Workout {
    static func main() async {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            show(Options.usage)
            exit(64)
        }
        do {
            try await run(options)
        } catch {
            show("failed: \(error)")
            exit(1)
        }
    }

    static func run(_ options: Options) async throws {
        let health = HKHealthStore(directory: options.store)
        defer { health.close() }
        let sensors = try Sensors(options, after: try await newestHeartRate(health))
        try health.attach(sensors.source)
        let manager: WorkoutManager
        if let recovered = try await WorkoutManager.recovered(health) {
            manager = recovered
            show("recovered " + manager.display)
        } else {
            manager = try await WorkoutManager.started(health, sensors.configuration, at: sensors.start)
            show("started a workout: \(sensors.configuration.activityType)")
        }
        readCommands(manager)
        if !manager.isOver { try await follow(manager, sensors, options) }
        guard let workout = try await manager.finish() else { return show("nothing was recorded") }
        try await report(workout, health)
        // A file has no heart rates after its end.
        if options.factor != nil, options.file == nil { try await reportRecovery(workout, health) }
    }

    /// Shows the workout until it shall end: after the given minutes, at the end of a file, or by command.
    static func follow(_ manager: WorkoutManager, _ sensors: Sensors, _ options: Options) async throws {
        var shown = -1
        for await change in manager.stream {
            switch change {
            case .state(.stopped, _), .state(.ended, _): return
            case .state(.paused, _): show("paused    " + manager.display)
            case .state(.running, _) where shown >= 0: show("resumed   " + manager.display)
            case .state: break
            case .failed(let reason): throw Stopped(reason: reason)
            case .data:
                let seconds = manager.builder.elapsedTime
                // Every second in real time, and every ten seconds of simulated time.
                let step = Int(seconds) / (options.factor == nil ? 1 : 10)
                if step > shown { show("          " + manager.display) }
                shown = max(shown, step)
                if let minutes = options.minutes, seconds >= minutes * 60 { return }
                if sensors.isFinished() { return }
            }
        }
    }

    /// Reads commands on a thread of its own.
    static func readCommands(_ manager: WorkoutManager) {
        Thread.detachNewThread {
            while let line = readLine() {
                switch line.first {
                case "p": manager.pauseOrResume()
                case "e": manager.session.stopActivity(with: nil)
                default: show("p pauses and resumes, e ends")
                }
            }
        }
    }

    /// Returns the date of the newest heart rate in the store.
    static func newestHeartRate(_ health: HKHealthStore) async throws -> Date? {
        let query = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: WorkoutManager.heartRate)],
            sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: 1)
        return try await query.result(for: health).first?.startDate
    }

    /// Prints the saved workout, and whether its samples are complete.
    static func report(_ workout: HKWorkout, _ health: HKHealthStore) async throws {
        let rate = workout.statistics(for: WorkoutManager.heartRate)
        let energy = workout.statistics(for: WorkoutManager.energy)?.sumQuantity()?.doubleValue(for: .kilocalorie())
        show(
            "saved     "
                + WorkoutManager.line(
                    workout.duration, rate?.averageQuantity()?.doubleValue(for: WorkoutManager.beatsPerMinute), energy,
                    workout.totalDistance?.doubleValue(for: .meter())))
        let query = HKSampleQueryDescriptor(
            predicates: [
                .quantitySample(type: WorkoutManager.heartRate, predicate: HKQuery.predicateForObjects(from: workout))
            ])
        let samples = try await query.result(for: health)
        let times = Set(samples.map(\.startDate))
        show("\(samples.count) heart rates in \(Int(workout.duration)) s, at \(times.count) times")
    }

    /// Waits for the minute after the workout, and prints the recovery of the heart.
    static func reportRecovery(_ workout: HKWorkout, _ health: HKHealthStore) async throws {
        let query = HKSampleQueryDescriptor(
            predicates: [
                .quantitySample(
                    type: HKQuantityType(.heartRateRecoveryOneMinute),
                    predicate: HKQuery.predicateForSamples(withStart: workout.endDate, end: nil))
            ])
        for _ in 0..<600 {
            if let sample = try await query.result(for: health).first {
                let value = sample.quantity.doubleValue(for: WorkoutManager.beatsPerMinute)
                return show("recovery  \(Int(value)) bpm in the first minute")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Prints a line at once, also to a pipe.
    static func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}

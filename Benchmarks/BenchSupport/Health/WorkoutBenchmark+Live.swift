// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import FileSystem
import Foundation
import HealthModel
import KymographHealth

extension WorkoutBenchmark {
    /// Returns the locations of a simulated run.
    func generatedRoute() async throws -> [CLLocation] {
        try await withStore("generated") { store in
            let simulator = WorkoutSimulator(SimulatedWearer(seed: 7), pace: .manual, start: Self.begin)
            try store.attach(simulator)
            let configuration = Self.configuration(.running)
            let session = try HKWorkoutSession(healthStore: store, configuration: configuration)
            let builder = session.associatedWorkoutBuilder()
            // Only the route is wanted.
            builder.dataSource = HKLiveWorkoutDataSource(healthStore: store, workoutConfiguration: nil)
            session.startActivity(with: Self.begin)
            try await builder.beginCollection(at: Self.begin)
            for _ in 0..<10_000 where session.state != .running { try await Task.sleep(for: .milliseconds(1)) }
            // The state is known to the sensors a moment later.
            try await Task.sleep(for: .milliseconds(20))
            simulator.advance(by: Double(bounds.locations))
            session.end()
            guard let workout = try await builder.finishWorkout() else { throw BenchError("no workout was saved") }
            simulator.advance(by: 120)
            let found = try await Self.locations(of: try await route(of: workout, store), store)
            guard found.count > bounds.locations * 9 / 10 else {
                throw BenchError("\(found.count) locations were made")
            }
            return found
        }
    }

    // MARK: - Statistics of a running workout

    /// Measures the statistics of a running workout after each new sample. A second source delivers beats that are
    /// earlier than the last ones of the first source.
    func running(_ seconds: Int, sources: Int) async throws -> [BenchResult] {
        try await withStore("running") { store in
            let live = try await LiveWorkout(store, Self.heartRate, from: Self.begin)
            var all: [HKQuantitySample] = []
            func deliver(_ samples: [HKQuantitySample]) {
                live.sensor.deliver(samples)
                all += samples
            }
            for first in stride(from: 0, to: seconds, by: 60) {
                deliver((first..<min(first + 60, seconds)).map { beat($0) })
                if sources > 1 { deliver((first..<min(first + 60, seconds)).map { beat($0, before: 0.4) }) }
            }
            var (first, again) = (Stopwatch(), Stopwatch())
            for second in seconds..<seconds + bounds.deliveries {
                deliver([beat(second)])
                if sources > 1 { deliver([beat(second, before: 0.4)]) }
                let found = first.measure { live.builder.statistics(for: Self.heartRate) }
                again.measure(repeats: 16) {
                    for _ in 0..<16 { _ = live.builder.statistics(for: Self.heartRate) }
                }
                guard found != nil else { throw BenchError("a running workout has no statistics") }
            }
            try check(live.builder.statistics(for: Self.heartRate), all)
            var watch = Stopwatch()
            _ = try await live.finish(&watch)
            let set = seconds < 3_600 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
            let name = sources > 1 ? "two sources" : "one source"
            return [
                row("statistics", set, name, first, all.count, "statistics(for:) right after a new heart rate"),
                row("statistics", set, name + ", again", again, all.count, "the same without a new one"),
            ]
        }
    }

    /// Returns a heart rate of a second; one of the second source is earlier.
    private func beat(_ second: Int, before: Double = 0) -> HKQuantitySample {
        let date = Self.date(max(0, Double(second) - before))
        let value = Self.rate(second) + (before > 0 ? 1 : 0)
        return HKQuantitySample(
            type: Self.heartRate, quantity: HKQuantity(unit: Self.perMinute, doubleValue: value), start: date, end: date
        )
    }

    /// Compares statistics with a plain computation.
    private func check(_ statistics: HKStatistics?, _ samples: [HKQuantitySample]) throws {
        let sorted = samples.map { ($0.startDate.timeIntervalSince(Self.begin), $0.quantity.value) }.sorted { $0 < $1 }
        var area = 0.0
        for (one, next) in zip(sorted, sorted.dropFirst()) { area += one.1 * (next.0 - one.0) }
        let average = area / (sorted[sorted.count - 1].0 - sorted[0].0)
        let found = statistics?.averageQuantity()?.doubleValue(for: Self.perMinute) ?? .nan
        let least = statistics?.minimumQuantity()?.doubleValue(for: Self.perMinute)
        guard abs(found - average) < 1e-6, abs((least ?? .nan) - (sorted.map(\.1).min() ?? 0)) < 1e-9 else {
            throw BenchError("the average of a running workout is \(found), not \(average)")
        }
    }

    // MARK: - Notifications

    /// Measures the time from the end of a save to the call of the delegate.
    func notified() async throws -> [BenchResult] {
        try await withStore("notified") { store in
            let live = try await LiveWorkout(store, Self.heartRate, from: Self.begin)
            var (sensor, saved) = (Stopwatch(), Stopwatch())
            for second in 0..<bounds.deliveries {
                let before = SystemClock.monotonicNanoseconds()
                let number = live.listener.count
                live.sensor.deliver([beat(second)])
                sensor.add(nanoseconds: try await live.listener.call(number) - before)
            }
            for second in bounds.deliveries..<2 * bounds.deliveries {
                let number = live.listener.count
                try await store.save(beat(second))
                let after = SystemClock.monotonicNanoseconds()
                saved.add(nanoseconds: max(0, try await live.listener.call(number) - after))
            }
            var watch = Stopwatch()
            let workout = try await live.finish(&watch)
            let own = HKQuery.predicateForObjects(from: workout)
            let members = try await HKSampleQueryDescriptor(
                predicates: [.quantitySample(type: Self.heartRate, predicate: own)], sortDescriptors: []
            ).result(for: store)
            guard members.count == 2 * bounds.deliveries else { throw BenchError("\(members.count) were collected") }
            return [
                row(
                    "collected", "live", "sensor", sensor, 1,
                    "didCollectDataOf after the call of deliver, commit included"),
                row(
                    "collected", "live", "program", saved, 1, "didCollectDataOf after the end of the program's own save"
                ),
            ]
        }
    }

    // MARK: - A long session

    /// Measures a session with fifty samples a second.
    func session() async throws -> [BenchResult] {
        try await withStore("session") { store in
            let type = HKQuantityType(.cyclingPower)
            let live = try await LiveWorkout(store, type, from: Self.begin)
            let before = Int(Machine.residentBytes())
            var peak = before
            var watch = Stopwatch()
            watch.measure {
                for second in 0..<bounds.sessionSeconds {
                    let samples = (0..<50).map { i in
                        let start = Self.date(Double(second) + Double(i) / 50)
                        let quantity = HKQuantity(unit: .watt(), doubleValue: Double(150 + (second &* 31 &+ i) % 200))
                        return HKQuantitySample(type: type, quantity: quantity, start: start, end: start)
                    }
                    live.sensor.deliver(samples)
                    if second.isMultiple(of: 300) { peak = max(peak, Int(Machine.residentBytes())) }
                }
                peak = max(peak, Int(Machine.residentBytes()))
            }
            let count = bounds.sessionSeconds * 50
            var finish = Stopwatch()
            let workout = try await live.finish(&finish)
            let found = try store.store().engine.info().samples
            guard found >= count, workout.statistics(for: type)?.averageQuantity() != nil else {
                throw BenchError("\(found) samples of the session were saved")
            }
            let what = "a session of \(bounds.sessionSeconds) seconds, a commit for each"
            var all = row("session", "50 Hz", "live", watch, count, what)
            all.samplesPerSecond = Double(count) / watch.median
            all.residentBytes = peak
            all.bytes = Int(try store.store().engine.info().bytes)
            all.bytesPerSample = Double(all.bytes ?? 0) / Double(count)
            var end = row("finish", "50 Hz", "live", finish, count, "finishWorkout of the same session")
            end.residentBytes = Int(Machine.usage().peakResidentBytes)
            return [all, end]
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import KymographHealth
import Synchronization

/// A value behind a lock.
final class BenchBox<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }

    func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}

/// A sensor that delivers the samples of a benchmark, dated by the last of them.
final class BenchSensor: SampleSource {
    let quantityTypes: Set<HKQuantityType>
    private let state: Mutex<(receiver: SampleReceiver?, now: Date)>

    init(_ types: Set<HKQuantityType>, from start: Date) {
        quantityTypes = types
        state = Mutex((nil, start))
    }

    var currentDate: Date { state.withLock { $0.now } }
    var isStarted: Bool { state.withLock { $0.receiver != nil } }

    func start(_ receiver: SampleReceiver) { state.withLock { $0.receiver = receiver } }
    func update(_ state: HKWorkoutSessionState, _ activity: HKWorkoutConfiguration) {}
    func stop() { state.withLock { $0.receiver = nil } }

    /// Delivers samples; returns when they are saved.
    func deliver(_ samples: [HKQuantitySample]) {
        let receiver = state.withLock { state in
            state.now = max(state.now, samples.last?.endDate ?? state.now)
            return state.receiver
        }
        receiver?.deliver(samples)
    }
}

/// Notes when a live builder reports samples.
final class BenchListener: NSObject, HKLiveWorkoutBuilderDelegate, Sendable {
    /// The monotonic times of the calls.
    private let calls = BenchBox<[Int64]>([])

    func workoutBuilder(_ workoutBuilder: HKLiveWorkoutBuilder, didCollectDataOf collectedTypes: Set<HKSampleType>) {
        let now = SystemClock.monotonicNanoseconds()
        calls.change { $0.append(now) }
    }

    func workoutBuilderDidCollectEvent(_ workoutBuilder: HKLiveWorkoutBuilder) {}

    var count: Int { calls.value.count }

    /// Waits for the call of a number and returns its time.
    func call(_ number: Int) async throws -> Int64 {
        for _ in 0..<100_000 {
            let known = calls.value
            if known.count > number { return known[number] }
            try await Task.sleep(for: .microseconds(50))
        }
        throw BenchError("the delegate of a live workout was not called")
    }
}

/// A running session with one sensor.
struct LiveWorkout {
    let session: HKWorkoutSession
    let builder: HKLiveWorkoutBuilder
    let sensor: BenchSensor
    let listener = BenchListener()

    /// Starts a session that collects one type.
    init(_ store: HKHealthStore, _ type: HKQuantityType, from start: Date) async throws {
        sensor = BenchSensor([type], from: start)
        try store.attach(sensor)
        session = try HKWorkoutSession(healthStore: store, configuration: WorkoutBenchmark.configuration(.cycling))
        builder = session.associatedWorkoutBuilder()
        builder.delegate = listener
        let source = HKLiveWorkoutDataSource(healthStore: store, workoutConfiguration: nil)
        source.enableCollection(for: type, predicate: nil)
        builder.dataSource = source
        session.startActivity(with: start)
        try await builder.beginCollection(at: start)
        for _ in 0..<10_000 where !sensor.isStarted || session.state != .running {
            try await Task.sleep(for: .milliseconds(1))
        }
        guard sensor.isStarted else { throw BenchError("the session did not start") }
    }

    /// Ends the session and saves the workout.
    func finish(_ watch: inout Stopwatch) async throws -> HKWorkout {
        session.end()
        let workout = try await watch.measureAwaited { try await builder.finishWorkout() }
        guard let workout else { throw BenchError("no workout was saved") }
        // A rate long after the end ends the wait for the recovery of the heart.
        let late = workout.endDate.addingTimeInterval(120)
        sensor.deliver([
            HKQuantitySample(
                type: WorkoutBenchmark.heartRate,
                quantity: HKQuantity(unit: WorkoutBenchmark.perMinute, doubleValue: 60), start: late, end: late)
        ])
        return workout
    }
}

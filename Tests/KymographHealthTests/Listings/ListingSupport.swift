// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport

#if canImport(Darwin)
    import HealthKit
#else
    import KymographHealth
#endif

/// A health store for listings: ``init()`` is the only declaration of this package.
final class ListingStore: Sendable {
    let healthStore: HKHealthStore

    #if canImport(Darwin)
        init() throws { healthStore = HKHealthStore() }
        func restart() {}
    #else
        private let directory: TemporaryDirectory

        init() throws {
            directory = try TemporaryDirectory()
            healthStore = HKHealthStore(directory: directory.file("store"))
        }

        /// Closes the store, so that the next call opens it as a new process would.
        func restart() { healthStore.close() }

        deinit { healthStore.close() }
    #endif

    /// Returns the samples of a type, sorted by start.
    func samples(_ type: HKQuantityType) async throws -> [HKQuantitySample] {
        try await HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: type)], sortDescriptors: [SortDescriptor(\.startDate)]
        ).result(for: healthStore)
    }

    /// Returns the samples of a type that belong to a workout.
    func samples(_ type: HKQuantityType, of workout: HKWorkout) async throws -> [HKQuantitySample] {
        let own = HKQuery.predicateForObjects(from: workout)
        return try await HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: type, predicate: own)], sortDescriptors: [SortDescriptor(\.startDate)]
        ).result(for: healthStore)
    }

    /// Returns the workouts that match a predicate, sorted by start.
    func workouts(_ predicate: NSPredicate? = nil) async throws -> [HKWorkout] {
        try await HKSampleQueryDescriptor(
            predicates: [.workout(predicate)], sortDescriptors: [SortDescriptor(\.startDate)]
        ).result(for: healthStore)
    }
}

/// The values that handlers received, in order.
final class Collected<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func append(_ value: Value) { values.withLock { $0.append(value) } }

    /// Waits until the values satisfy a condition, for at most twenty seconds.
    func wait(_ isEnough: ([Value]) -> Bool) async {
        for _ in 0..<4_000 where !isEnough(all) { try? await Task.sleep(for: .milliseconds(5)) }
    }

    /// Waits for the first value and returns it; nil after twenty seconds.
    func first() async -> Value? {
        await wait { !$0.isEmpty }
        return all.first
    }
}

/// Thrown when a handler receives neither a result nor an error.
struct NoAnswer: Error {}

/// Waits until a condition holds, for at most twenty seconds.
func waitUntil(_ condition: () -> Bool) async {
    for _ in 0..<4_000 where !condition() { try? await Task.sleep(for: .milliseconds(5)) }
}

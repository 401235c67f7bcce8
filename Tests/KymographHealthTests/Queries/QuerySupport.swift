// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import HealthModel
@testable import KymographHealth

/// Answers of handlers in the order of arrival, with functions that wait for them.
final class Answers<Value: Sendable>: Sendable {
    private let all = Mutex<[Value]>([])

    func put(_ value: Value) { all.withLock { $0.append(value) } }

    var count: Int { all.withLock { $0.count } }

    /// Returns all answers once the last one satisfies a condition, or after twenty seconds.
    func until(_ isWanted: (Value) -> Bool) async -> [Value] {
        for _ in 0..<4_000 where !(all.withLock { $0.last }.map(isWanted) ?? false) {
            try? await Task.sleep(for: .milliseconds(5))
        }
        return all.withLock { $0 }
    }

    /// Returns the first answers once there are enough, or the available ones after twenty seconds.
    func first(_ count: Int) async -> [Value] {
        for _ in 0..<4_000 where self.count < count { try? await Task.sleep(for: .milliseconds(5)) }
        return all.withLock { Array($0.prefix(count)) }
    }
}

func systolic(_ value: Double, at seconds: Double) -> HKQuantitySample {
    pressure(.bloodPressureSystolic, value, seconds)
}

func diastolic(_ value: Double, at seconds: Double) -> HKQuantitySample {
    pressure(.bloodPressureDiastolic, value, seconds)
}

private func pressure(_ type: HKQuantityTypeIdentifier, _ value: Double, _ seconds: Double) -> HKQuantitySample {
    let date = clock.addingTimeInterval(seconds)
    return HKQuantitySample(
        type: HKQuantityType(type), quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value),
        start: date, end: date)
}

func bloodPressure(_ high: Double, _ low: Double, at seconds: Double) -> HKCorrelation {
    let date = clock.addingTimeInterval(seconds)
    return HKCorrelation(
        type: HKCorrelationType(.bloodPressure), start: date, end: date,
        objects: [systolic(high, at: seconds), diastolic(low, at: seconds)])
}

let bodyMass = HKQuantityType(.bodyMass)

/// Whether a sequence with more elements throws `CancellationError` after its task is cancelled.
func isEndedByCancelling<All: AsyncSequence & SendableMetatype>(
    _ all: @escaping @Sendable () -> All
) async -> Bool where All.AsyncIterator: SendableMetatype {
    let taken = Answers<Bool>()
    let task = Task {
        var elements = all().makeAsyncIterator()
        taken.put(try await elements.next() != nil)
        while !Task.isCancelled { await Task.yield() }
        _ = try await elements.next()
    }
    let isFirstThere = await taken.first(1) == [true]
    task.cancel()
    do {
        try await task.value
        return false
    } catch {
        return isFirstThere && error is CancellationError
    }
}

extension TestDoor {
    /// Finishes a builder and discards it while the save waits for the store; then the save fails or succeeds.
    ///
    /// - Parameters:
    ///   - finish: Finishes the builder and returns the code of its error.
    ///   - isTaking: Whether the builder still accepts data.
    /// - Returns: the code of the error of `finish`; nil if the save succeeded.
    func discardWhileFinishing(
        isFailing: Bool, finish: () async -> HKError.Code?, isTaking: @escaping @Sendable () -> Bool,
        discard: @escaping @Sendable () -> Void
    ) async throws -> HKError.Code? {
        let store = try health.store()
        await withCheckedContinuation { waiting in
            Thread.detachNewThread {
                try? store.gate.load {
                    // Saves wait until the load ends.
                    waiting.resume()
                    // On a busy machine all other tests may run before the finishing task.
                    for _ in 0..<100_000 where isTaking() { Thread.sleep(forTimeInterval: 0.02) }
                    discard()
                    if isFailing { store.close() }
                }
            }
        }
        return await finish()
    }
}

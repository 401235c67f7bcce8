// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import HealthModel
@testable import KymographHealth

/// Answers of handlers, in the order in which they came, to be waited for.
final class Answers<Value: Sendable>: Sendable {
    private let all = Mutex<[Value]>([])

    func put(_ value: Value) { all.withLock { $0.append(value) } }

    var count: Int { all.withLock { $0.count } }

    /// All answers, as soon as the last one is as wanted; after twenty seconds, whatever there is.
    func until(_ isWanted: (Value) -> Bool) async -> [Value] {
        for _ in 0..<4_000 where !(all.withLock { $0.last }.map(isWanted) ?? false) {
            try? await Task.sleep(for: .milliseconds(5))
        }
        return all.withLock { $0 }
    }

    /// The first answers, as soon as there are so many; fewer after twenty seconds.
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

/// Whether a sequence that has more throws `CancellationError` once the task that takes its elements is cancelled.
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
    /// Finishes a builder, discards it while its save waits for the store, and then lets the store fail, or not.
    ///
    /// - Parameters:
    ///   - finish: finishes the builder, and gives what came of it.
    ///   - isTaking: whether the builder takes more.
    /// - Returns: what came of it; nil where it was saved.
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
                    // All other tests may go before the one that finishes.
                    for _ in 0..<100_000 where isTaking() { Thread.sleep(forTimeInterval: 0.02) }
                    discard()
                    if isFailing { store.close() }
                }
            }
        }
        return await finish()
    }
}

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

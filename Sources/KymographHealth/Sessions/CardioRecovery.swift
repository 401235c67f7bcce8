// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HealthModel
import Synchronization

/// The recovery of the heart in the first minute after a workout, from heart rates that sensors deliver after its end.
///
/// The value is the last heart rate of the workout minus the rate nearest to one minute after the end, at most 10 s
/// away. Only a positive value is saved. The sample has the end of the workout as its start and end, as a watch records
/// it.
final class CardioRecovery: Sendable {
    private let builder: HKLiveWorkoutBuilder
    private let session: HKWorkoutSession
    private let whenDone: @Sendable () -> Void
    private let end: Date
    private let state = Mutex(State())

    private struct State {
        /// The heart rates after the end, in beats per minute.
        var rates: [(date: Date, value: Double)] = []
        var isDone = false
    }

    /// How long rates are collected after the end, in seconds.
    static let span = 70.0
    /// The greatest distance of the second rate from one minute after the end, in seconds.
    static let tolerance = 10.0
    private static let unit = HKUnit.count().unitDivided(by: .minute())

    init(_ session: HKWorkoutSession, _ builder: HKLiveWorkoutBuilder, whenDone: @escaping @Sendable () -> Void) {
        self.session = session
        self.builder = builder
        self.whenDone = whenDone
        end = session.endDate ?? Date()
    }

    /// Starts the collection. It ends at the latest when the rest of the span has passed in real time; the rest is
    /// computed with the clock of the source.
    func start() {
        let rest = max(0, end.addingTimeInterval(Self.span).timeIntervalSince(session.core.now))
        session.core.calls.asyncAfter(deadline: .now() + min(rest, Self.span) + 1) { [self] in finish() }
    }

    /// Adds samples that were delivered after the end. The first rate after the span ends the collection.
    func take(_ samples: [HKQuantitySample]) {
        let rates = samples.filter { $0.quantityType == HKQuantityType(.heartRate) }
        let isOver = state.withLock { state in
            for rate in rates where rate.startDate > end {
                state.rates.append((rate.startDate, rate.quantity.doubleValue(for: Self.unit)))
            }
            return rates.contains { $0.startDate >= end.addingTimeInterval(Self.span) }
        }
        if isOver { finish() }
    }

    private func finish() {
        let rates: [(date: Date, value: Double)]? = state.withLock { state in
            defer { state.isDone = true }
            return state.isDone ? nil : state.rates
        }
        guard let rates else { return }
        if let sample = sample(rates) {
            builder.whenSaved { [store = builder.store] in try? store.saveNow([sample]) }
        }
        whenDone()
    }

    /// Returns the sample; nil without a heart rate about one minute after the end.
    private func sample(_ rates: [(date: Date, value: Double)]) -> HKQuantitySample? {
        let type = HKQuantityType(.heartRate)
        guard let statistics = builder.statistics(for: type), let start = session.startDate,
            let last = statistics.mostRecentQuantity()?.doubleValue(for: Self.unit),
            let maximum = statistics.maximumQuantity()?.doubleValue(for: Self.unit)
        else { return nil }
        let workout = Workout(
            last: last, maximum: maximum, end: end, duration: builder.elapsedTime(at: max(end, start)),
            activity: session.core.state.configuration.activity)
        return Self.sample(workout, rates, age: (try? builder.store.age(at: end)) ?? nil)
    }

    /// The values of a workout on which the sample depends.
    struct Workout {
        /// The last and the greatest heart rate, in beats per minute.
        let last: Double
        let maximum: Double
        let end: Date
        /// In seconds.
        let duration: TimeInterval
        let activity: HKWorkoutActivityType
    }

    /// Returns the sample of a workout; nil without a heart rate about one minute after the end, and for a value that
    /// is not positive.
    ///
    /// - Parameters:
    ///   - rates: the heart rates after the end, in beats per minute.
    ///   - age: the age of the person in completed years; nil if unknown.
    static func sample(
        _ workout: Workout, _ rates: [(date: Date, value: Double)], age: Int?
    ) -> HKQuantitySample? {
        func distance(_ date: Date) -> Double { abs(date.timeIntervalSince(workout.end) - 60) }
        guard let second = rates.min(by: { distance($0.date) < distance($1.date) }),
            distance(second.date) <= tolerance, workout.last > second.value
        else { return nil }
        let isMaximal = workout.maximum >= 0.85 * Double(220 - (age ?? 0)) && age != nil
        let test: HKHeartRateRecoveryTestType = isMaximal ? .maxExercise : .predictionSubMaxExercise
        let greatest = rates.map(\.value).max() ?? workout.last
        return HKQuantitySample(
            type: HKQuantityType(.heartRateRecoveryOneMinute),
            quantity: HKQuantity(unit: unit, doubleValue: workout.last - second.value), start: workout.end,
            end: workout.end,
            metadata: [
                HKMetadataKeyHeartRateRecoveryTestType: test.rawValue,
                HKMetadataKeyHeartRateRecoveryActivityType: Int(workout.activity.rawValue),
                HKMetadataKeyHeartRateRecoveryActivityDuration: HKQuantity(
                    unit: .second(), doubleValue: workout.duration),
                HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate: HKQuantity(
                    unit: unit, doubleValue: greatest),
                HKMetadataKeyAlgorithmVersion: 1,
            ])
    }
}

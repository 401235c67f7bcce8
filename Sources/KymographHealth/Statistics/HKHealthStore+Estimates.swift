// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

extension HKHealthStore {
    /// Recalibrates the system's estimates of a type. A store has no estimates, so that this always fails.
    ///
    /// - Throws: ``HKError`` `errorInvalidArgument`.
    public func recalibrateEstimates(sampleType: HKSampleType, date: Date) async throws {
        throw Self.noEstimates(of: sampleType)
    }

    /// Recalibrates the system's estimates of a type; the handler gets `errorInvalidArgument` on a thread of the store.
    @preconcurrency public func recalibrateEstimates(
        sampleType: HKSampleType, date: Date, completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let error = Self.noEstimates(of: sampleType)
        BlockingQueue.run { completion(false, error) }
    }

    private static func noEstimates(of type: HKSampleType) -> HKError {
        HKError(
            .errorInvalidArgument, reason: "the estimates of this type cannot be recalibrated",
            place: type.identifier, advice: "see HKSampleType.allowsRecalibrationForEstimates")
    }

    /// Splits an amount of energy into its resting and active parts. The resting part is the sum of
    /// `basalEnergyBurned` in the time, at most the whole; HealthKit does not publish its rule.
    ///
    /// - Parameters:
    ///   - totalEnergy: from 0, in a unit of energy.
    ///   - resultsHandler: receives the resting part and the active part, or the error: `errorInvalidArgument` for an
    ///     amount that is no energy, `errorNoData` without resting energy in the time. Called once, on a thread of the
    ///     store.
    @available(*, deprecated, message: "query basalEnergyBurned and activeEnergyBurned")
    @preconcurrency public func splitTotalEnergy(
        _ totalEnergy: HKQuantity, start startDate: Date, end endDate: Date,
        resultsHandler: @escaping @Sendable (HKQuantity?, HKQuantity?, (any Error)?) -> Void
    ) {
        let total = totalEnergy.doubleValue(for: .kilocalorie())
        guard total.isFinite, total >= 0 else {
            let error = HKError(
                .errorInvalidArgument, reason: "\(totalEnergy) is not an amount of energy", place: "totalEnergy",
                advice: "give a number of at least 0 in a unit such as kcal")
            BlockingQueue.run { resultsHandler(nil, nil, error) }
            return
        }
        let predicate = HKQuery.predicateForSamples(withStart: startDate, end: endDate)
        let query = HKStatisticsQuery(
            quantityType: HKQuantityType(.basalEnergyBurned), quantitySamplePredicate: predicate,
            options: .cumulativeSum
        ) { _, statistics, error in
            guard let sum = statistics?.sumQuantity()?.doubleValue(for: .kilocalorie()) else {
                let missing = HKError(
                    .errorNoData, reason: "no resting energy is stored in the time", place: "splitTotalEnergy",
                    advice: "save samples of basalEnergyBurned first")
                return resultsHandler(nil, nil, error ?? missing)
            }
            let resting = min(sum, total)
            resultsHandler(
                HKQuantity(unit: .kilocalorie(), doubleValue: resting),
                HKQuantity(unit: .kilocalorie(), doubleValue: total - resting), nil)
        }
        execute(query)
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// An electrocardiogram, without its voltages. A store gives it; a program makes one with
/// `HealthElectrocardiogramBuilder`.
public final class HKElectrocardiogram: HKSample, @unchecked Sendable {
    /// What the device took the rhythm for. Raw values are HealthKit's.
    public enum Classification: Int, Hashable, Sendable, CaseIterable {
        /// Nothing was said.
        case notSet = 0
        /// A regular rhythm.
        case sinusRhythm = 1
        /// Atrial fibrillation.
        case atrialFibrillation = 2
        /// The heart was too slow to say.
        case inconclusiveLowHeartRate = 3
        /// The heart was too fast to say.
        case inconclusiveHighHeartRate = 4
        /// The signal was too poor to say.
        case inconclusivePoorReading = 5
        /// Not to be said for another reason.
        case inconclusiveOther = 6
        /// A value that this version does not know.
        case unrecognized = 100
    }

    /// Whether the person had symptoms. Raw values are HealthKit's.
    public enum SymptomsStatus: Int, Hashable, Sendable, CaseIterable {
        /// Nothing was entered.
        case notSet = 0
        /// None.
        case none = 1
        /// Some.
        case present = 2
    }

    /// Where a voltage was measured. The raw value is HealthKit's.
    public enum Lead: Int, Hashable, Sendable, CaseIterable {
        /// Between a wrist and the other hand's finger, much like lead I.
        case appleWatchSimilarToLeadI = 1
    }

    /// What a store keeps of an electrocardiogram beside its voltages.
    package struct Facts: Sendable {
        package var voltages: Int
        package var samplingFrequency: HKQuantity?
        package var classification: Classification
        package var averageHeartRate: HKQuantity?
        package var symptoms: SymptomsStatus

        package init(
            voltages: Int, samplingFrequency: HKQuantity?, classification: Classification,
            averageHeartRate: HKQuantity?, symptoms: SymptomsStatus
        ) {
            self.voltages = voltages
            self.samplingFrequency = samplingFrequency
            self.classification = classification
            self.averageHeartRate = averageHeartRate
            self.symptoms = symptoms
        }
    }

    private let facts: Facts

    /// An electrocardiogram as a store gives it.
    package init(header: ObjectHeader, start: Date, end: Date, facts: Facts) {
        self.facts = facts
        super.init(header: header, type: HKObjectType.electrocardiogramType(), start: start, end: end)
    }

    /// How many voltages were measured.
    public var numberOfVoltageMeasurements: Int { facts.voltages }
    /// How often, in hertz; nil where it is not known.
    public var samplingFrequency: HKQuantity? { facts.samplingFrequency }
    /// What the device took the rhythm for.
    public var classification: Classification { facts.classification }
    /// The average rate; nil where it is not known.
    public var averageHeartRate: HKQuantity? { facts.averageHeartRate }
    /// Whether the person had symptoms.
    public var symptomsStatus: SymptomsStatus { facts.symptoms }
}

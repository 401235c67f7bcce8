// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An electrocardiogram without its voltages. Stores return electrocardiograms; programs create them with
/// `HealthElectrocardiogramBuilder`.
public final class HKElectrocardiogram: HKSample, @unchecked Sendable {
    /// The device's classification of the rhythm. Raw values are HealthKit's.
    public enum Classification: Int, Hashable, Sendable, CaseIterable {
        /// No classification.
        case notSet = 0
        /// A regular rhythm.
        case sinusRhythm = 1
        /// Atrial fibrillation.
        case atrialFibrillation = 2
        /// Inconclusive because the heart rate was too low.
        case inconclusiveLowHeartRate = 3
        /// Inconclusive because the heart rate was too high.
        case inconclusiveHighHeartRate = 4
        /// Inconclusive because the signal was too poor.
        case inconclusivePoorReading = 5
        /// Inconclusive for another reason.
        case inconclusiveOther = 6
        /// A value unknown to this version.
        case unrecognized = 100
    }

    /// Whether the person had symptoms. Raw values are HealthKit's.
    public enum SymptomsStatus: Int, Hashable, Sendable, CaseIterable {
        /// No value was entered.
        case notSet = 0
        /// No symptoms.
        case none = 1
        /// Symptoms.
        case present = 2
    }

    /// The lead of a voltage measurement. The raw value is HealthKit's.
    public enum Lead: Int, Hashable, Sendable, CaseIterable {
        /// Between a wrist and the other hand's finger, much like lead I.
        case appleWatchSimilarToLeadI = 1
    }

    /// The stored properties of an electrocardiogram, without its voltages.
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

    /// Creates an electrocardiogram read from a store.
    package init(header: ObjectHeader, start: Date, end: Date, facts: Facts) {
        self.facts = facts
        super.init(header: header, type: HKObjectType.electrocardiogramType(), start: start, end: end)
    }

    /// Encodes all properties of the electrocardiogram, but not its voltages.
    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(FactsRecord(facts), record: "electrocardiogram")
    }

    /// Decodes an electrocardiogram that `encode(with:)` encoded; nil if the archive has no electrocardiogram.
    public required init?(coder: NSCoder) {
        guard let facts = coder.decode(FactsRecord.self, record: "electrocardiogram")?.facts else { return nil }
        self.facts = facts
        super.init(coder: coder)
    }

    /// The number of voltage measurements.
    public var numberOfVoltageMeasurements: Int { facts.voltages }
    /// The sampling frequency in hertz; nil if unknown.
    public var samplingFrequency: HKQuantity? { facts.samplingFrequency }
    /// The device's classification of the rhythm.
    public var classification: Classification { facts.classification }
    /// The average heart rate; nil if unknown.
    public var averageHeartRate: HKQuantity? { facts.averageHeartRate }
    /// Whether the person had symptoms.
    public var symptomsStatus: SymptomsStatus { facts.symptoms }

    /// The voltages measured at one instant.
    public final class VoltageMeasurement: NSObject, NSCopying, Sendable {
        /// The time since the start of the electrocardiogram in seconds.
        public let timeSinceSampleStart: TimeInterval
        private let quantities: [Lead: HKQuantity]

        package init(time: TimeInterval, quantities: [Lead: HKQuantity]) {
            timeSinceSampleStart = time
            self.quantities = quantities
            super.init()
        }

        /// Returns the voltage of a lead in its stored unit; nil if the lead was not measured.
        public func quantity(for lead: Lead) -> HKQuantity? { quantities[lead] }

        /// Returns the object itself, which is immutable.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }
}

/// The archived properties of an electrocardiogram.
private struct FactsRecord: Codable {
    private let voltages: Int
    private let samplingFrequency: QuantityRecord?
    private let classification: Int
    private let averageHeartRate: QuantityRecord?
    private let symptoms: Int

    init(_ facts: HKElectrocardiogram.Facts) {
        voltages = facts.voltages
        samplingFrequency = facts.samplingFrequency.map { QuantityRecord($0) }
        classification = facts.classification.rawValue
        averageHeartRate = facts.averageHeartRate.map { QuantityRecord($0) }
        symptoms = facts.symptoms.rawValue
    }

    var facts: HKElectrocardiogram.Facts {
        HKElectrocardiogram.Facts(
            voltages: voltages, samplingFrequency: samplingFrequency?.quantity,
            classification: HKElectrocardiogram.Classification(rawValue: classification) ?? .unrecognized,
            averageHeartRate: averageHeartRate?.quantity,
            symptoms: HKElectrocardiogram.SymptomsStatus(rawValue: symptoms) ?? .notSet)
    }
}

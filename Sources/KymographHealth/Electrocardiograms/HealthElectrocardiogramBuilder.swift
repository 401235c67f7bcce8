// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import Foundation
public import HealthModel

/// A builder of an electrocardiogram from the voltages of a sensor. Not part of HealthKit, where only devices create
/// them.
///
/// Voltages are collected in memory and stored by `finish`. Before that nothing is on disk: if the process ends, or the
/// builder is released, only these voltages are lost.
public final class HealthElectrocardiogramBuilder: Sendable {
    private let store: HKHealthStore
    private let device: HKDevice?
    private let start: Date
    /// The sampling frequency in hertz; NaN if the quantity was not a frequency.
    private let frequency: Double
    private let uuid = ObjectIdentity.next()
    private let state = BuilderState<Content>(of: HealthElectrocardiogramBuilder.self)

    private struct Content: BuilderContent {
        var leads: [HKElectrocardiogram.Lead: (unit: HKUnit, values: [Double])] = [:]
    }

    /// The maximum number of voltages of a lead.
    public static var maximumCount: Int { 1_000_000 }

    /// Creates a builder without voltages.
    ///
    /// - Parameters:
    ///   - startDate: the time of the first voltage.
    ///   - samplingFrequency: above 0 and at most a million hertz, checked by `finish`.
    public init(healthStore: HKHealthStore, device: HKDevice?, start startDate: Date, samplingFrequency: HKQuantity) {
        store = healthStore
        self.device = device
        start = startDate
        frequency = samplingFrequency.doubleValue(for: .hertz())
    }

    /// Appends voltages at the sampling frequency.
    ///
    /// - Parameters:
    ///   - unit: a unit of voltage. The first voltages of a lead determine its unit; later ones are converted.
    ///   - lead: the lead of the voltages.
    /// - Throws: ``HKError``: `errorInvalidArgument` for a number that is not finite, here or in the lead's unit, for a
    ///   unit of another dimension, and after the end of the builder; `errorDataSizeExceeded` beyond ``maximumCount``.
    ///   On an error nothing is appended.
    /// - Complexity: O(voltages).
    public func append(
        voltages: [Double], unit: HKUnit = .volt(), lead: HKElectrocardiogram.Lead = .appleWatchSimilarToLeadI
    ) throws {
        guard unit.isCompatible(with: .volt()) else {
            throw refusal("\(unit) is not a unit of voltage", "use volts or a unit that converts")
        }
        if let wrong = voltages.firstIndex(where: { !$0.isFinite }) {
            throw refusal("the voltage at index \(wrong) is \(voltages[wrong])", "append only finite voltages")
        }
        try state.change { state throws(HKError) in
            let count = (state.leads[lead]?.values.count ?? 0) + voltages.count
            guard count <= Self.maximumCount else {
                throw HKError(
                    .errorDataSizeExceeded, reason: "the lead would have \(count) voltages", place: place,
                    advice: "finish the builder, and start another one")
            }
            let own = state.leads[lead]?.unit ?? unit
            let numbers = try converted(voltages, unit, to: own)
            state.leads[lead, default: (own, [])].values += numbers
        }
    }

    /// Creates the sample and saves it, durably: when this returns, all of it is on disk; when this throws, nothing is,
    /// and it may be called again.
    ///
    /// - Parameters:
    ///   - classification: the device's classification of the rhythm.
    ///   - symptomsStatus: whether the person had symptoms.
    ///   - averageHeartRate: a rate; nil if unknown.
    /// - Throws: ``HKError``: `errorNoData` without voltages; `errorInvalidArgument` for leads of different lengths,
    ///   for an invalid frequency, rate or metadata, for a time that is not storable, and after the end of the builder;
    ///   `errorDatabaseInaccessible`.
    public func finish(
        classification: HKElectrocardiogram.Classification = .notSet,
        symptomsStatus: HKElectrocardiogram.SymptomsStatus = .notSet, averageHeartRate: HKQuantity? = nil,
        metadata: [String: Any]? = nil
    ) async throws -> HKElectrocardiogram {
        let values = metadata.map { HealthMetadataValues($0) }
        return try await BlockingQueue.result { () throws(HKError) in
            try self.finish(classification, symptomsStatus, averageHeartRate, values)
        }
    }

    /// Ends the builder and discards its voltages. A concurrent `finish` may or may not save them, and cannot be
    /// repeated.
    public func discard() { state.discard() }

    private var place: String { "HealthElectrocardiogramBuilder \(uuid)" }

    private func refusal(_ reason: String, _ advice: String?) -> HKError {
        HKError(.errorInvalidArgument, reason: reason, place: place, advice: advice)
    }

    /// Returns voltages in the unit of a lead; throws if any is not finite.
    private func converted(_ voltages: [Double], _ unit: HKUnit, to own: HKUnit) throws(HKError) -> [Double] {
        if own == unit { return voltages }
        let numbers = voltages.map { HKQuantity(unit: unit, doubleValue: $0).doubleValue(for: own) }
        if let wrong = numbers.firstIndex(where: { !$0.isFinite }) {
            throw refusal("the voltage at index \(wrong) is \(voltages[wrong]) \(unit), too large in \(own)", nil)
        }
        return numbers
    }

    private func finish(
        _ classification: HKElectrocardiogram.Classification, _ symptoms: HKElectrocardiogram.SymptomsStatus,
        _ rate: HKQuantity?, _ metadata: HealthMetadataValues?
    ) throws(HKError) -> HKElectrocardiogram {
        try state.finish { content throws(HKError) in
            let lengths = Set(content.leads.values.map(\.values.count))
            guard let count = lengths.max(), count > 0 else {
                throw HKError(
                    .errorNoData, reason: "the electrocardiogram has no voltages", place: place,
                    advice: "append voltages, or discard the builder")
            }
            if lengths.count > 1 {
                throw refusal("the leads have different numbers of voltages", "append the missing voltages")
            }
            guard frequency > 0, frequency <= 1e6 else {
                throw refusal("the sampling frequency is \(frequency) Hz", "use a frequency up to 1,000,000 Hz")
            }
            let head = ElectrocardiogramRecord.Head(
                count: count, frequency: frequency, classification: classification, symptoms: symptoms,
                averageHeartRate: try checked(rate))
            let parts = content.leads.sorted { $0.key.rawValue < $1.key.rawValue }.map { lead, data in
                ElectrocardiogramRecord.Lead(
                    number: Int64(lead.rawValue), unit: data.unit.unitString, values: data.values)
            }
            return try save(ElectrocardiogramRecord(head, parts), metadata)
        }
    }

    /// Returns a heart rate in beats per minute.
    private func checked(_ rate: HKQuantity?) throws(HKError) -> Double? {
        guard let rate else { return nil }
        let number = rate.doubleValue(for: .count().unitDivided(by: .minute()))
        guard number.isFinite, number >= 0 else {
            throw refusal("\(rate) is not a heart rate", "give a number of at least 0 in a unit such as count/min")
        }
        return number
    }

    private func save(
        _ record: ElectrocardiogramRecord, _ metadata: HealthMetadataValues?
    ) throws(HKError) -> HKElectrocardiogram {
        guard let first = StoredTime.nanoseconds(start),
            case let (end, isLate) = first.addingReportingOverflow(record.head.duration), !isLate,
            end <= TimeLimits.latest
        else {
            throw refusal("the time is outside of the storable range", "give dates from 1678-06-18 to 2261-07-15")
        }
        let header = ObjectHeader(
            uuid: uuid, sourceRevision: store.revision, device: device,
            metadata: metadata?.isEmpty ?? true ? nil : metadata)
        // An object without data checks the metadata only.
        try HealthSaveRules.check(HKObject(header: header))
        let sample = HKElectrocardiogram(
            header: header, start: StoredTime.date(first), end: StoredTime.date(end), facts: record.head.facts)
        var batch = SaveBatch(try SavingProgram(store.revision), created: SystemClock.wallNanoseconds())
        try batch.append(sample, start: first, end: end, .body(record.body, .electrocardiogram))
        try store.store().commit(batch, identities: .unchecked)
        return sample
    }
}

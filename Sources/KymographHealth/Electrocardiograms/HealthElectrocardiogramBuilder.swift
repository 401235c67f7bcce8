// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import Foundation
public import HealthModel
import Synchronization

/// Makes an electrocardiogram of the voltages of a sensor. Not part of HealthKit, where only devices make them.
///
/// Voltages are collected in memory and stored when it is finished. Before that nothing of them is on the disk: if the
/// process ends, or the builder is let go, they are lost, and nothing else.
public final class HealthElectrocardiogramBuilder: Sendable {
    private let store: HKHealthStore
    private let device: HKDevice?
    private let start: Date
    /// In hertz; not a number where it is no frequency.
    private let frequency: Double
    private let uuid = ObjectIdentity.next()
    private let state = Mutex(State())

    private struct State {
        var phase = SeriesPhase.open
        var leads: [HKElectrocardiogram.Lead: (unit: HKUnit, values: [Double])] = [:]
    }

    /// The most voltages of a lead.
    public static var maximumCount: Int { 1_000_000 }

    /// A builder with no voltages yet.
    ///
    /// - Parameters:
    ///   - startDate: when the first voltage was measured.
    ///   - samplingFrequency: how often; above 0 and at most a million hertz, which ``finish`` checks.
    public init(healthStore: HKHealthStore, device: HKDevice?, start startDate: Date, samplingFrequency: HKQuantity) {
        store = healthStore
        self.device = device
        start = startDate
        frequency = samplingFrequency.doubleValue(for: .hertz())
    }

    /// Adds voltages behind those that are there, one for each tick of the sampling frequency.
    ///
    /// - Parameters:
    ///   - unit: of voltage; the electrocardiogram keeps the unit of a lead's first voltages, others are converted.
    ///   - lead: where they were measured.
    /// - Throws: ``HKError``: `errorInvalidArgument` for a number that is not finite, here or in the lead's unit, a
    ///   unit that measures something else, and after the end of the builder; `errorDataSizeExceeded` beyond
    ///   ``maximumCount``. Then nothing is taken.
    /// - Complexity: O(voltages).
    public func append(
        voltages: [Double], unit: HKUnit = .volt(), lead: HKElectrocardiogram.Lead = .appleWatchSimilarToLeadI
    ) throws {
        guard unit.isCompatible(with: .volt()) else {
            throw refusal("voltages cannot be measured in \(unit)", "give a unit of voltage")
        }
        if let wrong = voltages.firstIndex(where: { !$0.isFinite }) {
            throw refusal("the voltage at place \(wrong) is \(voltages[wrong])", "leave out what was not measured")
        }
        try state.withLock { state throws(HKError) in
            try state.phase.requireOpen(self)
            let count = (state.leads[lead]?.values.count ?? 0) + voltages.count
            guard count <= Self.maximumCount else {
                throw HKError(
                    .errorDataSizeExceeded, reason: "the lead would have \(count) voltages", place: place,
                    advice: "finish it, and begin another one")
            }
            let own = state.leads[lead]?.unit ?? unit
            let numbers = try converted(voltages, unit, to: own)
            state.leads[lead, default: (own, [])].values += numbers
        }
    }

    /// Makes the sample and saves it, durably: when this returns, all of it is on the disk; if it throws, nothing is,
    /// and it may be tried again.
    ///
    /// - Parameters:
    ///   - classification: what the device took the rhythm for.
    ///   - symptomsStatus: whether the person had symptoms.
    ///   - averageHeartRate: a rate; nil where it is not known.
    /// - Throws: ``HKError``: `errorNoData` without voltages; `errorInvalidArgument` for leads of different lengths,
    ///   what is no frequency, no rate or no metadata, a time that no store can hold, and after the end of the builder;
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

    /// Ends the builder; what was added is gone. What is being finished meanwhile is saved or not, and cannot be tried
    /// again.
    public func discard() {
        state.withLock { state in
            if state.phase.isDiscardable { state = State(phase: .discarded) }
        }
    }
}

extension HealthElectrocardiogramBuilder {
    private var place: String { "HealthElectrocardiogramBuilder \(uuid)" }

    private func refusal(_ reason: String, _ advice: String?) -> HKError {
        HKError(.errorInvalidArgument, reason: reason, place: place, advice: advice)
    }

    /// Voltages in the unit of a lead, all of them or none.
    private func converted(_ voltages: [Double], _ unit: HKUnit, to own: HKUnit) throws(HKError) -> [Double] {
        if own == unit { return voltages }
        let numbers = voltages.map { HKQuantity(unit: unit, doubleValue: $0).doubleValue(for: own) }
        if let wrong = numbers.firstIndex(where: { !$0.isFinite }) {
            throw refusal("the voltage at place \(wrong) is \(voltages[wrong]) \(unit), too much in \(own)", nil)
        }
        return numbers
    }

    private func finish(
        _ classification: HKElectrocardiogram.Classification, _ symptoms: HKElectrocardiogram.SymptomsStatus,
        _ rate: HKQuantity?, _ metadata: HealthMetadataValues?
    ) throws(HKError) -> HKElectrocardiogram {
        let leads = try state.withLock { state throws(HKError) in
            try state.phase.requireOpen(self)
            state.phase = .finishing
            return state.leads
        }
        do throws(HKError) {
            let lengths = Set(leads.values.map(\.values.count))
            guard let count = lengths.max(), count > 0 else {
                throw HKError(
                    .errorNoData, reason: "the electrocardiogram has no voltages", place: place,
                    advice: "append some, or discard the builder")
            }
            if lengths.count > 1 {
                throw refusal("its leads have different numbers of voltages", "append the missing ones")
            }
            guard frequency > 0, frequency <= 1e6 else {
                throw refusal("its sampling frequency is \(frequency) Hz", "make a builder with one up to a million")
            }
            let head = ElectrocardiogramRecord.Head(
                count: count, frequency: frequency, classification: classification, symptoms: symptoms,
                averageHeartRate: try checked(rate))
            let parts = leads.sorted { $0.key.rawValue < $1.key.rawValue }.map { lead, data in
                ElectrocardiogramRecord.Lead(
                    number: Int64(lead.rawValue), unit: data.unit.unitString, values: data.values)
            }
            let sample = try save(ElectrocardiogramRecord(head, parts), metadata)
            state.withLock { $0 = State(phase: .finished) }
            return sample
        } catch {
            state.withLock { $0.phase.reopen() }
            throw error
        }
    }

    /// A heart rate in beats a minute.
    private func checked(_ rate: HKQuantity?) throws(HKError) -> Double? {
        guard let rate else { return nil }
        let number = rate.doubleValue(for: .count().unitDivided(by: .minute()))
        guard number.isFinite, number >= 0 else {
            throw refusal("\(rate) is no heart rate", "give a number from 0 in a unit such as count/min")
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
            throw refusal("the time is outside of what a store holds", "give dates from 1678-06-18 to 2261-07-15")
        }
        let header = ObjectHeader(
            uuid: uuid, sourceRevision: store.revision, device: device,
            metadata: metadata?.isEmpty ?? true ? nil : metadata)
        // An object with nothing else is refused for its metadata alone.
        try HealthSaveRules.check(HKObject(header: header))
        let sample = HKElectrocardiogram(
            header: header, start: StoredTime.date(first), end: StoredTime.date(end), facts: record.head.facts)
        var batch = SaveBatch(try SavingProgram(store.revision), created: SystemClock.wallNanoseconds())
        try batch.append(sample, start: first, end: end, .body(record.body, .electrocardiogram))
        try store.store().commit(batch, identities: .unchecked)
        return sample
    }
}

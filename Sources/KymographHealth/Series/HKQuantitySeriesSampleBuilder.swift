// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// Makes one sample of very many quantities: a distance recorded every second, a heart rate of a whole night.
///
/// Quantities are collected in memory, in any order, and stored when the series is finished, in one commit. Before that
/// nothing of them is on the disk: if the process ends, or the builder is let go, the series is lost, and nothing else.
/// Of two quantities with the same start the later one counts. `Docs/QuantitySeries.md` has the rules.
public final class HKQuantitySeriesSampleBuilder: NSObject, Sendable {
    /// The type of the quantities.
    public let quantityType: HKQuantityType
    /// When the series starts. No quantity may start before it.
    public let startDate: Date
    /// The device that made the data, if it is known.
    public let device: HKDevice?
    /// The store that the series goes to.
    public let store: HKHealthStore
    /// The identity of the sample, so that a series whose saving failed halfway is not saved twice.
    private let uuid = ObjectIdentity.next()
    private let state = Mutex(State())

    private struct State {
        var phase = SeriesPhase.open
        var columns = QuantitySeriesColumns()
    }

    /// A builder with no quantities yet.
    public init(healthStore: HKHealthStore, quantityType: HKQuantityType, startDate: Date, device: HKDevice?) {
        store = healthStore
        self.quantityType = quantityType
        self.startDate = startDate
        self.device = device
        super.init()
    }

    /// Adds a quantity that lasts to the start of the next one, whatever comes first.
    ///
    /// - Throws: ``HKError``, `errorInvalidArgument`: for a date before the series' start, a number that is not finite,
    ///   a unit of another dimension, and after the end of the builder.
    /// - Complexity: O(1) amortised.
    public func insert(_ quantity: HKQuantity, at date: Date) throws {
        let start = try time(date)
        try insert(quantity, start, nil)
    }

    /// Adds a quantity that lasts from the start of an interval to its end. See ``insert(_:at:)``.
    public func insert(_ quantity: HKQuantity, for dateInterval: DateInterval) throws {
        let start = try time(dateInterval.start)
        let end = try time(dateInterval.end)
        try insert(quantity, start, max(start, end))
    }

    private func insert(_ quantity: HKQuantity, _ start: Int64, _ end: Int64?) throws(HKError) {
        try state.withLock { state throws(HKError) in
            try state.phase.requireOpen(self)
            let value = try number(quantity.value, quantity.unit, &state.columns)
            state.columns.insert(value, start: start, end: end)
        }
    }

    /// Ends the builder; what was inserted is gone. What is being finished meanwhile is saved or not, and cannot be
    /// tried again.
    public func discard() {
        state.withLock { state in
            if state.phase.isDiscardable { state = State(phase: .discarded) }
        }
    }

    /// Makes the sample and saves it, durably: when this returns, all of it is on the disk; if it throws, nothing is,
    /// and it may be tried again.
    ///
    /// - Parameters:
    ///   - metadata: what is said about the sample: strings, numbers, Booleans, dates, quantities, data.
    ///   - endDate: when the series ends, not before the end of any quantity; nil for the end of the last one.
    /// - Returns: the sample; an array, because HealthKit may make several.
    /// - Throws: ``HKError``: `errorNoData` without quantities, `errorInvalidArgument` for what breaks a rule,
    ///   `errorDatabaseInaccessible`.
    /// - Complexity: O(n), and O(n log n) where the quantities did not come in order; one commit.
    public func finishSeries(metadata: [String: Any]?, endDate: Date?) async throws -> [HKQuantitySample] {
        let values = metadata.map { HealthMetadataValues($0) }
        return try await BlockingQueue.result { () throws(HKError) in try self.finish(values, endDate) }
    }

    /// Makes the sample and saves it. See ``finishSeries(metadata:endDate:)``.
    public func finishSeries(metadata: [String: Any]?) async throws -> [HKQuantitySample] {
        try await finishSeries(metadata: metadata, endDate: nil)
    }

    /// Makes the sample and saves it; the handler is called on a thread of the store. See
    /// ``finishSeries(metadata:endDate:)``.
    public func finishSeries(
        metadata: [String: Any]?, endDate: Date?,
        completion: @escaping @Sendable ([HKQuantitySample]?, (any Error)?) -> Void
    ) {
        let values = metadata.map { HealthMetadataValues($0) }
        BlockingQueue.run {
            do throws(HKError) {
                completion(try self.finish(values, endDate), nil)
            } catch {
                completion(nil, error)
            }
        }
    }

    /// Makes the sample and saves it; the handler is called on a thread of the store. See
    /// ``finishSeries(metadata:endDate:)``.
    public func finishSeries(
        metadata: [String: Any]?, completion: @escaping @Sendable ([HKQuantitySample]?, (any Error)?) -> Void
    ) {
        finishSeries(metadata: metadata, endDate: nil, completion: completion)
    }
}

// Columns. Not part of HealthKit.
extension HKQuantitySeriesSampleBuilder {
    /// Adds many quantities that each last to the start of the next one, all or none. Not part of HealthKit.
    ///
    /// - Parameters:
    ///   - values: the numbers, in the unit.
    ///   - starts: when they start, one for each value, best in order.
    /// - Throws: as ``insert(_:at:)``, and where there are not as many starts as values.
    /// - Complexity: O(n).
    public func insert(values: [Double], unit: HKUnit, starts: [Date]) throws {
        var nanoseconds = [Int64]()
        nanoseconds.reserveCapacity(starts.count)
        for date in starts { nanoseconds.append(try time(date)) }
        try insert(values: values, unit: unit, nanoseconds: nanoseconds)
    }

    /// Adds many quantities that each last to the start of the next one, all or none. Not part of HealthKit.
    ///
    /// - Parameters:
    ///   - values: the numbers, in the unit.
    ///   - nanoseconds: when they start, in nanoseconds since 1970-01-01 UTC, one for each value, best in order.
    /// - Throws: as ``insert(_:at:)``, and where there are not as many starts as values.
    /// - Complexity: O(n); the first arrays are taken without a copy.
    public func insert(values: [Double], unit: HKUnit, nanoseconds: [Int64]) throws {
        guard values.count == nanoseconds.count else {
            throw refusal("there are \(values.count) values and \(nanoseconds.count) starts", "give one for each value")
        }
        let first = try time(startDate)
        var (least, greatest, isFinite) = (Int64.max, Int64.min, true)
        for row in values.indices {
            least = min(least, nanoseconds[row])
            greatest = max(greatest, nanoseconds[row])
            // Of what is not finite, the difference to itself is not zero.
            isFinite = isFinite && values[row] - values[row] == 0
        }
        if values.isEmpty { return }
        guard isFinite else { throw refusal("a quantity is no amount", "give finite numbers") }
        guard least >= first else { throw tooEarly() }
        guard greatest <= TimeLimits.latest else {
            throw refusal("a start is outside of what a store holds", "give starts up to 2261-07-15")
        }
        try state.withLock { state throws(HKError) in
            try state.phase.requireOpen(self)
            // Takes the unit, if it is the first.
            _ = try number(0, unit, &state.columns)
            guard let own = state.columns.unit, own != unit else {
                return state.columns.insert(values, starts: nanoseconds)
            }
            var converted = values
            do throws(HKUnitError) {
                try UnitConversion(from: unit, to: own).convert(&converted)
            } catch {
                throw refusal(error.description, "give a unit that converts to \(own)")
            }
            guard converted.allSatisfy(\.isFinite) else { throw refusal("a quantity is no amount in \(own)", nil) }
            state.columns.insert(converted, starts: nanoseconds)
        }
    }
}

extension HKQuantitySeriesSampleBuilder {
    /// A number in the unit of the series.
    private func number(
        _ value: Double, _ unit: HKUnit, _ columns: inout QuantitySeriesColumns
    ) throws(HKError) -> Double {
        guard value.isFinite else {
            throw refusal("the quantity is \(value), which is no amount", "give finite numbers")
        }
        if columns.unit !== unit, !quantityType.is(compatibleWith: unit) {
            throw refusal(
                "samples of this type cannot be measured in \(unit)",
                quantityType.canonicalUnit.map { "give it in \($0), or a unit that converts to it" })
        }
        let number: Double
        do throws(HKUnitError) {
            number = try columns.number(value, in: unit)
        } catch {
            throw refusal(error.description, "give all quantities of a series in units that convert")
        }
        guard number.isFinite else { throw refusal("\(value) \(unit) is too much", "give it in a greater unit") }
        return number
    }

    private func time(_ date: Date) throws(HKError) -> Int64 {
        guard let time = StoredTime.nanoseconds(date) else {
            throw refusal("the time is outside of what a store holds", "give dates from 1678-06-18 to 2261-07-15")
        }
        if date < startDate { throw tooEarly() }
        return time
    }

    private func tooEarly() -> HKError {
        refusal("the quantity starts before the series", "give the builder the earliest start")
    }

    private func refusal(_ reason: String, _ advice: String?) -> HKError {
        HKError(.errorInvalidArgument, reason: reason, place: "\(quantityType) \(uuid)", advice: advice)
    }

    private func finish(_ metadata: HealthMetadataValues?, _ endDate: Date?) throws(HKError) -> [HKQuantitySample] {
        let columns = try state.withLock { state throws(HKError) in
            try state.phase.requireOpen(self)
            state.phase = .finishing
            return state.columns
        }
        do throws(HKError) {
            let sample = try save(columns, metadata, endDate)
            state.withLock { $0 = State(phase: .finished) }
            return [sample]
        } catch {
            state.withLock { $0.phase.reopen() }
            throw error
        }
    }

    private func save(
        _ columns: QuantitySeriesColumns, _ metadata: HealthMetadataValues?, _ endDate: Date?
    ) throws(HKError) -> HKQuantitySample {
        guard let unit = columns.unit, !columns.isEmpty else {
            throw HKError(
                .errorNoData, reason: "the series has no quantities", place: "\(quantityType) \(uuid)",
                advice: "insert some, or discard the builder")
        }
        if let endDate, endDate < startDate { throw refusal("the end is before the start", "give a later one") }
        let first = try time(startDate)
        let end = try endDate.map { date throws(HKError) in try time(date) }
        guard let rows = columns.finished(end: end), let summary = QuantitySeriesSummary(rows, style) else {
            throw refusal(
                "the end is before the end of a quantity", "give a later one, or nil for that of the last one")
        }
        let draft = QuantitySeriesDraft(
            type: quantityType, unit: unit, start: first, rows: rows, summary: summary, uuid: uuid, device: device,
            metadata: metadata)
        return try store.store().save(draft, as: store.revision)
    }

    private var style: HKQuantityAggregationStyle { quantityType.aggregationStyle }
}

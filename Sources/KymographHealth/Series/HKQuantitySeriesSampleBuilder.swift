// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// A builder of one sample with very many quantities: a distance recorded every second, the heart rate of a whole
/// night.
///
/// Quantities are collected in memory, in any order, and stored when the series is finished, in one commit. Before that
/// nothing is on disk: if the process ends, or the builder is released, only this series is lost. Of two quantities
/// with the same start the later one counts. `Docs/Guide/HealthData.md` has the rules.
public final class HKQuantitySeriesSampleBuilder: NSObject, Sendable {
    /// The type of the quantities.
    public let quantityType: HKQuantityType
    /// The start of the series. No quantity may start before it.
    public let startDate: Date
    /// The device that recorded the data, if known.
    public let device: HKDevice?
    /// The store of the series.
    public let store: HKHealthStore
    /// The identity of the sample. It is fixed, so that a repeated save after a failure does not store the series
    /// twice.
    private let uuid = ObjectIdentity.next()
    private let state = BuilderState<Content>(of: HKQuantitySeriesSampleBuilder.self)

    private struct Content: BuilderContent {
        var columns = QuantitySeriesColumns()
    }

    /// Creates a builder without quantities.
    public init(healthStore: HKHealthStore, quantityType: HKQuantityType, startDate: Date, device: HKDevice?) {
        store = healthStore
        self.quantityType = quantityType
        self.startDate = startDate
        self.device = device
        super.init()
    }

    /// Adds a quantity that lasts until the start of the next one, in any order.
    ///
    /// - Throws: ``HKError``, `errorInvalidArgument`: for a date before the series' start, a number that is not finite,
    ///   a unit of another dimension, and after the end of the builder.
    /// - Complexity: O(1) amortised.
    public func insert(_ quantity: HKQuantity, at date: Date) throws {
        let start = try time(date)
        try insert(quantity, start, nil)
    }

    /// Adds a quantity that lasts for an interval. See ``insert(_:at:)``.
    public func insert(_ quantity: HKQuantity, for dateInterval: DateInterval) throws {
        let start = try time(dateInterval.start)
        let end = try time(dateInterval.end)
        try insert(quantity, start, max(start, end))
    }

    /// Adds a quantity at the present time: the form of ``insert(_:at:)`` before its release. The handler is called on
    /// a thread of the store.
    @available(*, deprecated, message: "use insert(_:at:)")
    @preconcurrency public func insert(
        _ quantity: HKQuantity, completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        // Added synchronously, so that the order of calls is the order of the times.
        let result = Result { try insert(quantity, at: Date()) }.mapError { HKError(any: $0) }
        BlockingQueue.run(completion) { () throws(HKError) in try result.get() }
    }

    private func insert(_ quantity: HKQuantity, _ start: Int64, _ end: Int64?) throws(HKError) {
        try state.change { state throws(HKError) in
            let value = try number(quantity.value, quantity.unit, &state.columns)
            state.columns.insert(value, start: start, end: end)
        }
    }

    /// Ends the builder and discards its quantities. A concurrent `finishSeries` may or may not save them, and cannot
    /// be repeated.
    public func discard() { state.discard() }

    /// Creates the sample and saves it, durably: when this returns, all of it is on disk; when this throws, nothing is,
    /// and it may be called again.
    ///
    /// - Parameters:
    ///   - metadata: the sample's metadata: strings, numbers, Booleans, dates, quantities, data.
    ///   - endDate: the end of the series, not before the end of any quantity; nil for the end of the last one.
    /// - Returns: an array with the sample; HealthKit may return several.
    /// - Throws: ``HKError``: `errorNoData` without quantities, `errorInvalidArgument` for a violated rule,
    ///   `errorDatabaseInaccessible`.
    /// - Complexity: O(n), or O(n log n) if the quantities were not inserted in order; one commit.
    public func finishSeries(metadata: [String: Any]?, endDate: Date?) async throws -> [HKQuantitySample] {
        let values = metadata.map { HealthMetadataValues($0) }
        return try await BlockingQueue.result { () throws(HKError) in try self.finish(values, endDate) }
    }

    /// Creates the sample and saves it. See ``finishSeries(metadata:endDate:)``.
    public func finishSeries(metadata: [String: Any]?) async throws -> [HKQuantitySample] {
        try await finishSeries(metadata: metadata, endDate: nil)
    }

    /// Creates the sample and saves it; the handler is called on a thread of the store. See
    /// ``finishSeries(metadata:endDate:)``.
    @preconcurrency public func finishSeries(
        metadata: [String: Any]?, endDate: Date?,
        completion: @escaping @Sendable ([HKQuantitySample]?, (any Error)?) -> Void
    ) {
        let values = metadata.map { HealthMetadataValues($0) }
        BlockingQueue.run(completion) { () throws(HKError) in try self.finish(values, endDate) }
    }

    /// Creates the sample and saves it; the handler is called on a thread of the store. See
    /// ``finishSeries(metadata:endDate:)``.
    @preconcurrency public func finishSeries(
        metadata: [String: Any]?, completion: @escaping @Sendable ([HKQuantitySample]?, (any Error)?) -> Void
    ) {
        finishSeries(metadata: metadata, endDate: nil, completion: completion)
    }

    // Insertion of columns. Not part of HealthKit.

    /// Adds many quantities that each last until the start of the next one, all or none. Not part of HealthKit.
    ///
    /// - Parameters:
    ///   - values: the numbers, in the unit.
    ///   - starts: the starts, one per value, preferably ascending.
    /// - Throws: the errors of ``insert(_:at:)``, and `errorInvalidArgument` if the counts of starts and values differ.
    /// - Complexity: O(n).
    public func insert(values: [Double], unit: HKUnit, starts: [Date]) throws {
        var nanoseconds = [Int64]()
        nanoseconds.reserveCapacity(starts.count)
        for date in starts { nanoseconds.append(try time(date)) }
        try insert(values: values, unit: unit, nanoseconds: nanoseconds)
    }

    /// Adds many quantities that each last until the start of the next one, all or none. Not part of HealthKit.
    ///
    /// - Parameters:
    ///   - values: the numbers, in the unit.
    ///   - nanoseconds: the starts in nanoseconds since 1970-01-01 UTC, one per value, preferably ascending.
    /// - Throws: the errors of ``insert(_:at:)``, and `errorInvalidArgument` if the counts of starts and values differ.
    /// - Complexity: O(n); the first arrays are not copied.
    public func insert(values: [Double], unit: HKUnit, nanoseconds: [Int64]) throws {
        guard values.count == nanoseconds.count else {
            throw refusal("there are \(values.count) values and \(nanoseconds.count) starts", "give equal counts")
        }
        let first = try time(startDate)
        var (least, greatest, isFinite) = (Int64.max, Int64.min, true)
        for row in values.indices {
            least = min(least, nanoseconds[row])
            greatest = max(greatest, nanoseconds[row])
            // The difference of an infinite number or NaN to itself is not zero.
            isFinite = isFinite && values[row] - values[row] == 0
        }
        if values.isEmpty { return }
        guard isFinite else { throw refusal("a quantity is not finite", "give finite numbers") }
        guard least >= first else { throw tooEarly() }
        guard greatest <= TimeLimits.latest else {
            throw refusal("a start is outside of the storable range", "give starts up to 2261-07-15")
        }
        try state.change { state throws(HKError) in
            // The first unit becomes the unit of the series.
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
            guard converted.allSatisfy(\.isFinite) else { throw refusal("a quantity is not finite in \(own)", nil) }
            state.columns.insert(converted, starts: nanoseconds)
        }
    }

    private func number(
        _ value: Double, _ unit: HKUnit, _ columns: inout QuantitySeriesColumns
    ) throws(HKError) -> Double {
        guard value.isFinite else {
            throw refusal("the quantity is \(value), which is not finite", "give finite numbers")
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
        guard number.isFinite else { throw refusal("\(value) \(unit) is too large", "use a larger unit") }
        return number
    }

    private func time(_ date: Date) throws(HKError) -> Int64 {
        guard let time = StoredTime.nanoseconds(date) else {
            throw refusal("the time is outside of the storable range", "give dates from 1678-06-18 to 2261-07-15")
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
        try state.finish { content throws(HKError) in [try save(content.columns, metadata, endDate)] }
    }

    private func save(
        _ columns: QuantitySeriesColumns, _ metadata: HealthMetadataValues?, _ endDate: Date?
    ) throws(HKError) -> HKQuantitySample {
        guard let unit = columns.unit, !columns.isEmpty else {
            throw HKError(
                .errorNoData, reason: "the series has no quantities", place: "\(quantityType) \(uuid)",
                advice: "insert quantities, or discard the builder")
        }
        if let endDate, endDate < startDate { throw refusal("the end is before the start", "give a later end") }
        let first = try time(startDate)
        let end = try endDate.map { date throws(HKError) in try time(date) }
        guard let rows = columns.finished(end: end), let summary = QuantitySeriesSummary(rows, style) else {
            throw refusal(
                "the end is before the end of a quantity", "give a later end, or nil for the end of the last quantity")
        }
        let draft = QuantitySeriesDraft(
            type: quantityType, unit: unit, start: first, rows: rows, summary: summary, uuid: uuid, device: device,
            metadata: metadata)
        return try store.store().save(draft, as: store.revision)
    }

    private var style: HKQuantityAggregationStyle { quantityType.aggregationStyle }
}

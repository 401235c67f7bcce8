// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HealthCatalog
import HealthModel

/// A quantity series in stored form, without its quantities, which are rows of the engine.
struct QuantitySeriesRecord: Sendable, Equatable {
    /// The unit of all numbers, and of the engine's series with the rows.
    let unit: String
    let summary: QuantitySeriesSummary
    /// The identity of the first row; the identities of the other rows count up from it.
    let firstIdentity: SampleIdentity

    /// Returns the mark of an object's rows in their metadata column.
    static func mark(of id: Int64) -> Int64 { -id }

    private static let version: UInt8 = 1

    init(unit: String, summary: QuantitySeriesSummary, firstIdentity: SampleIdentity) {
        self.unit = unit
        self.summary = summary
        self.firstIdentity = firstIdentity
    }

    /// The bytes, as described in `Docs/Format/Catalog.md`.
    var body: [UInt8] {
        var plain = ByteWriter(capacity: 100)
        plain.put(Self.version)
        plain.put(string: unit)
        plain.put(varint: UInt64(summary.count))
        for number in [summary.sum, summary.minimum, summary.maximum, summary.average, summary.mostRecent] {
            plain.put(double: number)
        }
        for number in [
            summary.mostRecentStart, summary.mostRecentEnd, firstIdentity.high, firstIdentity.low,
        ] { plain.put(number) }
        return ObjectCompressor.plain(plain.bytes)
    }

    /// Parses the bytes of `body`.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        var reader = ByteReader(try ObjectExpander.decode(body))
        do throws(ByteError) {
            guard try reader.u8() == Self.version else { throw ByteError(offset: 0, what: HealthMetadata.unknownPart) }
            unit = try reader.string()
            let at = reader.offset
            guard let count = Int(exactly: try reader.varint()), count > 0 else {
                throw ByteError(offset: at, what: "series without quantities")
            }
            summary = QuantitySeriesSummary(
                count: count, sum: try reader.double(), minimum: try reader.double(), maximum: try reader.double(),
                average: try reader.double(), mostRecent: try reader.double(), mostRecentStart: try reader.i64(),
                mostRecentEnd: try reader.i64())
            firstIdentity = SampleIdentity(high: try reader.i64(), low: try reader.i64())
        } catch {
            throw HealthStoreError(error, in: "a quantity series")
        }
    }

    func sample(_ header: ObjectHeader, _ type: HKQuantityType, start: Date, end: Date) -> HKQuantitySample {
        let unit = HKUnit.stored(unit)
        func quantity(_ value: Double) -> HKQuantity { HKQuantity(unit: unit, doubleValue: value) }
        if type.aggregationStyle == .cumulative {
            return HKCumulativeQuantitySample(
                header: header, type: type, quantity: quantity(summary.sum), count: summary.count, start: start,
                end: end)
        }
        let first = StoredTime.date(summary.mostRecentStart)
        let length = StoredTime.date(summary.mostRecentEnd).timeIntervalSince(first)
        return HKDiscreteQuantitySample(
            header: header, type: type, quantity: quantity(summary.average), count: summary.count, start: start,
            end: end,
            range: QuantityRange(
                minimum: quantity(summary.minimum), maximum: quantity(summary.maximum),
                mostRecent: quantity(summary.mostRecent),
                mostRecentInterval: DateInterval(start: first, duration: length > 0 ? length : 0)))
    }
}

extension SavedObjectRow {
    /// The types and units of the series with rows of the object: the quantities of a series, or the locations of a
    /// route.
    var rowTypes: [(type: String, unit: String)] {
        get throws(HealthStoreError) {
            switch SavedObjectKind(rawValue: kind) {
            case .quantitySeries: return [(type, try QuantitySeriesRecord(body).unit)]
            case .workoutRoute: return try RouteRecord(body).columns.map { ($0.seriesType, $0.unit) }
            case .correlation, .heartbeatSeries, .electrocardiogram, .workout, .effort, .fields, nil: return []
            }
        }
    }

    var rowRange: TimeRange { TimeRange(start, end == .max ? .max : end + 1) }
}

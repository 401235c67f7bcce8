// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import Foundation
import HealthCatalog
package import HealthModel
import Kymograph
import Synchronization

extension HealthStore {
    /// Returns the identities of the workouts that have a route.
    ///
    /// - Parameter commit: the state of the store after this commit; nil for the newest.
    /// - Complexity: O(routes); reads no locations.
    package func workoutsWithRoutes(asOf commit: Int64? = nil) throws -> Set<SampleIdentity> {
        if mode != .readWrite { try refresh() }
        let sequence = try view(asOf: commit).snapshot.sequence
        return try catalog(Set<SampleIdentity>()) { transaction in
            var found = Set<SampleIdentity>()
            try HealthCatalog.eachSavedObject(type: HKWorkoutRouteTypeIdentifier, asOf: sequence, transaction) { row in
                if let workout = try RouteRecord(row.body).workout { found.insert(SampleIdentity(workout)) }
                return true
            }
            return found
        }
    }

    /// Returns the locations of a route, sorted by time; locations with equal times are in the order of their
    /// insertion.
    ///
    /// - Parameter interval: the interval of the locations, with its end; nil for all locations.
    /// - Throws: `HKError`: `errorInvalidArgument` for a route that is not stored; errors of reading.
    /// - Complexity: O(n); reads only blocks of the route's time.
    package func locations(of route: HKWorkoutRoute, in interval: DateInterval? = nil) throws -> RouteLocations {
        let view = try currentView()
        let row = try row(of: route, .workoutRoute, "route", view)
        var range = row.rowRange
        if let interval {
            guard let wanted = Self.range(interval) else { return RouteLocations() }
            range = TimeRange(max(range.start, wanted.start), min(range.end, wanted.end))
        }
        if range.isEmpty { return RouteLocations() }
        return try RouteReader(row, view).read(range)
    }

    /// Returns the storable part of an interval, with its end; nil if no part of the interval is storable.
    private static func range(_ interval: DateInterval) -> TimeRange? {
        func time(_ date: Date) -> Int64? {
            if let time = StoredTime.nanoseconds(date) { return time }
            let seconds = date.timeIntervalSinceReferenceDate
            return seconds.isNaN ? nil : seconds < 0 ? .min : .max
        }
        guard let start = time(interval.start), let end = time(interval.end), end > .min, start < .max else {
            return nil
        }
        return TimeRange(start, end == .max ? .max : end + 1)
    }
}

/// A reader of one route's columns.
struct RouteReader: Sendable {
    /// The minimum number of locations at which several threads read the columns.
    private static let divisible = 4_096

    private let row: SavedObjectRow
    private let record: RouteRecord
    private let view: HealthView
    private let source: Int64?
    private let mark: Int64

    init(_ row: SavedObjectRow, _ view: HealthView) throws(HealthStoreError) {
        self.row = row
        self.view = view
        record = try RouteRecord(row.body)
        source = try view.tables.provenance(row.provenance)?.source
        mark = QuantitySeriesRecord.mark(of: row.id)
    }

    /// Returns the locations that start in a range.
    func read(_ range: TimeRange) throws(HealthStoreError) -> RouteLocations {
        let stored = record.columns
        let results = Mutex([RouteColumn: Result<ColumnRows, HealthStoreError>]())
        // Decoding takes most of the time, so several threads read long columns.
        let threads = record.count < Self.divisible ? 1 : stored.count
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for column in threads == 1 ? stored : [stored[thread]] {
                let rows = Result { () throws(HealthStoreError) in try self.rows(column, range, withPlaces: false) }
                results.withLock { $0[column] = rows }
            }
        }
        var columns: [RouteColumn: [Double]] = [:]
        let found = results.withLock { $0 }
        let times = try found[.latitude]?.get().times ?? []
        for column in stored {
            let values = try found[column]?.get().values ?? []
            guard values.count == times.count else { return try readDamaged(range) }
            columns[column] = values
        }
        addConstants(times.count, &columns)
        return RouteLocations(stored: times, columns)
    }

    private func addConstants(_ count: Int, _ columns: inout [RouteColumn: [Double]]) {
        for column in RouteColumn.allCases {
            if case .constant(let number) = record.storage(column) {
                columns[column] = [Double](repeating: number, count: count)
            }
        }
    }

    /// Returns the locations of a route with lost rows. Locations without latitude or longitude are left out. A lost
    /// number of another column counts as missing.
    private func readDamaged(_ range: TimeRange) throws(HealthStoreError) -> RouteLocations {
        var (times, found) = ([Int64: Int64](), [RouteColumn: [Int64: Double]]())
        for column in record.columns {
            let rows = try rows(column, range, withPlaces: true)
            if column == .latitude { times = Dictionary(zip(rows.places, rows.times)) { first, _ in first } }
            found[column] = Dictionary(zip(rows.places, rows.values)) { first, _ in first }
        }
        let longitudes = found[.longitude]
        let places = times.keys.sorted().filter { longitudes == nil || longitudes?[$0] != nil }
        var columns = found.mapValues { _ in [Double]() }
        for (column, known) in found { columns[column] = places.map { known[$0] ?? column.missing } }
        addConstants(places.count, &columns)
        return RouteLocations(stored: places.compactMap { times[$0] }, columns)
    }

    private func rows(
        _ column: RouteColumn, _ range: TimeRange, withPlaces: Bool
    ) throws(HealthStoreError) -> ColumnRows {
        let known = view.tables.rows.series.first { $0.type == column.seriesType && $0.source == source }
        // The tables may contain a series that is newer than the snapshot.
        let stored = known.map { view.snapshot.count(of: SeriesID(rawValue: $0.series)) } ?? 0
        guard let known, stored > 0 else { return ColumnRows() }
        var rows = ColumnRows()
        rows.values.reserveCapacity(min(record.count, stored))
        if column == .latitude || withPlaces { rows.times.reserveCapacity(min(record.count, stored)) }
        let wanted: SampleColumns =
            withPlaces ? [.starts, .values, .metadata, .identity] : [.starts, .values, .metadata]
        let (mark, first) = (mark, record.firstIdentity.low &+ offset(column))
        try inEngine { () throws(StoreError) in
            try view.snapshot.scan([SeriesID(rawValue: known.series)], RunScan(range, wanted)) { batch in
                rows.append(batch, mark, withTimes: column == .latitude || withPlaces, first: withPlaces ? first : nil)
                return true
            }
        }
        return rows
    }

    /// Returns the number of rows of the columns before a column.
    private func offset(_ column: RouteColumn) -> Int64 {
        Int64(record.columns.prefix { $0 != column }.count) &* Int64(record.count)
    }
}

/// The rows of a column of a route.
private struct ColumnRows: Sendable {
    var times: [Int64] = []
    var values: [Double] = []
    /// The places of the locations in the route; empty if the scan did not request them.
    var places: [Int64] = []

    /// Appends the rows of a batch that have a mark.
    ///
    /// - Parameter first: the low half of the column's first identity, from which places are computed; nil for no
    ///   places.
    mutating func append(_ batch: SampleBatch, _ mark: Int64, withTimes: Bool, first: Int64?) {
        let (metadata, identities) = (batch.metadata, batch.identities)
        let isWhole = metadata.shared == mark
        if let shared = metadata.shared, shared != mark { return }
        batch.withColumns { starts, _, numbers in
            for place in 0..<batch.count where isWhole || metadata[place] == mark {
                values.append(numbers[place])
                if withTimes { times.append(starts[place]) }
                if let first { places.append(identities[place].low &- first) }
            }
        }
    }
}

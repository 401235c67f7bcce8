// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Statistics of the samples of a quantity type: of all matching samples, or of one interval of a collection.
///
/// A value is nil if its option was not requested or if there is no sample to compute it from. The values of one source
/// are nil unless ``HKStatisticsOptions/separateBySource`` was requested. Values are in the type's canonical unit.
public final class HKStatistics: NSObject, NSSecureCoding, NSCopying, Sendable {
    private let table: StatisticsTable
    /// The row in the table; nil for an interval without samples outside the table.
    private let row: Int?
    /// The start of the interval; for a query over all samples, the earliest start of a sample.
    public let startDate: Date
    /// The end of the interval; for a query over all samples, the latest end of a sample.
    public let endDate: Date

    package init(_ table: StatisticsTable, row: Int?, start: Date, end: Date) {
        self.table = table
        self.row = row
        startDate = start
        endDate = end
        super.init()
    }

    /// Returns the statistics themselves, which are immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the statistics of this interval.
    public func encode(with coder: NSCoder) {
        coder.encode(StatisticsRecord(table, row: row, start: startDate, end: endDate), record: "statistics")
    }

    /// Decodes statistics that `encode(with:)` encoded; nil if the archive has no statistics.
    public convenience init?(coder: NSCoder) {
        guard let record = coder.decode(StatisticsRecord.self, record: "statistics") else { return nil }
        self.init(record.table, row: 0, start: record.start, end: record.end)
    }

    /// The type of the samples.
    public var quantityType: HKQuantityType { table.quantityType }

    /// The sources of the samples, by bundle identifier; nil without ``HKStatisticsOptions/separateBySource``.
    public var sources: [HKSource]? {
        guard table.options.contains(.separateBySource) else { return nil }
        guard let row else { return [] }
        return zip(table.sources, table.bySource).filter { $0.1.isThere[row] }.map(\.0)
    }

    /// Returns the average: arithmetic, weighted by time or the equivalent continuous level, by the type's style.
    public func averageQuantity() -> HKQuantity? { quantity(table.all.average) }

    /// Returns the average of the samples of a source.
    public func averageQuantity(for source: HKSource) -> HKQuantity? { quantity(table.columns(of: source)?.average) }

    /// Returns the minimum.
    public func minimumQuantity() -> HKQuantity? { quantity(table.all.minimum) }

    /// Returns the minimum of a source.
    public func minimumQuantity(for source: HKSource) -> HKQuantity? { quantity(table.columns(of: source)?.minimum) }

    /// Returns the maximum.
    public func maximumQuantity() -> HKQuantity? { quantity(table.all.maximum) }

    /// Returns the maximum of a source.
    public func maximumQuantity(for source: HKSource) -> HKQuantity? { quantity(table.columns(of: source)?.maximum) }

    /// Returns the sum; amounts that several sources recorded for the same time count once.
    public func sumQuantity() -> HKQuantity? { quantity(table.all.sum) }

    /// Returns the sum of one source.
    public func sumQuantity(for source: HKSource) -> HKQuantity? { quantity(table.columns(of: source)?.sum) }

    /// Returns the value of the sample with the latest end; among equal ends, of the sample with the latest start.
    public func mostRecentQuantity() -> HKQuantity? { quantity(table.all.mostRecent) }

    /// Returns the value of the sample of a source with the latest end.
    public func mostRecentQuantity(for source: HKSource) -> HKQuantity? {
        quantity(table.columns(of: source)?.mostRecent)
    }

    /// Returns the interval of the most recent value.
    public func mostRecentQuantityDateInterval() -> DateInterval? { mostRecentInterval(table.all) }

    /// Returns the interval of the most recent value of a source.
    public func mostRecentQuantityDateInterval(for source: HKSource) -> DateInterval? {
        mostRecentInterval(table.columns(of: source))
    }

    /// Returns the time covered by samples; overlapping time counts once.
    public func duration() -> HKQuantity? { quantity(table.all.duration, .second()) }

    /// Returns the time covered by the samples of a source.
    public func duration(for source: HKSource) -> HKQuantity? {
        quantity(table.columns(of: source)?.duration, .second())
    }

    /// The type and the interval.
    public override var description: String {
        "\(quantityType) \(DateText.text(startDate)) - \(DateText.text(endDate))"
    }

    private func quantity(_ column: [Double]?, _ unit: HKUnit? = nil) -> HKQuantity? {
        guard let row, let column, row < column.count, !column[row].isNaN else { return nil }
        return HKQuantity(unit: unit ?? table.unit, doubleValue: column[row])
    }

    private func mostRecentInterval(_ columns: StatisticsColumns?) -> DateInterval? {
        guard let row, let columns, row < columns.mostRecent.count, !columns.mostRecent[row].isNaN else { return nil }
        let start = columns.mostRecentStarts[row]
        // `DateInterval` traps if the end is before the start.
        let length = columns.mostRecentEnds[row].timeIntervalSince(start)
        return DateInterval(start: start, duration: length > 0 ? length : 0)
    }
}

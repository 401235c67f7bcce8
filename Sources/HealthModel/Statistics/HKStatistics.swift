// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Statistics of the samples of a quantity type: all that match a query, or those of one interval of a collection.
///
/// A value is nil unless its option was asked for, and where there is no sample to compute it from; what is of one
/// source is nil unless ``HKStatisticsOptions/separateBySource`` was. Values are in the type's canonical unit.
public final class HKStatistics: NSObject, Sendable {
    private let table: StatisticsTable
    /// The row of the table; nil for an interval without samples that it does not have.
    private let row: Int?
    /// Where the interval begins; of a query over all samples, the earliest start of one.
    public let startDate: Date
    /// Where the interval ends; of a query over all samples, the latest end of one.
    public let endDate: Date

    package init(_ table: StatisticsTable, row: Int?, start: Date, end: Date) {
        self.table = table
        self.row = row
        startDate = start
        endDate = end
        super.init()
    }

    /// The type of the samples.
    public var quantityType: HKQuantityType { table.quantityType }

    /// The sources that have a part in it, by bundle identifier.
    public var sources: [HKSource]? {
        guard table.options.contains(.separateBySource) else { return nil }
        guard let row else { return [] }
        return zip(table.sources, table.bySource).filter { $0.1.isThere[row] }.map(\.0)
    }

    /// The average: arithmetic, weighed by time, or the equivalent continuous level, as the type's style has it.
    public func averageQuantity() -> HKQuantity? { quantity(table.all.average) }

    /// The average of the samples of a source.
    public func averageQuantity(for source: HKSource) -> HKQuantity? { quantity(table.columns(of: source)?.average) }

    /// The least value.
    public func minimumQuantity() -> HKQuantity? { quantity(table.all.minimum) }

    /// The least value of a source.
    public func minimumQuantity(for source: HKSource) -> HKQuantity? { quantity(table.columns(of: source)?.minimum) }

    /// The greatest value.
    public func maximumQuantity() -> HKQuantity? { quantity(table.all.maximum) }

    /// The greatest value of a source.
    public func maximumQuantity(for source: HKSource) -> HKQuantity? { quantity(table.columns(of: source)?.maximum) }

    /// The sum, in which what several sources counted at the same time counts once.
    public func sumQuantity() -> HKQuantity? { quantity(table.all.sum) }

    /// The sum of a source alone.
    public func sumQuantity(for source: HKSource) -> HKQuantity? { quantity(table.columns(of: source)?.sum) }

    /// The value of the sample that ends last; of several, of the one that starts last.
    public func mostRecentQuantity() -> HKQuantity? { quantity(table.all.mostRecent) }

    /// The value of the sample of a source that ends last.
    public func mostRecentQuantity(for source: HKSource) -> HKQuantity? {
        quantity(table.columns(of: source)?.mostRecent)
    }

    /// When the most recent value was measured.
    public func mostRecentQuantityDateInterval() -> DateInterval? { mostRecentInterval(table.all) }

    /// When the most recent value of a source was measured.
    public func mostRecentQuantityDateInterval(for source: HKSource) -> DateInterval? {
        mostRecentInterval(table.columns(of: source))
    }

    /// The time that samples cover, each moment once.
    public func duration() -> HKQuantity? { quantity(table.all.duration, .second()) }

    /// The time that samples of a source cover.
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
        // An interval with its end before its start ends the program.
        let length = columns.mostRecentEnds[row].timeIntervalSince(start)
        return DateInterval(start: start, duration: length > 0 ? length : 0)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The archived statistics of one interval.
struct StatisticsRecord: Codable {
    /// The values of one row of columns; nil for a value that is not there.
    struct Row: Codable {
        private let isThere: Bool
        private let sum: Double?
        private let average: Double?
        private let minimum: Double?
        private let maximum: Double?
        private let duration: Double?
        private let mostRecent: Double?
        private let mostRecentTimes: [Date]

        init(_ columns: StatisticsColumns, _ row: Int?) {
            func value(_ column: [Double]) -> Double? {
                row.flatMap { $0 < column.count && !column[$0].isNaN ? column[$0] : nil }
            }
            isThere = row.map { columns.isThere[$0] } ?? false
            sum = value(columns.sum)
            average = value(columns.average)
            minimum = value(columns.minimum)
            maximum = value(columns.maximum)
            duration = value(columns.duration)
            mostRecent = value(columns.mostRecent)
            let hasTimes = mostRecent != nil
            mostRecentTimes =
                row.map { hasTimes ? [columns.mostRecentStarts[$0], columns.mostRecentEnds[$0]] : [] } ?? []
        }

        var columns: StatisticsColumns {
            func column(_ value: Double?) -> [Double] { value.map { [$0] } ?? [] }
            var columns = StatisticsColumns()
            columns.isThere = [isThere]
            columns.sum = column(sum)
            columns.average = column(average)
            columns.minimum = column(minimum)
            columns.maximum = column(maximum)
            columns.duration = column(duration)
            if mostRecentTimes.count == 2 {
                columns.mostRecent = column(mostRecent)
                columns.mostRecentStarts = [mostRecentTimes[0]]
                columns.mostRecentEnds = [mostRecentTimes[1]]
            }
            return columns
        }
    }

    private let type: String
    private let options: UInt
    private let unit: String
    let start: Date
    let end: Date
    private let all: Row
    private let sources: [SourceRecord]
    private let bySource: [Row]

    init(_ table: StatisticsTable, row: Int?, start: Date, end: Date) {
        type = table.quantityType.identifier
        options = table.options.rawValue
        unit = table.unit.unitString
        self.start = start
        self.end = end
        all = Row(table.all, row)
        sources = table.sources.map { SourceRecord($0) }
        bySource = table.bySource.map { Row($0, row) }
    }

    /// The statistics as a table of one row.
    var table: StatisticsTable {
        StatisticsTable(
            quantityType: HKQuantityType(HKQuantityTypeIdentifier(rawValue: type)),
            options: HKStatisticsOptions(rawValue: options), unit: .stored(unit), all: all.columns,
            bySource: zip(sources, bySource).map { ($0.source, $1.columns) })
    }
}

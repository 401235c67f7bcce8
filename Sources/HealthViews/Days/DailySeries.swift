// SPDX-License-Identifier: Apache-2.0

/// The value of each day: the total of a cumulative type, else the mean.
package struct DailySeries: Sendable {
    package let type: HealthType
    /// The unit of the values.
    package let unit: String?
    package let first: CalendarDate
    /// A value for each day; nil for a day without samples.
    package let values: [Double?]

    package var total: Double { values.reduce(0) { $0 + ($1 ?? 0) } }

    /// The number of days with samples.
    package var daysWithData: Int { values.count { $0 != nil } }

    /// The mean of the days with samples; nil without one.
    package var average: Double? { daysWithData > 0 ? total / Double(daysWithData) : nil }

    /// The first day with the greatest value; nil without one.
    package var best: (date: CalendarDate, value: Double)? {
        var found: (place: Int, value: Double)?
        for (place, value) in values.enumerated() {
            if let value, value > found?.value ?? -.infinity { found = (place, value) }
        }
        return found.map { (first.adding($0.place), $0.value) }
    }

    /// Returns the number of days with at least a value.
    package func days(from least: Double) -> Int { values.count { ($0 ?? -.infinity) >= least } }

    /// Returns the greatest number of consecutive days with at least a value.
    package func longestRun(from least: Double) -> Int {
        var (longest, run) = (0, 0)
        for value in values {
            run = (value ?? -.infinity) >= least ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    /// Returns the mean of the last `count` days; days without samples do not count. Nil without samples.
    package func average(ofLast count: Int) -> Double? {
        let last = values.suffix(count).compactMap { $0 }
        return last.isEmpty ? nil : last.reduce(0, +) / Double(last.count)
    }
}

/// How values spread in a bucket of time.
package struct Spread: Sendable, Hashable {
    package let start: Int64
    package let end: Int64
    package let count: Int
    package let least: Double
    package let greatest: Double
    package let average: Double
    /// The 5th, 25th, 75th and 95th percentile.
    package let percentiles: [Double]
}

extension HealthStore {
    /// Returns the result of a read; nil if no stored unit of the type converts. An invalid record then hides no other
    /// type.
    func ifConvertible<T>(
        _ read: () throws(HealthStoreError) -> T?
    ) throws(HealthStoreError) -> T? {
        do throws(HealthStoreError) {
            return try read()
        } catch {
            guard error.kind == .incompatibleUnit else { throw error }
            return nil
        }
    }

    /// Returns the value of each day.
    package func daily(
        _ type: HealthType, _ span: DaySpan, unit: HKUnit? = nil
    ) throws(HealthStoreError) -> DailySeries {
        let request = StatisticsRequest(type, buckets: span.buckets, range: span.bounds, unit: unit)
        let report = try statistics(request)
        var values = [Double?](repeating: nil, count: span.count)
        for row in report.rows where !row.isEmpty {
            if let place = span.place(of: row.start) { values[place] = type.isCumulative ? row.sum : row.average }
        }
        return DailySeries(type: type, unit: report.unit, first: span.first, values: values)
    }

    /// Returns the spread of the values in each bucket with samples.
    package func spreads(
        _ type: HealthType, _ buckets: Buckets, _ range: TimeRange, unit: HKUnit? = nil
    ) throws(HealthStoreError) -> [Spread] {
        let request = StatisticsRequest(
            type, buckets: buckets, range: range, unit: unit, quantiles: [0.05, 0.25, 0.75, 0.95])
        return try statistics(request).rows.compactMap { row in
            guard let least = row.min, let greatest = row.max, let average = row.average, let quantiles = row.quantiles
            else { return nil }
            return Spread(
                start: row.start, end: row.end, count: row.count, least: least, greatest: greatest, average: average,
                percentiles: quantiles)
        }
    }
}

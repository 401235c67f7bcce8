// SPDX-License-Identifier: Apache-2.0

package import CivilTime

/// What a new order of sources would change.
package struct OrderPreview: Sendable {
    /// The totals of some full days, of sleep nights, under both orders. Sleep is in seconds asleep.
    package struct Period: Sendable {
        package let days: DaySpan
        /// Whether the period has all days with data.
        package let isAll: Bool
        package let before: Double
        package let after: Double
        /// The number of days whose totals differ.
        package let changed: Int
    }

    /// What counts of a source in the longest period.
    package struct Share: Sendable {
        package let source: String
        package let before: Double
        package let after: Double
    }

    package let type: HealthType
    package let unit: String?
    /// The last 7 and the last 365 full days; only one period if the store has no more than 7 days.
    package let periods: [Period]
    package let shares: [Share]
}

extension HealthStore {
    /// Returns what a new order of sources would change; nil without samples of the type. Changes nothing.
    ///
    /// - Parameters:
    ///   - type: a cumulative type, or sleep.
    ///   - new: the new order, names or bundle identifiers, or `HealthStore.defaultOrder`.
    ///   - now: the present time. A day that is not over counts only if no other has data.
    package func previewOrder(
        of type: HealthType, _ new: [String], now: Int64, in zone: CivilZone
    ) throws(HealthStoreError) -> OrderPreview? {
        guard let newest = try latest(type, before: .max), let overview = try types().first(where: { $0.type == type })
        else { return nil }
        // Sleep has nights, which begin on the day before their date.
        let nights = try type.isSleep ? NightCalendar(NightRequest(), home: { () in zone }) : nil
        func date(of instant: Int64) -> CalendarDate {
            nights.map { CalendarDate(number: $0.night(at: instant)) } ?? CalendarDate(containing: instant, in: zone)
        }
        let (first, latest, today) = (date(of: overview.first), date(of: newest.start), date(of: now))
        let last = max(first, latest < today ? latest : today.adding(-1))
        let longest = DaySpan(max(first, last.adding(-364)), through: last, in: zone)
        let reader = OrderReader(store: self, type: type, span: longest)
        let (before, after) = (try reader.totals([]), try reader.totals(new))
        var periods: [OrderPreview.Period] = []
        for count in [7, longest.count] where periods.isEmpty || count > 7 {
            let days = zip(before.values.suffix(count), after.values.suffix(count))
            let span = DaySpan(last.adding(1 - min(count, longest.count)), through: last, in: zone)
            periods.append(
                OrderPreview.Period(
                    days: span, isAll: span.first == first, before: days.reduce(0) { $0 + $1.0 },
                    after: days.reduce(0) { $0 + $1.1 }, changed: days.count { abs($0 - $1) > 1e-9 * max($0, $1) }))
        }
        let (old, changed) = (try reader.counted([]), try reader.counted(new))
        let shares = changed.map { share in
            OrderPreview.Share(
                source: share.source, before: old.first { $0.source == share.source }?.counted ?? 0,
                after: share.counted)
        }
        return OrderPreview(type: type, unit: before.unit, periods: periods, shares: shares)
    }
}

/// Reads the totals of days under an order of sources.
private struct OrderReader {
    let store: HealthStore
    let type: HealthType
    let span: DaySpan

    private func nights(_ order: [String]) throws(HealthStoreError) -> [Night] {
        try store.nights(NightRequest(range: span.bounds, zone: span.zone.identifier, priority: order))
    }

    /// Returns the total of each day.
    func totals(_ order: [String]) throws(HealthStoreError) -> (values: [Double], unit: String?) {
        var values = [Double](repeating: 0, count: span.count)
        if type.isSleep {
            for night in try nights(order) {
                let place = Int(night.date.number - span.first.number)
                if values.indices.contains(place) { values[place] = night.asleep.inSeconds }
            }
            return (values, nil)
        }
        let report = try store.statistics(
            StatisticsRequest(type, buckets: span.buckets, range: span.bounds, priority: order))
        for row in report.rows {
            if let place = span.place(of: row.start) { values[place] = row.sum ?? 0 }
        }
        return (values, report.unit)
    }

    /// Returns how much of each source counts.
    func counted(_ order: [String]) throws(HealthStoreError) -> [(source: String, counted: Double)] {
        guard type.isSleep else {
            let request = StatisticsRequest(type, range: span.bounds, priority: order)
            return try store.whoCounted(request).shares.map { ($0.source, $0.counted) }
        }
        var found: [(source: String, counted: Double)] = []
        for source in try nights(order).flatMap(\.sources) {
            let counted = source.counted.inSeconds
            if let place = found.firstIndex(where: { $0.source == source.name }) {
                found[place].counted += counted
            } else {
                found.append((source.name, counted))
            }
        }
        return found
    }
}

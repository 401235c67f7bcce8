// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The statistics of one quantity type over the samples of a workout or of one of its activities.
///
/// A cumulative type has a sum, a discrete type has the other values. Imported statistics may lack some values.
package struct WorkoutStatistic: Sendable, Equatable {
    /// The value and the time of the sample with the latest end.
    package struct Recent: Sendable, Equatable {
        package var value: Double
        package var start: Date
        package var end: Date

        package init(value: Double, start: Date, end: Date) {
            self.value = value
            self.start = start
            self.end = end
        }
    }

    /// The unit of all values.
    package var unit: HKUnit
    package var sum: Double?
    package var average: Double?
    package var minimum: Double?
    package var maximum: Double?
    package var recent: Recent?
    /// The interval of the statistics; nil for the interval of the workout or activity.
    package var interval: (start: Date, end: Date)?

    package init(unit: HKUnit) { self.unit = unit }

    /// Creates the statistics of a total.
    package init(sum: HKQuantity) {
        unit = sum.unit
        self.sum = sum.value
    }

    package static func == (a: Self, b: Self) -> Bool {
        a.unit == b.unit && a.sum == b.sum && a.average == b.average && a.minimum == b.minimum
            && a.maximum == b.maximum && a.recent == b.recent && a.interval?.start == b.interval?.start
            && a.interval?.end == b.interval?.end
    }

    /// The statistics in the unit that exports and people use: frequencies, such as heart rates, per minute.
    /// Statistics in other units are unchanged.
    package var inUsualUnit: WorkoutStatistic {
        guard unit == HKUnit.count().unitDivided(by: .second()) else { return self }
        var found = self
        found.unit = HKUnit.count().unitDivided(by: .minute())
        func converted(_ value: Double?) -> Double? { quantity(value)?.doubleValue(for: found.unit) }
        found.sum = converted(sum)
        found.average = converted(average)
        found.minimum = converted(minimum)
        found.maximum = converted(maximum)
        if let recent { found.recent?.value = converted(recent.value) ?? recent.value }
        return found
    }

    package func quantity(_ value: Double?) -> HKQuantity? { value.map { HKQuantity(unit: unit, doubleValue: $0) } }

    /// Returns the statistics as HealthKit's object.
    ///
    /// - Parameters:
    ///   - start: the start of the workout or activity.
    ///   - end: its end.
    package func statistics(of type: HKQuantityType, start: Date, end: Date) -> HKStatistics {
        var columns = StatisticsColumns()
        columns.isThere = [true]
        let isCumulative = type.facts.isCumulative
        if isCumulative || sum != nil { columns.sum = [sum ?? .nan] }
        if !isCumulative || average != nil { columns.average = [average ?? .nan] }
        if !isCumulative || minimum != nil { columns.minimum = [minimum ?? .nan] }
        if !isCumulative || maximum != nil { columns.maximum = [maximum ?? .nan] }
        if let recent {
            columns.mostRecent = [recent.value]
            columns.mostRecentStarts = [recent.start]
            columns.mostRecentEnds = [recent.end]
        }
        let options: HKStatisticsOptions =
            isCumulative ? [.cumulativeSum] : [.discreteAverage, .discreteMin, .discreteMax, .mostRecent]
        let table = StatisticsTable(quantityType: type, options: options, unit: unit, all: columns)
        return HKStatistics(table, row: 0, start: interval?.start ?? start, end: interval?.end ?? end)
    }
}

/// Statistics by the identifier of the quantity type.
package typealias WorkoutStatistics = [String: WorkoutStatistic]

extension WorkoutStatistics {
    /// Returns the statistics of a type as HealthKit's object; nil without statistics of the type.
    func statistics(for type: HKQuantityType, start: Date, end: Date) -> HKStatistics? {
        self[type.identifier]?.statistics(of: type, start: start, end: end)
    }

    /// Returns the statistics of all types as HealthKit's objects.
    func all(start: Date, end: Date) -> [HKQuantityType: HKStatistics] {
        var found: [HKQuantityType: HKStatistics] = [:]
        for (identifier, statistic) in self {
            let type = HKQuantityType(HKQuantityTypeIdentifier(rawValue: identifier))
            found[type] = statistic.statistics(of: type, start: start, end: end)
        }
        return found
    }

    /// Returns the total of the sums of some types, in the unit of the first sum; nil without a sum.
    package func total(of types: [HKQuantityTypeIdentifier]) -> HKQuantity? {
        var total: HKQuantity?
        for type in types {
            guard let statistic = self[type.rawValue], let sum = statistic.sum else { continue }
            guard let so = total else {
                total = HKQuantity(unit: statistic.unit, doubleValue: sum)
                continue
            }
            let more = HKQuantity(unit: statistic.unit, doubleValue: sum).doubleValue(for: so.unit)
            total = HKQuantity(unit: so.unit, doubleValue: so.value + more)
        }
        return total
    }
}

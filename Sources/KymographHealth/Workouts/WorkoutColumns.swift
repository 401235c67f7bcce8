// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// The properties that conditions on workouts compare, as columns.
///
/// A condition is judged column by column. The judgement has two bits for each row: the condition may hold, and it may
/// fail. Both bits are set if the column cannot decide, for example because a value is within rounding of the
/// threshold.
struct WorkoutColumns: Sendable {
    /// The columns of workouts, or of activities.
    struct Subjects: Sendable {
        private(set) var activities: [UInt32] = []
        private(set) var durations: [Double] = []
        /// Sum, minimum, maximum and average by quantity type, in its canonical unit; NaN is a missing value. A column
        /// ends at the last row with a value.
        private(set) var statistics: [StatisticKey: [Double]] = [:]
        /// The columns with converted values, which may be rounded.
        private(set) var rounded: Set<StatisticKey> = []

        var count: Int { activities.count }

        mutating func append(_ subject: WorkoutCondition.Subject) {
            for (type, statistic) in subject.statistics {
                let isRounded = WorkoutColumns.unit(type) != statistic.unit
                for (value, number) in [
                    (WorkoutCondition.Value.sum, statistic.sum), (.minimum, statistic.minimum),
                    (.maximum, statistic.maximum), (.average, statistic.average),
                ] {
                    guard let number, let converted = WorkoutColumns.converted(number, statistic.unit, type) else {
                        continue
                    }
                    let key = StatisticKey(type: type, value: value)
                    statistics[key, default: []].pad(to: count)
                    statistics[key]?.append(converted)
                    if isRounded { rounded.insert(key) }
                }
            }
            activities.append(UInt32(subject.activity.rawValue))
            durations.append(subject.duration)
        }
    }

    struct StatisticKey: Hashable, Sendable {
        let type: String
        let value: WorkoutCondition.Value
    }

    private(set) var ids: [Int64] = []
    private(set) var starts: [Int64] = []
    private(set) var ends: [Int64] = []
    /// False for deleted workouts.
    private(set) var isLive: [Bool] = []
    private(set) var deleted = 0
    private var workouts = Subjects()
    private var totals: [WorkoutCondition.Total: [Double]] = [:]
    private var activities = Subjects()
    /// The index of each workout's first activity, and the number of all activities.
    private var firstActivities: [Int] = [0]

    /// The number of workouts and activities.
    var count: Int { workouts.count + activities.count }

    mutating func append(_ row: SavedObjectRow) throws(HealthStoreError) {
        let content = try WorkoutRecord.content(row.body)
        let end = StoredTime.endDate(row.end)
        for (total, quantity) in [
            (WorkoutCondition.Total.energy, content.totals.energy), (.distance, content.totals.distance),
            (.strokes, content.totals.strokes), (.flights, content.totals.flights),
        ] {
            guard let number = quantity?.doubleValue(for: total.unit) else { continue }
            totals[total, default: []].pad(to: ids.count)
            totals[total]?.append(number)
        }
        workouts.append(WorkoutCondition.Subject(content, start: StoredTime.date(row.start), end: end))
        for part in content.activities { activities.append(WorkoutCondition.Subject(part, of: content, end: end)) }
        firstActivities.append(activities.count)
        ids.append(row.id)
        starts.append(row.start)
        ends.append(row.end)
        isLive.append(true)
    }

    mutating func remove(_ removed: Set<Int64>) {
        for place in ids.indices where isLive[place] && removed.contains(ids[place]) {
            isLive[place] = false
            deleted += 1
        }
    }

    // MARK: - Predicates

    private static let mayHold: UInt8 = 1
    private static let mayFail: UInt8 = 2

    /// Returns the places of the workouts that may match a predicate, ascending.
    ///
    /// - Complexity: O((workouts + activities) · conditions), a few nanoseconds for each.
    func candidates(_ predicate: SamplePredicate) -> [Int] {
        let judged = judge(predicate, isOfActivity: false)
        return judged.indices.filter { judged[$0] & Self.mayHold != 0 && isLive[$0] }
    }

    private func judge(_ predicate: SamplePredicate, isOfActivity: Bool) -> [UInt8] {
        let subjects = isOfActivity ? activities : workouts
        func every(_ bits: UInt8) -> [UInt8] { [UInt8](repeating: bits, count: subjects.count) }
        switch predicate {
        case .always(let all): return every(all ? Self.mayHold : Self.mayFail)
        case .and(let parts):
            return parts.reduce(into: every(Self.mayHold)) { all, part in
                let own = judge(part, isOfActivity: isOfActivity)
                for place in all.indices { all[place] = all[place] & own[place] & 1 | (all[place] | own[place]) & 2 }
            }
        case .or(let parts):
            return parts.reduce(into: every(Self.mayFail)) { all, part in
                let own = judge(part, isOfActivity: isOfActivity)
                for place in all.indices { all[place] = (all[place] | own[place]) & 1 | all[place] & own[place] & 2 }
            }
        case .not(let part):
            return judge(part, isOfActivity: isOfActivity).map { $0 >> 1 | ($0 & 1) << 1 }
        case .someActivity(let part) where !isOfActivity:
            let own = judge(part, isOfActivity: true)
            return workouts.activities(firstActivities) { range in
                var (union, common) = (UInt8(0), Self.mayFail)
                for place in range {
                    union |= own[place]
                    common &= own[place]
                }
                return union & Self.mayHold | common
            }
        case .workout(let condition) where !isOfActivity: return judge(condition, workouts) ?? every(3)
        case .activity(let condition) where isOfActivity: return judge(condition, activities) ?? every(3)
        default: return every(3)
        }
    }

    /// Returns the judgement of a condition; nil if the columns do not have its values.
    private func judge(_ condition: WorkoutCondition, _ subjects: Subjects) -> [UInt8]? {
        switch condition {
        case .activity(let activity):
            let wanted = UInt32(activity.rawValue)
            return subjects.activities.map { $0 == wanted ? Self.mayHold : Self.mayFail }
        case .duration(let comparison, let seconds):
            return Self.judge(subjects.durations, subjects.count, comparison, seconds)
        case .total(let total, let comparison, let quantity):
            return Self.judge(totals[total] ?? [], subjects.count, comparison, quantity.doubleValue(for: total.unit))
        case .statistic(let type, let value, let comparison, let quantity):
            guard let unit = Self.unit(type), let number = Self.converted(quantity.value, quantity.unit, type) else {
                return nil
            }
            let key = StatisticKey(type: type, value: value)
            let column = subjects.statistics[key] ?? []
            if subjects.rounded.contains(key) { return Self.judge(column, subjects.count, comparison, number) }
            return Self.judge(column, subjects.count, comparison, number) { value in
                let own = HKQuantity(unit: unit, doubleValue: value)
                return SamplePredicate.compares(own, comparison, quantity) ? Self.mayHold : Self.mayFail
            }
        case .time: return nil
        }
    }

    /// Judges a column.
    ///
    /// - Parameter exactly: judges a value within rounding of the threshold.
    private static func judge(
        _ column: [Double], _ count: Int, _ comparison: HealthComparison, _ threshold: Double,
        exactly: (Double) -> UInt8 = { _ in 3 }
    ) -> [UInt8] {
        var judged = [UInt8](repeating: mayFail, count: count)
        // No comparison holds for NaN.
        if threshold.isNaN { return judged }
        let slack = threshold.isFinite ? threshold.magnitude * 1e-9 : 0
        let (low, high) = (threshold - slack, threshold + slack)
        let below = comparison.holds(ComparisonResult.orderedAscending) ? mayHold : mayFail
        let above = comparison.holds(ComparisonResult.orderedDescending) ? mayHold : mayFail
        // Many averages may be equal to the threshold.
        var near = (value: Double.nan, bits: UInt8(3))
        for place in column.indices {
            let value = column[place]
            if value < low {
                judged[place] = below
            } else if value > high {
                judged[place] = above
            } else if !value.isNaN {
                if value != near.value { near = (value, exactly(value)) }
                judged[place] = near.bits
            }
        }
        return judged
    }

    /// Returns the canonical unit of a type; nil for a type without one.
    private static func unit(_ type: String) -> HKUnit? {
        HKQuantityType(HKQuantityTypeIdentifier(rawValue: type)).canonicalUnit
    }

    /// Returns a value in the canonical unit of a type; nil for a type without one, and for another dimension.
    private static func converted(_ value: Double, _ unit: HKUnit, _ type: String) -> Double? {
        guard let own = Self.unit(type) else { return nil }
        if unit == own { return value }
        return try? UnitConversion(from: unit, to: own).convert(value)
    }
}

extension WorkoutColumns.Subjects {
    /// Returns a value for each workout, from the range of its activities.
    fileprivate func activities(_ first: [Int], _ body: (Range<Int>) -> UInt8) -> [UInt8] {
        (0..<count).map { body(first[$0]..<first[$0 + 1]) }
    }
}

extension WorkoutCondition.Total {
    /// The unit of the total's column.
    fileprivate var unit: HKUnit {
        switch self {
        case .energy: .kilocalorie()
        case .distance: .meter()
        case .strokes, .flights: .count()
        }
    }
}

extension [Double] {
    /// Appends missing values up to a count.
    fileprivate mutating func pad(to count: Int) {
        while self.count < count { append(.nan) }
    }
}

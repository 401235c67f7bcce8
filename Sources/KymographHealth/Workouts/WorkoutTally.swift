// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The statistics of a workout in progress and of its activities, updated with each sample.
///
/// The values are those of the statistics queries, but sources are not merged: sums of cumulative types and averages by
/// the type's style, in the type's canonical unit. An activity is half-open. A cumulative sample counts in it in
/// proportion to the overlap, a discrete sample if it starts in the activity. The order of additions has no effect.
struct WorkoutTally: Sendable {
    /// A quantity of the workout.
    struct Item: Sendable, Comparable {
        let start: Int64
        let end: Int64
        let value: Double
        /// The least and the greatest value. For a single quantity both are equal to `value`.
        var low: Double
        var high: Double

        init(start: Int64, end: Int64, value: Double) {
            (self.start, self.end, self.value) = (start, end, value)
            (low, high) = (value, value)
        }

        static func < (a: Item, b: Item) -> Bool { (a.start, a.end, a.value) < (b.start, b.end, b.value) }
    }

    /// The accumulated values of one type.
    private struct Entry: Sendable {
        let type: HKQuantityType
        let unit: HKUnit
        var cell = StatisticsCell()
        /// The weights, for the styles that have weights. Samples of several sources come in any order.
        var weights = WorkoutWeights()
        /// Whether all samples must be added again: a sample was too early, or the sample was a series.
        var isStale = false

        init(_ type: HKQuantityType, _ unit: HKUnit) {
            self.type = type
            self.unit = type.canonicalUnit ?? unit
        }

        mutating func add(_ item: Item, share: Double? = nil) {
            let row = MeasuredRow(start: item.start, end: item.end, value: item.value, part: 0)
            if type.aggregationStyle == .cumulative {
                cell.add(share: share ?? item.value)
                cell.offer(item.start, item.end, item.value)
                return
            }
            cell.add(row, isSummed: true)
            cell.extend(low: item.low, high: item.high)
            if isStale || !type.aggregationStyle.isWeighted { return }
            isStale = !weights.add(item, isLevel: type.aggregationStyle == .discreteEquivalentContinuousLevel)
        }

        /// The statistic; nil without samples.
        var statistic: WorkoutStatistic? {
            guard cell.isThere else { return nil }
            var found = WorkoutStatistic(unit: unit)
            switch type.aggregationStyle {
            case .cumulative:
                found.sum = cell.sum.value
                return found
            case .discreteTemporallyWeighted: found.average = weights.sums.timeWeightedMean(of: cell)
            case .discreteEquivalentContinuousLevel: found.average = weights.sums.level(of: cell)
            default: found.average = cell.mean
            }
            let recent = cell.recent
            if recent.end > .min {
                found.recent = WorkoutStatistic.Recent(
                    value: recent.value, start: StoredTime.date(recent.start),
                    end: StoredTime.endDate(recent.end))
            }
            found.minimum = cell.min
            found.maximum = cell.max
            return found
        }
    }

    /// An activity of the workout and its values.
    private struct Part: Sendable {
        let uuid: UUID
        let start: Int64
        /// `Int64.max` while the activity is in progress.
        var end: Int64
        var entries: [String: Entry] = [:]
        /// Whether the values include samples after the present end, or lack samples from before the activity was
        /// known.
        var isStale = false
    }

    private var entries: [String: Entry] = [:]
    private var parts: [Part] = []
    /// The time in zones.
    var zones = ZoneTally()
    /// The latest end of a sample.
    private var latest = Int64.min

    init() {}

    /// The types with samples.
    var types: [HKQuantityType] { entries.values.map(\.type) }

    /// The types whose statistics must be computed again from all samples.
    var staleTypes: [HKQuantityType] {
        if parts.contains(where: \.isStale) { return types }
        var stale = Set(entries.values.lazy.filter(\.isStale).map(\.type.identifier))
        stale.formUnion(zones.staleTypes)
        for part in parts { stale.formUnion(part.entries.values.lazy.filter(\.isStale).map(\.type.identifier)) }
        return stale.compactMap { entries[$0]?.type }
    }

    /// Adds a quantity of a type. O(activities).
    mutating func add(_ type: HKQuantityType, _ unit: HKUnit, start: Int64, end: Int64, value: Double) {
        add(type, unit, Item(start: start, end: end, value: value))
    }

    /// Adds a quantity of a type, which may be the average or sum of a series.
    mutating func add(_ type: HKQuantityType, _ unit: HKUnit, _ item: Item) {
        let key = type.identifier
        let common = entries[key]?.unit ?? Entry(type, unit).unit
        guard let item = item.converted(from: unit, to: common) else { return }
        // In place: a copy of an entry would copy its kept samples.
        entries[key, default: Entry(type, unit)].add(item)
        zones.add(key, item)
        latest = max(latest, item.end)
        for place in parts.indices {
            let (first, last) = (parts[place].start, parts[place].end)
            var share: Double?
            if type.aggregationStyle == .cumulative, item.end > item.start {
                let from = max(item.start, first)
                let to = min(item.end, last)
                guard to > from else { continue }
                if from > item.start || to < item.end {
                    share = item.value * (Self.length(from, to) / Self.length(item.start, item.end))
                }
            } else if item.start < first || item.start >= last {
                continue
            }
            parts[place].entries[key, default: Entry(type, common)].add(item, share: share)
        }
    }

    private static func length(_ start: Int64, _ end: Int64) -> Double { Double(UInt64(bitPattern: end &- start)) }

    /// Adds an activity, or changes the end of a known activity.
    mutating func set(_ activity: WorkoutActivity) {
        guard let start = StoredTime.nanoseconds(activity.start) else { return }
        let end = activity.end.flatMap { StoredTime.nanoseconds($0) } ?? .max
        zones.set(part: activity.uuid, start: start, end: end)
        if let place = parts.firstIndex(where: { $0.uuid == activity.uuid }) {
            let old = parts[place].end
            if min(old, end) <= latest, old != end { parts[place].isStale = true }
            parts[place].end = end
            return
        }
        var part = Part(uuid: activity.uuid, start: start, end: end)
        part.isStale = latest >= start && !entries.isEmpty
        parts.append(part)
    }

    /// Marks a type as stale, because a series was added as one sample. Each of its quantities counts.
    mutating func markStale(_ type: HKQuantityType) { entries[type.identifier]?.isStale = true }

    /// Removes the values of a type. The caller then adds all samples of the type in order of start, end and value.
    mutating func clear(_ type: HKQuantityType) {
        guard let unit = entries[type.identifier]?.unit else { return }
        entries[type.identifier] = Entry(type, unit)
        for place in parts.indices { parts[place].entries[type.identifier] = nil }
        zones.clear(type.identifier)
    }

    /// Sets the zones of a type.
    mutating func set(_ configuration: HKWorkoutZoneConfiguration) {
        zones.set(configuration, hasSamples: entries[configuration.quantityType.identifier] != nil)
    }

    /// Sets the unit of a type without samples.
    mutating func expect(_ type: HKQuantityType, in unit: HKUnit) {
        if entries[type.identifier] == nil { entries[type.identifier] = Entry(type, unit) }
    }

    /// Notes that the values of all stale types were added again.
    mutating func noteRecounted() { for place in parts.indices { parts[place].isStale = false } }

    /// Returns the statistics of a type over the whole workout; nil without samples. O(1).
    func statistic(of type: HKQuantityType) -> WorkoutStatistic? { entries[type.identifier]?.statistic }

    /// The statistics of the whole workout.
    var statistics: WorkoutStatistics { entries.compactMapValues(\.statistic) }

    /// Returns the statistics of an activity.
    func statistics(of activity: UUID) -> WorkoutStatistics {
        parts.first { $0.uuid == activity }?.entries.compactMapValues(\.statistic) ?? [:]
    }
}

extension WorkoutTally.Item {
    /// Creates the item of a sample. The item of a series has the extremes of its quantities.
    init(_ sample: HKQuantitySample, start: Int64, end: Int64) {
        self.init(start: start, end: end, value: sample.quantity.value)
        guard sample.count > 1, let series = sample as? HKDiscreteQuantitySample else { return }
        low = series.minimumQuantity.doubleValue(for: sample.quantity.unit)
        high = series.maximumQuantity.doubleValue(for: sample.quantity.unit)
    }

    /// Returns the item in another unit; nil for a unit of another dimension, which a type without a canonical unit can
    /// have.
    fileprivate func converted(from unit: HKUnit, to own: HKUnit) -> Self? {
        if unit === own || unit == own { return self }
        guard let conversion = try? UnitConversion(from: unit, to: own) else { return nil }
        var item = Self(start: start, end: end, value: conversion.convert(value))
        item.low = conversion.convert(low)
        item.high = conversion.convert(high)
        return item
    }
}

extension HKQuantityAggregationStyle {
    /// Whether an average of the style weighs values by time.
    fileprivate var isWeighted: Bool {
        self == .discreteTemporallyWeighted || self == .discreteEquivalentContinuousLevel
    }
}

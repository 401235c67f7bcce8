// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The weighted sums for the average of an interval.
///
/// - Requires: samples sorted by start.
struct StatisticsWeights: Sendable {
    private var isEmpty = true
    private var span = (first: Int64(0), last: Int64(0), value: 0.0)
    /// Value times seconds, each value until the next sample starts.
    private var integral = CompensatedSum()
    /// Power times seconds, and the seconds.
    private var energy = (sum: 0.0, time: 0.0)
    /// The powers of the samples, and their number.
    private var power = (sum: 0.0, count: 0.0)

    /// Adds a sample.
    ///
    /// - Parameter isLevel: whether its value is a level, in decibels.
    mutating func add(_ row: MeasuredRow, isLevel: Bool) {
        guard isLevel else { return extend(row.start, row.start, row.value) }
        let linear = Foundation.pow(10, row.value / 10)
        let time = Self.seconds(from: row.start, to: row.end)
        energy.sum += linear * time
        energy.time += time
        power.sum += linear
        power.count += 1
    }

    /// Adds summaries of samples whose values hold until the next sample starts.
    mutating func add(_ a: Aggregate, _ conversion: UnitConversion?) {
        guard let first = a.first, let last = a.last, let average = a.timeWeightedAverage else { return }
        func converted(_ value: Double) -> Double { conversion?.convert(value) ?? value }
        extend(first.start, last.start, converted(last.value))
        integral.add(converted(average) * Self.seconds(from: first.start, to: last.start))
    }

    private mutating func extend(_ first: Int64, _ last: Int64, _ value: Double) {
        if isEmpty { span.first = first } else { integral.add(span.value * Self.seconds(from: span.last, to: first)) }
        (isEmpty, span.last, span.value) = (false, last, value)
    }

    /// Inserts a sample whose value holds until the next one, between two samples that were added next to each other.
    ///
    /// - Parameters:
    ///   - before: the sample before it; nil to insert before all samples.
    ///   - after: the sample after it.
    /// - Returns: false if the sum may have lost digits, so that all samples must be added again in order.
    mutating func insert(_ row: MeasuredRow, before: MeasuredRow?, after: MeasuredRow) -> Bool {
        integral.add(row.value * Self.seconds(from: row.start, to: after.start))
        guard let before else {
            span.first = row.start
            return true
        }
        // The exact product that was added with the later sample.
        let removed = before.value * Self.seconds(from: before.start, to: after.start)
        integral.add(before.value * Self.seconds(from: before.start, to: row.start))
        integral.add(-removed)
        return abs(removed) <= abs(integral.value) * 1e6
    }

    private static func seconds(from start: Int64, to end: Int64) -> Double {
        Double(UInt64(bitPattern: end &- start)) / 1e9
    }

    /// Returns the mean of the values weighted by the time until the next sample starts.
    func timeWeightedMean(of cell: StatisticsCell) -> Double {
        let length = Self.seconds(from: span.first, to: span.last)
        return cell.count > 0 && length > 0 ? cell.within(integral.value / length) : cell.mean
    }

    /// Returns the level of constant sound with the same energy. If all samples are points, they have equal weights.
    func level(of cell: StatisticsCell) -> Double {
        guard cell.count > 0 else { return .nan }
        let mean = energy.time > 0 ? energy.sum / energy.time : power.sum / power.count
        // The powers of extreme levels are infinite or zero; the level is between the least and the greatest value.
        return min(max(10 * log10(mean), cell.min), cell.max)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// What an average needs that weighs the samples of an interval. Takes them in order of their starts.
struct StatisticsWeights: Sendable {
    private var isEmpty = true
    private var span = (first: Int64(0), last: Int64(0), value: 0.0)
    /// Value times seconds, each value until the next sample starts.
    private var integral = CompensatedSum()
    /// Powers times seconds, and seconds.
    private var energy = (sum: 0.0, time: 0.0)
    /// Powers of samples, and how many there are.
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

    /// Adds what summaries say of samples whose values hold until the next one starts.
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

    private static func seconds(from start: Int64, to end: Int64) -> Double {
        Double(UInt64(bitPattern: end &- start)) / 1e9
    }

    /// The mean of the values, each weighed by the time until the next sample starts.
    func timeWeightedMean(of cell: StatisticsCell) -> Double {
        let length = Self.seconds(from: span.first, to: span.last)
        return cell.count > 0 && length > 0 ? cell.within(integral.value / length) : cell.mean
    }

    /// The level of constant sound with the same energy. Where all samples are points they weigh the same.
    func level(of cell: StatisticsCell) -> Double {
        guard cell.count > 0 else { return .nan }
        let mean = energy.time > 0 ? energy.sum / energy.time : power.sum / power.count
        // Powers of extreme levels are no numbers; the level lies between the least and the greatest.
        return min(max(10 * log10(mean), cell.min), cell.max)
    }
}

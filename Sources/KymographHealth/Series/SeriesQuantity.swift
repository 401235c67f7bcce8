// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// A quantity of a sample: one of many in a series, or the only one of another sample.
struct SeriesQuantity: Sendable {
    let value: Double
    let unit: HKUnit
    /// Nanoseconds since 1970-01-01 UTC.
    let start: Int64
    let end: Int64
    /// The sample; nil if not requested.
    let sample: HKQuantitySample?

    init(_ stored: Sample, _ unit: HKUnit, _ sample: HKQuantitySample?) {
        value = stored.value
        self.unit = unit
        (start, end) = (stored.start, stored.end)
        self.sample = sample
    }

    /// Creates the only quantity of a sample outside of a series; nil if its time is not storable.
    init?(_ sample: HKQuantitySample, includesSample: Bool) {
        guard let start = StoredTime.nanoseconds(sample.startDate), let end = StoredTime.end(sample.endDate) else {
            return nil
        }
        self.init(
            Sample(start: start, end: max(start, end), value: sample.quantity.value), sample.quantity.unit,
            includesSample ? sample : nil)
    }

    var quantity: HKQuantity { HKQuantity(unit: unit, doubleValue: value) }

    var interval: DateInterval {
        let first = StoredTime.date(start)
        // An interval that ends before its start would end the program.
        let length = StoredTime.endDate(end).timeIntervalSince(first)
        return DateInterval(start: first, duration: length > 0 ? length : 0)
    }
}

/// The parameters of a query of quantities.
struct SeriesRequest: Sendable {
    let type: HKQuantityType
    /// Selects samples, not single quantities of a series.
    var predicate: SamplePredicate
    var includesSample = false
    /// Whether quantities are sorted sample by sample, by the start of the samples; otherwise by their own start,
    /// across samples.
    var isBySample = false
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// A quantity of a sample: of a series one of many, else the sample's only one.
struct SeriesQuantity: Sendable {
    let value: Double
    let unit: HKUnit
    /// Nanoseconds since 1970 UTC.
    let start: Int64
    let end: Int64
    /// nil where it was not asked for.
    let sample: HKQuantitySample?

    init(_ stored: Sample, _ unit: HKUnit, _ sample: HKQuantitySample?) {
        value = stored.value
        self.unit = unit
        (start, end) = (stored.start, stored.end)
        self.sample = sample
    }

    /// The only quantity of a sample that is no series; nil for one that no store holds.
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
        // An interval with its end before its start ends the program.
        let length = StoredTime.endDate(end).timeIntervalSince(first)
        return DateInterval(start: first, duration: length > 0 ? length : 0)
    }
}

/// Which quantities are asked for.
struct SeriesRequest: Sendable {
    let type: HKQuantityType
    /// Decides about samples, not about the quantities of a series.
    let predicate: SamplePredicate
    /// Whether each quantity comes with its sample.
    var includesSample = false
    /// Sample by sample, by the start of the samples; else by the start of the quantities, across samples.
    var isBySample = false
}

extension HealthStore {
    /// Gives the quantities of the samples that a predicate means, batch by batch; a sample that is no series has one.
    ///
    /// - Parameter body: takes some quantities and says whether it wants more.
    /// - Complexity: O(log n + rows in the time of the samples); memory of the series that match, not of their
    ///   quantities.
    func quantities(_ request: SeriesRequest, _ body: ([SeriesQuantity]) throws -> Bool) throws {
        var pager = try SeriesPager(self, request)
        while let page = try pager.next(self) { if try !body(page) { return } }
    }

    /// Gives the quantities of one sample; of one that is no series, its only one.
    ///
    /// - Throws: `HKError` `errorInvalidArgument` for a series that the store does not have; what reading throws.
    func quantities(of sample: HKQuantitySample, _ body: ([SeriesQuantity]) throws -> Bool) throws {
        var pager = try SeriesPager(self, of: sample)
        while let page = try pager.next(self) { if try !body(page) { return } }
    }
}

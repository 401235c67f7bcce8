// SPDX-License-Identifier: Apache-2.0

/// The values of a type over a range of time, for a plot: the outline of a discrete type, or the sums of a cumulative
/// one.
package struct TypeCurve: Sendable {
    /// A value and the start of its sample or bucket.
    package struct Point: Sendable, Hashable {
        package let value: Double
        package let at: Int64
    }

    /// The sum of a bucket.
    package struct Sum: Sendable, Hashable {
        package let start: Int64
        package let end: Int64
        /// Nil for a bucket without samples.
        package let value: Double?
    }

    package let type: HealthType
    package let unit: String?
    /// The slices of a discrete type, of equal length; empty for a cumulative type and without samples.
    package let slices: [EnvelopeSlice]
    /// The sums of a cumulative type; empty for a discrete type and without samples.
    package let sums: [Sum]
    /// The mean of the samples, or of the sums that have samples.
    package let average: Double
    /// The first least and the first greatest sample or sum.
    package let least: Point
    package let greatest: Point
    /// From the first slice to the last one.
    package let bounds: TimeRange
}

extension HealthStore {
    /// Returns the outline of a discrete type; nil without samples in the range.
    ///
    /// - Parameter points: the number of slices.
    package func outline(_ request: SampleRequest, points: Int) throws(HealthStoreError) -> TypeCurve? {
        let found = try envelope(request, points: points)
        let statistics = try statistics(
            StatisticsRequest(
                request.type, range: request.range, unit: request.unit, sources: request.sources, asOf: request.asOf))
        guard let average = statistics.rows.first?.average, let first = found.slices.first,
            let last = found.slices.last,
            let least = found.slices.compactMap(\.min).min(by: { ($0.value, $0.start) < ($1.value, $1.start) }),
            let greatest = found.slices.compactMap(\.max).max(by: { ($0.value, $1.start) < ($1.value, $0.start) })
        else { return nil }
        return TypeCurve(
            type: request.type, unit: found.unit, slices: found.slices, sums: [], average: average,
            least: TypeCurve.Point(value: least.value, at: least.start),
            greatest: TypeCurve.Point(value: greatest.value, at: greatest.start),
            bounds: TimeRange(first.start, last.end))
    }

    /// Returns the sums of a cumulative type; nil without samples in the range.
    ///
    /// - Parameter request: with buckets; its sources are merged by priority.
    package func sums(_ request: StatisticsRequest) throws(HealthStoreError) -> TypeCurve? {
        let report = try statistics(request)
        let sums = report.rows.map {
            TypeCurve.Sum(start: $0.start, end: $0.end, value: $0.isEmpty ? nil : $0.sum)
        }
        let points = sums.compactMap { sum in sum.value.map { TypeCurve.Point(value: $0, at: sum.start) } }
        guard let first = sums.first, let last = sums.last,
            let least = points.min(by: { ($0.value, $0.at) < ($1.value, $1.at) }),
            let greatest = points.max(by: { ($0.value, $1.at) < ($1.value, $0.at) })
        else { return nil }
        return TypeCurve(
            type: request.type, unit: report.unit, slices: [], sums: sums,
            average: points.reduce(0) { $0 + $1.value } / Double(points.count), least: least, greatest: greatest,
            bounds: TimeRange(first.start, last.end))
    }
}

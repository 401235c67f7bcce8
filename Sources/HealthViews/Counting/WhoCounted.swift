// SPDX-License-Identifier: Apache-2.0

/// How much of a total each source recorded, and how much of that counts.
package struct WhoCounted: Sendable {
    /// One source.
    package struct Share: Sendable {
        package var source: String
        /// The sum of all its samples.
        package var recorded: Double
        /// The part of the sum that counts: no source before it has data of the same time.
        package var counted: Double
        /// Both for each slice of time; empty if no slices were requested.
        package var slices: [(recorded: Double, counted: Double)]
    }

    package let type: HealthType
    package let unit: String?
    /// The sources in order of priority.
    package let shares: [Share]

    package var recorded: Double { shares.reduce(0) { $0 + $1.recorded } }
    package var counted: Double { shares.reduce(0) { $0 + $1.counted } }
}

extension HealthStore {
    /// Returns how a total of a cumulative type is made of its sources.
    ///
    /// - Parameters:
    ///   - request: the type, range, unit, sources and priority; other values are ignored.
    ///   - slices: divides the range; nil for totals only.
    package func whoCounted(
        _ request: StatisticsRequest, slices: Buckets? = nil
    ) throws(HealthStoreError) -> WhoCounted {
        var parts = StatisticsRequest(
            request.type, buckets: slices, range: request.range, unit: request.unit, bySource: true,
            sources: request.sources, merging: .byPriority, priority: request.priority, asOf: request.asOf)
        let counted = try statistics(parts)
        parts.merging = .union
        let all = try statistics(parts)
        // A report on one source has no priority.
        let order = counted.explanation.priority.isEmpty ? counted.explanation.sources : counted.explanation.priority
        var shares: [WhoCounted.Share] = []
        for source in order where !shares.contains(where: { $0.source == source }) {
            let (whole, part) = (all.sums(of: source), counted.sums(of: source))
            guard whole.contains(where: { $0 != 0 }) else { continue }
            shares.append(
                WhoCounted.Share(
                    source: source, recorded: whole.reduce(0, +), counted: part.reduce(0, +),
                    slices: slices == nil ? [] : Array(zip(whole, part)).map { (recorded: $0, counted: $1) }))
        }
        return WhoCounted(type: request.type, unit: counted.unit, shares: shares)
    }
}

extension StatisticsReport {
    /// Returns the sum of a source in each bucket. Sources of one name, such as two phones, are added up.
    fileprivate func sums(of source: String) -> [Double] {
        var sums: [Double] = []
        var places: [Int64: Int] = [:]
        for row in rows where row.source == source {
            if let place = places[row.start] {
                sums[place] += row.sum ?? 0
            } else {
                places[row.start] = sums.count
                sums.append(row.sum ?? 0)
            }
        }
        return sums
    }
}

// SPDX-License-Identifier: Apache-2.0

extension HealthView {
    /// Returns rows with the quantiles of a request. Samples of several stored units are merged as sketches, whose
    /// errors add up.
    func withQuantiles(
        _ rows: [StatisticsRow], _ request: StatisticsRequest, _ parts: SeriesParts, _ units: HealthUnits,
        _ range: TimeRange, _ explanation: QueryExplanation
    ) throws(HealthStoreError) -> [StatisticsRow] {
        guard !request.quantiles.isEmpty, request.type.kind != .category else { return rows }
        if let wrong = request.quantiles.first(where: { !($0 >= 0 && $0 <= 1) }) {
            throw HealthStoreError(
                .invalidArgument, "\(wrong) is not a probability; give quantiles from 0 to 1")
        }
        let groups = parts.byUnit
        var sketches = [(sketch: QuantileSketch, error: Double)]()
        for (unit, ids) in groups {
            let found = try inEngine { () throws(StoreError) -> [QuantileSketch] in
                guard let buckets = request.buckets else {
                    return [try snapshot.sketch(of: ids, over: range, explain: explanation)]
                }
                return try snapshot.sketches(of: ids, buckets, over: range, explain: explanation) { $2 }
            }
            let conversion = units.conversion(from: unit)
            let converted = found.map { sketch in
                let error = sketch.relativeError
                return (sketch: conversion.map { c in sketch.mapped { c.convert($0) } } ?? sketch, error: error)
            }
            if sketches.isEmpty {
                sketches = converted
                continue
            }
            for (i, one) in converted.enumerated() {
                sketches[i].sketch.merge(one.sketch)
                sketches[i].error = max(sketches[i].error, one.error)
            }
        }
        guard sketches.count == rows.count else { return rows }
        let isConverted = groups.contains { units.conversion(from: $0.unit) != nil }
        return zip(rows, sketches).map { row, found in
            var row = row
            row.quantiles = found.sketch.quantiles(request.quantiles)
            if row.quantiles != nil {
                row.quantileError =
                    isConverted ? found.error + found.sketch.relativeError : found.sketch.relativeError
            }
            return row
        }
    }
}

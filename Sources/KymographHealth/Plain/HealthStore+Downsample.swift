// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

/// A small number of samples whose plot resembles that of all samples.
public struct DownsampledSeries: Sendable {
    /// The unit of the values; nil for quantities without a unit.
    public var unit: String?
    /// The samples, in order of time.
    public var samples: [Sample]
}

/// An envelope of a type for a plot: slices of time, with the first, last, least and greatest sample of each.
public struct SampleEnvelope: Sendable {
    /// The unit of the values; nil for quantities without a unit.
    public var unit: String?
    /// The slices in order of time, including empty ones.
    public var slices: [EnvelopeSlice]
}

extension HealthStore {
    /// Returns a small number of samples whose plot resembles that of all samples; see `Snapshot.downsample`.
    ///
    /// Uses the request's type, range, sources, unit and commit. If samples have several stored units, all convertible
    /// samples are held in memory.
    /// - Parameter points: the number of samples, at least 3.
    /// - Throws: `incompatibleUnit`, `invalidArgument` (a category, too few or too many points), `corrupt`,
    ///   `engine(.closed)`, `engine(.inputOutput)`.
    public func downsampled(
        _ request: SampleRequest, to points: Int, by method: Downsampling = .largestTriangle
    ) throws(HealthStoreError) -> DownsampledSeries {
        let view = try view(asOf: request.asOf)
        let (parts, units) = try view.curve(request)
        let groups = parts.byUnit
        let all = parts.parts.map(\.id)
        let samples: [Sample] = try inEngine { () throws(StoreError) in
            if groups.count <= 1 {
                let conversion = groups.first.flatMap { units.conversion(from: $0.unit) }
                return try view.snapshot.downsample(all, to: points, over: request.range, by: method)
                    .map { $0.converted(conversion) }
            }
            // Validates the arguments before anything is read.
            _ = try view.snapshot.downsample([], to: points)
            var converted = [Sample]()
            try view.snapshot.scan(all, over: request.range, columns: [.starts, .ends, .values]) {
                batch throws(StoreError) in
                let conversion = units.conversion(from: view.tables.bySeries[batch.series.rawValue]?.unit)
                for i in 0..<batch.count { converted.append(batch[i].converted(conversion)) }
                return true
            }
            return converted.largestTriangles(points)
        }
        return DownsampledSeries(unit: units.unit, samples: samples)
    }

    /// Returns the envelope of a type for a plot; see `Snapshot.envelope`.
    ///
    /// Uses the request's type, range, sources, unit and commit.
    /// - Parameter points: the number of slices, at least 1.
    /// - Throws: the errors of `downsampled(_:to:by:)`.
    public func envelope(_ request: SampleRequest, points: Int) throws(HealthStoreError) -> SampleEnvelope {
        let view = try view(asOf: request.asOf)
        let (parts, units) = try view.curve(request)
        // All units use the same slices.
        let range = try inEngine { () throws(StoreError) in
            try view.snapshot.startBounds(of: parts.parts.map(\.id), request.range)
        }
        var slices: [EnvelopeSlice]?
        for (unit, ids) in parts.byUnit {
            guard let range else { break }
            let conversion = units.conversion(from: unit)
            let found = try inEngine { () throws(StoreError) in
                try view.snapshot.envelope(of: ids, points: points, over: range).map { $0.converted(conversion) }
            }
            slices = slices.map { zip($0, found).map { $0.joined(with: $1) } } ?? found
        }
        return SampleEnvelope(unit: units.unit, slices: slices ?? [])
    }
}

extension HealthView {
    /// Returns the series of a request that can be plotted, and their units.
    fileprivate func curve(
        _ request: SampleRequest
    ) throws(HealthStoreError) -> (parts: SeriesParts, units: HealthUnits) {
        guard request.type.kind != .category else {
            throw HealthStoreError(
                .invalidArgument, "\(request.type.shortName) is a category, whose values cannot be plotted")
        }
        let all = try parts(of: request.type.identifier).only(request.sources, self)
        let units = try HealthUnits(request.type, all, wanted: request.unit)
        return (try all.without(units, self), units)
    }
}

extension Sample {
    fileprivate func converted(_ conversion: UnitConversion?) -> Sample {
        guard let conversion else { return self }
        return Sample(start: start, end: end, value: conversion.convert(value))
    }
}

extension EnvelopeSlice {
    fileprivate func converted(_ conversion: UnitConversion?) -> EnvelopeSlice {
        guard conversion != nil else { return self }
        var slice = self
        slice.first = first?.converted(conversion)
        slice.last = last?.converted(conversion)
        slice.min = min?.converted(conversion)
        slice.max = max?.converted(conversion)
        return slice
    }

    /// Returns this slice merged with another one of the same time.
    fileprivate func joined(with other: EnvelopeSlice) -> EnvelopeSlice {
        func better(_ a: Sample?, _ b: Sample?, _ isBetter: (Sample, Sample) -> Bool) -> Sample? {
            guard let a, let b else { return a ?? b }
            return isBetter(b, a) ? b : a
        }
        func isEarlier(_ a: Sample, _ b: Sample) -> Bool { (a.start, a.end) < (b.start, b.end) }
        var slice = self
        slice.count += other.count
        slice.first = better(first, other.first, isEarlier)
        slice.last = better(last, other.last) { !isEarlier($0, $1) }
        slice.min = better(min, other.min) { $0.value < $1.value || $0.value == $1.value && isEarlier($0, $1) }
        slice.max = better(max, other.max) { $0.value > $1.value || $0.value == $1.value && isEarlier($0, $1) }
        return slice
    }
}

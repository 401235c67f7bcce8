// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import TestSupport
import Testing

@testable import HealthViews

@Suite("T-12 curves of a type: averages and extremes equal those of the samples")
struct TypeCurveTests {
    private static let zone = CivilZone(identifier: "Europe/Berlin") ?? .utc
    /// 2024-03-30 00:00 in Berlin; the clocks change on the next day.
    private static let midnight = 1_711_753_200

    private static func records(_ type: String, _ unit: String, seed: UInt64) -> [ExportedStore.Record] {
        var random = SeededGenerator(seed: seed)
        return (0..<400).map { at in
            let start = midnight + at * 500
            return ExportedStore.Record(
                type: type, source: "Watch", start: start, end: start + 60,
                value: "\(Int.random(in: 40...180, using: &random))", unit: unit)
        }
    }

    @Test("the outline of a discrete type")
    func outline() throws {
        let records = Self.records("HKQuantityTypeIdentifierHeartRate", "count/min", seed: 3)
        let exported = try ExportedStore(records)
        defer { exported.close() }
        let type = HealthTypes.type(for: HKQuantityTypeIdentifier.heartRate)
        let range = TimeRange(Int64(Self.midnight) * 1_000_000_000, Int64(Self.midnight + 86_400) * 1_000_000_000)
        let curve = try #require(try exported.store.outline(SampleRequest(type, range: range), points: 50))
        let own = records.filter { $0.start < Self.midnight + 86_400 }.map { (Double($0.value) ?? 0, $0.start) }
        #expect(curve.slices.count == 50 && curve.sums.isEmpty && curve.bounds == range)
        #expect(curve.slices.reduce(0) { $0 + $1.count } == own.count)
        let (least, greatest) = (own.map(\.0).min() ?? 0, own.map(\.0).max() ?? 0)
        #expect(curve.least.value == least && curve.greatest.value == greatest)
        #expect(curve.least.at == own.first { $0.0 == least }.map { Int64($0.1) * 1_000_000_000 })
        #expect(curve.greatest.at == own.first { $0.0 == greatest }.map { Int64($0.1) * 1_000_000_000 })
        #expect(abs(curve.average - own.reduce(0) { $0 + $1.0 } / Double(own.count)) < 1e-9)
        let none = SampleRequest(type, range: TimeRange(0, 1_000))
        #expect(try exported.store.outline(none, points: 50) == nil)
    }

    @Test("the sums of a cumulative type by day, on a day of 23 hours")
    func sums() throws {
        let records = Self.records("HKQuantityTypeIdentifierStepCount", "count", seed: 4)
        let exported = try ExportedStore(records)
        defer { exported.close() }
        let type = HealthTypes.type(for: HKQuantityTypeIdentifier.stepCount)
        let first = CalendarDate(containing: Int64(Self.midnight) * 1_000_000_000, in: Self.zone)
        let span = DaySpan(first, through: first.adding(3), in: Self.zone)
        let curve = try #require(
            try exported.store.sums(StatisticsRequest(type, buckets: span.buckets, range: span.bounds)))
        // Midnights of 31 March, with 23 hours, and of 1 April.
        let edges = [Self.midnight, Self.midnight + 86_400, Self.midnight + 86_400 + 82_800]
        var truth = [Double](repeating: 0, count: 3)
        for record in records {
            let each = (Double(record.value) ?? 0) / 60
            for second in record.start..<record.end { truth[edges.lastIndex { $0 <= second } ?? 0] += each }
        }
        #expect(curve.sums.count == 4 && curve.sums[3].value == nil && curve.slices.isEmpty)
        for (sum, wanted) in zip(curve.sums, truth) { #expect(abs((sum.value ?? 0) - wanted) < 1e-6) }
        #expect(abs(curve.average - truth.reduce(0, +) / 3) < 1e-6)
        let place = truth.firstIndex(of: truth.max() ?? 0) ?? 9
        #expect(curve.greatest.at == Int64(edges[place]) * 1_000_000_000)
        #expect(curve.bounds == span.bounds)
    }
}

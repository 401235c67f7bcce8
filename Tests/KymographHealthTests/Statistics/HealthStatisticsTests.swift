// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KymographHealth

/// Statistics computed from every sample.
private struct Naive {
    let samples: [TestSample]
    let isCumulative: Bool
    let convert: (Double, String?) -> Double

    func row(_ start: Int64, _ end: Int64, _ source: String?) -> StatisticsRow {
        var row = StatisticsRow(source: source, start: start, end: end, count: 0)
        var total = 0.0
        for sample in samples where source == nil || sample.source == source {
            let value = convert(sample.value, sample.unit)
            if isCumulative, sample.end > sample.start {
                let shared = min(end, sample.end) - max(start, sample.start)
                if shared > 0 {
                    row.sum = (row.sum ?? 0) + value * (Double(shared) / Double(sample.end - sample.start))
                }
            }
            guard sample.start >= start, sample.start < end else { continue }
            row.count += 1
            total += value
            if !isCumulative || sample.end == sample.start { row.sum = (row.sum ?? 0) + value }
            row.min = min(row.min ?? value, value)
            row.max = max(row.max ?? value, value)
            if row.mostRecent.map({ ($0.start, $0.end) <= (sample.start, sample.end) }) ?? true {
                row.mostRecent = Sample(start: sample.start, end: sample.end, value: value)
            }
        }
        if row.count > 0 {
            row.average = total / Double(row.count)
            let mean = total / Double(row.count)
            var squares = 0.0
            for sample in samples where sample.start >= start && sample.start < end {
                if source == nil || sample.source == source {
                    squares += pow(convert(sample.value, sample.unit) - mean, 2)
                }
            }
            row.standardDeviation = (squares / Double(row.count)).squareRoot()
        }
        return row
    }
}

@Suite("E-9 health statistics from block summaries")
struct HealthStatisticsTests {
    private func close(_ a: Double?, _ b: Double?, _ tolerance: Double = 1e-9) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return abs(a - b) <= tolerance * max(1, abs(a), abs(b))
    }

    private func compare(
        _ report: StatisticsReport, _ naive: Naive, _ note: String, location: SourceLocation = #_sourceLocation
    ) {
        for row in report.rows {
            let wanted = naive.row(row.start, row.end, row.source)
            let same =
                row.count == wanted.count && close(row.sum, wanted.sum) && close(row.min, wanted.min)
                && close(row.max, wanted.max) && close(row.average, wanted.average)
                && row.mostRecent?.start == wanted.mostRecent?.start && row.mostRecent?.end == wanted.mostRecent?.end
                && (row.standardDeviation == nil || close(row.standardDeviation, wanted.standardDeviation, 1e-6))
            #expect(same, "\(note)\nfound  \(row)\nwanted \(wanted)", sourceLocation: location)
        }
    }

    /// Returns samples of several sources and units, at random times of a few days.
    private func samples(
        _ type: String, units: [String], values: ClosedRange<Int64>, _ random: inout SeededGenerator
    ) -> [TestSample] {
        (0..<900).map { place in
            let start = newYear + random.number(in: 0...(9 * day))
            return TestSample(
                type: type, source: random.pick(["Phone", "Watch", "App"]), unit: random.pick(units), start: start,
                end: start + (random.chance(0.5) ? 0 : random.number(in: 1...(5 * hour))),
                value: Double(random.number(in: values)) / 8 + Double(place) / 1_000)
        }
    }

    @Test("statistics equal a recomputation from every sample", arguments: [1, 2] as [UInt64])
    func naive(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let cases: [(type: String, units: [String], answer: String?)] = [
            ("HKQuantityTypeIdentifierStepCount", ["count"], nil),
            ("HKQuantityTypeIdentifierDistanceWalkingRunning", ["km", "mi"], nil),
            ("HKQuantityTypeIdentifierDistanceWalkingRunning", ["km"], "ft"),
            ("HKQuantityTypeIdentifierHeartRate", ["count/min"], "count/s"),
            ("HKQuantityTypeIdentifierBodyTemperature", ["degC", "degF"], nil),
            ("HKQuantityTypeIdentifierBodyTemperature", ["degC", "degF"], "K"),
            ("HKQuantityTypeIdentifierBodyTemperature", ["degF"], "degC"),
        ]
        for one in cases {
            let test = try TestHealthStore()
            let all = samples(one.type, units: one.units, values: 0...1_000, &random)
            try test.store.load(Array(all.prefix(600)))
            try test.store.load(Array(all.dropFirst(600)), batch: 100)
            let type = HealthTypes.type(for: one.type)
            let unit = try one.answer.map { try HKUnit(parsing: $0) }
            let answer =
                try unit ?? (one.units.count == 1 ? HKUnit(parsing: one.units[0]) : #require(type.canonicalUnit))
            let conversions = try Dictionary(
                uniqueKeysWithValues: one.units.map {
                    ($0, try UnitConversion(from: HKUnit(parsing: $0), to: answer))
                })
            let naive = Naive(samples: all, isCumulative: type.isCumulative) { value, unit in
                unit.flatMap { conversions[$0]?.convert(value) } ?? value
            }
            let divisions: [Buckets?] = [
                nil, .fixed(nanoseconds: 9 * hour + 7), .calendar(.days(1), zone: "Europe/Zurich"),
                .edges([newYear, newYear + hour, newYear + 4 * day, newYear + 20 * day]),
            ]
            for buckets in divisions {
                for bySource in [false, true] {
                    let range = random.chance(0.5) ? TimeRange.all : TimeRange(newYear + hour, newYear + 5 * day + 11)
                    let report = try test.store.statistics(
                        StatisticsRequest(
                            type, buckets: buckets, range: range, unit: unit, bySource: bySource,
                            options: .standardDeviation, merging: .union))
                    #expect(report.unit.map { try? HKUnit(parsing: $0) } == answer)
                    #expect(!report.rows.isEmpty)
                    #expect(Set(report.rows.map(\.source)) == (bySource ? ["App", "Phone", "Watch"] : [nil]))
                    compare(report, naive, "seed \(seed), \(one), \(String(describing: buckets)), \(range)")
                }
            }
        }
    }

    @Test("days have 23 and 25 hours on the days of clock changes")
    func clockChanges() throws {
        let test = try TestHealthStore()
        // One step in every hour of the year 2024.
        let all = (0..<366 * 24).map { TestSample(start: newYear + Int64($0) * hour, end: newYear + Int64($0) * hour) }
        try test.store.load(all)
        var request = StatisticsRequest(HealthTypes.type(for: .stepCount))
        request.buckets = .calendar(.days(1), zone: "Europe/Zurich")
        request.range = TimeRange(newYear + 80 * day, newYear + 310 * day)
        let rows = try test.store.statistics(request).rows
        let lengths = rows.map { ($0.end - $0.start) / hour }.counts
        #expect(lengths[23] == 1 && lengths[25] == 1 && lengths.count == 3)
        for row in rows { #expect(row.count == Int((row.end - row.start) / hour)) }
        // The answer does not depend on the time zone of the machine.
        #expect(rows.first { $0.end - $0.start == 23 * hour }?.start == 1_711_839_600 * second)
        #expect(rows.first { $0.end - $0.start == 25 * hour }?.start == 1_729_980_000 * second)
    }

    @Test("whole days are answered without decoding a block")
    func summaries() throws {
        let test = try TestHealthStore()
        let all = (0..<86_400).map {
            TestSample(start: newYear + Int64($0) * 10 * second, end: newYear + Int64($0) * 10 * second)
        }
        try test.store.load(all)
        var request = StatisticsRequest(HealthTypes.type(for: .stepCount))
        request.buckets = .calendar(.days(1), zone: "UTC")
        let report = try test.store.statistics(request)
        #expect(report.rows.count == 10)
        #expect(report.rows.allSatisfy { $0.sum == 8_640 })
        #expect(report.explanation.blocksDecoded == 0)
        #expect(report.explanation.summaries > 0)
        #expect(report.explanation.sources == ["Phone"])
        #expect(report.explanation.storedUnits == ["count"])
    }

    @Test("without samples there are no rows; category types have counts and durations only")
    func edges() throws {
        let test = try TestHealthStore()
        #expect(try test.store.statistics(StatisticsRequest(HealthTypes.type(for: .stepCount))).rows.isEmpty)
        let sleep = "HKCategoryTypeIdentifierSleepAnalysis"
        try test.store.load([
            TestSample(type: sleep, unit: nil, end: newYear + hour, value: 3),
            TestSample(type: sleep, unit: nil, end: newYear + 2 * hour, value: 4),
        ])
        let report = try test.store.statistics(
            StatisticsRequest(HealthTypes.type(for: .sleepAnalysis), options: .duration))
        #expect(report.unit == nil)
        #expect(report.rows.map(\.count) == [2])
        #expect(report.rows[0].sum == nil && report.rows[0].average == nil)
        #expect(report.rows[0].duration == Double(3 * hour))
        #expect(report.rows[0].mostRecent?.value == 4)
    }

    @Test("a requested unit of another dimension is an error, also for samples in an unknown unit")
    func units() throws {
        let test = try TestHealthStore()
        try test.store.load([TestSample(), TestSample(type: "HKQuantityTypeIdentifierBodyMass", unit: "stones?")])
        func kind(_ request: StatisticsRequest) -> HealthStoreError.Kind? {
            do {
                _ = try test.store.statistics(request)
                return nil
            } catch {
                return (error as HealthStoreError).kind
            }
        }
        let steps = HealthTypes.type(for: .stepCount)
        let mass = HealthTypes.type(for: .bodyMass)
        #expect(kind(StatisticsRequest(steps, unit: try HKUnit(parsing: "kg"))) == .incompatibleUnit)
        #expect(kind(StatisticsRequest(mass, unit: try HKUnit(parsing: "kg"))) == .incompatibleUnit)
        #expect(try test.store.statistics(StatisticsRequest(mass)).unit == "stones?")
        #expect(
            kind(StatisticsRequest(steps, buckets: .calendar(.days(1), zone: "Mars/Base"))) == .invalidArgument)
        #expect(kind(StatisticsRequest(steps, sources: ["nobody"])) == nil)
        #expect(try test.store.statistics(StatisticsRequest(steps, sources: ["Phone"])).rows.map(\.count) == [1])
    }

    @Test("samples in a unit that does not convert are left out and named, and all others are counted")
    func strayUnit() throws {
        let test = try TestHealthStore()
        try test.store.load([
            TestSample(value: 5), TestSample(value: 7), TestSample(source: "App", unit: "steps?", value: 1_000),
        ])
        let steps = HealthTypes.type(for: .stepCount)
        let report = try test.store.statistics(StatisticsRequest(steps))
        #expect(report.rows.map(\.sum) == [12])
        #expect(report.unit == "count")
        #expect(report.explanation.leftOutUnits == ["steps?"])
        let count = try HKUnit(parsing: "count")
        #expect(try test.store.samples(SampleRequest(steps, unit: count)).count == 2)
        #expect(try test.store.samples(SampleRequest(steps)).count == 3)
        #expect(try test.store.types().map(\.unit) == ["count"])
    }
}

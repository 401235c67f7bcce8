// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

private struct Row: Decodable {
    var start: String
    var count: Int?
    var value: Double?
    var average: Double?
    var min: Double?
    var max: Double?
    var first: Double?
    var last: Double?
    var minStart: String?
    var standardDeviation: Double?
    var sampleStandardDeviation: Double?
    var variance: Double?
    var low: Double?
    var middle: Double?
    var high: Double?
    var quantileError: Double?
    var unit: String?

    enum CodingKeys: String, CodingKey {
        case start, count, value, average, min, max, first, last, minStart, standardDeviation, sampleStandardDeviation
        case variance, quantileError, unit
        case low = "q0"
        case middle = "q0.5"
        case high = "q1"
    }
}

private func rows(_ arguments: [String], store: String = SampleStore.path) throws -> [Row] {
    _ = SampleStore.imported
    let outcome = try Tool.kymo.run(arguments + ["--json", "--store", store], environment: ["TZ": "UTC"])
    return try decodeOutput([Row].self, outcome)
}

@Suite("T-2 kymo stats: quantiles and deviations")
struct KymoDistributionTests {
    @Test("Quantiles and deviations of each month equal those of its samples")
    func months() throws {
        let all = try rows(["query", "heartRate"])
        let found = try rows(["stats", "heartRate", "--by", "month", "--quantiles", "0,0.5,1", "--deviation"])
        #expect(found.contains { ($0.count ?? 0) > 100 })
        for row in found where row.count ?? 0 > 1 {
            let month = row.start.prefix(7)
            let values = all.filter { $0.start.hasPrefix(month) }.compactMap(\.value).sorted()
            #expect(values.count == row.count && row.low == values.first && row.high == values.last)
            #expect(row.middle == values[(values.count + 1) / 2 - 1] && row.quantileError == 0)
            let variance = Self.variance(values)
            let n = Double(values.count)
            for (a, b) in [
                (row.variance, variance), (row.standardDeviation, variance.squareRoot()),
                (row.sampleStandardDeviation, (variance * n / (n - 1)).squareRoot()),
            ] { #expect(abs((a ?? .nan) - b) <= 1e-9 * b) }
        }
    }

    private static func variance(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        return values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(values.count)
    }

    @Test("Tables and CSV have columns for quantiles and deviations, and invalid ones are refused")
    func forms() throws {
        let table = try kymo("stats", "heartRate", "--quantiles", "0.05,0.95", "--deviation", "--explain")
        #expect(table.output.contains("q0.05") && table.output.contains("std dev"))
        #expect(table.errors.contains("quantiles: exact"))
        let csv = try kymo("stats", "heartRate", "--quantiles", "0.05", "--csv", "--more").output
        #expect(csv.hasPrefix("start,end,count,sum,min,max,average,standardDeviation,q0.05,quantileError,"))
        #expect(try kymo("stats", "heartRate", "--quantiles", "0.5", "--from", "1999", "--to", "1999").code == 0)
        for wrong in ["", "0.5,", "2", "-1", "nan", "0.5,0.5", "half"] {
            #expect(try kymo("stats", "heartRate", "--quantiles=\(wrong)").code == 64, "\(wrong)")
        }
        #expect(try kymo("stats", "sleepAnalysis", "--quantiles", "0.5").code == 64)
        #expect(try kymo("stats", "sleepAnalysis", "--deviation").code == 64)
    }

    @Test("Samples in several units are converted to one")
    func units() throws {
        let directory = try TemporaryDirectory()
        let days = (1...9).map { "2022-03-0\($0)" }
        let text = exportText(
            days.enumerated().map { at, day in
                recordText(
                    "HKQuantityTypeIdentifierBodyMass", day, value: at % 2 == 0 ? "\(80 + at)" : "\(180 + at)",
                    unit: at % 2 == 0 ? "kg" : "lb")
            })
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.file("export.xml")))
        let store = directory.file("store")
        #expect(try Tool.kymo.run(["import", directory.file("export.xml"), "--store", store]).code == 0)
        let values: [Double] = (0..<9).map { (at: Int) -> Double in
            at % 2 == 0 ? Double(80 + at) : Double(180 + at) * 0.45359237
        }
        let sorted = values.sorted()
        let stats = try rows(
            ["stats", "bodyMass", "--unit", "kg", "--quantiles", "0,0.5,1", "--deviation"], store: store)
        #expect(stats.count == 1 && stats[0].count == 9 && stats[0].quantileError == 0)
        for (a, b) in [(stats[0].low, sorted[0]), (stats[0].middle, sorted[4]), (stats[0].high, sorted[8])] {
            #expect(abs((a ?? 0) - b) < 1e-12 * b)
        }
        let variance = Self.variance(values)
        #expect(abs((stats[0].variance ?? 0) - variance) < 1e-9)
        let curve = try rows(["query", "bodyMass", "--unit", "kg", "--points", "9"], store: store)
        #expect(curve.count == 9)
        for (row, wanted) in zip(curve, values) { #expect(abs((row.value ?? 0) - wanted) < 1e-12 * wanted) }
        #expect(try rows(["query", "bodyMass", "--unit", "kg", "--points", "4"], store: store).count == 4)
        let slices = try rows(["query", "bodyMass", "--unit", "kg", "--points", "1", "--envelope"], store: store)
        #expect(slices.map(\.count) == [9] && abs((slices[0].min ?? 0) - sorted[0]) < 1e-12 * sorted[0])
        #expect(slices[0].first == 80 && slices[0].last == 88 && slices[0].max == 88)
    }
}

@Suite("T-3 kymo query --points for plots")
struct KymoCurveTests {
    @Test("Points are samples, including the first and the last, and an envelope has the extremes")
    func points() throws {
        let all = try rows(["query", "heartRate"])
        let few = try rows(["query", "heartRate", "--points", "40"])
        #expect(few.count == 40 && few.first?.start == all.first?.start && few.last?.start == all.last?.start)
        #expect(few.allSatisfy { one in all.contains { $0.start == one.start && $0.value == one.value } })
        let slices = try rows(["query", "heartRate", "--points", "12", "--envelope"])
        #expect(slices.count == 12 && slices.reduce(0) { $0 + ($1.count ?? 0) } == all.count)
        let least = all.compactMap(\.value).min()
        let place = slices.first { $0.min == least }
        #expect(place?.minStart == all.first { $0.value == least }?.start && place?.unit == all[0].unit)
        #expect(slices.compactMap(\.max).max() == all.compactMap(\.value).max())
    }

    @Test("Tables, CSV and an empty result are printed, and invalid requests are refused")
    func forms() throws {
        #expect(try kymo("query", "heartRate", "--points", "5").output.split(separator: "\n").count == 7)
        #expect(
            try kymo("query", "heartRate", "--points", "5", "--envelope").output.split(separator: "\n").count == 7)
        let csv = try kymo("query", "heartRate", "--points", "5", "--csv").output
        #expect(csv.hasPrefix("start,end,value,unit\n") && csv.split(separator: "\n").count == 6)
        let none = try kymo("query", "heartRate", "--points", "5", "--from", "1999", "--to", "1999")
        #expect(none.code == 0 && none.output.isEmpty && none.errors.contains("no samples"))
        for wrong in [
            ["--points", "2"], ["--points", "0", "--envelope"], ["--envelope"], ["--points", "9", "--reverse"],
        ] {
            let outcome = try Tool.kymo.run(["query", "heartRate", "--store", SampleStore.path] + wrong)
            #expect(outcome.code == 64, "\(wrong)")
        }
        #expect(try kymo("query", "sleepAnalysis", "--points", "9").code == 64)
    }
}

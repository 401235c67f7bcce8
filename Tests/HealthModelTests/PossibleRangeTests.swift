// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("S-28 the possible ranges of types")
struct PossibleRangeTests {
    @Test("the page has each range of the table with a source, in per cent for shares, and no other")
    func page() throws {
        let url = Tables.root.appendingPathComponent("Docs/Guide/Ranges.md")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
        let rows = lines.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        func number(_ text: String) -> Double? { Double(text.filter { $0 != "," }) }
        #expect(rows.count == PossibleRange.all.count)
        for (row, range) in zip(rows, PossibleRange.all) {
            let scale = range.unit == "%" ? 100.0 : 1
            #expect(row.count == 5 && row[0] == "`\(range.name)`" && row[3] == range.unit, "\(range.name): \(row)")
            #expect(number(row[1]) == range.lowest * scale && number(row[2]) == range.highest * scale, "\(range.name)")
            #expect(row[4].count > 10, "\(range.name) has no source")
        }
    }

    @Test("each range belongs to a known type, has a unit of the type, and is found by it")
    func types() throws {
        #expect(
            PossibleRange.all.map(\.name) == PossibleRange.all.map(\.name).sorted { $0.lowercased() < $1.lowercased() })
        for range in PossibleRange.all {
            let type = try #require(HealthTypes.find(range.name))
            let unit = try HKUnit(parsing: range.unit)
            #expect(type.shortName == range.name && type.isCompatible(with: unit))
            #expect(range.lowest < range.highest && (!type.isCumulative || range.lowest == 0))
            #expect(PossibleRange.of(type)?.name == range.name)
        }
        // A share has both ends by its nature.
        for type in HealthTypes.all where type.canonicalUnit == .percent() {
            #expect(PossibleRange.of(type) != nil, "\(type)")
        }
        #expect(PossibleRange.of(HealthTypes.type(for: .nikeFuel)) == nil)
        #expect(PossibleRange.of(HealthTypes.type(for: "HKQuantityTypeIdentifierFluxCapacity")) == nil)
    }

    @Test("both ends belong to a range, in every unit")
    func ends() throws {
        let range = try #require(PossibleRange.of(HealthTypes.type(for: .bodyTemperature)))
        func contains(_ value: Double, _ unit: HKUnit) -> Bool {
            range.contains(HKQuantity(unit: unit, doubleValue: value))
        }
        #expect(contains(10, .degreeCelsius()) && contains(47, .degreeCelsius()) && contains(98.2, .degreeFahrenheit()))
        #expect(!contains(9.99, .degreeCelsius()) && !contains(98.2, .degreeCelsius()) && contains(320, .kelvin()))
        let share = try #require(PossibleRange.of(HealthTypes.type(for: .oxygenSaturation)))
        #expect(share.contains(HKQuantity(unit: .percent(), doubleValue: 1)))
        #expect(!share.contains(HKQuantity(unit: .percent(), doubleValue: 97)))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("S-28 the words that people use for types and units")
struct NameTests {
    /// Returns the cells of the rows of one table of the page that begin with a code span.
    private static func rows(under heading: String) throws -> [[String]] {
        let url = Tables.root.appendingPathComponent("Docs/Guide/Names.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        let section = page.components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") } ?? ""
        return section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("the page has each word for a type, with the type and the sentence")
    func typePage() throws {
        let rows = try Self.rows(under: "Types")
        #expect(rows == TypeAlias.all.map { ["`\($0.word)`", "`\($0.type)`", $0.meaning] })
    }

    @Test("each word means one type, hides no type, and is found in any spelling")
    func types() {
        let others = ["bloodPressure", "electrocardiogram", "heartbeatSeries", "workout", "workoutRoute"]
        #expect(TypeAlias.all.map(\.word) == TypeAlias.all.map(\.word).sorted())
        #expect(Set(TypeAlias.all.map(\.word)).count == TypeAlias.all.count)
        for alias in TypeAlias.all {
            #expect(HealthTypes.find(alias.word) == nil, "\(alias.word) is the name of a type")
            #expect(
                HealthTypes.find(alias.type)?.shortName == alias.type || others.contains(alias.type), "\(alias.type)")
            #expect(TypeAlias.expanded(alias.word.uppercased()) == alias.type)
            #expect(alias.meaning.hasSuffix(".") && alias.meaning.count > 5)
        }
        #expect(TypeAlias.expanded("Resting pulse") == "restingHeartRate")
        #expect(TypeAlias.expanded("stepCount") == "stepCount")
        for (wrong, word) in [("wieght", "weight"), ("setps", "steps"), ("slep", "sleep"), ("ecgg", "ecg")] {
            #expect(TypeAlias.similar(to: wrong).map(\.word) == [word], "\(wrong)")
        }
        #expect(TypeAlias.similar(to: "b").isEmpty && TypeAlias.similar(to: "stepCont").isEmpty)
    }

    @Test("the page has each word for a unit")
    func unitPage() throws {
        var words: [String: String] = [:]
        for row in try Self.rows(under: "Units") {
            for word in row[1].split(separator: ",") {
                words[word.filter { $0 != "`" && $0 != " " }] = row[0].filter { $0 != "`" }
            }
        }
        #expect(words.count == UnitName.all.count)
        for name in UnitName.all {
            let shown = name.unit.hasPrefix("mmol<") ? "mmol/L" : name.unit
            #expect(words[name.word] == shown, "\(name.word)")
        }
    }

    @Test("each word is in lower case and means a unit")
    func units() throws {
        for name in UnitName.all {
            #expect(name.word == name.word.lowercased() && UnitName.meaning(of: name.word) == name.unit)
            _ = try HKUnit(parsing: name.unit)
        }
        #expect(UnitName.meaning(of: "Per cent") == "%" && UnitName.meaning(of: "stepCount") == nil)
        let glucose = try HKUnit(parsing: #require(UnitName.meaning(of: "mmol/L")))
        #expect(HealthTypes.type(for: .bloodGlucose).isCompatible(with: glucose))
    }

    @Test("the usual unit of a type is a unit that people write, and each suggested unit fits")
    func usual() throws {
        #expect(UnitName.usual(of: HealthTypes.type(for: .heartRate)) == "bpm")
        #expect(UnitName.usual(of: HealthTypes.type(for: .respiratoryRate)) == "count/min")
        #expect(UnitName.words(of: HealthTypes.type(for: .heartRate)) == ["bpm", "count/min"])
        #expect(!UnitName.words(of: HealthTypes.type(for: .respiratoryRate)).contains("bpm"))
        #expect(UnitName.words(of: HealthTypes.type(for: .sleepAnalysis)).isEmpty)
        for type in HealthTypes.all where type.kind == .quantity {
            for word in UnitName.words(of: type) {
                let units = [
                    try? HKUnit(parsing: word), UnitName.meaning(of: word).flatMap { try? HKUnit(parsing: $0) },
                ]
                #expect(units.contains { $0.map(type.isCompatible) ?? false }, "\(word) of \(type)")
            }
        }
    }

    @Test("short names of category values are the names that add takes")
    func values() {
        let names = HealthCategoryValues.shortNames(of: .sleepAnalysis)
        #expect(names.contains("asleepREM") && names.contains("inBed"))
        for type in HealthTypes.all where type.kind == .category {
            let identifier = HKCategoryTypeIdentifier(rawValue: type.identifier)
            for name in HealthCategoryValues.shortNames(of: identifier) {
                #expect(HealthCategoryValues.rawValue(of: name, for: identifier) != nil, "\(type): \(name)")
            }
        }
        #expect(HealthCategoryValues.shortNames(of: HKCategoryTypeIdentifier(rawValue: "x")).isEmpty)
    }
}

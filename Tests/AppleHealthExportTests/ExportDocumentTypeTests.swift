// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

/// The declarations of a document type, with a check of elements against them.
private struct Declarations {
    /// The permitted children of each element.
    private var contents: [String: Set<String>] = [:]
    /// The attributes of each element, and whether they are required.
    private var attributes: [String: [String: Bool]] = [:]

    init(_ text: String) {
        for part in text.components(separatedBy: "<!").dropFirst() {
            let words = (part.components(separatedBy: ">").first ?? "").components(separatedBy: .whitespacesAndNewlines)
            guard words.count > 2 else { continue }
            let rest = words.dropFirst(2).filter { !$0.isEmpty }
            switch words[0] {
            case "ELEMENT":
                let names = rest.joined(separator: " ").split { !$0.isLetter }.map { String($0) }
                contents[words[1]] = Set(names).subtracting(["EMPTY"])
            case "ATTLIST":
                for at in stride(from: 0, to: rest.count - 2, by: 3) {
                    attributes[words[1], default: [:]][rest[at]] = rest[at + 2] == "#REQUIRED"
                }
            default: break
            }
        }
    }

    /// Returns the undeclared and missing parts of an element and its children.
    func problems(_ element: ExportElement) -> [String] {
        guard let contents = contents[element.name] else { return ["\(element.name) is not declared"] }
        let declared = attributes[element.name] ?? [:]
        let names = Set(element.attributes.map(\.name))
        var found = names.subtracting(declared.keys).map { "\(element.name) has \($0)" }
        found += declared.filter { $0.value && !names.contains($0.key) }.map { "\(element.name) lacks \($0.key)" }
        for child in element.children {
            if !contents.contains(child.name) { found.append("\(child.name) in \(element.name)") }
            found += problems(child)
        }
        return found
    }
}

@Suite("T-4 a written export is valid for its document type")
struct ExportDocumentTypeTests {
    @Test("the large sample export and saved objects are valid")
    func valid() async throws {
        let bench = try ImportBench()
        try bench.importFile(repositoryFile("Docs/Samples/sample-export.zip"))
        let clock = Date(timeIntervalSinceReferenceDate: 700_000_000)
        let water = HKQuantitySample(
            type: HKQuantityType(.dietaryWater), quantity: HKQuantity(unit: .liter(), doubleValue: 0.2), start: clock,
            end: clock)
        let meal = HKCorrelation(
            type: HKCorrelationType(.food), start: clock, end: clock, objects: [water], metadata: ["HKFoodType": "Tea"])
        try bench.store.save([meal], as: meal.sourceRevision)
        try await bench.asHealthKit { health in
            try await health.set(HKWheelchairUse.yes)
            try await health.set(HKActivityMoveMode.appleMoveTime)
        }
        let text = try bench.exported().text
        let root = try #require(text.range(of: "<HealthData "))
        let declarations = Declarations(String(text[..<root.lowerBound]))
        let element = try #require(ExportElement(Array(text[root.lowerBound...].utf8)[...]))
        #expect(element.children.count > 25_000)
        let person = element.children.first { $0.name == "Me" }
        #expect(person?["HKCharacteristicTypeIdentifierWheelchairUse"] != nil)
        #expect(person?["HKCharacteristicTypeIdentifierActivityMoveMode"] != nil)
        #expect(Array(declarations.problems(element).prefix(5)) == [])
        // An invalid element is found.
        let wrong = try #require(ExportElement(Array("<Record type=\"a\" colour=\"b\"><Note/></Record>".utf8)[...]))
        #expect(declarations.problems(wrong).count == 6)
    }
}

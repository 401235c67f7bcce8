// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

@testable import AppleHealthExport

@Suite("T-1 import of files made to exhaust memory or time, or to replace stored data")
struct ImportHostileTests {
    @Test("many issues in one element are counted without memory for each")
    func notes() throws {
        let children = String(repeating: "a<b/>", count: 5_000)
        let record = recordText("QuantityTypeIdentifierStepCount", #"unit="count" value="1""#, children: children)
        let workout = "<Workout>" + String(repeating: #"<a b="" b=""/>"#, count: 5_000) + "</Workout>"
        let bench = try ImportBench()
        let outcome = try bench.importText(exportText(record + workout))
        #expect(outcome.added == 1 && outcome.objectsAdded == 1)
        // The workout has no dates, which is one more issue.
        #expect(outcome.skipped == 5_001 && outcome.repaired == 5_000)
        #expect(outcome.issues.count == 201)
        var notes: [Note] = []
        for place in 0..<9_000 {
            notes.add(Note(reason: place % 3 == 0 ? .strayText : .spacedName, at: place, what: "x"))
        }
        notes.add(Note(reason: .duplicateAttribute, at: 1, what: "y"))
        #expect(notes.count == 1_001)
        #expect(notes.reduce(0) { $0 + $1.times } == 9_001)
        #expect(notes.reduce(0) { $0 + ($1.reason == .strayText ? $1.times : 0) } == 3_000)
    }

    @Test("a record longer than the limit is left out, and its neighbours are imported")
    func longRecord() throws {
        var limits = ExportLimits()
        limits.window = 512
        limits.recordBytes = 4_000
        let long = recordText(
            "QuantityTypeIdentifierStepCount", #"unit="count" value="2""#,
            children: String(repeating: "<b/>", count: 4_000))
        let bench = try ImportBench()
        let path = bench.directory.file("long.xml")
        try Data(exportText(stepText + long + stepText).utf8).write(to: URL(fileURLWithPath: path))
        let outcome = try AppleHealthImporter.importFile(path, into: bench.store, limits: limits, capacity: 100)
        #expect(outcome.added == 2 && outcome.skipped == 1)
        #expect(outcome.issues.map(\.reason) == [.limit])
        #expect(outcome.complete)
    }

    @Test("texts of types, sources and devices have a memory limit, and records beyond it are reported")
    func longTexts() throws {
        let wide = String(repeating: "w", count: 1_000_000)
        let records = (0..<20).map { number in
            recordText("QuantityTypeIdentifierStepCount", #"unit="count" value="1" device="\#(wide)\#(number)""#)
        }
        let bench = try ImportBench()
        let outcome = try bench.importText(exportText(records.joined() + stepText))
        #expect(outcome.added == 17 && outcome.skipped == 4)
        #expect(outcome.issues.allSatisfy { $0.reason == .limit && $0.line > 0 })
        #expect(try bench.importText(exportText(stepText)).committed == false)
    }

    @Test("metadata sets beyond the memory limit are stored, each once")
    func longMetadata() throws {
        let wide = String(repeating: "m", count: 900_000)
        func record(_ number: Int) -> String {
            recordText(
                "QuantityTypeIdentifierStepCount", #"unit="count" value="\#(number)""#,
                children: "<MetadataEntry key=\"k\" value=\"\(wide)\(number % 60)\"/>")
        }
        let bench = try ImportBench()
        let text = exportText((0..<65).map(record).joined())
        #expect(try bench.importText(text).added == 65)
        var lengths: Set<Int> = []
        var values: Set<String> = []
        try bench.store.samples(SampleRequest(HealthTypes.type(for: "HKQuantityTypeIdentifierStepCount"))) { batch in
            for sample in batch {
                let value = sample.metadata["k"] ?? ""
                lengths.insert(value.utf8.count)
                values.insert(String(value.suffix(4)))
                #expect(value.hasSuffix("m\(Int(sample.value) % 60)"))
            }
            return true
        }
        #expect(lengths == [900_001, 900_002] && values.count == 60)
        let report = try bench.store.verify()
        #expect(report.isSound && report.metadata == 60)
        #expect(try bench.importText(text).committed == false)
    }

    @Test("a damaged file does not change stored characteristics, a complete file does")
    func characteristics() throws {
        let bench = try ImportBench()
        try bench.importText(exportText(stepText))
        let key = "HKCharacteristicTypeIdentifierBloodType"
        let other = exportText(stepText).replacing("BloodTypeAPositive", with: "BloodTypeONegative")
        let cut = String(other.dropLast(20))
        #expect(try bench.importText(cut).complete == false)
        #expect(try bench.store.characteristics()[key] == "HKBloodTypeAPositive")
        #expect(try bench.importText(other).complete)
        #expect(try bench.store.characteristics()[key] == "HKBloodTypeONegative")
        let fresh = try ImportBench()
        try fresh.importText(cut)
        #expect(try fresh.store.characteristics()[key] == "HKBloodTypeONegative")
    }

    @Test("an unset characteristic does not replace a known one, whether imported or saved")
    func nothingSaid() async throws {
        let keys = ["Birth", "BloodType", "BiologicalSex", "FitzpatrickSkinType", "WheelchairUse", "CardioFitness"]
            .map { "HKCharacteristicTypeIdentifier\($0)" }
        func text(_ values: [String]) -> String {
            let me = zip(keys, values).map { "\($0)=\"\($1)\"" }.joined(separator: " ")
            return "<HealthData><Me \(me)/>\(stepText)</HealthData>"
        }
        let unset = [
            "", "HKBloodTypeNotSet", "HKBiologicalSexNotSet", "HKFitzpatrickSkinTypeNotSet", "  ", "HK_NotSet",
        ]
        let known = [
            "1980-02-03", "HKBloodTypeAPositive", "HKBiologicalSexFemale", "HKFitzpatrickSkinTypeIV",
            "HKWheelchairUseNo", "Beta",
        ]
        let bench = try ImportBench()
        func stored() throws -> [String] { try keys.map { try bench.store.characteristics()[$0] ?? "-" } }
        try bench.importText(text(unset))
        #expect(try stored() == unset, "without a known value the unset value is stored")
        try bench.importText(text(known))
        #expect(try stored() == known)
        #expect(try bench.importText(text(unset)).committed == false)
        #expect(try stored() == known)
        try await bench.asHealthKit { try await $0.set(HKBloodType.oNegative) }
        try bench.importText(text(unset))
        #expect(try stored()[1] == "HKBloodTypeONegative")
        try bench.importText(text(known))
        #expect(try stored() == known)
    }

    @Test("a comment that begins with <!--> ends at -->, before and after the root")
    func comments() throws {
        let bench = try ImportBench()
        let outcome = try bench.importText(
            exportText("<!--> \(stepText) -->" + stepText).replacing("<HealthData", with: "<!--> <gpx> --><HealthData"))
        #expect(outcome.added == 1 && outcome.skipped == 0 && outcome.complete)
    }
}

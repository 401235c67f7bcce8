// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("X-3 every imported record and element can be returned unchanged")
struct ImportLosslessTests {
    /// Compares a store with an independent parse of the file.
    private func compare(_ text: String, _ bench: ImportBench, _ note: String) throws {
        let plain = PlainParser(text)
        let found = try bench.records()
        #expect(found.count == plain.records.count, "\(note)")
        let (left, right) = (found.counts, plain.records.counts)
        for (record, count) in right where left[record] != count {
            Issue.record("\(note): \(left[record] ?? 0) times instead of \(count): \(record)")
        }
        #expect(left == right, "\(note)")
        #expect(try bench.objects().counts == plain.elements.counts, "\(note)")
    }

    @Test(
        "every attribute, metadata entry and beat of the sample files is returned",
        arguments: [
            "Docs/Samples/v03_tdda_iphone6s_2016.xml", "Docs/Samples/v08_jdecool_fr_2019.xml",
            "Docs/Samples/dogsheep_zip_2019/export.xml", "Docs/Samples/dogsheep_inline_locations_2019.xml",
        ])
    func samples(file: String) throws {
        let path = repositoryFile(file)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for capacity in [700_000, 3] {
            let bench = try ImportBench()
            let outcome = try bench.importFile(path, capacity: capacity)
            #expect(outcome.added == outcome.records && outcome.added > 0)
            try compare(text, bench, file)
            #expect(try bench.importFile(path, capacity: capacity).committed == false)
        }
    }

    @Test("unusual spellings of values and attributes are returned unchanged")
    func oddities() throws {
        let mass = "QuantityTypeIdentifierBodyMass"
        let sleep = "CategoryTypeIdentifierSleepAnalysis"
        let variability = "QuantityTypeIdentifierHeartRateVariabilitySDNN"
        let device = "&lt;&lt;HKDevice: 0x282e3a260&gt;, name:Apple Watch, model:Watch&gt;"
        let records = [
            recordText(mass, source: "A &amp; &quot;B&quot;", #"unit="kg" value="70.50""#),
            recordText(
                mass, #"sourceVersion="" device="" unit="kg" creationDate="2024-01-01 10:00:00 +0100" value="1e2""#),
            recordText(mass, #"value="-0""#),
            recordText(mass, #"unit="kg" value="0.1000000000000000055511151231257827""#),
            recordText(mass, #"unit="kg" value="179769313486231570000000000000000000000""#),
            recordText("QuantityTypeIdentifierBloodGlucose", #"unit="mmol&lt;180.1558800000541&gt;/L" value="4.59""#),
            recordText(sleep, #"value="HKCategoryValueSleepAnalysisAsleepCore""#, hours: 1),
            recordText(sleep, #"value="HKCategoryValueSleepAnalysisAsleep""#, hours: 1),
            recordText(sleep, #"value="HKCategoryValueSleepAnalysisDreaming""#, hours: 1),
            recordText(sleep, #"value="3""#, hours: 1),
            recordText("CategoryTypeIdentifierMindfulSession", "", hours: 1),
            recordText("DataTypeSleepDurationGoal", #"unit="hr" value="8""#),
            recordText(
                variability, #"device="\#(device)" unit="ms" value="41.5""#,
                children: #"""
                    <MetadataEntry key="own · key" value=""/>
                    <MetadataEntry key="HKTimeZone" value="Europe/Zurich"/>
                    <MetadataEntry key="HKTimeZone" value="twice"/>
                    <HeartRateVariabilityMetadataList>
                     <InstantaneousBeatsPerMinute bpm="61" time="9:59:59.18 PM"/>
                     <InstantaneousBeatsPerMinute bpm="120" time="10:00:00.05 PM"/>
                    </HeartRateVariabilityMetadataList>
                    """#),
            recordText(
                variability, #"unit="ms" value="41.5""#,
                children: #"""
                    <HeartRateVariabilityMetadataList>
                     <InstantaneousBeatsPerMinute bpm="61.25" time="around nine"/>
                    </HeartRateVariabilityMetadataList>
                    """#),
        ]
        let text = exportText(records.joined(separator: "\n"))
        let bench = try ImportBench()
        #expect(try bench.importText(text).added == 14)
        try compare(text, bench, "oddities")
        let nights = try bench.store.samples(SampleRequest(HealthTypes.type(for: .sleepAnalysis)))
        #expect(nights.map(\.value) == [3, 1, -1, 3])
        #expect(
            nights.map(\.valueName) == [
                "HKCategoryValueSleepAnalysisAsleepCore", "HKCategoryValueSleepAnalysisAsleep",
                "HKCategoryValueSleepAnalysisDreaming", "3",
            ])
        #expect(
            try bench.store.characteristics() == [
                "HKCharacteristicTypeIdentifierDateOfBirth": "1980-02-03",
                "HKCharacteristicTypeIdentifierBloodType": "HKBloodTypeAPositive",
            ])
        #expect(try bench.importText(text, capacity: 2).committed == false)
    }

    @Test("a summary without a valid date is kept and reported; the dates at the limits are valid")
    func summariesWithoutDay() async throws {
        let dates = ["", "2023-02-29", "2024-01-03 10:00:00 +0100", "yesterday", "1677-12-31", "2262-01-01"]
        let wrong =
            dates.map { #"<ActivitySummary dateComponents="\#($0)" appleStandHours="1"/>"# }
            + [#"<ActivitySummary appleStandHours="2"/>"#]
        let right = ["1680-01-01", "2024-01-03", "2261-01-01"].map { #"<ActivitySummary dateComponents="\#($0)"/>"# }
        let text = exportText((wrong + right).joined(separator: "\n"))
        let bench = try ImportBench()
        for round in 0..<2 {
            let outcome = try bench.importText(text)
            #expect(outcome.objectsAdded == (round == 0 ? 10 : 0) && outcome.skipped == wrong.count)
            #expect(outcome.issues.map(\.reason) == wrong.map { _ in .unreadableDate })
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for (issue, element) in zip(outcome.issues, wrong) {
                #expect(lines[issue.line - 1] == element && issue.what.contains("ActivitySummary"), "\(issue)")
                #expect(text.utf8.dropFirst(Int(issue.offset)).starts(with: element.utf8), "\(issue)")
            }
        }
        #expect(Set(try bench.objects()) == Set(wrong + right))
        let days = try await bench.asHealthKit { health in
            try await HKActivitySummaryQueryDescriptor(predicate: nil).result(for: health)
        }
        #expect(days.count == right.count)
    }

    @Test("elements are returned byte for byte, with their times")
    func objects() throws {
        let dates = #"startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 10:30:00 +0100""#
        let workout = #"""
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" sourceName="W"
             device="&lt;&lt;HKDevice: 0x28&gt;, name:A&gt;" \#(dates)>
              <MetadataEntry key="HKIndoorWorkout"   value="0"/>
              <WorkoutRoute sourceName="W" \#(dates)>
               <FileReference path="/workout-routes/a.gpx"/>
              </WorkoutRoute>
             </Workout>
            """#
        let systolic = recordText("QuantityTypeIdentifierBloodPressureSystolic", #"unit="mmHg" value="120""#)
        let pressure = #"""
            <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="H" \#(dates)>
              \#(systolic)
             </Correlation>
            """#
        let summary = #"<ActivitySummary dateComponents="2024-01-03" activeEnergyBurned="1"/>"#
        let future = #"<Hologram startDate="nonsense"><Part/></Hologram>"#
        let text = exportText([systolic, pressure, workout, summary, summary, future].joined(separator: "\n "))
        let bench = try ImportBench()
        let outcome = try bench.importText(text)
        #expect(outcome.added == 1, "records in a correlation also exist outside")
        #expect(outcome.objectsAdded == 5)
        try compare(text, bench, "objects")
        var times: [ImportedElementKind: [Int64?]] = [:]
        for kind in ImportedElementKind.allCases {
            try bench.store.objects(kind) { object in
                times[kind, default: []] += [object.start, object.end]
                return true
            }
        }
        let january: Int64 = 1_704_099_600
        let second: Int64 = 1_000_000_000
        #expect(times[.workout] == [january * second, (january + 1_800) * second])
        #expect(times[.activitySummary] == [1_704_240_000 * second, nil, 1_704_240_000 * second, nil])
        #expect(times[.other] == [nil, nil])
        // Another export of the same phone differs only in the heap address.
        let again = try bench.importText(text.replacing("0x28&gt;", with: "0x9999&gt;"))
        #expect(!again.committed && again.objectsUnchanged == 5)
    }
}

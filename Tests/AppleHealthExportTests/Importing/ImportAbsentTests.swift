// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("X-3 an absent attribute is not exported as an empty one")
struct ImportAbsentTests {
    private static let dates = #"startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 10:00:00 +0100""#
    private static let steps = "HKQuantityTypeIdentifierStepCount"

    private func export(_ bench: ImportBench) throws -> String {
        var text: [UInt8] = []
        _ = try AppleHealthExporter.write(bench.store) { bytes in
            text += bytes
            return true
        }
        return String(decoding: text, as: UTF8.self)
    }

    @Test("a record without sourceName is reported with its line and exported without it")
    func source() throws {
        let bench = try ImportBench()
        let records = """
            <Record type="\(Self.steps)" unit="count" \(Self.dates) value="1"/>
            <Record type="\(Self.steps)" sourceName="" unit="count" \(Self.dates) value="2"/>
            <Record type="\(Self.steps)" sourceName="A" unit="count" \(Self.dates) value="3"/>
            """
        let text = exportText(records)
        let outcome = try bench.importText(text)
        let issues = outcome.issues.filter { $0.reason == .missingAttribute }
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
            $0.contains("value=\"1\"")
        }
        #expect(issues.count == 1 && issues.first?.kind == .repaired && issues.first?.line == line.map { $0 + 1 })
        #expect(outcome.added == 3)
        let written = try export(bench).split(separator: "\n").filter { $0.contains("<Record ") }
        func record(_ value: Int) -> Substring? { written.first { $0.contains("value=\"\(value)\"") } }
        #expect(record(1)?.contains("sourceName") == false)
        #expect(record(2)?.contains("sourceName=\"\"") == true && record(3)?.contains("sourceName=\"A\"") == true)
        #expect(try bench.importText(text).committed == false)
        let samples = try bench.store.samples(SampleRequest(HealthTypes.type(for: Self.steps)))
        #expect(samples.map(\.source).sorted() == ["", "", "A"])
    }

    @Test("records and metadata entries with other absent attributes are exported unchanged")
    func others() throws {
        let variability = "HKQuantityTypeIdentifierHeartRateVariabilitySDNN"
        let list = { (beats: String) in
            "<HeartRateVariabilityMetadataList>\(beats)</HeartRateVariabilityMetadataList>"
        }
        let whole = #"<InstantaneousBeatsPerMinute bpm="61" time="9:00:00,00"/>"#
        let children = [
            #"<MetadataEntry key="only a key"/>"#, #"<MetadataEntry value="only a value"/>"#,
            #"<MetadataEntry key="both" value=""/>"#,
            list(#"<InstantaneousBeatsPerMinute bpm="61"/>"#),
            list(whole + #"<InstantaneousBeatsPerMinute time="9&amp;1"/>"#),
        ]
        let records = children.enumerated().map { at, child in
            "<Record type=\"\(variability)\" sourceName=\"A\" unit=\"ms\" \(Self.dates) value=\"\(at + 1)\">"
                + "\(child)</Record>"
        }
        let bare = "<Record type=\"\(variability)\" sourceName=\"A\" \(Self.dates) value=\"9\"/>"
        let bench = try ImportBench()
        let outcome = try bench.importText(exportText((records + [bare]).joined(separator: "\n")))
        #expect(outcome.issues.filter { $0.reason == .missingAttribute }.count == 4)
        #expect(outcome.added == 6)
        let written = try export(bench)
        for child in children.prefix(3) { #expect(written.contains(child), "\(child)") }
        for list in children.suffix(2) { #expect(written.contains(list), "\(list)\n\(written)") }
        let line = try #require(written.split(separator: "\n").first { $0.contains("value=\"9\"") })
        for absent in ["unit=", "sourceVersion=", "device=", "creationDate="] { #expect(!line.contains(absent)) }
    }

    @Test("a correlation without sourceName, or with such a record, is reported and exported unchanged")
    func correlation() throws {
        func pressure(_ outer: String, _ inner: String, _ value: Int) -> String {
            let members = ["Systolic", "Diastolic"].map { name in
                "<Record type=\"HKQuantityTypeIdentifierBloodPressure\(name)\" \(inner) unit=\"mmHg\" \(Self.dates) "
                    + "value=\"\(value)\"/>"
            }
            return "<Correlation type=\"HKCorrelationTypeIdentifierBloodPressure\" \(outer) \(Self.dates)>"
                + members.joined() + "</Correlation>"
        }
        let named = "sourceName=\"Cuff\""
        let bench = try ImportBench()
        let outcome = try bench.importText(
            exportText(
                [pressure("", "", 90), pressure(named, "", 91), pressure(named, named, 92)].joined(separator: "\n")))
        #expect(outcome.issues.filter { $0.reason == .missingAttribute }.count == 2)
        let written = try export(bench)
        #expect(!written.contains("sourceName=\"\""))
        #expect(written.components(separatedBy: "sourceName=\"Cuff\"").count - 1 == 6, "\(written)")
    }

    @Test("absent attributes in a correlation that stays an element are reported and exported unchanged")
    func element() throws {
        let pressure = "HKCorrelationTypeIdentifierBloodPressure"
        func correlation(_ type: String, _ minute: Int, _ source: String, _ record: String, _ own: String) -> String {
            let dates = Self.dates.replacing("10:00:00", with: "10:0\(minute):00")
            return "<Correlation type=\"\(type)\" \(source) \(dates)>\(own)"
                + "<Record type=\"\(Self.steps)\" sourceName=\"A\" unit=\"count\" \(dates) value=\"1\">\(record)"
                + "</Record></Correlation>"
        }
        let named = "sourceName=\"A\""
        let entry = #"<MetadataEntry key="only a key"/>"#
        let beats =
            "<HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm=\"61\"/>"
            + "</HeartRateVariabilityMetadataList>"
        let all = [
            correlation(pressure, 1, named, "", entry), correlation(pressure, 2, named, entry, ""),
            correlation(pressure, 3, named, beats, ""), correlation("Unknown", 4, "", entry, ""),
            correlation(pressure, 5, named, "", ""),
        ]
        let text = exportText(all.joined(separator: "\n"))
        let bench = try ImportBench()
        let outcome = try bench.importText(text)
        let issues = outcome.issues.filter { $0.reason == .missingAttribute }
        let first = try #require(text.split(separator: "\n").firstIndex { $0.contains("<Correlation ") })
        #expect(issues.map { $0.line - first } == [1, 2, 3, 4, 4], "\(issues)")
        #expect(issues.allSatisfy { $0.kind == .repaired })
        let written = try export(bench)
        for one in all.prefix(4) { #expect(written.contains(one), "\(one)") }
    }

    @Test("an empty creationDate is reported like an unreadable one")
    func creation() throws {
        let bench = try ImportBench()
        let outcome = try bench.importText(
            exportText("<Record type=\"\(Self.steps)\" sourceName=\"A\" creationDate=\"\" \(Self.dates) value=\"1\"/>"))
        #expect(outcome.issues.map(\.reason) == [.unreadableCreationDate])
    }
}

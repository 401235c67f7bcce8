// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import Testing

@testable import AppleHealthExport

/// A consumer that records every event as a line of text.
struct ExportEvents: ExportConsumer {
    var header: ExportHeader?
    var records: [String] = []
    var elements: [String] = []
    var documents: [String: [UInt8]] = [:]
    /// The raw deflate streams of documents that have one.
    var deflated: [String: [UInt8]] = [:]
    /// All events in order, without lines and offsets.
    var all: [String] = []
    /// Lines and offsets of the events in `all`.
    var places: [String] = []
    var lastProgress: (read: UInt64, total: UInt64) = (0, 0)
    var progressCalls = 0
    /// The number of the event at which to throw.
    var failAt: Int?

    struct Failure: Error, Equatable {}

    mutating func header(_ header: ExportHeader) throws {
        #expect(self.header == nil && all.isEmpty, "the header is the first event and comes once")
        self.header = header
        try add("header \(header)", "")
    }

    mutating func record(_ r: borrowing RecordFields) throws {
        var text = "record"
        for field in RecordFields.Field.allCases where r.has(field) {
            text += " \(field)=\(r.text(r.range(field)))"
        }
        for entry in r.metadata { text += " [\(r.text(entry.key))=\(r.text(entry.value))]" }
        if r.hasBeatList { text += " list" }
        for beat in r.beats { text += " {\(r.text(beat.bpm))@\(r.text(beat.time))}" }
        for entry in r.extraAttributes { text += " (\(r.text(entry.key))=\(r.text(entry.value)))" }
        for child in r.extraChildren { text += " \(r.text(child))" }
        text += " start=\(r.start.nanoseconds) end=\(r.end.nanoseconds) created=\(r.created?.nanoseconds ?? -1)"
        text += " number=\(r.number.map { DecimalText.text($0) } ?? "none") canonical=\(r.valueIsCanonical)"
        records.append(text)
        try add(text, "\(r.line):\(r.offset)")
    }

    mutating func element(name: String, xml: ArraySlice<UInt8>, line: Int, offset: UInt64) throws {
        let text = String(decoding: xml, as: UTF8.self)
        #expect(ExportElement(xml)?.name == name, "the XML of an element cannot be parsed: \(text)")
        elements.append(text)
        try add("element \(name) \(text)", "\(line):\(offset)")
    }

    mutating func document(path: String, bytes: [UInt8], deflated: [UInt8]?) throws {
        documents[path] = bytes
        self.deflated[path] = deflated
        try add("document \(path) \(bytes.count) \(bytes.hashValue)", "")
    }

    mutating func progress(bytesRead: UInt64, bytesTotal: UInt64, records: Int) throws {
        #expect(bytesRead >= lastProgress.read, "progress went back")
        #expect(records == self.records.count)
        lastProgress = (bytesRead, bytesTotal)
        progressCalls += 1
    }

    private mutating func add(_ text: String, _ place: String) throws {
        if failAt == all.count { throw Failure() }
        all.append(text)
        places.append(place)
    }
}

extension RecordFields {
    func range(_ field: Field) -> Range<Int> { parts.fields[field.rawValue] }
}

/// The result of reading an export.
struct ExportOutcome {
    var events = ExportEvents()
    var summary: ExportSummary?
    var error: ExportError?

    init(_ bytes: [UInt8], limits: ExportLimits = ExportLimits()) {
        do {
            summary = try ExportReader.read(xml: bytes, limits: limits, consumer: &events)
        } catch {
            self.error = error
        }
    }

    init(_ text: String, limits: ExportLimits = ExportLimits()) { self.init(Array(text.utf8), limits: limits) }

    var reasons: [ExportIssue.Reason: Int] { summary?.issues.counts ?? [:] }
}

/// Parts of XML exports.
enum Sample {
    static let dates = """
        creationDate="2023-05-13 10:36:12 +0200" startDate="2023-05-13 10:30:00 +0200" \
        endDate="2023-05-13 10:31:00 +0200"
        """

    static func record(_ value: String = "72", type: String = "HKQuantityTypeIdentifierHeartRate") -> String {
        "<Record type=\"\(type)\" sourceName=\"Watch\" unit=\"count/min\" \(dates) value=\"\(value)\"/>"
    }

    static let workout = """
        <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="1.5" durationUnit="min" \
        sourceName="Watch" \(dates)><MetadataEntry key="HKIndoorWorkout" value="0"/></Workout>
        """

    /// Returns an export with `body` inside its root, without a document type.
    static func export(_ body: String, before: String = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") -> String {
        """
        \(before)<HealthData locale="en_GB">
         <ExportDate value="2023-05-13 10:36:12 +0200"/>
         <Me HKCharacteristicTypeIdentifierBloodType="HKBloodTypeNotSet"/>
         \(body)
        </HealthData>
        """
    }

    static let doctype = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 12 -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>
        <!ATTLIST Record
          type CDATA #REQUIRED
        >
        ]>

        """

    /// The shortened document type of iOS 16.0, with an unclosed attribute list and an extra bracket.
    static let brokenDoctype = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 12 -->
        <!ELEMENT VisionPrescription ((RightEye|LeftEye|Attachment|MetadataEntry)*)>
        <!ATTLIST VisionPrescription
          type             CDATA #REQUIRED
          brand            CDATA #IMPLIED
        <!ELEMENT RightEye EMPTY>
        <!ATTLIST RightEye
          sphere           CDATA #IMPLIED
        >
        <!ELEMENT Attachment EMPTY>
        <!ATTLIST Attachment
          identifier       CDATA #IMPLIED
        >
        >
        ]>

        """
}

/// The folder of the files that cannot be redistributed. Tests that use these files are skipped without it.
enum LocalData {
    static let folder = ProcessInfo.processInfo.environment["KYMO_LOCAL_DATA"]

    static func path(_ name: String) -> String? {
        guard let folder else { return nil }
        for path in ["\(folder)/\(name)", "\(folder)/applehealth/\(name)"]
        where FileManager.default.fileExists(atPath: path) {
            return path
        }
        return nil
    }
}

/// The fixture files of the tests.
enum Fixture {
    static func path(_ name: String) throws -> String {
        try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Fixtures")).path
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }
}

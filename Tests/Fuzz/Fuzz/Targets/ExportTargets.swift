// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport

@testable import AppleHealthExport
@testable import KymographHealth

/// Files of other programs: exports as XML and as archives.
enum ExportTargets {
    static let all = [
        Target(
            name: "xml", maximumLength: 4096, variants: 7,
            asserts: "the same events and issues through a window of a few bytes; every reported element is one",
            seeds: { files in
                files.exports.flatMap { bytes in
                    stride(from: 0, to: min(bytes.count, 24_000), by: 3000).map { [3] + bytes[$0...].prefix(3500) }
                } + xmlSeeds
            }, run: each(xml)),
        Target(
            name: "zip", maximumLength: 4096, variants: 7,
            asserts: "an archive is read within its bounds or refused; no file unpacks to more than its stated size",
            seeds: { _ in ZipSeeds.all }, run: each(zip)),
    ]

    // MARK: XML

    private static func xml(_ bytes: [UInt8], _ choice: UInt64?) {
        guard let first = bytes.first else { return }
        let document = Array(bytes.dropFirst())
        // A variant is read within bounds that are never reached, or within tight ones.
        if choice.map({ $0 & 1 == 0 }) ?? true { compare(document, ExportLimits(), window: 64 + Int(first)) }
        if choice.map({ $0 & 1 == 0 }) ?? false { return }
        var tight = ExportLimits()
        tight.elementBytes = 512
        tight.attributeBytes = 64
        tight.attributes = 4
        tight.depth = 3
        tight.prologBytes = 256
        tight.rescanBytes = 256
        compare(document, tight, window: 64 + Int(first))
    }

    /// Reads a document at once and through a narrow window.
    private static func compare(_ document: [UInt8], _ bounds: ExportLimits, window: Int) {
        var (wide, narrow) = (bounds, bounds)
        wide.window = 1 << 13
        narrow.window = window
        let (a, b) = (read(document, wide), read(document, narrow))
        if a != b {
            let place = Swift.zip(a.events, b.events).enumerated().first { $0.element.0 != $0.element.1 }
            finding("differs with a window of \(window) bytes: \(String(describing: place)), \(a.end), \(b.end)")
        }
    }

    /// The result of reading.
    struct Outcome: Equatable {
        var events: [[UInt8]]
        var end: String
    }

    private static func read(_ document: [UInt8], _ limits: ExportLimits) -> Outcome {
        var consumer = EventConsumer(document: document)
        do throws(ExportError) {
            let summary = try ExportReader.read(xml: document, limits: limits, consumer: &consumer)
            require(summary.records == consumer.records, "\(summary.records) records, \(consumer.records) reported")
            require(summary.bytes <= UInt64(document.count), "more bytes than the document has")
            let counts = summary.issues.counts.map { "\($0.key) \($0.value)" }.sorted()
            let end = "\(summary.complete) \(summary.recordsSkipped) \(counts)"
            return Outcome(events: consumer.events, end: end)
        } catch {
            return Outcome(events: consumer.events, end: "\(error)")
        }
    }

    private static var xmlSeeds: [[UInt8]] {
        let dates = "startDate=\"2023-05-13 10:30:00 +0200\" endDate=\"2023-05-13 10:31:00.5 +02:00\""
        let record = "<Record type=\"HKQuantityTypeIdentifierHeartRate\" sourceName=\"W&#228;tch\" \(dates)"
        let bodies = [
            record + " value=\"72\"/>", record + " value=\"7e1\"><MetadataEntry key=\"a\" value=\"&lt;\"/></Record>",
            record + "><HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm=\"61\" "
                + "time=\"9:00:52.18 AM\"/></HeartRateVariabilityMetadataList></Record>",
            "<Correlation \(dates)>" + record + " value=\"1\"/></Correlation>", "<!-- x --><?p?><![CDATA[ ]]>",
            "<Workout \(dates)><WorkoutStatistics startDate=\"1\" startDate=\"2\"/></Workout>",
        ]
        let documents = bodies.map { "<?xml version=\"1.0\"?><HealthData locale=\"en\">\($0)</HealthData>" }
        // Documents in which a construct begins, ends or breaks off late, so that the edge of a window falls into it.
        let spaces = String(repeating: " ", count: 60)
        let late = [
            "<Workout a=b></Workout\(spaces)>x\(record)/>", "<Correlation a=b>\(record)/></Correlation \(record)/>x",
            "<Workout a='1'/><!", "<Workout a='1'/><![CDATA", "<Workout a='1'></Workou", "<Workout a=b></Workout",
            "\(record)>\(spaces)x\(spaces)<MetadataEntry key='a' value='&#10;'/>\(spaces)</Record \(spaces)>",
            "<Workout a='\(spaces)'>\(spaces)<!--\(spaces)--><\(spaces.replacing(" ", with: "b"))/></Workout>",
        ]
        let prolog = "<!DOCTYPE HealthData [<!-- HealthKit Export Version: 12 --><!ATTLIST Record a CDATA #IMPLIED>]>"
        let cut = late.flatMap { ["<HealthData>\($0)", "<HealthData>\($0)</HealthData>"] }
        return
            (documents + cut + [prolog + "<HealthData><Me a=\"1\"/></HealthData>", "<!DOCTYPE a [<!ENTITY b \"c\">]>"])
            .map { [9] + Array($0.utf8) }
    }

    // MARK: Archives

    private static func zip(_ bytes: [UInt8]) {
        let disk = MemoryDisk(directories: [], files: ["export.zip": bytes])
        var limits = ExportLimits()
        limits.window = 4096
        limits.entries = 20
        limits.documentBytes = 1 << 16
        limits.xmlBytes = 1 << 18
        limits.allDocumentBytes = 1 << 18
        var consumer = EventConsumer()
        _ = try? ExportReader.read(file: "export.zip", on: disk, limits: limits, consumer: &consumer)
        require(consumer.longest <= limits.documentBytes, "a document of \(consumer.longest) bytes")
        require(consumer.documentBytes <= Int(limits.allDocumentBytes), "documents of \(consumer.documentBytes) bytes")
    }
}

/// Records every event and checks its invariants.
struct EventConsumer: ExportConsumer {
    /// The document, if the input is XML alone.
    var document: [UInt8] = []
    /// The number of line feeds before an offset of the document.
    var lines = (at: 0, count: 0)
    var events: [[UInt8]] = []
    var records = 0
    var longest = 0
    var documentBytes = 0

    mutating func header(_ header: ExportHeader) throws {
        require(events.isEmpty, "the header is not the first event, or is repeated")
        let texts = [header.version.map(String.init), header.locale, header.exportDate].map { $0 ?? "-" }
        events.append(Array((texts + header.me.flatMap { [$0.name, $0.value] }).joined(separator: "|").utf8))
    }

    mutating func record(_ r: borrowing RecordFields) throws {
        records += 1
        check(r.line, r.offset)
        var event = Array("\(r.start.nanoseconds) \(r.end.nanoseconds) \(r.created?.nanoseconds ?? -1) ".utf8)
        require(r.start.nanoseconds <= r.end.nanoseconds, "a record that ends before it starts")
        require(r.number?.isFinite ?? true, "a number that is not finite")
        for field in RecordFields.Field.allCases where r.has(field) {
            event += [UInt8(field.rawValue)] + r.bytes(r.parts.fields[field.rawValue])
        }
        for entry in r.metadata + r.extraAttributes { event += [0xFE] + r.bytes(entry.key) + r.bytes(entry.value) }
        for beat in r.beats { event += [0xFD] + r.bytes(beat.bpm) + r.bytes(beat.time) }
        for child in r.extraChildren { event += [0xFC] + r.bytes(child) }
        event.append(r.valueIsCanonical ? 1 : 0)
        events.append(event)
    }

    mutating func element(name: String, xml: ArraySlice<UInt8>, line: Int, offset: UInt64) throws {
        check(line, offset)
        let element = ExportElement(xml)
        require(element?.name == name, "an invalid element: \(String(decoding: xml, as: UTF8.self))")
        events.append(Array("\(name) \(line) \(offset) ".utf8) + xml)
    }

    /// Checks that the reported line is the one of the element.
    private mutating func check(_ line: Int, _ offset: UInt64) {
        guard !document.isEmpty else { return }
        require(offset >= lines.at && offset < document.count, "an element at \(offset), expected after \(lines.at)")
        for byte in document[lines.at..<Int(offset)] where byte == 0x0A { lines.count += 1 }
        lines.at = Int(offset)
        require(line == lines.count + 1, "line \(line) instead of \(lines.count + 1)")
    }

    mutating func document(path: String, bytes: [UInt8], deflated: [UInt8]?) throws {
        longest = max(longest, bytes.count)
        documentBytes += bytes.count
        require(path.hasPrefix("/") && !path.contains("/../"), "a path outside the export: \(path)")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import AppleHealthExport

/// Writes an export tag by tag, in the same form as the Python script below writes the events of expat.
private struct TagLines: ExportConsumer {
    var lines: [String] = []
    var sums: [String: Double] = [:]
    var counts: [String: Int] = [:]

    static let attributes = [
        "type", "sourceName", "sourceVersion", "device", "unit", "creationDate", "startDate", "endDate", "value",
    ]

    mutating func header(_ header: ExportHeader) {
        lines.append("header\t\(header.locale ?? "")\t\(header.exportDate ?? "")\t\(header.version ?? 0)")
        lines.append(Self.line("Me", header.me))
    }

    mutating func record(_ r: borrowing RecordFields) {
        let fields: [RecordFields.Field] = [
            .type, .sourceName, .sourceVersion, .device, .unit, .creationDate, .startDate, .endDate, .value,
        ]
        let type = r.text(r.type)
        var attributes: [ExportAttribute] = []
        for (name, field) in zip(Self.attributes, fields) where r.has(field) {
            attributes.append(ExportAttribute(name: name, value: r.text(r.range(field))))
        }
        lines.append(Self.line("Record", attributes))
        for entry in r.metadata {
            lines.append(
                Self.line(
                    "MetadataEntry",
                    [
                        ExportAttribute(name: "key", value: r.text(entry.key)),
                        ExportAttribute(name: "value", value: r.text(entry.value)),
                    ]))
        }
        if r.hasBeatList { lines.append("HeartRateVariabilityMetadataList") }
        for beat in r.beats {
            lines.append(
                Self.line(
                    "InstantaneousBeatsPerMinute",
                    [
                        ExportAttribute(name: "bpm", value: r.text(beat.bpm)),
                        ExportAttribute(name: "time", value: r.text(beat.time)),
                    ]))
        }
        counts[type, default: 0] += 1
        if let number = r.number { sums[type, default: 0] += number }
    }

    mutating func element(name: String, xml: ArraySlice<UInt8>, line: Int, offset: UInt64) {
        var cursor = ElementCursor(xml)
        while let event = cursor.next() {
            guard case .start(let name, let attributes) = event else { continue }
            lines.append(Self.line(name, attributes))
        }
    }

    /// Returns one line with the attributes sorted by name and the device without its address.
    private static func line(_ name: String, _ attributes: [ExportAttribute]) -> String {
        let sorted = attributes.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return name
            + sorted.map { "\t\($0.name)=\($0.name == "device" ? DeviceText.stripped($0.value) : $0.value)" }.joined()
    }

    static let script = """
        import re, sys, xml.parsers.expat
        out, state = [], {'version': 0, 'header': None}
        def plain(k, v):
            return re.sub(r'^(<<HKDevice: )0x[0-9a-fA-F]+(?=>)', r'\\1', v) if k == 'device' else v
        def line(name, a):
            return name + ''.join('\\t%s=%s' % (k, plain(k, v)) for k, v in sorted(a.items()))
        def start(name, a):
            if name == 'HealthData': state['locale'] = a.get('locale', '')
            elif name == 'ExportDate':
                out.append('header\\t%s\\t%s\\t%d' % (state['locale'], a['value'], state['version']))
            else: out.append(line(name, a))
        def comment(text):
            m = re.search(r'HealthKit Export Version:\\s*(\\d+)', text)
            if m: state['version'] = int(m.group(1))
        p = xml.parsers.expat.ParserCreate()
        p.StartElementHandler, p.CommentHandler = start, comment
        p.ParseFile(open(sys.argv[1], 'rb'))
        sys.stdout.buffer.write('\\n'.join(out).encode())
        """
}

@Suite("T-1 the reader compared with another parser")
struct ExportDifferentialTests {
    /// The root of the repository, which contains the generator.
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let python: String? = ["/usr/bin/python3", "/usr/local/bin/python3", "/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private static func run(_ arguments: [String]) throws -> Data? {
        guard let python else { return nil }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? data : nil
    }

    private struct Manifest: Decodable {
        var records: Int
        var count: [String: Int]
        var sum: [String: Double]
        var workouts: Int
    }

    private static func compare(_ path: String, manifest: String) throws {
        var lines = TagLines()
        let summary = try ExportReader.read(file: path, consumer: &lines)
        let truth = try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: URL(fileURLWithPath: manifest)))
        #expect(summary.complete && summary.issues.counts.isEmpty)
        #expect(summary.records == truth.records)
        #expect(lines.counts == truth.count)
        #expect(summary.elements["Workout", default: 0] == truth.workouts)
        for (type, sum) in truth.sum { #expect(abs(lines.sums[type, default: 0] - sum) <= 1e-9 * abs(sum), "\(type)") }
    }

    @Test("counts and sums of the small fixture equal its manifest")
    func fixture() throws {
        try Self.compare(Fixture.path("generated_150.xml"), manifest: Fixture.path("generated_150.json"))
    }

    @Test("counts and sums of the sample archive equal its manifest")
    func sample() throws {
        let folder = Self.root.appendingPathComponent("Docs/Samples")
        let path = folder.appendingPathComponent("sample-export.zip").path
        guard FileManager.default.fileExists(atPath: path) else { return }
        try Self.compare(path, manifest: folder.appendingPathComponent("sample-export.json").path)
    }

    @Test(
        "every tag and attribute equals expat's",
        arguments: ["fixtures", "generated", "generated with decimal commas"])
    func expat(_ what: String) throws {
        let directory = try TemporaryDirectory()
        let script = directory.file("tags.py")
        try Data(TagLines.script.utf8).write(to: URL(fileURLWithPath: script))
        guard try Self.run(["-c", "import xml.parsers.expat"]) != nil else { return }
        var paths: [String] = []
        if what == "fixtures" {
            paths = try [
                "v03_tdda_iphone6s_2016.xml", "v08_jdecool_fr_2019.xml", "dogsheep_zip_2019.xml",
                "dogsheep_inline_locations_2019.xml", "aleksi_ru_fragment.xml",
            ]
            .map { try Fixture.path($0) }
        } else {
            let generator = Self.root.appendingPathComponent("Benchmarks/data/gen_export_xml.py").path
            let path = directory.file("export.xml")
            var arguments = [generator, "--records", "5000", "-o", path, "--manifest", directory.file("export.json")]
            if what.hasSuffix("commas") {
                arguments += ["--decimal", ",", "--locale", "de_CH", "--seed", "2", "--version", "13"]
            }
            guard try Self.run(arguments) != nil else { return }
            try Self.compare(path, manifest: directory.file("export.json"))
            paths = [path]
        }
        for path in paths {
            let expected = try #require(try Self.run([script, path]), "expat cannot parse \(path)")
            var lines = TagLines()
            _ = try ExportReader.read(file: path, consumer: &lines)
            // Without a document type the reader reports no version; the script then reports the Me element first.
            let theirs = String(decoding: expected, as: UTF8.self).split(separator: "\n").map(String.init)
            #expect(lines.lines.count == theirs.count)
            let different = zip(lines.lines, theirs).first { $0.0 != $0.1 }
            #expect(different == nil, "\(path)")
        }
    }

    @Test(
        "damage by the generator is reported with the right reasons",
        arguments: ["dtd12", "ctrl", "future", "truncated", "dtd12,ctrl"])
    func broken(_ damage: String) throws {
        let directory = try TemporaryDirectory()
        let generator = Self.root.appendingPathComponent("Benchmarks/data/gen_export_xml.py").path
        let path = directory.file("export.xml")
        guard try Self.run([generator, "--records", "500", "--broken", damage, "-o", path]) != nil else { return }
        var events = ExportEvents()
        let summary = try ExportReader.read(file: path, consumer: &events)
        let extra = damage.contains("ctrl") || damage.contains("future") ? 1 : 0
        #expect(summary.records == 500 + extra)
        let expected: [String: [ExportIssue.Reason: Int]] = [
            "dtd12": [.malformedDTD: 1], "ctrl": [.illegalCharacter: 1], "future": [:], "truncated": [.truncated: 1],
            "dtd12,ctrl": [.malformedDTD: 1, .illegalCharacter: 1],
        ]
        #expect(summary.issues.counts == expected[damage])
        #expect(summary.complete == (damage != "truncated"))
        if damage.contains("ctrl") { #expect(events.records.contains { $0.contains("sourceName=Water App") }) }
    }
}

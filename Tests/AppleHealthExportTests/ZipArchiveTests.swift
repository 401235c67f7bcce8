// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport
import Testing

@testable import AppleHealthExport

/// An archive and the expected result.
struct StrangeZip: Sendable, CustomTestStringConvertible {
    enum Expected: Sendable {
        case read(records: Int, documents: [String], [ExportIssue.Reason: Int] = [:], complete: Bool = true)
        case notAnExport(String)
        case refused(String)
        case damaged(String)
    }

    var name: String
    var bytes: [UInt8]
    var expected: Expected

    init(
        _ name: String, _ entries: [ZipBuilder.Entry], _ expected: Expected,
        _ change: (inout ZipBuilder) -> Void = { _ in }
    ) {
        var builder = ZipBuilder()
        change(&builder)
        self.init(name, bytes: builder.build(entries), expected)
    }

    init(_ name: String, bytes: [UInt8], _ expected: Expected) {
        self.name = name
        self.bytes = bytes
        self.expected = expected
    }

    var testDescription: String { name }

    typealias Entry = ZipBuilder.Entry
    static let xml = Entry(
        "apple_health_export/export.xml", Sample.export(Sample.record() + Sample.workout + Sample.record()))
    static let gpx = Entry("apple_health_export/workout-routes/route_1.gpx", "<gpx/>")
    static let cda = Entry(
        "apple_health_export/export_cda.xml",
        "<?xml version=\"1.0\"?><ClinicalDocument>" + String(repeating: "<x/>", count: 2_000))
    static let route = "/workout-routes/route_1.gpx"
    private static let bomb = [UInt8](repeating: 0x20, count: 8 << 20)

    static let sound: [StrangeZip] = [
        .init("deflated", [xml, gpx], .read(records: 2, documents: [route])),
        .init(
            "stored", [xml.with { $0.deflated = false }, gpx.with { $0.deflated = false }],
            .read(records: 2, documents: [route])),
        .init(
            "documents first", [gpx, Entry("apple_health_export/electrocardiograms/ecg.csv", "1,5"), xml],
            .read(records: 2, documents: ["/electrocardiograms/ecg.csv", route])),
        .init(
            "empty file", [xml, Entry("apple_health_export/a.json", "")], .read(records: 2, documents: ["/a.json"])),
        .init(
            "empty stored document", [xml, Entry("apple_health_export/a.json", "").with { $0.deflated = false }],
            .read(records: 2, documents: ["/a.json"])),
        .init("with a clinical document", [cda, xml], .read(records: 2, documents: [], [.ignoredFile: 1])),
        .init(
            "Spanish", [xml.with { $0.name = Array("apple_health_export/Exportar.xml".utf8) }],
            .read(records: 2, documents: [])),
        .init(
            "Chinese, other folder",
            [
                xml.with { $0.name = Array("苹果健康导出/导出.xml".utf8) },
                gpx.with { $0.name = Array("苹果健康导出/workout-routes/route_1.gpx".utf8) },
            ], .read(records: 2, documents: [route])),
        .init(
            "no folder",
            [
                xml.with { $0.name = Array("x.XML".utf8) },
                gpx.with { $0.name = Array("workout-routes/route_1.gpx".utf8) },
            ], .read(records: 2, documents: [route])),
        .init("no ending", [xml.with { $0.name = Array("export".utf8) }], .read(records: 2, documents: [])),
        .init(
            "backslashes",
            [
                xml.with { $0.name = Array("a\\export.xml".utf8) },
                gpx.with { $0.name = Array("a\\workout-routes\\route_1.gpx".utf8) },
            ], .read(records: 2, documents: [route])),
        .init(
            "name that is not UTF-8", [xml.with { $0.name = [0x82, 0xE9, 0x2E, 0x78, 0x6D, 0x6C] }],
            .read(records: 2, documents: [])),
        .init(
            "folders and clutter",
            [
                Entry("apple_health_export/", "").with { $0.deflated = false }, xml,
                Entry("__MACOSX/apple_health_export/._export.xml", "x"), Entry("apple_health_export/.DS_Store", "x"),
            ], .read(records: 2, documents: [])),
        .init(
            "data descriptors", [xml.with { $0.descriptor = true }, gpx.with { $0.descriptor = true }],
            .read(records: 2, documents: [route])),
        .init(
            "zip64 entries", [xml.with { $0.zip64 = true }, gpx.with { $0.zip64 = true }],
            .read(records: 2, documents: [route])),
        .init("zip64 end", [xml, gpx], .read(records: 2, documents: [route])) { $0.zip64End = true },
        .init("comment", [xml], .read(records: 2, documents: [])) { $0.comment = Array("PK\u{5}\u{6} hello".utf8) },
        .init("bytes before the archive", [xml, gpx], .read(records: 2, documents: [route])) {
            $0.prefix = [0x50, 0x4B, 3, 4] + Array("#!/bin/sh\n".utf8)
        },
        .init(
            "bytes after the archive", bytes: ZipBuilder().build([xml]) + [0, 0, 0], .read(records: 2, documents: [])),
        .init(
            "unknown files",
            [xml, Entry("apple_health_export/readme.txt", "x"), Entry("apple_health_export/a.zip", "PK")],
            .read(records: 2, documents: [], [.ignoredFile: 2])),
        .init(
            "two exports: the larger", [xml, Entry("b/export.xml", Sample.export(""))],
            .read(records: 2, documents: [], [.secondExport: 1])),
        .init(
            "document outside of the folder", [xml, Entry("other/a.csv", "x")],
            .read(records: 2, documents: ["/other/a.csv"])),
        .init(
            "XML with a document type", [Entry("e.xml", Sample.export(Sample.record(), before: Sample.brokenDoctype))],
            .read(records: 1, documents: [], [.malformedDTD: 1])),
        .init(
            "truncated XML in a sound archive", [Entry("e.xml", "<HealthData>" + Sample.record() + "<Record")],
            .read(records: 1, documents: [], [.truncated: 1], complete: false)),
    ]

    static let hostile: [StrangeZip] = [
        .init("no files", [], .notAnExport("0 files")),
        .init("no XML", [gpx], .notAnExport("without an XML")),
        .init("only the clinical document", [cda], .notAnExport("export_cda.xml")),
        .init(
            "zip slip", [xml, gpx.with { $0.name = Array("../../etc/cron.d/x.csv".utf8) }],
            .read(records: 2, documents: [], [.unsafeName: 1])),
        .init(
            "zip slip inside", [xml, gpx.with { $0.name = Array("a/../../x.csv".utf8) }],
            .read(records: 2, documents: [], [.unsafeName: 1])),
        .init(
            "zip slip by backslashes", [xml, gpx.with { $0.name = Array("..\\..\\x.csv".utf8) }],
            .read(records: 2, documents: [], [.unsafeName: 1])),
        .init(
            "absolute name", [xml, gpx.with { $0.name = Array("/etc/x.csv".utf8) }],
            .read(records: 2, documents: [], [.unsafeName: 1])),
        .init(
            "drive letter", [xml, gpx.with { $0.name = Array("C:/x.csv".utf8) }],
            .read(records: 2, documents: [], [.unsafeName: 1])),
        .init(
            "NUL in a name", [xml, gpx.with { $0.name = Array("a\0.csv".utf8) }],
            .read(records: 2, documents: [], [.unsafeName: 1])),
        .init(
            "line feed in a name", [xml, gpx.with { $0.name = Array("a\n.csv".utf8) }],
            .read(records: 2, documents: [], [.unsafeName: 1])),
        .init("empty name", [xml, gpx.with { $0.name = [] }], .read(records: 2, documents: [], [.unsafeName: 1])),
        .init(
            "name of 5,000 bytes",
            [xml, gpx.with { $0.name = [UInt8](repeating: 0x61, count: 5_000) + Array(".csv".utf8) }],
            .read(records: 2, documents: [], [.unsafeName: 1])),
        .init(
            "symbolic link",
            [
                xml,
                gpx.with {
                    $0.madeByUnix = true; $0.attributes = 0xA1FF_0000
                },
            ], .read(records: 2, documents: [], [.unsafeName: 1])),
        .init("two files of the same name", [xml, gpx, gpx], .read(records: 2, documents: [route], [.damagedFile: 1])),
        .init(
            "encrypted document", [xml, gpx.with { $0.flags = 1 }],
            .read(records: 2, documents: [], [.encryptedFile: 1])),
        .init("encrypted XML", [xml.with { $0.flags = 1 }], .notAnExport("an encrypted file")),
        .init("strong encryption", [xml.with { $0.flags = 0x41 }], .notAnExport("an encrypted file")),
        .init(
            "masked headers", [xml, gpx.with { $0.flags = 0x2000 }],
            .read(records: 2, documents: [], [.encryptedFile: 1])),
        .init(
            "method 12", [xml, gpx.with { $0.method = 12 }], .read(records: 2, documents: [], [.unsupportedMethod: 1])),
        .init("XML by method 93", [xml.with { $0.method = 93 }], .notAnExport("method 93")),
        .init(
            "different method in the local header", [xml, gpx.with { $0.localMethod = 0 }],
            .read(records: 2, documents: [], [.damagedFile: 1])),
        .init(
            "different name in the local header",
            [xml, gpx.with { $0.localName = Array("apple_health_export/workout-routes/route_2.gpx".utf8) }],
            .read(records: 2, documents: [], [.damagedFile: 1])),
        .init(
            "wrong checksum of a document", [xml, gpx.with { $0.crc = 1 }],
            .read(records: 2, documents: [], [.damagedFile: 1])),
        .init(
            "wrong checksum of the XML", [xml.with { $0.crc = 1 }, gpx],
            .read(records: 2, documents: [route], [.damagedFile: 1], complete: false)),
        .init(
            "wrong checksum of a stored XML",
            [
                xml.with {
                    $0.crc = 1; $0.deflated = false
                }
            ], .read(records: 2, documents: [], [.damagedFile: 1], complete: false)),
        .init(
            "stored with different lengths",
            [
                xml,
                gpx.with {
                    $0.deflated = false; $0.size = 3
                },
            ], .read(records: 2, documents: [], [.damagedFile: 1])),
        .init(
            "longer than stated", [xml, gpx.with { $0.size = 3 }], .read(records: 2, documents: [], [.damagedFile: 1])),
        .init(
            "shorter than stated", [xml, gpx.with { $0.size = 300 }],
            .read(records: 2, documents: [], [.damagedFile: 1])),
        .init(
            "XML shorter than stated", [xml.with { $0.size = 5_000 }],
            .read(records: 2, documents: [], [.damagedFile: 1], complete: false)),
        .init(
            "XML longer than stated", [xml.with { $0.size = 500 }],
            .read(records: 1, documents: [], [.damagedFile: 1, .truncated: 1], complete: false)),
        .init(
            "compressed data cut", [xml, gpx.with { $0.packedBytes = Array(ZipBuilder.deflate($0.data).dropLast(3)) }],
            .read(records: 2, documents: [], [.damagedFile: 1])),
        .init(
            "extra compressed data", [xml, gpx.with { $0.packedBytes = ZipBuilder.deflate($0.data) + [0, 0] }],
            .read(records: 2, documents: [], [.damagedFile: 1])),
        .init(
            "invalid compressed data", [xml, gpx.with { $0.packedBytes = [0xFF, 0xFF, 0xFF, 0xFF] }],
            .read(records: 2, documents: [], [.damagedFile: 1])),
        .init(
            "no compressed data", [xml, gpx.with { $0.packedBytes = [] }],
            .read(records: 2, documents: [], [.damagedFile: 1])),
        .init("bomb", [xml, Entry("a.csv", bomb)], .read(records: 2, documents: [], [.oversizedFile: 1])),
        .init("bomb as XML", [Entry("a.xml", Array("<HealthData>".utf8) + bomb)], .notAnExport("would unpack to")),
        .init(
            "bomb with a false length", [xml, Entry("a.csv", bomb).with { $0.size = 1_000 }],
            .read(records: 2, documents: [], [.damagedFile: 1])),
        .init(
            "length of 2^63",
            [
                xml,
                gpx.with {
                    $0.zip64 = true; $0.size = 1 << 63
                },
            ], .read(records: 2, documents: [], [.oversizedFile: 1])),
        .init(
            "compressed length of 2^64 - 1",
            [
                xml,
                gpx.with {
                    $0.zip64 = true; $0.packed = .max
                },
            ], .damaged("does not fit")),
        .init(
            "offset of 2^64 - 1",
            [
                xml,
                gpx.with {
                    $0.zip64 = true; $0.offset = .max
                },
            ], .damaged("does not fit")),
        .init("offset inside another entry", [xml, gpx.with { $0.offset = 40 }], .refused("share bytes")),
        .init("two files with the same offset", [xml, gpx.with { $0.offset = 0 }], .refused("share bytes")),
        .init(
            "offset without a header", [xml, gpx, Entry("a.csv", "1").with { $0.offset = 5 }], .refused("share bytes")
        ),
        .init("directory with too high a count", [xml], .damaged("instead of 2")) { $0.count = 2 },
        .init("offset without a directory", [xml], .damaged("does not fit")) { $0.directoryOffset = 7 },
        .init("directory after the end", [xml], .damaged("does not fit")) { $0.directoryOffset = 1 << 30 },
        .init(
            "part of a multi-disk archive",
            bytes: {
                var b = ZipBuilder().build([xml]); b[b.count - 18] = 1; return b
            }(), .damaged("several")),
        .init(
            "zip64 record elsewhere",
            bytes: {
                var z = ZipBuilder(); z.zip64End = true; var b = z.build([xml]); b[b.count - 22 - 12] ^= 0x55; return b
            }(), .damaged("zip64 record")),
    ]
}

@Suite("T-1 zip archives")
struct ZipArchiveTests {
    static func read(
        _ bytes: [UInt8], limits: ExportLimits = ExportLimits(), events: inout ExportEvents
    ) throws(ExportError) -> ExportSummary {
        let disk = MemoryDisk(directories: [], files: ["export.zip": bytes])
        return try ExportReader.read(file: "export.zip", on: disk, limits: limits, consumer: &events)
    }

    @Test("sound archives are read", arguments: StrangeZip.sound)
    func sound(_ zip: StrangeZip) { check(zip) }

    @Test("hostile archives are refused, or only their sound files are read", arguments: StrangeZip.hostile)
    func hostile(_ zip: StrangeZip) { check(zip) }

    private func check(_ zip: StrangeZip) {
        var events = ExportEvents()
        do {
            let summary = try Self.read(zip.bytes, events: &events)
            guard case .read(let records, let documents, let reasons, let complete) = zip.expected else {
                Issue.record("the archive was read: \(summary)")
                return
            }
            #expect(summary.kind == .zip && events.header?.kind == .zip)
            #expect(summary.records == records && events.records.count == records)
            #expect(events.documents.keys.sorted() == documents.sorted())
            #expect(summary.documents == documents.count)
            #expect(summary.issues.counts == reasons, "\(summary.issues.listed)")
            #expect(summary.complete == complete)
            if complete { #expect(events.lastProgress.read == events.lastProgress.total) }
        } catch {
            switch (zip.expected, error) {
            case (.notAnExport(let part), .notAnExport(let seen)): #expect(seen.contains(part), "\(seen)")
            case (.refused(let part), .refused(let what, _, _)): #expect(what.contains(part), "\(what)")
            case (.damaged(let part), .damagedArchive(let what, _)): #expect(what.contains(part), "\(what)")
            default: Issue.record("unexpected error: \(error)")
            }
        }
    }

    @Test("documents are read byte for byte")
    func documents() throws {
        var random = SeededGenerator(seed: 61)
        var entries = [StrangeZip.xml]
        var expected: [String: [UInt8]] = [:]
        for index in 0..<20 {
            let bytes = random.bytes(random.below(300_000))
            entries.insert(
                ZipBuilder.Entry("apple_health_export/d/\(index).csv", bytes).with { $0.deflated = random.chance(0.5) },
                at: random.below(entries.count + 1))
            expected["/d/\(index).csv"] = bytes
        }
        var events = ExportEvents()
        let summary = try Self.read(ZipBuilder().build(entries), events: &events)
        #expect(events.documents == expected)
        #expect(summary.documents == 20)
        let (records, first) = (
            events.all.firstIndex { $0.hasPrefix("record") }, events.all.firstIndex { $0.hasPrefix("document") }
        )
        #expect(try #require(records) < #require(first), "the XML is not read first")
    }

    @Test("a document has the deflate stream of the archive if that is shorter, and only if it is sound")
    func streams() throws {
        let text = Array(String(repeating: "<trkpt lat=\"1\"/>", count: 20_000).utf8)
        var random = SeededGenerator(seed: 62)
        let noise = random.bytes(10_000)
        let stream = ZipBuilder.deflate(text)
        let short = Array(stream.dropLast())
        var events = ExportEvents()
        let summary = try Self.read(
            ZipBuilder().build([
                StrangeZip.xml, ZipBuilder.Entry("apple_health_export/text.gpx", text),
                ZipBuilder.Entry("apple_health_export/stored.gpx", text).with { $0.deflated = false },
                ZipBuilder.Entry("apple_health_export/noise.gpx", noise),
                ZipBuilder.Entry("apple_health_export/empty.gpx", ""),
                ZipBuilder.Entry("apple_health_export/crc.gpx", text).with { $0.crc = 1 },
                ZipBuilder.Entry("apple_health_export/long.gpx", text).with { $0.packedBytes = stream + [0] },
                ZipBuilder.Entry("apple_health_export/short.gpx", text).with { $0.packedBytes = short },
            ]), events: &events)
        #expect(events.deflated == ["/text.gpx": stream])
        #expect(events.documents["/stored.gpx"] == text && events.documents["/noise.gpx"] == noise)
        #expect(summary.documents == 4)
    }

    @Test("an archive that is truncated anywhere is refused, without events")
    func truncated() {
        let bytes = ZipBuilder().build([StrangeZip.xml, StrangeZip.gpx, StrangeZip.cda])
        var random = SeededGenerator(seed: 62)
        for cut in (0..<60).map({ _ in random.below(bytes.count) }) + [4, 21, 22, bytes.count - 1] {
            var events = ExportEvents()
            #expect(throws: ExportError.self, "cut at \(cut)") { try Self.read(Array(bytes[..<cut]), events: &events) }
            #expect(events.all.isEmpty)
        }
    }

    @Test("random changes of an archive never trap")
    func mutated() {
        let bytes = ZipBuilder().build([
            StrangeZip.xml, StrangeZip.gpx.with { $0.zip64 = true }, StrangeZip.cda.with { $0.descriptor = true },
        ])
        var random = SeededGenerator(seed: 63)
        var (read, refused) = (0, 0)
        for _ in 0..<1_500 {
            var copy = bytes
            // Most changes are in the directory at the end.
            for _ in 0...random.below(3) {
                let at = random.chance(0.7) ? bytes.count - 1 - random.below(400) : random.below(bytes.count)
                copy[at] =
                    random.chance(0.3) ? random.pick([0, 0xFF, 0x7F, 0x80]) : UInt8(truncatingIfNeeded: random.next())
            }
            var events = ExportEvents()
            if (try? Self.read(copy, events: &events)) != nil { read += 1 } else { refused += 1 }
        }
        #expect(read > 100 && refused > 100)
    }

    @Test("an archive with more files than the limit is refused")
    func count() throws {
        var limits = ExportLimits()
        limits.entries = 50
        let many = (0..<60).map { ZipBuilder.Entry("d/\($0).csv", "\($0)") }
        var events = ExportEvents()
        do {
            _ = try Self.read(ZipBuilder().build([StrangeZip.xml] + many), limits: limits, events: &events)
            Issue.record("the archive was read")
        } catch {
            guard case .refused(let what, _, _) = error else { throw error }
            #expect(what.contains("more than 50 files"))
        }
        _ = try Self.read(ZipBuilder().build([StrangeZip.xml] + many.prefix(49)), limits: limits, events: &events)
        #expect(events.documents.count == 49)
    }

    @Test("documents over a limit are skipped, all others are read")
    func documentLimits() throws {
        var limits = ExportLimits()
        limits.documentBytes = 100
        limits.allDocumentBytes = 250
        let entries = [99, 101, 100, 60, 10].map {
            ZipBuilder.Entry("d/\($0).csv", [UInt8](repeating: 0x31, count: $0))
        }
        var events = ExportEvents()
        let summary = try Self.read(ZipBuilder().build([StrangeZip.xml] + entries), limits: limits, events: &events)
        #expect(events.documents.keys.sorted() == ["/d/10.csv", "/d/100.csv", "/d/99.csv"])
        #expect(summary.issues.counts == [.oversizedFile: 2])
        limits.xmlBytes = 100
        var none = ExportEvents()
        #expect(throws: ExportError.self) {
            try Self.read(ZipBuilder().build([StrangeZip.xml]), limits: limits, events: &none)
        }
    }

    @Test("damage inside a long XML keeps the records before it")
    func damagedInside() throws {
        let body = (0..<20_000).map { Sample.record("\($0 * 7_919 % 1_000)") }.joined(separator: "\n")
        var packed = ZipBuilder.deflate(Array(Sample.export(body).utf8))
        packed[packed.count / 2] ^= 0xFF
        let entry = ZipBuilder.Entry("export.xml", Sample.export(body)).with { $0.packedBytes = packed }
        var events = ExportEvents()
        let summary = try Self.read(ZipBuilder().build([entry]), events: &events)
        #expect(summary.records > 5_000)
        #expect(!summary.complete)
        #expect(summary.issues.counts[.damagedFile] == 1)
    }
}

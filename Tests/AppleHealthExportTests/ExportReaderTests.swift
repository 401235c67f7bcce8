// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport
import Testing

@testable import AppleHealthExport
@testable import KymographHealth

@Suite("T-1 exports of several versions are read")
struct ExportReaderTests {
    private static func read(_ path: String) throws -> (ExportEvents, ExportSummary) {
        var events = ExportEvents()
        let summary = try ExportReader.read(file: path, consumer: &events)
        return (events, summary)
    }

    @Test("an export of version 3 (iOS 9) is read")
    func version3() throws {
        let (events, summary) = try Self.read(Fixture.path("v03_tdda_iphone6s_2016.xml"))
        #expect(events.header?.version == 3 && events.header?.locale == "en_GB")
        #expect(events.header?.exportDate == "2016-04-15 07:27:26 +0100")
        #expect(events.header?.me.map(\.name).last == "HKCharacteristicTypeIdentifierFitzpatrickSkinType")
        #expect(summary.records == 15 && summary.elements == ["Workout": 1, "ActivitySummary": 2])
        #expect(summary.complete && summary.issues.counts.isEmpty && summary.kind == .xml)
        #expect(events.records[14].contains("startDate=2014-09-20 10:43:59 +0100"))
        #expect(events.records[14].contains("number=0.0059 canonical=true"))
        #expect(events.places[15] == "97:5919", "line and byte of the last record differ")
        #expect(events.lastProgress.read == summary.bytes && events.lastProgress.total == summary.bytes)
    }

    @Test("an export of version 8 (iOS 12) is read with beats and a device")
    func version8() throws {
        let (events, summary) = try Self.read(Fixture.path("v08_jdecool_fr_2019.xml"))
        #expect(events.header?.version == 8 && events.header?.locale == "fr_FR")
        #expect(summary.records == 13 && summary.complete && summary.issues.counts.isEmpty)
        let beats = try #require(events.records.first { $0.contains("VariabilitySDNN") })
        #expect(beats.contains("list {78@08:33:44,67}"))
        #expect(
            beats.contains(
                "device=<<HKDevice: >, name:Apple Watch, manufacturer:Apple, model:Watch, hardware:Watch4,2, "
                    + "software:5.1.1>"
            ))
    }

    @Test("exports without a document type are read, with routes as files or inline")
    func routes() throws {
        let (files, _) = try Self.read(Fixture.path("dogsheep_zip_2019.xml"))
        let workout = try #require(ExportElement(Array(files.elements[0].utf8)[...]))
        let route = try #require(workout.children.first { $0.name == "WorkoutRoute" })
        #expect(route["sourceName"] == "Simon’s iPhone")
        #expect(route.children.first?["path"] == "/workout-routes/route_2019-06-11_3.00pm.gpx")
        #expect(
            files.records[0].contains(
                "[Withings Link=withings-bd2://timeline/measure?userid=12345&date=482685932&type=1]"))
        #expect(
            files.records[1].contains("sourceName=Apple\u{A0}Watch")
                || files.records[1].contains("sourceName=Apple Watch"))
        let (inline, summary) = try Self.read(Fixture.path("dogsheep_inline_locations_2019.xml"))
        let points = try #require(ExportElement(Array(inline.elements[0].utf8)[...])).children.last?.children
        #expect(points?.count == 2 && points?.first?["latitude"] == "37.7777")
        #expect(summary.complete && summary.issues.counts.isEmpty)
    }

    @Test("end tags, another order of attributes and Cyrillic text are read")
    func endTags() throws {
        let (events, summary) = try Self.read(Fixture.path("aleksi_ru_fragment.xml"))
        #expect(events.header?.exportDate == "2019-12-26 08:20:53 +0300" && events.header?.me.count == 4)
        #expect(summary.records == 2 && summary.complete && summary.issues.counts.isEmpty)
        #expect(events.records[0].contains("[Original Source=MyWatch]"))
        #expect(events.records[1].contains("sourceName=Здоровье"))
    }

    @Test(
        "a document type alone and a route are not exports",
        arguments: ["healthkit11.dtd", "route_2019-06-11_3.00pm.gpx"])
    func strangers(_ name: String) throws {
        do {
            _ = try Self.read(Fixture.path(name))
            Issue.record("the file was read")
        } catch let error as ExportError {
            guard case .notAnExport = error else { throw error }
        }
    }

    @Test("the error names the kind of a file that is not an export")
    func otherFiles() throws {
        let files: [(String, [UInt8], String)] = [
            ("a.gz", [0x1F, 0x8B, 8, 0], "gzip"), ("a.xml", [0xFF, 0xFE, 0x3C, 0], "UTF-16"),
            ("a.7z", [0x37, 0x7A, 0xBC, 0xAF, 0x27], "7-Zip"),
            ("a.db", Array("SQLite format 3\0".utf8), "SQLite"), ("a.pdf", Array("%PDF-1.7".utf8), "PDF"),
            ("b.xml", [], "empty"),
            ("b.zip", [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18), "0 files"),
        ]
        let disk = MemoryDisk(
            directories: ["folder"], files: Dictionary(uniqueKeysWithValues: files.map { ($0.0, $0.1) }))
        for (name, _, seen) in files + [("folder", [], "a folder")] {
            var events = ExportEvents()
            do {
                _ = try ExportReader.read(file: name, on: disk, consumer: &events)
                Issue.record("\(name) was read")
            } catch {
                guard case .notAnExport(let what) = error else { throw error }
                #expect(what.contains(seen), "\(name): \(what)")
            }
        }
        var events = ExportEvents()
        do {
            _ = try ExportReader.read(file: "missing.xml", on: disk, consumer: &events)
        } catch {
            guard case .unreadable(let path, _) = error else { throw error }
            #expect(path.contains("missing.xml"))
        }
    }

    @Test("a read error of the disk is an error")
    func failingDisk() throws {
        let xml = Sample.export(String(repeating: Sample.record() + "\n", count: 10_000))
        for nth in 2...4 {
            let disk = try FaultyDisk(MemoryDisk(directories: [], files: ["export.xml": Array(xml.utf8)]))
            disk.inject(DiskFault([.read], nth: nth))
            var events = ExportEvents()
            do {
                _ = try ExportReader.read(file: "export.xml", on: disk, consumer: &events)
                Issue.record("read \(nth) did not fail")
            } catch {
                guard case .unreadable = error else { throw error }
                #expect(events.records.count < 10_000)
            }
        }
    }

    @Test("progress is reported about once per window, up to the end")
    func progress() throws {
        var limits = ExportLimits()
        limits.window = 4_096
        let xml = Array(Sample.export(String(repeating: Sample.record() + "\n", count: 1_000)).utf8)
        var events = ExportEvents()
        let summary = try ExportReader.read(xml: xml, limits: limits, consumer: &events)
        #expect(events.lastProgress == (UInt64(xml.count), UInt64(xml.count)))
        #expect(events.progressCalls > xml.count / 4_200 && events.progressCalls < xml.count / 3_000)
        #expect(summary.bytes == UInt64(xml.count))
    }
}

@Suite("T-1 exports that cannot be redistributed", .enabled(if: LocalData.folder != nil, "KYMO_LOCAL_DATA is not set"))
struct LocalExportTests {
    @Test("a real export of version 13 with routes is read")
    func version13() throws {
        guard let path = LocalData.path("v13_k0rventen_fr_2023.zip") else { return }
        var events = ExportEvents()
        let summary = try ExportReader.read(file: path, consumer: &events)
        #expect(summary.records == 8_038 && summary.documents == 2 && summary.complete)
        #expect(summary.issues.counts.isEmpty)
        #expect(events.records.reduce(0) { $0 + $1.count { $0 == "{" } } == 13_081, "beats")
        #expect(events.records.count { $0.contains(" list") } == 400)
        #expect(
            events.documents.keys.sorted() == [
                "/workout-routes/route_2019-09-24_1.07pm.gpx", "/workout-routes/route_2019-10-04_12.59pm.gpx",
            ])
        #expect(events.records.contains { $0.contains("unit=mL/min·kg") || $0.contains("·") })
    }

    @Test("the same export with a document type that is closed twice is read")
    func brokenDoctype() throws {
        guard let path = LocalData.path("v13_k0rventen_broken_dtd.zip") else { return }
        var events = ExportEvents()
        let summary = try ExportReader.read(file: path, consumer: &events)
        #expect(summary.records == 8_038 && summary.complete)
        #expect(summary.issues.counts == [.malformedDTD: 1])
    }

    @Test("a handmade export of version 14 is read")
    func version14() throws {
        guard let path = LocalData.path("v14_grll_2025_handmade.xml") else { return }
        var events = ExportEvents()
        let summary = try ExportReader.read(file: path, consumer: &events)
        #expect(summary.records == 26 && summary.complete)
        #expect(summary.elements == ["Correlation": 1, "Workout": 2, "ActivitySummary": 3])
        #expect(
            events.records.contains { $0.contains("{72@7:47:41.86 PM}") || $0.contains("{72@7:47:41.86\u{202F}PM}") })
    }

    @Test("fragments without a root are read")
    func fragments() throws {
        for (name, records, workouts) in [
            ("nicolas_record_heart_rate.xml", 14, 0), ("nicolas_workout_running_long_distance.xml", 0, 1),
            ("nicolas_workout_running_multiple_parts.xml", 0, 1),
        ] {
            guard let path = LocalData.path(name) else { continue }
            var events = ExportEvents()
            let summary = try ExportReader.read(file: path, consumer: &events)
            #expect(summary.records == records && summary.elements["Workout", default: 0] == workouts)
            #expect(!summary.complete && summary.issues.counts[.missingRoot] == 1)
        }
        guard let path = LocalData.path("nicolas_workout_running_multiple_parts.xml") else { return }
        var events = ExportEvents()
        _ = try ExportReader.read(file: path, consumer: &events)
        let workout = try #require(ExportElement(Array(events.elements[0].utf8)[...]))
        #expect(workout.children.count { $0.name == "WorkoutActivity" } == 17)
        #expect(DeviceDescription(workout["device"] ?? "")?["creation date"] == "2025-08-14 23:49:07 +0000")
    }
}

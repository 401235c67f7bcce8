// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import KymographHealth
import TestSupport
import Testing

@testable import AppleHealthExport

@Suite("T-1 import of unpacked archives: folders, and XML with folders beside it")
struct ImportFolderTests {
    /// The XML names two routes and a clinical record.
    private static let xml = exportText(
        stepText + """

             <Workout workoutActivityType="HKWorkoutActivityTypeWalking" sourceName="A" \
            startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 11:00:00 +0100">
              <WorkoutRoute sourceName="A" startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 11:00:00 +0100">
               <FileReference path="/workout-routes/route_1.gpx"/>
              </WorkoutRoute>
              <WorkoutRoute sourceName="A" startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 11:00:00 +0100">
               <FileReference path="/workout-routes/Caf\u{E9} &amp; co.gpx"/>
              </WorkoutRoute>
             </Workout>
             <ClinicalRecord type="AllergyIntolerance" identifier="1" sourceName="A" sourceURL="" fhirVersion="1" \
            receivedDate="2024-01-01 10:00:00 +0100" resourceFilePath="/clinical-records/Allergy-1.json"/>
            """)

    private static func route(_ latitude: Int) -> String {
        #"<gpx><trkpt lat="\#(latitude)" lon="1"><time>2024-01-01T09:00:00Z</time></trkpt></gpx>"#
    }

    private static let others: [(name: String, text: String)] = [
        ("export_cda.xml", "<ClinicalDocument/>"),
        ("workout-routes/route_1.gpx", route(1)),
        ("workout-routes/Caf\u{E9} & co.gpx", route(2)),
        ("electrocardiograms/ecg_2024-01-01.csv", "Name,Ann\nKlassifizierung,?\n"),
        ("clinical-records/Allergy-1.json", "{}"),
        ("attachments/scan.PDF", "%PDF-1.7"),
        (".DS_Store", "clutter"),
    ]

    private func write(_ text: String, _ path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Writes the files of an export to a folder, and returns its path.
    @discardableResult
    private func unpack(
        _ bench: ImportBench, into folder: String = "unpacked/apple_health_export", xml: String = "export.xml",
        renamed: (String) -> String = { $0 }
    ) throws -> String {
        let folder = bench.directory.file(folder)
        try write(Self.xml, folder + "/" + xml)
        for (name, text) in Self.others { try write(text, folder + "/" + renamed(name)) }
        return folder
    }

    private func archive(_ bench: ImportBench, xml: String = "export.xml") throws -> String {
        let entries = [(xml, Self.xml)] + Self.others.map { ($0.name, $0.text) }
        let path = bench.directory.file("export.zip")
        let bytes = ZipBuilder().build(entries.map { ZipBuilder.Entry("apple_health_export/" + $0.0, $0.1) })
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func documents(_ bench: ImportBench) throws -> [String: String] {
        try bench.store.documents().reduce(into: [:]) { found, one in
            found[one.path] = String(decoding: try bench.store.documentBytes(one.id) ?? [], as: UTF8.self)
        }
    }

    /// Checks that two stores have the same contents.
    private func expectEqual(_ one: ImportBench, _ two: ImportBench) throws {
        #expect(try one.records().counts == two.records().counts)
        #expect(try one.objects().counts == two.objects().counts)
        #expect(try documents(one) == documents(two))
        #expect(try documents(one).count == 5)
    }

    @Test(
        "a folder and its archive give equal stores, and a second import in the other form adds nothing",
        arguments: ["export.xml", "exportaci\u{F3}n.xml", "\u{5BFC}\u{51FA}.XML"])
    func equal(name: String) throws {
        let (packed, unpacked) = (try ImportBench(), try ImportBench())
        let zip = try archive(packed, xml: name)
        let folder = try unpack(unpacked, xml: name)
        let first = try packed.importFile(zip)
        // The folder of the XML, or the folder around it.
        let second = try unpacked.importFile(unpacked.directory.file("unpacked"))
        try expectEqual(packed, unpacked)
        for outcome in [first, second] {
            #expect(outcome.added == 1 && outcome.objectsAdded == 2 && outcome.documentsAdded == 5)
            #expect(outcome.complete && outcome.missing == 0)
        }
        #expect(first.skipped == second.skipped && first.repaired == second.repaired)
        #expect(try unpacked.importFile(folder).committed == false)
        #expect(try unpacked.importFile(folder + "/").committed == false)
        #expect(try unpacked.importFile(zip).committed == false)
        #expect(try packed.importFile(folder).committed == false)
        #expect(try packed.importFile(folder + "/" + name).committed == false)
    }

    @Test("an XML with the folders beside it is imported like the folder, in any case and form of accents")
    func beside() throws {
        let (whole, alone) = (try ImportBench(), try ImportBench())
        try whole.importFile(try archive(whole))
        let folder = try unpack(alone) { name in
            name.replacingOccurrences(of: "workout-routes", with: "Workout-Routes")
                .replacingOccurrences(of: "Caf\u{E9}", with: "CAFE\u{301}")
        }
        // A file that the Health app does not write there.
        try write("a private letter", folder + "/letter.pdf")
        let outcome = try alone.importFile(folder + "/export.xml")
        // The recording is no electrocardiogram.
        #expect(outcome.documentsAdded == 5 && outcome.missing == 0 && outcome.skipped == 1)
        #expect(try alone.importFile(folder + "/export.xml").committed == false)
        #expect(try documents(alone).values.sorted() == documents(whole).values.sorted())
    }

    @Test("the accents of a name may be composed or decomposed")
    func accents() throws {
        let bench = try ImportBench()
        try bench.importFile(try archive(bench))
        let folder = try unpack(bench) { $0.replacingOccurrences(of: "\u{E9}", with: "e\u{301}") }
        let outcome = try bench.importFile(folder)
        #expect(outcome.missing == 0 && outcome.documentsUnchanged == 5 && !outcome.committed)
    }

    @Test("the outcome counts and names the files that the XML names and that are missing")
    func missing() throws {
        let bench = try ImportBench()
        let path = bench.directory.file("alone/export.xml")
        try write(Self.xml, path)
        let outcome = try bench.importFile(path)
        #expect(outcome.missing == 3 && outcome.complete && outcome.skipped == 0)
        let names = [
            "workout-routes/Caf\u{E9} & co.gpx", "workout-routes/route_1.gpx", "clinical-records/Allergy-1.json",
        ]
        #expect(outcome.missingFiles == names && outcome.lacksFolder)
        // Files that the store has are not missing.
        #expect(try bench.importFile(unpack(bench)).documentsAdded == 5)
        #expect(try bench.importFile(path).missing == 0)

        // A folder without some of its files is no missing folder.
        let other = try ImportBench()
        let folder = try unpack(other)
        try FileManager.default.removeItem(atPath: folder + "/workout-routes/route_1.gpx")
        let part = try other.importFile(folder)
        #expect(part.missingFiles == ["workout-routes/route_1.gpx"] && !part.lacksFolder)

        let routes = (0..<150).map { #"<Workout><FileReference path="/workout-routes/\#($0).gpx"/></Workout>"# }
        let many = try bench.importText(exportText(routes.joined(separator: "\n")))
        #expect(many.missing == 150 && many.missingFiles.count == 100)
    }

    @Test("links and special files in a folder are skipped, and links lead nowhere")
    func links() throws {
        let bench = try ImportBench()
        let folder = try unpack(bench)
        try write("<gpx>outside</gpx>", bench.directory.file("outside/secret.gpx"))
        let links = [
            "workout-routes/out.gpx": "outside/secret.gpx", "Attachments": "outside",
            "workout-routes/up": "unpacked",
        ]
        for (link, target) in links {
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/" + link, withDestinationPath: bench.directory.file(target))
        }
        #expect(unsafe mkfifo(folder + "/workout-routes/pipe.gpx", 0o600) == 0)
        let outcome = try bench.importFile(folder)
        #expect(outcome.documentsAdded == 5 && outcome.skipped == 5)
        #expect(outcome.issues.count { $0.reason == .unsafeName && "\($0)".hasPrefix("in the folder: skipped: ") } == 4)
        #expect(try !documents(bench).values.contains { $0.contains("outside") })

        // The folder itself may be named by a link; the XML in it may not be one.
        let link = bench.directory.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder)
        #expect(try bench.importFile(link).committed == false)
        try FileManager.default.moveItem(atPath: folder + "/export.xml", toPath: bench.directory.file("export.xml"))
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/export.xml", withDestinationPath: bench.directory.file("export.xml"))
        #expect { try bench.importFile(folder) } throws: {
            "\($0)".contains("without an XML whose root is HealthData; a symbolic link: ")
        }
    }

    @Test("a folder without an export is refused, and of two exports the larger one is read")
    func others() throws {
        let bench = try ImportBench()
        try write("dear diary", bench.directory.file("diary/2024.xml"))
        #expect { try bench.importFile(bench.directory.file("diary")) } throws: {
            "\($0)".contains("a folder of 1 file (2024.xml) without an XML whose root is HealthData")
        }
        try write("PK", bench.directory.file("diary/export.zip"))
        #expect { try bench.importFile(bench.directory.file("diary")) } throws: {
            "\($0)".hasSuffix("; to import export.zip, name it instead")
        }
        try unpack(bench, into: "two/old")
        try write(exportText(stepText), bench.directory.file("two/new/export.xml"))
        let outcome = try bench.importFile(bench.directory.file("two"))
        #expect(outcome.documentsAdded == 5 && outcome.issues.map(\.reason).contains(.secondExport))
    }

    @Test("a document that cannot be read is skipped, and a folder of too many files is refused")
    func limits() throws {
        let bench = try ImportBench()
        let folder = try unpack(bench)
        var limits = ExportLimits()
        limits.documentBytes = 10
        let outcome = try AppleHealthImporter.importFile(folder, into: bench.store, limits: limits, capacity: 100)
        #expect(outcome.issues.count { $0.reason == .oversizedFile } == 3 && outcome.documentsAdded == 2)
        limits.entries = 3
        #expect {
            try AppleHealthImporter.importFile(folder, into: bench.store, limits: limits, capacity: 100)
        } throws: { "\($0)".contains("more than 3 files") }
    }

    @Test("an import of a folder can be cancelled between the documents")
    func cancelled() throws {
        let bench = try ImportBench()
        let folder = try unpack(bench)
        var calls = 0
        #expect(throws: ImportError.self) {
            try bench.importFile(folder) { _ in
                calls += 1
                return calls < 4
            }
        }
        #expect(try bench.store.documents().isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-1 kymo import: folders, XML alone, standard input")
struct KymoImportFormsTests {
    private struct Report: Decodable {
        struct File: Decodable {
            var file: String
            var added: Int?
            var documentsAdded: Int?
            var missing: Int?
            var missingFiles: [String]?
            var changed: Bool?
            var error: String?
        }
        var files: [File]
    }

    private let directory: TemporaryDirectory
    private let sample = repository.appendingPathComponent("Docs/Samples/dogsheep_zip_2019")

    init() throws { directory = try TemporaryDirectory() }

    private func report(_ arguments: String..., after shell: String? = nil) throws -> Report.File {
        let arguments = ["import"] + arguments + ["--json"]
        return try decodeOutput(Report.self, Tool.kymo.run(arguments, after: shell)).files[0]
    }

    private func export(_ store: String) throws -> String {
        let outcome = try Tool.kymo.run(["export", "--store", directory.file(store), "--format", "jsonl"])
        #expect(outcome.code == 0)
        return outcome.output.split(separator: "\n").map { $0.split(separator: "\"uuid\"")[0] }.joined(separator: "\n")
    }

    @Test("a folder and the XML in it are imported with the route, and the stores are equal")
    func folder() throws {
        let first = try report(sample.path, "--store", directory.file("a"))
        #expect(first.documentsAdded == 1 && first.missing == 0 && first.missingFiles == [])
        let second = try report(sample.path + "/export.xml", "--store", directory.file("b"))
        #expect(second.added == first.added && second.documentsAdded == 1)
        #expect(try export("a") == export("b"))
        #expect(try report(sample.path, "--store", directory.file("b")).changed == false)
    }

    @Test("an XML without its route is imported with a note that names the route, and the status is 0")
    func alone() throws {
        try FileManager.default.copyItem(
            at: sample.appendingPathComponent("export.xml"),
            to: URL(fileURLWithPath: directory.file("export.xml")))
        let outcome = try Tool.kymo.run(["import", directory.file("export.xml"), "--store", directory.file("a")])
        #expect(outcome.code == 0)
        let route = "workout-routes/route_2019-06-11_3.00pm.gpx"
        #expect(outcome.errors.contains("note: 1 file that the XML names is missing: \(route); import export.zip"))
        let file = try report(directory.file("export.xml"), "--store", directory.file("b"))
        #expect(file.missing == 1 && file.missingFiles == [route])
    }

    @Test("the note names routes first and has advice only for a missing folder; --all-issues lists the names")
    func missing() throws {
        let folder = directory.file("export")
        try FileManager.default.createDirectory(
            atPath: folder + "/workout-routes", withIntermediateDirectories: true)
        let routes = (0..<130).map { #"<Workout><FileReference path="/workout-routes/\#($0).gpx"/></Workout>"# }
        let record =
            #"<ClinicalRecord type="AllergyIntolerance" identifier="1" sourceName="A" sourceURL="" fhirVersion="1" "#
            + #"receivedDate="2024-01-01 10:00:00 +0100" resourceFilePath="/clinical-records/a.json"/>"#
        try exportText([record] + routes).write(toFile: folder + "/export.xml", atomically: true, encoding: .utf8)
        func errors(_ arguments: String...) throws -> String {
            try Tool.kymo.run(["import", folder, "--store", directory.file("store")] + arguments).errors
        }
        let first = try errors()
        #expect(first.contains("note: 131 files that the XML names are missing: workout-routes/0.gpx, "), "\(first)")
        #expect(first.contains("/10.gpx, ... (--all-issues lists more); import export.zip, or the whole"), "\(first)")
        let all = try errors("--all-issues").split(separator: "\n")
        #expect(all.contains("    workout-routes/0.gpx") && all.last == "    ... and 31 more", "\(all)")
        // With files of both folders there is no better copy.
        try "<gpx/>".write(toFile: folder + "/workout-routes/0.gpx", atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(
            atPath: folder + "/clinical-records", withIntermediateDirectories: true)
        try "{}".write(toFile: folder + "/clinical-records/a.json", atomically: true, encoding: .utf8)
        let part = try errors()
        #expect(part.contains("note: 129 files that the XML names are missing: workout-routes/1.gpx"), "\(part)")
        #expect(!part.contains("import export.zip"), "\(part)")
    }

    @Test("an export is read from a file or a pipe as standard input", arguments: ["export.xml", "export.zip"])
    func input(name: String) throws {
        let path = name == "export.zip" ? SampleStore.export : sample.path + "/" + name
        let direct = try report(path, "--store", directory.file("a"))
        let pipe = directory.file("pipe")
        for (store, shell) in [
            ("b", "exec < '\(path)'"), ("c", "mkfifo '\(pipe)'; cat '\(path)' > '\(pipe)' & exec < '\(pipe)'"),
        ] {
            let file = try report("-", "--store", directory.file(store), after: shell)
            #expect(file.file == "standard input" && file.added == direct.added)
            // A single XML has no files beside it.
            #expect(file.documentsAdded == (name == "export.zip" ? direct.documentsAdded : 0))
            #expect(try export(store) == export("a"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory.file(store)).allSatisfy {
                    !$0.contains("import")
                })
            #expect(try report(path, "--store", directory.file(store)).added == 0)
        }
    }

    @Test("errors of standard input name it, leave no store, and it can be given only once")
    func wrongInput() throws {
        let store = directory.file("store")
        for (shell, text) in [
            ("exec < /dev/null", "an empty file"), ("exec < '\(directory.path)'", "cannot be read"),
            ("exec < '\(repository.path)/LICENSE'", "not an export"), ("exec <&-", "cannot be read"),
        ] {
            let outcome = try Tool.kymo.run(["import", "-", "--store", store], after: shell)
            #expect(outcome.code == 1, "\(shell)")
            let errors = outcome.errors
            #expect(errors.hasPrefix("kymo: standard input") && errors.contains(text), "\(shell): \(errors)")
            #expect(!FileManager.default.fileExists(atPath: store))
        }
        let twice = try Tool.kymo.run(["import", "-", "-", "--store", store])
        #expect(twice.code == 64 && twice.errors.contains("only once"))
    }

    @Test("a copy of an archive that does not fit on the disk is an error, and nothing is stored")
    func full() throws {
        let store = directory.file("store")
        let outcome = try Tool.kymo.run(
            ["import", "-", "--store", store], after: "ulimit -f 500; exec < '\(SampleStore.export)'")
        #expect(outcome.code == 1)
        #expect(
            outcome.errors.hasPrefix("kymo: standard input") && outcome.errors.contains("its temporary copy failed"))
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test("an interrupt ends the wait for input, with status 130 and without a temporary file")
    func interrupted() throws {
        let store = directory.file("store")
        let process = Process()
        let pipe = Pipe()
        process.executableURL = Tool.directory.appendingPathComponent("kymo")
        process.arguments = ["import", "-", "--store", store]
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The beginning of an archive, which never ends.
        pipe.fileHandleForWriting.write(Data([0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 2_000_000)))
        // The file without a name is among the open files of the process when the first bytes are copied.
        let files = "/proc/\(process.processIdentifier)/fd"
        var hasCopy = false
        for _ in 0..<1_000 where process.isRunning && !hasCopy {
            let links = (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
            hasCopy = links.contains {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: files + "/" + $0)
                return target?.contains("import.tmp (deleted)") == true
            }
            usleep(10_000)
        }
        #expect(hasCopy && FileManager.default.fileExists(atPath: store))
        #expect(!FileManager.default.fileExists(atPath: store + "/import.tmp"))
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 130)
        #expect(!FileManager.default.fileExists(atPath: store))
        try pipe.fileHandleForWriting.close()
    }
}

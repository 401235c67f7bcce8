// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-1 kymo import: summary, idempotence, exit codes")
struct KymoImportTests {
    private struct Report: Decodable {
        struct File: Decodable {
            var records: Int?
            var added: Int?
            var unchanged: Int?
            var documentsAdded: Int?
            var changed: Bool?
            var error: String?
            var issues: [Issue]?
        }
        struct Issue: Decodable {
            var kind: String
            var line: Int?
            var byte: Int
        }
        var files: [File]
        var interrupted: Bool
    }

    private func write(_ text: String, _ directory: TemporaryDirectory, _ name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.file(name)))
        return directory.file(name)
    }

    @Test("the sample export is imported completely, and a second import adds nothing")
    func idempotent() throws {
        let manifest = try SampleManifest.load()
        let first = try decodeOutput(Report.self, #require(SampleStore.imported)).files[0]
        #expect(first.records == manifest.records)
        #expect(first.added == manifest.records)
        #expect(first.documentsAdded == 5)

        let directory = try TemporaryDirectory()
        let sample = repository.appendingPathComponent("Docs/Samples/v03_tdda_iphone6s_2016.xml").path
        let store = directory.file("new/deep/store")
        let fresh = try Tool.kymo.run(["import", sample, "--store", store])
        #expect(fresh.code == 0)
        #expect(fresh.output.contains("15 records, 15 new in "))
        let contents = "from 13 September 2014 to 20 September 2014: 2 types, 1 source, 1 workout"
        #expect(fresh.output.split(separator: "\n").last?.hasPrefix(contents) == true, "\(fresh.output)")
        #expect(fresh.output.split(separator: "\n").count == 2)
        let again = try Tool.kymo.run(["import", sample, "--store", store])
        #expect(again.code == 0)
        #expect(again.output.contains("15 records, nothing is new"))
        let json = try decodeOutput(Report.self, Tool.kymo.run(["import", sample, "--store", store, "--json"]))
        #expect(json.files[0].unchanged == 15)
        #expect(json.files[0].changed == false)
    }

    @Test("repaired and skipped records are listed with their place, and the status is 2")
    func issues() throws {
        let directory = try TemporaryDirectory()
        let bad = (0..<30).map { _ in recordText("HKQuantityTypeIdentifierStepCount", "2022-01-01", value: "many") }
        let good = recordText("HKQuantityTypeIdentifierStepCount", "2022-01-02", value: "7")
        let file = try write(exportText(bad + [good]), directory, "bad.xml")
        let store = directory.file("store")
        let outcome = try Tool.kymo.run(["import", file, "--store", store])
        #expect(outcome.code == 2)
        #expect(outcome.output.contains("30 skipped"))
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 21)
        #expect(lines.first?.contains("line 4, byte ") == true)
        #expect(lines.last?.contains("10 more") == true)
        let all = try Tool.kymo.run(["import", file, "--store", store, "--all-issues"])
        #expect(all.errors.split(separator: "\n").count == 30)
        #expect(all.code == 2)
        let json = try Tool.kymo.run(["import", file, "--store", store, "--json", "--all-issues"])
        let report = try JSONDecoder().decode(Report.self, from: Data(json.output.utf8))
        #expect(report.files[0].issues?.count == 30)
        #expect(report.files[0].issues?.first?.line == 4)
    }

    @Test("a file that is not an export is refused with status 1, and a missing file leaves no store")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        let missing = try Tool.kymo.run(["import", directory.file("nothing.zip"), "--store", store])
        #expect(missing.code == 1)
        #expect(missing.errors.contains("no such file"))
        #expect(!FileManager.default.fileExists(atPath: store))

        let text = try write("dear diary", directory, "diary.xml")
        let diary = try Tool.kymo.run(["import", text, "--store", store])
        #expect(diary.code == 1)
        #expect(!FileManager.default.fileExists(atPath: store), "the refused file left a store")
        let good = try write(
            exportText([recordText("HKQuantityTypeIdentifierStepCount", "2022-01-02", value: "7")]), directory,
            "good.xml")
        let both = try Tool.kymo.run(["import", text, good, "--store", store])
        #expect(both.code == 1)
        #expect(both.errors.contains("diary.xml"))
        #expect(both.output.contains("good.xml: 1 record, 1 new in"))
    }

    @Test("an interrupted import stores whole files only, leaves a sound store and ends with status 130")
    func interrupted() throws {
        let directory = try TemporaryDirectory()
        let some = (0..<1000).map {
            recordText("HKQuantityTypeIdentifierStepCount", "2022-01-02", value: "\($0)") + "\n"
        }.joined()
        let file = try write(exportText([String](repeating: some, count: 100)), directory, "large.xml")
        let store = directory.file("store")
        let process = Process()
        process.executableURL = Tool.directory.appendingPathComponent("kymo")
        // There are so many files that the signal arrives before the last one, even in a slow process.
        process.arguments = ["import", "--store", store] + [String](repeating: file, count: 100)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The signal handler is installed before the store is created.
        while process.isRunning, !FileManager.default.fileExists(atPath: store + "/LOCK") { sched_yield() }
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
        // If the signal arrived during the first file, the new store is removed.
        guard FileManager.default.fileExists(atPath: store) else { return }
        let verify = try Tool.kymo.run(["verify", "--store", store])
        #expect(verify.code == 0, "\(verify.output)\(verify.errors)")
        #expect(verify.output.hasPrefix("sound: 100,000 samples"))
    }
}

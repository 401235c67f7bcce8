// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("T-1 import of damaged files and of files that are not exports")
struct ImportDamageTests {
    @Test("every fixture is imported, or refused with a reason and without changes")
    func fixtures() throws {
        let folders = ["Tests/AppleHealthExportTests/Fixtures", "Docs/Samples"].map { repositoryFile($0) }
        var imported = 0
        for folder in folders {
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
                let path = folder + "/" + name
                if try URL(fileURLWithPath: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
                    continue
                }
                let bench = try ImportBench()
                do {
                    let outcome = try bench.importFile(path)
                    imported += 1
                    #expect(try bench.records().count == outcome.added, "\(name)")
                    #expect(
                        outcome.issues.isEmpty == (outcome.repaired + outcome.skipped + outcome.ignored == 0), "\(name)"
                    )
                    #expect(try bench.importFile(path).committed == false, "\(name)")
                } catch let error as ImportError {
                    #expect(!error.description.isEmpty)
                    #expect(try bench.store.info().sequence == 0, "\(name)")
                }
                #expect(try bench.store.verify().isSound, "\(name)")
            }
        }
        #expect(imported >= 5)
    }

    @Test("all complete records of a truncated file are imported")
    func truncated() throws {
        let path = repositoryFile("Docs/Samples/v08_jdecool_fr_2019.xml")
        let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        let bench = try ImportBench()
        var last = 0
        for length in stride(from: 0, through: whole.count, by: 311) {
            let cut = bench.directory.file("cut.xml")
            try Data(whole[..<length]).write(to: URL(fileURLWithPath: cut))
            do {
                let outcome = try bench.importFile(cut)
                #expect(!outcome.complete)
                #expect(outcome.added + outcome.unchanged >= last, "a longer piece has fewer records")
                last = outcome.added + outcome.unchanged
            } catch {
                #expect(last == 0, "\(error)")
            }
        }
        #expect(last > 8)
        #expect(try bench.importFile(path).complete)
        #expect(try bench.importFile(path).committed == false)
        let fresh = try ImportBench()
        try fresh.importFile(path)
        #expect(try fresh.records().counts == bench.records().counts)
    }

    @Test("invalid records are left out with line and byte, and all others are imported")
    func broken() throws {
        let good = stepText
        let bad = [
            good.replacing("value=\"1\"", with: "value=\"many\""), good.replacing("10:00:00", with: "25:00:00"),
            good.replacing("type=", with: "kind="),
            good.replacing("endDate=\"2024", with: "endDate=\"2023"),
        ]
        let early = good.replacing("2024-01-01 10:00:00", with: "1677-12-01 10:00:00")
        let bench = try ImportBench()
        let outcome = try bench.importText(exportText(([good] + bad + [early, good]).joined(separator: "\n")))
        #expect(outcome.added == 2)
        #expect(outcome.skipped == 5)
        #expect(outcome.issues.allSatisfy { $0.line > 5 && $0.offset > 100 })
        #expect(outcome.complete)
        #expect(try bench.store.imports().map(\.skipped) == [5])
    }

    @Test(
        "a file that is not an export changes nothing",
        arguments: [
            "", "hello", "<html><body/></html>", "{\"a\": 1}", "PK\u{3}\u{4}nothing", "<?xml version=\"1.0\"?><gpx/>",
        ])
    func refused(text: String) throws {
        let bench = try ImportBench()
        do {
            try bench.importText(text)
            Issue.record("imported \(text)")
        } catch let error as ImportError {
            guard case .export = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(try bench.store.info().sequence == 0)
        #expect(throws: ImportError.self) { try bench.importFile(bench.directory.file("missing")) }
        #expect(throws: ImportError.self) { try bench.importFile(bench.directory.path) }
    }

    @Test("a cancelled import stores nothing")
    func cancel() async throws {
        let record = stepText
        let text = exportText(String(repeating: record + "\n", count: 30_000))
        let bench = try ImportBench()
        var calls = 0
        do {
            try bench.importText(text, capacity: 1_000) { _ in
                calls += 1
                return calls < 3
            }
            Issue.record("the import did not stop")
        } catch let error as ImportError {
            guard case .cancelled = error else { throw error }
        }
        #expect(calls == 3)
        let path = bench.directory.file("text.xml")
        let store = bench.store
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return Result { try AppleHealthImporter.importFile(path, into: store) }
        }
        guard case .failure(let error) = await task.value, case .cancelled? = error as? ImportError else {
            Issue.record("the import was not cancelled")
            return
        }
        #expect(try store.info().sequence == 0)
        #expect(try store.info().segments == 0)
        #expect(try AppleHealthImporter.importFile(path, into: store).added == 30_000)
    }

    @Test("the number of series of one import is limited")
    func flood() throws {
        let bench = try ImportBench()
        let records = (0..<70).map { recordText("QuantityTypeIdentifierX\($0)", #"unit="u" value="1""#) }
        let path = bench.directory.file("flood.xml")
        let text = exportText(records.joined(separator: "\n") + records[7])
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let outcome = try AppleHealthImporter.importFile(
            path, into: bench.store, limits: ExportLimits(), capacity: 700_000, seriesLimit: 50)
        #expect(outcome.added == 51 && outcome.skipped == 20)
        #expect(outcome.issues.first?.reason == .limit)
        #expect(outcome.complete)
    }

    @Test("an import into a read-only store is refused")
    func readOnly() throws {
        let bench = try ImportBench()
        try bench.importText(exportText(""))
        let reader = try HealthStore.open(at: bench.store.path, mode: .readOnly)
        #expect(throws: ImportError.self) {
            try AppleHealthImporter.importFile(bench.directory.file("text.xml"), into: reader)
        }
    }
}

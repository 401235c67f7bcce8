// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("B-5 kymo-bench replaces report files atomically and checks output paths before it measures")
struct BenchOutputTests {
    private let files = FileManager.default

    /// Runs a small measurement that has a table, rows and a plot.
    private func size(_ more: [String], work: TemporaryDirectory) throws -> Tool.Outcome {
        try Tool.kymoBench.run(["size", "--small", "--sets", "energy", "--work", work.path] + more)
    }

    private func isReport(_ path: String) -> Bool {
        let data = files.contents(atPath: path) ?? Data()
        return (try? JSONSerialization.jsonObject(with: data)) is [String: Any]
    }

    @Test("a file is replaced through its links and keeps its mode, and no other file is left")
    func replaced() throws {
        let directory = try TemporaryDirectory()
        let (old, link, dangling) = (directory.file("old"), directory.file("link"), directory.file("dangling"))
        try Data("old".utf8).write(to: URL(fileURLWithPath: old))
        try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: old)
        try files.createSymbolicLink(atPath: link, withDestinationPath: "old")
        try files.createSymbolicLink(atPath: dangling, withDestinationPath: "new")
        let outcome = try size(["--json", link, "--markdown", dangling], work: directory)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(isReport(old))
        #expect(try files.attributesOfItem(atPath: old)[.posixPermissions] as? Int == 0o640)
        #expect(try files.destinationOfSymbolicLink(atPath: link) == "old")
        #expect(try files.destinationOfSymbolicLink(atPath: dangling) == "new")
        #expect(try String(contentsOfFile: directory.file("new"), encoding: .utf8) == outcome.output)
        let names = try files.contentsOfDirectory(atPath: directory.path)
        #expect(Set(names) == ["old", "link", "dangling", "new"])
    }

    @Test("- is standard output: with JSON there, the table goes to standard error")
    func dash() throws {
        let directory = try TemporaryDirectory()
        for name in ["-", "/dev/stdout"] {
            let outcome = try size(["--json", name], work: directory)
            #expect(outcome.code == 0 && outcome.errors.contains("| id |"), "\(outcome.errors)")
            #expect(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) is [String: Any])
        }
        let table = try size(["--markdown", "-"], work: directory)
        #expect(table.output.split(separator: "| id |").count == 2 && table.errors.isEmpty, "the table is printed once")
        let both = try size(["--json", "-", "--markdown", "/dev/stdout"], work: directory)
        #expect(both.code == 64 && both.errors.contains("both"))
        #expect(try files.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test("a device is written directly; if it fails, the table and the other file are written and the status is 1")
    func devices() throws {
        let directory = try TemporaryDirectory()
        let markdown = directory.file("table.md")
        let full = try size(["--json", "/dev/full", "--markdown", markdown], work: directory)
        #expect(full.code == 1 && full.errors.contains("/dev/full cannot be written: No space left"), "\(full.errors)")
        #expect(full.output.contains("| id |"))
        #expect(try String(contentsOfFile: markdown, encoding: .utf8) == full.output)
        let type = try files.attributesOfItem(atPath: "/dev/full")[.type] as? FileAttributeType
        #expect(type == .typeCharacterSpecial)
        let device = try size(["--json", "/dev/null"], work: directory)
        #expect(device.code == 0, "\(device.errors)")
    }

    @Test("a path that cannot be written is refused before anything is measured, and stays unchanged")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let (empty, file, circle) = (directory.file("empty"), directory.file("file"), directory.file("circle"))
        try files.createDirectory(atPath: empty, withIntermediateDirectories: false)
        try Data("kept".utf8).write(to: URL(fileURLWithPath: file))
        try files.createSymbolicLink(atPath: circle, withDestinationPath: "circle")
        for (more, hint) in [
            (["--json", empty], "is a directory"), (["--markdown", empty], "is a directory"),
            (["--json", directory.file("none/report.json")], "no directory"),
            (["--json", "\(file)/report.json"], "no directory"), (["--json", ""], "without a name"),
            (["--json", circle], "form a cycle"), (["--json", "/dev/fd/987654"], "it is not open"),
            (["--svg", file], "it is not a directory"),
            (["--svg", directory.file("none/plots")], "no directory"),
        ] {
            let outcome = try size(more, work: directory)
            #expect(outcome.code == 1 && outcome.errors.contains(hint), "\(more): \(outcome.errors)")
            #expect(outcome.output.isEmpty, "something was measured")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
        #expect(Set(try files.contentsOfDirectory(atPath: directory.path)) == ["empty", "file", "circle"])
    }

    @Test("a failed write keeps the old report and leaves no other file")
    func failed() throws {
        let directory = try TemporaryDirectory()
        let report = directory.file("report.json")
        try Data("kept".utf8).write(to: URL(fileURLWithPath: report))
        let program = Tool.directory.appendingPathComponent("kymo-bench").path
        // Files are limited to a thousand bytes; `operations` writes no other file.
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" operations --only sums --json \"$1\" --work \"$2\""
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, program, report, directory.path]
        let errors = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 1 && text.contains("report.json cannot be written"), "\(text)")
        #expect(try String(contentsOfFile: report, encoding: .utf8) == "kept")
        #expect(try files.contentsOfDirectory(atPath: directory.path) == ["report.json"])
    }

    @Test("SIGINT, SIGTERM and SIGHUP remove the stores and end the program by the signal", arguments: [2, 15, 1])
    func interrupted(_ number: Int32) throws {
        let directory = try TemporaryDirectory()
        let process = Process()
        process.executableURL = Tool.directory.appendingPathComponent("kymo-bench")
        // Growth runs a second process for each size.
        process.arguments = ["grow", "--up-to", "20G", "--work", directory.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { if process.isRunning { process.terminate() } }
        let store = directory.file("kymo-bench-\(process.processIdentifier)/growth")
        for _ in 0..<3_000 where process.isRunning && !files.fileExists(atPath: store) {
            Thread.sleep(forTimeInterval: 0.01)
        }
        #expect(files.fileExists(atPath: store))
        #expect(kill(process.processIdentifier, number) == 0)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
        #expect(try files.contentsOfDirectory(atPath: directory.path).isEmpty)
    }
}

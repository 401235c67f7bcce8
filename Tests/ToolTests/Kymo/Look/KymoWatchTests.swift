// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@Suite("T-6 E-13 kymo watch")
struct KymoWatchTests {
    private struct Line: Decodable {
        struct Added: Decodable {
            var start: String
            var value: Double
            var uuid: String
        }
        struct Deleted: Decodable {
            var from: String
            var uuids: [String]?
        }
        var added: Added?
        var deleted: Deleted?
        var anchor: String?
    }

    private func lines(_ outcome: Tool.Outcome) throws -> [Line] {
        #expect(outcome.code == 0, "\(outcome.errors)")
        return try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    @Test("watch prints all samples, then the deletions since an anchor, then nothing")
    func follows() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        _ = try Tool.kymo.run(["backup", SampleStore.path, directory.file("backup")])
        _ = try Tool.kymo.run(["restore", directory.file("backup"), store])
        let all = try lines(run("watch", "bodyMass", "--all", "--once", "--jsonl"))
        let stored = try run("query", "bodyMass", "--jsonl").output.split(separator: "\n")
        #expect(all.filter { $0.added != nil }.count == stored.count && all.count == stored.count + 1)
        let anchor = try #require(all.last?.anchor)
        _ = try run("delete", "bodyMass", "--from", "2022-05-03", "--to", "2022-05-04")
        let deleted = try lines(run("watch", "bodyMass", "--since", anchor, "--once", "--jsonl"))
        #expect(deleted.count >= 2 && deleted.dropLast().allSatisfy { $0.deleted != nil })
        let next = try #require(deleted.last?.anchor)
        let nothing = try lines(run("watch", "bodyMass", "--since", next, "--once", "--jsonl"))
        #expect(nothing.count == 1 && nothing[0].anchor == next)
        let people = try run("watch", "bodyMass", "--since", anchor, "--once")
        #expect(people.code == 0 && people.output.contains("  - all samples to "))
        _ = try run("delete", "bodyMass", "--all")
        let whole = try run("watch", "bodyMass", "--since", next, "--once").output.split(separator: "\n")
        #expect(!whole.isEmpty && whole.allSatisfy { $0.hasPrefix("- all samples  ") }, "\(whole)")
    }

    @Test("S-49 a command receives each change once, also over restarts, and again while it fails")
    func executes() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        _ = try Tool.kymo.run(["backup", SampleStore.path, directory.file("backup")])
        _ = try Tool.kymo.run(["restore", directory.file("backup"), store])
        let log = directory.file("log")
        func watch(_ command: String, _ more: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(["watch", "bodyMass", "--once", "--exec", command, "--store", store] + more)
        }
        func received() throws -> [Line] {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            try? FileManager.default.removeItem(atPath: log)
            return try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        }
        let write = "cat >> '\(log)'; test \"$KYMO_TYPE\" = HKQuantityTypeIdentifierBodyMass"
        let stored = try Tool.kymo.run(["query", "bodyMass", "--jsonl", "--store", store]).output.split(separator: "\n")
        #expect(try watch(write, "--all").code == 0)
        let first = try received()
        #expect(first.filter { $0.added != nil }.count == stored.count && first.last?.anchor != nil)
        #expect(try watch(write).code == 0)
        #expect(try received().isEmpty)
        _ = try Tool.kymo.run(
            ["delete", "bodyMass", "--from", "2022-05-03", "--to", "2022-05-04", "--store", store])
        // The command fails the first time.
        let flag = directory.file("flag")
        #expect(try watch("cat >> '\(log)'; test -e '\(flag)' || { touch '\(flag)'; exit 3; }").code == 0)
        let again = try received()
        #expect(again.count % 2 == 0 && again.count > 2 && again[0].deleted != nil)
        #expect(try watch(write).code == 0)
        #expect(try received().isEmpty)
        // Another name is another subscription, which starts with the next change.
        #expect(try watch(write, "--as", "second").code == 0)
        #expect(try received().isEmpty)
        #expect(try watch(write, "--as", "third", "--all").code == 0)
        #expect(try !received().isEmpty)
        // The input of the command is an unlinked file with mode 600.
        let about = directory.file("about")
        #expect(try watch("stat -L -c '%a %h' /dev/stdin > '\(about)'", "--as", "fourth", "--all").code == 0)
        #expect(try String(contentsOfFile: about, encoding: .utf8) == "600 0\n")
        #expect(try watch("true", "--since", "1").code == 64)
        #expect(try Tool.kymo.run(["watch", "bodyMass", "--as", "x", "--store", store]).code == 64)
    }

    @Test("watch runs until it is interrupted")
    func interrupted() throws {
        let process = Process()
        process.executableURL = Tool.directory.appendingPathComponent("kymo")
        process.arguments = ["watch", "bodyMass", "--all", "--store", SampleStore.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        #expect(try pipe.fileHandleForReading.read(upToCount: 1)?.count == 1)
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }

    @Test("invalid arguments are refused, and the error names an anchor of another store")
    func usage() throws {
        #expect(try kymo("watch", "bodyMass", "--since", "nonsense").code == 64)
        // The fifth commit of the store 00010203-..., in the form of `ChangeAnchor.text`.
        let other = "01000102030405060708090a0b0c0d0e0f0582e14d01"
        #expect(try kymo("watch", "bodyMass", "--since", other, "--all").code == 64)
        let refused = try kymo("watch", "bodyMass", "--since", other, "--once")
        #expect(refused.code == 64 && refused.errors.contains("another store"), "\(refused.errors)")
    }
}

@Suite("T-6 kymo watch: its end, and waiting for writers")
struct KymoWatchEndTests {
    private let directory: TemporaryDirectory
    private var store: String { directory.file("store") }

    init() throws {
        directory = try TemporaryDirectory()
        _ = try Tool.kymo.run(["backup", SampleStore.path, directory.file("backup")])
        _ = try Tool.kymo.run(["restore", directory.file("backup"), directory.file("store")])
    }

    /// Starts a watching command.
    private func begin(_ arguments: String...) throws -> Process {
        let process = Process()
        process.executableURL = Tool.directory.appendingPathComponent("kymo")
        process.arguments = ["watch", "bodyMass", "--all", "--store", store] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test("watch ends when its reader closes the pipe, also without changes")
    func closedPipe() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let tool = Tool.directory.appendingPathComponent("kymo").path
        let script = "{ timeout 60 \"$0\" watch bodyMass --all --store \"$1\"; echo $? >&2; } | head -n 1"
        process.arguments = ["-c", script, tool, store]
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        try process.run()
        let text = String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errors = String(decoding: err.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text.split(separator: "\n").count == 1)
        #expect(errors == "0\n")
    }

    @Test("a subscription waits for another process that writes, without a time limit")
    func waitsForWriter() throws {
        let lock = try #require(try RealDisk().lock(store + "/LOCK", exclusive: true, byte: 0))
        let process = try begin("--once", "--exec", "true")
        // Longer than the time limit of a save.
        Thread.sleep(forTimeInterval: 6.5)
        #expect(process.isRunning)
        lock.release()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }

    @Test("additions and deletions of other processes are printed while watch runs")
    func followsOthers() throws {
        let process = Process()
        process.executableURL = Tool.directory.appendingPathComponent("kymo")
        process.arguments = ["watch", "leanBodyMass", "--all", "--jsonl", "--store", store]
        let pipe = Pipe()
        process.standardOutput = pipe
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        #expect(try run("add", "leanBodyMass", "50", "kg").code == 0)
        try process.run()
        // Limits the time that the test waits for missing output.
        let watchdog = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: watchdog)
        defer {
            watchdog.cancel()
            process.interrupt()
            process.waitUntilExit()
        }
        var text = ""
        /// Reads until a line contains a text, and returns whether such a line came.
        func hears(_ wanted: String) -> Bool {
            while !text.split(separator: "\n").contains(where: { $0.contains(wanted) }) {
                let more = pipe.fileHandleForReading.availableData
                if more.isEmpty { return false }
                text += String(decoding: more, as: UTF8.self)
            }
            return true
        }
        #expect(hears("\"value\":50"))
        for value in 51...54 {
            let added = try run("add", "leanBodyMass", "\(value)", "kg")
            #expect(added.code == 0, "\(added.errors)")
            #expect(hears("\"uuid\":\"\(added.output.trimmingCharacters(in: .newlines))\""))
        }
        #expect(try run("delete", "leanBodyMass", "--all").code == 0)
        #expect(hears("\"deleted\""))
        let received = text.split(separator: "\n").filter { $0.contains("\"added\"") }
        #expect(received.count == 5, "additions were not printed once each: \(text)")
    }

    @Test("SIGTERM is passed on to the running command, and its changes are delivered again")
    func passesOn() throws {
        let (begun, ended) = (directory.file("begun"), directory.file("ended"))
        let process = try begin("--exec", "trap 'touch \(ended); exit 7' TERM; sleep 60 & touch \(begun); wait")
        while process.isRunning, !FileManager.default.fileExists(atPath: begun) { usleep(10_000) }
        let clock = ContinuousClock()
        let start = clock.now
        process.terminate()
        process.waitUntilExit()
        #expect(clock.now - start < .seconds(30))
        #expect(process.terminationReason == .exit && process.terminationStatus == 130)
        #expect(FileManager.default.fileExists(atPath: ended))
        let log = directory.file("log")
        let again = try Tool.kymo.run(
            ["watch", "bodyMass", "--once", "--exec", "cat > '\(log)'", "--store", store])
        #expect(again.code == 0)
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("added"))
    }

    @Test("names of subscriptions with control characters are refused")
    func names() throws {
        for name in ["a\tb", "a\nb", "\u{9B}2J"] {
            let outcome = try Tool.kymo.run(
                ["watch", "bodyMass", "--once", "--exec", "true", "--as", name, "--store", store])
            #expect(outcome.code == 64 && outcome.errors.contains("--as"), "\(outcome.errors)")
        }
    }
}

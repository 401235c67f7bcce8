// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-5 T-9 the programs under limits of the system and with a full output")
struct LimitTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Returns a copy of a store with segments and a tail.
    private func store() throws -> String {
        let path = directory.file("store")
        try FileManager.default.copyItem(atPath: SampleStore.path, toPath: path)
        #expect(try Tool.kymo.run(["add", "bodyMass", "70", "kg", "--store", path]).code == 0)
        return path
    }

    @Test(
        "help and version on a full device end with status 1 and a message",
        arguments: [
            (Tool.kymo, ["--version"]), (.kymo, ["--help"]), (.kymo, ["help"]), (.kymo, ["help", "stats"]),
            (.kymo, ["stats", "--help"]), (.kymo, ["--generate-completion-script", "bash"]),
            (.kymoBench, ["--version"]), (.kymoBench, ["--help"]), (.kymoBench, ["help", "size"]),
            (.chunkDump, ["--help"]),
        ])
    func fullDevice(_ tool: Tool, _ arguments: [String]) throws {
        let refused = try tool.run(arguments, after: "exec > /dev/full")
        #expect(refused.code == 1 && refused.errors.hasPrefix("\(tool.rawValue): "), "\(refused)")
        #expect(refused.errors.contains("No space left") && refused.errors.split(separator: "\n").count == 1)
        let whole = try tool.run(arguments)
        #expect(whole.code == 0 && !whole.output.isEmpty && whole.output.hasSuffix("\n") && whole.errors.isEmpty)
        // A closed pipe is not an error. Descriptor 3 is its only reader and is closed before the program starts.
        let pipe = directory.file("pipe")
        let closed = "mkfifo '\(pipe)'; exec 3<>'\(pipe)'; exec >'\(pipe)'; exec 3<&-"
        let gone = try tool.run(arguments, after: closed)
        #expect(gone.code == 0 && gone.errors.isEmpty, "\(gone)")
    }

    @Test("answers on a full device end with status 1 and a message")
    func fullAnswers() throws {
        for command in [
            ["types"], ["stats", "stepCount", "--by", "month"], ["export", "--format", "csv"], ["verify"],
        ] {
            let outcome = try Tool.kymo.run(command + ["--store", SampleStore.path], after: "exec > /dev/full")
            #expect(outcome.code == 1 && outcome.errors.contains("No space left"), "\(command): \(outcome)")
        }
        let dump = try Tool.chunkDump.run([SampleStore.path], after: "exec > /dev/full")
        #expect(dump.code == 1 && dump.errors.contains("No space left"), "\(dump)")
    }

    @Test("a file size limit is a full disk with a message, and no signal ends the program")
    func fileSize() throws {
        let path = try store()
        var refused = 0
        for blocks in [1, 8, 64] {
            let limit = "ulimit -f \(blocks)"
            for command in [
                ["add", "bodyMass", "71", "kg"], ["simulate", "--days", "30", "--with-other-sources"],
                ["import", SampleStore.export],
            ] {
                let outcome = try Tool.kymo.run(command + ["--store", path], after: limit)
                #expect([0, 1, 2].contains(outcome.code), "\(blocks) \(command): \(outcome)")
                if outcome.code == 1 {
                    refused += 1
                    #expect(outcome.errors.contains("ulimit -f"), "\(blocks) \(command): \(outcome.errors)")
                }
            }
        }
        // Standard output is a file here.
        for (tool, command) in [
            (Tool.kymo, ["export", "--format", "csv", "--store", path]), (.chunkDump, [path]), (.kymoBench, ["--help"]),
        ] {
            let outcome = try tool.run(command, after: "ulimit -f 1")
            #expect(outcome.code == 1 && outcome.errors.contains("ulimit -f"), "\(command): \(outcome)")
        }
        #expect(refused > 4)
        let sound = try Tool.kymo.run(["verify", "--store", path])
        #expect(sound.code == 0, "\(sound)")
    }

    @Test("with few descriptors every command works or gives an error, and verify finds no damage")
    func descriptors() throws {
        let path = try store()
        let backup = directory.file("backup")
        #expect(try Tool.kymo.run(["backup", "--store", path, backup]).code == 0)
        var refused = 0
        for count in Array(4...20) + [24, 28, 32] {
            let limit = "ulimit -n \(count)"
            for command in [
                ["verify", path], ["verify", backup], ["types", "--store", path],
                ["stats", "stepCount", "--store", path],
                ["add", "bodyMass", "71", "kg", "--store", path], ["info", "--store", path],
                ["backup", "--store", path, backup], ["restore", backup, directory.file("restored-\(count)")],
                ["repair", path, "--to", directory.file("repaired-\(count)")],
            ] {
                let outcome = try Tool.kymo.run(command, after: limit)
                // With even fewer descriptors the program cannot be started; these runs do not count.
                if outcome.code == 127 || outcome.errors.contains("shared libraries") { continue }
                #expect(outcome.code == 0 || outcome.code == 1, "\(count) \(command): \(outcome)")
                if outcome.code == 1 {
                    refused += 1
                    #expect(outcome.errors.contains("ulimit -n"), "\(count) \(command): \(outcome)")
                }
            }
            let dump = try Tool.chunkDump.run([path, "--verify"], after: limit)
            if dump.code == 127 || dump.errors.contains("shared libraries") { continue }
            #expect(dump.code == 0 || dump.code == 1 && dump.errors.contains("ulimit -n"), "\(count): \(dump)")
        }
        #expect(refused > 6)
        let sound = try Tool.kymo.run(["verify", path])
        #expect(sound.code == 0, "\(sound)")
    }

    @Test(
        "the remains of an interrupted restoration or repair are an error with status 1 and advice",
        arguments: ["RESTORE", "REPAIR"])
    func interrupted(_ mark: String) throws {
        let path = directory.file("place")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for name in [mark, "kymograph.sqlite.new"] { try Data().write(to: URL(fileURLWithPath: path + "/" + name)) }
        for command in [
            ["types"], ["info"], ["verify"], ["add", "bodyMass", "70", "kg"], ["import", SampleStore.export],
            ["repair", "--to", directory.file("new")], ["backup", directory.file("backup")], ["compact"],
        ] {
            let outcome = try Tool.kymo.run(command + ["--store", path])
            #expect(outcome.code == 1 && outcome.errors.contains("an interrupted "), "\(command): \(outcome)")
        }
    }

    @Test("verify of a backup with files of an interrupted later backup: sound, with remarks")
    func cutOffBackup() throws {
        let (path, backup) = (try store(), directory.file("backup"))
        #expect(try Tool.kymo.run(["backup", "--store", path, backup]).code == 0)
        let known = try FileManager.default.contentsOfDirectory(atPath: backup + "/segments")
        let simulate = ["simulate", "--days", "30", "--with-other-sources", "--store", path]
        #expect(try Tool.kymo.run(simulate).code == 0)
        #expect(try Tool.kymo.run(["compact", "--store", path]).code == 0)
        let all = try FileManager.default.contentsOfDirectory(atPath: path + "/segments")
        let later = try #require(all.first { !known.contains($0) })
        for name in [later, later + ".new"] {
            try FileManager.default.copyItem(atPath: path + "/segments/" + later, toPath: backup + "/segments/" + name)
        }
        let outcome = try Tool.kymo.run(["verify", backup])
        #expect(outcome.code == 0 && outcome.output.hasPrefix("sound backup"), "\(outcome)")
        #expect(outcome.errors.components(separatedBy: "is not in the backup's manifest").count == 3)
    }
}

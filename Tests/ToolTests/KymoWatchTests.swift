// SPDX-License-Identifier: Apache-2.0

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

    @Test("all samples, then from the anchor on what was deleted, then nothing")
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
    }

    @Test("it runs until it is interrupted")
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

    @Test("what makes no sense is refused; an anchor of another store says so")
    func usage() throws {
        #expect(try kymo("watch", "bodyMass", "--since", "nonsense").code == 64)
        // The fifth commit of the store 00010203-..., as `ChangeAnchor.text` says it.
        let other = "01000102030405060708090a0b0c0d0e0f0582e14d01"
        #expect(try kymo("watch", "bodyMass", "--since", other, "--all").code == 64)
        let refused = try kymo("watch", "bodyMass", "--since", other, "--once")
        #expect(refused.code == 64 && refused.errors.contains("another store"), "\(refused.errors)")
    }
}

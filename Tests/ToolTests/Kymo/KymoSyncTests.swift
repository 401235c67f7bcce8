// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("S-55 T-9 kymo sync")
struct KymoSyncTests {
    private let room: KeyRoom
    private var other: String { room.file("other") }

    init() throws {
        room = try KeyRoom()
        try room.done("import", KeyRoom.sample, "--json")
    }

    private struct Report: Decodable {
        struct Changes: Decodable {
            var samples: Int
            var objects: Int
            var deletions: Int
        }
        var peer: String
        var sent: Changes
        var received: Changes
    }

    private func sync(_ arguments: String...) throws -> Report {
        try decodeOutput(Report.self, room.run(["sync", "--json"] + arguments))
    }

    @Test("A new directory gets everything, and later synchronisations only what is new, in both directions")
    func directories() throws {
        let absent = try room.run("sync", other)
        #expect(absent.code == 1 && absent.errors.contains("no store"), "\(absent)")
        #expect(!room.exists(other))
        let first = try sync("--create", other)
        #expect(first.sent.samples == 15 && first.received.samples == 0)
        #expect(try room.content(other) == room.content(room.path))
        try room.done("add", "bodyMass", "70", "kg", "--store", other)
        let second = try sync(other)
        #expect(second.received.samples == 1 && second.sent.samples == 0)
        #expect(try room.content(other) == room.content(room.path))
        #expect(try room.run("sync", other).output.contains("nothing new"))
        #expect(try room.run("verify", other).code == 0)
        let list = try room.done("sync", "--list")
        #expect(list.contains(other) && list.contains(first.peer), "\(list)")
        #expect(try room.run("sync", "--forget", other).code == 0)
        #expect(try room.run("sync", "--forget", other).code == 1)
    }

    @Test("A command speaks for the other store")
    func commands() throws {
        try room.done("zone", "UTC", "--store", room.path)
        _ = try sync("--create", other)
        try room.done("add", "bodyMass", "71", "kg")
        let report = try sync("--command", "\(Tool.directory.path)/kymo sync --stdio --store \(other)")
        #expect(report.sent.samples == 1)
        #expect(try room.content(other) == room.content(room.path))
        let broken = try room.run("sync", "--command", "exit 3")
        #expect(broken.code == 1 && broken.errors.contains("other program ended"), "\(broken)")
        let noise = try room.run("sync", "--command", "echo hello, world, how are you")
        #expect(noise.code == 3 && noise.errors.contains("frame 0"), "\(noise)")
    }

    @Test("An encrypted store gives nothing to a plain one unasked, and each store has its own key")
    func encrypted() throws {
        try room.done("import", KeyRoom.sample, "--encrypt", "--json", "--key-file", room.key, "--store", other)
        try room.done("add", "bodyMass", "72", "kg")
        for direction in [["sync", other], ["sync", room.path, "--store", other]] {
            let refused = try room.run(direction + ["--key-file", room.key])
            #expect(refused.code == 1 && refused.errors.contains("--allow-plaintext"), "\(refused)")
        }
        let allowed = try room.run(["sync", other, "--allow-plaintext", "--other-key-file", room.key])
        #expect(allowed.code == 0, "\(allowed)")
        let all = try room.run(["stats", "bodyMass", "--store", other, "--key-file", room.key])
        #expect(all.code == 0 && all.output.contains("72"), "\(all)")
        let second = room.file("second")
        let another = try room.make(room.file("another key"))
        try room.done("import", KeyRoom.sample, "--encrypt", "--json", "--key-file", another, "--store", second)
        let both = try room.run(
            ["sync", second, "--store", other, "--key-file", room.key, "--other-key-file", another, "--json"])
        #expect(both.code == 0, "\(both)")
    }

    @Test("verify --against compares two stores, each with its own key, and names what differs")
    func comparison() throws {
        struct Comparison: Decodable {
            struct Difference: Decodable {
                var type: String
                var name: String?
                var start: String?
                var `in`: String
                var details: [String]
            }
            var equal: Bool
            var samples: Int
            var differenceCount: Int
            var differences: [Difference]
        }
        let (one, copy) = (room.file("one"), room.file("copy"))
        try room.done("import", KeyRoom.sample, "--encrypt", "--json", "--key-file", room.key, "--store", one)
        try room.done("backup", "--key-file", room.key, one, room.file("backup"))
        try room.done("restore", "--key-file", room.key, room.file("backup"), copy)
        let equal = try room.run("verify", one, "--against", copy, "--key-file", room.key)
        #expect(equal.code == 0 && equal.output.hasPrefix("equal: 15 samples"), "\(equal)")
        let another = try room.make(room.file("another key"))
        let other = room.file("changed")
        try room.done("import", KeyRoom.sample, "--encrypt", "--json", "--key-file", another, "--store", other)
        let arguments = ["verify", one, "--against", other, "--key-file", room.key, "--other-key-file", another]
        let imported = try room.run(arguments)
        // Each import gives its samples identities of their own.
        #expect(imported.code == 1 && imported.output.hasPrefix("different: "), "\(imported)")
        try room.done("add", "bodyMass", "70", "kg", "--store", copy, "--key-file", room.key)
        let different = try room.run("verify", one, "--against", copy, "--key-file", room.key)
        #expect(different.code == 1 && different.output.contains("bodyMass"), "\(different)")
        #expect(different.output.contains("only in \(copy)") && different.errors.contains("kymo sync"), "\(different)")
        let found = try room.run("verify", one, "--against", copy, "--key-file", room.key, "--json")
        #expect(found.code == 1)
        let report = try JSONDecoder().decode(Comparison.self, from: Data(found.output.utf8))
        #expect(!report.equal && report.differenceCount == 1 && report.differences.count == 1, "\(report)")
        #expect(report.differences.first?.in == "second" && report.differences.first?.name != nil, "\(report)")
        #expect(try room.run("verify", one, "--against", room.file("nothing"), "--key-file", room.key).code == 1)
        for wrong in [["--without-key"], ["--keys", room.key], ["--limit", "-1"]] {
            #expect(try room.run(["verify", one, "--against", copy] + wrong).code == 64, "\(wrong)")
        }
        #expect(try room.run(["verify", one, "--limit", "3"]).code == 64)
    }

    @Test("--keep prunes older samples here once the other store has them, and info names the first day")
    func history() throws {
        try room.done("add", "bodyMass", "73", "kg", "--start", "2024-03-10T08:00:00Z")
        let kept = try room.run("sync", "--create", "--keep", "7d", other)
        #expect(kept.code == 0 && kept.output.contains("the history begins on 2024-03-03"), "\(kept)")
        let (here, there) = (
            try room.done("export", "--format", "jsonl", "--store", room.path),
            try room.done("export", "--format", "jsonl", "--store", other)
        )
        #expect(!here.contains("StepCount") && there.contains("StepCount") && there.contains("BodyMass"))
        #expect(try room.run("info").output.contains("begins on 2024-03-03"))
        #expect(try !room.run("info", "--store", other).output.contains("begins on"))
        let old = try room.run("add", "bodyMass", "74", "kg", "--start", "2024-03-01T08:00:00Z")
        #expect(old.code == 64 && old.errors.contains("history"), "\(old)")
        let again = try sync(other)
        #expect(again.received.samples == 0 && again.sent.samples == 0)
        #expect(try room.run("verify").code == 0)
    }

    @Test("Unclear arguments are refused")
    func arguments() throws {
        for wrong in [
            [], [other, "--stdio"], ["--pull", "--push", other], ["--list", other], ["--keep", "7", other],
            ["--keep", "0d", other], ["--list", "--keep", "7d"],
        ] {
            #expect(try room.run(["sync"] + wrong).code == 64, "\(wrong)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@Suite("T-3 E-12 concurrent kymo commands that write one store")
struct KymoTogetherTests {
    private struct Item: Decodable {
        var value: Double
        var uuid: String
    }

    private let directory: TemporaryDirectory
    private var store: String { directory.file("store") }

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ arguments: [String]) throws -> Tool.Outcome {
        try Tool.kymo.run(arguments, environment: ["KYMO_STORE": store, "TZ": "UTC"])
    }

    /// Returns the outcomes of commands that start together.
    private func together(_ commands: [[String]]) throws -> [Tool.Outcome] {
        try onThreads(commands.count) { number in Result { try run(commands[number]) } }.map { try $0.get() }
    }

    private func identities(_ type: String) throws -> Set<String> {
        Set(try decodeOutput([Item].self, run(["query", type, "--json"])).map(\.uuid))
    }

    private var sample: String {
        repository.appendingPathComponent("Docs/Samples/dogsheep_zip_2019/export.xml").path
    }

    @Test("concurrent commands without a store create one store, and nothing is lost")
    func making() throws {
        let adding = (0..<5).map { ["add", "bodyMass", "\(60 + $0)", "kg"] }
        let outcomes = try together(adding + [["import", "--quiet", sample], ["import", "--quiet", sample]])
        for outcome in outcomes { #expect(outcome.code == 0, "\(outcome.errors)") }
        let added = outcomes.prefix(5).map { $0.output.trimmingCharacters(in: .newlines) }
        #expect(try identities("bodyMass").isSuperset(of: added) && Set(added).count == 5)
        // The store has the file of both imports, so that a third import adds nothing.
        let again = try run(["import", "--quiet", sample])
        #expect(again.code == 0 && again.output.contains("nothing is new"), "\(again.output)")
        #expect(try run(["verify"]).code == 0)
    }

    @Test("concurrent additions, deletions, imports, preferences and merges wait for each other and all complete")
    func everything() throws {
        for day in 1...3 {
            let start = "2020-01-0\(day)T08:00"
            #expect(try run(["add", "stepCount", "\(day)", "count", "--start", start]).code == 0)
        }
        let source = try run(["sources", "--csv"]).output.split(separator: "\n")[1].split(separator: ",")[0]
        let before = try identities("stepCount")
        var commands = (0..<4).map { ["add", "stepCount", "\(100 + $0)", "count", "--start", "2021-05-0\($0 + 1)"] }
        for day in 1...3 {
            commands.append(["delete", "stepCount", "--from", "2020-01-0\(day)", "--to", "2020-01-0\(day)"])
        }
        commands += [
            ["import", "--quiet", sample], ["prefer", "stepCount", String(source)], ["compact", "--quiet"],
            ["simulate", "--store", store, "--days", "1", "--from", "2023-03-01", "--with-other-sources"],
        ]
        let outcomes = try together(commands)
        for (command, outcome) in zip(commands, outcomes) {
            #expect(outcome.code == 0, "\(command): \(outcome.errors)")
        }
        for outcome in outcomes[4..<7] { #expect(outcome.output.hasPrefix("deleted 1 sample of"), "\(outcome.output)") }
        let now = try identities("stepCount")
        let added = outcomes.prefix(4).map { $0.output.trimmingCharacters(in: .newlines) }
        #expect(now.isSuperset(of: added) && now.isDisjoint(with: before))
        #expect(try run(["prefer", "stepCount"]).output.contains("chosen"))
        #expect(try run(["verify"]).code == 0)
    }

    @Test(
        "a command ends with an error if another process keeps writing, and nothing is stored",
        arguments: ["import", "delete", "prefer", "compact"])
    func staying(command: String) throws {
        #expect(try run(["add", "stepCount", "1", "count"]).code == 0)
        let before = try identities("stepCount")
        let lock = try #require(try RealDisk().lock(store + "/LOCK", exclusive: true, byte: 0))
        defer { lock.release() }
        let more = [
            "import": ["--quiet", sample], "delete": ["stepCount", "--all"], "prefer": ["stepCount", "--reset"],
        ]
        let outcome = try run([command] + (more[command] ?? []))
        #expect(outcome.code == 1 && outcome.errors.contains("another process has been writing this store"))
        #expect(try identities("stepCount") == before)
    }

    @Test("a refused file leaves no store and does not remove another program's")
    func refused() throws {
        let bad = directory.file("bad.xml")
        try Data("<nothing/>".utf8).write(to: URL(fileURLWithPath: bad))
        #expect(try run(["import", "--quiet", bad]).code == 1)
        #expect(!FileManager.default.fileExists(atPath: store))
        let outcomes = try together([["import", "--quiet", bad], ["add", "bodyMass", "70", "kg"]])
        #expect(outcomes[0].code == 1)
        // Acknowledged samples are stored. A command that meets the removal of the store ends with an error.
        let count = FileManager.default.fileExists(atPath: store) ? try identities("bodyMass").count : 0
        #expect(count == (outcomes[1].code == 0 ? 1 : 0), "\(outcomes[1].errors)")
    }
}

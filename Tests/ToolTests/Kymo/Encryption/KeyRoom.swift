// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A directory with a key file and places for stores, and runs of the tools with the keys that a test gives.
struct KeyRoom {
    /// An environment without keys, also if the tests run with a key for all stores.
    static let keyless = [
        "KYMO_KEY_FILE": "", "KYMO_KEY_COMMAND": "", "CREDENTIALS_DIRECTORY": "", "KYMO_TEST_KEY": "", "TZ": "UTC",
        "COLUMNS": "100",
    ]
    /// A small export of steps.
    static let sample = repository.appendingPathComponent("Docs/Samples/v03_tdda_iphone6s_2016.xml").path
    /// A program without a terminal, also if the tests have one.
    private static let withoutTerminal = "exec setsid --wait \"$0\" \"$@\""

    private let directory: TemporaryDirectory
    /// The path of a key file.
    let key: String
    /// The path of the store.
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        key = directory.file("key")
        path = directory.file("store")
        try make(key)
    }

    /// Creates a room with an encrypted store, which the key file opens.
    static func withStore() throws -> KeyRoom {
        let room = try KeyRoom()
        try room.done("import", sample, "--encrypt", "--json", "--key-file", room.key)
        return room
    }

    func file(_ name: String) -> String { directory.file(name) }
    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
    func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// Creates a key file.
    @discardableResult
    func make(_ key: String) throws -> String {
        try done("key", "new", key)
        return key
    }

    /// Writes a file with a passphrase or a recovery key.
    func write(_ text: String, _ name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    // MARK: Runs

    /// Runs `kymo` on the store without a terminal.
    func run(
        _ arguments: [String], environment: [String: String] = [:], after shell: String? = nil
    ) throws -> Tool.Outcome {
        let all = Self.keyless.merging(["KYMO_STORE": path]) { $1 }.merging(environment) { $1 }
        let start = (shell.map { $0 + "; " } ?? "") + Self.withoutTerminal
        return try Tool.kymo.run(arguments, environment: all, after: start)
    }

    /// Runs `kymo` without a key.
    func run(_ arguments: String...) throws -> Tool.Outcome { try run(arguments) }

    /// Runs `kymo` with the key file.
    func open(_ arguments: String...) throws -> Tool.Outcome { try run(arguments + ["--key-file", key]) }

    /// Runs `kymo` and expects success. Returns standard output.
    @discardableResult
    func done(_ arguments: String...) throws -> String {
        let outcome = try run(arguments)
        #expect(outcome.code == 0, "\(arguments): \(outcome)")
        return outcome.output
    }

    /// Everything that a store holds, as JSON lines.
    func content(_ path: String, key: String? = nil) throws -> String {
        let keys = key.map { ["--key-file", $0] } ?? []
        let all = try run(["export", "--format", "jsonl", "--store", path] + keys)
        #expect(all.code == 0 && all.output.contains("StepCount"), "\(all)")
        let sources = try run(["sources", "--csv", "--store", path] + keys)
        return all.output + sources.output
    }

    /// Whether a secret in a file opens the store.
    func opens(_ file: String, _ path: String? = nil) throws -> Bool {
        let outcome = try run(["info", "--json", "--store", path ?? self.path, "--key-file", file])
        if outcome.code != 0 { #expect(outcome.code == 1 && outcome.errors.contains("opens no slot"), "\(outcome)") }
        return outcome.code == 0
    }

    // MARK: Keys

    /// The output of `kymo key list --json`.
    struct Keys: Decodable, Equatable {
        struct Slot: Decodable, Equatable {
            var kind: String
            var label: String
        }
        struct Generation: Decodable, Equatable {
            var number: Int
            var day: String
        }
        var slots: [Slot]
        var generations: [Generation]
    }

    /// The slots and generations of a store, without a key.
    func keys(_ path: String? = nil) throws -> Keys {
        try decodeOutput(Keys.self, run("key", "list", "--json", "--store", path ?? self.path))
    }

    /// The labels of the slots.
    func labels(_ path: String? = nil) throws -> [String] { try keys(path).slots.map(\.label) }

    /// The recovery key in an output; nil if there is none.
    static func recoveryKey(in output: String) -> String? {
        output.split(separator: "\n").first { line in
            let groups = line.split(separator: "-")
            return groups.count == 13 && groups.allSatisfy { $0.count == 4 }
        }.map { String($0) }
    }
}

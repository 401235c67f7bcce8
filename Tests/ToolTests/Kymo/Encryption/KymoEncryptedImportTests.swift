// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-9 E-21 kymo import --encrypt")
struct KymoEncryptedImportTests {
    private struct Report: Decodable {
        struct File: Decodable {
            var file: String
            var error: String?
        }
        var files: [File]
        var added: Int
        var recoveryKey: String?
    }

    private let room: KeyRoom
    init() throws { room = try KeyRoom() }

    private func importing(_ files: [String], _ options: String...) throws -> Tool.Outcome {
        try room.run(["import", "--encrypt", "--key-file", room.key] + files + options)
    }

    @Test("A new store is encrypted, and its recovery key opens it")
    func text() throws {
        let outcome = try importing([KeyRoom.sample])
        #expect(outcome.code == 0 && outcome.errors.contains("write it down"), "\(outcome)")
        let lines = outcome.output.split(separator: "\n").map { String($0) }
        let key = try #require(KeyRoom.recoveryKey(in: outcome.output))
        #expect(lines.last == key)
        #expect(try room.opens(room.write(key, "paper")) && room.opens(room.key))
        #expect(try room.labels() == ["key file", "recovery"])
        #expect(try room.content(room.path, key: room.key).contains("StepCount"))
    }

    @Test("With --json the output is one JSON object, in which the recovery key is")
    func json() throws {
        let outcome = try importing([KeyRoom.sample], "--json")
        let report = try decodeOutput(Report.self, outcome)
        let key = try #require(report.recoveryKey)
        #expect(KeyRoom.recoveryKey(in: key) == key && !outcome.errors.contains(key))
        #expect(try room.opens(room.write(key, "paper")))
        // A later import makes no key.
        let later = try decodeOutput(Report.self, room.open("import", KeyRoom.sample, "--json"))
        #expect(later.recoveryKey == nil && later.added == 0)
        #expect(try room.labels() == ["key file", "recovery"])
    }

    @Test("A store of which one file was rejected has a recovery key, too", arguments: [false, true])
    func rejected(asJSON: Bool) throws {
        let bad = try room.write("no export", "bad.xml")
        let outcome = try importing([bad, KeyRoom.sample], asJSON ? "--json" : "--quiet")
        #expect(outcome.code == 1, "\(outcome)")
        if asJSON {
            let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
            #expect(report.files.map { $0.error == nil } == [false, true])
            #expect(try room.opens(room.write(#require(report.recoveryKey), "paper")))
        } else {
            #expect(try room.opens(room.write(#require(KeyRoom.recoveryKey(in: outcome.output)), "paper")))
        }
    }

    @Test("Without an accepted file there is neither a store nor a recovery key")
    func nothing() throws {
        let outcome = try importing([room.write("no export", "bad.xml")])
        #expect(outcome.code == 1 && KeyRoom.recoveryKey(in: outcome.output) == nil, "\(outcome)")
        #expect(!room.exists(room.path))
    }

    @Test("A recovery key that cannot be printed is not stored, and the samples are", arguments: ["", "--json"])
    func unprinted(option: String) throws {
        let arguments =
            ["import", "--encrypt", "--key-file", room.key, KeyRoom.sample] + (option.isEmpty ? [] : [option])
        let outcome = try room.run(
            arguments,
            after: "mkfifo \"$KYMO_STORE.fifo\"; exec 3<>\"$KYMO_STORE.fifo\" "
                + ">\"$KYMO_STORE.fifo\" 3<&-")
        #expect(outcome.code == 1 && outcome.errors.contains("kymo key add --recovery"), "\(outcome)")
        #expect(try room.labels() == ["key file"])
        #expect(try room.content(room.path, key: room.key).contains("StepCount"))
    }

    @Test("--encrypt refuses an existing store, and a key without --encrypt creates none")
    func usage() throws {
        let without = try room.open("import", KeyRoom.sample)
        #expect(without.code == 64 && without.errors.contains("--encrypt"), "\(without)")
        #expect(!room.exists(room.path))
        try room.done("import", KeyRoom.sample)
        let existing = try importing([KeyRoom.sample])
        #expect(existing.code == 64 && existing.errors.contains("kymo encrypt"), "\(existing)")
        #expect(!room.exists(room.path + "/KEYS"))
    }

    @Test("Without a key and a terminal nothing is created")
    func noKey() throws {
        let nested = room.file("a/b/store")
        let outcome = try room.run("import", KeyRoom.sample, "--encrypt", "--store", nested)
        #expect(outcome.code == 1 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("give its key with --key-file, KYMO_KEY_FILE"), "\(outcome)")
        let absent = try room.run(
            "import", KeyRoom.sample, "--encrypt", "--store", nested, "--key-file", room.file("absent"))
        #expect(absent.code == 1 && absent.errors.contains("No such file"), "\(absent)")
        #expect(!room.exists(room.file("a")))
    }

    @Test("A file with a passphrase of 1,024 bytes is a key, and one byte more is refused")
    func passphraseFile() throws {
        let long = try room.write(String(repeating: "p", count: 1_025) + "\n", "long")
        let refused = try room.run("import", KeyRoom.sample, "--encrypt", "--key-file", long)
        #expect(refused.code == 1 && refused.errors.contains("1,024"), "\(refused)")
        #expect(!room.exists(room.path))
        let longest = try room.write(String(repeating: "p", count: 1_024) + "\n", "longest")
        try room.done("import", KeyRoom.sample, "--encrypt", "--key-file", longest)
        #expect(try room.keys().slots.map(\.kind) == ["passphrase", "recovery"])
        #expect(try room.opens(longest) && !room.opens(room.write(String(repeating: "p", count: 1_023), "short")))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-9 E-21 lost and damaged KEYS, and their copies")
struct KymoKeyFilesTests {
    private let room: KeyRoom
    private var files: [String] { ["KEYS", "KEYS.2"].map { room.path + "/" + $0 } }

    init() throws { room = try KeyRoom.withStore() }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private func lose() throws { for file in files { try FileManager.default.removeItem(atPath: file) } }

    @Test("Exported keys bring a store back that has lost both files")
    func export() throws {
        let (before, keys) = (try room.content(room.path, key: room.key), room.file("keys.kymo"))
        #expect(try room.run("key", "export", keys).code == 0)
        #expect(try bytes(keys) == bytes(files[0]))
        let again = try room.run("key", "export", keys)
        #expect(again.code == 1 && again.errors.contains(keys), "\(again)")
        try lose()
        for command in [["types"], ["key", "list"], ["add", "bodyMass", "70", "kg"], ["verify", "--without-key"]] {
            let outcome = try room.run(command)
            #expect(outcome.code != 0 && outcome.errors.contains("KEYS.2 are missing"), "\(command): \(outcome)")
        }
        #expect(try room.run("key", "list").errors.contains("kymo key restore FILE"))
        #expect(try room.open("key", "restore", keys).code == 0)
        #expect(try room.content(room.path, key: room.key) == before)
        #expect(try bytes(files[0]) == bytes(keys) && bytes(files[1]) == bytes(keys))
    }

    @Test("Keys are restored only with a secret of a slot, and a refusal writes nothing")
    func refused() throws {
        let keys = room.file("keys.kymo")
        #expect(try room.run("key", "export", keys).code == 0)
        try lose()
        let closed = try room.run("key", "restore", keys)
        #expect(closed.code == 1 && closed.errors.contains("give its key with --key-file"), "\(closed)")
        let wrong = try room.run("key", "restore", keys, "--key-file", room.make(room.file("other")))
        #expect(wrong.code == 1 && wrong.errors.contains("opens no slot"), "\(wrong)")
        let text = try room.open("key", "restore", room.write("kymograph keys 1\n", "text"))
        #expect(text.code == 3 && text.errors.contains(room.file("text")), "\(text)")
        let absent = try room.open("key", "restore", room.file("absent"))
        #expect(absent.code == 1 && absent.errors.contains("No such file"), "\(absent)")
        #expect(try room.names(room.path).allSatisfy { !$0.hasPrefix("KEYS") })
    }

    @Test("A backup's file of keys brings the store back")
    func backup() throws {
        let (before, backup) = (try room.content(room.path, key: room.key), room.file("backup"))
        #expect(try room.open("backup", backup).code == 0)
        let names = try room.names(backup).filter { $0.hasPrefix("KEYS") }
        #expect(names.count == 2)
        for name in names {
            try lose()
            #expect(try room.open("key", "restore", backup + "/" + name).code == 0)
            #expect(try room.content(room.path, key: room.key) == before)
        }
    }

    @Test("A backup without keys is verified and restored with exported keys, and not without them")
    func withoutKeys() throws {
        let (before, backup, keys) = (
            try room.content(room.path, key: room.key), room.file("backup"), room.file("keys.kymo")
        )
        #expect(try room.run("key", "export", keys).code == 0)
        #expect(try room.open("backup", "--without-keys", backup).code == 0)
        #expect(try room.names(backup).allSatisfy { !$0.hasPrefix("KEYS") })
        let closed = try room.open("restore", backup, room.file("restored"))
        #expect(closed.code == 1 && closed.errors.contains("--keys FILE"), "\(closed)")
        #expect(try room.open("verify", backup).code == 1)
        let verified = try room.open("verify", backup, "--keys", keys)
        #expect(verified.code == 0 && verified.output.contains("sound backup"), "\(verified)")
        #expect(try room.run("verify", backup, "--without-key").code == 0)
        #expect(try room.open("verify", backup, "--keys", keys, "--without-key").code == 64)
        #expect(try room.open("verify", "--keys", keys).code == 64)
        #expect(try room.open("restore", backup, room.file("restored"), "--keys", keys).code == 0)
        #expect(try room.content(room.file("restored"), key: room.key) == before)
    }

    @Test("Older exported keys do not replace newer keys")
    func older() throws {
        let keys = room.file("keys.kymo")
        #expect(try room.run("key", "export", keys).code == 0)
        #expect(try room.open("key", "remove", "recovery").code == 0)
        let outcome = try room.open("key", "restore", keys)
        #expect(outcome.code == 64 && outcome.errors.contains("newer keys"), "\(outcome)")
        #expect(try room.labels() == ["key file"])
    }

    @Test("One of the two files suffices, and the next writer mends the other", arguments: 0...1)
    func one(lost: Int) throws {
        let before = try room.content(room.path, key: room.key)
        try FileManager.default.removeItem(atPath: files[lost])
        #expect(try room.labels() == ["key file", "recovery"])
        let closed = try room.run("types")
        #expect(closed.code == 1 && closed.errors.contains("give its key"), "\(closed)")
        #expect(try room.content(room.path, key: room.key) == before)
        #expect(try room.open("add", "bodyMass", "77", "kg").code == 0)
        #expect(try bytes(files[0]) == bytes(files[1]))
    }

    @Test("Two damaged files are damage, and the message names the command that helps")
    func damaged() throws {
        for file in files { try Data("kymograph keys 1\n".utf8).write(to: URL(fileURLWithPath: file)) }
        for command in [["types"], ["key", "list"], ["info"], ["key", "rotate"]] {
            let outcome = try room.run(command + ["--key-file", room.key])
            #expect(outcome.code == 3 && outcome.errors.contains("KEYS and KEYS.2 are damaged"), "\(outcome)")
            #expect(outcome.errors.contains("kymo key restore FILE"), "\(outcome)")
            #expect(!outcome.errors.contains("kymo repair"), "\(outcome)")
        }
    }
}

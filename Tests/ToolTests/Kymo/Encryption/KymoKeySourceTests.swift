// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-9 E-21 where kymo takes a key from, and its messages about keys")
struct KymoKeySourceTests {
    private let room: KeyRoom
    init() throws { room = try KeyRoom.withStore() }

    @Test("A key comes from the option, a file or a program of the environment, or a credential of systemd")
    func sources() throws {
        let usb = try room.make(room.file("usb"))
        let credentials = room.file("credentials")
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: room.key, toPath: credentials + "/kymograph")
        let absent = room.file("absent")
        for environment in [
            ["KYMO_KEY_FILE": room.key], ["KYMO_KEY_COMMAND": "cat \(room.key)"],
            ["CREDENTIALS_DIRECTORY": credentials],
            // The first one counts.
            ["KYMO_KEY_FILE": room.key, "KYMO_KEY_COMMAND": "false"],
            ["KYMO_KEY_COMMAND": "cat \(room.key)", "CREDENTIALS_DIRECTORY": absent],
        ] {
            let outcome = try room.run(["types"], environment: environment)
            #expect(outcome.code == 0 && outcome.output.contains("stepCount"), "\(environment): \(outcome)")
        }
        let option = try room.run(["types", "--key-file", room.key], environment: ["KYMO_KEY_FILE": usb])
        #expect(option.code == 0, "\(option)")
        let wrong = try room.run(["types", "--key-file", usb], environment: ["KYMO_KEY_FILE": room.key])
        #expect(wrong.code == 1 && wrong.errors.contains("opens no slot"), "\(wrong)")
    }

    @Test("Each command names the store, its slots, and the ways to give a key, in one line")
    func needsKey() throws {
        let backup = room.file("backup")
        #expect(try room.open("backup", backup).code == 0)
        let places = [room.path, backup]
        for command in [
            ["types"], ["info"], ["verify"], ["query", "stepCount"], ["add", "bodyMass", "70", "kg"],
            ["import", KeyRoom.sample], ["backup", room.file("new")], ["restore", backup, room.file("new")],
            ["verify", backup], ["repair", "--to", room.file("new")], ["compact"], ["delete", "stepCount", "--all"],
            ["key", "rotate"], ["export"], ["zone", "UTC"], ["decrypt", "--to", room.file("new")],
        ] {
            let outcome = try room.run(command)
            #expect(outcome.code == 1 && outcome.output.isEmpty, "\(command): \(outcome)")
            let text =
                "the store is encrypted (slots: key file, recovery); give its key with --key-file, "
                + "KYMO_KEY_FILE or KYMO_KEY_COMMAND ["
            #expect(outcome.errors.contains(text), "\(command): \(outcome)")
            #expect(places.contains { outcome.errors.contains("[\($0)]") }, "\(command): \(outcome)")
            #expect(outcome.errors.split(separator: "\n").count == 1, "\(command): \(outcome)")
            #expect(!room.exists(room.file("new")), "\(command)")
        }
    }

    @Test("A wrong key names the store and its slots; nothing is written")
    func wrongKey() throws {
        let (backup, other) = (room.file("backup"), try room.make(room.file("other")))
        #expect(try room.open("backup", backup).code == 0)
        for (command, place) in [
            (["types"], room.path), (["add", "bodyMass", "70", "kg"], room.path), (["verify"], room.path),
            (["restore", backup, room.file("new")], backup), (["verify", backup], backup),
        ] {
            let outcome = try room.run(command + ["--key-file", other])
            #expect(outcome.code == 1 && outcome.errors.contains("(key file, recovery)"), "\(command): \(outcome)")
            #expect(outcome.errors.contains("[\(place)]"), "\(command): \(outcome)")
            #expect(!room.exists(room.file("new")))
        }
        let phrase = try room.write("a passphrase", "phrase")
        let outcome = try room.run("types", "--key-file", phrase)
        #expect(outcome.code == 1 && outcome.errors.contains("no slot for a passphrase"), "\(outcome)")
        #expect(outcome.errors.contains("[\(room.path)]"), "\(outcome)")
    }

    @Test("A key for a plain store is refused, and the credential of a service is not")
    func plain() throws {
        let plain = room.file("plain")
        try room.done("import", KeyRoom.sample, "--store", plain)
        let option = try room.open("types", "--store", plain)
        #expect(option.code == 1 && option.errors.contains("the store is not encrypted"), "\(option)")
        let variable = try room.run(["types", "--store", plain], environment: ["KYMO_KEY_FILE": room.key])
        #expect(variable.code == 1 && variable.errors.contains("the store is not encrypted"), "\(variable)")
        let service = try room.run(
            ["types", "--store", plain], environment: ["CREDENTIALS_DIRECTORY": room.file(".")])
        #expect(service.code == 0, "\(service)")
    }

    @Test("A key that cannot be read is an error with its reason")
    func unreadable() throws {
        for (environment, reason) in [
            (["KYMO_KEY_FILE": room.file("absent")], "No such file"), (["KYMO_KEY_COMMAND": "false"], "false"),
            (["KYMO_KEY_COMMAND": "/does/not/exist"], "/does/not/exist"),
        ] {
            let outcome = try room.run(["types"], environment: environment)
            #expect(outcome.code == 1 && outcome.errors.contains(reason), "\(outcome)")
            #expect(!outcome.errors.contains("Failure("), "\(outcome)")
        }
        let empty = try room.run("types", "--key-file", "")
        #expect(empty.code == 64 && empty.errors.contains("--key-file is empty"), "\(empty)")
        let file = try room.run("types", "--key-file", room.write("", "empty"))
        #expect(file.code == 64 && file.errors.contains("a passphrase has 1 to 1,024 bytes"), "\(file)")
    }

    @Test("Completion reads an encrypted store with a key file, and starts no program that may ask")
    func completion() throws {
        func sources(_ words: [String], environment: [String: String] = [:]) throws -> Tool.Outcome {
            let position = "\(words.count)"
            return try room.run(
                ["---completion", "stats", "--", "--source", position, "0"] + words, environment: environment)
        }
        let words = ["kymo", "stats", "stepCount", "--source", ""]
        let closed = try sources(words)
        #expect(closed.errors.isEmpty && closed.output.filter { !$0.isWhitespace }.isEmpty, "\(closed)")
        let option = try sources(["kymo", "stats", "stepCount", "--key-file", room.key, "--source", ""])
        #expect(option.output.hasPrefix("Health"), "\(option)")
        let variable = try sources(words, environment: ["KYMO_KEY_FILE": room.key])
        #expect(variable.output.hasPrefix("Health"), "\(variable)")
        let command = try sources(words, environment: ["KYMO_KEY_COMMAND": "touch \(room.file("asked"))"])
        #expect(!command.output.contains("Health") && !room.exists(room.file("asked")), "\(command)")
    }
}

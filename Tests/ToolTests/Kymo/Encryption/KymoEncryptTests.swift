// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-9 E-21 kymo encrypt and kymo decrypt")
struct KymoEncryptTests {
    private let room: KeyRoom
    private let content: String

    /// A plain store with imported samples, a sample with metadata, and a deleted sample.
    init() throws {
        room = try KeyRoom()
        try room.done("import", KeyRoom.sample, "--tz", "Europe/Zurich")
        try room.done("add", "bodyMass", "77.125", "kg", "--metadata", "note=canary")
        try room.done("add", "height", "180", "cm")
        try room.done("delete", "height", "--all")
        content = try room.content(room.path)
        #expect(content.contains("canary") && !content.contains("Height"))
    }

    private func siblings() throws -> [String] {
        try room.names(URL(fileURLWithPath: room.path).deletingLastPathComponent().path)
    }

    @Test("In place: the encrypted copy has the name and all content, and the plain store stays beside it")
    func inPlace() throws {
        let outcome = try room.run("encrypt", "--new-key-file", room.key)
        #expect(outcome.code == 0 && outcome.errors.contains(room.path + ".plaintext"), "\(outcome)")
        #expect(try siblings() == ["key", "store", "store.plaintext"])
        #expect(try room.content(room.path, key: room.key) == content)
        #expect(try room.content(room.path + ".plaintext") == content)
        let paper = try #require(KeyRoom.recoveryKey(in: outcome.output))
        #expect(try room.opens(room.write(paper, "paper")))
        #expect(try room.labels() == ["key file", "recovery"])
        let closed = try room.run("types")
        #expect(closed.code == 1 && closed.output.isEmpty && closed.errors.contains("is encrypted"), "\(closed)")
        #expect(try room.open("verify").code == 0)
    }

    @Test("With --to the store stays as it is, and a decrypted copy is equal to the store")
    func copies() throws {
        let (encrypted, plain) = (room.file("encrypted"), room.file("plain"))
        #expect(try room.run("encrypt", "--to", encrypted, "--new-key-file", room.key).code == 0)
        #expect(try room.content(room.path) == content)
        #expect(try room.content(encrypted, key: room.key) == content)
        #expect(try room.run("decrypt", "--store", encrypted, "--to", plain, "--key-file", room.key).code == 0)
        #expect(try room.content(plain) == content)
        #expect(try !room.exists(plain + "/KEYS") && room.run("verify", plain).code == 0)
        #expect(try siblings() == ["encrypted", "key", "plain", "store"])
        for name in try room.names(plain) where name == "kymograph.sqlite" {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: plain + "/" + name))
            #expect(bytes.range(of: Data("canary".utf8)) != nil)
            let other = try Data(contentsOf: URL(fileURLWithPath: encrypted + "/" + name))
            #expect(other.range(of: Data("canary".utf8)) == nil)
        }
    }

    @Test("An encrypted store gets new keys: the old key opens only the former store")
    func again() throws {
        #expect(try room.run("encrypt", "--new-key-file", room.key).code == 0)
        let new = try room.make(room.file("new"))
        let outcome = try room.open("encrypt", "--new-key-file", new)
        #expect(outcome.code == 0 && outcome.errors.contains(room.path + ".former"), "\(outcome)")
        #expect(try siblings() == ["key", "new", "store", "store.former", "store.plaintext"])
        #expect(try room.opens(new))
        #expect(try !room.opens(room.key))
        #expect(try room.opens(room.key, room.path + ".former"))
        #expect(try room.content(room.path, key: new) == content)
    }

    @Test("An existing place is never overwritten, and the store stays as it is")
    func exists() throws {
        let taken = room.path + ".plaintext"
        try FileManager.default.createDirectory(atPath: taken, withIntermediateDirectories: false)
        let inPlace = try room.run("encrypt", "--new-key-file", room.key)
        #expect(inPlace.code == 1 && inPlace.errors.contains(taken) && inPlace.errors.contains("exists"), "\(inPlace)")
        #expect(try siblings() == ["key", "store", "store.plaintext"])
        let full = room.file("full")
        try FileManager.default.createDirectory(atPath: full, withIntermediateDirectories: false)
        _ = try room.write("text", "full/file")
        let to = try room.run("encrypt", "--to", full, "--new-key-file", room.key)
        #expect(to.code == 1 && to.errors.contains(full), "\(to)")
        let encrypted = room.file("encrypted")
        #expect(try room.run("encrypt", "--to", encrypted, "--new-key-file", room.key).code == 0)
        for target in [full, room.path] {
            let outcome = try room.run("decrypt", "--store", encrypted, "--to", target, "--key-file", room.key)
            #expect(outcome.code == 1 && outcome.errors.contains(target), "\(outcome)")
        }
        #expect(try room.names(full) == ["file"])
        #expect(try room.content(room.path) == content)
    }

    @Test("The remains of an interrupted run are named, and do not change the store")
    func interrupted() throws {
        let partial = room.path + ".partial"
        try FileManager.default.createDirectory(atPath: partial, withIntermediateDirectories: false)
        _ = try room.write("text", "store.partial/file")
        let outcome = try room.run("encrypt", "--new-key-file", room.key)
        #expect(outcome.code == 1 && outcome.errors.contains(partial), "\(outcome)")
        #expect(try room.content(room.path) == content)
        try FileManager.default.removeItem(atPath: partial)
        #expect(try room.run("encrypt", "--new-key-file", room.key).code == 0)
        #expect(try room.content(room.path, key: room.key) == content)
    }

    @Test("Without the key or with a wrong key nothing is made")
    func wrongKey() throws {
        #expect(try room.run("encrypt", "--new-key-file", room.key).code == 0)
        let (other, target) = (try room.make(room.file("other")), room.file("target"))
        let before = try siblings()
        for command in [
            ["decrypt", "--to", target], ["encrypt", "--new-key-file", other],
            ["encrypt", "--to", target, "--new-key-file", other],
        ] {
            let closed = try room.run(command)
            #expect(closed.code == 1 && closed.errors.contains("give its key with --key-file"), "\(closed)")
            let wrong = try room.run(command + ["--key-file", other])
            #expect(wrong.code == 1 && wrong.errors.contains("opens no slot"), "\(wrong)")
            #expect(wrong.errors.contains("[\(room.path)]"), "\(wrong)")
        }
        #expect(try siblings() == before)
    }

    @Test("A plain store is not decrypted, and without a terminal encryption needs a key file")
    func usage() throws {
        let plain = try room.run("decrypt", "--to", room.file("target"))
        #expect(plain.code == 1 && plain.errors.contains("the store is not encrypted"), "\(plain)")
        let silent = try room.run("encrypt")
        #expect(silent.code == 1 && silent.errors.contains("--new-key-file FILE"), "\(silent)")
        let absent = try room.run("encrypt", "--new-key-file", room.key, "--store", room.file("absent"))
        #expect(absent.code == 1 && absent.errors.contains("no store at"), "\(absent)")
        #expect(try room.run("decrypt").code == 64)
        #expect(try siblings() == ["key", "store"])
    }

    @Test("A damaged store is not copied")
    func damaged() throws {
        let segments = room.path + "/segments"
        let name = try #require(room.names(segments).first { $0.hasSuffix(".kseg") })
        let url = URL(fileURLWithPath: segments + "/" + name)
        var bytes = try Data(contentsOf: url)
        bytes[bytes.count / 3] ^= 1
        try bytes.write(to: url)
        let outcome = try room.run("encrypt", "--new-key-file", room.key)
        #expect(outcome.code == 3 && outcome.errors.contains("kymo repair"), "\(outcome)")
        #expect(!room.exists(room.path + ".plaintext") && room.exists(room.path + "/kymograph.sqlite"))
    }
}

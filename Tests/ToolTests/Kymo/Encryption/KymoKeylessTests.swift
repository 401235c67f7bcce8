// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-9 E-21 E-16 copies of an encrypted store, and their check without the key")
struct KymoKeylessTests {
    private let room: KeyRoom
    private let backup: String

    init() throws {
        room = try KeyRoom.withStore()
        backup = room.file("backup")
        let made = try room.open("backup", backup)
        #expect(made.code == 0, "\(made)")
    }

    /// Changes a byte of the only segment below a directory.
    private func damage(_ place: String) throws {
        let segments = place + "/segments"
        let name = try #require(room.names(segments).first { $0.hasSuffix(".kseg") })
        try EncryptedDumpStore.change(segments + "/" + name) { $0[$0.count / 2] ^= 1 }
    }

    @Test("Sound copies are sound as far as it can be checked, and nothing of their content is shown")
    func sound() throws {
        for place in [room.path, backup] {
            let text = try room.run("verify", place, "--without-key")
            #expect(text.code == 0 && text.output.contains("as far as it can be checked without the key"), "\(text)")
            let json = try room.run("verify", place, "--without-key", "--json")
            #expect(json.code == 0 && json.output.contains("\"sound\": true"), "\(json)")
            #expect(!(text.output + json.output).contains("tep"))
            #expect(try room.open("verify", place).code == 0)
        }
    }

    @Test("Damage is found without the key, in a store and in a backup")
    func damaged() throws {
        for place in [room.path, backup] {
            try damage(place)
            let text = try room.run("verify", place, "--without-key")
            #expect(text.code == 3 && text.output.contains(".kseg"), "\(text)")
            #expect(try room.open("verify", place).code == 3)
        }
    }

    @Test("A changed block with the right checksum is found with the key only")
    func forged() throws {
        let segments = room.path + "/segments"
        let name = try #require(room.names(segments).first { $0.hasSuffix(".kseg") })
        try EncryptedDumpStore.change(segments + "/" + name) { bytes in
            let units = EncryptedDumpStore.units(bytes)
            EncryptedDumpStore.forge(&bytes, try #require(units.first))
        }
        #expect(try room.run("verify", "--without-key").code == 0)
        let open = try room.open("verify")
        #expect(open.code == 3 && open.output.contains(name), "\(open)")
        let query = try room.open("query", "stepCount")
        #expect(query.code == 3 && query.errors.contains(name), "\(query)")
    }

    @Test("A plain store and a plain backup are not encrypted, and an encrypted store without KEYS is damaged")
    func plain() throws {
        let (plain, copy) = (room.file("plain"), room.file("copy"))
        try room.done("import", KeyRoom.sample, "--store", plain)
        try room.done("backup", plain, copy)
        for (place, word) in [(plain, "store"), (copy, "backup")] {
            let outcome = try room.run("verify", place, "--without-key")
            #expect(outcome.code == 1 && outcome.output.isEmpty, "\(outcome)")
            #expect(outcome.errors.contains("the \(word) is not encrypted"), "\(outcome)")
        }
        let absent = try room.run("verify", room.file("absent"), "--without-key")
        #expect(absent.code == 1 && absent.errors.contains("no store"), "\(absent)")
        for name in ["KEYS", "KEYS.2"] { try FileManager.default.removeItem(atPath: room.path + "/" + name) }
        let lost = try room.run("verify", "--without-key")
        #expect(lost.code == 3 && lost.errors.contains("KEYS and KEYS.2 are missing"), "\(lost)")
    }

    @Test("A backup is restored with its key, to a store that the same keys open, and not without")
    func restore() throws {
        let new = room.file("new")
        let restored = try room.open("restore", backup, new)
        #expect(restored.code == 0, "\(restored)")
        #expect(try room.content(new, key: room.key) == room.content(room.path, key: room.key))
        #expect(try room.keys(new) == room.keys())
        #expect(try room.open("add", "bodyMass", "70", "kg", "--store", new).code == 0)
        // A later backup has only what is new.
        #expect(try room.open("add", "bodyMass", "71", "kg").code == 0)
        let second = try room.open("backup", backup)
        #expect(second.code == 0, "\(second)")
        let third = room.file("third")
        #expect(try room.open("restore", backup, third).code == 0)
        #expect(try room.content(third, key: room.key).contains("71"))
    }

    @Test("A backup keeps the keys from before a change")
    func olderKeys() throws {
        let usb = try room.make(room.file("usb"))
        #expect(try room.open("key", "change", "key file", "--new-key-file", usb).code == 0)
        let new = room.file("new")
        #expect(try room.run("restore", backup, new, "--key-file", usb).code == 1)
        #expect(try room.open("restore", backup, new).code == 0)
        #expect(try room.opens(room.key, new) && !room.opens(usb, new))
    }

    @Test("A damaged encrypted store is repaired with its key, into an encrypted store")
    func repair() throws {
        try damage(room.path)
        let new = room.file("new")
        let outcome = try room.open("repair", "--to", new)
        #expect(outcome.code == 0 || outcome.code == 3, "\(outcome)")
        #expect(try room.labels(new) == ["key file", "recovery"])
        #expect(try room.open("verify", new).code == 0)
        #expect(try room.run("verify", new, "--without-key").code == 0)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-9 E-21 kymo key makes keys and changes slots")
struct KymoKeyTests {
    @Test("A new key file is private, holds a key of its own, and replaces no file")
    func new() throws {
        let room = try KeyRoom()
        let attributes = try FileManager.default.attributesOfItem(atPath: room.key)
        let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
        #expect(mode & 0o077 == 0, "\(mode)")
        let text = try String(contentsOfFile: room.key, encoding: .utf8)
        let again = try room.run("key", "new", room.key)
        #expect(again.code == 1 && again.errors.contains("was not created"), "\(again)")
        #expect(try String(contentsOfFile: room.key, encoding: .utf8) == text)
        let other = try room.run("key", "new", room.file("other"))
        #expect(other.code == 0 && other.errors.contains("cannot be read without it"), "\(other)")
        #expect(try String(contentsOfFile: room.file("other"), encoding: .utf8) != text)
        #expect(!(other.output + other.errors).contains(text.split(separator: " ").last ?? ""))
    }

    @Test("The list needs no key, and shows slots and generations as text and as JSON")
    func list() throws {
        let room = try KeyRoom.withStore()
        let text = try room.run("key", "list")
        #expect(text.code == 0, "\(text)")
        #expect(
            text.output.hasPrefix("file  key file\nrecovery  recovery\n1 generation of data keys, the latest of 20"))
        try #expect(room.open("key", "rotate").output == "generation 2\n")
        let keys = try room.keys()
        #expect(keys.slots == [.init(kind: "file", label: "key file"), .init(kind: "recovery", label: "recovery")])
        #expect(keys.generations.map(\.number) == [1, 2])
        #expect(keys.generations.allSatisfy { $0.day.split(separator: "-").map(\.count) == [4, 2, 2] })
        #expect(try room.run("key", "list").output.contains("2 generations of data keys"))
        // The variables of the environment are not read either.
        let environment = ["KYMO_KEY_FILE": room.file("absent"), "KYMO_KEY_COMMAND": "false"]
        #expect(try room.run(["key", "list"], environment: environment).output.hasPrefix("file  key file\n"))
    }

    @Test("The list of a plain store, a backup and an empty place is an error that says what is there")
    func nothingToList() throws {
        let room = try KeyRoom.withStore()
        let absent = try room.run("key", "list", "--store", room.file("absent"))
        #expect(absent.code == 1 && absent.errors.contains("no store at"), "\(absent)")
        try room.done("import", KeyRoom.sample, "--store", room.file("plain"))
        let plain = try room.run("key", "list", "--store", room.file("plain"))
        #expect(plain.code == 1 && plain.errors.contains("the store is not encrypted; \"kymo encrypt\""), "\(plain)")
        try #expect(room.open("backup", room.file("backup")).code == 0)
        let backup = try room.run("key", "list", "--store", room.file("backup"))
        #expect(backup.code == 1 && backup.errors.contains("kymo restore"), "\(backup)")
    }

    @Test("A key file and a recovery key that are added open the store; the recovery key in any case")
    func add() throws {
        let room = try KeyRoom.withStore()
        let usb = try room.make(room.file("usb"))
        #expect(try !room.opens(usb))
        #expect(try room.open("key", "add", "usb", "--new-key-file", usb).code == 0)
        let paper = try room.open("key", "add", "--recovery", "paper")
        #expect(paper.code == 0 && paper.errors.contains("write it down"), "\(paper)")
        let text = try #require(KeyRoom.recoveryKey(in: paper.output))
        #expect(paper.output == text + "\n")
        #expect(try room.labels() == ["key file", "recovery", "usb", "paper"])
        for file in [room.key, usb, try room.write(text.lowercased() + "\n", "paper")] {
            #expect(try room.opens(file))
        }
    }

    @Test("A taken or wrong label is refused before a recovery key is printed or a passphrase is asked for")
    func labels() throws {
        let room = try KeyRoom.withStore()
        for label in ["recovery", "", "a\"b", String(repeating: "x", count: 65)] {
            for option in [["--recovery"], ["--new-key-file", room.file("absent")], []] {
                let outcome = try room.run(["key", "add", label, "--key-file", room.key] + option)
                #expect(outcome.code == 64 && outcome.output.isEmpty, "\(label) \(option): \(outcome)")
                let word = label == "recovery" ? "choose another label" : "a label has 1 to 64 bytes"
                #expect(outcome.errors.contains(word), "\(outcome)")
            }
        }
        let both = try room.open("key", "add", "x", "--recovery", "--new-key-file", room.key)
        #expect(both.code == 64 && both.errors.contains("not both"), "\(both)")
        let silent = try room.open("key", "add", "mine")
        #expect(silent.code == 1 && silent.errors.contains("there is no terminal"), "\(silent)")
        #expect(try room.labels() == ["key file", "recovery"])
    }

    @Test("At 32 slots the next one is refused before its key is printed")
    func full() throws {
        let room = try KeyRoom.withStore()
        for number in 3...32 { #expect(try room.open("key", "add", "\(number)", "--new-key-file", room.key).code == 0) }
        let next = try room.open("key", "add", "--recovery", "33")
        #expect(next.code == 64 && next.output.isEmpty && next.errors.contains("32 slots"), "\(next)")
        #expect(try room.labels().count == 32)
    }

    @Test("A changed key file: the new key opens the store, and the old one does not")
    func change() throws {
        let room = try KeyRoom.withStore()
        let new = try room.make(room.file("new"))
        let missing = try room.open("key", "change", "key file")
        #expect(missing.code == 64 && missing.errors.contains("--new-key-file"), "\(missing)")
        let unknown = try room.open("key", "change", "usb", "--new-key-file", room.file("absent"))
        #expect(unknown.code == 64 && unknown.errors.contains("only: key file, recovery"), "\(unknown)")
        #expect(try room.opens(room.key))
        let changed = try room.open("key", "change", "key file", "--new-key-file", new)
        #expect(changed.code == 0 && changed.output.isEmpty, "\(changed)")
        #expect(try room.opens(new))
        #expect(try !room.opens(room.key))
        #expect(try room.labels() == ["key file", "recovery"])
    }

    @Test("The change of a recovery key prints the new one, which replaces the old one")
    func changedRecovery() throws {
        let room = try KeyRoom.withStore()
        let first = try room.open("key", "add", "--recovery", "paper").output
        let second = try room.open("key", "change", "paper")
        #expect(second.code == 0 && second.errors.contains("write it down"), "\(second)")
        let text = try #require(KeyRoom.recoveryKey(in: second.output))
        #expect(text + "\n" != first)
        #expect(try room.opens(room.write(text, "second")))
        #expect(try !room.opens(room.write(first, "first")))
        #expect(try room.keys().slots.last == .init(kind: "recovery", label: "paper"))
    }

    @Test("A removed key opens nothing, and the last slot stays")
    func remove() throws {
        let room = try KeyRoom.withStore()
        let usb = try room.make(room.file("usb"))
        #expect(try room.open("key", "add", "usb", "--new-key-file", usb).code == 0)
        for label in ["key file", "recovery"] {
            let outcome = try room.run("key", "remove", label, "--key-file", usb)
            #expect(outcome.code == 0, "\(outcome)")
        }
        #expect(try !room.opens(room.key))
        let last = try room.run("key", "remove", "usb", "--key-file", usb)
        #expect(last.code == 64 && last.errors.contains("the last slot"), "\(last)")
        let unknown = try room.run("key", "remove", "paper", "--key-file", usb)
        #expect(unknown.code == 64 && unknown.errors.contains("only: usb"), "\(unknown)")
        #expect(try room.opens(usb))
    }

    @Test("After a rotation data from before and after is read, and the store is sound")
    func rotate() throws {
        let room = try KeyRoom.withStore()
        let before = try room.content(room.path, key: room.key)
        #expect(try room.open("key", "rotate").output == "generation 2\n")
        #expect(try room.content(room.path, key: room.key) == before)
        #expect(try room.open("add", "bodyMass", "77.125", "kg").code == 0)
        let after = try room.content(room.path, key: room.key)
        #expect(after.contains("77.125") && after.contains("StepCount"))
        #expect(try room.open("verify").code == 0)
    }

    @Test("A rotation of all data keeps slots and content; the former store is kept beside it")
    func rotateNow() throws {
        let room = try KeyRoom.withStore()
        let before = try room.content(room.path, key: room.key)
        let outcome = try room.open("key", "rotate", "--now")
        #expect(outcome.output == "generation 2\n" && outcome.errors.contains(room.path + ".former"), "\(outcome)")
        #expect(try room.content(room.path, key: room.key) == before)
        #expect(try room.content(room.path + ".former", key: room.key) == before)
        #expect(try room.open("verify").code == 0)
        let again = try room.open("key", "rotate", "--now")
        #expect(again.code != 0 && again.errors.contains(room.path + ".former"), "\(again)")
        #expect(try room.content(room.path, key: room.key) == before)
    }

    @Test(
        "A recovery key that cannot be printed is not stored",
        arguments: [
            "exec >/dev/full", "exec >&-", "mkfifo \"$FIFO\"; exec 3<>\"$FIFO\" >\"$FIFO\" 3<&-",
        ])
    func unprinted(shell: String) throws {
        let room = try KeyRoom.withStore()
        let (slots, environment) = (try room.keys().slots, ["FIFO": room.file("fifo")])
        for command in [["key", "add", "--recovery", "paper"], ["key", "change", "recovery"]] {
            let outcome = try room.run(
                command + ["--key-file", room.key], environment: environment, after: "rm -f \"$FIFO\"; " + shell)
            #expect(outcome.code == 1 && !outcome.errors.isEmpty, "\(outcome)")
        }
        #expect(try room.keys().slots == slots)
        #expect(try room.open("verify").code == 0)
    }

    @Test("Without the key or with a wrong key no slot changes")
    func refused() throws {
        let room = try KeyRoom.withStore()
        let other = try room.make(room.file("other"))
        let keys = try Data(contentsOf: URL(fileURLWithPath: room.path + "/KEYS"))
        for command in [
            ["add", "x", "--new-key-file", other], ["add", "x", "--recovery"], ["remove", "recovery"], ["rotate"],
            ["change", "recovery"], ["change", "key file", "--new-key-file", other],
        ] {
            let closed = try room.run(["key"] + command)
            #expect(closed.code == 1 && closed.output.isEmpty && closed.errors.contains("give its key"), "\(closed)")
            let wrong = try room.run(["key"] + command + ["--key-file", other])
            #expect(wrong.code == 1 && wrong.output.isEmpty && wrong.errors.contains("opens no slot"), "\(wrong)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: room.path + "/KEYS")) == keys)
    }
}

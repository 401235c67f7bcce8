// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-9 E-21 kymo asks for a passphrase on the terminal")
struct KymoPromptTests {
    private static let secret = "correct horse"

    /// A room with a store that a passphrase opens.
    private func room() throws -> KeyRoom {
        let room = try KeyRoom()
        try room.done("import", KeyRoom.sample, "--encrypt", "--key-file", room.write(Self.secret, "phrase"))
        return room
    }

    private func expectEcho(_ outcome: TerminalSession.Outcome) {
        #expect(outcome.settings.contains("echo") && outcome.settings.contains("icanon"), "\(outcome)")
    }

    @Test("An import asks twice, shows nothing that is typed, and the passphrase opens the store")
    func new() throws {
        let room = try KeyRoom()
        let outcome = try TerminalSession.run(
            room, ["import", KeyRoom.sample, "--encrypt"], answers: [Self.secret, Self.secret])
        #expect(outcome.tool.code == 0 && outcome.prompts == 2, "\(outcome)")
        #expect(outcome.transcript.contains("New passphrase of \(room.path): "), "\(outcome)")
        #expect(!(outcome.transcript + outcome.tool.output + outcome.tool.errors).contains("horse"))
        expectEcho(outcome)
        #expect(try room.opens(room.write(Self.secret + "\n", "phrase")))
        #expect(try room.keys().slots.map(\.kind) == ["passphrase", "recovery"])
    }

    @Test(
        "Each command asks once, however often it opens the store",
        arguments: [
            ["types"], ["add", "bodyMass", "70", "kg"], ["verify"], ["import", KeyRoom.sample], ["stats", "stepCount"],
        ])
    func once(command: [String]) throws {
        let room = try room()
        let outcome = try TerminalSession.run(room, command, answers: [Self.secret])
        #expect(outcome.tool.code == 0 && outcome.prompts == 1, "\(outcome)")
        #expect(outcome.transcript.contains("Passphrase of \(room.path): "), "\(outcome)")
    }

    @Test("After a wrong passphrase the command asks again, three times in all")
    func wrong() throws {
        let room = try room()
        let second = try TerminalSession.run(room, ["types"], answers: ["wrong", Self.secret])
        #expect(second.tool.code == 0 && second.prompts == 2, "\(second)")
        #expect(second.transcript.contains("Wrong passphrase. Passphrase of"), "\(second)")
        let never = try TerminalSession.run(room, ["types"], answers: ["wrong", "Correct horse", "correct horse "])
        #expect(never.tool.code == 1 && never.prompts == 3 && never.tool.output.isEmpty, "\(never)")
        #expect(never.tool.errors.contains("this passphrase opens no slot of the store (passphrase)"), "\(never)")
        expectEcho(never)
    }

    @Test(
        "Two different passphrases, a too long and an empty one create nothing",
        arguments: [
            ["one", "two"], [String(repeating: "p", count: 1_025)], [""],
        ])
    func refused(answers: [String]) throws {
        let room = try KeyRoom()
        let outcome = try TerminalSession.run(room, ["import", KeyRoom.sample, "--encrypt"], answers: answers)
        #expect(outcome.tool.code == 1 && outcome.prompts == answers.count, "\(outcome)")
        let reason = answers.count == 2 ? "the passphrases differ" : answers == [""] ? "give its key" : "1,024 bytes"
        #expect(outcome.tool.errors.contains(reason) && !outcome.tool.errors.contains("Failure("), "\(outcome)")
        #expect(!room.exists(room.path))
        expectEcho(outcome)
    }

    @Test("A typed passphrase of 1,024 bytes is the same as one in a file")
    func longest() throws {
        let (room, text) = (try KeyRoom(), String(repeating: "p", count: 1_024))
        try room.done("import", KeyRoom.sample, "--encrypt", "--key-file", room.write(text, "phrase"))
        let outcome = try TerminalSession.run(room, ["types"], answers: [text])
        #expect(outcome.tool.code == 0 && outcome.prompts == 1, "\(outcome)")
    }

    @Test("A recovery key can be typed at the prompt")
    func recovery() throws {
        let room = try KeyRoom()
        let made = try room.done("import", KeyRoom.sample, "--encrypt", "--key-file", room.key)
        let key = try #require(KeyRoom.recoveryKey(in: made))
        let outcome = try TerminalSession.run(room, ["types"], answers: [key.lowercased().replacing("-", with: " ")])
        #expect(outcome.tool.code == 0 && outcome.tool.output.contains("stepCount"), "\(outcome)")
    }

    @Test(
        "Ctrl-C at a prompt ends the command with the echo on, and leaves nothing behind",
        arguments: [
            ["types"], ["import", KeyRoom.sample], ["import", KeyRoom.sample, "--encrypt", "--store", "new"],
            ["backup", "new"], ["key", "rotate"],
        ])
    func interrupt(command: [String]) throws {
        let room = try room()
        let arguments = command.map { $0 == "new" ? room.file("new") : $0 }
        let session = try TerminalSession(room, arguments)
        try session.waitForPrompt(1)
        session.terminal.type("half\u{3}")
        let outcome = try session.end()
        #expect(outcome.tool.code == 130 && outcome.tool.output.isEmpty, "\(outcome)")
        expectEcho(outcome)
        #expect(!room.exists(room.file("new")))
    }

    @Test("Ctrl-Z at a prompt stops the command with the echo on, and the command asks again afterwards")
    func stop() throws {
        let room = try room()
        let session = try TerminalSession(room, ["types"], stops: true)
        try session.waitForPrompt(1)
        session.terminal.type("half\u{1A}")
        try session.terminal.wait(for: "stopped ")
        try session.answer(Self.secret, prompt: 2)
        let outcome = try session.end()
        #expect(outcome.tool.code == 0 && outcome.tool.output.contains("stepCount"), "\(outcome)")
        expectEcho(outcome)
    }

    @Test("Slots get passphrases from the terminal; a wrong label is refused before a question for a new one")
    func slots() throws {
        let room = try room()
        let added = try TerminalSession.run(room, ["key", "add", "mine"], answers: [Self.secret, "mine", "mine"])
        #expect(added.tool.code == 0 && added.prompts == 3, "\(added)")
        #expect(added.transcript.contains("New passphrase of the slot mine: "), "\(added)")
        let changed = try TerminalSession.run(
            room, ["key", "change", "passphrase"], answers: ["mine", "battery", "battery"])
        #expect(changed.tool.code == 0, "\(changed)")
        #expect(try room.opens(room.write("battery", "battery")) && room.opens(room.write("mine", "mine")))
        #expect(try !room.opens(room.file("phrase")))
        for command in [["add", "mine"], ["change", "paper"]] {
            let refused = try TerminalSession.run(room, ["key"] + command, answers: ["mine"])
            #expect(refused.tool.code == 64 && refused.prompts == 1, "\(refused)")
        }
    }

    @Test("A plain store is encrypted with a passphrase of the terminal")
    func encrypt() throws {
        let room = try KeyRoom()
        try room.done("import", KeyRoom.sample)
        let outcome = try TerminalSession.run(room, ["encrypt"], answers: [Self.secret, Self.secret])
        #expect(outcome.tool.code == 0 && outcome.prompts == 2, "\(outcome)")
        #expect(KeyRoom.recoveryKey(in: outcome.tool.output) != nil)
        #expect(try room.opens(room.write(Self.secret, "phrase")))
    }

    @Test("Completion asks for nothing")
    func completion() throws {
        let room = try room()
        let words = ["kymo", "stats", "stepCount", "--source", ""]
        let outcome = try TerminalSession.run(
            room, ["---completion", "stats", "--", "--source", "\(words.count)", "0"] + words, answers: [])
        #expect(outcome.prompts == 0 && !outcome.tool.output.contains("Health"), "\(outcome)")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A run of `kymo` in a session with a terminal of its own, in which a test types.
final class TerminalSession {
    /// The outcome of a session.
    struct Outcome {
        /// The output and the exit status of `kymo`; 130 after Ctrl-C.
        var tool: Tool.Outcome
        /// The settings of the terminal after the end of `kymo`, as `stty` prints them.
        var settings: Set<String>
        /// What the terminal showed.
        var transcript: String
        /// The number of prompts for a passphrase.
        var prompts: Int { transcript.split(separator: ": ", omittingEmptySubsequences: false).count - 1 }
    }

    /// Runs `kymo`, and writes its status and the settings of the terminal.
    private static let once = """
        trap : INT
        "$@" >"$OUT" 2>"$ERR"
        echo $? >"$STATUS"
        stty -a </dev/tty >>"$STATUS"
        """
    /// The same under job control: `kymo` is continued after a stop, and the settings are those during the stop.
    private static let stopped = """
        set -m
        "$@" >"$OUT" 2>"$ERR"
        stty -a </dev/tty >"$STATUS.stopped"
        printf 'stopped %s' $? >/dev/tty
        fg >/dev/null
        echo $? >"$STATUS"
        cat "$STATUS.stopped" >>"$STATUS"
        """
    /// Keeps the terminal until the test has read everything.
    private static let end = "\nprintf 'the session ends' >/dev/tty; read line </dev/tty\n"

    let terminal: PseudoTerminal
    private let process = Process()
    private let directory: TemporaryDirectory

    /// Starts `kymo` on the store of a room.
    ///
    /// - Parameter stops: whether the test types Ctrl-Z.
    init(
        _ room: KeyRoom, _ arguments: [String], environment: [String: String] = [:], stops: Bool = false
    ) throws {
        terminal = try PseudoTerminal()
        directory = try TemporaryDirectory()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let program = Tool.directory.appendingPathComponent(Tool.kymo.rawValue).path
        let script = (stops ? Self.stopped : Self.once) + Self.end
        process.arguments = ["setsid", "--ctty", "--wait", "sh", "-c", script, "sh", program] + arguments
        var all = ProcessInfo.processInfo.environment.merging(KeyRoom.keyless) { $1 }
        all.merge(["KYMO_STORE": room.path]) { $1 }
        for name in ["OUT", "ERR", "STATUS"] { all[name] = directory.file(name) }
        process.environment = all.merging(environment) { $1 }
        process.standardInput = FileHandle(fileDescriptor: terminal.descriptor, closeOnDealloc: false)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    /// Runs `kymo` and types answers to its prompts.
    static func run(_ room: KeyRoom, _ arguments: [String], answers: [String]) throws -> Outcome {
        let session = try TerminalSession(room, arguments)
        for (at, answer) in answers.enumerated() { try session.answer(answer, prompt: at + 1) }
        return try session.end()
    }

    /// Waits for a prompt, and types a line.
    ///
    /// - Parameter prompt: the number of the prompt in the session.
    func answer(_ text: String, prompt: Int) throws {
        try waitForPrompt(prompt)
        terminal.type(text + "\n")
    }

    /// Waits for a prompt, at which the terminal shows no typed characters.
    func waitForPrompt(_ number: Int) throws {
        try terminal.wait(for: ": ", times: number)
        #expect(!terminal.echoes)
    }

    /// Waits for the end of `kymo`.
    func end() throws -> Outcome {
        try terminal.wait(for: "the session ends")
        let transcript = terminal.transcript
        terminal.type("\n")
        process.waitUntilExit()
        func text(_ name: String) -> String {
            (try? String(contentsOfFile: directory.file(name), encoding: .utf8)) ?? ""
        }
        let status = text("STATUS").split(whereSeparator: { " ;\n".contains($0) }).map { String($0) }
        let code = try #require(status.first.flatMap { Int32($0) })
        return Outcome(
            tool: Tool.Outcome(output: text("OUT"), errors: text("ERR"), code: code),
            settings: Set(status.dropFirst()), transcript: transcript)
    }
}

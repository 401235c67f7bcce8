// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@Suite("B-4 E-21 a passphrase from the terminal", .serialized)
struct PassphraseTests {
    /// Reads a passphrase in another thread while the test types.
    private final class Reader: @unchecked Sendable {
        let terminal: PseudoTerminal
        private let done = DispatchSemaphore(value: 0)
        private var result: Result<[UInt8], DiskError>?
        private var memory: [UInt8]

        init(_ terminal: PseudoTerminal, room: Int) {
            self.terminal = terminal
            memory = [UInt8](repeating: 0xEE, count: room)
            Thread.detachNewThread {
                self.result = self.read()
                self.done.signal()
            }
        }

        private func read() -> Result<[UInt8], DiskError> {
            var failure: DiskError?
            let count = unsafe memory.withUnsafeMutableBytes { memory -> Int in
                do throws(DiskError) {
                    return try unsafe Passphrase.read("Secret: ", into: memory, from: terminal.path)
                } catch {
                    failure = error
                    return 0
                }
            }
            return failure.map { .failure($0) } ?? .success(Array(memory.prefix(count)))
        }

        /// Waits for the end. Returns the passphrase and the whole memory.
        func end() throws -> (line: [UInt8], memory: [UInt8]) {
            done.wait()
            return (try #require(result).get(), memory)
        }

        /// Waits for the end, and returns the error.
        func failure() throws -> (error: DiskError?, memory: [UInt8]) {
            done.wait()
            if case .failure(let error) = try #require(result) { return (error, memory) }
            return (nil, memory)
        }
    }

    @Test("The prompt is shown, the line is read without an echo, and the echo is on again afterwards")
    func silent() throws {
        let terminal = try PseudoTerminal()
        #expect(terminal.echoes)
        let reader = Reader(terminal, room: 64)
        try terminal.wait(for: "Secret: ")
        #expect(!terminal.echoes)
        terminal.type("correct horse\n")
        #expect(try reader.end().line == Array("correct horse".utf8))
        #expect(terminal.echoes)
        #expect(!terminal.transcript.contains("horse"))
    }

    @Test("A line fills the memory exactly, and a longer line is an error that leaves no byte", arguments: [16, 1_024])
    func limit(room: Int) throws {
        let terminal = try PseudoTerminal()
        let text = String(repeating: "x", count: room)
        let exact = Reader(terminal, room: room)
        try terminal.wait(for: "Secret: ")
        terminal.type(text + "\n")
        #expect(try exact.end().line == Array(text.utf8))
        let longer = Reader(terminal, room: room)
        try terminal.wait(for: "Secret: ", times: 2)
        terminal.type(text + "y\n")
        let (error, memory) = try longer.failure()
        #expect(error?.errno == DiskError.fileTooLarge && memory.allSatisfy { $0 == 0 })
        #expect(terminal.echoes)
    }

    @Test("An empty line, the end of the input and a missing terminal give no byte", arguments: ["\n", "\u{4}"])
    func empty(typed: String) throws {
        let terminal = try PseudoTerminal()
        let reader = Reader(terminal, room: 64)
        try terminal.wait(for: "Secret: ")
        terminal.type(typed)
        #expect(try reader.end().line.isEmpty)
        #expect(terminal.echoes)
        var memory: [UInt8] = [1, 2]
        let count = try unsafe memory.withUnsafeMutableBytes {
            try unsafe Passphrase.read("Secret: ", into: $0, from: "/does/not/exist")
        }
        #expect(count == 0)
    }

    @Test("A file is no terminal")
    func file() throws {
        let directory = try TemporaryDirectory()
        try RealDisk().createFile(directory.file("file"), [1])
        var memory: [UInt8] = [1, 2]
        #expect(throws: DiskError.self) {
            try unsafe memory.withUnsafeMutableBytes {
                try unsafe Passphrase.read("Secret: ", into: $0, from: directory.file("file"))
            }
        }
    }

    @Test("A corrected line counts as the person sees it")
    func corrected() throws {
        let terminal = try PseudoTerminal()
        let reader = Reader(terminal, room: 64)
        try terminal.wait(for: "Secret: ")
        terminal.type("wrong\u{15}right\u{7F}\u{7F}\n")
        #expect(try reader.end().line == Array("rig".utf8))
    }
}

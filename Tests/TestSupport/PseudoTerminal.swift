// SPDX-License-Identifier: Apache-2.0

import CDiskVFS
import FileSystem
import Synchronization

/// A terminal without a screen, in which a test types and whose output a test reads.
package final class PseudoTerminal: Sendable {
    /// An error of a terminal, or a text that did not appear.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The path of the terminal.
    package let path: String
    /// A descriptor of the terminal, for the standard input of a program. Closed with the object.
    package let descriptor: Int32
    private let master: Int32
    private let output = Mutex<[UInt8]>([])

    package init() throws(Failure) {
        var name = [CChar](repeating: 0, count: 256)
        var side: Int32 = -1
        let master = unsafe kymo_terminal_open(&name, Int32(name.count), &side)
        if master < 0 { throw Failure(description: "no pseudo-terminal can be opened") }
        self.master = master
        descriptor = side
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { kymo_terminal_close(master, descriptor) }

    /// Whether the terminal shows typed characters.
    package var echoes: Bool { kymo_terminal_echoes(master) == 1 }

    /// All output so far.
    package var transcript: String {
        collect()
        return output.withLock { String(decoding: $0, as: UTF8.self) }
    }

    private func collect() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe kymo_terminal_read(master, &bytes, Int32(bytes.count))
            if count <= 0 { return }
            output.withLock { $0 += bytes.prefix(Int(count)) }
        }
    }

    /// Types a text.
    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        unsafe _ = kymo_terminal_type(master, bytes, Int32(bytes.count))
    }

    /// Waits until the output contains a text for the given time.
    ///
    /// - Throws: if the text does not appear within two minutes.
    package func wait(for text: String, times: Int = 1) throws(Failure) {
        let end = SystemClock.monotonicNanoseconds() + 120_000_000_000
        while transcript.split(separator: text, omittingEmptySubsequences: false).count <= times {
            if SystemClock.monotonicNanoseconds() > end {
                throw Failure(description: "\"\(text)\" is not in the output: \(transcript)")
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// Standard output, whose failure ends the dump.
final class Output {
    private let writer = OutputWriter()

    /// Whether somebody still reads.
    var isOpen: Bool { !writer.isClosed }

    /// Writes lines of a table or a list. Hidden characters in them are escaped, so that no name gives the terminal an
    /// order.
    func put(_ text: String) throws(DumpFailure) { try write(TerminalText.printable(text, keepingLines: true)) }

    /// Writes one line; line feeds in the text are escaped, so that no name pretends to be a line.
    func line(_ text: String = "") throws(DumpFailure) { try write(TerminalText.printable(text) + "\n") }

    /// Writes JSON, whose strings have their own escapes.
    func put(_ json: JSON, indented: Bool = true) throws(DumpFailure) {
        try write(json.text(indented: indented) + "\n")
    }

    private func write(_ text: String) throws(DumpFailure) {
        do { try writer.write(text) } catch { throw DumpFailure(message: "\(error)") }
    }

    /// Writes what is left.
    func finish() throws(DumpFailure) {
        do { try writer.flush() } catch { throw DumpFailure(message: "\(error)") }
    }

    /// Writes what is left, if that can be done, before an error is reported.
    func abandon() { try? writer.flush() }
}

/// Which blocks are wanted.
struct Selection {
    var block: Int?
    var series: UInt64?

    func contains(_ info: BlockInfo) -> Bool {
        (block ?? info.number) == info.number && (series ?? info.series) == info.series
    }
}

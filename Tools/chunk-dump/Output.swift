// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// Standard output; a failed write ends the dump.
final class Output {
    private let writer = OutputWriter()

    /// False if the reader has closed the pipe.
    var isOpen: Bool { !writer.isClosed }

    /// Writes lines of a table or a list. Hidden characters are escaped, so that no name can control the terminal.
    func put(_ text: String) throws(DumpFailure) { try write(TerminalText.printable(text, keepingLines: true)) }

    /// Writes one line; line feeds in the text are escaped, so that no name can imitate a line.
    func line(_ text: String = "") throws(DumpFailure) { try write(TerminalText.printable(text) + "\n") }

    /// Writes a table, with bold titles if colours are allowed; nothing without rows.
    func put(_ table: Table, indent: Int = 2) throws(DumpFailure) {
        if table.isEmpty { return }
        // The cells are escaped, and the titles are constants.
        let text = table.text(indent: indent)
        guard hasColor, let end = text.firstIndex(of: "\n") else { return try write(text) }
        try write(Self.styled(String(text[..<end]), "1") + text[end...])
    }

    /// Writes one line about damage, in red if colours are allowed.
    func alarm(_ text: String) throws(DumpFailure) {
        let text = TerminalText.printable(text)
        try write((hasColor ? Self.styled(text, "31") : text) + "\n")
    }

    private let hasColor = Terminal.allowsColor(.output)

    private static func styled(_ text: String, _ code: String) -> String { "\u{1B}[\(code)m\(text)\u{1B}[0m" }

    /// Writes JSON; its strings have their own escapes.
    func put(_ json: JSON, indented: Bool = true) throws(DumpFailure) {
        try write(json.text(indented: indented) + "\n")
    }

    private func write(_ text: String) throws(DumpFailure) {
        do { try writer.write(text) } catch { throw DumpFailure(message: "\(error)") }
    }

    /// Flushes the buffered output.
    func finish() throws(DumpFailure) {
        do { try writer.flush() } catch { throw DumpFailure(message: "\(error)") }
    }

    /// Flushes the buffered output before an error is reported, ignoring write errors.
    func abandon() { try? writer.flush() }
}

/// The selected blocks.
struct Selection {
    var block: Int?
    var series: UInt64?

    func contains(_ info: BlockInfo) -> Bool {
        (block ?? info.number) == info.number && (series ?? info.series) == info.series
    }
}

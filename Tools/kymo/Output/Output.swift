// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// Standard output for data. A closed pipe is not an error: `isOpen` becomes false.
final class Output {
    private let writer = OutputWriter()
    /// The file that receives the data instead; nil for standard output.
    private let file: NewFile?
    /// The width of the terminal in characters.
    let columns = Terminal.columns(.output)
    /// The width that tables must not exceed. A pipe or a file without `COLUMNS` has no limit, so that no cell of a
    /// table that another program reads is truncated.
    let tableWidth =
        Terminal.isTerminal(.output) || Environment.value("COLUMNS") != nil ? Terminal.columns(.output) : Int.max
    /// The colours of standard output.
    let style = Style(isOn: Terminal.allowsColor(.output))

    /// - Parameter file: the file to write; nil for standard output.
    init(_ file: NewFile? = nil) { self.file = file }

    /// False if the reader has closed the pipe.
    var isOpen: Bool { !writer.isClosed }

    /// Checks whether the reader has closed the pipe, between distant writes.
    func look() { if file == nil { writer.look() } }

    func write(_ bytes: [UInt8]) throws(DiskError) {
        if let file { try file.write(bytes) } else { try writer.write(bytes) }
    }

    func line(_ text: String = "") throws(DiskError) { try write(Array((text + "\n").utf8)) }

    /// Flushes the buffered output.
    func finish() throws(DiskError) {
        if let file { try file.flush() } else { try writer.flush() }
    }

    /// Flushes the buffered output before an error is reported, ignoring write errors.
    func abandon() { try? writer.flush() }
}

/// Standard error, for everything except data.
enum Messages {
    /// Writes one line with the program's name as prefix.
    static func write(_ message: String) { line("kymo: \(TerminalText.printable(message))") }

    /// Writes a line unchanged.
    static func line(_ text: String) { put(text + "\n") }

    /// Writes words, and names that stay in one line, in lines that fit the terminal, or `COLUMNS`.
    static func folded(_ parts: [String]) {
        let isLimited = Terminal.isTerminal(.error) || Environment.value("COLUMNS") != nil
        line(FoldedText.folded(parts, width: isLimited ? Terminal.columns(.error) : Int.max, indent: 2))
    }

    /// Writes text unchanged, without a line break.
    static func put(_ text: String) {
        let writer = OutputWriter(.error, capacity: 1 << 16)
        // Standard error is the last resort, so its errors are ignored.
        try? writer.write(text)
        try? writer.flush()
    }

    /// The colours of standard error.
    static let style = Style(isOn: Terminal.allowsColor(.error))
}

/// Terminal colours, if enabled.
struct Style: Sendable {
    let isOn: Bool

    func bold(_ text: String) -> String { wrapped(text, "1") }
    func dim(_ text: String) -> String { wrapped(text, "2") }
    func red(_ text: String) -> String { wrapped(text, "31") }
    func green(_ text: String) -> String { wrapped(text, "32") }
    func accent(_ text: String) -> String { wrapped(text, "36") }

    private func wrapped(_ text: String, _ code: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

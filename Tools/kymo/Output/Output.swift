// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// Standard output, for data. Nobody reading any more is no error: `isOpen` says to stop.
final class Output {
    private let writer = OutputWriter()
    /// A file that data goes to instead.
    private let file: NewFile?
    /// How wide a line may be.
    let columns = Terminal.columns(.output)
    /// Colours for what goes to standard output.
    let style = Style(isOn: Terminal.allowsColor(.output))

    /// - Parameter file: where data goes; without one, standard output.
    init(_ file: NewFile? = nil) { self.file = file }

    /// Whether somebody still reads.
    var isOpen: Bool { !writer.isClosed }

    /// Looks whether somebody still reads, where nothing is written for long.
    func look() { if file == nil { writer.look() } }

    func write(_ bytes: [UInt8]) throws(DiskError) {
        if let file { try file.write(bytes) } else { try writer.write(bytes) }
    }

    func line(_ text: String = "") throws(DiskError) { try write(Array((text + "\n").utf8)) }

    /// Writes what is left.
    func finish() throws(DiskError) {
        if let file { try file.flush() } else { try writer.flush() }
    }

    /// Writes what is left, if that can be done, before an error is reported.
    func abandon() { try? writer.flush() }
}

/// Standard error, for everything that is no data.
enum Messages {
    /// One line that begins with the program's name.
    static func write(_ message: String) { line("kymo: \(TerminalText.printable(message))") }

    /// A line as it is.
    static func line(_ text: String) { put(text + "\n") }

    /// Text as it is, without a line's end.
    static func put(_ text: String) {
        let writer = OutputWriter(.error, capacity: 1 << 16)
        // There is nowhere left to say that this failed.
        try? writer.write(text)
        try? writer.flush()
    }

    /// Colours for what goes to standard error.
    static let style = Style(isOn: Terminal.allowsColor(.error))
}

/// Colours, or none.
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

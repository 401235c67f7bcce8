// SPDX-License-Identifier: Apache-2.0

/// Words of a shell's command line, and sentences around them.
enum ShellText {
    /// Returns sentences as one line, or as a line each if they are wider than the terminal.
    static func lines(_ sentences: [String], _ columns: Int) -> [String] {
        let line = sentences.joined(separator: ".  ")
        return TextWidth.of(line) <= columns ? [line] : sentences
    }

    /// Returns a text in quotes that a shell takes as it is.
    static func quoted(_ text: String) -> String {
        if !text.contains(where: { "\"$`\\!".contains($0) }) { return "\"\(text)\"" }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}

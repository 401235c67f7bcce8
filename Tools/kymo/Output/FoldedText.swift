// SPDX-License-Identifier: Apache-2.0

/// Sentences in lines of a terminal.
enum FoldedText {
    /// Returns parts, joined by blanks, in lines that are at most `width` characters wide, as far as parts are.
    ///
    /// - Parameters:
    ///   - parts: words, and names that stay in one line.
    ///   - indent: the number of blanks before all lines but the first.
    static func folded(_ parts: [String], width: Int, indent: Int = 0) -> String {
        var lines = [""]
        for part in parts {
            let last = lines[lines.count - 1]
            let margin = lines.count > 1 ? indent : 0
            if last.isEmpty {
                lines[lines.count - 1] = part
            } else if margin + last.count + 1 + part.count > width {
                lines.append(part)
            } else {
                lines[lines.count - 1] = last + " " + part
            }
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }

    /// Returns the words of a text; two blanks in a row stay together with the word before them.
    static func words(_ text: String) -> [String] {
        text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    }
}

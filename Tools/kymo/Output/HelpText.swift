// SPDX-License-Identifier: Apache-2.0

/// Help for a terminal: the parser does not break the line with the usage.
enum HelpText {
    /// Returns the help with usage lines that are at most `width` characters wide, as far as options are.
    static func folded(_ help: String, width: Int) -> String {
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { $0.hasPrefix("USAGE: ") ? usage(String($0), width) : String($0) }.joined(separator: "\n")
    }

    private static func usage(_ line: String, _ width: Int) -> String {
        guard line.count > width else { return line }
        let indent = String(repeating: " ", count: "USAGE: ".count)
        var lines = [""]
        for part in parts(line) {
            let last = lines[lines.count - 1]
            if !last.isEmpty, last.count + 1 + part.count > width {
                lines.append(indent + part)
            } else {
                lines[lines.count - 1] = last.isEmpty ? part : last + " " + part
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the words of a line; text in brackets is one word.
    private static func parts(_ line: String) -> [String] {
        var parts: [String] = []
        var depth = 0
        for word in line.split(separator: " ") {
            if depth > 0 { parts[parts.count - 1] += " " + word } else { parts.append(String(word)) }
            depth += word.count { $0 == "[" || $0 == "<" } - word.count { $0 == "]" || $0 == ">" }
        }
        return parts
    }
}

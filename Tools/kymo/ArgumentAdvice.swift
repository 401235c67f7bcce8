// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthModel

/// Advice for command lines that the argument parser refuses.
enum ArgumentAdvice {
    /// The commands that take a range of time.
    private static let ranged: Set<String> = [
        "stats", "query", "sleep", "plot", "report", "summaries", "export", "delete",
    ]

    /// Returns the end of a message about the arguments of a command; nil if there is nothing to add.
    ///
    /// - Parameter message: the message of the parser.
    static func text(_ message: String, command: String?) -> String? {
        if message.hasPrefix("Missing expected argument '<type>") { return "\"kymo types\" lists the types" }
        guard message.contains("nexpected argument"), let command,
            let word = message.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first.map(
                String.init)
        else { return nil }
        if ranged.contains(command), let advice = range(word) { return advice }
        if command == "export", HealthTypes.find(TypeAlias.expanded(word)) != nil { return "use --types \(word)" }
        return nil
    }

    /// Returns the options for a date or a period in everyday words; nil for another text.
    static func range(_ text: String) -> String? {
        guard isDate(text) else { return nil }
        let shown = text.contains(" ") ? ShellText.quoted(text) : text
        return isLength(text) ? "use --last \(shown)" : "use --from \(shown) --to \(shown)"
    }

    /// Returns whether a text is a date or a period in everyday words.
    static func isDate(_ text: String) -> Bool {
        (try? Civil.period(text, now: SystemClock.wallNanoseconds(), zone: .utc)) != nil
    }

    /// Returns whether a text is a length of time: `30d`.
    private static func isLength(_ text: String) -> Bool {
        text.first.map(\.isNumber) == true && text.last.map(\.isLetter) == true && !text.contains("-")
    }
}

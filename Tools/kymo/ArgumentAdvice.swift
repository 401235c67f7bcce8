// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthModel

/// Advice for command lines that the argument parser refuses.
enum ArgumentAdvice {
    /// The commands that take a range of time.
    private static let ranged: Set<String> = [
        "stats", "query", "sleep", "workouts", "plot", "report", "summaries", "export", "delete",
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

    /// Returns the message about an unknown option with advice for this command, instead of the parser's suggestion,
    /// which may have no letter in common with the option; nil for any other message.
    ///
    /// - Parameter message: the message of the parser: `Unknown option '--since'. Did you mean '--on'?`
    static func unknownOption(_ message: String, command: String?) -> String? {
        let words = message.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        guard message.hasPrefix("Unknown option '--"), words.count > 1 else { return nil }
        let option = String(words[1].dropFirst(2).prefix { $0 != "=" })
        let text = "Unknown option '\(words[1])'"
        if let command, let advice = advice(option, command) { return "\(text); \(advice)" }
        guard words.count > 3 else { return nil }
        let suggested = String(words[3].drop { $0 == "-" })
        let isSimilar = Spelling.distance(option, suggested) <= max(1, option.count / 3)
        return isSimilar || suggested.hasPrefix(option) ? nil : text
    }

    private static let rangeOptions: Set<String> = ["from", "to", "last"]
    private static let formats: Set<String> = ["json", "jsonl", "csv", "csv-safe"]
    private static let days: Set<String> = ["on", "at", "date", "day", "since", "until", "start", "end"]

    /// Returns what does the work of an option that a command does not have; nil if nothing is known.
    private static func advice(_ option: String, _ command: String) -> String? {
        switch command {
        case "ecg" where rangeOptions.contains(option): "\"kymo query ecg\" lists the recordings of a range"
        case "plot" where formats.contains(option):
            "\"kymo query TYPE --points 100\" and \"kymo stats TYPE\" write numbers"
        case "today" where rangeOptions.contains(option): "\"kymo stats TYPE\" shows other days"
        case "why" where rangeOptions.contains(option): "give one day after the type: kymo why steps yesterday"
        case "stats" where option == "limit": "--from, --to and --last select the rows"
        case _ where ranged.contains(command) && days.contains(option):
            "a day is --from 2024-01-31 --to 2024-01-31, a period --last 30d"
        default: nil
        }
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

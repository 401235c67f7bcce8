// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Numbers on the command line, each between limits.
enum CountOption {
    /// What `--runs` takes: a run of queries repeats them three times as often.
    static let runs = 1...10_000
    static let threads = 1...64

    /// The number, or an error that names the option and the limits.
    ///
    /// Options that use this are parsed unconditionally, so that `--runs -1` is a wrong number and not a missing one.
    static func parse(_ text: String, _ option: String, _ range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw ValidationError(
                "\(option) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(text).")
        }
        return number
    }

    static func runs(_ text: String) throws -> Int { try parse(text, "--runs", runs) }

    /// Numbers with commas between them, each once.
    static func list(_ text: String, _ option: String, _ range: ClosedRange<Int>) throws -> [Int] {
        try NameOption.list(text, option).map { part in
            guard let number = Int(part), range.contains(number) else {
                let limits = "from \(range.lowerBound) to \(range.upperBound)"
                throw ValidationError("\(option) takes numbers \(limits) with commas between them, not \(text).")
            }
            return number
        }
    }
}

/// Names on the command line, with commas between them.
enum NameOption {
    /// The names, each once.
    static func list(_ text: String, _ option: String) throws -> [String] {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if text.isEmpty { throw ValidationError("nothing to measure: \(option) names nothing.") }
        var seen = Set<String>()
        for name in names {
            if name.isEmpty {
                throw ValidationError("\(option) takes names with commas between them, not \"\(text)\".")
            }
            if !seen.insert(name).inserted { throw ValidationError("\(option) names \(name) twice.") }
        }
        return names
    }
}

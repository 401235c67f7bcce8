// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Rewrites the command line into a form that the argument parser accepts.
enum CommandArguments {
    /// The options of `add` without a value.
    private static let flagsBeforeValues = ["-h", "--help", "--version", "--anyway"]

    static func prepared(_ arguments: [String]) -> [String] {
        if arguments == ["version"] { return ["--version"] }
        let joined = withNegativeValues(withStoreAfterCommand(arguments))
        return joined.first == AddCommand.configuration.commandName ? withNumbersLast(joined) : joined
    }

    /// Moves `--store DIR` from before the command to after it. Without a command, the command is `today`.
    private static func withStoreAfterCommand(_ arguments: [String]) -> [String] {
        var store: [String] = []
        var rest = arguments[...]
        while let first = rest.first {
            if first == "--store", rest.count > 1 {
                store += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if first.hasPrefix("--store=") {
                store.append(first)
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        guard let command = rest.first else { return [TodayCommand.name] + store }
        guard !store.isEmpty, !command.hasPrefix("-") else { return arguments }
        // Help does not depend on the store.
        return command == "help" ? Array(rest) : [command] + store + rest.dropFirst()
    }

    /// Joins an option with a following negative number or offset, which the parser would treat as an option: `--tz
    /// -05:00` becomes `--tz=-05:00`. No option begins with a digit.
    private static func withNegativeValues(_ arguments: [String]) -> [String] {
        var joined: [String] = []
        var rest = arguments[...]
        while let first = rest.popFirst() {
            if first == "--" { return joined + [first] + rest }
            let takesValue = first.hasPrefix("--") && !first.contains("=") && !flagsBeforeValues.contains(first)
            if takesValue, let next = rest.first, isNegative(next) {
                joined.append("\(first)=\(next)")
                rest = rest.dropFirst()
            } else {
                joined.append(first)
            }
        }
        return joined
    }

    /// Moves the positional arguments of `add` after the options and `--`, so that the parser accepts negative numbers.
    private static func withNumbersLast(_ arguments: [String]) -> [String] {
        guard arguments.contains(where: { isNegative($0) }), !arguments.contains("--") else { return arguments }
        var options = Array(arguments.prefix(1))
        var values: [String] = []
        var rest = arguments.dropFirst()
        while let first = rest.popFirst() {
            guard first.hasPrefix("-"), !isNegative(first) else {
                values.append(first)
                continue
            }
            options.append(first)
            let isAlone = first.contains("=") || flagsBeforeValues.contains(first)
            if !isAlone, let value = rest.popFirst() { options.append(value) }
        }
        return options + ["--"] + values
    }

    /// Returns whether an argument with a leading minus starts with a number: `-5`, `-.5`, `-05:00`.
    private static func isNegative(_ argument: String) -> Bool {
        guard argument.hasPrefix("-") else { return false }
        let digits = argument.dropFirst()
        return (digits.first == "." ? digits.dropFirst() : digits).first.map { $0.isASCII && $0.isNumber } ?? false
    }
}

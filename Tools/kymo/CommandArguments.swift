// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The arguments as the parser takes them, of what a person may write.
enum CommandArguments {
    static func prepared(_ arguments: [String]) -> [String] {
        let joined = withNegativeValues(withStoreAfterCommand(arguments))
        return joined.first == AddCommand.configuration.commandName ? withNumbersLast(joined) : joined
    }

    /// Lets `--store DIR` stand before the command too: moves it behind it.
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
        guard !store.isEmpty, let command = rest.first, !command.hasPrefix("-") else { return arguments }
        // Help is the same for every store.
        return command == "help" ? Array(rest) : [command] + store + rest.dropFirst()
    }

    /// Joins an option with the negative number or offset behind it, which the parser would take for another option:
    /// `--tz -05:00` becomes `--tz=-05:00`. No option begins with a digit.
    private static func withNegativeValues(_ arguments: [String]) -> [String] {
        var joined: [String] = []
        var rest = arguments[...]
        while let first = rest.popFirst() {
            if first == "--" { return joined + [first] + rest }
            if first.hasPrefix("--"), !first.contains("="), let next = rest.first, isNegative(next) {
                joined.append("\(first)=\(next)")
                rest = rest.dropFirst()
            } else {
                joined.append(first)
            }
        }
        return joined
    }

    /// Puts what `add` is given without an option behind the options, where the parser takes a negative number as it
    /// is.
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
            // All options have a value but those that ask for help.
            let isAlone = first.contains("=") || ["-h", "--help", "--version"].contains(first)
            if !isAlone, let value = rest.popFirst() { options.append(value) }
        }
        return options + ["--"] + values
    }

    /// Whether an argument that begins with a minus is a number, or begins with one: `-5`, `-.5`, `-05:00`.
    private static func isNegative(_ argument: String) -> Bool {
        guard argument.hasPrefix("-") else { return false }
        let digits = argument.dropFirst()
        return (digits.first == "." ? digits.dropFirst() : digits).first.map { $0.isASCII && $0.isNumber } ?? false
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import HealthViews

/// The values that a shell offers for arguments and options.
///
/// The shell runs the program for them, so an error yields no values instead of a message.
enum Completions {
    /// Types of samples with a value, and words for them; for `query` and `add` also their other types.
    static var types: CompletionKind { .custom { words, _, begun in typeNames(words, begun) } }

    /// The names of the stored sources.
    static var sources: CompletionKind { .custom { words, _, begun in contains(begun, sourceNames(words)) } }

    /// The units of the type on the command line.
    static var units: CompletionKind {
        .custom { words, _, begun in begins(begun, type(words).map { UnitName.words(of: $0) } ?? []) }
    }

    /// Types separated by commas.
    static var typeLists: CompletionKind {
        .custom { words, _, begun in
            let parts = begun.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
            let done = parts.dropLast().map { $0 + "," }.joined()
            return typeNames(words, parts.last ?? "").map { done + $0 }
        }
    }

    /// Days in everyday words.
    static var days: CompletionKind { .list(["today", "yesterday"] + weekdays) }

    /// Periods in everyday words that begin or end a range.
    static var dates: CompletionKind { .list(["today", "yesterday", "7d", "30d", "12w", "6m", "1y"] + weekdays) }

    /// Periods up to now.
    static var periods: CompletionKind { .list(["7d", "30d", "12w", "6m", "1y", "week", "month", "quarter", "year"]) }

    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// The shortest identities of the stored electrocardiograms.
    static var electrocardiograms: CompletionKind {
        .custom { words, _, begun in
            let list = reading(words) { try? $0.electrocardiograms() }
            return begins(begun, list.map { list in list.all.map { list.short($0) } } ?? [])
        }
    }

    /// The shortest identities of the stored workouts, and the word for the latest one.
    static var workouts: CompletionKind {
        .custom { words, _, begun in
            let list = reading(words) { try? $0.workouts() }
            return begins(begun, (list.map { list in list.all.map { list.short($0) } } ?? []) + ["last"])
        }
    }

    /// The shortest identities of the stored workouts and electrocardiograms.
    static var identities: CompletionKind {
        .custom { words, _, begun in
            let found = reading(words) { store -> [String]? in
                guard let workouts = try? store.workouts(), let recordings = try? store.electrocardiograms() else {
                    return nil
                }
                return workouts.all.map { workouts.short($0) } + recordings.all.map { recordings.short($0) }
            }
            return begins(begun, found ?? [])
        }
    }

    /// The stored activities of workouts; without one, all words and names.
    static var activities: CompletionKind {
        .custom { words, _, begun in
            let stored = reading(words) { try? Set($0.workouts().all.map(\.activityName)) } ?? []
            return begins(begun, stored.isEmpty ? ActivityName.all : stored.map { ActivityName.short($0) }.sorted())
        }
    }

    /// Time zones.
    static var zones: CompletionKind { .custom { _, _, begun in contains(begun, ZoneName.all) } }

    /// The values of the category type on the command line.
    static var values: CompletionKind {
        .custom { words, _, begun in
            guard let type = type(words), type.kind == .category else { return [] }
            return begins(
                begun, HealthCategoryValues.shortNames(of: HKCategoryTypeIdentifier(rawValue: type.identifier)))
        }
    }

    private static func typeNames(_ words: [String], _ begun: String) -> [String] {
        let listed = ListedType.allCases
        let isIdentifier = begun.hasPrefix("HK")
        var names = HealthTypes.all.map { isIdentifier ? $0.identifier : $0.shortName }
        let valued = Set(HealthTypes.all.map(\.shortName))
        var aliases = TypeAlias.all.filter { valued.contains($0.type) }
        if words.contains("query") || words.contains("delete") {
            names += listed.map { isIdentifier ? $0.identifier : $0.rawValue }
            aliases += TypeAlias.all.filter { alias in listed.contains { $0.rawValue == alias.type } }
        }
        if words.contains("query") || words.contains("add"), !isIdentifier {
            names += words.contains("add") ? ["bloodPressure", "food"] : ["bloodPressure"]
            aliases += TypeAlias.all.filter { TypeList.correlation($0.type) != nil }
        }
        return begins(begun, isIdentifier ? names : names + aliases.map(\.word))
    }

    /// Returns the names that begin with a text, ignoring case; if none does, the names that contain it, as commands
    /// take parts of names.
    private static func contains(_ begun: String, _ names: [String]) -> [String] {
        let found = begins(begun, names)
        let part = BashCompletion.plain(begun).lowercased()
        return found.isEmpty && part.count > 1 ? names.filter { $0.lowercased().contains(part) } : found
    }

    /// Returns the names that begin with a text, ignoring case.
    private static func begins(_ begun: String, _ names: [String]) -> [String] {
        let begun = BashCompletion.plain(begun).lowercased()
        return names.filter { $0.lowercased().hasPrefix(begun) }
    }

    /// Returns the type on the command line: the first word that names one.
    private static func type(_ words: [String]) -> HealthType? {
        for word in words.dropFirst(2) {
            if let type = HealthTypes.find(TypeAlias.expanded(word)) { return type }
        }
        return nil
    }

    private static func sourceNames(_ words: [String]) -> [String] {
        reading(words) { try? $0.sources().map(\.name) } ?? []
    }

    /// Returns the result of a body that reads the store of the command line; nil without a store, or without the key
    /// of an encrypted store. Never asks for the key: the person is typing a command.
    private static func reading<Value>(_ words: [String], _ body: (HealthStore) -> Value?) -> Value? {
        var option = StoreOption()
        // The parser does not initialise options outside of a command line.
        option.path = value(of: "--store", words)
        GivenKey.note(file: value(of: "--key-file", words))
        guard let path = try? option.resolved(warns: false),
            let store = try? Stores.open(at: path, mode: .readOnly, asks: false)
        else { return nil }
        defer { store.close() }
        return body(store)
    }

    /// Returns the value of an option on the command line.
    private static func value(of option: String, _ words: [String]) -> String? {
        var value: String?
        for (at, word) in words.enumerated() {
            if word == option, at + 1 < words.count { value = words[at + 1] }
            if word.hasPrefix(option + "=") { value = String(word.dropFirst(option.count + 1)) }
        }
        return value
    }
}

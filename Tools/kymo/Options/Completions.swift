// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import HealthModel
import KymographHealth

/// The values that a shell offers for arguments and options.
///
/// The shell runs the program for them, so an error yields no values instead of a message.
enum Completions {
    /// Types of samples with a value, and words for them; for `query` and `add` also their other types.
    static var types: CompletionKind { .custom { words, _, begun in typeNames(words, begun) } }

    /// The names of the stored sources.
    static var sources: CompletionKind { .custom { words, _, begun in begins(begun, sourceNames(words)) } }

    /// The units of the type on the command line.
    static var units: CompletionKind {
        .custom { words, _, begun in begins(begun, type(words).map { UnitName.words(of: $0) } ?? []) }
    }

    /// Time zones.
    static var zones: CompletionKind { .custom { _, _, begun in begins(begun, ZoneName.all) } }

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
        if words.contains("query") {
            names += listed.map { isIdentifier ? $0.identifier : $0.rawValue }
            aliases += TypeAlias.all.filter { alias in listed.contains { $0.rawValue == alias.type } }
        }
        if words.contains("query") || words.contains("add"), !isIdentifier {
            names += words.contains("add") ? ["bloodPressure", "food"] : ["bloodPressure"]
            aliases += TypeAlias.all.filter { TypeList.correlation($0.type) != nil }
        }
        return begins(begun, isIdentifier ? names : names + aliases.map(\.word))
    }

    /// Returns the names that begin with a text, ignoring case.
    private static func begins(_ begun: String, _ names: [String]) -> [String] {
        let begun = begun.lowercased()
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
        var option = StoreOption()
        // The parser does not initialise options outside of a command line.
        option.path = nil
        for (at, word) in words.enumerated() {
            if word == "--store", at + 1 < words.count { option.path = words[at + 1] }
            if word.hasPrefix("--store=") { option.path = String(word.dropFirst("--store=".count)) }
        }
        guard let path = try? option.resolved(warns: false),
            let store = try? HealthStore.open(at: path, mode: .readOnly)
        else { return [] }
        defer { store.close() }
        return (try? store.sources().map(\.name)) ?? []
    }
}

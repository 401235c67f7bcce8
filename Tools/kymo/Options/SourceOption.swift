// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

/// The selected sources.
struct SourceOption: ParsableArguments {
    @Option(
        name: .customLong("source"),
        help: ArgumentHelp(
            "Use only this source: a name, or an unambiguous part; may be repeated.", valueName: "name"),
        completion: Completions.sources)
    var names: [String] = []

    /// Returns the stored names of the given sources. Throws if one is not stored or ambiguous.
    ///
    /// - Parameter wholeNames: whether a part of a name is refused.
    func resolved(
        _ store: HealthStore, asOf commit: Int64? = nil, wholeNames: Bool = false
    ) throws -> Set<String>? {
        if names.isEmpty { return nil }
        return try Self.matching(names, among: store.sources(asOf: commit).map(\.name), wholeNames: wholeNames)
    }

    /// Returns the stored sources with the given names.
    static func matching(
        _ names: [String], _ store: HealthStore, asOf commit: Int64? = nil
    ) throws -> Set<String> {
        try matching(names, among: store.sources(asOf: commit).map(\.name))
    }

    /// Returns the known sources with the given names.
    static func matching(_ names: [String], among known: [String], wholeNames: Bool = false) throws -> Set<String> {
        var wanted = Set<String>()
        for name in names { wanted.formUnion(try found(name, known, wholeNames)) }
        return wanted
    }

    /// Returns the sources that a name means: those with this name, otherwise those whose name contains it.
    ///
    /// Several sources have one name if their names differ only in kinds of blanks and apostrophes. A part that occurs
    /// in several names is refused.
    private static func found(_ name: String, _ known: [String], _ wholeNames: Bool) throws -> [String] {
        let wanted = plain(name)
        let same = known.filter { $0 == name || plain($0) == wanted }
        if !same.isEmpty { return same }
        let parts = wholeNames || wanted.isEmpty ? [] : known.filter { plain($0).contains(wanted) }
        if Set(parts.map(plain)).count > 1 {
            let few = parts.count > most ? parts.prefix(most) + ["\(parts.count - most) more"] : parts[...]
            throw Failure.usage("several sources contain \"\(name)\": \(few.joined(separator: ", ")); add to the name")
        }
        if !parts.isEmpty { return parts }
        let near = Spelling.nearest(wanted, known.map(plain), parts: true)
        let names = known.filter { near.contains(plain($0)) }
        let advice = Spelling.question(names) ?? "\"kymo sources\" lists them"
        throw Failure.usage("no source \"\(name)\"; \(advice)")
    }

    /// The number of candidates in a message.
    private static let most = 5

    /// Returns the name in lower case without blanks and apostrophes: exports contain typographic ones.
    private static func plain(_ name: String) -> String {
        name.lowercased().filter { !$0.isWhitespace && !"'’‘`ʼ".contains($0) }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Names similar to a mistyped word, for "did you mean".
enum Spelling {
    /// Returns the number of letters to insert, delete or change.
    static func distance(_ a: String, _ b: String) -> Int { last(a, b, anywhere: false).last ?? 0 }

    /// Returns the distance between a word and the most similar part of a text.
    static func distance(_ word: String, toPartOf text: String) -> Int {
        last(word, text, anywhere: true).min() ?? word.count
    }

    /// Returns the distances between `a` and each prefix of `b`; with `anywhere`, each text that ends there.
    private static func last(_ a: String, _ b: String, anywhere: Bool) -> [Int] {
        let b = Array(b)
        var row = anywhere ? [Int](repeating: 0, count: b.count + 1) : Array(0...b.count)
        for (i, letter) in a.prefix(40).enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let change = diagonal + (letter == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row
    }

    /// Returns the names that are most similar to a mistyped word, ignoring case; at most `limit`, none if all differ
    /// in more than a third of the letters.
    ///
    /// - Parameter parts: whether a part of a name counts as the name.
    static func nearest(_ wrong: String, _ names: [String], limit: Int = 3, parts: Bool = false) -> [String] {
        let wanted = wrong.lowercased()
        guard wanted.count > 1 else { return [] }
        let found = names.map { name in
            let text = name.lowercased()
            if text.hasPrefix(wanted) { return (name: name, distance: 0) }
            let far = parts ? distance(wanted, toPartOf: text) : distance(wanted, text)
            return (name: name, distance: far)
        }
        guard let least = found.map(\.distance).min(), least <= max(1, wanted.count / 3) else { return [] }
        return found.filter { $0.distance == least }.prefix(limit).map(\.name)
    }

    /// Returns the end of a message: `did you mean a, b or c?`; nil without names.
    static func question(_ names: [String]) -> String? { names.isEmpty ? nil : "did you mean \(either(names))?" }

    /// Returns names as a choice: `a, b or c`.
    static func either(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A name prepared for comparison with a person's input.
struct NameCandidate: Sendable {
    /// The name in lower case.
    let folded: [UInt8]
    /// The words of the name in lower case: `heart`, `rate`, `variability`, `sdnn` for `heartRateVariabilitySDNN`.
    let words: [[UInt8]]

    init(_ memberName: String) {
        let letters = Array(memberName.utf8)
        folded = letters.map(Letters.lower)
        var words: [[UInt8]] = [[]]
        for (at, letter) in letters.enumerated() {
            if at > 0, Letters.isUpper(letter), !Letters.isUpper(letters[at - 1]) { words.append([]) }
            words[words.count - 1].append(Letters.lower(letter))
        }
        self.words = words
    }

    /// Returns the distance from the folded input: 0 for the same name, nil if the two are too different.
    ///
    /// The tens rank the kind of match, the units break ties: a prefix (10), a substring (20), typing errors in the
    /// whole name (30 each), typing errors in one of its words (30 each, plus 40).
    func score(_ wanted: [UInt8]) -> Int? {
        if folded == wanted { return 0 }
        let extra = min(9, abs(folded.count - wanted.count) / 4)
        if folded.starts(with: wanted) { return 10 + extra }
        if folded.count > wanted.count, contains(wanted) { return 20 + extra }
        let allowed = max(1, wanted.count / 3)
        var best: Int?
        if let whole = editDistance(wanted, folded, within: allowed) { best = 30 * whole + extra }
        for word in words where word.count > 2 {
            guard let part = editDistance(wanted, word, within: min(allowed, word.count / 3)) else { continue }
            best = min(best ?? .max, 30 * part + 40 + extra)
        }
        return best
    }

    private func contains(_ wanted: [UInt8]) -> Bool {
        (0...(folded.count - wanted.count)).contains { folded[$0...].starts(with: wanted) }
    }
}

/// Returns the typing errors between two words: inserted, missing, wrong or swapped letters; nil above `limit`.
///
/// O(a × b) in time, O(b) in space.
func editDistance(_ a: [UInt8], _ b: [UInt8], within limit: Int) -> Int? {
    guard abs(a.count - b.count) <= limit else { return nil }
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var before = [Int](repeating: 0, count: b.count + 1)
    var above = Array(0...b.count)
    var row = above
    for i in 1...a.count {
        row[0] = i
        for j in 1...b.count {
            let wrong = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
            var best = min(wrong, above[j] + 1, row[j - 1] + 1)
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, before[j - 2] + 1) }
            row[j] = best
        }
        (before, above, row) = (above, row, before)
    }
    return above[b.count] <= limit ? above[b.count] : nil
}

// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

// An import skips what ended before the history that the store keeps, like objects that are stored already: another
// store has it.
extension HealthLoader {
    /// The beginning of the history that the store keeps; nil for everything.
    var historyBegin: Int64? { HistoryLimit.stored(in: tables.settings) }

    /// Returns whether an object of an import ended before the history that the store keeps.
    func isBeforeHistory(_ end: Int64?) -> Bool {
        guard let begin = historyBegin, let end else { return false }
        return end < begin
    }
}

extension HealthRows {
    /// Removes the rows that end before an instant.
    mutating func removeAll(endingBefore begin: Int64) {
        let left = ends.indices.filter { ends[$0] >= begin }
        if left.count == count { return }
        starts = left.map { starts[$0] }
        values = left.map { values[$0] }
        created = left.map { created[$0] }
        provenance = left.map { provenance[$0] }
        metadata = left.map { metadata[$0] }
        ends = left.map { ends[$0] }
    }
}

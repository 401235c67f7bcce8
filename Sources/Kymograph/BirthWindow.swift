// SPDX-License-Identifier: Apache-2.0

/// Some commits in a row, by which samples are told apart.
struct BirthWindow: Hashable, Sendable {
    /// The commit before the first of them.
    let after: Int64
    /// The last of them.
    let through: Int64

    func contains(_ born: Int64) -> Bool { born > after && born <= through }

    /// What is hidden of samples that were born from `first` to `last`.
    func touch(_ first: Int64, _ last: Int64) -> Mask.Touch {
        if last <= after || first > through { return .all }
        return first > after && last <= through ? .none : .some
    }
}

extension Version {
    /// What the version shows of the samples that some commits brought.
    ///
    /// Counts of samples are those of the whole runs: for scans only. `asOf` gives all answers.
    func born(in window: BirthWindow) -> Version {
        var part = self
        for (series, list) in runs {
            let touched = list.filter { window.touch($0.births.first, $0.births.last) != .all }
            part.runs[series] = touched.isEmpty ? nil : touched
            if touched.contains(where: { window.touch($0.births.first, $0.births.last) == .some }) {
                part.tombstones[series] = Tombstones(tombstones[series]?.all ?? [], births: window)
            }
        }
        return part
    }
}

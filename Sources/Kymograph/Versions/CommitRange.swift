// SPDX-License-Identifier: Apache-2.0

import Catalog

/// Some commits in a row, by which samples are told apart.
struct CommitRange: Hashable, Sendable {
    /// The commit before the first of them.
    let after: Int64
    /// The last of them.
    let through: Int64

    func contains(_ born: Int64) -> Bool { born > after && born <= through }

    /// What is hidden of samples that were born from `first` to `last`.
    func overlap(_ first: Int64, _ last: Int64) -> Mask.Overlap {
        if last <= after || first > through { return .all }
        return first > after && last <= through ? .none : .some
    }
}

extension Version {
    /// What the version shows of the samples that some commits brought.
    ///
    /// Counts of samples are those of the whole runs: for scans only. `asOf` gives all answers.
    func born(in window: CommitRange) -> Version {
        var part = self
        part.runs = runs(in: window)
        var hidden = tombstones
        for (series, _) in part.mixedRuns(window) {
            hidden[series] = Tombstones(tombstones[series]?.all ?? [], births: window)
        }
        part.tombstones = hidden
        return part
    }

    /// The runs that have samples which some commits brought.
    func runs(in window: CommitRange) -> RunTable {
        runs.filter { file in
            switch window.overlap(file.totals.births.first, file.totals.births.last) {
            case .all: false
            case .none: true
            case .some: nil
            }
        } runs: { run in
            window.overlap(run.births.first, run.births.last) != .all
        }
    }

    /// Of each series the runs that have samples which some commits brought, and others.
    func mixedRuns(_ window: CommitRange) -> [(series: Int64, runs: [Run])] {
        var candidates = Set(tailSamples.keys)
        for file in segments.values where window.overlap(file.totals.births.first, file.totals.births.last) == .some {
            candidates.formUnion(file.row.runs.series)
        }
        return candidates.sorted().compactMap { series in
            let mixed = runs[series].filter { window.overlap($0.births.first, $0.births.last) == .some }
            return mixed.isEmpty ? nil : (series, mixed)
        }
    }
}

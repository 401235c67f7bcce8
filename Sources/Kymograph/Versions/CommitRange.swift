// SPDX-License-Identifier: Apache-2.0

import Catalog

/// A range of successive commits, used to select samples by the commit that added them.
struct CommitRange: Hashable, Sendable {
    /// The commit before the first one in the range.
    let after: Int64
    /// The last commit in the range.
    let through: Int64

    func contains(_ born: Int64) -> Bool { born > after && born <= through }

    /// Returns the effect of hiding all other commits on samples of the commits `first` to `last`.
    func overlap(_ first: Int64, _ last: Int64) -> Mask.Overlap {
        if last <= after || first > through { return .all }
        return first > after && last <= through ? .none : .some
    }
}

extension Version {
    /// Returns a version with only the samples that a range of commits added.
    ///
    /// Sample counts are those of the whole runs, so the version is suitable for scans only. `asOf` supports all
    /// queries.
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

    /// Returns the runs with samples of a range of commits.
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

    /// Returns for each series the runs with samples of a range of commits and samples of other commits.
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

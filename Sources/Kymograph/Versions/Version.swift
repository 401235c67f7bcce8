// SPDX-License-Identifier: Apache-2.0

import Catalog
import Kernels

/// The content of a store after one commit, an immutable value shared by snapshots.
struct Version: Sendable {
    /// The commit; 0 for an empty store.
    var seq: Int64 = 0
    /// Protects the version's files from removal. Set when the version is published.
    var hold: CommitHold?
    /// The maximum number of threads of one query.
    var threads = 1
    var series = SeriesTable()
    /// The segments, by the id of their catalog row.
    var segments: [Int64: SegmentFile] = [:]
    var runs = RunTable()
    /// The number of samples in the tail, by series; a series without such samples has no entry.
    var tailSamples: [Int64: Int] = [:]
    /// The largest of the numbers in `tailSamples`.
    private(set) var mostInTail = 0
    /// The commits of the rows of the tail.
    var tailRows: [Int64] = []
    /// Values that few versions have; nil if all are empty, which makes snapshots cheaper.
    private var aside: VersionAside?

    /// The deletions by series; a series without deletions has no entry.
    var tombstones: [Int64: Tombstones] {
        get { aside?.tombstones ?? [:] }
        set { aside = VersionAside(newValue, retired, past) }
    }

    /// Returns the deletions of a series; nil without deletions.
    func tombstones(of id: SeriesID) -> Tombstones? { aside?.tombstones[id.rawValue] }

    /// Retired segments whose catalog rows still exist.
    var retired: [RetiredRow] {
        get { aside?.retired ?? [] }
        set { aside = VersionAside(tombstones, newValue, past) }
    }

    var past: CommitHistory {
        get { aside?.past ?? CommitHistory() }
        set { aside = VersionAside(tombstones, retired, newValue) }
    }

    /// The cache of sample copies, shared by the published versions of an opening.
    var copies: CopiesCache { hold?.copies ?? CopiesCache() }
    /// The cache of merged sources; nil before the version is published.
    var merged: MergedTables? { hold?.merged }

    mutating func add(_ one: Series) { series.add(one) }

    mutating func add(_ file: SegmentFile) {
        segments[file.row.id] = file
        runs.add(file)
    }

    mutating func add(_ blocks: [TailBlock], seq: Int64) {
        tailRows.append(seq)
        for block in blocks {
            runs.add(block)
            let count = tailSamples[block.series, default: 0] + Int(block.summary.count)
            tailSamples[block.series] = count
            mostInTail = max(mostInTail, count)
        }
    }

    /// The blocks of the tail, by series.
    var tailBlocks: [TailBlock] {
        tailSamples.keys.sorted().flatMap { series in
            runs[series].compactMap { if case .tail(let block) = $0 { block } else { nil } }
        }
    }

    /// Removes segments that commit `died` replaces, and adds them to `retired`.
    mutating func retire(_ files: [SegmentFile], died: Int64) {
        if files.isEmpty { return }
        for file in files { segments[file.row.id] = nil }
        runs.remove(files)
        retired += files.map { RetiredRow($0.row, died: died) }
    }

    /// Removes the entries of retired segments whose catalog rows are removed.
    mutating func forget(_ rows: [Int64]) {
        if rows.isEmpty { return }
        let gone = Set(rows)
        retired.removeAll { gone.contains($0.id) }
    }

    /// Adds tombstones of a series.
    /// - Requires: they are younger than the existing ones.
    mutating func add(_ fresh: [Tombstone], to series: Int64) {
        tombstones[series] = tombstones[series]?.adding(fresh) ?? Tombstones(fresh)
    }

    /// Removes rows of the tail whose samples are now in a segment.
    mutating func removeTail(_ rows: Set<Int64>) {
        if rows.isEmpty { return }
        for (id, count) in tailSamples {
            let left = count - runs.removeTail(of: id, rows)
            tailSamples[id] = left > 0 ? left : nil
        }
        mostInTail = tailSamples.values.max() ?? 0
        tailRows.removeAll { rows.contains($0) }
    }
}

/// Values that few versions have, behind one shared reference.
private final class VersionAside: Sendable {
    let tombstones: [Int64: Tombstones]
    let retired: [RetiredRow]
    let past: CommitHistory

    /// Returns nil if all values are empty.
    init?(_ tombstones: [Int64: Tombstones], _ retired: [RetiredRow], _ past: CommitHistory) {
        if tombstones.isEmpty, retired.isEmpty, past == CommitHistory() { return nil }
        self.tombstones = tombstones
        self.retired = retired
        self.past = past
    }
}

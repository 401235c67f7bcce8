// SPDX-License-Identifier: Apache-2.0

import Catalog
import Kernels

/// What a store holds after one commit: an immutable value, which snapshots share.
struct Version: Sendable {
    /// The commit, from 0 for an empty store.
    var seq: Int64 = 0
    /// Keeps what this version needs from being removed, once it is published.
    var hold: CommitHold?
    /// The most threads that one query uses.
    var threads = 1
    var series = SeriesTable()
    /// By the id of their catalog row.
    var segments: [Int64: SegmentFile] = [:]
    var runs = RunTable()
    /// Samples in the tail of each series that has some.
    var tailSamples: [Int64: Int] = [:]
    /// The most samples that a series has in the tail.
    private(set) var mostInTail = 0
    /// The commits that are rows of the tail.
    var tailRows: [Int64] = []
    /// What few versions have; nil where there is nothing of it, which then costs a snapshot next to nothing.
    private var aside: VersionAside?

    /// What was deleted; a series of which nothing was has no entry.
    var tombstones: [Int64: Tombstones] {
        get { aside?.tombstones ?? [:] }
        set { aside = VersionAside(newValue, retired, past) }
    }

    /// What was deleted of a series; nil where nothing was.
    func tombstones(of id: SeriesID) -> Tombstones? { aside?.tombstones[id.rawValue] }

    /// Segments that later versions than those that held them do without, as long as their rows are there.
    var retired: [RetiredRow] {
        get { aside?.retired ?? [] }
        set { aside = VersionAside(tombstones, newValue, past) }
    }

    /// How far back the store can be looked at, and whose commits are its own.
    var past: CommitHistory {
        get { aside?.past ?? CommitHistory() }
        set { aside = VersionAside(tombstones, retired, newValue) }
    }

    /// What is known of copies; shared by the versions of an opening once they are published.
    var copies: CopiesCache { hold?.copies ?? CopiesCache() }
    /// What was found of merged sources.
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

    /// Does without segments that others replace with a commit.
    mutating func retire(_ files: [SegmentFile], died: Int64) {
        if files.isEmpty { return }
        for file in files { segments[file.row.id] = nil }
        runs.remove(files)
        retired += files.map { RetiredRow($0.row, died: died) }
    }

    /// Forgets rows of retired segments, which are gone.
    mutating func forget(_ rows: [Int64]) {
        if rows.isEmpty { return }
        let gone = Set(rows)
        retired.removeAll { gone.contains($0.id) }
    }

    /// Adds tombstones of a series, younger than those that are there.
    mutating func add(_ fresh: [Tombstone], to series: Int64) {
        tombstones[series] = tombstones[series]?.adding(fresh) ?? Tombstones(fresh)
    }

    /// Forgets rows of the tail whose samples are in a segment now.
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

/// What few versions have: one reference for them to share.
private final class VersionAside: Sendable {
    let tombstones: [Int64: Tombstones]
    let retired: [RetiredRow]
    let past: CommitHistory

    /// Nil where there is nothing of it.
    init?(_ tombstones: [Int64: Tombstones], _ retired: [RetiredRow], _ past: CommitHistory) {
        if tombstones.isEmpty, retired.isEmpty, past == CommitHistory() { return nil }
        self.tombstones = tombstones
        self.retired = retired
        self.past = past
    }
}

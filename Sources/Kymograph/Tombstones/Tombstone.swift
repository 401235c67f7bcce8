// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import Synchronization

/// Samples by start and identity, in ascending order of start, identity high and identity low.
struct ListedSamples: Sendable {
    private(set) var starts: [Int64] = []
    private(set) var highs: [Int64] = []
    private(set) var lows: [Int64] = []

    init() {}

    init(sorting samples: [(start: Int64, identity: SampleIdentity)]) {
        for one in samples.sorted(by: { ($0.start, $0.identity) < ($1.start, $1.identity) }) {
            append(one.start, one.identity.high, one.identity.low)
        }
    }

    /// All samples of several lists.
    init(merging lists: [ListedSamples]) {
        if lists.count == 1 {
            self = lists[0]
            return
        }
        self.init(sorting: lists.flatMap { list in list.starts.indices.map { (list.starts[$0], list.identity($0)) } })
    }

    mutating func append(_ start: Int64, _ high: Int64, _ low: Int64) {
        starts.append(start)
        highs.append(high)
        lows.append(low)
    }

    var count: Int { starts.count }
    var isEmpty: Bool { starts.isEmpty }

    func identity(_ i: Int) -> SampleIdentity { SampleIdentity(high: highs[i], low: lows[i]) }

    /// Some of the samples.
    subscript(range: Range<Int>) -> ListedSamples {
        var part = ListedSamples()
        for i in range { part.append(starts[i], highs[i], lows[i]) }
        return part
    }
}

/// A deletion: what of a series it hides. `Docs/Format/Catalog.md` says what each field means on disk.
struct Tombstone: Sendable {
    let id: Int64
    let series: Int64
    /// The commit that deleted. Runs of earlier ones are concerned.
    let born: Int64
    let range: TimeRange
    /// Samples that it hides and no earlier one does.
    var count: Int64
    /// Nil for all that starts in the range.
    let listed: ListedSamples?
}

/// The tombstones of one series: an immutable value that versions share.
final class Tombstones: Sendable {
    /// Ascending by id, and so by birth.
    let all: [Tombstone]
    /// Samples that are hidden.
    let hidden: Int
    /// Only samples of these commits count.
    let births: CommitRange?
    private let masks: MaskCache

    /// - Parameters:
    ///   - births: the commits whose samples count.
    ///   - outside: how many samples of others there are.
    init(_ all: [Tombstone], births: CommitRange? = nil, outside: Int = 0) {
        self.all = all
        self.births = births
        hidden = Self.hidden(all) + outside
        masks = MaskCache()
    }

    /// With younger ones, for which the masks that were made of these are not sorted anew.
    func adding(_ fresh: [Tombstone]) -> Tombstones {
        births == nil ? Tombstones(all + fresh, MaskCache(masks.bases(of: all.count))) : Tombstones(all + fresh)
    }

    private init(_ all: [Tombstone], _ masks: MaskCache) {
        self.all = all
        births = nil
        hidden = Self.hidden(all)
        self.masks = masks
    }

    /// The same tombstones with other counts, from which what is known of blocks is taken over.
    private init(_ all: [Tombstone], like old: Tombstones) {
        self.all = all
        births = old.births
        hidden = Self.hidden(all)
        masks = old.masks
    }

    /// A sum that counts which no store reaches do not overflow.
    private static func hidden(_ all: [Tombstone]) -> Int {
        all.reduce(0) { min($0 + Int(min($1.count, 1 << 60)), 1 << 60) }
    }

    /// With other counts, by id.
    func counting(_ counts: [Int64: Int64]) -> Tombstones {
        var changed = all
        for i in changed.indices { changed[i].count = counts[changed[i].id] ?? changed[i].count }
        return Tombstones(changed, like: self)
    }

    /// With lower counts, by id.
    func without(_ removed: [Int64: Int64]) -> Tombstones {
        counting(Dictionary(all.map { ($0.id, max(0, $0.count - (removed[$0.id] ?? 0))) }) { $1 })
    }

    /// What hides samples of a run; nil if nothing does.
    func mask(over run: Run) -> Mask? {
        if let births, births.overlap(run.births.first, run.births.last) != .none {
            return masks.mask(run.place) { Mask(mask(born: run.born), births: births, runBorn: run.born) }
        }
        guard let mask = mask(born: run.born) else { return nil }
        return mask.overlap(run.firstStart, run.lastStart) == .none ? nil : mask
    }

    /// What hides samples of runs of some birth; nil if nothing does.
    func mask(born: Int64) -> Mask? {
        // Most runs are older than all, or younger.
        guard let last = all.last, last.born > born else { return nil }
        var from = 0
        var high = all.count
        while from < high {
            let middle = (from + high) / 2
            if all[middle].born > born { high = middle } else { from = middle + 1 }
        }
        return masks.mask(from) { base in
            if let base, base.outline.isGoodBase(for: self.all[base.count...]) {
                Mask(base.outline, adding: self.all[base.count...])
            } else {
                Mask(self.all[from...])
            }
        }
    }

    /// The summary of what is left of a run.
    func summary(of run: Run) throws(StoreError) -> Summary {
        guard let mask = mask(over: run) else { return run.summary }
        return try mask.summary(of: run, QueryScratch(nil))
    }
}

/// The masks that were made of some tombstones, by the first of them that counts.
private final class MaskCache: Sendable {
    private static let limit = 64
    /// Listed samples of all masks together, each of 24 bytes, unless one mask alone has more.
    private static let mostListed = 1 << 20
    /// Ranges and listed samples of all bases together, unless one alone has more.
    private static let mostInBases = 1 << 20
    /// What the first so many tombstones hide, but for those before the one that it is known by.
    struct Base: Sendable {
        let outline: Mask.Outline
        let count: Int
    }

    private let masks = Mutex<[Int: Mask]>([:])
    /// Of fewer tombstones; gone when one of all is made of it.
    private let bases: Mutex<[Int: Base]>
    private let runs = Mutex<[BlockPlace: Mask]>([:])

    init(_ bases: [Int: Base] = [:]) { self.bases = Mutex(bases) }

    /// What masks of more tombstones than `count` can be made of; where that is too much, what was made last.
    func bases(of count: Int) -> [Int: Base] {
        let made = masks.withLock { $0 }.mapValues { Base(outline: $0.outline, count: count) }
        let all = bases.withLock { $0 }.merging(made) { _, new in new }
        if all.count <= Self.limit, Self.size(all) <= Self.mostInBases { return all }
        if made.count == 1 || Self.size(made) <= Self.mostInBases { return made }
        return [:]
    }

    private static func size(_ bases: [Int: Base]) -> Int { bases.values.reduce(0) { $0 + $1.outline.count } }

    func mask(_ run: BlockPlace, _ make: () -> Mask) -> Mask {
        runs.withLock { masks in
            if let known = masks[run] { return known }
            let mask = make()
            masks[run] = mask
            return mask
        }
    }

    func mask(_ from: Int, _ make: (Base?) -> Mask) -> Mask {
        masks.withLock { masks in
            if let known = masks[from] { return known }
            let mask = make(bases.withLock { $0.removeValue(forKey: from) })
            let listed = masks.values.reduce(mask.listedSamples) { $0 + $1.listedSamples }
            if masks.count >= Self.limit || listed > Self.mostListed { masks.removeAll() }
            masks[from] = mask
            return mask
        }
    }
}

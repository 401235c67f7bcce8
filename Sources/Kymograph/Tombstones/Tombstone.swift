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

    /// Creates a list of all samples of several lists.
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

    /// Returns some of the samples.
    subscript(range: Range<Int>) -> ListedSamples {
        var part = ListedSamples()
        for i in range { part.append(starts[i], highs[i], lows[i]) }
        return part
    }
}

/// A deletion of samples of one series. `Docs/Format/Catalog.md` describes the fields on disk.
struct Tombstone: Sendable {
    let id: Int64
    let series: Int64
    /// The commit of the deletion. It hides samples of runs of earlier commits only.
    let born: Int64
    let range: TimeRange
    /// The number of samples that this tombstone hides and no earlier one does.
    var count: Int64
    /// The deleted samples; nil if all samples that start in the range are deleted.
    let listed: ListedSamples?

    /// The start of the range of a tombstone that prunes history. No other tombstone has it.
    static let pruningStart = Int64.min + 1

    /// Whether the tombstone prunes history: it hides its samples like a deletion, and is none for followers.
    var isPruning: Bool { range.start == Self.pruningStart }
}

/// The tombstones of one series, an immutable value shared by versions.
final class Tombstones: Sendable {
    /// The tombstones, ascending by id, and therefore by commit.
    let all: [Tombstone]
    /// The number of hidden samples.
    let hidden: Int
    /// If set, only samples of these commits are visible.
    let births: CommitRange?
    private let masks: MaskCache

    /// - Parameters:
    ///   - births: the commits whose samples are visible; nil for all.
    ///   - outside: the number of samples of other commits.
    init(_ all: [Tombstone], births: CommitRange? = nil, outside: Int = 0) {
        self.all = all
        self.births = births
        hidden = Self.hidden(all) + outside
        masks = MaskCache()
    }

    /// Returns the tombstones with younger ones added. New masks extend the existing ones instead of sorting all ranges
    /// again.
    func adding(_ fresh: [Tombstone]) -> Tombstones {
        births == nil ? Tombstones(all + fresh, MaskCache(masks.bases(of: all.count))) : Tombstones(all + fresh)
    }

    private init(_ all: [Tombstone], _ masks: MaskCache) {
        self.all = all
        births = nil
        hidden = Self.hidden(all)
        self.masks = masks
    }

    /// Creates the same tombstones with other counts, and shares the masks of the old ones.
    private init(_ all: [Tombstone], like old: Tombstones) {
        self.all = all
        births = old.births
        hidden = Self.hidden(all)
        masks = old.masks
    }

    /// Returns the sum of the counts, clamped so that implausible counts do not overflow.
    private static func hidden(_ all: [Tombstone]) -> Int {
        all.reduce(0) { min($0 + Int(min($1.count, 1 << 60)), 1 << 60) }
    }

    /// Returns the same tombstones with other counts, given by id.
    func counting(_ counts: [Int64: Int64]) -> Tombstones {
        var changed = all
        for i in changed.indices { changed[i].count = counts[changed[i].id] ?? changed[i].count }
        return Tombstones(changed, like: self)
    }

    /// Returns the same tombstones with their counts reduced, by id.
    func without(_ removed: [Int64: Int64]) -> Tombstones {
        counting(Dictionary(all.map { ($0.id, max(0, $0.count - (removed[$0.id] ?? 0))) }) { $1 })
    }

    /// Returns the mask of a run's hidden samples; nil if none are hidden.
    func mask(over run: Run) -> Mask? {
        if let births, births.overlap(run.births.first, run.births.last) != .none {
            return masks.mask(run.place) { Mask(mask(born: run.born), births: births, runBorn: run.born) }
        }
        guard let mask = mask(born: run.born) else { return nil }
        return mask.overlap(run.firstStart, run.lastStart) == .none ? nil : mask
    }

    /// Returns the mask for runs of a commit; nil if no tombstone is younger.
    func mask(born: Int64) -> Mask? {
        // Most runs are older than all tombstones, or younger than all.
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

    /// Returns the summary of a run's remaining samples.
    func summary(of run: Run) throws(StoreError) -> Summary {
        guard let mask = mask(over: run) else { return run.summary }
        return try mask.summary(of: run, QueryScratch(nil))
    }
}

/// The masks of a set of tombstones, by the index of the first tombstone that counts.
private final class MaskCache: Sendable {
    private static let limit = 64
    /// The maximum of listed samples in all masks, of 24 bytes each; a single mask may exceed it.
    private static let mostListed = 1 << 20
    /// The maximum of ranges and listed samples in all bases; a single base may exceed it.
    private static let mostInBases = 1 << 20
    /// A mask of tombstones `key` ..< `count`; the key in `bases` is the first tombstone that counts.
    struct Base: Sendable {
        let outline: Mask.Outline
        let count: Int
    }

    private let masks = Mutex<[Int: Mask]>([:])
    /// Masks of fewer tombstones. An entry is removed when it is completed to a mask of all tombstones.
    private let bases: Mutex<[Int: Base]>
    private let runs = Mutex<[BlockPlace: Mask]>([:])

    init(_ bases: [Int: Base] = [:]) { self.bases = Mutex(bases) }

    /// Returns the bases for masks of more tombstones than `count`; only the latest ones if all are too large.
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

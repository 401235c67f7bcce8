// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat

/// What a repair knows of deletions, and what they hide of that which is left.
struct DeletionSalvage {
    private let store: [UInt8]
    private var counters: [Int64: TombstoneCounter] = [:]
    private let now: Int64?
    private var orphans: [Orphan] = []

    /// A segment of which no row is left. It was begun after a commit that it names, but a load may have gone on while
    /// others committed: deletions among them are younger or older than its samples.
    private struct Orphan {
        let uuid: [UInt8]
        let path: String
        /// The earliest commit that it may be of.
        let born: Int64
        /// The tombstones that would hide samples of it, in the order of their commits.
        let hiding: [(series: Int64, place: Int, born: Int64)]
    }

    init(_ salvage: StoreSalvage) {
        store = salvage.storeID
        now = salvage.deletions.now
        var codec = TombstoneCodec(store: salvage.storeID)
        var found = [Int64: [Tombstone]]()
        for row in salvage.deletions.tombstones {
            do throws(StoreError) {
                let one = try codec.tombstone(row)
                if let last = found[one.series]?.last, one.born < last.born {
                    throw StoreError(.corrupt, "it is older than the one before it")
                }
                found[one.series, default: []].append(one)
            } catch {
                salvage.lose(row, error.message)
            }
        }
        for (series, all) in found { counters[series] = TombstoneCounter(Tombstones(all)) }
    }

    /// Counts what is hidden in the sound blocks of a segment; of one whose birth is doubtful later, by `settle`.
    mutating func count(_ segment: SegmentSalvage) throws(StoreError) {
        if segment.found.keys.allSatisfy({ counters[$0] == nil }) { return }
        if segment.row == nil {
            let hiding = try self.hiding(segment)
            if !hiding.isEmpty {
                return orphans.append(
                    Orphan(uuid: segment.uuid, path: segment.path, born: segment.born, hiding: hiding))
            }
        }
        try count(segment, born: segment.born)
    }

    private mutating func count(_ segment: SegmentSalvage, born: Int64) throws(StoreError) {
        try segment.forEachBlock { (series, block) throws(StoreError) in counters[series]?.take(block, born: born) }
    }

    /// The tombstones that would hide samples of a segment if it is as old as it can be.
    private func hiding(
        _ segment: SegmentSalvage
    ) throws(StoreError) -> [(series: Int64, place: Int, born: Int64)] {
        var found: [Int64: Set<Int>] = [:]
        try segment.forEachBlock { series, block in
            found[series, default: []].formUnion(counters[series]?.hiding(block, born: segment.born) ?? [])
        }
        return found.flatMap { series, places in
            places.compactMap { place in counters[series].map { (series, place, $0[place].born) } }
        }.sorted { $0.born < $1.born }
    }

    /// Finds out how old segments without a row are, after everything else was counted: a deletion that hid more
    /// samples than were met hid theirs, and is younger. Returns the births that are not the earliest possible ones.
    mutating func settle(_ salvage: StoreSalvage) throws(StoreError) -> [[UInt8]: Int64] {
        var births: [[UInt8]: Int64] = [:]
        for orphan in orphans.sorted(by: { $0.born < $1.born }) {
            var born = orphan.born
            for one in orphan.hiding {
                if counters[one.series]?.unmet(one.place) ?? 0 > 0 {
                    born = min(born, one.born - 1)
                    break
                }
                born = one.born
            }
            if born > orphan.born { births[orphan.uuid] = born }
            try count(salvage.again(orphan.uuid), born: born)
            // Where samples are lost, numbers do not tell everything. What was deleted stays so.
            if let one = orphan.hiding.first(where: { $0.born > born && counters[$0.series]?.unmet($0.place) != 0 }) {
                salvage.remark(
                    "\(orphan.path), of which no row is left, may be younger than the deletion of commit \(one.born), "
                        + "which was applied to it")
            }
        }
        return births
    }

    /// Counts what is hidden in rows of the tail, which are sound.
    mutating func count(_ tail: [TailRow]) {
        if counters.isEmpty { return }
        var codec = TailCodec(store: store)
        let scratch = QueryScratch(nil)
        for row in tail {
            for block in (try? codec.decode(row.body, seq: row.seq)) ?? [] {
                guard let counter = counters[block.series], (try? scratch.load(block, counter.columns)) != nil else {
                    continue
                }
                counters[block.series]?.take(scratch.block, born: row.seq)
            }
        }
    }

    /// The rows for a new catalog; those of series of which nothing is left are not among them.
    func finish(_ salvage: StoreSalvage) throws(StoreError) -> CatalogDeletions {
        var codec = TombstoneCodec(store: store)
        var rows = [TombstoneRow]()
        for (series, counter) in counters where salvage.series[series] != nil {
            for one in counter.counted.all { rows.append(try codec.row(one)) }
        }
        let last = rows.map(\.born).max() ?? 0
        let known = salvage.deletions.times.filter { $0.commit <= last }.sorted { $0.commit < $1.commit }
        return CatalogDeletions(tombstones: rows.sorted { $0.id < $1.id }, now: now, times: known)
    }
}

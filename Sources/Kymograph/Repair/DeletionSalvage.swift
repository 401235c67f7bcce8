// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat

/// The deletions known to a repair, and the number of remaining samples that they hide.
struct DeletionSalvage {
    private let store: [UInt8]
    private var counters: [Int64: TombstoneCounter] = [:]
    private let now: Int64?
    private var orphans: [Orphan] = []

    /// A segment without a row in the catalog. Its header names the commit before its start, but other commits may have
    /// followed during the load: their deletions may be younger or older than its samples.
    private struct Orphan {
        let uuid: [UInt8]
        let path: String
        /// The earliest possible commit of the segment.
        let born: Int64
        /// The tombstones that may hide samples of the segment, in the order of their commits.
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
                    throw StoreError(.corrupt, "the deletion is older than the previous one")
                }
                found[one.series, default: []].append(one)
            } catch {
                salvage.lose(row, error.message)
            }
        }
        for (series, all) in found { counters[series] = TombstoneCounter(Tombstones(all)) }
    }

    /// Counts hidden samples in the intact blocks of a segment. A segment of uncertain commit is counted later, by
    /// `settle`.
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

    /// Returns the tombstones that would hide samples if the segment had its earliest possible commit.
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

    /// Determines the commits of segments without a row. If a deletion hid more samples than were found so far, the
    /// missing ones are in such a segment, and the deletion is younger. Returns the commits that differ from the
    /// earliest possible ones.
    /// - Ordering: after all other segments and the tail are counted.
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
            // If samples are lost, the counts are inconclusive. Deleted samples then stay deleted.
            if let one = orphan.hiding.first(where: { $0.born > born && counters[$0.series]?.unmet($0.place) != 0 }) {
                salvage.remark(
                    "\(orphan.path) has no catalog row and may be younger than the deletion of commit \(one.born), "
                        + "which was applied to it")
            }
        }
        return births
    }

    /// Counts hidden samples in intact rows of the tail.
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

    /// Returns the rows for a new catalog, without those of lost series.
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

// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat

/// What a repair knows of deletions, and what they hide of that which is left.
struct DeletionSalvage {
    private let store: [UInt8]
    private var counters: [Int64: TombstoneCounter] = [:]
    private let now: Int64?

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

    /// Counts what is hidden in the sound blocks of a segment.
    mutating func count(_ segment: SegmentSalvage) throws(StoreError) {
        if segment.found.keys.allSatisfy({ counters[$0] == nil }) { return }
        try segment.forEachBlock { (series, block) throws(StoreError) in
            counters[series]?.take(block, born: segment.born)
        }
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
        return CatalogDeletions(tombstones: rows.sorted { $0.id < $1.id }, now: now)
    }
}

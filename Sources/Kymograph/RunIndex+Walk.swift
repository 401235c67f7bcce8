// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import TimeIndex

extension RunIndex {
    var root: IndexRoot {
        IndexRoot(offset: UInt64(row.rootOffset), length: UInt32(clamping: row.rootLength), levels: levels)
    }

    /// Fills a row of buckets, decoding only the blocks that an edge cuts.
    func walk(_ sweep: inout BucketSweep, _ columns: ColumnSet, _ scratch: QueryScratch) throws(StoreError) {
        var summaries = 0
        var pages = 1
        try guarded {
            try IndexTree.walk(
                self, root: root,
                decide: { entry, isLeaf in
                    let visit = sweep.consider(entry.summary)
                    if case .whole = visit { summaries += 1 }
                    if !isLeaf, case .descend = visit { pages += 1 }
                    return visit
                },
                block: { entry in
                    try scratch.load(self, entry.offset, entry.length, columns)
                    sweep.take(scratch.block)
                })
        }
        scratch.explanation?.summaries += summaries
        scratch.explanation?.indexPages += pages
    }

    /// The places of the blocks that hold a sample starting in the range.
    func blocks(
        startingIn range: TimeRange, _ explanation: QueryExplanation?
    ) throws(StoreError) -> [(offset: UInt64, length: UInt32)] {
        var found = [(offset: UInt64, length: UInt32)]()
        var pages = 1
        try guarded {
            try IndexTree.walk(
                self, root: root,
                decide: { entry, isLeaf in
                    if entry.summary.lastStart < range.start { return .skip }
                    if entry.summary.firstStart >= range.end { return .stop }
                    if !isLeaf { pages += 1 }
                    return .descend
                },
                block: { entry in found.append((entry.offset, entry.length)) })
        }
        explanation?.indexPages += pages
        return found
    }

    /// The entries of all blocks.
    func entries() throws(StoreError) -> [IndexEntry] {
        var found = [IndexEntry]()
        try guarded {
            try IndexTree.walk(self, root: root, decide: { _, _ in .descend }, block: { found.append($0) })
        }
        return found
    }

    /// Runs a walk and gives its errors the store's form.
    private func guarded(_ body: () throws -> Void) throws(StoreError) {
        do {
            try body()
        } catch let error as StoreError {
            throw error
        } catch let error as IndexError {
            throw StoreError(.corrupt, error.description, path: file.path, offset: error.offset)
        } catch {
            throw StoreError(.inputOutput, "\(error)", path: file.path)
        }
    }
}

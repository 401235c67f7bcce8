// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Synchronization

/// Checks whether identities that the caller of a load supplied are in the store. It keeps eight bytes of memory for
/// each; where such a number matches, the blocks that may hold the identity are read.
///
/// The segments that exist when the load begins are searched while samples are written, later ones at the end.
final class LoadIdentities {
    /// The most identities that one search of blocks compares.
    private static let piece = 1 << 18

    private let context: StoreContext
    private var hashes: [UInt64] = []
    /// The identities that may be in the store.
    private var met = MetIdentities()
    /// The segments that were searched.
    private var done: Set<Int64>

    /// - Throws: `corrupt`, `inputOutput`.
    init(_ context: StoreContext) throws(StoreError) {
        self.context = context
        try context.identities.prepare(for: context.version)
        done = context.identities.files
    }

    /// Takes note of rows that have identities.
    func note(_ rows: SampleRows) {
        for row in 0..<rows.count { hashes.append(IdentitySet.hash(rows.identity(row))) }
        met.add(context.identities.met(rows, in: done))
    }

    /// Looks through the segments that were added since, before any caller has to wait for it.
    ///
    /// - Throws: `corrupt`, `inputOutput`.
    func catchUp() throws(StoreError) {
        if hashes.isEmpty { return }
        hashes.sort()
        try context.identities.prepare(for: context.version)
        met.add(context.identities.met(hashes, besides: &done))
    }

    /// Makes sure that the identities of a load, after which `catchUp` was called, are new.
    ///
    /// - Parameters:
    ///   - snapshot: where none of them may be.
    ///   - base: the version that it is made of.
    ///   - rows: the segments that the load wrote.
    ///   - isShared: whether samples of the load may share one.
    ///   - others: identities that none of them may have, either.
    /// - Throws: `identityTaken`, `corrupt`, `inputOutput`.
    func check(
        in snapshot: Snapshot, of base: Version, _ rows: [SegmentRow], isShared: Bool,
        besides others: IdentityStretches
    ) throws(StoreError) {
        if hashes.isEmpty { return }
        if !isShared { try requireDistinct(rows) }
        let shared = Set(others.map(IdentitySet.hash)).intersection(hashes)
        if !shared.isEmpty { try refuse(Set(others), rows) }
        met.add(try context.identities.met(hashes, in: base, besides: done))
        if met.hashes.isEmpty { return }
        let wanted = Set(met.hashes)
        var there = Set<SampleIdentity>()
        let places = IdentityCandidates(files: met.files, isInTail: met.isInTail)
        try snapshot.forEachIdentified(places) { block, row, _ throws(StoreError) in
            let one = SampleIdentity(block, row)
            if wanted.contains(IdentitySet.hash(one)) { there.insert(one) }
            if there.count == Self.piece {
                try refuse(there, rows)
                there = []
            }
            return true
        }
        if !there.isEmpty { try refuse(there, rows) }
    }

    /// Refuses a load of which two samples have one identity.
    private func requireDistinct(_ rows: [SegmentRow]) throws(StoreError) {
        let repeated = zip(hashes, hashes.dropFirst()).filter { $0 == $1 }.map(\.0)
        for from in stride(from: 0, to: repeated.count, by: Self.piece) {
            let some = Set(repeated[from..<min(repeated.count, from + Self.piece)])
            var seen = Set<SampleIdentity>()
            try forEachIdentity(rows) { one throws(StoreError) in
                guard some.contains(IdentitySet.hash(one)), !seen.insert(one).inserted else { return }
                throw .taken(one, "a sample of the load", "a sample of this load")
            }
        }
    }

    /// Refuses a load of which a sample has one of some identities.
    private func refuse(_ taken: Set<SampleIdentity>, _ rows: [SegmentRow]) throws(StoreError) {
        try forEachIdentity(rows) { one throws(StoreError) in
            guard taken.contains(one) else { return }
            throw .taken(one, "a sample of the load", "a stored sample, or a sample of the same batch")
        }
    }

    /// Reads the identities of the written samples.
    private func forEachIdentity(
        _ rows: [SegmentRow], _ body: (SampleIdentity) throws(StoreError) -> Void
    ) throws(StoreError) {
        let scratch = QueryScratch(nil)
        for row in rows {
            let file = try SegmentFile(
                row: row, store: context.storeID, path: context.layout.segment(row.uuid), access: context.access,
                cache: context.cache)
            for index in file.runs {
                for entry in try index.blocks(startingIn: .all, nil) {
                    try scratch.load(index, entry.offset, entry.length, .identity)
                    if scratch.block.identityHigh.isAbsent { continue }
                    for place in 0..<scratch.block.count { try body(SampleIdentity(scratch.block, place)) }
                }
            }
        }
    }
}

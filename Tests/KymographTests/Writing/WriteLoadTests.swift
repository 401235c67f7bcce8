// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-20 E-3 bulk loads with the caller's identities, and a batch in the same commit")
struct WriteLoadTests {
    private struct Refused: Error {}

    private static let series = WriteBatch.Target.named("s", labels: [:], kind: .discrete)

    /// Returns rows with consecutive identities, as assigned by another device, or with unordered ones.
    private func rows(_ range: Range<Int>, _ high: Int64, isOrdered: Bool) -> SampleRows {
        var rows = SampleRows(points: range)
        rows.identityHigh = .constant(high)
        rows.identityLow =
            isOrdered
            ? .sequence(first: Int64(range.lowerBound))
            : .values(range.map { Int64(truncatingIfNeeded: UInt64($0) &* 0x9E37_79B9_7F4A_7C15) })
        return rows
    }

    @discardableResult
    private func load(
        _ store: TimeSeriesStore, _ pieces: [SampleRows], _ rule: IdentityRule = .new,
        beside: @escaping @Sendable (inout WriteBatch, WriteContext) throws -> Void = { _, _ in }
    ) throws -> WriteReceipt {
        try store.write(
            identities: rule,
            loading: { loader in
                let id = try loader.series("s", kind: .discrete).id
                for piece in pieces { try loader.write(piece, to: id) }
                return true
            },
            { now in
                var batch = WriteBatch()
                try beside(&batch, now)
                return batch
            })
    }

    private func expectTaken(_ one: SampleIdentity, _ body: () throws -> Void) {
        let error = #expect(throws: StoreError.self) { try body() }
        #expect(error?.kind == .identityTaken && error?.identity == one)
    }

    @Test("Loaded samples, a deletion, another sample and a layer's rows are one commit, or nothing and no file")
    func together() throws {
        let test = try TestStore()
        let store = test.store
        let old = try store.series("old", kind: .discrete).id
        try store.append(to: old, [Sample(start: 1, value: 1)])
        let before = store.snapshot().sequence
        let pieces = [rows(0..<3_000, 1, isOrdered: false), rows(1_000..<1_500, 2, isOrdered: true)]
        #expect(throws: Refused.self) { try load(store, pieces) { _, _ in throw Refused() } }
        #expect(throws: Refused.self) {
            try load(store, pieces) { batch, _ in batch.inCommit = { _, _ in throw Refused() } }
        }
        #expect(try store.disk.list(store.context.layout.segments).isEmpty && store.snapshot().sequence == before)
        let receipt = try load(store, pieces) { batch, now in
            #expect(now.snapshot.series(named: "s") == nil)
            batch.delete(.range(.all), from: old)
            batch.add(SampleRows(points: 9_000..<9_001), to: Self.series)
            batch.inCommit = { transaction, receipt in try Notes.add(Int64(receipt.added), transaction) }
        }
        #expect(receipt.sequence == before + 1 && receipt.added == 3_501 && receipt.deletions.map(\.count) == [1])
        try test.reopen()
        let id = try #require(test.store.snapshot().series(named: "s")).id
        #expect(receipt.series == [id] && test.store.snapshot().count(of: id) == 3_501)
        #expect(test.store.snapshot().count(of: old) == 0)
        #expect(try test.store.readCatalog { try Notes.all($0) } == [3_501])
        #expect(try test.store.verify().isSound)
    }

    @Test("An identity that exists in any place or form refuses the load", arguments: [false, true])
    func taken(_ isOrdered: Bool) throws {
        let test = try TestStore { $0.compacts = false }
        let store = test.store
        try load(store, [rows(0..<2_000, 1, isOrdered: isOrdered)])
        let id = try #require(store.snapshot().series(named: "s")).id
        let other = rows(40..<41, 9, isOrdered: !isOrdered)
        let single = rows(77..<78, 1, isOrdered: isOrdered)
        for place in 0..<3 {
            if place == 1 { try store.compact() }
            if place == 2 { try test.reopen() }
            expectTaken(single.identity(0)) { try load(test.store, [other, single]) }
            expectTaken(rows(500..<501, 1, isOrdered: isOrdered).identity(0)) {
                try load(test.store, [rows(500..<501, 1, isOrdered: isOrdered), other])
            }
        }
        // Samples added since the load began, in the tail or in a segment, and repeats within the load.
        for seals in [false, true] {
            let fresh = rows(seals ? 7_000..<7_010 : 8_000..<8_010, 3, isOrdered: isOrdered)
            expectTaken(fresh.identity(3)) {
                try test.store.write(
                    identities: .new,
                    loading: { loader in
                        try loader.write(fresh.part(3..<4), to: id)
                        try test.store.write { _ in
                            var batch = WriteBatch()
                            batch.add(fresh, to: .stored(id))
                            return batch
                        }
                        if seals { try test.store.seal() }
                        return true
                    }, { _ in WriteBatch() })
            }
        }
        expectTaken(other.identity(0)) { try load(test.store, [other, rows(50..<60, 4, isOrdered: false), other]) }
        expectTaken(other.identity(0)) {
            try load(test.store, [other]) { batch, _ in batch.add(other, to: Self.series) }
        }
        #expect(test.store.snapshot().count(of: id) == 2_020)
        // Samples deleted before the load or with it may be loaded again.
        try test.store.delete(from: id, startingIn: TimeRange(0, 100 * second))
        try load(test.store, [rows(0..<100, 1, isOrdered: isOrdered)])
        try load(test.store, [rows(0..<2_000, 1, isOrdered: isOrdered)]) { batch, _ in
            batch.delete(.range(TimeRange(0, 2_000 * second)), from: id)
        }
        #expect(test.store.snapshot().count(of: id) == 2_020)
        #expect(try test.store.verify().isSound)
    }

    @Test("The store never assigns an identity that a load's caller has used")
    func minted() throws {
        let test = try TestStore()
        let id = try test.store.series("s", kind: .discrete).id
        let (high, next) = test.store.context.mint.withLock { ($0.high, $0.take(1)) }
        var mine = SampleRows(points: 0..<500)
        mine.identityHigh = .constant(high)
        mine.identityLow = .sequence(first: next + 100)
        try load(test.store, [mine])
        try test.store.append(to: id, (0..<700).map { Sample(start: Int64($0), value: 1) })
        var found = Set<SampleIdentity>()
        try test.store.snapshot().scan(id, including: .identity) { batch in
            for row in 0..<batch.count { if let one = batch.identity(at: row) { found.insert(one) } }
            return true
        }
        #expect(found.count == 1_200)
    }

    @Test("A load that skips known samples is refused, and an empty load makes no commit")
    func refused() throws {
        let test = try TestStore()
        let error = #expect(throws: StoreError.self) { try load(test.store, [], .known) }
        #expect(error?.kind == .invalidArgument)
        let receipt = try test.store.write(loading: { _ in true }, { _ in WriteBatch() })
        #expect(receipt.sequence == 0 && test.store.snapshot().sequence == 0)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

/// Rows of a layer above, in their own table.
enum Notes {
    static func add(_ number: Int64, _ transaction: CatalogTransaction) throws {
        try transaction.run("CREATE TABLE IF NOT EXISTS note(id INTEGER PRIMARY KEY)STRICT")
        try transaction.run("INSERT INTO note(id)VALUES(\(number))")
    }

    static func all(_ transaction: CatalogTransaction) throws -> [Int64] {
        var found = [Int64]()
        var isThere = false
        try transaction.scan("SELECT 1 FROM sqlite_schema WHERE name='note'") { _ in isThere = true }
        if isThere { try transaction.scan("SELECT id FROM note ORDER BY id") { found.append(try $0.int(0)) } }
        return found
    }
}

extension SampleRows {
    /// Creates points at distances of a second.
    init(points range: Range<Int>, value: Double = 1) {
        self.init()
        starts = range.map { Int64($0) * second }
        values = range.map { _ in value }
    }

    func identified(_ high: Int64, from low: Int64 = 0) -> SampleRows {
        var rows = self
        rows.identityHigh = .constant(high)
        rows.identityLow = .values((0..<Int64(rows.count)).map { low + 7 * $0 })
        return rows
    }
}

@Suite("E-20 write batches: many changes in one commit, decided with exclusive access to the writer")
struct WriteBatchTests {
    struct Refused: Error, Equatable { var number = 0 }

    private func notes(_ store: TimeSeriesStore) throws -> [Int64] {
        try store.readCatalog { try Notes.all($0) }
    }

    private func expectTaken(_ one: SampleIdentity, _ body: () throws -> Void) {
        let error = #expect(throws: StoreError.self) { try body() }
        #expect(error?.kind == .identityTaken && error?.identity == one)
    }

    @Test(
        "Samples with all side columns, a new series, deletions and a layer's rows make one commit and one page")
    func everything() throws {
        let test = try TestStore()
        let old = try test.store.series("old", kind: .discrete).id
        try test.store.append(to: old, (0..<10).map { Sample(start: Int64($0) * second, value: 1) })
        let before = test.store.snapshot().sequence
        let anchor = test.store.currentAnchor()
        let receipt = try test.store.write(identities: .new) { now in
            #expect(now.snapshot.sequence == before && now.transaction.seq == before + 1)
            var rows = SampleRows(points: 3..<6, value: 5).identified(77)
            rows.ends = rows.starts.map { $0 + 9 }
            rows.created = .values([1, 2, 3])
            rows.provenance = .constant(4)
            rows.metadata = .values([0, 9, 0])
            var batch = WriteBatch()
            batch.delete(.range(TimeRange(2 * second, 5 * second)), from: old)
            batch.add(SampleRows(points: 0..<2, value: 8), to: .stored(old))
            batch.add(rows, to: .named("new", labels: ["a": "b"], kind: .cumulative))
            batch.inCommit = { transaction, receipt in
                #expect(receipt.sequence == before + 1 && receipt.added == 5)
                try Notes.add(receipt.series[1].rawValue, transaction)
            }
            return batch
        }
        #expect(receipt.sequence == before + 1 && receipt.deletions.map(\.count) == [3])
        for _ in 0..<2 {
            let snapshot = test.store.snapshot()
            #expect(snapshot.sequence == before + 1)
            let made = try #require(snapshot.series(named: "new", labels: ["a": "b"]))
            #expect(made.id == receipt.series[1] && made.kind == .cumulative)
            #expect(try snapshot.count(of: old) == 9 && notes(test.store) == [made.id.rawValue])
            var found = [StoredSample]()
            try snapshot.forEachBlock(of: made.id, columns: .all) { _, batch in
                for row in batch.rows { found.append(StoredSample(batch.block, row, runBorn: before + 1)) }
            }
            #expect(found.map(\.identity.low) == [0, 7, 14] && found.allSatisfy { $0.identity.high == 77 })
            #expect(found.map(\.created) == [1, 2, 3] && found.map(\.metadata) == [0, 9, 0])
            #expect(found.allSatisfy { $0.provenance == 4 && $0.born == before + 1 && $0.sample.value == 5 })
            let page = try test.store.changes(since: anchor) { _ in true }
            #expect(page.samples == 5 && page.deletions.map(\.commit) == [before + 1] && page.isComplete)
            #expect(try test.store.snapshot(asOf: before).count(of: old) == 10)
            #expect(try test.store.verify().isSound)
            try test.reopen()
        }
    }

    @Test("A batch with a failing closure, a used identity or an invalid sample leaves nothing")
    func failures() throws {
        let test = try TestStore { $0.largeAppend = 100 }
        let store = test.store
        let id = try store.series("s", kind: .discrete).id
        try store.write { _ in
            var batch = WriteBatch()
            batch.add(SampleRows(points: 0..<5).identified(1), to: .stored(id))
            return batch
        }
        let last = store.snapshot().sequence
        func fails(_ count: Int, _ change: @escaping @Sendable (inout WriteBatch, WriteContext) throws -> Void) throws {
            try store.write(identities: .new) { now in
                try Notes.add(1, now.transaction)
                var batch = WriteBatch()
                batch.delete(.range(.all), from: id)
                batch.add(SampleRows(points: 0..<count), to: .named("n", labels: [:], kind: .discrete))
                batch.inCommit = { transaction, _ in try Notes.add(2, transaction) }
                try change(&batch, now)
                return batch
            }
        }
        // As a row of the tail, and as segments.
        for count in [5, 300] {
            #expect(throws: Refused()) { try fails(count) { _, _ in throw Refused() } }
            #expect(throws: Refused()) { try fails(count) { batch, _ in batch.inCommit = { _, _ in throw Refused() } } }
            let kinds: [(StoreError.Kind, @Sendable (inout WriteBatch, WriteContext) throws -> Void)] = [
                (.unknownSeries, { batch, _ in batch.delete(.range(.all), from: SeriesID(rawValue: 99)) }),
                (.unknownSeries, { batch, _ in batch.add(SampleRows(), to: .stored(SeriesID(rawValue: 99))) }),
                (
                    .kindMismatch,
                    { batch, _ in batch.add(SampleRows(), to: .named("s", labels: [:], kind: .cumulative)) }
                ),
                (.invalidSample, { batch, _ in batch.add(SampleRows(points: 0..<1, value: .nan), to: .stored(id)) }),
                (
                    .invalidSample,
                    { batch, _ in
                        var rows = SampleRows(points: 0..<3)
                        rows.metadata = .values([1])
                        batch.add(rows, to: .stored(id))
                    }
                ),
                (.inputOutput, { _, now in try now.transaction.run("INSERT INTO nothing VALUES(1)") }),
            ]
            for (kind, change) in kinds {
                let error = #expect(throws: StoreError.self) { try fails(count, change) }
                #expect(error?.kind == kind)
            }
        }
        let snapshot = store.snapshot()
        #expect(snapshot.sequence == last && snapshot.count(of: id) == 5 && snapshot.series.count == 1)
        #expect(try notes(store).isEmpty && store.disk.list(store.context.layout.segments).isEmpty)
        // The writer works again, and the reserved series is created.
        try fails(300) { _, _ in }
        #expect(store.snapshot().series.count == 2 && store.snapshot().count(of: id) == 0)
        #expect(try notes(store) == [1, 2])
    }

    @Test("A batch without changes makes no commit")
    func nothing() throws {
        let test = try TestStore()
        let id = try test.store.series("s", kind: .discrete).id
        let last = test.store.snapshot().sequence
        let receipt = try test.store.write { _ in
            var batch = WriteBatch()
            batch.delete(.range(.all), from: id)
            batch.add(SampleRows(), to: .stored(id))
            return batch
        }
        #expect(receipt.sequence == last && test.store.snapshot().sequence == last)
        #expect(receipt.deletions.map(\.sequence) == [last])
        #expect(
            try test.store.write { now in
                try Notes.add(3, now.transaction)
                return WriteBatch()
            }.sequence == last + 1)
        try test.reopen()
        #expect(try notes(test.store) == [3] && test.store.snapshot().sequence == last + 1)
    }

    @Test("A sample deleted and added in one commit may keep its identity, in every place", arguments: [false, true])
    func replaced(_ isSealed: Bool) throws {
        let test = try TestStore()
        let id = try test.store.series("s", kind: .discrete).id
        func put(_ value: Double) throws {
            try test.store.write(identities: .new) { _ in
                var batch = WriteBatch()
                let rows = SampleRows(points: 0..<4, value: value).identified(5)
                batch.delete(.identities((0..<4).map { rows.identity($0) }, .all), from: id)
                batch.add(rows, to: .stored(id))
                return batch
            }
            if isSealed { try test.store.seal() }
        }
        for value in 1...4 { try put(Double(value)) }
        #expect(try test.store.snapshot().all(id).map(\.value) == [4, 4, 4, 4])
        expectTaken(SampleIdentity(high: 5, low: 14)) {
            try test.store.write(identities: .new) { _ in
                var batch = WriteBatch()
                batch.add(SampleRows(points: 9..<10).identified(5, from: 14), to: .stored(id))
                return batch
            }
        }
        try test.store.compact()
        #expect(try test.store.verify().isSound && test.store.snapshot().count(of: id) == 4)
        try test.reopen()
        #expect(try test.store.snapshot().all(id).map(\.value) == [4, 4, 4, 4])
    }

    @Test("Rows of one object share an identity under the documented rules")
    func shared() throws {
        let test = try TestStore()
        let store = test.store
        let ids = try ["a", "b"].map { try store.series($0, kind: .discrete).id }
        let object = SampleIdentity(high: 3, low: 4)
        @Sendable func rows(_ range: Range<Int>) -> SampleRows {
            var rows = SampleRows(points: range)
            rows.identityHigh = .constant(object.high)
            rows.identityLow = .constant(object.low)
            return rows
        }
        func save(_ rule: IdentityRule, _ range: Range<Int>, shares: Bool = true) throws -> WriteReceipt {
            try store.write(identities: rule) { _ in
                var batch = WriteBatch()
                batch.sharesIdentities = shares
                for id in ids { batch.add(rows(range), to: .stored(id)) }
                return batch
            }
        }
        expectTaken(object) { _ = try save(.new, 0..<5, shares: false) }
        expectTaken(object) {
            try store.write { _ in
                var batch = WriteBatch()
                batch.sharesIdentities = true
                for _ in 0..<2 { batch.add(rows(7..<8), to: .stored(ids[0])) }
                return batch
            }
        }
        #expect(try save(.new, 0..<5).added == 10)
        expectTaken(object) { _ = try save(.new, 20..<22) }
        #expect(try save(.known, 0..<5).known == 10)
        expectTaken(object) { _ = try save(.known, 3..<7) }
        let anchor = store.currentAnchor()
        try store.seal()
        let one = try store.delete(from: ids[0]) { $0.sample.start == second }
        #expect(one.count == 1)
        let rest = try store.delete([object], from: ids[0])
        #expect(rest.count == 4 && rest.unknown.isEmpty && store.snapshot().count(of: ids[1]) == 5)
        let page = try store.changes(since: anchor) { _ in true }
        #expect(page.deletions.map { $0.samples?.count } == [1, 4])
        #expect(try store.verify().isSound)
        expectTaken(object) { _ = try save(.known, 0..<5) }
        // The same batch deletes the other rows.
        try store.write(identities: .known) { _ in
            var batch = WriteBatch()
            batch.sharesIdentities = true
            batch.delete(.identities([object], .all), from: ids[1])
            for id in ids { batch.add(rows(0..<6), to: .stored(id)) }
            return batch
        }
        #expect(ids.map { store.snapshot().count(of: $0) } == [6, 6])
        try store.compact()
        try test.reopen()
        #expect(try test.store.verify().isSound && test.store.snapshot().count(of: ids[0]) == 6)
    }

    @Test("Repair keeps rows of the tail whose identity is also in a segment of another series")
    func repaired() throws {
        let test = try TestStore { $0.compacts = false }
        let ids = try ["a", "b", "c"].map { try test.store.series($0, kind: .discrete).id }
        try test.store.write { _ in
            var batch = WriteBatch()
            batch.sharesIdentities = true
            for (id, count) in zip(ids, [200, 3]) {
                var rows = SampleRows(points: 0..<count)
                rows.identityHigh = .constant(7)
                rows.identityLow = .constant(8)
                batch.add(rows, to: .stored(id))
            }
            return batch
        }
        test.store.close()
        // The commit that seals one of the two series is lost, but its segment exists.
        let catalog = test.path + "/kymograph.sqlite"
        let before = try RealDisk().contents(of: catalog, limit: 1 << 26)
        test.options.sealSamples = 100
        try test.reopen()
        try test.store.append(to: ids[2], [Sample(start: 0, value: 1)])
        #expect(try test.store.info().segments == 1 && test.store.info().tailSamples == 4)
        test.store.close()
        try RealDisk().remove(catalog)
        try RealDisk().createFile(catalog, before)
        let target = test.directory.file("repaired")
        try TimeSeriesStore.repair(from: test.path, to: target)
        let store = try TimeSeriesStore.open(at: target)
        defer { store.close() }
        #expect(ids.map { store.snapshot().count(of: $0) } == [200, 3, 0])
        #expect(try store.verify().isSound)
    }

    @Test("New identities are consecutive and used by no other caller")
    func minted() throws {
        let test = try TestStore()
        let id = try test.store.series("s", kind: .discrete).id
        let first = Mutex<SampleIdentity?>(nil)
        try test.store.write(identities: .new) { now in
            let identity = now.newIdentities(3)
            first.withLock { $0 = identity }
            var rows = SampleRows(points: 0..<3)
            rows.identityHigh = .constant(identity.high)
            rows.identityLow = .sequence(first: identity.low)
            var batch = WriteBatch()
            batch.add(rows, to: .stored(id))
            batch.add(SampleRows(points: 5..<7), to: .stored(id))
            return batch
        }
        try test.store.append(to: id, [Sample(start: 9, value: 9)])
        var found = Set<SampleIdentity>()
        try test.store.snapshot().scan(id, including: .identity) { batch in
            for row in 0..<batch.count { if let one = batch.identity(at: row) { found.insert(one) } }
            return true
        }
        let start = try #require(first.withLock { $0 })
        #expect(found.count == 6 && found.contains(SampleIdentity(high: start.high, low: start.low + 2)))
    }

    @Test("Predicates see only earlier samples, and their errors are thrown to their caller")
    func predicates() throws {
        let test = try TestStore()
        let id = try test.store.series("s", kind: .discrete).id
        try test.store.append(to: id, (0..<9).map { Sample(start: Int64($0), value: Double($0)) })
        let receipt = try test.store.write { _ in
            var batch = WriteBatch()
            batch.delete(.matching(.all) { one throws(StoreError) in one.sample.value > 5 }, from: id)
            batch.delete(.allBut(2), from: id)
            batch.add(SampleRows(points: 0..<3, value: 7), to: .stored(id))
            return batch
        }
        #expect(receipt.deletions.map(\.count) == [3, 4])
        #expect(try test.store.snapshot().all(id).map(\.value).sorted() == [4, 5, 7, 7, 7])
        let error = #expect(throws: StoreError.self) {
            try test.store.write { _ in
                var batch = WriteBatch()
                batch.delete(.matching(.all) { _ throws(StoreError) in throw .closedStore }, from: id)
                return batch
            }
        }
        #expect(error?.kind == .closed)
    }

    @Test("A store that is read-only or closed refuses batches with its reason")
    func notWritable() throws {
        let test = try TestStore()
        test.store.close()
        let closed = #expect(throws: StoreError.self) { try test.store.write { _ in WriteBatch() } }
        #expect(closed?.kind == .closed)
        let (store, now) = (test.store, test.store.currentAnchor())
        let uses: [(String, () throws -> Void)] = [
            ("changes", { _ = try store.changes(since: nil) { _ in true } }),
            ("changes since", { _ = try store.changes(since: now) { _ in true } }),
            ("refresh", { try store.refresh() }), ("as of", { _ = try store.snapshot(asOf: 0) }),
            ("relaxed", { _ = try store.relaxed() }), ("usage", { _ = try store.usage() }),
        ]
        for (name, use) in uses {
            let error = #expect(throws: StoreError.self, "\(name)") { try use() }
            #expect(error?.kind == .closed, "\(name)")
        }
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        let refused = #expect(throws: StoreError.self) { try reader.write { _ in WriteBatch() } }
        #expect(refused?.kind == .readOnly)
        reader.close()
    }
}

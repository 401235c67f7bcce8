// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-6 E-18 tombstones on disk")
struct TombstoneTests {
    private func filled() throws -> (TestStore, SeriesID) {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.load((0..<3_000).map { Sample(start: Int64($0), value: 1) }, to: id)
        return (test, id)
    }

    private func version(_ test: TestStore) throws -> Int {
        try test.store.readCatalog { transaction in
            var found: Int64 = 0
            try transaction.scan("PRAGMA user_version") { found = try $0.int(0) }
            return Int(found)
        }
    }

    @Test("The first deletion raises the format, which older versions refuse")
    func raises() throws {
        let (test, id) = try filled()
        try test.store.delete(from: id, startingIn: TimeRange(5_000, 6_000))
        #expect(try version(test) == 6)
        try test.store.delete(from: id, startingIn: TimeRange(0, 10))
        #expect(try version(test) == 8)
        try test.reopen()
        #expect(test.store.snapshot().count(of: id) == 2_990)
    }

    @Test("A list round-trips, and is refused in another place")
    func lists() throws {
        let store = [UInt8](repeating: 7, count: 16)
        var random = SeededGenerator(seed: 3)
        for count in [1, 2, 1_536, 1_537, 5_000] {
            let listed = ListedSamples(
                sorting: (0..<count).map { _ in
                    (
                        start: Int64(random.below(1_000)) - 500,
                        identity: SampleIdentity(high: Int64(random.below(3)), low: Int64(bitPattern: random.next()))
                    )
                })
            let one = Tombstone(
                id: 9, series: 4, born: 5, range: TimeRange(-500, 500), count: Int64(count), listed: listed)
            var codec = TombstoneCodec(store: store)
            let row = try codec.row(one)
            let found = try #require(try codec.tombstone(row).listed)
            #expect(found.starts == listed.starts && found.highs == listed.highs && found.lows == listed.lows)
            var moved = [row, row, row]
            moved[0].id = 10
            moved[1].series = 5
            moved[2].end = 0
            let body = try #require(row.body)
            moved[2].body?[random.below(body.count)] ^= UInt8(1 << random.below(8))
            for row in moved { #expect(throws: StoreError.self) { try codec.tombstone(row) } }
            var foreign = TombstoneCodec(store: [UInt8](repeating: 8, count: 16))
            #expect(throws: StoreError.self) { try foreign.tombstone(row) }
            for end in stride(from: 0, to: body.count, by: max(1, body.count / 50)) {
                var cut = row
                cut.body = Array(body.prefix(end))
                #expect(throws: StoreError.self) { try codec.tombstone(cut) }
            }
        }
    }

    @Test("verify reports a wrong count")
    func wrongCount() throws {
        let (test, id) = try filled()
        _ = try test.store.delete([(id, .range(TimeRange(0, 10)))])
        try test.store.alter("UPDATE tombstone SET count=11")
        try test.reopen()
        let report = try test.store.verify()
        #expect(report.problems.count == 1 && report.problems[0].message.contains("hides 10 samples"))
        #expect(report.problems[0].range == TimeRange(0, 10) && report.problems[0].series == id)
    }

    @Test("For a load without its catalog row, repair hides later deletions but not earlier ones")
    func orphan() throws {
        let test = try TestStore { $0.threads = 1 }
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.load((0..<3_000).map { Sample(start: Int64($0), value: 1) }, to: id)
        let began = test.store.snapshot().sequence
        let starts = (0..<1_100_000).map { Int64($0) }
        let values = [Double](repeating: 2, count: starts.count)
        try test.store.bulkLoad { loader in
            try loader.append(to: id, starts: starts.span, values: values.span)
            for i in 0..<3 {
                try test.store.delete(from: id, startingIn: TimeRange(Int64(i) * 100, Int64(i) * 100 + 10))
            }
        }
        try test.store.delete(from: id, startingIn: TimeRange(500, 600))
        let other = try test.store.series("b", kind: .discrete).id
        try test.store.append([Sample(start: 0, value: 1)], to: other)
        let wanted = test.store.snapshot().count(of: id)
        #expect(wanted == 3_000 - 130 + 1_100_000 - 100)
        _ = try test.store.delete([(other, .range(.all))])
        try test.store.alter("DELETE FROM run WHERE segment=2", "DELETE FROM segment WHERE id=2", "DELETE FROM meta")
        test.store.close()
        let target = test.directory.file("repaired")
        let report = try TimeSeriesStore.repair(from: test.path, to: target)
        #expect(report.remarks.contains { $0.contains("has no catalog row") })
        #expect(!report.remarks.contains { $0.contains("may be younger") })
        let store = try TimeSeriesStore.open(at: target)
        defer { store.close() }
        let header = try #require(
            try RealDisk().list(test.path + "/segments").map {
                try SegmentHeader.decode(
                    Array(RealDisk().contents(of: test.path + "/segments/" + $0, limit: 1 << 28).prefix(128)),
                    latest: SegmentFormat.encryptedVersion
                ).commit
            }.max())
        #expect(header == UInt64(began))
        #expect(store.snapshot().count(of: id) == wanted)
        #expect(try store.snapshot().aggregate(of: id, over: TimeRange(0, 1_000)).count == 1_000 - 130 + 900)
        #expect(try store.verify().isSound)
    }

    @Test(
        "A damaged list prevents opening; repair names the samples that may reappear and keeps the rest deleted")
    func damage() throws {
        let (test, id) = try filled()
        try test.store.delete(from: id, startingIn: TimeRange(100, 200))
        _ = try test.store.delete([(id, .matching(.all, { $0.sample.start % 100 == 7 }))])
        try test.store.alter("UPDATE tombstone SET body=zeroblob(40) WHERE id=2")
        test.store.close()
        #expect(throws: StoreError.self) { try TimeSeriesStore.open(at: test.path) }
        #expect(
            try TimeSeriesStore.verify(at: test.path).problems.contains { $0.message.contains("deletion of commit") })
        let target = test.directory.file("repaired")
        let report = try TimeSeriesStore.repair(from: test.path, to: target)
        #expect(report.losses.count == 1 && report.losses[0].series == id)
        #expect(report.losses[0].range == TimeRange(7, 2_908) && !report.losses[0].concernsSamples)
        let store = try TimeSeriesStore.open(at: target)
        defer { store.close() }
        #expect(store.snapshot().count(of: id) == 2_900)
        #expect(try store.snapshot().aggregate(of: id, over: TimeRange(100, 200)).count == 0)
        #expect(try store.verify().isSound)
    }
}

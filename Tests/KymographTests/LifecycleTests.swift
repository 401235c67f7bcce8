// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-1 create, open, close a store directory; one writer, many readers; clear errors")
struct LifecycleTests {
    @Test("A new store is empty, and appended samples are present after reopening")
    func createAppendReopen() throws {
        let test = try TestStore()
        #expect(test.store.snapshot().sequence == 0)
        let series = try test.store.series("pulse", kind: .discrete)
        try test.store.append(to: series.id, [Sample(start: 5, value: 70), Sample(start: 6, end: 9, value: -0.0)])
        try test.reopen()
        let snapshot = test.store.snapshot()
        #expect(snapshot.series == [series])
        let samples = try snapshot.all(series.id)
        #expect(samples == [Sample(start: 5, value: 70), Sample(start: 6, end: 9, value: 0)])
        #expect(samples[1].value.sign == .minus)
    }

    @Test("A directory with other files is not made into a store, and one without a store is not opened")
    func errors() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: StoreError.self) { try TimeSeriesStore.open(at: directory.path) }
        do { _ = try TimeSeriesStore.open(at: directory.file("nothing")) } catch { #expect(error.kind == .notAStore) }
        try RealDisk().createFile(directory.file("note"), [1, 2, 3])
        do { _ = try TimeSeriesStore.create(at: directory.path) } catch { #expect(error.kind == .alreadyExists) }
        try RealDisk().createDirectory(directory.file("bad"))
        try RealDisk().createFile(
            directory.file("bad/kymograph.sqlite"), Array("no database at all, but long enough".utf8))
        try RealDisk().createFile(directory.file("bad/LOCK"), [])
        do {
            _ = try TimeSeriesStore.open(at: directory.file("bad"))
            Issue.record("opened")
        } catch { #expect(error.kind == .corrupt) }
        var options = StoreOptions()
        options.homeZone = "Nowhere/Special"
        do { _ = try TimeSeriesStore.create(at: directory.file("x"), options: options) } catch {
            #expect(error.kind == .invalidArgument)
        }
    }

    @Test("A second opening for writing is refused as locked; readers may open at any time and see only commits")
    func oneWriterManyReaders() throws {
        let test = try TestStore()
        let series = try test.store.series("pulse", kind: .discrete)
        do {
            _ = try TimeSeriesStore.open(at: test.path)
            Issue.record("two writers")
        } catch { #expect(error.kind == .locked) }
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        defer { reader.close() }
        let before = reader.snapshot()
        try test.store.append(to: series.id, [Sample(start: 1, value: 1)])
        #expect(reader.snapshot().count(of: series.id) == 0)
        #expect(try reader.refresh())
        #expect(reader.snapshot().count(of: series.id) == 1)
        #expect(before.count(of: series.id) == 0)
        #expect(try !reader.refresh())
        do {
            try reader.append(to: series.id, [Sample(start: 2, value: 2)])
            Issue.record("a reader wrote")
        } catch { #expect(error.kind == .readOnly) }
    }

    @Test("After close nothing can be written, but a snapshot still answers")
    func close() throws {
        let test = try TestStore()
        let series = try test.store.series("pulse", kind: .discrete)
        try test.store.load((0..<5_000).map { Sample(start: Int64($0) * second, value: 1) }, to: series.id)
        let snapshot = test.store.snapshot()
        test.store.close()
        test.store.close()
        do {
            try test.store.append(to: series.id, [Sample(start: 1, value: 1)])
            Issue.record("a closed store accepted an append")
        } catch { #expect(error.kind == .closed) }
        #expect(try snapshot.aggregate(of: series.id, over: TimeRange(10, 100 * second)).count == 99)
    }

    @Test("Segments that no commit names are removed when the store is opened for writing")
    func orphans() throws {
        let test = try TestStore()
        let series = try test.store.series("pulse", kind: .discrete)
        try test.store.load((0..<5_000).map { Sample(start: Int64($0) * second, value: 1) }, to: series.id)
        let orphan = test.path + "/segments/00000000-0000-8000-8000-000000000000.kseg"
        try RealDisk().createFile(orphan, [1, 2, 3])
        try test.reopen()
        #expect(try !RealDisk().exists(orphan))
        #expect(try RealDisk().list(test.path + "/segments").count == 1)
        #expect(try test.store.snapshot().all(series.id).count == 5_000)
    }

    @Test("A catalog older than the last acknowledged commit is refused for writing and reading")
    func witness() throws {
        let test = try TestStore()
        let series = try test.store.series("pulse", kind: .discrete)
        test.store.close()
        let disk = RealDisk()
        let old = try disk.contents(of: test.path + "/kymograph.sqlite", limit: 1 << 24)
        try test.reopen()
        try test.store.append(to: series.id, [Sample(start: 1, value: 1)])
        test.store.close()
        for name in ["", "-wal", TestKey.indexSuffix].map({ "kymograph.sqlite" + $0 })
        where try disk.exists(test.path + "/" + name) {
            try disk.remove(test.path + "/" + name)
        }
        try disk.createFile(test.path + "/kymograph.sqlite", old)
        for mode in [OpenMode.readOnly, .readWrite] {
            do {
                _ = try TimeSeriesStore.open(at: test.path, mode: mode)
                Issue.record("opened \(mode)")
            } catch { #expect(error.kind == .rolledBack) }
        }
        var options = StoreOptions()
        options.acceptsLostCommits = true
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: options)
        #expect(reader.snapshot().count(of: series.id) == 0)
        reader.close()
    }
}

@Suite("E-2 series with a name, labels and a kind")
struct SeriesTests {
    @Test("Name and labels identify a series, the kind is fixed, and numbers survive reopening")
    func identity() throws {
        let test = try TestStore()
        let a = try test.store.series("steps", labels: ["source": "watch"], kind: .cumulative)
        let b = try test.store.series("steps", labels: ["source": "phone"], kind: .cumulative)
        #expect(a.id != b.id)
        #expect(try test.store.series("steps", labels: ["source": "watch"], kind: .cumulative) == a)
        do {
            try test.store.series("steps", labels: ["source": "watch"], kind: .discrete)
            Issue.record("the kind was changed")
        } catch { #expect(error.kind == .kindMismatch) }
        try test.reopen()
        #expect(test.store.snapshot().series(named: "steps", labels: ["source": "phone"]) == b)
        #expect(test.store.snapshot().series(named: "steps") == nil)
        let c = try test.store.series("steps", kind: .discrete)
        #expect(c.id > b.id)
    }
}

extension LifecycleTests {
    @Test(
        "A partly created store is created anew, and a store without its catalog is reported as damaged")
    func halfMade() throws {
        let disk = RealDisk()
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        try disk.createDirectory(path)
        try disk.createDirectory(path + "/segments")
        try disk.createFile(path + "/LOCK", [])
        try disk.createFile(path + "/kymograph.sqlite.new", [1, 2, 3])
        let store = try TimeSeriesStore.openOrCreate(at: path)
        let id = try store.series("a", kind: .discrete).id
        try store.load([Sample(start: 1, value: 1)], to: id)
        store.close()
        for name in try disk.list(path) where name.hasPrefix("kymograph.sqlite") { try disk.remove(path + "/" + name) }
        for attempt in 0..<2 {
            do {
                _ = try attempt == 0 ? TimeSeriesStore.openOrCreate(at: path) : TimeSeriesStore.open(at: path)
                Issue.record("opened")
            } catch { #expect(error.kind == .corrupt) }
        }
    }

    @Test("A catalog with exhausted numbers is refused for writing and can still be read")
    func numbersAtTheEnd() throws {
        let test = try TestStore()
        try test.store.series("a", kind: .discrete)
        try test.store.alter("UPDATE series SET id = 9223372036854775807")
        test.store.close()
        do {
            _ = try TimeSeriesStore.open(at: test.path)
            Issue.record("opened")
        } catch { #expect(error.kind == .corrupt) }
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        #expect(reader.snapshot().series.count == 1)
        #expect(try !reader.refresh())
        #expect(try !reader.refresh())
        reader.close()
    }

    @Test("Concurrent creations of one store: one creates it, the others find it or wait")
    func makingAtOnce() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        _ = onThreads(4) { _ in
            do {
                try TimeSeriesStore.openOrCreate(at: path).close()
            } catch { #expect((error as? StoreError)?.kind == .locked) }
        }
        try TimeSeriesStore.open(at: path).close()
    }

    @Test("A store without commits can be removed again, a store with commits cannot")
    func discard() throws {
        let unused = try TestStore()
        #expect(unused.store.closeAndRemoveIfUnused())
        #expect(try !RealDisk().exists(unused.path))
        let used = try TestStore()
        try used.store.series("a", kind: .discrete)
        #expect(!used.store.closeAndRemoveIfUnused())
        #expect(try RealDisk().exists(used.path))
    }
}

// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-12 snapshots that are held too long")
struct SnapshotAgeTests {
    /// Returns a store of two segments, whose snapshots expire with the next commit if `age` is zero.
    private func filled(_ age: Duration = .seconds(0)) throws -> (TestStore, SeriesID) {
        let test = try TestStore { $0.snapshotAge = age }
        let id = try test.store.series("a", kind: .discrete).id
        for part in 0..<2 as Range<Int64> {
            try test.store.load((0..<500).map { Sample(start: (part * 500 + $0) * second, value: 1) }, to: id)
        }
        return (test, id)
    }

    private func comesTrue(_ condition: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<2_000 {
            if try condition() { return true }
            usleep(10_000)
        }
        return try condition()
    }

    private func expectExpired(_ snapshot: Snapshot, _ id: SeriesID) {
        let error = #expect(throws: StoreError.self) { try snapshot.all(id) }
        #expect(error?.kind == .snapshotExpired, "\(String(describing: error))")
    }

    @Test("Within the age limit a snapshot keeps its files; after it the files are removed and the snapshot throws")
    func own() throws {
        let (test, id) = try filled(.seconds(3_600))
        let snapshot = test.store.snapshot()
        try test.store.delete(from: id, startingIn: TimeRange(0, 100 * second))
        try test.store.compact()
        test.store.eraser.expireSnapshots()
        #expect(try snapshot.all(id).count == 1_000)
        #expect(try test.store.info().retiredSegments > 0)
        let (brief, other) = try filled()
        let old = brief.store.snapshot()
        #expect(try old.all(other).count == 1_000)
        try brief.store.delete(from: other, startingIn: TimeRange(0, 100 * second))
        try brief.store.compact()
        #expect(try comesTrue { try brief.store.info().retiredSegments == 0 })
        expectExpired(old, other)
        #expect(try brief.store.info().held == [])
        #expect(try brief.store.snapshot().all(other).count == 900)
        #expect(try brief.store.verify().isSound)
    }

    @Test("A snapshot taken during or after closing throws that the store is closed")
    func closed() throws {
        let (test, id) = try filled(.seconds(3_600))
        let store = test.store
        let before = store.snapshot()
        #expect(try before.all(id).count == 1_000)
        let outcomes = onThreads(4) { thread -> [StoreError.Kind] in
            if thread == 0 {
                store.close()
                return []
            }
            var kinds = [StoreError.Kind]()
            for _ in 0..<2_000 {
                do throws(StoreError) { _ = try store.snapshot().all(id, limit: 1) } catch { kinds.append(error.kind) }
            }
            return kinds
        }
        #expect(outcomes.joined().allSatisfy { $0 == .closed })
        // Snapshots taken earlier stay valid while they are held.
        #expect(try before.all(id).count == 1_000)
        let (alone, other) = try filled(.seconds(3_600))
        alone.store.close()
        let error = #expect(throws: StoreError.self) { try alone.store.snapshot().all(other) }
        #expect(error?.kind == .closed, "\(String(describing: error))")
    }

    @Test("A snapshot whose files were not replaced still answers")
    func harmless() throws {
        let (test, id) = try filled()
        let snapshot = test.store.snapshot()
        try test.store.append([Sample(start: 2_000 * second, value: 2)], to: id)
        test.store.eraser.expireSnapshots()
        #expect(try test.store.info().held == [])
        #expect(try snapshot.all(id).count == 1_000)
    }

    @Test("A reading opening refreshes itself instead of holding files, and its old snapshots expire")
    func reader() throws {
        let (test, id) = try filled()
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options)
        defer { reader.close() }
        let old = reader.snapshot()
        #expect(try old.all(id).count == 1_000)
        try test.store.delete(from: id, startingIn: TimeRange(0, 100 * second))
        try test.store.compact()
        #expect(try comesTrue { try test.store.info().retiredSegments == 0 })
        expectExpired(old, id)
        #expect(try reader.snapshot().all(id).count == 900)
    }

    @Test("An older snapshot that needs the same files expires when the younger one is released")
    func younger() throws {
        let (test, id) = try filled(.seconds(3_600))
        var options = test.options
        options.snapshotAge = .seconds(0)
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: options)
        defer { reader.close() }
        let old = reader.snapshot()
        #expect(try old.all(id).count == 1_000)
        try test.store.delete(from: id, startingIn: TimeRange(0, 100 * second))
        try reader.refresh()
        reader.eraser.expireSnapshots()
        #expect(try old.all(id).count == 1_000)
        try test.store.compact()
        try reader.refresh()
        expectExpired(old, id)
        #expect(try reader.snapshot().all(id).count == 900)
    }

    @Test("A snapshot that outlives its opening expires too")
    func outliving() throws {
        let (test, id) = try filled()
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options)
        let old = reader.snapshot()
        reader.close()
        try test.store.delete(from: id, startingIn: TimeRange(0, 100 * second))
        try test.store.compact()
        #expect(try comesTrue { try test.store.info().retiredSegments == 0 })
        expectExpired(old, id)
    }

    @Test("Held commits are listed with their age and the holding processes")
    func shown() throws {
        let (test, id) = try filled(.seconds(3_600))
        let mine = Int(Environment.processIdentifier)
        #expect(try comesTrue { try test.store.info().held == [] })
        let snapshot = test.store.snapshot()
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options)
        defer { reader.close() }
        try test.store.append([Sample(start: 2_000 * second, value: 2)], to: id)
        try test.store.append([Sample(start: 2_001 * second, value: 2)], to: id)
        let held = try test.store.info().held
        #expect(held.map(\.commit) == [snapshot.sequence] && held.map(\.processes) == [[mine]])
        #expect(held[0].age ?? .zero > .zero)
        try reader.refresh()
        let others = try reader.info().held
        #expect(others == [])
        let seen = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options)
        defer { seen.close() }
        let late = seen.snapshot()
        try test.store.append([Sample(start: 2_002 * second, value: 2)], to: id)
        try reader.refresh()
        #expect(try reader.info().held == [HeldCommit(commit: late.sequence, age: nil, processes: [mine])])
    }
}

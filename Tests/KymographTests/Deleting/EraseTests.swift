// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Catalog
import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-6 the bytes of deleted samples are erased in time, from all files")
struct EraseTests {
    /// A clock that the test sets.
    private final class Clock: Sendable {
        let now = Mutex<Int64>(20_000 * day)
        func advance(_ days: Int64) { now.withLock { $0 += days * day } }
        func set(_ day: Int64) { now.withLock { $0 = day } }
        func read() -> Int64 { now.withLock { $0 } }
    }

    /// Waits until the condition holds. Returns false after a timeout.
    private func comesTrue(_ condition: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<2_000 {
            if try condition() { return true }
            usleep(10_000)
        }
        return try condition()
    }

    /// Returns a store with samples in a segment and in the tail.
    private func filled(
        _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> (test: TestStore, id: SeriesID, other: SeriesID) {
        let test = try TestStore { change(&$0) }
        let id = try test.store.series("a", kind: .discrete).id
        let other = try test.store.series("b", kind: .discrete).id
        try test.store.load((0..<500).map { Sample(start: Int64($0) * second, value: 1) }, to: id)
        for i in 0..<100 as Range<Int64> {
            try test.store.append([Sample(start: (1_000 + i) * second, value: 2)], to: id)
            try test.store.append([Sample(start: i * second, value: 3)], to: other)
        }
        return (test, id, other)
    }

    @Test("A small tail and the log lose the bytes of deleted samples; other samples stay in the tail")
    func tail() throws {
        let (test, id, other) = try filled { $0.erasureAge = .milliseconds(50) }
        try test.store.delete(from: id, startingIn: TimeRange(1_000 * second, .max))
        #expect(try comesTrue { try test.store.info().deletedSamples == 0 })
        let info = try test.store.info()
        #expect(info.segments == 1 && info.tailSamples == 100 && info.samples == 600)
        #expect(try comesTrue { try test.options.disk.size(of: test.path + "/kymograph.sqlite-wal") == 0 })
        #expect(try test.store.snapshot().all(other).count == 100)
        try test.store.delete(from: other)
        #expect(try comesTrue { try test.store.info().tailSamples == 0 })
        #expect(try test.store.verify().isSound)
    }

    @Test("An idle program that shares its store erases the deletions of an earlier program")
    func shared() throws {
        let (test, id, _) = try filled { $0.compacts = false }
        try test.store.delete(from: id)
        #expect(try test.store.info().deletedSamples == 600)
        test.store.close()
        var options = test.options
        options.compacts = true
        options.erasureAge = .milliseconds(50)
        let quiet = try TimeSeriesStore.open(at: test.path, mode: .shared, options: options)
        defer { quiet.close() }
        #expect(try comesTrue { try quiet.info().deletedSamples == 0 })
        // Includes the deletions of another program that has closed meanwhile.
        let brief = try TimeSeriesStore.open(at: test.path, mode: .shared, options: test.options)
        let other = try #require(brief.snapshot().series(named: "b")).id
        try brief.delete(from: other)
        brief.close()
        #expect(try comesTrue { try quiet.info().tailSamples == 0 })
    }

    @Test("The age of a deletion counts across short openings")
    func openings() throws {
        let clock = Clock()
        let (test, id, _) = try filled { $0.wallClock = { clock.read() } }
        try test.store.delete(from: id)
        for _ in 0..<6 {
            clock.advance(1)
            try test.reopen()
            #expect(try test.store.info().deletedSamples == 600)
            #expect(test.store.snapshot().version.past.times.rows.count == 1)
        }
        clock.advance(2)
        try test.reopen()
        try test.reopen()
        #expect(try test.store.info().deletedSamples == 0)
        #expect(try test.store.verify().isSound)
    }

    @Test("Deletions of several times are erased by age, younger ones are kept; manual erasure obeys the same rule")
    func ages() throws {
        let clock = Clock()
        let (test, id, other) = try filled { $0.wallClock = { clock.read() } }
        try test.store.delete(from: id, startingIn: TimeRange(0, 100 * second))
        clock.advance(5)
        try test.store.write { _ in
            var batch = WriteBatch()
            batch.delete(.range(.all), from: other)
            return batch
        }
        clock.advance(3)
        try test.store.eraser.eraseOverdue(merges: .max)
        #expect(try test.store.info().deletedSamples == 100)
        #expect(test.store.snapshot().version.segments.count == 1)
        clock.advance(5)
        try test.store.eraser.eraseOverdue(merges: .max)
        #expect(try test.store.info().deletedSamples == 0)
    }

    @Test("Wrong clocks delay erasure, but never advance or prevent it")
    func clocks() throws {
        let clock = Clock()
        let (test, id, _) = try filled { $0.wallClock = { clock.read() } }
        func expectStays(_ count: Int) throws {
            try test.store.eraser.eraseOverdue(merges: .max)
            #expect(try test.store.info().deletedSamples == count)
        }
        // Deletes with a clock near 1970 and erases with the right clock.
        clock.set(1 * day)
        try test.store.delete(from: id, startingIn: TimeRange(0, 100 * second))
        clock.set(20_000 * day)
        try expectStays(100)
        clock.advance(6)
        try expectStays(100)
        clock.advance(2)
        try expectStays(0)
        // Deletes with a clock in the future, which later jumps ahead for a moment.
        clock.set(90_000 * day)
        try test.store.delete(from: id, startingIn: TimeRange(0, 200 * second))
        clock.set(20_000 * day)
        try expectStays(100)
        clock.advance(6)
        clock.set(90_000 * day)
        try expectStays(100)
        clock.set(20_007 * day)
        try expectStays(100)
        clock.advance(8)
        try expectStays(0)
    }

    @Test("A deletion without a recorded time ages from its first discovery")
    func unknown() throws {
        let clock = Clock()
        let (test, id, _) = try filled { $0.wallClock = { clock.read() } }
        try test.store.delete(from: id)
        try test.store.alter("DELETE FROM deletion_time")
        test.store.close()
        for days in [8, 6] as [Int64] {
            clock.advance(days)
            try test.reopen()
            try test.store.eraser.eraseOverdue(merges: .max)
            #expect(try test.store.info().deletedSamples == 600)
        }
        clock.advance(2)
        try test.store.eraser.eraseOverdue(merges: .max)
        #expect(try test.store.info().deletedSamples == 0)
    }

    @Test("The recorded deletion times stay few and never overstate an age")
    func times() {
        var random = SeededGenerator(seed: 3)
        let age = 7 * day
        for _ in 0..<200 {
            var times = DeletionTimes()
            var deleted = [(commit: Int64, at: Int64)]()
            var now = 20_000 * day
            for commit in 1..<80 as Range<Int64> {
                now += Int64(random.below(12)) * hour
                if random.chance(0.1) { now += Int64(random.below(20)) * day }
                times = times.adding(commit, at: now, age: age)
                deleted.append((commit, now))
                #expect(times.rows.count <= 36)
                let overdue = times.lastCommit(before: age, at: now)
                for one in deleted where one.commit <= overdue { #expect(now - one.at >= age) }
                for one in deleted where now - one.at >= age + age / 8 { #expect(one.commit <= overdue) }
            }
        }
        let far = [DeletionTime(commit: 1, at: .min), DeletionTime(commit: 2, at: .max)]
        #expect(DeletionTimes(far).lastCommit(before: age, at: .max) == 1)
        #expect(DeletionTimes(far).lastCommit(before: age, at: .min) == 0)
        #expect(DeletionTimes([far[0]]).lastCommit(before: age, at: 0) == 0)
        #expect(DeletionTimes(far).adding(3, at: .min, age: age).rows.allSatisfy { $0.at == .min })
    }

    @Test("A writer without other work removes files that a closed reader has used")
    func goneReader() throws {
        let (test, id, _) = try filled { $0.erasureAge = .milliseconds(50) }
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        try test.store.delete(from: id, startingIn: TimeRange(0, 10 * second))
        #expect(try comesTrue { try test.store.info().deletedSamples == 0 })
        #expect(try test.store.info().retiredSegments == 1)
        #expect(try reader.snapshot().all(id).count == 600)
        reader.close()
        #expect(try comesTrue { try test.store.info().retiredSegments == 0 })
    }

    @Test("A shared store checks whether a replaced file exists; if the check fails, it throws and retries later")
    func replacedFile() throws {
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        var random = SeededGenerator(seed: 5)
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        let samples = StoreScript.samples(&random, 1_000)
        try simulated.perform(.load([("pulse", samples)]))
        let deleted = [samples[200].start, samples[600].start].sorted()
        try simulated.perform(.delete("pulse", TimeRange(deleted[0], deleted[1] + 1)))
        let digest = try simulated.digest()
        try simulated.open(.shared)
        let store = try simulated.opened()
        try simulated.withReader { reader in
            let held = reader.snapshot()
            let report = try store.compact()
            #expect(report.steps > 0 && held.sequence < report.sequence)
        }
        let retired = try store.info().retiredSegments
        #expect(retired > 0)
        disk.inject(DiskFault([.kind], pathSuffix: ".kseg"))
        let error = #expect(throws: StoreError.self) { try store.eraser.removeReplaced() }
        #expect(error?.kind == .inputOutput)
        #expect(try store.info().retiredSegments == retired)
        try store.eraser.removeReplaced()
        #expect(try store.info().retiredSegments == 0)
        #expect(try simulated.digest() == digest)
        #expect(try store.verify().isSound)
    }
}

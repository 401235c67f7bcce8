// SPDX-License-Identifier: Apache-2.0

import Campaigns
import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-15 compaction in the background during appends, until the store is closed")
struct CompactionBackgroundTests {
    private func busyStore(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> (TestStore, SeriesID) {
        let test = try TestStore { options in
            options.sealSamples = 300
            options.compaction.tiers = [.init(bytes: 30_000, count: 4), .init(bytes: 1 << 20, count: 4)]
            change(&options)
        }
        return (test, try test.store.series("a", kind: .discrete).id)
    }

    /// Waits until the condition holds. Returns false after a timeout.
    private func comesTrue(_ condition: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<2_000 {
            if try condition() { return true }
            usleep(10_000)
        }
        return try condition()
    }

    private func append(_ test: TestStore, _ id: SeriesID, _ batches: Range<Int>) throws {
        for batch in batches {
            try test.store.append(
                (0..<100).map { Sample(start: Int64(batch * 100 + $0) * second, value: Double($0)) }, to: id)
        }
    }

    @Test("Appends that make a merge due start it, and other readers and held snapshots stay correct")
    func appends() throws {
        let (test, id) = try busyStore()
        let held = test.store.snapshot()
        try append(test, id, 0..<100)
        #expect(comesTrue { test.store.counters.compaction.steps >= 3 })
        try append(test, id, 100..<200)
        test.store.close()
        #expect(held.count(of: id) == 0)
        try test.reopen()
        #expect(try test.store.verify().isSound)
        #expect(test.store.snapshot().count(of: id) == 20_000)
        let values = try test.store.snapshot().aggregate(of: id)
        #expect(values.sum == Double(4_950 * 200) && values.last?.start == 19_999 * second)
        #expect(try test.store.info().segments < 40)
        let counters = test.store.counters
        #expect(counters.compaction == CompactionReport() && counters.segmentBytesWritten == 0)
    }

    @Test("With background compaction off, nothing is merged until compact() is called")
    func off() throws {
        let (test, id) = try busyStore { $0.compacts = false }
        try append(test, id, 0..<100)
        try test.store.seal()
        #expect(test.store.counters.compaction.steps == 0)
        #expect(try test.store.info().segments >= 30)
        let written = test.store.counters.segmentBytesWritten
        #expect(try Int64(written) == test.store.info().segmentBytes)
        let report = try test.store.compact()
        #expect(test.store.counters.compaction == report)
        #expect(test.store.counters.segmentBytesWritten == written + Int(report.bytesWritten))
    }

    @Test("The bytes of deleted samples are removed after the erasure age, from all files")
    func erasure() throws {
        let (test, id) = try busyStore { $0.erasureAge = .milliseconds(50) }
        try test.store.load((0..<70_000).map { Sample(start: Int64($0) * hour, value: 1) }, to: id)
        try test.store.delete(from: id, startingIn: TimeRange(0, 1_000 * hour))
        #expect(try comesTrue { try test.store.info().deletedSamples == 0 })
        #expect(test.store.snapshot().count(of: id) == 69_000)
        // Includes the deletions of an earlier opening.
        test.options.compacts = false
        try test.reopen()
        try test.store.delete(from: id, startingIn: TimeRange(0, 2_000 * hour))
        #expect(try test.store.info().deletedSamples == 1_000)
        test.options.compacts = true
        try test.reopen()
        #expect(try comesTrue { try test.store.info().deletedSamples == 0 })
        #expect(try test.store.verify().isSound)
    }

    @Test("A store that is closed or released during a merge leaves no extra files", arguments: 0..<6)
    func closing(round: Int) throws {
        let (test, id) = try busyStore()
        try append(test, id, 0..<12 + 3 * round)
        test.store.close()
        try test.reopen()
        let names = try test.options.disk.list(test.path + "/segments")
        #expect(try names.count == test.store.info().segments)
        #expect(test.store.snapshot().count(of: id) == 1_200 + 300 * round)
        var (calls, refused) = (0, 0)
        for batch in 100..<102 {
            try append(test, id, batch..<batch + 1)
            try test.store.seal()
        }
        // The progress callback may close the store, but may not compact.
        _ = #expect(throws: StoreError.self) {
            try test.store.compact { _ in
                calls += 1
                refused += (try? test.store.compact()) == nil ? 1 : 0
                test.store.close()
                return true
            }
        }
        #expect(calls > 0 && refused == calls)
        try test.reopen()
        #expect(test.store.snapshot().count(of: id) == 1_400 + 300 * round)
    }

    @Test("An unreadable segment does not prevent the merge of others")
    func damage() throws {
        let (test, id) = try busyStore { $0.compacts = false }
        try append(test, id, 0..<3)
        let bad = try #require(test.store.snapshot().version.segments.values.first)
        test.store.close()
        let file = try test.options.disk.open(bad.path, writable: true)
        try file.write([1, 2, 3, 4], at: 200)
        try file.close()
        test.options.compacts = true
        try test.reopen()
        try append(test, id, 3..<60)
        #expect(comesTrue { test.store.counters.compaction.steps >= 1 })
        test.store.close()
        try test.reopen()
        #expect(try test.store.verify().problems.allSatisfy { $0.path == bad.path })
        #expect(test.store.snapshot().count(of: id) == 6_000)
    }

    @Test("Concurrent appends, deletions, compactions and readers agree")
    func threads() throws {
        let (test, id) = try busyStore()
        let store = test.store
        let failures = Mutex<[String]>([])
        _ = onThreads(4) { thread in
            do {
                for round in 0..<40 {
                    switch thread {
                    case 0, 1:
                        let base = Int64(thread * 1_000_000 + round * 100)
                        let samples = (0..<100).map { Sample(start: (base + Int64($0)) * second, value: 1) }
                        try store.append(samples, to: id)
                    case 2: if round % 10 == 9 { try store.compact() }
                    default:
                        let snapshot = store.snapshot()
                        let count = snapshot.count(of: id)
                        let found = try snapshot.aggregate(of: id)
                        if found.count != count || found.sum ?? 0 != Double(count) {
                            failures.withLock { $0.append("\(found) where \(count) should be") }
                        }
                        if round % 10 == 5 {
                            try store.delete(from: id, startingIn: TimeRange(0, Int64(round * 50) * second))
                        }
                    }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        try store.compact()
        #expect(try store.info().deletedSamples == 0 && store.verify().isSound)
        let snapshot = store.snapshot()
        #expect(try snapshot.all(id).count == snapshot.count(of: id))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Campaigns
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-4 relaxed durability: commits in the background, with receipts")
struct RelaxedTests {
    private func pulse(_ store: TimeSeriesStore) throws -> SeriesID {
        try store.series("pulse", kind: .discrete).id
    }

    /// Runs a body while another thread holds the writer of a store.
    private func whileBusy(_ store: TimeSeriesStore, _ body: () -> Void) {
        let (busy, done, free) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            do {
                try store.access.withWriter { _ throws(StoreError) in
                    busy.signal()
                    done.wait()
                }
            } catch {
                Issue.record("cannot hold the writer: \(error)")
                busy.signal()
            }
            free.signal()
        }
        busy.wait()
        defer {
            done.signal()
            free.wait()
        }
        body()
    }

    @Test("An accepted sample is invisible before its commit and visible to every reader after it")
    func visibility() throws {
        let test = try TestStore()
        let id = try pulse(test.store)
        let appender = try test.store.relaxed(interval: .seconds(3_600))
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        defer { reader.close() }
        let receipt = try appender.series(id).append(start: 1, value: 2)
        #expect(test.store.snapshot().count(of: id) == 0)
        try reader.refresh()
        #expect(reader.snapshot().count(of: id) == 0)
        let commit = try #require(try appender.flush())
        #expect(test.store.snapshot().sequence == commit.sequence)
        #expect(try receipt.wait().sequence >= commit.sequence)
        #expect(try test.store.snapshot().all(id) == [Sample(start: 1, value: 2)])
        try reader.refresh()
        #expect(try reader.snapshot().all(id) == [Sample(start: 1, value: 2)])
    }

    @Test("A sample is committed within the interval without a flush, and a receipt can be awaited")
    func interval() async throws {
        let test = try TestStore()
        let id = try pulse(test.store)
        let appender = try test.store.relaxed(interval: .milliseconds(5))
        for i in 0..<4 {
            let receipt = try appender.series(id).append(start: Int64(i), value: 1)
            let commit = try await receipt.committed()
            #expect(test.store.snapshot().sequence >= commit.sequence)
            #expect(test.store.snapshot().count(of: id) == i + 1)
        }
    }

    @Test("Reaching the capacity starts a commit before the interval has passed")
    func capacity() throws {
        let test = try TestStore()
        let id = try pulse(test.store)
        let appender = try test.store.relaxed(interval: .seconds(3_600), capacity: 64 << 10)
        let series = try appender.series(id)
        let first = try series.append(start: 0, value: 0)
        for i in 1..<4_000 { try series.append(start: Int64(i), value: Double(i)) }
        try first.wait()
        #expect(test.store.snapshot().count(of: id) > 0)
        try appender.flush()
        #expect(try test.store.snapshot().all(id).map(\.value) == (0..<4_000).map { Double($0) })
    }

    @Test("Points, intervals, single samples and columns of several threads and series equal the oracle's")
    func oracle() throws {
        let test = try TestStore { $0.sealSamples = 3_000 }
        let ids = try (0..<3).map { try test.store.series("s\($0)", kind: .discrete).id }
        let appender = try test.store.relaxed(interval: .milliseconds(1), capacity: 64 << 10)
        let parts = onThreads(4) { thread in Result { try Self.play(thread, ids, appender) } }.map { try? $0.get() }
        let all = parts.compactMap { $0 }
        #expect(all.count == 4)
        test.store.close()
        try test.reopen()
        for id in ids {
            let wanted = all.flatMap { $0[id] ?? [] }.sorted(by: Fingerprint.precedes)
            #expect(try test.store.snapshot().all(id).sorted(by: Fingerprint.precedes) == wanted)
        }
    }

    /// Appends on one thread and returns the appended samples.
    private static func play(
        _ thread: Int, _ ids: [SeriesID], _ appender: RelaxedAppender
    ) throws -> [SeriesID: [Sample]] {
        var random = SeededGenerator(seed: UInt64(thread))
        var mine = [SeriesID: [Sample]]()
        for _ in 0..<300 {
            let id = random.pick(ids)
            let some = (0..<1 + random.below(40)).map { _ in
                let start = Int64(random.below(1_000_000))
                let length = random.chance(0.3) ? Int64(random.below(50)) : 0
                return Sample(start: start, end: start + length, value: Double(random.below(1_000)))
            }
            if some.count == 1 {
                try appender.series(id).append(start: some[0].start, end: some[0].end, value: some[0].value)
            } else {
                let (starts, ends, values) = (some.map(\.start), some.map(\.end), some.map(\.value))
                try appender.append(to: id, starts: starts.span, ends: ends.span, values: values.span)
            }
            mine[id, default: []] += some
        }
        return mine
    }

    @Test("If the writer is too slow, a call waits and is finally refused as overloaded, without losing samples")
    func backPressure() throws {
        let test = try TestStore()
        let id = try pulse(test.store)
        let appender = RelaxedAppender(
            test.store, interval: .seconds(3_600), capacity: 64 << 10, patience: .milliseconds(50))
        let series = try appender.series(id)
        var taken = 0
        whileBusy(test.store) {
            var refused = false
            while !refused, taken < 100_000 {
                do throws(StoreError) {
                    try series.append(start: Int64(taken), value: 1)
                    taken += 1
                } catch {
                    #expect(error.kind == .overloaded)
                    refused = true
                }
            }
            #expect(refused)
        }
        // Twice the capacity, the samples of one commit, and samples not yet counted.
        #expect(taken * RelaxedAppender.sampleBytes <= 3 * (64 << 10) + 2 * 24 * RelaxedAppender.stride)
        try appender.flush()
        try series.append(start: Int64(taken), value: 1)
        try appender.flush()
        #expect(test.store.snapshot().count(of: id) == taken + 1)
    }

    @Test("At most twice the capacity is buffered in any sequence of calls; a larger call is refused")
    func bound() throws {
        let test = try TestStore()
        let ids = try (0..<20).map { try test.store.series("s\($0)", kind: .discrete).id }
        let appender = RelaxedAppender(
            test.store, interval: .seconds(3_600), capacity: 64 << 10, patience: .milliseconds(50))
        func append(_ count: Int, to id: SeriesID) throws {
            let starts = (0..<count).map(Int64.init)
            let values = [Double](repeating: 1, count: count)
            try appender.append(to: id, starts: starts.span, values: values.span)
        }
        let most = (64 << 10) / 24
        let large = #expect(throws: StoreError.self) { try append(most + 1, to: ids[0]) }
        #expect(large?.kind == .invalidArgument && large?.message.contains("2731 samples") == true)
        #expect(appender.bytesWaiting == 0)
        // The buffer besides the samples of the commit that waits for the writer.
        var taken = 0
        whileBusy(test.store) {
            var refused = false
            while !refused, taken < 100_000 {
                do {
                    // Fewer samples per series than the counting step of single samples.
                    for id in ids {
                        try append(100, to: id)
                        taken += 100
                    }
                } catch {
                    refused = true
                    #expect((error as? StoreError)?.kind == .overloaded)
                }
                #expect(appender.bytesWaiting == taken * 24 && taken * 24 <= 2 * (64 << 10))
            }
            #expect(refused)
        }
        try appender.flush()
        try append(most, to: ids[0])
        try appender.flush()
        #expect(appender.bytesWaiting == 0)
        #expect(ids.reduce(0) { $0 + test.store.snapshot().count(of: $1) } == taken + most)
    }

    @Test("A failed commit is reported to its receipts and to the next flush or call, and to no other receipt")
    func failure() throws {
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        let store = try simulated.opened()
        let id = try #require(store.snapshot().series(named: "pulse")).id
        let appender = try store.relaxed(interval: .seconds(3_600))
        let series = try appender.series(id)
        let good = try series.append(start: 0, value: 1)
        try appender.flush()
        let before = disk.trace.count
        disk.inject(
            DiskFault([.write], pathSuffix: "kymograph.sqlite-wal", forever: true, errno: DiskError.noSpace))
        let bad = try series.append(start: 1, value: 2)
        #expect(throws: StoreError.self) { try appender.flush() }
        #expect(disk.trace.count > before)
        #expect(throws: StoreError.self) { try bad.wait() }
        try good.wait()
        // The flush has reported the error.
        let later = try series.append(start: 2, value: 3)
        disk.clearFaults()
        try appender.flush()
        try later.wait()
        #expect(throws: StoreError.self) { try bad.wait() }
        #expect(try store.snapshot().all(id).map(\.value) == [1, 3])
    }

    @Test("Repeated failures of a full disk use no memory, and every receipt reports its own failure")
    func manyFailures() throws {
        let ledger = RelaxedLedger(ThreadOwner())
        func commit(_ result: Result<CommitReceipt?, StoreError>) -> Int64 {
            let number = ledger.begin()
            ledger.end(number, result)
            return number
        }
        let first = commit(.success(CommitReceipt(sequence: 7)))
        let failed = (0..<1_000).flatMap { i in
            let one = commit(.failure(StoreError(.diskFull, "\(i) bytes are free")))
            _ = commit(.success(nil))
            return [one]
        }
        let other = commit(.failure(StoreError(.inputOutput, "no")))
        let last = commit(.success(CommitReceipt(sequence: 8)))
        #expect(ledger.failures == 2)
        for one in failed {
            let error = #expect(throws: StoreError.self) { try ledger.wait(for: one) }
            #expect(error?.kind == .diskFull)
        }
        let error = #expect(throws: StoreError.self) { try ledger.wait(for: other) }
        #expect(error?.kind == .inputOutput)
        for one in [first, last] { #expect(try ledger.wait(for: one).sequence == 8) }
    }

    @Test("Closing commits accepted samples; later calls are refused")
    func closing() throws {
        let test = try TestStore()
        let id = try pulse(test.store)
        let appender = try test.store.relaxed(interval: .seconds(3_600))
        let series = try appender.series(id)
        let receipt = try series.append(start: 5, value: 6)
        test.store.close()
        try receipt.wait()
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try series.append(start: 6, value: 7) }
            #expect(error?.kind == .closed)
        }
        try test.reopen()
        #expect(try test.store.snapshot().all(id) == [Sample(start: 5, value: 6)])
    }

    @Test("The samples of a call are committed together: no power cut leaves a part")
    func wholeCalls() throws {
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        let store = try simulated.opened()
        let id = try #require(store.snapshot().series(named: "pulse")).id
        let appender = try store.relaxed(interval: .milliseconds(1))
        var crashes = 0
        for call in 0..<60 as Range<Int64> {
            let starts = (0..<7).map { call * 7 + $0 }
            let values = [Double](repeating: Double(call), count: 7)
            try appender.append(to: id, starts: starts.span, values: values.span)
            if call % 4 == 0 {
                let after = try SimulatedStore(try disk.crash(seed: UInt64(call), .any))
                try after.open()
                let count = try after.opened().snapshot().count(of: id)
                #expect(count % 7 == 0 && count <= Int(call + 1) * 7)
                crashes += 1
            }
        }
        #expect(crashes == 15)
        try appender.flush()
        #expect(store.snapshot().count(of: id) == 420)
    }

    @Test("Invalid settings and samples are refused")
    func refusals() throws {
        let test = try TestStore()
        let id = try pulse(test.store)
        for interval in [Duration.zero, .seconds(-1), .microseconds(999), .seconds(86_401)] {
            let error = #expect(throws: StoreError.self) { try test.store.relaxed(interval: interval) }
            #expect(error?.kind == .invalidArgument)
        }
        for capacity in [0, -1, 65_535, (1 << 30) + 1] {
            let error = #expect(throws: StoreError.self) { try test.store.relaxed(capacity: capacity) }
            #expect(error?.kind == .invalidArgument)
        }
        let appender = try test.store.relaxed()
        let unknown = #expect(throws: StoreError.self) { try appender.series(SeriesID(rawValue: 99)) }
        #expect(unknown?.kind == .unknownSeries)
        let series = try appender.series(id)
        for (start, end, value) in [(0, 0, Double.nan), (0, 0, .infinity), (1, 0, 1), (.min, .min, 1), (0, .max, 1)] {
            let error = #expect(throws: StoreError.self) {
                try series.append(start: Int64(start), end: Int64(end), value: value)
            }
            #expect(error?.kind == .invalidSample)
        }
        #expect(try appender.flush() == nil)
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        defer { reader.close() }
        let readOnly = #expect(throws: StoreError.self) { try reader.relaxed() }
        #expect(readOnly?.kind == .readOnly)
    }
}

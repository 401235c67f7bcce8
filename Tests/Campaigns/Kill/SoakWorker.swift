// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph
import Synchronization
import TestSupport

/// The process of a soak: two threads append as fast as the disk allows, including late samples. Old samples are
/// deleted, merges run, and the store is reopened periodically. It writes a report every second.
final class SoakWorker: Sendable {
    /// The number of samples kept in a series.
    private static let kept = 100_000
    /// The number of seconds between two openings.
    private static let reopening: Int64 = 20

    private let path: String
    private let options: StoreOptions
    private let commits = Atomic<Int>(0)
    /// The longest call since the last report, in nanoseconds, and its name.
    private let longest = Mutex<(time: Int64, what: String)>((0, "none"))
    private let isHeard = Atomic(true)

    init(_ path: String) {
        self.path = path
        var options = StoreOptions()
        // Deleted samples are erased within seconds, so that merges and removals happen all the time.
        options.erasureAge = .seconds(5)
        options.threads = 1
        self.options = options
    }

    func run(seed: UInt64) throws {
        let begun = SystemClock.monotonicNanoseconds()
        var said = begun
        while isHeard.load(ordering: .relaxed) {
            let store = try timed("open") { try TimeSeriesStore.openOrCreate(at: path, options: options) }
            let ids = try (0..<4).map { try store.series("canary wave \($0)", kind: .discrete).id }
            let end = SystemClock.monotonicNanoseconds() + Self.reopening * 1_000_000_000
            let failures = Mutex([String]())
            let group = DispatchGroup()
            for thread in 0..<2 {
                group.enter()
                Thread.detachNewThread { [self] in
                    do {
                        try append(to: store, ids, thread, seed, until: end)
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                    group.leave()
                }
            }
            while group.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
                let now = SystemClock.monotonicNanoseconds()
                guard now - said >= 1_000_000_000 else { continue }
                said = now
                tell((now - begun) / 1_000_000_000, store)
            }
            if let first = failures.withLock({ $0.first }) { throw CampaignError(first) }
            timed("close") { store.close() }
        }
    }

    private func tell(_ second: Int64, _ store: TimeSeriesStore) {
        let (stall, what) = longest.withLock { longest in
            defer { longest = (0, "none") }
            return longest
        }
        let line = "tick \(second) \(commits.load(ordering: .relaxed)) \(stall / 1_000) \(what)\n"
        if (try? FileHandle.standardOutput.write(contentsOf: Data(line.utf8))) == nil {
            isHeard.store(false, ordering: .relaxed)
        }
    }

    private func append(
        to store: TimeSeriesStore, _ ids: [SeriesID], _ thread: Int, _ seed: UInt64, until end: Int64
    ) throws {
        var random = SeededGenerator(seed: seed &+ UInt64(thread))
        var count = 0
        let mine = [ids[2 * thread], ids[2 * thread + 1]]
        while isHeard.load(ordering: .relaxed), SystemClock.monotonicNanoseconds() < end {
            let id = random.pick(mine)
            // One batch in twenty is late by up to a minute, in a series with a sample every millisecond.
            var start = SystemClock.monotonicNanoseconds()
            if random.chance(0.05) { start -= random.number(in: 1_000_000_000...60_000_000_000) }
            let samples = (0..<100).map { Sample(start: start + Int64($0) * 1_000, value: Double($0 % 37)) }
            try timed("append") { try store.append(to: id, samples) }
            commits.add(1, ordering: .relaxed)
            count += 1
            if count % 500 == 0 { try timed("retain") { try store.retain(.count(Self.kept), in: id) } }
            if count % 777 == 0 {
                let range = TimeRange(start - 2_000_000_000, start - 1_000_000_000)
                try timed("delete") { try store.delete(from: id, startingIn: range) }
            }
        }
    }

    @discardableResult
    private func timed<R>(_ what: String, _ body: () throws -> R) rethrows -> R {
        let begun = SystemClock.monotonicNanoseconds()
        let result = try body()
        let time = SystemClock.monotonicNanoseconds() - begun
        longest.withLock { if time > $0.time { $0 = (time, what) } }
        return result
    }
}

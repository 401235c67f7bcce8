// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph
import TestSupport

/// The child process of a campaign. It reports to its parent by lines on standard output and ends when the parent
/// closes the pipe.
package enum CampaignWorker {
    /// - Parameter arguments: the role, the store's path, a seed.
    package static func main(_ arguments: [String]) {
        guard arguments.count == 3, let seed = UInt64(arguments[2]) else {
            say("error usage")
            return
        }
        do {
            switch arguments[0] {
            case "writer": try write(arguments[1], KillScript(seed: seed))
            case let role where role.hasPrefix("writer+"):
                try write(arguments[1], KillScript(seed: seed), readers: Int(role.dropFirst(7)) ?? 0)
            case "writer-visited": try write(arguments[1], KillScript(seed: seed), isVisited: true)
            case "outsider":
                var outsider = Outsider(arguments[1], seed: seed)
                try outsider.run(say)
            case "reader": try read(arguments[1], seed)
            case "filler": try fill(arguments[1], seed)
            case "soak": try SoakWorker(arguments[1]).run(seed: seed)
            case "importer": HostileWorker.main(arguments[1])
            case "program":
                let path = arguments[1]
                try HealthLife.awaited {
                    var worker = ProgramWorker(path, run: seed)
                    try await worker.work { say($0) }
                }
            case "workout":
                let path = arguments[1]
                try HealthLife.awaited {
                    var worker = WorkoutWorker(path, run: seed)
                    try await worker.work { say($0) }
                }
            case "mirror":
                let path = arguments[1]
                try HealthLife.awaited { try await MirrorWorker.work(path) { say($0) } }
            default: say("error unknown role")
            }
        } catch {
            say("error \(error)")
        }
    }

    /// Small limits, so that sealing, several segments and cleanup happen all the time.
    static func options() -> StoreOptions {
        var options = StoreOptions()
        options.sealSamples = 1_500
        options.sealBatches = 24
        options.segmentBytes = 20_000
        options.threads = 1
        return options
    }

    private static func now() -> Int64 { SystemClock.monotonicNanoseconds() }

    /// Writes a line in one call, so that a kill cannot tear it. Returns false if the parent has closed the pipe.
    @discardableResult
    private static func say(_ line: String) -> Bool {
        (try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))) != nil
    }

    /// Opens the store, reports its content, reads the number of the next operation, and runs the operations in order.
    ///
    /// - Parameters:
    ///   - readers: the number of threads that read and report snapshots at the same time.
    ///   - isVisited: true if another SQLite in this process opens the catalog at the same time.
    private static func write(
        _ path: String, _ script: KillScript, readers: Int = 0, isVisited: Bool = false
    ) throws {
        let begun = now()
        say("opening")
        let store = try TimeSeriesStore.openOrCreate(at: path, options: options())
        let opened = now()
        let snapshot = store.snapshot()
        say("found \(opened) \(opened - begun) \(snapshot.sequence) \(try ContentSum(snapshot).text)")
        guard let line = readLine(), var k = Int(line) else { return }
        // Repeats a call with identities, as after an unknown outcome. Not if the next operation may be partly stored,
        // which may include a deletion.
        let isNextWhole = if case .batches = script.operation(k) { false } else { true }
        if k > 0, isNextWhole, case .identified(let plan) = script.operation(k - 1) {
            let added = try store.perform(plan)
            say(added > 0 ? "error operation \(k - 1), repeated, stored \(added) samples" : "repeated \(k - 1)")
        }
        for thread in 0..<readers { Thread.detachNewThread { watch(store, thread, script.seed) } }
        if isVisited { Thread.detachNewThread { visit(path, script.seed) } }
        while say("begin \(k) \(script.operation(k).name)") {
            try store.perform(script.operation(k))
            let done = now()
            say("done \(done) \(k) \(store.snapshot().sequence)")
            k += 1
        }
    }

    private static func visit(_ path: String, _ seed: UInt64) {
        var outsider = Outsider(path, seed: seed ^ 0x1717)
        do { try outsider.run(say) } catch { say("error \(error)") }
    }

    /// Reads snapshots of this process's store and reports them until the parent closes the pipe.
    private static func watch(_ store: TimeSeriesStore, _ thread: Int, _ seed: UInt64) {
        var random = SeededGenerator(seed: seed &+ UInt64(thread))
        var held: Snapshot?
        do {
            while true {
                let begun = now()
                let snapshot = store.snapshot()
                let sum = try ContentSum(snapshot)
                if !say("thread \(thread) read \(begun) \(snapshot.sequence) \(sum.text)") { return }
                if let held {
                    say("thread \(thread) held \(begun) \(held.sequence) \(try ContentSum(held).text)")
                }
                held = random.chance(0.3) ? snapshot : nil
                usleep(useconds_t(random.below(3_000)))
            }
        } catch {
            say("error \(error)")
        }
    }

    /// Opens and refreshes a store until the parent closes the pipe. Reports each snapshot with the time before it was
    /// read.
    private static func read(_ path: String, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var store: TimeSeriesStore?
        var held: Snapshot?
        // One copy over all openings, and over the deaths of writers.
        var feed = FeedCopy()
        var isHeard = true
        while isHeard {
            let begun = now()
            if random.chance(0.2) { store = nil }
            if let known = store {
                try onceMended { () throws(StoreError) in try known.refresh() }
            } else {
                store = try openToRead(path)
            }
            guard let snapshot = store?.snapshot() else {
                isHeard = say("nothing \(begun)")
                usleep(500)
                continue
            }
            isHeard = say("read \(begun) \(snapshot.sequence) \(try ContentSum(snapshot).text)")
            if let old = held { say("held \(begun) \(old.sequence) \(try ContentSum(old).text)") }
            held = random.chance(0.3) ? snapshot : nil
            if random.chance(0.2), let store {
                let fault = try feed.follow(store, limit: 5_000)
                isHeard = say(fault.map { "error \($0)" } ?? "followed")
            }
            usleep(useconds_t(random.below(3_000)))
        }
    }

    /// Returns the store, or nil if it does not exist yet.
    private static func openToRead(_ path: String) throws -> TimeSeriesStore? {
        try onceMended { () throws(StoreError) in
            do throws(StoreError) {
                return try TimeSeriesStore.open(at: path, mode: .readOnly, options: options())
            } catch {
                guard error.kind == .notAStore else { throw error }
                return nil
            }
        }
    }

    /// Runs a read, and repeats it while the journal of a killed program refuses readers. The next writer rolls the
    /// change back.
    @discardableResult
    private static func onceMended<R>(_ body: () throws(StoreError) -> R) throws -> R {
        for _ in 0..<60_000 {
            do throws(StoreError) {
                return try body()
            } catch {
                // No other reason may refuse a reader.
                guard error.kind == .readOnly, error.message.contains("another program was stopped") else {
                    throw error
                }
            }
            usleep(1_000)
        }
        throw CampaignError("no writer recovered the catalog within a minute")
    }

    /// Opens a store of about 100 MB, which it fills first, saves twice and waits until it is killed.
    private static func fill(_ path: String, _ seed: UInt64) throws {
        let (begun, used) = (now(), SystemClock.processorNanoseconds())
        let store = try TimeSeriesStore.openOrCreate(at: path)
        let (took, work) = (now() - begun, SystemClock.processorNanoseconds() - used)
        let held = store.snapshot().series.reduce(0) { $0 + store.snapshot().count(of: $1.id) }
        let info = try store.info()
        say("opened \(took) \(work) \(held) \(info.bytes) \(info.tailBatches)")
        if held == 0 {
            try LargeStore.fill(store, seed)
            say("filled \(store.snapshot().series.reduce(0) { $0 + store.snapshot().count(of: $1.id) })")
            return
        }
        for i in 0..<2 {
            try store.append(to: store.snapshot().series[i].id, [Sample(start: now(), value: 1)])
            say("saved \(held + i + 1)")
        }
        while say("waiting") { usleep(1_000) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph
import TestSupport

/// What a child process of a campaign does. It tells its parent by lines on standard output and ends when nobody
/// listens any more.
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
            default: say("error no such role")
            }
        } catch {
            say("error \(error)")
        }
    }

    /// Small limits, so that sealing, several segments and tidying up happen all the time.
    static func options() -> StoreOptions {
        var options = StoreOptions()
        options.sealSamples = 1_500
        options.sealBatches = 24
        options.segmentBytes = 20_000
        options.threads = 1
        return options
    }

    private static func now() -> Int64 { SystemClock.monotonicNanoseconds() }

    /// One line in one call, so that a kill cannot tear it; whether anybody listens.
    @discardableResult
    private static func say(_ line: String) -> Bool {
        (try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))) != nil
    }

    /// Opens the store, says what is in it, hears with which operation to go on, and does one after the other.
    ///
    /// - Parameters:
    ///   - readers: threads that look at snapshots meanwhile, and say what they see.
    ///   - isVisited: whether another SQLite in this process opens the catalog meanwhile.
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
        // Who does not know what became of a call with identities does it again; not where a part of what comes next,
        // which may be a deletion, can be there.
        let isNextWhole = if case .batches = script.operation(k) { false } else { true }
        if k > 0, isNextWhole, case .identified(let plan) = script.operation(k - 1) {
            let added = try store.perform(plan)
            say(added > 0 ? "error operation \(k - 1), done again, stored \(added) samples" : "repeated \(k - 1)")
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

    /// Looks at the store of this process as long as anybody listens, and says what it sees.
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

    /// Opens and refreshes as long as anybody listens, and says what it sees and when it began to look.
    private static func read(_ path: String, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var store: TimeSeriesStore?
        var held: Snapshot?
        // Over all openings, and over the deaths of those who write.
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

    /// The store, or nil where there is none yet.
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

    /// Does what a reader does, as soon as no killed program's journal keeps it out: the next writer undoes the change.
    @discardableResult
    private static func onceMended<R>(_ body: () throws(StoreError) -> R) throws -> R {
        for _ in 0..<60_000 {
            do throws(StoreError) {
                return try body()
            } catch {
                // Nothing else may keep a reader out.
                guard error.kind == .readOnly, error.message.contains("another program was stopped") else {
                    throw error
                }
            }
            usleep(1_000)
        }
        throw CampaignError("no writer mended the catalog in a minute")
    }

    /// Opens a store of some 100 MB, filling it first, saves twice and waits for its end.
    private static func fill(_ path: String, _ seed: UInt64) throws {
        let begun = now()
        let store = try TimeSeriesStore.openOrCreate(at: path)
        let took = now() - begun
        let held = store.snapshot().series.reduce(0) { $0 + store.snapshot().count(of: $1.id) }
        let info = try store.info()
        say("opened \(took) \(held) \(info.bytes) \(info.tailBatches)")
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

// SPDX-License-Identifier: Apache-2.0

import Campaigns
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

/// A store whose segments lie on a simulated disk with crashes and faults, with SQLite on a real disk.
private final class FragileStore {
    let directory: TemporaryDirectory
    let disk: FaultyDisk
    var options = StoreOptions()
    private var copies = 0

    init() throws {
        directory = try TemporaryDirectory()
        disk = try FaultyDisk(MemoryDisk())
        options.disk = disk
        options.catalogPath = directory.file("catalog.sqlite")
        options.segmentBytes = 20_000
    }

    func create() throws -> TimeSeriesStore { try TimeSeriesStore.create(at: "/store", options: options) }

    /// Opens the state after a crash now: a crash image of the disk, and SQLite's files as they are.
    func openAfterCrash(seed: UInt64, _ model: CrashModel) throws -> (TimeSeriesStore, MemoryDisk, StoreOptions) {
        copies += 1
        let copy = directory.file("copy-\(copies).sqlite")
        for suffix in ["", "-wal"] {
            let from = directory.file("catalog.sqlite" + suffix)
            if FileManager.default.fileExists(atPath: from) {
                try FileManager.default.copyItem(atPath: from, toPath: copy + suffix)
            }
        }
        var after = options
        let image = try disk.crash(seed: seed, model)
        after.disk = image
        after.catalogPath = copy
        return (try TimeSeriesStore.open(at: "/store", options: after), image, after)
    }
}

@Suite("E-4 X-3 crashes and failing calls: acknowledged steps are present, others wholly present or absent")
struct CrashTests {
    private static let pieces: [[Sample]] = (0..<4).map { piece -> [Sample] in
        (0..<4_000).map { i -> Sample in
            let start = Int64(i * 7 + piece) * second
            return Sample(start: start, value: Double(i * (piece + 3) % 101))
        }
    }

    /// Runs three loads, two appends and a seal. Calls back after each acknowledged step with the number of samples
    /// that must be present.
    private func work(_ store: TimeSeriesStore, _ acknowledged: (Int) throws -> Void) throws {
        let id = try store.series("a", kind: .discrete).id
        var count = 0
        for piece in 0..<3 {
            try store.load(Self.pieces[piece], to: id)
            count += Self.pieces[piece].count
            try acknowledged(count)
        }
        for half in [0..<1_000, 1_000..<4_000] {
            try store.append(Array(Self.pieces[3][half]), to: id)
            count += half.count
            try acknowledged(count)
        }
        try store.seal()
        try acknowledged(count)
    }

    private func check(_ store: TimeSeriesStore, atLeast: Int, _ note: String) throws {
        guard let series = store.snapshot().series(named: "a") else {
            #expect(atLeast == 0, "\(note): the series is missing")
            return
        }
        let found = try store.snapshot().all(series.id)
        let steps = [0, 4_000, 8_000, 12_000, 13_000, 16_000]
        #expect(found.count >= atLeast && steps.contains(found.count), "\(note): \(found.count) of \(atLeast)")
        var oracle = Oracle(kind: .discrete)
        oracle.append(Array((Self.pieces[0] + Self.pieces[1] + Self.pieces[2] + Self.pieces[3]).prefix(found.count)))
        #expect(found.map(\.start) == oracle.sorted.map(\.start), "\(note): wrong samples")
        #expect(try store.verify().problems.isEmpty, "\(note): damaged")
    }

    @Test("A power cut right after an acknowledgement loses no acknowledged sample")
    func afterAcknowledgement() throws {
        let fragile = try FragileStore()
        let store = try fragile.create()
        defer { store.close() }
        var step: UInt64 = 0
        try work(store) { count in
            step += 1
            for (seed, model) in [(0, CrashModel.loseAll), (step, .any), (step + 100, .any)] {
                let (after, _, _) = try fragile.openAfterCrash(seed: seed, model)
                try check(after, atLeast: count, "step \(step) seed \(seed)")
                after.close()
            }
        }
    }

    @Test("After a stop at any changing call each step is wholly present or absent, and work can continue")
    func everyCall() throws {
        let whole = try FragileStore()
        let first = try whole.create()
        let before = whole.disk.mutationCount
        try work(first) { _ in }
        let total = whole.disk.mutationCount - before
        first.close()
        #expect(total > 20, "too few changing calls to test stops")
        for stop in 0..<total {
            let fragile = try FragileStore()
            let store = try fragile.create()
            fragile.disk.stop(afterMutations: stop)
            var acknowledged = 0
            do {
                try work(store) { acknowledged = $0 }
            } catch {
                #expect(error is StoreError, "\(error)")
            }
            let (after, image, options) = try fragile.openAfterCrash(
                seed: UInt64(stop), stop % 3 == 0 ? .loseAll : .any)
            try check(after, atLeast: acknowledged, "stop \(stop)")
            let series = try after.series("a", kind: .discrete)
            try after.load([Sample(start: -1, value: 1)], to: series.id)
            #expect(try after.snapshot().all(series.id, limit: 1) == [Sample(start: -1, value: 1)])
            let named = try after.info().segments
            after.close()
            // With a torn witness all files are kept; the last commit has rewritten the witness.
            try TimeSeriesStore.open(at: "/store", options: options).close()
            #expect(image.files.keys.filter { $0.hasSuffix(".kseg") }.count == named, "stop \(stop): orphans were left")
            store.close()
        }
    }

    @Test("A call that fails once stores nothing, leaves no file, and the retry succeeds")
    func failingOnce() throws {
        let kinds: [DiskCallKind] = [.create, .write, .sync, .syncDirectory, .close]
        for kind in kinds {
            for nth in 1...6 {
                let fragile = try FragileStore()
                let store = try fragile.create()
                let id = try store.series("a", kind: .discrete).id
                let suffix = kind == .syncDirectory ? nil : ".kseg"
                fragile.disk.inject(DiskFault([kind], pathSuffix: suffix, nth: nth, effect: .part))
                var failed = false
                do { try store.load(Self.pieces[0], to: id) } catch {
                    failed = true
                    #expect(error.kind != .corrupt)
                }
                fragile.disk.clearFaults()
                if failed {
                    #expect(store.snapshot().count(of: id) == 0, "\(kind) \(nth)")
                    #expect(try fragile.disk.list("/store/segments").isEmpty, "\(kind) \(nth): a file was left")
                    try store.load(Self.pieces[0], to: id)
                }
                try check(store, atLeast: 4_000, "\(kind) \(nth)")
                store.close()
            }
        }
    }

    @Test("On a full disk the load is refused as diskFull, other calls work, and loads work again with free space")
    func full() throws {
        let fragile = try FragileStore()
        let store = try fragile.create()
        let id = try store.series("a", kind: .discrete).id
        try store.load(Self.pieces[0], to: id)
        fragile.disk.setCapacity(fragile.disk.usedBytes + 400)
        do {
            try store.load(Self.pieces[1], to: id)
            Issue.record("loaded")
        } catch { #expect(error.kind == .diskFull) }
        try check(store, atLeast: 4_000, "full")
        fragile.disk.setCapacity(nil)
        try store.load(Self.pieces[1], to: id)
        try check(store, atLeast: 8_000, "with free space again")
        store.close()
    }

    @Test("Short reads and unreadable pages are errors with a position, and the next read is right")
    func reads() throws {
        let fragile = try FragileStore()
        let store = try fragile.create()
        let id = try store.series("a", kind: .discrete).id
        try store.load(Self.pieces[0], to: id)
        for nth in 1...8 {
            fragile.disk.inject(DiskFault([.copy, .map, .sizeOf], nth: nth))
            do {
                #expect(try store.snapshot().all(id) == Self.pieces[0])
            } catch {
                #expect(error.path?.hasSuffix(".kseg") == true)
            }
            fragile.disk.clearFaults()
            #expect(try store.snapshot().all(id) == Self.pieces[0])
        }
        store.close()
    }
}

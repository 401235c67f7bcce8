// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-3 a bulk load writes the same bytes on any number of threads")
struct BulkThreadTests {
    static let layout = StoreLayout(root: "")
    static let id = [UInt8](repeating: 5, count: 16)

    /// Returns a sample every second second, so that a block spans a quarter of an hour and a piece about 57,600
    /// samples. The rate changes at random, and `seed` selects the values.
    static func rows(_ count: Int, from first: Int64 = 0, seed: UInt64, lasting: Bool = false) -> SampleRows {
        var random = SeededGenerator(seed: seed)
        var rows = SampleRows()
        var time = first
        var step = 2 * second
        for i in 0..<count {
            if random.below(20_000) == 0 { step = [second / 500, second, 2 * second, 60 * second][random.below(4)] }
            time += step + Int64(random.below(1_000)) * 1_000
            rows.starts.append(time)
            rows.values.append(i % 5_000 < 100 ? random.fraction() : Double(random.below(200)) / 10)
            if lasting { rows.ends.append(time + Int64(random.below(3)) * second) }
        }
        rows.identityHigh = .constant(77)
        rows.identityLow = .sequence(first: 1_000)
        return rows
    }

    /// Returns parts of a run, split at random positions.
    static func split(_ rows: SampleRows, _ random: inout SeededGenerator) -> [SampleRows] {
        var parts = [SampleRows]()
        var at = 0
        while at < rows.count {
            let size = [1, 2, 700, 1_535, 1_536, 1_537, 3_072, 20_000, 90_000][random.below(9)]
            let end = min(rows.count, at + size)
            parts.append(rows.part(at..<end))
            at = end
        }
        return parts
    }

    /// Returns the bytes of a segment with these runs, each added in the given parts.
    static func segment(
        _ runs: [[SampleRows]], threads: Int, atOnce: Bool = true, borrowing: Bool = false
    ) throws -> [UInt8] {
        let disk = MemoryDisk()
        try disk.createDirectory("/segments")
        let target = SegmentWriter.Target(
            layout: layout, access: FileAccess(disk), store: [UInt8](repeating: 9, count: 16), uuid: id,
            zone: try TestStore { $0.homeZone = "Asia/Kathmandu" }.store.context.zone)
        let writer = try SegmentWriter(target, after: 3, threads: threads)
        let parts = runs.enumerated().flatMap { run in run.element.map { RunPart($0, series: Int64(run.offset + 1)) } }
        if borrowing {
            for part in parts {
                let rows = part.rows
                let borrowed = RunPart(
                    rows.starts.span, rows.ends.span, sides: rows.sides(0..<rows.count), series: part.series)
                #expect(borrowed.first == part.first && borrowed.last == part.last && borrowed.count == part.count)
                try writer.append([borrowed], rows.starts.span, rows.ends.span, rows.values.span)
            }
        } else if atOnce {
            try writer.append(parts)
        } else {
            for part in parts { try writer.append([part]) }
        }
        let row = try writer.finish()
        let bytes = try disk.contents(of: layout.segment(id), limit: 1 << 30)
        #expect(row.bytes == Int64(bytes.count))
        return bytes
    }

    @Test("Neither the number of threads nor of calls changes a byte of a segment")
    func sameBytes() throws {
        var random = SeededGenerator(seed: 21)
        let runs = [
            Self.rows(1, seed: 1), Self.rows(1_600, seed: 2, lasting: true), Self.rows(130_000, seed: 3),
            Self.rows(62_000, from: -400 * day, seed: 4, lasting: true),
        ]
        let whole = try Self.segment(runs.map { [$0] }, threads: 1)
        for threads in [2, 3, 8] {
            #expect(try Self.segment(runs.map { [$0] }, threads: threads) == whole, "\(threads) threads")
            let parts = runs.map { Self.split($0, &random) }
            #expect(try Self.segment(parts, threads: threads) == whole, "\(threads) threads, in parts")
        }
        let parts = runs.map { Self.split($0, &random) }
        #expect(try Self.segment(parts, threads: 2, atOnce: false) == whole, "part by part")
        #expect(try Self.segment(parts, threads: 2, borrowing: true) == whole, "the caller's columns")
        #expect(try Self.segment(runs.map { [$0] }, threads: 1, borrowing: true) == whole, "the caller's columns")
    }

    /// Returns the bytes of a store's segments in order, without the random ids and fields that depend on them.
    static func files(_ test: TestStore) throws -> [[UInt8]] {
        try test.store.snapshot().version.segments.sorted { $0.key < $1.key }.map { _, file in
            var bytes = try test.store.disk.contents(of: file.path, limit: 1 << 30)
            var at = 64
            // Up to the footer, which has the checksums of other units.
            while bytes[at] != 0xF1 {
                // Every unit has its length at its fourth byte and a checksum at its end.
                let length = (0..<4).reduce(0) { $0 | Int(bytes[at + 4 + $1]) << (8 * $1) }
                try #require(length >= 8 && at + length < bytes.count)
                bytes.replaceSubrange(at + length - 4..<at + length, with: [0, 0, 0, 0])
                at += length
            }
            return Array(bytes[64..<at])
        }
    }

    @Test("Large, medium, tiny and late calls load the same bytes on any number of threads", .ofPlainStores)
    func sameLoad() throws {
        var wanted: [[UInt8]]?
        for threads in [1, 2, 3, 8] {
            let test = try TestStore {
                $0.threads = threads
                $0.segmentBytes = 600_000
            }
            test.store.context.mint.withLock { $0 = IdentityMint(random: [1, 2, 3, 4, 5, 6, 7, 8]) }
            let ids = try (0..<4).map { try test.store.series("s\($0)", kind: .discrete).id }
            var random = SeededGenerator(seed: 8)
            try test.store.bulkLoad { loader in
                for round in 0..<26 {
                    let count = [300_000, 70_000, 90_000, 1, 700, 1_537, 3_000, 0][round == 5 ? 0 : 1 + random.below(7)]
                    let late = random.below(4) == 0
                    let rows = Self.rows(
                        count, from: late ? 0 : Int64(round) * 10 * day, seed: UInt64(round),
                        lasting: random.below(3) == 0)
                    var values = rows.values
                    if late, count > 10 { values.swapAt(0, 5) }
                    let ends = rows.ends.isEmpty ? rows.starts : rows.ends
                    let id = ids[round == 5 ? 3 : random.below(4)]
                    try loader.append(to: id, starts: rows.starts.span, ends: ends.span, values: values.span)
                }
            }
            let files = try Self.files(test)
            #expect(files.count > 2)
            #expect(try test.store.verify().problems.isEmpty)
            #expect(wanted == nil || wanted == files, "\(threads) threads")
            wanted = files
        }
    }

    @Test("An invalid sample is reported with its position on any number of threads, and the load continues")
    func refusals() throws {
        let n = 200_000
        let starts = (0..<n).map { Int64($0) * second }
        let values = [Double](repeating: 1, count: n)
        for threads in [1, 2, 3, 8] {
            let test = try TestStore { $0.threads = threads }
            let id = try test.store.series("a", kind: .discrete).id
            try test.store.bulkLoad { loader in
                for place in [0, 1, 65_535, 65_536, 65_537, 131_072, n - 1] {
                    for bad in 0..<4 {
                        var (starts, ends, values) = (starts, starts, values)
                        let later = min(n - 1, place + 70_000)
                        switch bad {
                        case 0: (values[place], values[later]) = (.nan, .infinity)
                        case 1: (starts[place], ends[later]) = (.min, .max)
                        case 2: ends[place] -= 1
                        default: (ends[place], ends[later]) = (.max, starts[later] - 1)
                        }
                        do {
                            try loader.append(to: id, starts: starts.span, ends: ends.span, values: values.span)
                            Issue.record("\(bad) at \(place) was accepted by \(threads) threads")
                        } catch let error as StoreError {
                            #expect(error.kind == .invalidSample)
                            #expect(error.message.hasPrefix("sample \(place) "), "\(error.message)")
                        }
                    }
                }
                #expect(throws: StoreError.self) {
                    try loader.append(to: id, starts: starts.span, ends: starts.span, values: [1].span)
                }
                try loader.append(to: id, starts: starts.span, ends: starts.span, values: values.span)
            }
            #expect(test.store.snapshot().count(of: id) == n)
        }
    }

    @Test("A failing piece or write ends the load with the same error on any number of threads")
    func failures() throws {
        let rows = Self.rows(200_000, seed: 6)
        var broken = rows
        broken.values[130_000] = .nan
        broken.values[190_000] = .nan
        var messages = Set<String>()
        for threads in [1, 2, 3, 8] {
            let disk = try FaultyDisk(MemoryDisk())
            let directory = try TemporaryDirectory()
            var options = StoreOptions()
            options.disk = disk
            options.catalogPath = directory.file("catalog.sqlite")
            options.threads = threads
            let store = try TimeSeriesStore.create(at: "/store", options: options)
            defer { store.close() }
            let id = try store.series("a", kind: .discrete).id
            for nth in [1, 2, 4] {
                disk.inject(DiskFault([.write], pathSuffix: ".kseg", nth: nth))
                do {
                    try store.bulkLoad { loader in
                        try? loader.append(to: id, starts: rows.starts.span, values: rows.values.span)
                        try loader.append(to: id, starts: [1].span, values: [1].span)
                    }
                    Issue.record("loaded in spite of write \(nth)")
                } catch { #expect((error as? StoreError)?.kind == .inputOutput, "\(error)") }
                disk.clearFaults()
            }
            do {
                // Rows of the layer above are not validated again: the encoder refuses them.
                try store.bulkLoad { loader in try loader.write(broken, to: id)
                }
                Issue.record("loaded values that are not finite")
            } catch { messages.insert((error as? StoreError).map { "\($0.kind) \($0.message)" } ?? "\(error)") }
            #expect(store.snapshot().count(of: id) == 0)
            #expect(try disk.list("/store/segments").isEmpty)
            try store.bulkLoad { try $0.append(to: id, starts: rows.starts.span, values: rows.values.span) }
            #expect(store.snapshot().count(of: id) == 200_000)
            #expect(try store.verify().problems.isEmpty)
        }
        #expect(messages.count == 1, "\(messages)")
    }

    @Test("Threads that outrun a slow disk wait")
    func bounded() throws {
        let disk = MemoryDisk()
        try disk.createDirectory("/segments")
        let threads = 3
        let target = SegmentWriter.Target(
            layout: Self.layout, access: FileAccess(disk), store: [UInt8](repeating: 9, count: 16),
            uuid: Self.id,
            zone: try TestStore().store.context.zone)
        let writer = try SegmentWriter(target, after: 3, threads: threads)
        let part = RunPart(Self.rows(700_000, seed: 9), series: 1)
        let most = Mutex(0)
        let isHeld = Atomic(false)
        _ = onThreads(2) { thread in
            if thread == 0 {
                // Blocks all writes by holding the file's lock.
                writer.sink.withLock { _ in
                    isHeld.store(true, ordering: .releasing)
                    for _ in 0..<600 where most.withLock({ $0 }) < 2 * threads - 1 {
                        usleep(10_000)
                        let waiting = writer.line.withLock { $0.waiting.count }
                        most.withLock { $0 = max($0, waiting) }
                    }
                    usleep(100_000)
                    let waiting = writer.line.withLock { $0.waiting.count }
                    most.withLock { $0 = max($0, waiting) }
                }
            } else {
                while !isHeld.load(ordering: .acquiring) { usleep(1_000) }
                try? writer.append([part])
            }
        }
        let row = try writer.finish()
        // One piece is being written; as many others as there are permits may wait.
        #expect(most.withLock { $0 } <= 2 * threads - 1)
        #expect(most.withLock { $0 } > 0 || Machine.processorCount() == 1)
        #expect(row.runs[0].blocks > 500)
    }
}

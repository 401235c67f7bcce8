// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import FileSystem
import TestSupport
import TimeIndex

@testable import Kymograph

/// A whole store, opened after edits, with every query run on it.
enum StoreTarget {
    static let target = Target(
        name: "store", maximumLength: 256, variants: 31,
        asserts: "after damage the right answers or an error; after any edit an error or valid samples",
        seeds: { _ in seeds }, run: each(run))

    private static var seeds: [[UInt8]] {
        var seeds: [[UInt8]] = [
            [], [0, 0, 0, 100, 0, 1], [0, 1, 1, 20, 0, 9], [1, 0, 8, 100, 0, 1], [15, 5, 0, 0, 3, 9], [15, 6, 2, 1],
            [3, 0, 7, 200, 0, 1, 2, 3, 4, 5, 6, 7, 8], [7, 4, 0, 0, 6, 0, 0, 255, 255, 255, 255, 255, 255, 255, 127],
            [15, 3, 0, 0, 3, 0, 2], [0, 7, 0, 100, 1], [1, 2, 40, 10, 0, 90, 2], [31, 6, 128, 9, 9, 9, 9, 9, 9, 9, 9],
        ]
        for number in UInt8(0)..<10 {
            seeds.append([15, 1, 5 + number % 2 * 2, number * 23, number / 3, 1, 0, 0, 9])
            seeds.append([7, 4, 0, 0, 6, number * 16, 0, 1, 2, 3, 4, 5, 6, 7, 8])
        }
        return seeds
    }

    /// The queries to run: all for an input, two of one series for a variant.
    private struct Questions {
        private let chosen: (Int, Int)?
        private let series: Int

        init(_ choice: UInt64?) {
            chosen = choice.map { (Int($0 >> 8 & 0xFF) % 11, Int($0 >> 16 & 0xFF) % 11) }
            series = Int((choice ?? 0) & 0xFF)
        }

        func asks(_ number: Int) -> Bool {
            chosen.map { $0.0 == number || $0.1 == number } ?? true
        }

        func asks(series number: Int, of count: Int) -> Bool { chosen == nil || series % count == number }
    }

    private static func run(_ bytes: [UInt8], _ choice: UInt64?) {
        let questions = Questions(choice)
        let store = EditedStore(bytes)
        var files: [String: [UInt8]] = [:]
        let layout = StoreLayout(root: StoreBase.root)
        for (row, file) in zip(store.image.segments, store.files) { files[layout.segment(row.uuid)] = file }
        var options = StoreOptions()
        options.disk = MemoryDisk(directories: [layout.segments], files: files)
        options.threads = 1
        options.indexCacheBytes = 1 << 16
        let cache = IndexCache(bytes: options.indexCacheBytes)
        guard let version = try? VersionLoader(layout, options, cache).version(of: store.image, known: nil) else {
            return
        }
        let snapshot = Snapshot(version: version)
        for (number, series) in snapshot.series.enumerated()
        where questions.asks(series: number, of: snapshot.series.count) {
            ask(snapshot, series.id, store, questions)
        }
        if questions.asks(9) {
            for file in version.segments.values { _ = try? file.directory() }
        }
        guard questions.asks(10) else { return }
        for run in version.runs.all {
            guard case .segment(let index) = run else { continue }
            index.scan { _ in }
        }
    }

    private static func ask(
        _ snapshot: Snapshot, _ id: SeriesID, _ store: EditedStore, _ questions: Questions
    ) {
        let known = store.isHostile ? nil : StoreBase.shared.samples[id]
        // Answers from the catalog alone.
        let count = snapshot.count(of: id)
        let newest = try? snapshot.mostRecent(of: id)
        _ = try? snapshot.extent(of: id)
        if let known {
            require(count == known.count && newest == known.last, "\(count) samples, up to \(newest as Any)")
        }

        for (number, order) in [ScanOrder.forward, .backward].enumerated()
        where questions.asks(number) {
            scan(snapshot, id, order, known)
        }
        let edge = StoreBase.second
        let ranges = [TimeRange.all, TimeRange(37 * edge + 5, 215 * edge), TimeRange(605 * edge, 690 * edge)]
        for (number, range) in ranges.enumerated() {
            if questions.asks(2 + number) { read(snapshot, id, range, known) }
            if questions.asks(5 + number) { aggregate(snapshot, id, range, known) }
        }
        if questions.asks(8) { buckets(snapshot, id, known) }
    }

    private static func scan(_ snapshot: Snapshot, _ id: SeriesID, _ order: ScanOrder, _ known: [Sample]?) {
        var found: [Sample] = []
        var wanted = RunScan(.all, .all)
        wanted.order = order
        do throws(StoreError) {
            try snapshot.scan([id], wanted, limit: 5_000) { batch throws(StoreError) in
                for row in 0..<batch.count { found.append(batch[row]) }
                return true
            }
        } catch { return }
        if case .backward = order { found.reverse() }
        require(found.allSatisfy { $0.value.isFinite && $0.start <= $0.end }, "invalid samples")
        if let known { require(found == known, "a scan gives different samples") }
    }

    private static func read(_ snapshot: Snapshot, _ id: SeriesID, _ range: TimeRange, _ known: [Sample]?) {
        var (starts, values) = ([Int64](), [Double]())
        guard (try? snapshot.read(id, over: range, starts: &starts, values: &values)) != nil else {
            require(starts.isEmpty && values.isEmpty, "samples after an error")
            return
        }
        require(starts.count == values.count && values.allSatisfy(\.isFinite), "unequal columns or infinite values")
        guard let known = known?.filter({ range.contains($0.start) }) else { return }
        require(starts == known.map(\.start) && values == known.map(\.value), "different samples are read")
    }

    private static func aggregate(_ snapshot: Snapshot, _ id: SeriesID, _ range: TimeRange, _ known: [Sample]?) {
        guard let found = try? snapshot.aggregate(of: id, over: range, computing: .all) else { return }
        guard let known = known?.filter({ range.contains($0.start) }) else { return }
        require(
            found.count == known.count && found.min == known.map(\.value).min() && found.max == known.map(\.value).max()
                && found.first == known.first && found.last?.start == known.last?.start, "wrong answer: \(found)")
        // Halves and whole numbers sum exactly; samples of a cumulative series that cross an edge are split.
        if id == StoreBase.pulse || range == .all {
            require(found.sum == known.reduce(0) { $0 + $1.value }, "wrong sum: \(found)")
        }
    }

    private static func buckets(_ snapshot: Snapshot, _ id: SeriesID, _ known: [Sample]?) {
        let range = TimeRange(0, 720 * StoreBase.second)
        let minute = 60 * StoreBase.second
        let table = try? snapshot.buckets(of: id, .fixed(nanoseconds: minute), over: range, computing: .all)
        guard let table else { return }
        require(table.count == 12, "\(table.count) buckets")
        guard let known else { return }
        for bucket in table {
            let wanted = known.count { $0.start >= bucket.start && $0.start < bucket.end }
            require(bucket.count == wanted, "\(bucket.count) samples in a bucket, expected \(wanted)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CKymograph
import Kymograph
import TestSupport
import Testing

extension CInterface {
    @Suite("E-19: samples as Arrow streams")
    struct ScanTests {
        private struct Stored: Equatable {
            var series: Int64
            var start: Int64
            var end: Int64
            var value: Double
        }

        /// A store with overlapping and separate runs, late samples, deletions and a tail; and its samples.
        private static func filled(_ random: inout SeededGenerator) throws -> (CStore, [Int64], [Stored]) {
            let store = try CStore()
            var all = [Stored]()
            let series = try (0..<3).map { try store.series("s\($0)", $0 == 2 ? KYMO_CUMULATIVE : KYMO_DISCRETE) }
            for _ in 0..<6 {
                let id = series[random.below(3)]
                let count = random.chance(0.3) ? 40_000 + random.below(10_000) : 1 + random.below(500)
                let origin = random.number(in: 0...5) * 20_000_000
                let starts = (0..<count).map { origin + Int64($0) * 1_000 + random.number(in: 0...999) }
                let hasEnds = random.chance(0.4)
                let ends = starts.map { hasEnds ? $0 + random.number(in: 0...5_000) : $0 }
                let values = (0..<count).map { _ in Double(random.below(1_000)) / 8 }
                try store.append(id, starts, ends, values)
                for i in 0..<count { all.append(Stored(series: id, start: starts[i], end: ends[i], value: values[i])) }
            }
            for _ in 0..<3 {
                let id = series[random.below(3)]
                let start = random.number(in: 0...100_000_000)
                let end = start + random.number(in: 1...3_000_000)
                let deleted = try store.delete(id, start, end)
                let before = all.count
                all.removeAll { $0.series == id && $0.start >= start && $0.start < end }
                #expect(Int(deleted) == before - all.count)
            }
            return (store, series, all)
        }

        @Test("Random requests return the samples of the store, in order", arguments: 0..<12)
        func requests(seed: Int) throws {
            var random = SeededGenerator(seed: UInt64(seed))
            let (store, series, all) = try Self.filled(&random)
            let snapshot = try store.snapshot()
            for _ in 0..<12 {
                let chosen = series.filter { _ in random.chance(0.6) }
                let wanted = chosen.isEmpty ? series : chosen
                let (isBackward, isMerged) = (random.chance(0.4), random.chance(0.4))
                let range = random.chance(0.5) ? random.number(in: 0...60_000_000) : nil
                let limit = random.chance(0.3) ? 1 + random.below(5_000) : 0
                let batchRows = [0, 1, 100, 4_096][random.below(4)]
                let unit = random.below(2)
                let columns = [
                    0, KYMO_START | KYMO_VALUE | KYMO_SERIES, KYMO_START | KYMO_END | KYMO_VALUE | KYMO_SERIES,
                ][
                    random.below(3)]
                let stream = try snapshot.scan(wanted) { request in
                    unsafe request.flags = UInt32((isBackward ? KYMO_BACKWARD : 0) | (isMerged ? KYMO_MERGED : 0))
                    if let range {
                        unsafe request.has_range = 1
                        unsafe request.start = range
                        unsafe request.end = range + 30_000_000
                    }
                    unsafe request.limit = Int64(batchRows == 1 ? 50 : limit)
                    unsafe request.batch_rows = Int64(batchRows)
                    unsafe request.time_unit = Int32(unit)
                    unsafe request.columns = UInt32(columns)
                }
                let (found, batches) = try stream.read()
                var expected = all.filter { one in
                    wanted.contains(one.series)
                        && (range.map { one.start >= $0 && one.start < $0 + 30_000_000 } ?? true)
                }
                func precedes(_ a: Stored, _ b: Stored) -> Bool {
                    if !isMerged, a.series != b.series { return a.series < b.series }
                    return isBackward ? (a.start, a.end) > (b.start, b.end) : (a.start, a.end) < (b.start, b.end)
                }
                expected.sort(by: precedes)
                let most = batchRows == 1 ? 50 : limit
                if most > 0 { expected = Array(expected.prefix(most)) }
                let nanoseconds: Int64 = unit == 0 ? 1 : 1_000
                guard case .integers(let starts)? = found["start"] else {
                    #expect(expected.isEmpty)
                    continue
                }
                #expect(starts == expected.map { $0.start / nanoseconds })
                if case .integers(let ends)? = found["end"] { #expect(ends == expected.map { $0.end / nanoseconds }) }
                if case .integers(let numbers)? = found["series"], !isMerged {
                    #expect(numbers == expected.map(\.series))
                }
                guard case .doubles(let values)? = found["value"] else { continue }
                // Samples of equal start and end may come in any order of their runs.
                if most == 0 {
                    let pairs = zip(starts, values).map { "\($0 ?? -1) \($1 ?? .nan)" }
                    #expect(
                        pairs.sorted() == expected.map { "\($0.start / nanoseconds) \($0.value)" }.sorted())
                }
                #expect(batches.allSatisfy { $0 > 0 && $0 <= (batchRows == 0 ? 131_072 : batchRows) })
            }
        }

        @Test("Identity and commit are columns; labels are dictionaries or texts")
        func sides() throws {
            let store = try CStore()
            var number: Int64 = 0
            try unsafe withLabels(["subject", "7", "place", "home"]) { labels in
                try unsafe call { error in unsafe kymo_series_make(store.handle, "pulse", labels, 1, &number, error) }
            }
            try store.append(number, [5, 6], nil, [60, 61])
            let snapshot = try store.snapshot()
            for isPlain in [false, true] {
                let stream = try unsafe withLabels(["subject", "missing"]) { labels in
                    try snapshot.scan([number]) { request in
                        unsafe request.labels = UnsafePointer(labels)
                        unsafe request.label_count = 2
                        unsafe request.flags = isPlain ? UInt32(KYMO_PLAIN_TEXT) : 0
                        unsafe request.columns = UInt32(KYMO_SERIES | KYMO_START | KYMO_IDENTITY | KYMO_COMMIT)
                    }
                }
                let text = isPlain ? "u" : "i"
                #expect(
                    stream.schema() == [
                        "series l", "subject \(text)", "missing \(text)", "start tsn:UTC", "identity w:16", "commit l",
                    ])
                let (found, _) = try stream.read()
                #expect(found["subject"] == .texts(["7", "7"]))
                #expect(found["missing"] == .texts([nil, nil]))
                #expect(found["start"] == .integers([5, 6]))
                guard case .integers(let commits)? = found["commit"],
                    case .integers(let identities)? = found["identity"]
                else { return #expect(Bool(false), "columns are missing") }
                #expect(Set(commits).count == 1)
                #expect(identities.allSatisfy { $0 != nil && $0 != 0 })
            }
        }

        @Test("A stream outlives its snapshot and its store, and a dropped stream frees its batches")
        func lifetimes() throws {
            let before = kymo_live_batches()
            do {
                let store = try CStore()
                let id = try store.series("pulse")
                try store.append(id, (0..<10_000).map { Int64($0) }, nil, (0..<10_000).map { Double($0) })
                let stream = try store.snapshot().scan([id]) { unsafe $0.batch_rows = 1_000 }
                let dropped = try store.snapshot().scan([id])
                _ = dropped.schema()
                store.close()
                let (found, batches) = try stream.read()
                #expect(found["value"] == .doubles((0..<10_000).map { Double($0) }))
                #expect(batches.reduce(0, +) == 10_000)
            }
            #expect(kymo_live_batches() == before)
        }
    }
}

/// Calls `body` with texts as a C list that ends with NULL.
func withLabels<R>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) throws -> R
) rethrows -> R {
    let copies = texts.map { text in
        let bytes = Array(text.utf8CString)
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        unsafe memory.initialize(from: bytes, count: bytes.count)
        return unsafe memory
    }
    defer { unsafe copies.forEach { unsafe $0.deallocate() } }
    var list = unsafe copies.map { unsafe UnsafePointer<CChar>?($0) } + [nil]
    return try unsafe list.withUnsafeMutableBufferPointer { try unsafe body($0.baseAddress!) }
}

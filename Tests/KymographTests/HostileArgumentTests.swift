// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-1 E-3 E-4 hostile arguments: every public function of the engine that opens, writes or stores")
struct HostileArgumentTests {
    private let hostile: HostileBench
    private var store: TimeSeriesStore { hostile.store }
    private var a: SeriesID { hostile.a }
    private var stranger: SeriesID { hostile.stranger }

    init() throws { hostile = try HostileBench() }

    @Test("create, open, openOrCreate, verify, repair, backup, verifyBackup, restore: invalid paths and settings")
    func places() throws {
        let directory = hostile.bench.directory
        let file = directory.file("file")
        try Data("kept".utf8).write(to: URL(fileURLWithPath: file))
        var zone = StoreOptions()
        zone.homeZone = "Mars/Olympus\u{0}"
        var odd = StoreOptions()
        (odd.sealSamples, odd.sealBatches, odd.segmentBytes, odd.indexCacheBytes) = (.min, .min, .min, .min)
        (odd.ballastBytes, odd.threads, odd.writerWait, odd.writerIdle) = (.min, .min, .seconds(-1), .seconds(-1))
        let long = directory.path + "/" + String(repeating: "x", count: 1_000_000)
        let missing = directory.file("missing/deep")
        HostileCall.check([
            HostileCall("create with an empty path", "inputOutput") { _ = try TimeSeriesStore.create(at: "") },
            HostileCall("create with a long name", "inputOutput") { _ = try TimeSeriesStore.create(at: long) },
            HostileCall("create over a store", "alreadyExists") {
                _ = try TimeSeriesStore.create(at: hostile.bench.path)
            },
            HostileCall("create with an unknown zone", "invalidArgument") {
                _ = try TimeSeriesStore.create(at: directory.file("zone"), options: zone)
            },
            HostileCall("openOrCreate with an unknown zone", "invalidArgument") {
                _ = try TimeSeriesStore.openOrCreate(at: directory.file("zone"), options: zone)
            },
            HostileCall("openOrCreate below a missing directory", "inputOutput") {
                _ = try TimeSeriesStore.openOrCreate(at: missing)
            },
            HostileCall("open of a missing path", "notAStore") { _ = try TimeSeriesStore.open(at: missing) },
            HostileCall("open with an empty path", "notAStore") { _ = try TimeSeriesStore.open(at: "") },
            HostileCall("open of a file", "notAStore") { _ = try TimeSeriesStore.open(at: file) },
            HostileCall("verify of a missing path", "notAStore") { _ = try TimeSeriesStore.verify(at: missing) },
            HostileCall("verifyBackup of a store", "notAStore") {
                _ = try TimeSeriesStore.verifyBackup(at: hostile.bench.path)
            },
            HostileCall("repair of a missing path", "notAStore") {
                _ = try TimeSeriesStore.repair(from: missing, to: directory.file("new"))
            },
            HostileCall("repair to an empty path", "invalidArgument") {
                _ = try TimeSeriesStore.repair(from: hostile.bench.path, to: "")
            },
            HostileCall("repair into itself", "invalidArgument") {
                _ = try TimeSeriesStore.repair(from: hostile.bench.path, to: hostile.bench.path + "/in")
            },
            HostileCall("backup to an empty path", "invalidArgument") { _ = try store.backup(to: "") },
            HostileCall("backup into itself", "invalidArgument") {
                _ = try store.backup(to: hostile.bench.path + "/in")
            },
            HostileCall("backup over a file", "inputOutput") { _ = try store.backup(to: file) },
            HostileCall("restore of a store", "notAStore") {
                _ = try TimeSeriesStore.restore(from: hostile.bench.path, to: directory.file("again"))
            },
            HostileCall("restore of a missing path", "notAStore") {
                _ = try TimeSeriesStore.restore(from: missing, to: directory.file("again"))
            },
            HostileCall("restore to an empty path", "invalidArgument") {
                _ = try TimeSeriesStore.restore(from: missing, to: "")
            },
            HostileCall("settings out of range", "done") {
                let other = try TimeSeriesStore.create(at: directory.file("odd"), options: odd)
                let id = try other.series("a", kind: .discrete).id
                for at in 0..<20 { try other.append(to: id, [Sample(start: Int64(at), value: 1)]) }
                #expect(other.snapshot().count(of: id) == 20)
                other.close()
            },
        ])
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
    }

    @Test("series: names and labels of any length and characters, and another kind")
    func series() throws {
        let long = String(repeating: "x", count: 1_000_000)
        for name in ["", "\u{9B}\u{202E}\n", "e\u{301}", "\u{E9}"] {
            let one = try store.series(name, labels: [name: name], kind: .discrete)
            #expect(store.snapshot().series(named: name, labels: [name: name])?.id == one.id)
            #expect(store.snapshot().allSeries(named: name, having: [name: name]).map(\.id) == [one.id])
        }
        HostileCall.check([
            HostileCall("another kind", "kindMismatch") { _ = try store.series("a", kind: .cumulative) },
            HostileCall("a name with a NUL", "invalidArgument") { _ = try store.series("a\0", kind: .discrete) },
            HostileCall("a label with a NUL", "done") {
                _ = try store.series("a", labels: ["\0": ""], kind: .discrete)
            },
            HostileCall("a closed store", "closed") { _ = try hostile.closed().series("new", kind: .discrete) },
        ])
        // A long name is accepted or refused as an argument, with no other result.
        #expect(
            ["done", "invalidArgument"].contains(HostileCall.result { _ = try store.series(long, kind: .discrete) }))
        #expect(store.snapshot().series(named: "none", labels: ["": ""]) == nil)
    }

    /// Columns that every append refuses.
    private var wrong: [(name: String, starts: [Int64], ends: [Int64], values: [Double])] {
        [
            ("NaN", [0], [0], [.nan]), ("infinite", [0], [0], [.infinity]), ("minus infinite", [0], [0], [-.infinity]),
            ("reversed", [1], [0], [1]), ("too early", [.min], [0], [1]), ("too late", [0], [.max], [1]),
            ("short values", [0, 1], [0, 1], [1]), ("short starts", [0], [0, 1], [1, 2]),
            ("short ends", [0, 1], [0], [1, 2]),
            ("no starts", [], [], [1]), ("one wrong of many", [0, 1, 2], [0, 1, 2], [1, .nan, 3]),
        ]
    }

    @Test("Every kind of append: invalid values, times and columns of different lengths")
    func columns() throws {
        let relaxed = try store.relaxed()
        let column = try relaxed.series(a)
        var calls: [HostileCall] = []
        for one in wrong {
            let (starts, ends, values) = (one.starts, one.ends, one.values)
            calls += [
                HostileCall("append: \(one.name)", "invalidSample") {
                    try store.append(to: a, starts: starts.span, ends: ends.span, values: values.span)
                },
                HostileCall("bulk load: \(one.name)", "invalidSample") {
                    _ = try store.bulkLoad(expecting: 3) {
                        try $0.append(to: a, starts: starts.span, ends: ends.span, values: values.span)
                    }
                },
                HostileCall("relaxed: \(one.name)", "invalidSample") {
                    _ = try relaxed.append(to: a, starts: starts.span, ends: ends.span, values: values.span)
                },
                HostileCall("relaxed column: \(one.name)", "invalidSample") {
                    _ = try column.append(starts: starts.span, ends: ends.span, values: values.span)
                },
            ]
        }
        HostileCall.check(calls)
        _ = try relaxed.flush()
        #expect(store.snapshot().count(of: a) == 100)
    }

    @Test("Every kind of append: invalid series, identities and settings, and closed stores")
    func appends() throws {
        let relaxed = try store.relaxed()
        let column = try relaxed.series(a)
        let one = [Int64(0)]
        let two = [1.0, 2.0]
        let sample = Sample(start: 0, value: 1)
        let identity = SampleIdentity(high: .min, low: .max)
        let calls = [
            HostileCall("append of points with columns of different lengths", "invalidSample") {
                try store.append(to: a, starts: one.span, values: two.span)
            },
            HostileCall("bulk load of such points", "invalidSample") {
                _ = try store.bulkLoad { try $0.append(to: a, starts: one.span, values: two.span) }
            },
            HostileCall("relaxed append of such points", "invalidSample") {
                _ = try relaxed.append(to: a, starts: one.span, values: two.span)
            },
            HostileCall("relaxed column of such points", "invalidSample") {
                _ = try column.append(starts: one.span, values: two.span)
            },
            HostileCall("append of a sample", "invalidSample") {
                try store.append(to: a, [Sample(start: 0, value: .nan)])
            },
            HostileCall("append of no samples", "done") { try store.append(to: a, []) },
            HostileCall("append to another store's series", "unknownSeries") {
                try store.append(to: stranger, [sample])
            },
            HostileCall("bulk load into a foreign series", "unknownSeries") {
                _ = try store.bulkLoad { try $0.append(to: stranger, starts: one.span, values: [1.0].span) }
            },
            HostileCall("bulk load of a series with another kind", "kindMismatch") {
                _ = try store.bulkLoad { _ = try $0.series("a", kind: .cumulative) }
            },
            HostileCall("bulk load that expects a negative count", "done") {
                _ = try store.bulkLoad(expecting: .min) { _ in }
            },
            HostileCall("bulk load that expects more than any disk holds", "diskFull") {
                _ = try store.bulkLoad(expecting: .max) { _ in }
            },
            HostileCall("relaxed append to a foreign series", "unknownSeries") { _ = try relaxed.series(stranger) },
            HostileCall("identities of another number", "invalidSample") {
                _ = try store.append(to: a, [sample], identities: [])
            },
            HostileCall("an identity twice", "identityTaken") {
                _ = try store.append(to: a, [sample, Sample(start: 0, value: 2)], identities: [identity, identity])
            },
            HostileCall("batches for another store's series", "unknownSeries") {
                _ = try store.append([IdentifiedSamples(series: stranger, samples: [sample], identities: [identity])])
            },
            HostileCall("no batches", "done") { _ = try store.append([IdentifiedSamples]()) },
        ]
        HostileCall.check(calls)
        _ = try relaxed.flush()
        #expect(store.snapshot().count(of: a) == 100)
    }

    @Test("Settings of relaxed appends, single samples and closed stores")
    func settings() async throws {
        let column = try store.relaxed().series(a)
        let sample = Sample(start: 0, value: 1)
        var calls = [
            HostileCall("append to a closed store", "closed") { try hostile.closed().append(to: a, [sample]) },
            HostileCall("bulk load of a closed store", "closed") { _ = try hostile.closed().bulkLoad { _ in } },
            HostileCall("relaxed appends of a closed store", "closed") { _ = try hostile.closed().relaxed() },
            HostileCall("an interval of zero", "invalidArgument") { _ = try store.relaxed(interval: .zero) },
            HostileCall("an unlimited interval", "invalidArgument") {
                _ = try store.relaxed(interval: .seconds(Int64.max))
            },
            HostileCall("a negative capacity", "invalidArgument") { _ = try store.relaxed(capacity: .min) },
            HostileCall("an unlimited capacity", "invalidArgument") { _ = try store.relaxed(capacity: .max) },
        ]
        let odd: [(Int64, Int64?, Double)] = [
            (.min, nil, 1), (0, .max, 1), (0, -1, 1), (0, nil, .nan), (0, nil, .infinity),
        ]
        for (start, end, value) in odd {
            calls.append(
                HostileCall("one relaxed sample", "invalidSample") {
                    _ = try column.append(start: start, end: end, value: value)
                })
        }
        HostileCall.check(calls)
        await #expect(throws: StoreError.self) { try await store.append(to: a, [Sample(start: 0, value: .nan)]) }
        #expect(store.snapshot().count(of: a) == 100)
    }

    @Test("Invalid anchors and sketches are refused; sketches accept any numbers")
    func bytes() throws {
        let good = store.currentAnchor().text
        for text in [
            "", good + "0", String(good.dropLast()), "\0", String(repeating: "A", count: 1_000_000),
            good.lowercased() + "x",
        ] {
            #expect(ChangeAnchor(text: text) == nil, "\(text.prefix(80))")
        }
        let other = try TestStore()
        let foreign = other.store.currentAnchor()
        #expect(HostileCall.result { _ = try store.changes(since: foreign) { _ in true } } == "invalidArgument")
        for capacity in [Int.min, -1, 0, .max] {
            var sketch = QuantileSketch(capacity: capacity)
            for value in [Double.nan, .infinity, -.infinity, 0, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
            {
                sketch.insert(value)
            }
            #expect(sketch.count == 6 && sketch.quantile(0) == -.infinity && sketch.quantile(1) == .infinity)
            #expect(
                sketch.quantile(.nan) == nil && sketch.quantile(-5) == -.infinity && sketch.quantile(5) == .infinity)
            #expect(sketch.quantiles([])?.isEmpty == true && sketch.quantiles([.nan, 0.5]) == nil)
            var twice = sketch
            twice.merge(sketch)
            #expect(twice.count == 12)
            let bytes = sketch.bytes
            #expect(try QuantileSketch(bytes: bytes) == sketch)
            for length in 0..<bytes.count {
                #expect(HostileCall.result { _ = try QuantileSketch(bytes: Array(bytes.prefix(length))) } == "corrupt")
            }
            for at in bytes.indices {
                var damaged = bytes
                damaged[at] ^= 0x80
                #expect(HostileCall.result { _ = try QuantileSketch(bytes: damaged) } == "corrupt")
            }
        }
        #expect(QuantileSketch().quantile(0.5) == nil)
    }

    @Test("Commits, observers and plain values accept any argument")
    func kept() async throws {
        for interval in [Duration.seconds(Int64.min), .zero, .seconds(Int64.max)] {
            for await number in store.commits(lookingEvery: interval) {
                #expect(number == store.snapshot().sequence)
                break
            }
            let reader = try TimeSeriesStore.open(at: hostile.bench.path, mode: .readOnly)
            for await _ in reader.commits(lookingEvery: interval) { break }
            reader.close()
        }
        var count = 0
        for await _ in try hostile.closed().commits() { count += 1 }
        #expect(count <= 1, "a closed store ends the sequence")
        let observation = store.observe { _ in }
        observation.end()
        for number in HostileCall.numbers {
            #expect(Sample(start: number, end: -number.magnitudeClamped, value: .nan).start == number)
            #expect(TimeRange(number, 0).start == number)
            #expect(SampleIdentity(high: number, low: number).low == number)
        }
        #expect(MergedSources(sources: [[], [a, a]], counting: []).series == [a, a])
        #expect(MergedSources([]).series.isEmpty)
        #expect(try store.snapshot().aggregate(of: MergedSources([])).count == 0)
        #expect(
            IdentifiedSamples(series: a, samples: [], identities: [SampleIdentity(high: 0, low: 0)]).identities.count
                == 1)
        #expect(AggregateOptions(rawValue: 255).contains(.all) && SampleSides(rawValue: 255).rawValue == 255)
    }
}

extension Int64 {
    /// The magnitude, clamped to the range of `Int64`.
    fileprivate var magnitudeClamped: Int64 { Int64(clamping: magnitude) }
}

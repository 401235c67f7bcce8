// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-7 E-8 E-9 hostile arguments: every public query of the engine")
struct HostileQueryTests {
    private let hostile: HostileBench
    private var store: TimeSeriesStore { hostile.store }
    private var a: SeriesID { hostile.a }
    private var total: SeriesID { hostile.total }
    private var stranger: SeriesID { hostile.stranger }

    init() throws { hostile = try HostileBench() }

    @Test("Every query accepts any range, limit, bound and bucket, or refuses it with an error")
    func queries() throws {
        let snapshot = store.snapshot()
        for number in [Int64.min, -1, 0, Int64.max] {
            let id = SeriesID(rawValue: number)
            #expect(id.rawValue == number)
            #expect(throws: StoreError.self) { try snapshot.aggregate(of: id) }
        }
        let ranges = HostileCall.numbers.flatMap { start in HostileCall.numbers.map { TimeRange(start, $0) } }
        for range in ranges {
            #expect(range.start <= range.end && !range.contains(range.end))
            let within = (0..<100).filter { range.contains(Int64($0) * second) }.count
            var (starts, values) = ([Int64](), [Double]())
            try snapshot.read(a, over: range, starts: &starts, values: &values)
            #expect(starts.count == within && values.count == within)
            var count = 0
            try snapshot.scan(a, over: range) { batch in
                count += batch.count
                return true
            }
            #expect(count == within)
            #expect(try snapshot.aggregate(of: a, over: range).count == within)
            #expect(
                try snapshot.aggregate(of: [a, a, total], over: range, computing: AggregateOptions(rawValue: 255)).count
                    >= within)
            #expect(try snapshot.aggregate(of: MergedSources([total]), over: range).count == within)
            #expect(try snapshot.sketch(of: [a], over: range, capacity: .min).count == within)
            #expect(try snapshot.quantiles(of: a, over: range, at: [0, 1]).values.count == (within == 0 ? 0 : 2))
            #expect(try snapshot.downsample(a, to: 3, over: range).count <= 3)
            #expect(try snapshot.envelope(of: a, points: 3, over: range).count <= 3)
        }
    }

    @Test("Limits of a scan and of a page of changes")
    func limits() throws {
        let snapshot = store.snapshot()
        for limit in [Int.min, -1, 0, 1, 99, .max] {
            var count = 0
            try snapshot.scan([a], order: .backward, limit: limit, including: SampleSides(rawValue: 255)) { batch in
                count += batch.count
                return true
            }
            #expect(count == max(0, min(limit, 100)), "limit \(limit)")
        }
        for limit in [Int.min, -1, 0, 1, .max] {
            var (anchor, found, pages) = (ChangeAnchor?.none, 0, 0)
            while pages < 1_000 {
                let page = try store.changes(of: [a], since: anchor, limit: limit) { batch in
                    found += batch.count
                    return true
                }
                (anchor, pages) = (page.anchor, pages + 1)
                if page.isComplete { break }
            }
            #expect(found == 100 && pages <= 101, "limit \(limit): \(found) samples in \(pages) pages")
        }
    }

    @Test("Every query refuses invalid buckets")
    func buckets() throws {
        let snapshot = store.snapshot()
        var calls: [HostileCall] = []
        let odd: [(Buckets, String)] = [
            (.fixed(nanoseconds: 0), "invalidArgument"), (.fixed(nanoseconds: -1), "invalidArgument"),
            (.fixed(nanoseconds: .min), "invalidArgument"), (.fixed(nanoseconds: 1), "invalidArgument"),
            (.fixed(nanoseconds: .max, anchor: .min), "done"), (.fixed(nanoseconds: .max, anchor: .max), "done"),
            (.calendar(.days(0), zone: "UTC"), "invalidArgument"),
            (.calendar(.days(.min), zone: "UTC"), "invalidArgument"),
            (.calendar(.days(1), zone: "Mars/Olympus"), "invalidArgument"),
            (.calendar(.days(1), zone: ""), "invalidArgument"),
            (.calendar(.days(1), zone: "UTC\0"), "invalidArgument"),
            (.calendar(.months(-1), zone: "UTC"), "invalidArgument"),
            (.calendar(.days(1), zone: String(repeating: "x", count: 1_000_000)), "invalidArgument"),
            (.calendar(.days(1), zone: "../../etc/passwd"), "invalidArgument"),
            (.edges([1, 0]), "invalidArgument"), (.edges([0, 0]), "invalidArgument"), (.edges([]), "done"),
            (.edges([5]), "done"), (.edges([.min, .max]), "done"),
        ]
        for (buckets, expected) in odd {
            let name = String("\(buckets)".prefix(60))
            calls += [
                HostileCall("buckets \(name)", expected) { _ = try snapshot.buckets(of: a, buckets) },
                HostileCall("buckets of several \(name)", expected) {
                    _ = try snapshot.buckets(of: [a, total], buckets)
                },
                HostileCall("merged buckets \(name)", expected) {
                    _ = try snapshot.buckets(of: MergedSources([total]), buckets)
                },
                HostileCall("quantiles \(name)", expected) { _ = try snapshot.quantiles(of: a, buckets, at: [0.5]) },
                HostileCall("quantiles of several \(name)", expected) {
                    _ = try snapshot.quantiles(of: [a], buckets, at: [0.5])
                },
                HostileCall("envelope \(name)", expected) { _ = try snapshot.envelope(of: a, buckets) },
                HostileCall("grouped buckets \(name)", expected) {
                    _ = try snapshot.buckets(of: snapshot.groups(of: [a], by: []), buckets)
                },
                HostileCall("live buckets \(name)", expected) {
                    var live = LiveBuckets(of: [a], buckets)
                    _ = try live.update(to: snapshot)
                },
            ]
        }
        HostileCall.check(calls)
    }

    @Test("Invalid calendar steps, point counts and probabilities are refused")
    func steps() throws {
        let snapshot = store.snapshot()
        var calls: [HostileCall] = []
        for unit: CalendarUnit in [
            .minutes(.max), .hours(.max), .days(.max), .weeks(.max), .months(.max), .years(.max),
        ] {
            for anchor in HostileCall.numbers {
                calls.append(
                    HostileCall("\(unit) from \(anchor)", "invalidArgument") {
                        _ = try snapshot.buckets(of: a, .calendar(unit, anchor: anchor, zone: "UTC"))
                    })
            }
        }
        for points in [Int.min, -1, 0, .max] {
            calls += [
                HostileCall("downsample to \(points)", "invalidArgument") {
                    _ = try snapshot.downsample([a], to: points)
                },
                HostileCall("envelope of \(points)", "invalidArgument") {
                    _ = try snapshot.envelope(of: [a], points: points)
                },
            ]
        }
        for probability in [Double.nan, -0.1, 1.1, .infinity] {
            calls.append(
                HostileCall("a probability of \(probability)", "invalidArgument") {
                    _ = try snapshot.quantiles(of: [a], at: [0.5, probability])
                })
        }
        HostileCall.check(calls)
    }

    @Test("Series of another store, unknown commits and closed stores are refused")
    func strangers() throws {
        let snapshot = store.snapshot()
        var (starts, values) = ([Int64](), [Double]())
        let known: [SeriesID] = [a, stranger]
        let group = [SeriesGroup(labels: [:], series: [stranger])]
        HostileCall.check([
            HostileCall("scan", "unknownSeries") { try snapshot.scan(stranger) { _ in true } },
            HostileCall("scan of several", "unknownSeries") { try snapshot.scan(known) { _ in true } },
            HostileCall("read", "unknownSeries") { try snapshot.read(stranger, starts: &starts, values: &values) },
            HostileCall("aggregate", "unknownSeries") { _ = try snapshot.aggregate(of: known) },
            HostileCall("buckets", "unknownSeries") { _ = try snapshot.buckets(of: known, .fixed(nanoseconds: hour)) },
            HostileCall("merged", "unknownSeries") {
                _ = try snapshot.aggregate(of: MergedSources([total, stranger]))
            },
            HostileCall("quantiles", "unknownSeries") { _ = try snapshot.quantiles(of: known, at: [0.5]) },
            HostileCall("sketch", "unknownSeries") { _ = try snapshot.sketch(of: known) },
            HostileCall("envelope", "unknownSeries") { _ = try snapshot.envelope(of: known, points: 5) },
            HostileCall("downsample", "unknownSeries") { _ = try snapshot.downsample(known, to: 5) },
            HostileCall("groups", "unknownSeries") { _ = try snapshot.groups(of: known, by: ["", "k"]) },
            HostileCall("aggregates", "unknownSeries") { _ = try snapshot.aggregates(of: group) },
            HostileCall("grouped buckets", "unknownSeries") {
                _ = try snapshot.buckets(of: group, .fixed(nanoseconds: hour))
            },
            HostileCall("extent", "done") {
                let extent = try snapshot.extent(of: stranger)
                #expect(extent == nil)
            },
            HostileCall("mostRecent", "done") {
                let latest = try snapshot.mostRecent(of: stranger)
                #expect(latest == nil)
            },
            HostileCall("live buckets", "unknownSeries") {
                var live = LiveBuckets(of: known, .fixed(nanoseconds: hour))
                _ = try live.update(to: snapshot)
            },
            HostileCall("changes", "unknownSeries") { _ = try store.changes(of: known, since: nil) { _ in true } },
            HostileCall("delete", "unknownSeries") { _ = try store.delete(from: stranger) },
            HostileCall("delete identities", "unknownSeries") { _ = try store.delete([], from: stranger) },
            HostileCall("delete by predicate", "unknownSeries") { _ = try store.delete(from: stranger) { _ in true } },
            HostileCall("retain", "unknownSeries") { _ = try store.retain(.count(1), in: stranger) },
            HostileCall("retain a negative count", "invalidArgument") { _ = try store.retain(.count(.min), in: a) },
            HostileCall("retain a negative age", "invalidArgument") {
                _ = try store.retain(.age(nanoseconds: .min, now: 0), in: a)
            },
            HostileCall("retain by an impossible clock", "invalidArgument") {
                _ = try store.retain(.age(nanoseconds: 0, now: .max), in: a, force: true)
            },
            HostileCall("a commit in the future", "invalidArgument") { _ = try store.snapshot(asOf: .max) },
            HostileCall("a negative commit", "invalidArgument") { _ = try store.snapshot(asOf: .min) },
            HostileCall("delete from a closed store", "closed") { _ = try hostile.closed().delete(from: a) },
            HostileCall("compact a closed store", "closed") { _ = try hostile.closed().compact() },
            HostileCall("back up a closed store", "closed") {
                _ = try hostile.closed().backup(to: hostile.bench.directory.file("backup"))
            },
            HostileCall("a snapshot of a closed store", "closed") { _ = try hostile.closed().snapshot(asOf: 0) },
            HostileCall("changes of a closed store", "closed") {
                _ = try hostile.closed().changes(since: nil) { _ in true }
            },
            HostileCall("compact, cancelled by its closure", "done") { _ = try store.compact { _ in false } },
        ])
        #expect(snapshot.count(of: stranger) == 0)
        for start in HostileCall.numbers {
            for end in HostileCall.numbers where !TimeRange(start, end).contains(0) {
                _ = try store.delete(
                    [SampleIdentity(high: start, low: end)], from: a, startingIn: TimeRange(start, end))
            }
        }
        #expect(store.snapshot().count(of: a) == 100)
    }

    @Test("An index outside a table or batch stops the program, as with an array")
    func outside() async {
        await #expect(processExitsWith: .failure) {
            let bench = try TestStore()
            let id = try bench.store.series("a", kind: .discrete).id
            try bench.store.append([Sample(start: 0, value: 1)], to: id)
            let table = try bench.store.snapshot().buckets(of: id, .fixed(nanoseconds: hour))
            _ = table[table.count]
        }
        await #expect(processExitsWith: .failure) {
            let bench = try TestStore()
            let id = try bench.store.series("a", kind: .discrete).id
            try bench.store.append((0..<50).map { Sample(start: $0, value: 1) }, to: id)
            try bench.store.snapshot().scan(id, over: TimeRange(10, 20)) { batch in
                _ = batch[batch.count]
                return true
            }
        }
        await #expect(processExitsWith: .failure) {
            let bench = try TestStore()
            let id = try bench.store.series("a", kind: .discrete).id
            try bench.store.append((0..<50).map { Sample(start: $0, value: 1) }, to: id)
            try bench.store.snapshot().scan(id, over: TimeRange(10, 20), including: [.identity, .born]) { batch in
                _ = (batch.identity(at: -1), batch.born(at: -1))
                return true
            }
        }
        #expect(throws: Never.self) {
            try store.snapshot().scan(a) { batch in
                batch.withColumns { starts, ends, values in
                    #expect(starts.count == batch.count && ends.count == batch.count && values.count == batch.count)
                }
                return true
            }
        }
    }
}

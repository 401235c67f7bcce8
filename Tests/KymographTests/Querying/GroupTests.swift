// SPDX-License-Identifier: Apache-2.0

import Campaigns
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-10 many series as one, and groups by label")
struct GroupTests {
    /// Returns a store with pulses of subjects in two studies, some without a study.
    private func stored() throws -> (test: TestStore, series: [(series: Series, oracle: Oracle)]) {
        var random = SeededGenerator(seed: 31)
        let test = try TestStore()
        var all = [(series: Series, oracle: Oracle)]()
        for i in 0..<30 {
            var labels = ["subject": "\(i)"]
            if i % 3 > 0 { labels["study"] = i % 3 == 1 ? "A" : "B" }
            if i % 2 == 0 { labels["arm"] = "x" }
            let one = try test.store.series("pulse", labels: labels, kind: .discrete)
            var oracle = Oracle(kind: .discrete)
            oracle.append(
                (0..<200).map { place in
                    Sample(
                        start: Int64(place) * 300 * second + Int64(i), value: Double(random.below(4_000)) / 16)
                })
            try test.store.append(oracle.samples, to: one.id)
            all.append((one, oracle))
        }
        _ = try test.store.series("steps", labels: ["study": "A"], kind: .cumulative)
        return (test, all)
    }

    @Test("Series are found by name and labels and grouped by label values, first those without the label")
    func groups() throws {
        let (test, _) = try stored()
        let snapshot = test.store.snapshot()
        #expect(snapshot.allSeries(named: "pulse").count == 30)
        #expect(snapshot.allSeries(named: "pulse", having: ["study": "A"]).count == 10)
        #expect(snapshot.allSeries(named: "pulse", having: ["study": "A", "arm": "x"]).count == 5)
        #expect(snapshot.allSeries(named: "sleep").isEmpty)
        let ids = snapshot.allSeries(named: "pulse").map(\.id)
        let groups = try snapshot.groups(of: ids + ids, by: ["study", "arm"])
        #expect(
            groups.map(\.labels) == [
                [:], ["arm": "x"], ["study": "A"], ["study": "A", "arm": "x"], ["study": "B"],
                ["study": "B", "arm": "x"],
            ])
        #expect(groups.map(\.series.count) == [5, 5, 5, 5, 5, 5])
        #expect(try snapshot.groups(of: ids, by: []).map(\.series) == [ids])
        #expect(throws: StoreError.self) { _ = try snapshot.groups(of: [SeriesID(rawValue: 99)], by: []) }
    }

    @Test("A group's buckets equal those of its combined samples, and all groups have the same buckets")
    func buckets() throws {
        let (test, all) = try stored()
        let snapshot = test.store.snapshot()
        let groups = try snapshot.groups(of: all.map(\.series.id), by: ["study"])
        let tables = try snapshot.buckets(of: groups, .fixed(nanoseconds: hour))
        let whole = try snapshot.aggregates(of: groups)
        #expect(tables.count == 3 && Set(tables.map(\.count)).count == 1)
        for (group, (table, total)) in zip(groups, zip(tables, whole)) {
            var together = Oracle(kind: .discrete)
            for one in all where group.series.contains(one.series.id) { together.append(one.oracle.samples) }
            let edges = table.map(\.start) + [table[table.count - 1].end]
            for (a, b) in zip(table, together.buckets(edges)) { expectEqual(a, b, "\(group.labels)") }
            #expect(total.count == together.samples.count)
            #expect(total.sum == Oracle.exactSum(together.samples.map(\.value)))
        }
        #expect(try snapshot.buckets(of: [SeriesGroup](), .fixed(nanoseconds: hour)).isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kymograph
import Testing

/// The example of the engine in `README.md`. The lines between the marks are those of the page.
@Suite("E-1, E-2, E-3, E-4, E-8, E-9 the README's example of the engine")
struct ReadmeExampleTests {
    @Test("loads three days of minutes, appends one sample and prints three days")
    func example() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        // From 2026-01-01 to 2026-01-04, midnight in Zurich.
        let (from, to): (Int64, Int64) = (1_767_222_000_000_000_000, 1_767_481_200_000_000_000)
        let times = Array(stride(from: from, to: to - 60_000_000_000, by: 60_000_000_000))
        let values = times.indices.map { Double(60 + $0 % 20) }

        // example readme-engine begins
        let store = try TimeSeriesStore.openOrCreate(at: path)
        let pulse = try store.series("pulse", labels: ["subject": "7"], kind: .discrete)
        try store.bulkLoad { loader in  // arrays of nanoseconds since 1970 and of Doubles
            try loader.append(to: pulse.id, starts: times.span, values: values.span)
        }
        let (time, value) = ([to - 60_000_000_000], [71.0])
        try store.append(to: pulse.id, starts: time.span, values: value.span)  // durable when it returns

        let snapshot = store.snapshot()  // one commit; later writes do not change it
        let days = Buckets.calendar(.days(1), anchor: 0, zone: "Europe/Zurich")
        for day in try snapshot.buckets(of: pulse.id, days, over: TimeRange(from, to)) {
            print(day.start, day.count, day.average ?? .nan)
        }
        let whole = try snapshot.aggregate(of: pulse.id)
        store.close()
        // example readme-engine ends

        #expect(whole.count == 3 * 1_440)
        #expect(whole.sum == values.reduce(0, +) + 71)
        let table = try snapshot.buckets(of: pulse.id, days, over: TimeRange(from, to))
        #expect(table.map(\.count) == [1_440, 1_440, 1_440])
        #expect(table.map(\.start) == [from, from + 86_400_000_000_000, from + 2 * 86_400_000_000_000])
        #expect(table.last?.last == Sample(start: time[0], value: 71))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kymograph
import Testing

/// The example of `Docs/Internals/Accuracy.md`. A test in TidyTests compares the lines between the marks with the page.
@Suite("E-8, E-11 the example of the page about accuracy")
struct AccuracyExampleTests {
    @Test("sums 99,999 decimals, takes exact quartiles, and reduces the series to an outline and a line")
    func example() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("accuracy-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let times = (0..<99_999).map { Int64($0) * 1_000_000_000 }
        let values = times.indices.map { [0.1, 0.2, 0.3][$0 % 3] }

        // example accuracy begins
        let store = try TimeSeriesStore.openOrCreate(at: path)
        let level = try store.series("level", kind: .discrete)
        try store.append(to: level.id, starts: times.span, values: values.span)  // 0.1, 0.2, 0.3, 0.1, ...

        let snapshot = store.snapshot()
        let sum = try snapshot.aggregate(of: level.id).sum  // 19999.8; a plain loop gives 19999.799999998242
        let quartiles = try snapshot.quantiles(of: level.id, at: [0.25, 0.5, 0.75])
        print(quartiles.values, quartiles.relativeError)  // [0.1, 0.2, 0.3] 0.0: exact
        let outline = try snapshot.envelope(of: level.id, points: 100)  // each: first, last, least, greatest sample
        let line = try snapshot.downsample(level.id, to: 100)  // keeps the shape
        store.close()
        // example accuracy ends

        #expect(sum == 19_999.8 && values.reduce(0, +) == 19_999.799999998242)
        #expect(quartiles.values == [0.1, 0.2, 0.3] && quartiles.relativeError == 0)
        #expect(outline.count == 100 && outline.allSatisfy { $0.min?.value == 0.1 && $0.max?.value == 0.3 })
        #expect(line.count == 100 && line.first == Sample(start: 0, value: 0.1) && line.last?.start == times.last)
    }
}

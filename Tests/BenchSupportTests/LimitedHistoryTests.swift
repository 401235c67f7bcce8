// SPDX-License-Identifier: Apache-2.0

import BenchSupport
import TestSupport
import Testing

@Suite("S-54 a store of seven days beside an archive")
struct LimitedHistoryTests {
    @Test("At 1 Hz the store does not grow after its days, and the archive has every sample")
    func month() async throws {
        let directory = try TemporaryDirectory()
        var bounds = HistoryBenchmark.Bounds()
        bounds.days = 30
        // Checks the numbers and sums of both stores, too.
        let rows = try await HistoryBenchmark(work: directory.path, bounds).run()
        let last = try #require(rows.first { $0.mode == "last-day" })
        #expect(try #require(last.ratio) < 1.1, "\(rows)")
        #expect(rows.contains { $0.mode == "archive" && $0.samples == 30 * 86_400 })
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kymograph
import Testing

/// The example of `Docs/Operations/Metrics.md`, run. A test in TidyTests compares the lines between the marks with the
/// page.
@Suite("E-17 the example of the page about metrics")
struct MetricsExampleTests {
    @Test("a store counts the commits and samples of a load")
    func counters() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("metrics-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try TimeSeriesStore.create(at: path)
        let pulse = try store.series("pulse", kind: .discrete)
        let times = (0..<1_000).map { Int64($0) * 1_000_000_000 }
        let values = times.indices.map { Double(60 + $0 % 20) }

        // example metrics begins
        let observation = store.observe { event in
            if case .loaded(let samples, let commit, _) = event.what { print(samples, "samples in commit", commit) }
        }
        try store.bulkLoad { loader in
            try loader.append(to: pulse.id, starts: times.span, values: values.span)
        }
        let now = store.counters
        print(now.commits, "commits", now.samplesLoaded, "samples loaded", try store.info().bytes, "bytes on disk")
        store.close()  // returns when all events are delivered
        observation.end()
        // example metrics ends

        #expect(now.samplesLoaded == 1_000 && now.samplesAppended == 0)
        #expect(now.commits == 2)
    }
}

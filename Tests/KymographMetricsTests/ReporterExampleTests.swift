// SPDX-License-Identifier: Apache-2.0

import Kymograph
import KymographMetrics
import Logging
import TestSupport
import Testing

/// The example of `Docs/Operations/Metrics.md`.
@Suite("E-17 the example of the page about the metrics reporter")
struct ReporterExampleTests {
    @Test("a task publishes the metrics of a store until it is cancelled")
    func reporter() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        try TimeSeriesStore.create(at: path).close()

        // example reporter begins
        let store = try TimeSeriesStore.open(at: path, options: StoreOptions().logging(to: Logger(label: "store")))
        let reporter = MetricsReporter(store)
        let task = Task { await reporter.run(every: .seconds(10)) }
        // example reporter ends

        task.cancel()
        await task.value
        #expect(store.counters.eventsLost == 0)
        store.close()
    }
}

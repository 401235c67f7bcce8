// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Foundation
import Kymograph
import Logging
import MetricsTestKit
import TestSupport
import Testing

@testable import KymographMetrics

@Suite("E-17 hostile arguments of every public function of the metrics")
struct HostileMetricsTests {
    @Test("any name, dimension, period and logger is accepted, also for a closed store")
    func metrics() async throws {
        let watched = try WatchedStore()
        for prefix in ["", "\0", "\u{9B}\u{202E}", String(repeating: "x", count: 100_000)] {
            let reporter = MetricsReporter(
                watched.store, prefix: prefix, dimensions: [("", ""), (prefix, prefix)], factory: TestMetrics())
            reporter.publish()
            let task = Task { await reporter.run(every: .seconds(Int64.min)) }
            task.cancel()
            await task.value
            let other = MetricsReporter(watched.store, prefix: prefix)
            other.publish()
            let logger = Logger(label: prefix) { _ in SwiftLogNoOpLogHandler() }
            watched.store.logging(to: logger).end()
            #expect(StoreOptions().logging(to: logger).logging(to: logger).observer != nil)
        }
        let reporter = MetricsReporter(watched.store, factory: TestMetrics())
        watched.store.close()
        reporter.publish()
    }
}

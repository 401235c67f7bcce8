// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import Kymograph
internal import Synchronization

/// A reporter of a store's counters, gauges and timers to swift-metrics. `Docs/Operations/Metrics.md` lists them.
///
/// Counters and gauges are current as of the last `publish`, which `run` calls periodically. A timer is recorded when
/// the measured operation ends, from the creation of the reporter on. Create one reporter per opened store: a second
/// one counts everything twice.
public final class MetricsReporter: Sendable {
    private let store: TimeSeriesStore
    private let instruments: Instruments
    /// The counters of the last publication; nil before the first.
    private let last = Mutex<StoreCounters?>(nil)
    private let observation: StoreObservation

    /// Creates a reporter that publishes to the program's metrics system.
    ///
    /// - Parameters:
    ///   - prefix: the start of every name, followed by `_`.
    ///   - dimensions: added to every metric; for example the store's name if the program has several stores.
    public convenience init(
        _ store: TimeSeriesStore, prefix: String = "kymograph", dimensions: [(String, String)] = []
    ) {
        self.init(store, prefix: prefix, dimensions: dimensions, factory: MetricsSystem.factory)
    }

    /// Creates a reporter that publishes to the given metrics factory.
    public init(
        _ store: TimeSeriesStore, prefix: String = "kymograph", dimensions: [(String, String)] = [],
        factory: any MetricsFactory
    ) {
        let instruments = Instruments(prefix, dimensions, factory)
        self.store = store
        self.instruments = instruments
        observation = store.observe { instruments.record($0) }
    }

    /// Publishes all counters and gauges; after the store is closed, only the counters.
    ///
    /// Takes some microseconds, and for the gauges of sizes the time of `TimeSeriesStore.info()`, which may wait for a
    /// commit. Any number of threads may call this.
    public func publish() {
        last.withLock { last in
            let now = store.counters
            instruments.count(now, since: last)
            last = now
        }
        if let info = try? store.info() { instruments.gauge(info) }
    }

    /// Publishes periodically until the task is cancelled, and once more on cancellation.
    ///
    /// - Parameter period: the time between two publications.
    public func run(every period: Duration = .seconds(10)) async {
        while !Task.isCancelled {
            publish()
            // A cancelled sleep ends at once.
            try? await Task.sleep(for: period)
        }
        publish()
    }
}

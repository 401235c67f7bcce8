// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import Kymograph
internal import Synchronization

/// Publishes a store's counters, gauges and timers to swift-metrics. `Docs/Metrics.md` lists them.
///
/// Counters and gauges are as of the last `publish`, which `run` calls periodically; timers are recorded when what they
/// measure ends, from the making of the reporter on. One reporter for each opening: a second one counts everything
/// twice.
public final class MetricsReporter: Sendable {
    private let store: TimeSeriesStore
    private let instruments: Instruments
    /// What was published last; nil before.
    private let last = Mutex<StoreCounters?>(nil)
    private let observation: StoreObservation

    /// A reporter of a store, to the metrics system of the program.
    ///
    /// - Parameters:
    ///   - prefix: what every name begins with, followed by `_`.
    ///   - dimensions: given to everything; of programs with several stores the store's name, for example.
    public convenience init(
        _ store: TimeSeriesStore, prefix: String = "kymograph", dimensions: [(String, String)] = []
    ) {
        self.init(store, prefix: prefix, dimensions: dimensions, factory: MetricsSystem.factory)
    }

    /// A reporter of a store, to a metrics factory of its own.
    public init(
        _ store: TimeSeriesStore, prefix: String = "kymograph", dimensions: [(String, String)] = [],
        factory: any MetricsFactory
    ) {
        let instruments = Instruments(prefix, dimensions, factory)
        self.store = store
        self.instruments = instruments
        observation = store.observe { instruments.record($0) }
    }

    /// Publishes all counters and gauges as they are now; once the store is closed, only what it counted.
    ///
    /// Any number of threads may call this. Some microseconds, and for the gauges of sizes the time of
    /// `TimeSeriesStore.info()`, which may wait for a commit.
    public func publish() {
        last.withLock { last in
            let now = store.counters
            instruments.count(now, since: last)
            last = now
        }
        if let info = try? store.info() { instruments.gauge(info) }
    }

    /// Publishes periodically, and a last time when the task is cancelled, which is how it ends.
    ///
    /// - Parameter period: from a publication to the next one.
    public func run(every period: Duration = .seconds(10)) async {
        while !Task.isCancelled {
            publish()
            // A sleep that is cancelled ends at once.
            try? await Task.sleep(for: period)
        }
        publish()
    }
}

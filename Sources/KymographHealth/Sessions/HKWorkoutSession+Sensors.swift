// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Synchronization

// The sources of a session, and the data that they deliver.
extension HKWorkoutSession {
    /// The maximum number of deliveries that wait for the store. Further deliveries are dropped.
    private static let mostWaiting = 100_000

    /// Starts the sources of the store once, and returns them.
    func startSources() -> [any SampleSource] {
        let known = link.withLock { $0.sources }
        guard known.isEmpty, core.state.state.isActive, let store = try? core.health.store() else { return known }
        let sources = SampleSources.all(store.path)
        if sources.isEmpty { return [] }
        link.withLock { $0.sources = sources }
        core.use(clockOf: sources[0])
        let receiver = SampleReceiver(HKWorkoutConfiguration(core.state.configuration)) { [weak self] delivery in
            self?.take(delivery)
        }
        for source in sources { source.start(receiver) }
        return sources
    }

    /// Starts the sources of a recovered session, and follows other programs.
    func resumeSources(_ store: HealthStore) {
        follow(store)
        let state = core.state
        for source in startSources() { source.update(state.state, HKWorkoutConfiguration(state.activity)) }
    }

    private func take(_ delivery: SampleReceiver.Delivery) {
        if case .samples(let samples) = delivery { link.withLock { $0.recovery }?.take(samples) }
        link.withLock { link in if link.waiting.count < Self.mostWaiting { link.waiting.append(delivery) } }
        // After an error the delivery waits.
        try? deliverWaiting()
    }

    /// Adds the waiting deliveries to the workout, in order. If the store cannot be written, the rest continues to
    /// wait. A delivery that does not belong to the workout is dropped.
    ///
    /// - Throws: `errorDatabaseInaccessible` if deliveries continue to wait.
    func deliverWaiting() throws(HKError) {
        try deliveries.withLock { _ throws(HKError) in
            let all = link.withLock { link in
                defer { link.waiting = [] }
                return link.waiting
            }
            for (place, next) in all.enumerated() {
                do throws(HKError) { try add(next) } catch {
                    if error.code != .errorDatabaseInaccessible { continue }
                    link.withLock { $0.waiting = Array(all[place...]) + $0.waiting }
                    throw error
                }
            }
        }
    }

    private func add(_ delivery: SampleReceiver.Delivery) throws(HKError) {
        switch delivery {
        case .samples(let samples): try builder.collect(samples, isSaving: true)
        case .locations(let locations): try builder.collect(locations)
        case .event(let event):
            // The date decides, not the present state: the event may have waited for the store.
            let state = core.state
            guard let start = state.start, event.start >= start, event.end <= state.end ?? .distantFuture else {
                return
            }
            if core.collectsEvents { try builder.collect(event) }
            core.calls.async { [self] in delegate?.workoutSession(self, didGenerate: event) }
        }
    }

    /// Stops the sources after the recovery of the heart is recorded.
    func endSources() {
        let (sources, isEnding) = link.withLock { ($0.sources, $0.recovery != nil) }
        if sources.isEmpty || isEnding { return }
        let recovery = CardioRecovery(self, builder) { [self] in
            let sources = link.withLock { link in
                defer { link.sources = [] }
                link.recovery = nil
                return link.sources
            }
            for source in sources { source.stop() }
        }
        link.withLock { $0.recovery = recovery }
        recovery.start()
    }
}

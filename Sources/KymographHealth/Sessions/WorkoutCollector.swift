// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Synchronization

/// Collects the samples of a live workout that its program saves, in this process or another one.
final class WorkoutCollector: Sendable {
    private let parts: [SampleSearch.Part]
    private let take: @Sendable ([HKSample]) throws -> Void
    private let lifecycle = QueryLifecycle()
    private let last = Mutex(FeedPosition())

    /// Creates a collector.
    ///
    /// - Parameter start: the start of the collection. Earlier samples do not belong to the workout.
    init(_ builder: HKLiveWorkoutBuilder, _ source: HKLiveWorkoutDataSource, from start: Date) {
        let own = SamplePredicate.and([
            .sources([builder.store.revision.source]), .time(start: start, end: nil, options: .strictStartDate),
        ])
        parts = source.typesToCollect.map { SampleSearch.Part(type: $0, predicate: own) }
        take = { [weak builder] samples in
            let quantities = samples.compactMap { $0 as? HKQuantitySample }
            if !quantities.isEmpty { try builder?.collect(quantities, isSaving: false) }
        }
    }

    /// Collects the saved samples, and then the new samples of each commit, until `stop`.
    func start(_ health: HKHealthStore) {
        BlockingQueue.run { [self] in
            guard let store = try? health.store(), !lifecycle.isStopped else { return }
            // Read before the search: a sample that is saved in between is found twice, and no sample is missed.
            guard let position = try? store.feedPosition() else { return }
            let first = Mutex<FeedPosition?>(position)
            do {
                try store.search(SampleSearch(parts)) { batch in
                    try take(batch.samples)
                    return !lifecycle.isStopped
                }
            } catch {
                // The next commit collects all samples again.
                first.withLock { $0 = FeedPosition() }
            }
            follow(store, first.withLock { $0 } ?? position)
        }
    }

    private func follow(_ store: HealthStore, _ position: FeedPosition) {
        last.withLock { $0 = position }
        let task = Task { [self] in
            for await _ in store.engine.commits() where !lifecycle.isStopped {
                try? await BlockingQueue.result { [self] () throws(HKError) in
                    try HKError.converting { try step(store) }
                }
            }
        }
        lifecycle.whenStopped { task.cancel() }
    }

    /// Collects the samples of the commits since the last step.
    private func step(_ store: HealthStore) throws {
        let page = try store.feed(parts, since: last.withLock { $0 }, lifecycle)
        // After an error the next commit repeats the step.
        if !lifecycle.isStopped, !page.added.isEmpty { try take(page.added) }
        last.withLock { $0 = page.position }
    }

    func stop() { lifecycle.stop() }
}

// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Dispatch
import Synchronization

/// The threads of a store that commit and seal for tasks, which must not wait for a disk.
struct CommitThreads: Sendable {
    fileprivate let committing = DispatchQueue(label: "kymograph.commit", qos: .userInitiated)
    /// For appends that become segments of their own.
    fileprivate let loading = DispatchQueue(label: "kymograph.load", qos: .userInitiated)
    fileprivate let sealing = DispatchQueue(label: "kymograph.tidy", qos: .utility)
    /// True while a thread seals.
    fileprivate let isSealing = Flag()

    fileprivate final class Flag: Sendable { let value = Atomic(false) }
}

// Appends of tasks.
extension GroupCommitter {
    /// Appends samples without blocking a thread of the caller. See `TimeSeriesStore.append(to:_:)`.
    func append(to id: SeriesID, _ samples: [Sample]) async throws(StoreError) -> CommitReceipt {
        let batches = [(series: id, rows: try SampleRows(samples))]
        try context.requireSeries(batches)
        if samples.isEmpty || samples.count > context.options.largeAppend {
            let result = await withCheckedContinuation { waiting in
                threads.loading.async {
                    waiting.resume(returning: Result { () throws(StoreError) in try self.append(batches) })
                }
            }
            return try result.get()
        }
        let draft = try context.draft(batches)
        let result = await withCheckedContinuation { waiting in
            if queue.enter(draft, { waiting.resume(returning: $0) }) { leadForTasks() }
        }
        return try result.get()
    }

    /// Commits on a thread of the store until a waiting thread leads, or no write waits.
    func leadForTasks() {
        threads.committing.async {
            var isLeft = true
            while isLeft {
                let group = self.commitGroup()
                group.notifyCallers(from: 0)
                isLeft = group.isLeft
                self.sealBeside()
            }
        }
    }

    /// Seals and compacts on another thread. Waits for that thread only if the tail has grown far beyond the sealing
    /// limit.
    private func sealBeside() {
        guard sealer.isDue else { return }
        guard threads.isSealing.value.exchange(true, ordering: .acquiringAndReleasing) == false else {
            return sealer.waitIfBehind()
        }
        threads.sealing.async {
            self.sealAndCompact()
            self.threads.isSealing.value.store(false, ordering: .releasing)
        }
    }
}

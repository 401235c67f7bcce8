// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Dispatch
import Synchronization

/// The threads of a store that commit, and tidy up, for tasks: these must not wait for a disk.
struct CommitThreads: Sendable {
    fileprivate let committing = DispatchQueue(label: "kymograph.commit", qos: .userInitiated)
    /// For appends that are segments of their own.
    fileprivate let loading = DispatchQueue(label: "kymograph.load", qos: .userInitiated)
    fileprivate let tidying = DispatchQueue(label: "kymograph.tidy", qos: .utility)
    /// Whether somebody tidies up already.
    fileprivate let isTidying: Counted = Counted()

    fileprivate final class Counted: Sendable { let value = Atomic(false) }
}

extension TimeSeriesStore {
    /// Appends samples to a series, in any order, durably, without keeping a thread while the disk is at work: when
    /// this returns, they are on the disk and new snapshots show them, all or none.
    ///
    /// Many tasks that append at once share commits; this is the fastest way for many producers. A task that is
    /// cancelled meanwhile waits all the same, and its samples are stored.
    /// - Throws: as `append(to:starts:ends:values:)`.
    /// - Complexity: one commit of the catalog; many samples go into a segment of their own.
    @discardableResult
    public func append(to id: SeriesID, _ samples: [Sample]) async throws(StoreError) -> CommitReceipt {
        let batches = [(series: id, rows: try SampleRows(samples))]
        try checkSeries(batches)
        if samples.isEmpty || samples.count > options.largeAppend {
            let result = await withCheckedContinuation { waiting in
                threads.loading.async {
                    waiting.resume(returning: Result { () throws(StoreError) in try self.append(batches) })
                }
            }
            return try result.get()
        }
        let draft = try draft(batches)
        let result = await withCheckedContinuation { waiting in
            if queue.enter(draft, { waiting.resume(returning: $0) }) { leadForTasks() }
        }
        return try result.get()
    }

    /// Has a thread of the store commit what waits, until a thread that waits itself leads, or nobody waits.
    func leadForTasks() {
        threads.committing.async {
            var isLeft = true
            while isLeft {
                let group = self.commitGroup()
                group.tellAll(from: 0)
                isLeft = group.isLeft
                self.tidyUpBeside()
            }
        }
    }

    /// Tidies up on another thread; who commits waits for it only if it is left behind.
    private func tidyUpBeside() {
        guard needsSealing else { return }
        guard threads.isTidying.value.exchange(true, ordering: .acquiringAndReleasing) == false else {
            return waitForSealing()
        }
        threads.tidying.async {
            self.tidyUp()
            self.threads.isTidying.value.store(false, ordering: .releasing)
        }
    }
}

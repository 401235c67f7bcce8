// SPDX-License-Identifier: Apache-2.0

import Synchronization

// Merges that begin by themselves.
extension TimeSeriesStore {
    /// After a commit that brought a segment: begins in the background what is due.
    func compactWhatIsDue() {
        guard options.compacts else { return }
        let (commit, segments) = published.withLock { ($0.seq, $0.segments.count) }
        guard segments > 0 else { return }
        compaction.schedule(at: commit) { [weak self] in self?.compactInBackground() }
    }

    /// Makes all merges that are due, in this thread.
    @discardableResult
    package func compactDue() throws(StoreError) -> CompactionReport {
        var report = CompactionReport()
        while !compaction.isStopped, try compactOnce(.due, nil, &report) != nil {}
        return report
    }

    private func compactInBackground() {
        var failure: StoreError?
        do throws(StoreError) {
            try compactDue()
        } catch {
            // Another process that writes for long is no damage.
            if ![.cancelled, .closed, .locked].contains(error.kind) { failure = error }
        }
        let (commit, files) = published.withLock { ($0.seq, $0.segments) }
        compaction.finish(failure, at: commit, reading: files.mapValues(\.path))
        // What was replaced may be in somebody's hands.
        eraseInTime()
    }
}

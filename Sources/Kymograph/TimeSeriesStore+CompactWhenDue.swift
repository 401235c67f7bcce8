// SPDX-License-Identifier: Apache-2.0

import Synchronization

// Merges that begin by themselves.
extension TimeSeriesStore {
    /// After a commit that brought a segment: begins in the background what is due.
    func compactWhatIsDue() {
        guard options.compacts else { return }
        let (commit, segments) = published.withLock { ($0.seq, $0.segments.count) }
        compaction.mark(commit, age: erasureAge)
        guard segments > 0 else { return }
        compaction.schedule(at: commit) { [weak self] in self?.compactInBackground() }
    }

    /// After a deletion: looks now and then whether its bytes have to go.
    func eraseInTime() {
        guard options.compacts, compaction.beginWatch() else { return }
        watch()
    }

    private func watch() {
        compaction.mark(published.withLock { $0.seq }, age: erasureAge)
        compaction.schedule(after: max(0.02, Double(erasureAge) / 16e9)) { [weak self] in
            guard let self, !self.compaction.isStopped else { return }
            self.compactWhatIsDue()
            self.watch()
        }
    }

    /// In nanoseconds, at most some hundred years.
    var erasureAge: Int64 { min(options.erasureAge, .seconds(3_000_000_000)).wholeNanoseconds }

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
            if ![.cancelled, .closed].contains(error.kind) { failure = error }
        }
        let (commit, files) = published.withLock { ($0.seq, $0.segments) }
        compaction.finish(failure, at: commit, reading: files.mapValues(\.path))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization

extension TimeSeriesStore {
    /// Whether the tail has grown enough to be tidied up.
    var needsSealing: Bool { tailExceeds(1) }

    /// Whether the tail has so many times what it is tidied up from.
    private func tailExceeds(_ times: Int) -> Bool {
        // Looked at in its place: who commits meanwhile would have to copy a version that somebody holds.
        published.withLock { version in
            version.tailRows.count / times >= Swift.max(2, options.sealBatches)
                || version.mostInTail / times >= Swift.max(1, options.sealSamples)
        }
    }

    /// Moves the samples of the tail into a segment. Appends do this by themselves from time to time.
    ///
    /// - Throws: `readOnly`, `closed`, `diskFull`, `outcomeUnknown`, `writerFailed`, `corrupt`, `inputOutput`.
    public func seal() throws(StoreError) { _ = try sealEverything() }

    /// As `seal`; how many deleted samples were left out.
    func sealEverything() throws(StoreError) -> Int {
        try requireOwnProcess()
        // Who seals waits for the writer, which a closure's thread has.
        try requireOutside()
        let result = sealing.withLock { _ in Result { () throws(StoreError) in try self.seal(everything: true) } }
        return try result.get()
    }

    /// Seals what is due, unless another thread is doing it. Where that one is left behind, this one waits for it.
    func sealWhatIsDue() {
        let done: Void? = sealing.withLockIfAvailable { _ in _ = try? self.seal(everything: false) }
        if done == nil { waitForSealing() }
    }

    /// Seals what is due, and writes the other rows of the tail anew without what is deleted of them.
    func sealDeleted() throws(StoreError) { _ = try seal(everything: false) }

    /// Waits for the thread that seals, if appends have left it behind.
    func waitForSealing() {
        if tailExceeds(8) { sealing.withLock { _ in } }
    }

    /// Seals the series that have enough samples, and with them whatever shares a row of the tail; the other rows
    /// become one. Appends go on meanwhile, but for the time of the commit. How many deleted samples were left out.
    private func seal(everything: Bool) throws(StoreError) -> Int {
        let work = try beginWork()
        defer { work.end() }
        let isTooEarly = try withWriter { writer throws(StoreError) in writer.seq < writer.sealsFrom }
        if isTooEarly, !everything { return 0 }
        do throws(StoreError) {
            return try take(everything) { step, watch throws(StoreError) in
                try withWriter { writer throws(StoreError) in try self.finish(&step, &writer, watch) }
            }
        } catch {
            guard error.kind == .diskFull else { throw error }
            return try withWriter { writer throws(StoreError) in try self.sealInReserve(everything, &writer) }
        }
    }

    /// Seals in the ballast's room, which nobody else may take meanwhile.
    private func sealInReserve(_ everything: Bool, _ writer: inout Writer) throws(StoreError) -> Int {
        do throws(StoreError) {
            return try writer.withReserve { writer throws(StoreError) in
                try take(everything) { step, watch throws(StoreError) in try finish(&step, &writer, watch) }
            }
        } catch {
            // Not again with each append.
            if error.kind == .diskFull { writer.sealsFrom = writer.seq + 64 }
            throw error
        }
    }

    /// Writes the samples of the tail and has them committed; of what fails nothing is left. How many deleted ones were
    /// left out.
    private func take(
        _ everything: Bool, _ commit: (inout SealStep, Stopwatch) throws(StoreError) -> Void
    ) throws(StoreError) -> Int {
        let watch = Stopwatch()
        var step = SealStep(self, published.withLock { $0 }, everything: everything)
        do throws(StoreError) {
            try step.run()
            try commit(&step, watch)
            return step.samplesRemoved
        } catch {
            telemetry.note(error)
            // What a commit of unknown outcome may have named must stay; the next opening decides.
            if error.kind != .outcomeUnknown { step.abandon() }
            throw error
        }
    }

    /// Names what was written, and takes what it holds out of the tail.
    private func finish(
        _ step: inout SealStep, _ writer: inout Writer, _ watch: Stopwatch
    ) throws(StoreError) {
        if !step.tail.isEmpty {
            let now = published.withLock { $0 }
            try step.keepUp(with: now)
            var tombstones = [Int64: Tombstones]()
            for (series, counts) in step.removed { tombstones[series] = now.tombstones[series]?.without(counts) }
            _ = try commitSegments(
                step.rows, newSeries: SeriesTable(), sealing: step.tail, replacement: step.kept, tombstones: tombstones,
                of: step.sequence, forgetting: step.horizon, &writer, nil)
            telemetry.seals.add(1, ordering: .relaxed)
            let bytes = step.rows.reduce(0) { $0 + $1.bytes }
            telemetry.post(.sealed(samples: step.samples, bytes: bytes, took: watch.elapsed))
        }
        writer.removeRetired(slots, layout, disk)
        fitBallast(&writer)
    }

    /// Ends a segment and makes it durable, with its name.
    func complete(_ segment: SegmentWriter) throws(StoreError) -> SegmentRow {
        let row = try segment.finish()
        try onDisk { () throws(DiskError) in try self.disk.syncDirectory(self.layout.segments) }
        telemetry.syncs.add(2, ordering: .relaxed)
        return row
    }
}

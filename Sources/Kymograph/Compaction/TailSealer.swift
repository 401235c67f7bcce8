// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization

/// Moves the samples of the tail into segments: one thread at a time, while appends continue.
final class TailSealer: Sendable {
    private let context: StoreContext
    private let access: CatalogAccess
    /// Held while the tail is sealed.
    let sealing = Mutex(())

    init(_ context: StoreContext, _ access: CatalogAccess) {
        self.context = context
        self.access = access
    }

    /// Whether the tail is large enough to be sealed.
    var isDue: Bool { tailExceeds(1) }

    /// Returns whether the tail holds `times` the amount at which it is sealed.
    private func tailExceeds(_ times: Int) -> Bool {
        // In place: the next commit would copy a version that is held.
        let options = context.options
        return context.published.withLock { version in
            version.tailRows.count / times >= max(2, options.sealBatches)
                || version.mostInTail / times >= max(1, options.sealSamples)
        }
    }

    /// Seals the whole tail.
    ///
    /// - Returns: the number of deleted samples that were left out.
    /// - Throws: `invalidArgument` in a closure whose call holds the writer, `readOnly`, `closed`, `diskFull`,
    ///   `outcomeUnknown`, `writerFailed`, `corrupt`, `inputOutput`.
    func sealEverything() throws(StoreError) -> Int {
        try context.requireOwnProcess()
        // The sealing thread waits for the writer, which the caller's closure may hold.
        try access.requireOutside()
        return try alone { () throws(StoreError) in try self.seal(everything: true) }
    }

    /// Seals the series that have enough samples, unless another thread is sealing. Waits for that thread only if the
    /// tail has eight times the sealing limit.
    func sealIfDue() {
        let done: Void? = sealing.withLockIfAvailable { _ in _ = try? self.seal(everything: false) }
        if done == nil { waitIfBehind() }
    }

    /// Seals the series that have enough samples, and rewrites the other rows of the tail without deleted samples.
    func removeDeleted() throws(StoreError) {
        _ = try alone { () throws(StoreError) in try self.seal(everything: false) }
    }

    /// Waits for the sealing thread if the tail has eight times the sealing limit.
    func waitIfBehind() {
        if tailExceeds(8) { sealing.withLock { _ in } }
    }

    private func alone(_ body: () throws(StoreError) -> Int) throws(StoreError) -> Int {
        let result = sealing.withLock { _ in Result { () throws(StoreError) in try body() } }
        return try result.get()
    }

    /// Seals the series that have enough samples, and joins the samples of all other series in one row of the tail.
    /// Appends continue meanwhile, except during the commit.
    ///
    /// - Requires: the lock of `sealing`.
    private func seal(everything: Bool) throws(StoreError) -> Int {
        let work = try access.beginWork()
        defer { work.end() }
        let isTooEarly = try access.withWriter { writer throws(StoreError) in writer.seq < writer.sealsFrom }
        if isTooEarly, !everything { return 0 }
        do throws(StoreError) {
            return try write(everything) { step, watch throws(StoreError) in
                try access.withWriter { writer throws(StoreError) in try self.commit(&step, &writer, watch) }
            }
        } catch {
            guard error.kind == .diskFull else { throw error }
        }
        return try access.withWriter { writer throws(StoreError) in try self.sealInReserve(everything, &writer) }
    }

    /// Seals in the space of the ballast, which no other program can take meanwhile.
    private func sealInReserve(_ everything: Bool, _ writer: inout Writer) throws(StoreError) -> Int {
        do throws(StoreError) {
            return try writer.withReserve { writer throws(StoreError) in
                try write(everything) { step, watch throws(StoreError) in try commit(&step, &writer, watch) }
            }
        } catch {
            // The next appends do not retry at once.
            if error.kind == .diskFull { writer.sealsFrom = writer.seq + 64 }
            throw error
        }
    }

    /// Writes the samples of the tail and calls `commit`; removes the new files if that fails.
    ///
    /// - Returns: the number of deleted samples that were left out.
    private func write(
        _ everything: Bool, _ commit: (inout SealStep, Stopwatch) throws(StoreError) -> Void
    ) throws(StoreError) -> Int {
        let watch = Stopwatch()
        var step = SealStep(context, context.version, everything: everything)
        do throws(StoreError) {
            try step.run()
            try commit(&step, watch)
            return step.samplesRemoved
        } catch {
            context.telemetry.note(error)
            // A commit of unknown outcome may name the files; the next opening decides.
            if error.kind != .outcomeUnknown { step.abandon() }
            throw error
        }
    }

    /// Commits the segments of a step, and removes their samples from the tail.
    private func commit(
        _ step: inout SealStep, _ writer: inout Writer, _ watch: Stopwatch
    ) throws(StoreError) {
        if !step.tail.isEmpty {
            try step.keepUp(with: context.version)
            let made = SegmentCommit(
                segments: step.rows, source: step.sequence, sealedTail: step.tail, kept: step.kept,
                removed: step.removed, horizon: step.horizon)
            _ = try context.commit(made, &writer)
            context.telemetry.seals.add(1, ordering: .relaxed)
            let bytes = step.rows.reduce(0) { $0 + $1.bytes }
            context.telemetry.post(.sealed(samples: step.samples, bytes: bytes, took: watch.elapsed))
        }
        writer.removeRetired(context.slots, context.layout, context.disk)
        writer.fitBallast(context)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Synchronization

/// The samples of a bulk load, in finished segments.
struct LoadedSamples {
    var segments: [SegmentRow]
    /// The series that the load promised.
    var series: SeriesTable
    /// Samples in the segments.
    var count: Int
    /// The identities that the load's caller supplied, if they must be new.
    var identities: LoadIdentities?
    /// Started when the load began.
    let watch: Stopwatch
}

// Bulk loads: samples go into segments while others write; their commit names the segments.
extension GroupCommitter {
    /// Loads samples, and makes one commit of the samples and a batch. See
    /// `TimeSeriesStore.write(identities:loading:_:)`.
    func load(
        _ rule: IdentityRule, expecting expected: Int, _ body: (BulkLoader) throws -> Bool,
        _ decide: (WriteContext) throws -> WriteBatch
    ) throws -> WriteReceipt {
        try requireWritable()
        if rule == .known {
            throw StoreError(.invalidArgument, "a load cannot skip known samples; write them in batches")
        }
        let work = try access.beginWork(isLoad: true)
        defer { work.end() }
        if expected > 0 { try access.requireRoomToLoad(samples: expected) }
        let watch = Stopwatch()
        let identities = rule == .new ? try LoadIdentities(context) : nil
        let loader = BulkLoader(context, access, identities)
        let loaded: LoadedSamples
        do {
            guard try body(loader) else {
                loader.abandon()
                return WriteReceipt(sequence: context.published.withLock { $0.seq })
            }
            let segments = try loader.finish()
            let series = try access.withWriter { writer throws(StoreError) in writer.promised(loader.promised) }
            loaded = LoadedSamples(
                segments: segments, series: series, count: loader.count, identities: identities, watch: watch)
            try identities?.catchUp()
        } catch {
            if let mine = error as? StoreError { context.telemetry.note(mine) }
            loader.abandon()
            throw error
        }
        let outcome: Result<WriteReceipt, any Error>
        do throws(StoreError) {
            outcome = try access.withWriter { writer throws(StoreError) in
                defer { self.access.forgetPromises(of: &writer, unlessMoreThan: 1) }
                return try self.commitAlone(rule, loaded, decide, &writer)
            }
        } catch {
            // A commit of unknown outcome may name the files; the next opening decides.
            if error.kind != .outcomeUnknown { loader.abandon() }
            throw error
        }
        if case .failure = outcome { loader.abandon() }
        let receipt = try outcome.get()
        noteDeletions(of: receipt)
        if loaded.count > 0 { compactor.compactLater() }
        return receipt
    }

    /// Loads the samples of a large append.
    func load(
        _ batches: [(series: SeriesID, rows: SampleRows)], expecting total: Int
    ) throws(StoreError) -> CommitReceipt {
        let receipt: WriteReceipt
        do {
            receipt = try load(.unchecked, expecting: total) { loader in
                for (id, rows) in batches.sorted(by: { $0.series < $1.series }) { try loader.write(rows, to: id) }
                return true
            } _: { _ in
                WriteBatch()
            }
        } catch {
            throw StoreError(any: error, path: context.path)
        }
        return CommitReceipt(sequence: receipt.sequence)
    }
}

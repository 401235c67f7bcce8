// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

/// The order in which a scan returns samples.
public enum ScanOrder: Sendable {
    /// By start, earliest first.
    case forward
    /// By start, latest first.
    case backward
}

extension Snapshot {
    /// Calls `body` with the samples that start in a range of time, in order, batch by batch.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of samples.
    ///   - sides: the columns of a batch in addition to starts, ends and values.
    ///   - body: receives a batch and returns true to continue. The batch is valid only during the call.
    /// - Throws: the error of `body`, or `StoreError`: `unknownSeries`, `corrupt`, `inputOutput`.
    /// - Complexity: O(log n + samples returned). Memory: one block for each run that overlaps the current time.
    public func scan(
        _ id: SeriesID, over range: TimeRange = .all, order: ScanOrder = .forward, limit: Int = .max,
        including sides: SampleSides = [], explain explanation: QueryExplanation? = nil,
        _ body: (SampleBatch) throws -> Bool
    ) throws {
        try scan([id], over: range, order: order, limit: limit, including: sides, explain: explanation, body)
    }

    /// Calls `body` with the samples of several series, merged into one order. See
    /// `scan(_:over:order:limit:including:explain:_:)`.
    public func scan(
        _ ids: [SeriesID], over range: TimeRange = .all, order: ScanOrder = .forward, limit: Int = .max,
        including sides: SampleSides = [], explain explanation: QueryExplanation? = nil,
        _ body: (SampleBatch) throws -> Bool
    ) throws {
        var failure: (any Error)?
        var wanted = RunScan(range, sides.columns.union([.starts, .ends, .values]), explanation)
        wanted.order = order
        try scan(ids, wanted, limit: limit) { batch throws(StoreError) in
            do {
                return try body(batch)
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// Scans samples with the given columns.
    package func scan(
        _ ids: [SeriesID], over range: TimeRange, columns: SampleColumns, explain explanation: QueryExplanation? = nil,
        _ body: (SampleBatch) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try scan(ids, RunScan(range, columns, explanation), body)
    }

    /// Scans samples in either order.
    package func scan(
        _ ids: [SeriesID], _ wanted: RunScan, limit: Int = .max, _ body: (SampleBatch) throws(StoreError) -> Bool
    ) throws(StoreError) {
        if limit <= 0 || wanted.range.isEmpty { return }
        var left = limit
        let backward = wanted.isBackward
        let reversed = backward ? QueryScratch(nil) : nil
        try merge(ids, wanted) { batch throws(StoreError) in
            var batch = batch
            if batch.count > left {
                let rows = batch.rows
                let kept =
                    backward ? rows.upperBound - left..<rows.upperBound : rows.lowerBound..<rows.lowerBound + left
                batch = SampleBatch(
                    block: batch.block, rows: kept, series: batch.series, runBorn: batch.runBorn)
            }
            left -= batch.count
            if let reversed = reversed?.block {
                reversed.fill(reversing: batch)
                batch = SampleBatch(
                    block: reversed, rows: 0..<batch.count, series: batch.series, runBorn: batch.runBorn)
            }
            return try body(batch) && left > 0
        }
    }

    /// Merges the runs of some series into one order. The rows of a batch ascend even if the batches go backward.
    func merge(
        _ ids: [SeriesID], _ wanted: RunScan, _ body: (SampleBatch) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let found = try sources(ids, wanted)
        if found.count == 1 {
            let (run, id, mask) = found[0]
            return try Self.scan(run, id, wanted, hiding: mask, body)
        }
        var merge = RunMerge(found, backward: wanted.isBackward) { (run, id, mask) throws(StoreError) in
            try RunCursor(run, id, wanted, hiding: mask)
        }
        while let (cursor, rows) = try merge.next() {
            let batch = SampleBatch(
                block: cursor.block, rows: rows, series: cursor.series, runBorn: cursor.run.born)
            if try !body(batch) { return }
            try cursor.consume(rows)
        }
    }

    /// Returns the runs of some series that may have samples of a scan.
    ///
    /// - Throws: `unknownSeries`, `forked`.
    func sources(_ ids: [SeriesID], _ wanted: RunScan) throws(StoreError) -> [RunMerge.Source] {
        let (range, instant) = (wanted.range, wanted.instant)
        var found = [RunMerge.Source]()
        for id in ids {
            try known(id)
            let tombstones = version.tombstones(of: id)
            for run in runs(id) where run.firstStart < range.end && run.lastStart >= range.start {
                if run.lastStart < instant, run.maxEnd <= instant { continue }
                found.append((run, id, tombstones?.mask(over: run)))
            }
        }
        return found
    }

    /// Scans one run block by block, without a merge.
    private static func scan(
        _ run: Run, _ series: SeriesID, _ wanted: RunScan, hiding mask: Mask?,
        _ body: (SampleBatch) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let (range, explanation) = (wanted.range, wanted.explanation)
        let columns = wanted.columns.set.union(.starts)
        let scratch = QueryScratch(explanation)
        explanation?.runs += 1
        func give() throws(StoreError) -> Bool {
            let block = scratch.block
            guard block.count > 0 else { return true }
            // Most blocks lie inside the range.
            let reaches = block.starts[block.count - 1] >= range.end
            let low = block.starts[0] >= range.start ? 0 : Kernel.lowerBound(block.starts, 0..<block.count, range.start)
            let high = reaches ? Kernel.lowerBound(block.starts, low..<block.count, range.end) : block.count
            if low >= high { return true }
            return try body(SampleBatch(block: block, rows: low..<high, series: series, runBorn: run.born))
        }
        switch run {
        case .tail(let tail):
            try scratch.load(tail, columns, mask)
            _ = try give()
        case .segment(let index):
            var walk = try BlockWalk(
                index, startingIn: range, lastingTo: wanted.instant, hiding: mask, backward: wanted.isBackward,
                explanation)
            while let entry = try walk.next(explanation) {
                try scratch.load(index, entry.offset, entry.length, columns, entry.mask)
                if try !give() { return }
            }
        }
    }
}

extension BlockBuffer {
    /// Copies the rows of a batch, in reverse order if `backward`.
    func fill(_ batch: SampleBatch, backward: Bool) {
        if backward { return fill(reversing: batch) }
        let from = batch.block
        reserve(batch.count)
        count = batch.count
        hasEnds = from.hasEnds
        decoded = from.decoded
        Kernel.copy(from.starts.span, batch.rows, into: &starts)
        if hasEnds { Kernel.copy(from.ends.span, batch.rows, into: &ends) }
        Kernel.copy(from.values.span, batch.rows, into: &values)
        created = from.created.slice(batch.rows)
        provenance = from.provenance.slice(batch.rows)
        metadata = from.metadata.slice(batch.rows)
        identityHigh = from.identityHigh.slice(batch.rows)
        identityLow = from.identityLow.slice(batch.rows)
        born = from.born.slice(batch.rows)
    }

    /// Copies the rows of a batch in reverse order.
    func fill(reversing batch: SampleBatch) {
        let from = batch.block
        reserve(batch.count)
        count = batch.count
        hasEnds = from.hasEnds
        decoded = from.decoded
        for (to, row) in batch.rows.reversed().enumerated() {
            starts[to] = from.starts[row]
            if hasEnds { ends[to] = from.ends[row] }
            values[to] = from.values[row]
        }
        func reverse(_ column: IntColumn) -> IntColumn {
            switch column {
            case .absent, .constant: column
            case .sequence, .values: .values(batch.rows.reversed().map { column.at($0) })
            }
        }
        created = reverse(from.created)
        provenance = reverse(from.provenance)
        metadata = reverse(from.metadata)
        identityHigh = reverse(from.identityHigh)
        identityLow = reverse(from.identityLow)
        born = reverse(from.born)
    }
}

// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Synchronization

// Preparation of samples for a commit.
extension StoreContext {
    /// Checks that all series exist.
    ///
    /// - Throws: `unknownSeries`, `forked`.
    func requireSeries(_ batches: [(series: SeriesID, rows: SampleRows)]) throws(StoreError) {
        try requireOwnProcess()
        let unknown = published.withLock { version in
            batches.first { $0.rows.count > 0 && !version.series.has($0.series.rawValue) }?.series
        }
        if let unknown { throw .unknown(unknown) }
    }

    /// Encodes samples for the tail.
    ///
    /// - Throws: `invalidSample`.
    func draft(_ batches: [(series: SeriesID, rows: SampleRows)]) throws(StoreError) -> TailDraft {
        let sorted = batches.filter { $0.rows.count > 0 }.map { ($0.series.rawValue, prepared($0.rows)) }
        do throws(FormatError) { return try encoders.draft(sorted) } catch {
            throw StoreError(.invalidSample, error.what)
        }
    }

    /// Sorts rows as in a run, and assigns new identities to rows without identities.
    private func prepared(_ rows: SampleRows) -> SampleRows {
        var rows = rows
        rows.sort()
        if case .absent = rows.identityHigh { rows.identify(from: newIdentities(rows.count)) }
        return rows
    }

    /// Returns the first of `count` new identities, which count up in their lower halves.
    func newIdentities(_ count: Int) -> SampleIdentity {
        mint.withLock { SampleIdentity(high: $0.high, low: $0.take(count)) }
    }

    /// Excludes identities that a caller supplied from later generation.
    func avoid(_ rows: SampleRows) {
        mint.withLock { mint in
            if case .constant(let high) = rows.identityHigh, high != mint.high || mint.hasGiven(rows) { return }
            for row in 0..<rows.count { mint.avoid(rows.identity(row)) }
        }
    }
}

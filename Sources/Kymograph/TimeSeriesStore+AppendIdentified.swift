// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization

// What identities of the caller are good for, and what looking for them costs, is told in `Docs/Identities.md`.
extension TimeSeriesStore {
    /// Appends samples with identities of the caller's to a series, durably: all or none, in one commit.
    ///
    /// Doing it again changes nothing: a sample that is there already, the same in series, times, value and identity,
    /// is passed over. One that differs from what has its identity is an error, and nothing of the call is stored.
    /// - Throws: `identityTaken`, `invalidSample`, `unknownSeries`, `readOnly`, `closed`, `diskFull`, `corrupt`,
    ///   `outcomeUnknown`, `writerFailed`, `inputOutput`.
    /// - Complexity: a commit, if anything is new. The first such call of an opening reads the identities of all
    ///   samples of the store, a later one those of what came since.
    @discardableResult
    public func append(
        to id: SeriesID, _ samples: [Sample], identities: [SampleIdentity]
    ) throws(StoreError) -> IdentifiedReceipt {
        try append([IdentifiedSamples(series: id, samples: samples, identities: identities)])
    }

    /// Appends samples with identities of the caller's to some series, in one commit.
    /// See `append(to:_:identities:)`.
    @discardableResult
    public func append(_ batches: [IdentifiedSamples]) throws(StoreError) -> IdentifiedReceipt {
        if mode == .readOnly {
            throw StoreError(.readOnly, "the store was opened for reading; open it for writing", path: path)
        }
        let request = try IdentifiedRequest(batches)
        // What is old is read before anybody has to wait for it.
        try identities.prepare(for: published.withLock { $0 })
        let watch = Stopwatch()
        let receipt = try withWriter { writer throws(StoreError) in
            // Nobody else can commit from here on, in whatever process.
            let version = self.published.withLock { $0 }
            var request = request
            for series in request.series where version.series[series.rawValue] == nil { throw .unknown(series) }
            let candidates = try self.identities.candidates(request.identities, in: version)
            try request.look(candidates, in: Snapshot(version: version))
            let sequence = try self.store(request, &writer, watch)
            return IdentifiedReceipt(
                sequence: sequence, added: request.added, known: request.count - request.added)
        }
        if receipt.added > 0 { tidyUp() }
        return receipt
    }

    /// Stores what is new, many samples as a segment; the number of the commit.
    private func store(
        _ request: IdentifiedRequest, _ writer: inout Writer, _ watch: Stopwatch
    ) throws(StoreError) -> Int64 {
        let rows = request.rows()
        if rows.isEmpty { return writer.seq }
        mint.withLock { mint in
            for (_, rows) in rows {
                for row in 0..<rows.count {
                    mint.avoid(SampleIdentity(high: rows.identityHigh.at(row), low: rows.identityLow.at(row)))
                }
            }
        }
        if request.added <= Self.largeAppend {
            return try commit([PendingAppend(draft: draft(rows), caller: nil)], &writer, nil).sequence
        }
        let bytes = Self.expectedBytes(samples: request.added)
        try requireRoom(bytes, reserve: writer.ballast.missing, for: "the append")
        let segment = try newSegment(threads: min(64, max(1, options.threads)))
        do throws(StoreError) {
            for (series, var rows) in rows {
                rows.sort()
                try segment.append([RunPart(rows, series: series.rawValue)])
            }
            let row = try complete(segment)
            let receipt = try commitSegments(
                [row], newSeries: [], sealing: [], replacement: nil, &writer, nil)
            fitBallast(&writer)
            telemetry.samplesLoaded.add(request.added, ordering: .relaxed)
            telemetry.post(.loaded(samples: request.added, sequence: receipt.sequence, took: watch.elapsed))
            return receipt.sequence
        } catch {
            telemetry.note(error)
            // What a commit of unknown outcome may have named must stay; the next opening decides.
            if error.kind != .outcomeUnknown { segment.abandon() }
            throw error
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

// `Docs/Guide/Engine.md` says when to supply identities, and what looking for them costs.
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

    /// Appends samples with identities of the caller's to some series, in one commit, which other threads may share.
    /// See `append(to:_:identities:)`.
    @discardableResult
    public func append(_ batches: [IdentifiedSamples]) throws(StoreError) -> IdentifiedReceipt {
        try requireOwnProcess()
        let checked = try batches.map { batch throws(StoreError) in
            (series: batch.series, rows: try SampleRows(batch))
        }.filter { $0.rows.count > 0 }
        let receipt: WriteReceipt
        do {
            receipt = try write(identities: .known) { _ in
                var batch = WriteBatch()
                for (series, rows) in checked { batch.add(rows, to: .stored(series)) }
                return batch
            }
        } catch {
            throw StoreError(any: error, path: path)
        }
        return IdentifiedReceipt(sequence: receipt.sequence, added: receipt.added, known: receipt.known)
    }
}

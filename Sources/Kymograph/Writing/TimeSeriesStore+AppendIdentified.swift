// SPDX-License-Identifier: Apache-2.0

// `Docs/Guide/Engine.md` says when to supply identities, and what their lookup costs.
extension TimeSeriesStore {
    /// Appends samples with identities from the caller to a series, durably: all or none, in one commit.
    ///
    /// A repeated call changes nothing: a stored sample with the same series, times, value and identity is skipped. A
    /// sample that differs from the stored sample with its identity is an error, and nothing of the call is stored.
    /// - Throws: `identityTaken`, `invalidSample`, `unknownSeries`, `readOnly`, `closed`, `diskFull`, `corrupt`,
    ///   `outcomeUnknown`, `writerFailed`, `inputOutput`.
    /// - Complexity: one commit, if any sample is new. The first such call of an opening reads the identities of all
    ///   stored samples, a later call reads the identities that were added since.
    @discardableResult
    public func append(
        to id: SeriesID, _ samples: [Sample], identities: [SampleIdentity]
    ) throws(StoreError) -> IdentifiedReceipt {
        try append([IdentifiedSamples(series: id, samples: samples, identities: identities)])
    }

    /// Appends samples with identities from the caller to some series, in one commit, which other threads may share.
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

// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// Samples of one series with identities chosen by the caller.
public struct IdentifiedSamples: Sendable {
    /// The series.
    public var series: SeriesID
    /// The samples, in any order.
    public var samples: [Sample]
    /// The identity of each sample.
    public var identities: [SampleIdentity]

    /// Creates samples with identities.
    /// - Requires: `samples` and `identities` have equal counts.
    public init(series: SeriesID, samples: [Sample], identities: [SampleIdentity]) {
        self.series = series
        self.samples = samples
        self.identities = identities
    }
}

/// The result of an append with identities.
public struct IdentifiedReceipt: Hashable, Sendable {
    /// The commit that stored the new samples, or the last commit if no sample was new. A snapshot with this or a
    /// greater sequence shows all samples of the call.
    public let sequence: Int64
    /// The number of new samples.
    public let added: Int
    /// The number of samples that were already stored unchanged, including repetitions within the call.
    public let known: Int
}

extension SampleRows {
    /// Creates rows from the caller's samples with identities. Throws `invalidSample` if the counts differ.
    init(_ identified: IdentifiedSamples) throws(StoreError) {
        guard identified.samples.count == identified.identities.count else {
            throw StoreError(
                .invalidSample,
                "\(identified.samples.count) samples and \(identified.identities.count) identities; pass one for each "
                    + "sample")
        }
        try self.init(identified.samples)
        identityHigh = .values(identified.identities.map(\.high))
        identityLow = .values(identified.identities.map(\.low))
    }
}

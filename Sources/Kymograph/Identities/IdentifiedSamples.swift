// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// Samples of one series whose identities the caller gives.
public struct IdentifiedSamples: Sendable {
    /// The series.
    public var series: SeriesID
    /// The samples, in any order.
    public var samples: [Sample]
    /// The identity of each sample.
    public var identities: [SampleIdentity]

    /// Samples with their identities, of which there must be as many.
    public init(series: SeriesID, samples: [Sample], identities: [SampleIdentity]) {
        self.series = series
        self.samples = samples
        self.identities = identities
    }
}

/// What an append with identities did.
public struct IdentifiedReceipt: Hashable, Sendable {
    /// The commit that stored the new samples, or the last one if there were none. A snapshot with this or a greater
    /// sequence shows all samples of the call.
    public let sequence: Int64
    /// Samples that were new.
    public let added: Int
    /// Samples that were there already, the same in everything; those that are twice in the call among them.
    public let known: Int
}

extension SampleRows {
    /// Samples of the caller with their identities.
    init(_ identified: IdentifiedSamples) throws(StoreError) {
        guard identified.samples.count == identified.identities.count else {
            throw StoreError(
                .invalidSample,
                "\(identified.samples.count) samples and \(identified.identities.count) identities; give one for each "
                    + "sample")
        }
        try self.init(identified.samples)
        identityHigh = .values(identified.identities.map(\.high))
        identityLow = .values(identified.identities.map(\.low))
    }
}

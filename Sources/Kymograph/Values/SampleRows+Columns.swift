// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

// Side columns of all rows, in their cheapest forms.
// - Requires: the rows have their starts, and an array has one number for each row.
extension SampleRows {
    /// Assigns identities that count up from `first`.
    package mutating func identify(from first: SampleIdentity) {
        identityHigh = .constant(first.high)
        identityLow = .sequence(first: first.low)
    }

    /// Assigns identities by their halves.
    package mutating func identify(high: [Int64], low: [Int64]) {
        identityHigh = IntColumn.values(high).simplified(count: count)
        identityLow = IntColumn.values(low).simplified(count: count)
    }

    /// Sets one creation time for all rows, in nanoseconds since 1970-01-01 UTC.
    package mutating func setCreated(_ time: Int64) { created = .constant(time) }

    /// Sets the creation times, in nanoseconds since 1970-01-01 UTC.
    package mutating func setCreated(_ times: [Int64]) { created = .values(times) }

    /// Sets one provenance and one metadata set for all rows.
    package mutating func setOrigin(provenance: Int64, metadata: Int64) {
        self.provenance = .constant(provenance)
        self.metadata = .constant(metadata)
    }

    /// Sets the provenances and the metadata sets; 0 for no metadata.
    package mutating func setOrigin(provenance: [Int64], metadata: [Int64]) {
        self.provenance = IntColumn.values(provenance).simplified(count: count)
        self.metadata = IntColumn.values(metadata).simplified(count: count)
        if case .constant(0) = self.metadata { self.metadata = .absent }
    }
}

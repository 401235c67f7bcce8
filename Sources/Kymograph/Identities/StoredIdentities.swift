// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

// Identities that come from another store.
extension TimeSeriesStore {
    /// Returns the identities of rows that samples of a snapshot have, in any series.
    ///
    /// - Throws: `corrupt`, `inputOutput`.
    /// - Complexity: O(rows) if the identities ascend and none may be stored; otherwise O(n log n), and it reads the
    ///   segments that may have one of them.
    package func storedIdentities(
        of rows: SampleRows, in snapshot: Snapshot
    ) throws(StoreError) -> Set<SampleIdentity> {
        Set(try places(of: IdentityStretches(rows), in: snapshot).keys)
    }

    /// Returns the series and the starts of the samples of a snapshot that have some identities.
    ///
    /// - Throws: `corrupt`, `inputOutput`.
    /// - Complexity: as `storedIdentities(of:in:)`.
    package func places(
        of identities: [SampleIdentity], in snapshot: Snapshot
    ) throws(StoreError) -> [SampleIdentity: (series: SeriesID, start: Int64)] {
        var wanted = IdentityStretches()
        for one in identities.sorted() { wanted.append(one) }
        return try places(of: wanted, in: snapshot)
    }

    private func places(
        of wanted: IdentityStretches, in snapshot: Snapshot
    ) throws(StoreError) -> [SampleIdentity: (series: SeriesID, start: Int64)] {
        if wanted.isEmpty { return [:] }
        let candidates = try context.identities.candidates(wanted, in: snapshot.version)
        if candidates.identities.isEmpty { return [:] }
        var found: [SampleIdentity: (series: SeriesID, start: Int64)] = [:]
        try snapshot.forEachIdentified(candidates) { block, row, series throws(StoreError) in
            let one = SampleIdentity(block, row)
            if candidates.identities.contains(one) { found[one] = (series, block.starts[row]) }
            return true
        }
        return found
    }
}

extension Snapshot {
    /// Returns the identities of deleted samples of a series that started in a range, as far as the store remembers
    /// them. A deletion of a time range has no list of identities.
    ///
    /// - Complexity: O(deletions of the series).
    package func deletedIdentities(of id: SeriesID, startingIn range: TimeRange) -> Set<SampleIdentity> {
        var found = Set<SampleIdentity>()
        for one in version.tombstones(of: id)?.all ?? []
        where one.range.start < range.end && range.start < one.range.end {
            guard let listed = one.listed else { continue }
            for place in 0..<listed.count where range.contains(listed.starts[place]) {
                found.insert(listed.identity(place))
            }
        }
        return found
    }
}

/// Checks that no two samples of a load have one identity. A stretch of consecutive identities takes 24 bytes.
package struct DistinctIdentities {
    private var all: [IdentityStretches.Stretch] = []
    private var hasRepetition = false

    package init() {}

    /// Adds the identities of some samples.
    package mutating func add(_ rows: SampleRows) {
        let stretches = IdentityStretches(rows)
        let count = stretches.all.reduce(0) { $0 + Int($1.last - $1.first) + 1 }
        if count != rows.count { hasRepetition = true }
        all += stretches.all
    }

    /// Returns whether all added identities are distinct.
    package mutating func areDistinct() -> Bool {
        if hasRepetition { return false }
        all.sort { ($0.high, $0.first) < ($1.high, $1.first) }
        return zip(all, all.dropFirst()).allSatisfy { $0.high != $1.high || $0.last < $1.first }
    }
}

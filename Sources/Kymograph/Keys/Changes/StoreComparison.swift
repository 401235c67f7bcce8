// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// A comparison of the visible samples of two stores, series by series.
struct StoreComparison {
    private let first: Snapshot
    private let second: Snapshot

    init(_ first: Snapshot, _ second: Snapshot) { (self.first, self.second) = (first, second) }

    /// Compares all samples with their identities.
    ///
    /// - Parameter path: the path of the second store, for the error.
    /// - Throws: `corrupt` for a difference, and the errors of reading.
    func run(path: String) throws(StoreError) {
        let series = first.series
        guard series == second.series else { throw difference("the series differ", path) }
        for one in series {
            let (a, b) = (try digest(one.id, first), try digest(one.id, second))
            guard a == b else { throw difference("the samples of \(one.name) differ", path) }
        }
    }

    private func difference(_ what: String, _ path: String) -> StoreError {
        StoreError(.corrupt, "the copy is not equal to the store: \(what); keep the old store", path: path)
    }

    /// The number of samples, and the sum of their hashes: samples with equal times may be in another order.
    private struct Digest: Equatable {
        var count = 0
        var sum: UInt64 = 0
    }

    private func digest(_ id: SeriesID, _ snapshot: Snapshot) throws(StoreError) -> Digest {
        var digest = Digest()
        try snapshot.scan([id], RunScan(.all, [.starts, .ends, .values, .identity])) { batch throws(StoreError) in
            for place in 0..<batch.count {
                let sample = batch[place]
                var hash = Self.mixed(UInt64(bitPattern: sample.start))
                hash = Self.mixed(hash ^ UInt64(bitPattern: sample.end))
                hash = Self.mixed(hash ^ sample.value.bitPattern)
                if let identity = batch.identity(at: place) {
                    hash = Self.mixed(hash ^ UInt64(bitPattern: identity.high))
                    hash = Self.mixed(hash ^ UInt64(bitPattern: identity.low))
                }
                digest.sum &+= hash
            }
            digest.count += batch.count
            return true
        }
        return digest
    }

    /// Mixes the bits of a number (the finaliser of SplitMix64).
    private static func mixed(_ number: UInt64) -> UInt64 {
        var hash = number &+ 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}

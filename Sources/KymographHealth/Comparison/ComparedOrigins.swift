// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

/// Decides whether row numbers of two stores mean the same source, device and metadata. The answers are kept.
struct ComparedOrigins {
    /// Row numbers of the first and the second store.
    private struct Pair: Hashable {
        let first: Int64
        let second: Int64
    }

    /// The most answers that are kept.
    private static let most = 1 << 16

    private let first: ComparedStore
    private let second: ComparedStore
    private var provenances: [Pair: Bool] = [:]
    private var metadata: [Pair: Bool] = [:]
    private var lastProvenance: Pair?
    private var lastMetadata: Pair?

    init(_ first: ComparedStore, _ second: ComparedStore) {
        (self.first, self.second) = (first, second)
    }

    /// Returns whether two provenances have the same source, version and device.
    mutating func isSame(provenance one: Int64, _ other: Int64) throws(HealthStoreError) -> Bool {
        let pair = Pair(first: one, second: other)
        if pair == lastProvenance { return true }
        let isSame: Bool
        if let known = provenances[pair] {
            isSame = known
        } else {
            isSame = try first.origin(one).elementsEqual(second.origin(other)) { $0 == $1 }
            if provenances.count >= Self.most { provenances = [:] }
            provenances[pair] = isSame
        }
        if isSame { lastProvenance = pair }
        return isSame
    }

    /// Returns whether two metadata sets are equal, or two marks those of the same object.
    mutating func isSame(metadata one: Int64, _ other: Int64) throws(HealthStoreError) -> Bool {
        if one == 0 || other == 0 { return one == other }
        let pair = Pair(first: one, second: other)
        if pair == lastMetadata { return true }
        let isSame: Bool
        if let known = metadata[pair] {
            isSame = known
        } else {
            isSame = try look(one, other)
            if metadata.count >= Self.most { metadata = [:] }
            metadata[pair] = isSame
        }
        if isSame { lastMetadata = pair }
        return isSame
    }

    private func look(_ one: Int64, _ other: Int64) throws(HealthStoreError) -> Bool {
        guard one > 0, other > 0 else {
            guard one < 0, other < 0 else { return false }
            let (owner, owned) = (try first.owner(one), try second.owner(other))
            return owner == owned
        }
        let (body, wanted) = (try first.metadataBody(one), try second.metadataBody(other))
        return body == wanted
    }
}

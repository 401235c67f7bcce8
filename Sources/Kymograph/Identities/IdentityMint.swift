// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// A source of identities for samples: a random prefix of this opening of the store, and a counter.
///
/// The sixteen bytes are a UUID of version 8 (RFC 9562, section 5.8). The high half is constant and the low half
/// counts, so consecutive identities cost no bits in a block.
struct IdentityMint {
    private(set) var high: Int64
    private var next: Int64

    /// Creates a mint with a prefix of eight random bytes.
    init(random: [UInt8]) {
        var bits: UInt64 = 0
        for byte in random { bits = bits << 8 | UInt64(byte) }
        bits = bits & ~0xF000 | 0x8000
        high = Int64(bitPattern: bits)
        next = 0
    }

    /// The counter never reaches low halves at or above this value.
    private static let limit = Int64.min + 1 << 62

    /// Skips an identity that a caller has supplied, if the counter would reach it.
    mutating func avoid(_ one: SampleIdentity) {
        if one.high == high, one.low < Self.limit { next = max(next, (one.low & Int64.max) + 1) }
    }

    /// Skips identities that a caller has supplied.
    mutating func avoid(_ given: IdentityStretches) {
        for stretch in given.stretches(high: high) where stretch.first < Self.limit {
            avoid(SampleIdentity(high: high, low: min(stretch.last, Self.limit - 1)))
        }
    }

    /// Returns true if all rows have consecutive identities from this mint.
    func hasGiven(_ rows: SampleRows) -> Bool {
        guard case .constant(high) = rows.identityHigh, case .sequence(let first) = rows.identityLow, first < 0 else {
            return false
        }
        let count = first & Int64.max
        return count <= next && Int64(rows.count) <= next - count
    }

    /// Returns the low half of the first of `count` new consecutive identities.
    mutating func take(_ count: Int) -> Int64 {
        defer { next &+= Int64(count) }
        return Int64(bitPattern: 0x8000_0000_0000_0000) | next
    }
}

/// The treatment of identities that a caller supplies.
package enum IdentityRule: Sendable {
    /// They are stored as they are; the caller knows that they are new.
    case unchecked
    /// None of them may be in the store.
    case new
    /// Samples that are stored already, the same in series, times and value, are passed over.
    case known
}

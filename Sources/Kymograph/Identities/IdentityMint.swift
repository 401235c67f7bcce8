// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// Gives samples their identities: a random prefix of this opening of the store, and a counter.
///
/// The sixteen bytes are a UUID of version 8 (RFC 9562, section 5.8), so that consecutive ones cost no bits in a
/// block: the high half is constant, the low half counts.
struct IdentityMint {
    private(set) var high: Int64
    private var next: Int64

    /// A mint whose prefix comes from eight random bytes.
    init(random: [UInt8]) {
        var bits: UInt64 = 0
        for byte in random { bits = bits << 8 | UInt64(byte) }
        bits = bits & ~0xF000 | 0x8000
        high = Int64(bitPattern: bits)
        next = 0
    }

    /// Low halves from here on nobody gets to by counting.
    private static let limit = Int64.min + 1 << 62

    /// Never gives an identity that a caller gave, if it would have: one that goes on from those of this opening.
    mutating func avoid(_ one: SampleIdentity) {
        if one.high == high, one.low < Self.limit { next = max(next, (one.low & Int64.max) + 1) }
    }

    /// Never gives identities that a caller gave.
    mutating func avoid(_ given: IdentityStretches) {
        for stretch in given.stretches(high: high) where stretch.first < Self.limit {
            avoid(SampleIdentity(high: high, low: min(stretch.last, Self.limit - 1)))
        }
    }

    /// Whether all rows have identities that count up and that it gave.
    func hasGiven(_ rows: SampleRows) -> Bool {
        guard case .constant(high) = rows.identityHigh, case .sequence(let first) = rows.identityLow, first < 0 else {
            return false
        }
        let count = first & Int64.max
        return count <= next && Int64(rows.count) <= next - count
    }

    /// The low half of the first of `count` new consecutive identities.
    mutating func take(_ count: Int) -> Int64 {
        defer { next &+= Int64(count) }
        return Int64(bitPattern: 0x8000_0000_0000_0000) | next
    }
}

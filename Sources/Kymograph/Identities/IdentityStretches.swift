// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat

/// Distinct identities in ascending order. Consecutive identities, as a program generates them for many objects, share
/// one stretch.
struct IdentityStretches: Sequence, Sendable {
    /// Consecutive identities: one high half and a range of low halves.
    struct Stretch: Sendable {
        let high: Int64
        let first: Int64
        var last: Int64
    }

    private(set) var all: [Stretch] = []

    var isEmpty: Bool { all.isEmpty }

    init() {}

    /// The identities of rows. Equal identities become one.
    init(_ rows: SampleRows) {
        if rows.count == 0 || rows.identityHigh.isAbsent { return }
        if case .constant(let high) = rows.identityHigh, case .sequence(let first) = rows.identityLow {
            let (last, overflow) = first.addingReportingOverflow(Int64(rows.count - 1))
            if !overflow {
                all = [Stretch(high: high, first: first, last: last)]
                return
            }
        }
        var identities = (0..<rows.count).map { rows.identity($0) }
        if zip(identities, identities.dropFirst()).contains(where: { $0 > $1 }) { identities.sort() }
        for one in identities { append(one) }
    }

    /// Adds an identity.
    /// - Requires: it is not less than the last one.
    mutating func append(_ one: SampleIdentity) {
        guard let last = all.last, last.high == one.high, one.low <= last.last || one.low - 1 == last.last else {
            all.append(Stretch(high: one.high, first: one.low, last: one.low))
            return
        }
        all[all.count - 1].last = one.low
    }

    /// Returns the stretches with a high half.
    func stretches(high: Int64) -> ArraySlice<Stretch> {
        let first = all.indices.partitioningIndex { all[$0].high >= high }
        return all[first..<(first..<all.count).partitioningIndex { all[$0].high > high }]
    }

    /// Returns true if no identity is in both.
    func isDisjoint(with other: IdentityStretches) -> Bool {
        var (here, there) = (0, 0)
        while here < all.count, there < other.all.count {
            let (a, b) = (all[here], other.all[there])
            if (a.high, a.last) < (b.high, b.first) {
                here += 1
            } else if (b.high, b.last) < (a.high, a.first) {
                there += 1
            } else {
                return false
            }
        }
        return true
    }

    func makeIterator() -> Iterator { Iterator(stretches: all) }

    struct Iterator: IteratorProtocol {
        fileprivate let stretches: [Stretch]
        private var place = 0
        private var low: Int64?

        fileprivate init(stretches: [Stretch]) { self.stretches = stretches }

        mutating func next() -> SampleIdentity? {
            guard place < stretches.count else { return nil }
            let stretch = stretches[place]
            let here = low ?? stretch.first
            if here < stretch.last {
                low = here + 1
            } else {
                low = nil
                place += 1
            }
            return SampleIdentity(high: stretch.high, low: here)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Identities in ascending order, each once: those that count up are one stretch, as a program's are that makes many
/// objects.
struct IdentityStretches: Sequence, Sendable {
    /// Identities with one high half, whose low halves count up.
    struct Stretch: Sendable {
        let high: Int64
        let first: Int64
        var last: Int64
    }

    private(set) var all: [Stretch] = []

    var isEmpty: Bool { all.isEmpty }

    /// Adds one that is no less than the last one.
    mutating func append(_ one: SampleIdentity) {
        guard let last = all.last, last.high == one.high, one.low <= last.last || one.low - 1 == last.last else {
            all.append(Stretch(high: one.high, first: one.low, last: one.low))
            return
        }
        all[all.count - 1].last = one.low
    }

    /// Those with a high half.
    func stretches(high: Int64) -> ArraySlice<Stretch> {
        all[partition { $0.high < high }..<partition { $0.high <= high }]
    }

    /// Whether no identity is in both.
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

    /// How many stretches a condition holds for, which holds up to some stretch and then no more.
    private func partition(_ holds: (Stretch) -> Bool) -> Int {
        var low = 0, high = all.count
        while low < high {
            let middle = (low + high) / 2
            if holds(all[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
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

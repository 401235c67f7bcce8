// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Synchronization

/// Which identities the files and the tail of a store hold: read when an append with identities asks for the first
/// time, and from then on of what is new.
///
/// It is right when it says that an identity is not there. It may hold one that was deleted, and by a chance of 2^-64
/// one that never was; so one that may be there has to be looked for.
final class IdentityIndex: Sendable {
    private struct State {
        /// The version that it is about.
        var seq: Int64 = -1
        /// By the number of a segment's file.
        var files: [Int64: IdentitySet] = [:]
        /// Of the tail's rows, the oldest and largest set first.
        var tail: [IdentitySet] = []
        var tailRows: [Int64] = []
    }

    private let state = Mutex(State())

    /// Reads what a version holds, so that the first one who asks has less to wait for. Does nothing if a later one is
    /// known.
    ///
    /// - Throws: `corrupt`, `inputOutput`.
    func prepare(for version: Version) throws(StoreError) {
        let result = state.withLock { state in
            Result { () throws(StoreError) in
                if state.seq < version.seq { try Self.update(&state, to: version) }
            }
        }
        try result.get()
    }

    /// Those of some identities that a version may hold, and where.
    ///
    /// - Throws: `corrupt`, `inputOutput`.
    /// - Complexity: reads the blocks that are new.
    func candidates(
        _ identities: IdentityStretches, in version: Version
    ) throws(StoreError) -> IdentityCandidates {
        // In one go: another thread may come with another version.
        let result = state.withLock { state in
            Result { () throws(StoreError) in
                try Self.update(&state, to: version)
                var found = IdentityCandidates()
                for stretch in identities.all {
                    for set in state.tail where set.mayHold(any: stretch) {
                        if found.add(stretch, set) { found.isInTail = true }
                    }
                    for (file, set) in state.files where set.mayHold(any: stretch) {
                        if found.add(stretch, set) { found.files.insert(file) }
                    }
                }
                return found
            }
        }
        return try result.get()
    }

    /// The segments that are known, by the numbers of their files.
    var files: Set<Int64> { state.withLock { Set($0.files.keys) } }

    /// Of the identities of some rows those that some segments may hold, as far as they are known.
    func met(_ rows: SampleRows, in files: Set<Int64>) -> MetIdentities {
        // A set is never changed, so nobody has to wait for the search.
        let sets = state.withLock { $0.files.filter { files.contains($0.key) } }
        var found = MetIdentities()
        for row in 0..<rows.count {
            let one = rows.identity(row)
            for (file, set) in sets where set.mayHold(one) {
                found.hashes.append(IdentitySet.hash(one))
                found.files.insert(file)
            }
        }
        return found
    }

    /// Of some identities, given by their hashes in ascending order, those that segments may hold, as far as they are
    /// known.
    ///
    /// - Parameter known: segments that need not be looked at; afterwards those that were, too.
    func met(_ hashes: [UInt64], besides known: inout Set<Int64>) -> MetIdentities {
        let sets = state.withLock { $0.files.filter { !known.contains($0.key) } }
        var found = MetIdentities()
        for (file, set) in sets {
            let some = set.common(with: hashes)
            if !some.isEmpty { found.files.insert(file) }
            found.hashes += some
        }
        known.formUnion(sets.keys)
        return found
    }

    /// Of some identities, given by their hashes in ascending order, those that a version may hold.
    ///
    /// - Parameter known: segments that need not be looked at.
    /// - Throws: `corrupt`, `inputOutput`.
    func met(
        _ hashes: [UInt64], in version: Version, besides known: Set<Int64>
    ) throws(StoreError) -> MetIdentities {
        let result = state.withLock { state in
            Result { () throws(StoreError) in
                try Self.update(&state, to: version)
                return state.tail
            }
        }
        let tail = try result.get()
        var known = known
        var found = met(hashes, besides: &known)
        for set in tail {
            let some = set.common(with: hashes)
            if !some.isEmpty { found.isInTail = true }
            found.hashes += some
        }
        return found
    }

    /// Takes in what a version holds and is not known yet, and forgets what it does not hold any more.
    private static func update(_ state: inout State, to version: Version) throws(StoreError) {
        try updateFiles(&state, version)
        try updateTail(&state, version)
        state.seq = version.seq
    }

    private static func updateFiles(_ state: inout State, _ version: Version) throws(StoreError) {
        let present = Set(version.segments.values.map(\.number))
        state.files = state.files.filter { present.contains($0.key) }
        if state.files.count == present.count { return }
        let scratch = QueryScratch(nil)
        var fresh = [Int64: IdentitySet]()
        for file in version.segments.values where state.files[file.number] == nil {
            for run in file.runs {
                for entry in try run.blocks(startingIn: .all, nil) {
                    try scratch.load(run, entry.offset, entry.length, .identity)
                    fresh[file.number, default: IdentitySet()].add(scratch.block)
                }
            }
        }
        for number in present where state.files[number] == nil {
            var set = fresh[number] ?? IdentitySet()
            set.settle()
            state.files[number] = set
        }
    }

    private static func updateTail(_ state: inout State, _ version: Version) throws(StoreError) {
        // Rows come at the end; sealing takes away all, and may leave one that is new.
        if !version.tailRows.starts(with: state.tailRows) { (state.tail, state.tailRows) = ([], []) }
        let fresh = Set(version.tailRows.dropFirst(state.tailRows.count))
        if fresh.isEmpty { return }
        let scratch = QueryScratch(nil)
        var set = IdentitySet()
        for block in version.tailBlocks where fresh.contains(block.seq) {
            try scratch.load(block, .identity)
            set.add(scratch.block)
        }
        // Sets of a size become one, so that there are few and each is sorted few times.
        while let last = state.tail.last, last.count <= 2 * set.count {
            set.add(last)
            state.tail.removeLast()
        }
        set.settle()
        state.tail.append(set)
        state.tailRows = version.tailRows
    }
}

/// Identities that may be in a store, and where they may be.
struct IdentityCandidates {
    var identities: Set<SampleIdentity> = []
    /// By the numbers of segments' files.
    var files: Set<Int64> = []
    var isInTail = false

    /// Adds those of a stretch that a set may hold; whether there are any.
    fileprivate mutating func add(_ stretch: IdentityStretches.Stretch, _ set: IdentitySet) -> Bool {
        var hasAny = false
        for low in stretch.first...stretch.last {
            let one = SampleIdentity(high: stretch.high, low: low)
            guard set.mayHold(one) else { continue }
            identities.insert(one)
            hasAny = true
        }
        return hasAny
    }
}

/// Identities that may be in a store, by their hashes, and where they may be.
struct MetIdentities {
    var hashes: [UInt64] = []
    /// By the numbers of segments' files.
    var files: Set<Int64> = []
    var isInTail = false

    mutating func add(_ other: MetIdentities) {
        hashes += other.hashes
        files.formUnion(other.files)
        isInTail = isInTail || other.isInTail
    }
}

/// A set of identities: 24 bytes for a stretch that counts up, as those of the store do, eight for any other.
struct IdentitySet: Sendable {
    /// Identities in a row from which they are a stretch.
    private static let worthAStretch = 4

    private typealias Stretch = IdentityStretches.Stretch

    /// Ascending, and not touching each other, once settled.
    private var stretches: [Stretch] = []
    private var hashes: [UInt64] = []

    var count: Int { stretches.count + hashes.count }

    /// Adds those of a block; `settle` before anything is asked.
    mutating func add(_ block: BlockBuffer) {
        if block.identityHigh.isAbsent || block.count == 0 { return }
        var from = 0
        var first = SampleIdentity(block, 0)
        var before = first
        for row in 1...block.count {
            let next = row < block.count ? SampleIdentity(block, row) : nil
            if let next, next.high == before.high, before.low < .max, next.low == before.low + 1 {
                before = next
                continue
            }
            if row - from >= Self.worthAStretch {
                stretches.append(Stretch(high: first.high, first: first.low, last: before.low))
            } else {
                for row in from..<row { hashes.append(Self.hash(SampleIdentity(block, row))) }
            }
            guard let next else { return }
            (from, first, before) = (row, next, next)
        }
    }

    /// Adds those of another set; `settle` before anything is asked.
    mutating func add(_ other: IdentitySet) {
        stretches += other.stretches
        hashes += other.hashes
    }

    /// Puts everything in order.
    mutating func settle() {
        hashes.sort()
        stretches.sort { ($0.high, $0.first) < ($1.high, $1.first) }
        var joined = [Stretch]()
        for one in stretches {
            if let last = joined.last, last.high == one.high, one.first <= last.last || one.first == last.last &+ 1 {
                joined[joined.count - 1].last = max(last.last, one.last)
            } else {
                joined.append(one)
            }
        }
        stretches = joined
    }

    /// Whether an identity may be in the set; if not, it is not.
    func mayHold(_ one: SampleIdentity) -> Bool {
        let after = Self.partition(stretches.count) { i in
            (stretches[i].high, stretches[i].first) <= (one.high, one.low)
        }
        if after > 0, stretches[after - 1].high == one.high, one.low <= stretches[after - 1].last { return true }
        let hash = Self.hash(one)
        let at = Self.partition(hashes.count) { hashes[$0] < hash }
        return at < hashes.count && hashes[at] == hash
    }

    /// Whether any identity of a stretch may be in the set; if not, none is.
    func mayHold(any wanted: IdentityStretches.Stretch) -> Bool {
        if !hashes.isEmpty { return true }
        let after = Self.partition(stretches.count) { i in
            (stretches[i].high, stretches[i].first) <= (wanted.high, wanted.last)
        }
        return after > 0 && stretches[after - 1].high == wanted.high && stretches[after - 1].last >= wanted.first
    }

    /// Those of ascending hashes that it holds.
    func common(with others: [UInt64]) -> [UInt64] {
        func isAmong(_ hash: UInt64) -> Bool {
            let at = Self.partition(others.count) { others[$0] < hash }
            return at < others.count && others[at] == hash
        }
        var found = hashes.filter(isAmong)
        for one in stretches {
            for low in one.first...one.last {
                let hash = Self.hash(SampleIdentity(high: one.high, low: low))
                if isAmong(hash) { found.append(hash) }
            }
        }
        return found
    }

    /// The first place of `count` for which a condition, which holds up to some place and then no more, does not hold.
    private static func partition(_ count: Int, _ holds: (Int) -> Bool) -> Int {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Sixteen bytes to eight, every bit of which depends on all of them.
    static func hash(_ one: SampleIdentity) -> UInt64 {
        var bits = UInt64(bitPattern: one.high)
        for more in [UInt64(bitPattern: one.low), 0x9E37_79B9_7F4A_7C15] {
            bits = (bits ^ more) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 29)) &* 0x94D0_49BB_1331_11EB
            bits ^= bits >> 32
        }
        return bits
    }
}

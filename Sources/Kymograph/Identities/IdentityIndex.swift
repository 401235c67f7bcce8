// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Synchronization

/// The identities in the segments and the tail of a store. The first append with identities reads all of them, later
/// ones only new blocks.
///
/// The index has false positives: deleted identities, and with a probability of 2^-64 others. It has no false
/// negatives. So a match must be confirmed by a search in the store.
final class IdentityIndex: Sendable {
    private struct State {
        /// The version that the index describes.
        var seq: Int64 = -1
        /// The sets by the number of the segment's file.
        var files: [Int64: IdentitySet] = [:]
        /// The sets of the tail's rows; the oldest and largest is first.
        var tail: [IdentitySet] = []
        var tailRows: [Int64] = []
    }

    private let state = Mutex(State())

    /// Reads the identities of a version, so that the first append has less to wait for. Does nothing if the index
    /// describes a later version.
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

    /// Returns the identities that a version may hold, and their possible locations.
    ///
    /// - Throws: `corrupt`, `inputOutput`.
    /// - Complexity: O(new blocks) and the search.
    func candidates(
        _ identities: IdentityStretches, in version: Version
    ) throws(StoreError) -> IdentityCandidates {
        // Under one lock, since another thread may call with another version.
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

    /// The segments in the index, by the numbers of their files.
    var files: Set<Int64> { state.withLock { Set($0.files.keys) } }

    /// Returns the identities of some rows that the given segments may hold, as far as the index knows the segments.
    func met(_ rows: SampleRows, in files: Set<Int64>) -> MetIdentities {
        // The sets are immutable, so the search needs no lock.
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

    /// Returns the hashes that segments in the index may hold.
    ///
    /// - Parameters:
    ///   - hashes: the hashes of identities, ascending.
    ///   - known: segments to skip; the searched segments are added.
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

    /// Returns the hashes that a version may hold.
    ///
    /// - Parameters:
    ///   - hashes: the hashes of identities, ascending.
    ///   - known: segments to skip.
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

    /// Adds the new segments and tail rows of a version, and drops all others.
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
        // New rows are appended. Sealing removes all rows, and may leave a new one.
        if !version.tailRows.starts(with: state.tailRows) { (state.tail, state.tailRows) = ([], []) }
        let fresh = Set(version.tailRows.dropFirst(state.tailRows.count))
        if fresh.isEmpty { return }
        let scratch = QueryScratch(nil)
        var set = IdentitySet()
        for block in version.tailBlocks where fresh.contains(block.seq) {
            try scratch.load(block, .identity)
            set.add(scratch.block)
        }
        // Sets of similar size are merged, so that there are few sets and each is sorted few times.
        while let last = state.tail.last, last.count <= 2 * set.count {
            set.add(last)
            state.tail.removeLast()
        }
        set.settle()
        state.tail.append(set)
        state.tailRows = version.tailRows
    }
}

/// Identities that a store may hold, and their possible locations.
struct IdentityCandidates {
    var identities: Set<SampleIdentity> = []
    /// The numbers of the segments' files.
    var files: Set<Int64> = []
    var isInTail = false

    /// Adds the identities of a stretch that a set may hold. Returns true if there are any.
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

/// Hashes of identities that a store may hold, and their possible locations.
struct MetIdentities {
    var hashes: [UInt64] = []
    /// The numbers of the segments' files.
    var files: Set<Int64> = []
    var isInTail = false

    mutating func add(_ other: MetIdentities) {
        hashes += other.hashes
        files.formUnion(other.files)
        isInTail = isInTail || other.isInTail
    }
}

/// A set of identities. A stretch of consecutive identities takes 24 bytes, any other identity eight.
struct IdentitySet: Sendable {
    /// The least number of consecutive identities that become a stretch.
    private static let worthAStretch = 4

    private typealias Stretch = IdentityStretches.Stretch

    /// After `settle`: ascending, without overlaps or contact.
    private var stretches: [Stretch] = []
    private var hashes: [UInt64] = []

    var count: Int { stretches.count + hashes.count }

    /// Adds the identities of a block.
    /// - Ordering: call `settle` before the next query.
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

    /// Adds the identities of another set.
    /// - Ordering: call `settle` before the next query.
    mutating func add(_ other: IdentitySet) {
        stretches += other.stretches
        hashes += other.hashes
    }

    /// Sorts the set and joins adjoining stretches.
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

    /// Returns false if an identity is certainly not in the set.
    func mayHold(_ one: SampleIdentity) -> Bool {
        let after = stretches.indices.partitioningIndex {
            (stretches[$0].high, stretches[$0].first) > (one.high, one.low)
        }
        if after > 0, stretches[after - 1].high == one.high, one.low <= stretches[after - 1].last { return true }
        let hash = Self.hash(one)
        let at = hashes.indices.partitioningIndex { hashes[$0] >= hash }
        return at < hashes.count && hashes[at] == hash
    }

    /// Returns false if no identity of a stretch is in the set.
    func mayHold(any wanted: IdentityStretches.Stretch) -> Bool {
        if !hashes.isEmpty { return true }
        let after = stretches.indices.partitioningIndex {
            (stretches[$0].high, stretches[$0].first) > (wanted.high, wanted.last)
        }
        return after > 0 && stretches[after - 1].high == wanted.high && stretches[after - 1].last >= wanted.first
    }

    /// Returns the given hashes that are in the set.
    /// - Requires: `others` ascend.
    func common(with others: [UInt64]) -> [UInt64] {
        func isAmong(_ hash: UInt64) -> Bool {
            let at = others.indices.partitioningIndex { others[$0] >= hash }
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

    /// Hashes sixteen bytes to eight. Every bit of the result depends on all bits of the identity.
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

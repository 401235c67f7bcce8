// SPDX-License-Identifier: Apache-2.0

/// The distinct metadata sets of a load, and their rows.
///
/// A set gets a local number at its first use; its row is resolved before samples are written. The bytes of all sets
/// are consecutive: in memory up to a limit, then among the other bodies that wait for the commit.
struct MetadataTable {
    /// The maximum number of bytes in memory. The sets of ten years take about thirty megabytes.
    static let inMemory = 48 << 20

    /// The bytes of the sets in memory.
    private var arena: [UInt8] = []
    /// The starts of the sets in memory, and the end of the last one.
    private var offsets: [Int] = [0]
    /// The sets beyond the limit, after those in memory.
    private var spilled: [PendingBodies.Place] = []
    private let limit: Int
    private var hashes: [UInt64] = []
    /// The rows of the resolved sets.
    private(set) var rows: [Int64] = []
    /// Whether the row of each resolved set is new.
    private(set) var isNew: [Bool] = []
    /// Local numbers from 1; 0 for an empty slot.
    private var slots = [Int32](repeating: 0, count: 1 << 10)
    /// The last result, as a cache: most sets occur many times in a row.
    private var last: (hash: UInt64, local: Int32) = (0, 0)

    init(limit: Int = Self.inMemory) { self.limit = limit }

    var count: Int { hashes.count }

    /// Returns the local number of a set, from 1; 0 for the empty set.
    mutating func intern(_ body: [UInt8], _ bodies: PendingBodies) throws(HealthStoreError) -> Int32 {
        if body.isEmpty { return 0 }
        let hash = Self.hash(body)
        if hash == last.hash, last.local > 0, try equals(Int(last.local) - 1, body, bodies) { return last.local }
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let local = slots[slot]
            if hashes[Int(local) - 1] == hash, try equals(Int(local) - 1, body, bodies) {
                last = (hash, local)
                return local
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        if spilled.isEmpty, arena.count + body.count <= limit {
            arena.append(contentsOf: body)
            offsets.append(arena.count)
        } else {
            spilled.append(try bodies.append(body))
        }
        hashes.append(hash)
        let local = Int32(truncatingIfNeeded: hashes.count)
        slots[slot] = local
        last = (hash, local)
        if hashes.count * 2 > slots.count { grow() }
        return local
    }

    /// Returns the bytes of a set by its index, from 0.
    func body(_ index: Int, _ bodies: PendingBodies) throws(HealthStoreError) -> [UInt8] {
        let held = offsets.count - 1
        if index >= held { return try bodies.bytes(spilled[index - held]) }
        return Array(arena[offsets[index]..<offsets[index + 1]])
    }

    /// Returns the next unresolved sets: at least one if there is any, up to the given number of sets and about the
    /// given bytes.
    func nextUnresolved(sets: Int, bytes: Int) -> Range<Int> {
        var end = rows.count
        var sum = 0
        while end < count, end - rows.count < sets, sum < bytes {
            sum += length(end)
            end += 1
        }
        return rows.count..<end
    }

    private func length(_ index: Int) -> Int {
        let held = offsets.count - 1
        return index >= held ? spilled[index - held].count : offsets[index + 1] - offsets[index]
    }

    /// Returns the row of a local number.
    ///
    /// - Requires: the set is resolved.
    func row(_ local: Int32) -> Int64 { local == 0 ? 0 : rows[Int(local) - 1] }

    /// Resolves the row of the first unresolved set.
    mutating func resolve(to row: Int64, isNew: Bool) {
        rows.append(row)
        self.isNew.append(isNew)
    }

    private func equals(_ index: Int, _ body: [UInt8], _ bodies: PendingBodies) throws(HealthStoreError) -> Bool {
        guard length(index) == body.count else { return false }
        if index >= offsets.count - 1 { return try self.body(index, bodies) == body }
        let range = offsets[index]..<offsets[index + 1]
        var at = range.lowerBound
        for byte in body {
            if arena[at] != byte { return false }
            at += 1
        }
        return true
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: slots.count * 2)
        for (index, hash) in hashes.enumerated() {
            var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(truncatingIfNeeded: index + 1)
        }
    }

    /// Returns a hash that multiplies eight bytes at a time into the state.
    private static func hash(_ body: [UInt8]) -> UInt64 {
        var state = 0x9E37_79B9_7F4A_7C15 ^ UInt64(body.count)
        var word: UInt64 = 0
        var filled = 0
        for byte in body {
            word = word << 8 | UInt64(byte)
            filled += 1
            if filled == 8 {
                state = fold(state ^ word)
                filled = 0
                word = 0
            }
        }
        return fold(fold(state ^ word))
    }

    private static func fold(_ value: UInt64) -> UInt64 {
        let product = (value ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
        return product.high ^ product.low
    }
}

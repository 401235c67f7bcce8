// SPDX-License-Identifier: Apache-2.0

internal import CKernels

/// A histogram of values, grouped by as many leading bits as a bounded table allows.
///
/// The **key** of a value is its bit pattern as an integer in the order of the values, without its `shift` lowest bits.
/// At shift 0 each value has its own key; at 52 all values of one sign and exponent share a key. If a value needs more
/// than `limit` keys, `shift` grows by one until there is space; each step merges keys in pairs. The keys at a shift
/// are those at the previous shift, halved, so the table depends only on the values, never on their order.
package struct KeyCounts: Sendable {
    /// The least valid limit: at the greatest shift no set of values has more keys.
    package static let leastLimit = 4_096
    /// The greatest shift, at which only sign and exponent are left.
    package static let greatestShift = 52

    /// Maximum number of keys.
    package let limit: Int
    /// Number of bits dropped from each pattern.
    package private(set) var shift = 0
    /// Number of distinct keys.
    package private(set) var used = 0
    /// `1 << bits` pairs of key and count; a count of 0 marks a free slot.
    private var table: [UInt64]
    private var bits: UInt32

    private static let firstBits: UInt32 = 4

    /// Creates an empty table for at most `limit` keys, at least `leastLimit`.
    package init(limit: Int) {
        self.limit = max(limit, Self.leastLimit)
        bits = Self.firstBits
        table = [UInt64](repeating: 0, count: 2 << Int(bits))
    }

    /// Counts values; NaN has no order and is not counted. Expected O(values), plus O(limit) for each shift.
    package mutating func add(_ values: [Double], _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= values.count, "range outside of the array")
        var at = range.lowerBound
        while true {
            let (shift, bits, most) = (UInt32(self.shift), self.bits, self.most)
            at += unsafe table.withUnsafeMutableBufferPointer { table in
                unsafe values.withUnsafeBufferPointer { values in
                    guard let table = table.baseAddress, let values = values.baseAddress else { return 0 }
                    return unsafe ck_count_keys(values + at, range.upperBound - at, shift, table, bits, &used, most)
                }
            }
            if at >= range.upperBound { return }
            makeRoom()
        }
    }

    /// Adds the count of a key from another table with shift `old`; may increase `shift`.
    package mutating func add(key: Int64, ofShift old: Int, count: UInt64) {
        if count == 0 { return }
        while old > shift { coarsen() }
        while !put(key >> Int64(shift - old), count) { makeRoom() }
    }

    /// The keys in ascending order with their counts. O(keys log keys).
    package var sorted: [(key: Int64, count: UInt64)] {
        var found = [(key: Int64, count: UInt64)]()
        found.reserveCapacity(used)
        for i in stride(from: 0, to: table.count, by: 2) where table[i + 1] != 0 {
            found.append((Int64(bitPattern: table[i]), table[i + 1]))
        }
        found.sort { $0.key < $1.key }
        return found
    }

    /// Returns the key of a value that is not NaN.
    package static func key(of value: Double, shift: Int) -> Int64 {
        let pattern = Int64(bitPattern: (value + 0.0).bitPattern)
        return (pattern ^ Int64(bitPattern: UInt64(bitPattern: pattern >> 63) >> 1)) >> Int64(shift)
    }

    private var most: Int { min(limit, (1 << Int(bits)) / 2) }

    private mutating func put(_ key: Int64, _ count: UInt64) -> Bool {
        let (bits, most) = (bits, most)
        return unsafe table.withUnsafeMutableBufferPointer { table in
            guard let table = table.baseAddress else { return false }
            return unsafe ck_count_key(key, count, table, bits, &used, most) != 0
        }
    }

    /// Enlarges the table or, at the limit, merges keys.
    private mutating func makeRoom() {
        if used >= limit { coarsen() } else { rebuild(bits: bits + 2, by: 0) }
    }

    /// Drops one bit of all keys.
    private mutating func coarsen() { rebuild(bits: bits, by: 1) }

    private mutating func rebuild(bits: UInt32, by step: Int) {
        let old = table
        self.bits = bits
        shift += step
        used = 0
        table = [UInt64](repeating: 0, count: 2 << Int(bits))
        for i in stride(from: 0, to: old.count, by: 2) where old[i + 1] != 0 {
            _ = put(Int64(bitPattern: old[i]) >> Int64(step), old[i + 1])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Kernels

/// A summary of many values, of bounded size, that answers quantiles.
///
/// It counts values by their leading bits (`Docs/Quantiles.md`). While at most `capacity` different values were
/// inserted, answers are exact; beyond that values share a count with their neighbours, and an answer is within
/// `relativeError` of the exact one. What a sketch holds depends on the values alone: not on their order, nor on how
/// they were divided among sketches that were merged. So equal contents are equal sketches with equal bytes.
public struct QuantileSketch: Sendable {
    /// The capacity where none is said: at most 64 kB; values within a factor of 256 of each other are told apart to
    /// 0.1 %.
    public static let defaultCapacity = KeyCounts.leastLimit
    /// The greatest capacity.
    public static let greatestCapacity = 1 << 20

    var keys: KeyCounts
    /// Values inserted.
    public internal(set) var count = 0
    /// The least value, exactly; nil where there is none.
    public internal(set) var min: Double?
    /// The greatest value, exactly; nil where there is none.
    public internal(set) var max: Double?

    /// A sketch of no values that tells at most `capacity` of them apart: from 4,096 to 1,048,576, the nearest of which
    /// is taken.
    public init(capacity: Int = defaultCapacity) {
        keys = KeyCounts(limit: Swift.min(Swift.max(capacity, Self.defaultCapacity), Self.greatestCapacity))
    }

    /// The most values that are told apart.
    public var capacity: Int { keys.limit }
    /// Whether nothing was inserted.
    public var isEmpty: Bool { count == 0 }

    /// The most that an answer may differ from the exact one, as a part of it: 0, or a power of two up to 0.5.
    ///
    /// Answers nearer to 0 than 2^-1022 differ by at most twice this part of 2^-1022.
    public var relativeError: Double {
        keys.shift == 0 ? 0 : Double(sign: .plus, exponent: keys.shift - KeyCounts.greatestShift - 1, significand: 1)
    }

    /// Inserts a value; infinities are values like others, NaN has no rank and is left out. Expected O(1).
    public mutating func insert(_ value: Double) { insert(value, count: 1) }

    /// Inserts a value several times.
    mutating func insert(_ value: Double, count times: Int) {
        guard !value.isNaN, times > 0 else { return }
        keys.add(key: KeyCounts.key(of: value, shift: 0), ofShift: 0, count: UInt64(times))
        note(value, value, times)
    }

    /// Inserts the values of a range of an array, none of which is NaN.
    mutating func insert(_ values: [Double], _ range: Range<Int>) {
        if range.isEmpty { return }
        keys.add(values, range)
        let extremes = Kernel.extremes(values, range)
        note(values[extremes.least], values[extremes.greatest], range.count)
    }

    /// Inserts all that another sketch holds, so that this one is as if it had seen all values of both; the lesser of
    /// the two capacities is that of the result. O(keys of the other).
    public mutating func merge(_ other: QuantileSketch) {
        if other.capacity < capacity {
            var merged = other
            merged.merge(self)
            self = merged
            return
        }
        for (key, count) in other.keys.sorted { keys.add(key: key, ofShift: other.keys.shift, count: count) }
        if let least = other.min, let greatest = other.max { note(least, greatest, other.count) }
    }

    /// The least value that at least the part `probability` (0 to 1) of all values does not exceed: with `n` values in
    /// order, the one of rank `ceil(probability * n)`, at least the first. Nil where there are no values, or where the
    /// probability is NaN.
    ///
    /// 0 and what is below gives the least, 1 and what is above the greatest value, exactly. O(keys log keys).
    public func quantile(_ probability: Double) -> Double? { quantiles([probability])?[0] }

    /// The same for several probabilities, in one go; nil where there are no values or one of them is NaN.
    public func quantiles(_ probabilities: [Double]) -> [Double]? {
        guard let min, let max, !probabilities.contains(where: \.isNaN) else { return nil }
        let sorted = keys.sorted
        var upTo = [Int]()
        upTo.reserveCapacity(sorted.count)
        var total = 0
        for entry in sorted {
            total &+= Int(truncatingIfNeeded: entry.count)
            upTo.append(total)
        }
        return probabilities.map { probability in
            if probability <= 0 { return min }
            if probability >= 1 { return max }
            let exact = (probability * Double(count)).rounded(.up)
            if exact >= Double(count) { return max }
            let rank = Swift.max(1, Int(exact))
            // The first key with as many values up to it.
            var (low, high) = (0, sorted.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if upTo[middle] >= rank { high = middle } else { low = middle + 1 }
            }
            return Swift.min(max, Swift.max(min, value(of: sorted[low].key)))
        }
    }

    /// The value that stands for a key: itself where it is the only one, else the middle between the least and the
    /// greatest that share it, or 0.
    private func value(of key: Int64) -> Double {
        // Magnitudes count from 0 on both sides: -1 is the key of what is next to 0 below it.
        let magnitude = UInt64(bitPattern: key < 0 ? ~key : key)
        let shift = UInt64(keys.shift)
        var pattern = magnitude << shift
        // An infinity shares its key with nothing but NaN.
        if shift > 0, magnitude > 0, pattern < Double.infinity.bitPattern { pattern |= 1 << (shift - 1) }
        let value = Double(bitPattern: pattern)
        return key < 0 ? -value : value
    }

    mutating func note(_ least: Double, _ greatest: Double, _ times: Int) {
        min = Swift.min(min ?? least, least + 0)
        max = Swift.max(max ?? greatest, greatest + 0)
        let (sum, overflow) = count.addingReportingOverflow(times)
        count = overflow ? Int.max : sum
    }
}

extension QuantileSketch: Hashable {
    /// Whether both hold the same counts of the same values, at the same capacity.
    public static func == (a: QuantileSketch, b: QuantileSketch) -> Bool { a.bytes == b.bytes }

    /// By content.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension QuantileSketch {
    /// A sketch of what a function that keeps their order makes of the values; of those that share a key, of the one
    /// that stands for them.
    package func mapped(_ transform: (Double) -> Double) -> QuantileSketch {
        var result = QuantileSketch(capacity: capacity)
        guard let min, let max else { return result }
        for entry in keys.sorted {
            let value = Swift.min(max, Swift.max(min, value(of: entry.key)))
            result.insert(transform(value), count: Int(clamping: entry.count))
        }
        result.min = transform(min)
        result.max = transform(max)
        return result
    }
}

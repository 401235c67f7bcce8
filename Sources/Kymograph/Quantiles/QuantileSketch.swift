// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels

/// A summary of many values, of bounded size, that returns quantiles.
///
/// The sketch counts values by their leading bits (`Docs/Internals/Accuracy.md`). Up to `capacity` different values,
/// results are exact. Beyond that, neighbouring values share a count, and a result is within `relativeError` of the
/// exact one. The content depends on the values alone, not on their order or on how sketches were merged. Sketches of
/// the same values have equal bytes.
public struct QuantileSketch: Sendable {
    /// The default capacity: at most 64 kB. Values within a factor of 256 of each other are distinguished to 0.1 %.
    public static let defaultCapacity = KeyCounts.leastLimit
    /// The maximum capacity.
    public static let greatestCapacity = 1 << 20

    var keys: KeyCounts
    /// The number of inserted values.
    public internal(set) var count = 0
    /// The least value, exactly; nil if the sketch is empty.
    public internal(set) var min: Double?
    /// The greatest value, exactly; nil if the sketch is empty.
    public internal(set) var max: Double?

    /// Creates an empty sketch.
    ///
    /// - Parameter capacity: the number of different values to distinguish, clamped to 4,096 ... 1,048,576.
    public init(capacity: Int = defaultCapacity) {
        keys = KeyCounts(limit: Swift.min(Swift.max(capacity, Self.defaultCapacity), Self.greatestCapacity))
    }

    /// The maximum number of different values with counts of their own.
    public var capacity: Int { keys.limit }
    /// Whether the sketch has no values.
    public var isEmpty: Bool { count == 0 }

    /// The maximum relative error of a result: 0, or a power of two up to 0.5.
    ///
    /// A result closer to 0 than 2^-1022 differs from the exact one by at most `2 * relativeError * 2^-1022`.
    public var relativeError: Double {
        keys.shift == 0 ? 0 : Double(sign: .plus, exponent: keys.shift - KeyCounts.greatestShift - 1, significand: 1)
    }

    /// Inserts a value. Infinities are valid values; NaN has no rank and is ignored. Expected O(1).
    public mutating func insert(_ value: Double) { insert(value, count: 1) }

    /// Inserts a value several times.
    mutating func insert(_ value: Double, count times: Int) {
        guard !value.isNaN, times > 0 else { return }
        keys.add(key: KeyCounts.key(of: value, shift: 0), ofShift: 0, count: UInt64(times))
        note(value, value, times)
    }

    /// Inserts the values of a range of an array.
    /// - Requires: no value is NaN.
    mutating func insert(_ values: [Double], _ range: Range<Int>) {
        if range.isEmpty { return }
        keys.add(values, range)
        let extremes = Kernel.extremes(values, range)
        note(values[extremes.least], values[extremes.greatest], range.count)
    }

    /// Inserts all values of another sketch. The result has the lesser of the two capacities. O(keys of the other).
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

    /// Returns the least value that at least the fraction `probability` of all values does not exceed; nil if the
    /// sketch is empty or the probability is NaN.
    ///
    /// With `n` values in order, the result is the value of rank `ceil(probability * n)`, at least rank 1.
    /// Probabilities of 0 or less return the exact minimum, 1 or more the exact maximum. O(keys log keys).
    public func quantile(_ probability: Double) -> Double? { quantiles([probability])?[0] }

    /// Returns the quantiles of several probabilities; nil if the sketch is empty or a probability is NaN.
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
            // Search for the first key with at least `rank` values up to it.
            let place = (0..<Swift.max(0, sorted.count - 1)).partitioningIndex { upTo[$0] >= rank }
            return Swift.min(max, Swift.max(min, value(of: sorted[place].key)))
        }
    }

    /// Returns the value that represents a key: the only value with the key, or the midpoint of the key's values, or 0.
    private func value(of key: Int64) -> Double {
        // Magnitudes count from 0 on both sides: the key of the negative values next to 0 is -1.
        let magnitude = UInt64(bitPattern: key < 0 ? ~key : key)
        let shift = UInt64(keys.shift)
        var pattern = magnitude << shift
        // At most NaN would share the key of an infinity.
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
    /// Returns true if both sketches have the same capacity and the same counts of the same values.
    public static func == (a: QuantileSketch, b: QuantileSketch) -> Bool { a.bytes == b.bytes }

    /// Hashes the content.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Returns a sketch of the transformed values. Values that share a key are represented by one value.
    /// - Requires: `transform` is ascending.
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

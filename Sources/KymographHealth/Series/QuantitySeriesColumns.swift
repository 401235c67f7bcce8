// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// The quantities of a series during insertion, in any order: columns of 16 bytes per quantity, or 24 with intervals.
/// Ordered quantities are never sorted.
struct QuantitySeriesColumns: Sendable {
    /// The end of a quantity that lasts until the next one.
    private static let open = Int64.min

    /// The unit of all numbers: that of the first quantity. Nil without quantities.
    private(set) var unit: HKUnit?
    private var starts: [Int64] = []
    /// The ends; empty while all quantities last until the next one.
    private var ends: [Int64] = []
    private var values: [Double] = []
    /// Whether the starts are strictly ascending.
    private var isOrdered = true

    var isEmpty: Bool { starts.isEmpty }

    /// Returns a number in the unit of the series; the first call sets that unit.
    mutating func number(_ value: Double, in unit: HKUnit) throws(HKUnitError) -> Double {
        guard let own = self.unit else {
            self.unit = unit
            return value
        }
        if own === unit || own == unit { return value }
        return try UnitConversion(from: unit, to: own).convert(value)
    }

    /// Adds a quantity in the unit of the series.
    ///
    /// - Parameter end: the end; nil to last until the next quantity.
    mutating func insert(_ value: Double, start: Int64, end: Int64?) {
        if let last = starts.last, start <= last {
            if start == last {
                replaceLast(value, end: end)
                return
            }
            isOrdered = false
        }
        add(end)
        starts.append(start)
        values.append(value)
    }

    private mutating func replaceLast(_ value: Double, end: Int64?) {
        let last = starts.count - 1
        values[last] = value
        if ends.isEmpty, end == nil { return }
        if ends.isEmpty { ends = [Int64](repeating: Self.open, count: starts.count) }
        ends[last] = end ?? Self.open
    }

    private mutating func add(_ end: Int64?) {
        if ends.isEmpty, end == nil { return }
        if ends.isEmpty { ends = [Int64](repeating: Self.open, count: starts.count) }
        ends.append(end ?? Self.open)
    }

    /// Adds quantities that last until the next one, in the unit of the series.
    ///
    /// - Requires: columns of equal length.
    mutating func insert(_ values: [Double], starts: [Int64]) {
        if isOrdered {
            var last = self.starts.last ?? Int64.min
            for start in starts {
                if start <= last {
                    isOrdered = false
                    break
                }
                last = start
            }
        }
        if !ends.isEmpty { ends.append(contentsOf: repeatElement(Self.open, count: starts.count)) }
        if self.starts.isEmpty {
            // Shares the caller's arrays without a copy.
            self.starts = starts
            self.values = values
        } else {
            self.starts.append(contentsOf: starts)
            self.values.append(contentsOf: values)
        }
    }

    /// Returns the quantities sorted by start, each start once, with ends.
    ///
    /// - Parameter end: the end of the last quantity, if that lasts until the next one; nil makes it a point.
    /// - Returns: nil if a quantity ends after `end`, or there is none.
    /// - Complexity: O(n), or O(n log n) if they were not inserted in order.
    func finished(end: Int64?) -> QuantitySeriesRows? {
        if isEmpty { return nil }
        return isOrdered ? rows(end) : sorted().rows(end)
    }

    /// Returns the quantities sorted by start; of several with the same start, only the last inserted.
    private func sorted() -> QuantitySeriesColumns {
        var order = Array(starts.indices)
        order.sort { starts[$0] != starts[$1] ? starts[$0] < starts[$1] : $0 < $1 }
        var kept = 0
        for place in order.indices {
            let next = place + 1
            if next < order.count, starts[order[next]] == starts[order[place]] { continue }
            order[kept] = order[place]
            kept += 1
        }
        order.removeLast(order.count - kept)
        var columns = QuantitySeriesColumns()
        columns.unit = unit
        columns.starts = order.map { starts[$0] }
        columns.values = order.map { values[$0] }
        if !ends.isEmpty { columns.ends = order.map { ends[$0] } }
        return columns
    }

    private func rows(_ end: Int64?) -> QuantitySeriesRows? {
        let count = starts.count
        var all = [Int64]()
        all.reserveCapacity(count)
        var latest = Int64.min
        for row in 0..<count {
            let given = ends.isEmpty ? Self.open : ends[row]
            let own = given != Self.open ? given : row + 1 < count ? starts[row + 1] : starts[row]
            latest = max(latest, own)
            all.append(own)
        }
        if let end {
            if end < latest { return nil }
            if ends.isEmpty || ends[count - 1] == Self.open { all[count - 1] = end }
            latest = end
        }
        if count == 1, all == starts { all = [] }
        return QuantitySeriesRows(starts: starts, ends: all, values: values, end: latest)
    }
}

/// The quantities of a series in stored form: strictly ascending by start.
struct QuantitySeriesRows: Sendable {
    let starts: [Int64]
    /// The ends; empty if all quantities are points.
    let ends: [Int64]
    let values: [Double]
    /// The latest end of all quantities, or the requested end.
    let end: Int64

    var count: Int { starts.count }

    func end(of row: Int) -> Int64 { ends.isEmpty ? starts[row] : ends[row] }
}

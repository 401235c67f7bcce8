// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// The quantities of a series while they come in, in any order: columns, 16 bytes a quantity, 24 where intervals are
/// given. What comes in order is never sorted.
struct QuantitySeriesColumns: Sendable {
    /// Stands for the end of a quantity that lasts to the next one.
    private static let open = Int64.min

    /// The unit of all numbers: that of the first quantity. Nil while there is none.
    private(set) var unit: HKUnit?
    private var starts: [Int64] = []
    /// Empty while all quantities last to the next one.
    private var ends: [Int64] = []
    private var values: [Double] = []
    /// Whether the starts ascend, and none is there twice.
    private var isOrdered = true

    var isEmpty: Bool { starts.isEmpty }
    /// Quantities that came, those that were replaced meanwhile included.
    var count: Int { starts.count }

    /// The number in the unit of the series; the first one decides which that is.
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
    /// - Parameter end: nil for one that lasts to the next one.
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

    /// Adds quantities that last to the next one, in the unit of the series. The columns are equally long.
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
            // The caller's arrays, without a copy.
            self.starts = starts
            self.values = values
        } else {
            self.starts.append(contentsOf: starts)
            self.values.append(contentsOf: values)
        }
    }

    /// The quantities in order, each start once, with ends.
    ///
    /// - Parameter end: to where the last one lasts, if it lasts to the next one; nil makes it a point.
    /// - Returns: nil if a quantity ends after `end`, or there is none.
    /// - Complexity: O(n), or O(n log n) if they did not come in order.
    func finished(end: Int64?) -> QuantitySeriesRows? {
        if isEmpty { return nil }
        return isOrdered ? rows(end) : sorted().rows(end)
    }

    /// In order, of several with one start the one that came last.
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

/// The quantities of a series as they are stored: ascending by start, each start once.
struct QuantitySeriesRows: Sendable {
    let starts: [Int64]
    /// Empty where all are points.
    let ends: [Int64]
    let values: [Double]
    /// The latest end of all, or the end that was asked for.
    let end: Int64

    var count: Int { starts.count }

    func end(of row: Int) -> Int64 { ends.isEmpty ? starts[row] : ends[row] }
}

// SPDX-License-Identifier: Apache-2.0

/// Two types side by side by day.
package struct TypePair: Sendable {
    package let x: DailySeries
    package let y: DailySeries
    /// The values of the days that have both.
    package let points: [(x: Double, y: Double)]

    package init(_ x: DailySeries, _ y: DailySeries) {
        self.x = x
        self.y = y
        points = zip(x.values, y.values).compactMap { x, y in
            guard let x, let y else { return nil }
            return (x, y)
        }
    }

    /// Spearman's rank correlation, from -1 to 1; nil for fewer than three days, or if one type never changes.
    package var rankCorrelation: Double? {
        guard points.count > 2 else { return nil }
        let (a, b) = (Self.ranks(points.map(\.x)), Self.ranks(points.map(\.y)))
        let mean = Double(points.count + 1) / 2
        var (both, first, second) = (0.0, 0.0, 0.0)
        for (x, y) in zip(a, b) {
            both += (x - mean) * (y - mean)
            first += (x - mean) * (x - mean)
            second += (y - mean) * (y - mean)
        }
        let product = (first * second).squareRoot()
        return product > 0 ? both / product : nil
    }

    /// Returns the rank of each value, from 1; equal values share their mean rank.
    static func ranks(_ values: [Double]) -> [Double] {
        let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
        var ranks = [Double](repeating: 0, count: values.count)
        var from = 0
        while from < order.count {
            var to = from + 1
            while to < order.count, values[order[to]] == values[order[from]] { to += 1 }
            for place in from..<to { ranks[order[place]] = Double(from + to + 1) / 2 }
            from = to
        }
        return ranks
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Samples of any series in the order of their arrival, until there are enough to be written by series.
///
/// All series share the same few columns. With arrays for each series, a load of very many series with few samples each
/// would need more memory for the arrays than for the samples.
struct CollectedSamples {
    /// The samples of one series.
    private struct Part {
        let series: SeriesID
        var count = 0
        /// True if the samples are consecutive rows.
        var isTogether = true
        /// The row of the first sample.
        var first = 0
        var isSorted = true
        var hasEnds = false
        /// Start and end of the last sample.
        var last: (start: Int64, end: Int64) = (.min, .min)
    }

    /// Rows from which memory for the maximum number is reserved.
    private static let many = 1 << 16

    private var parts: [Part] = []
    private var places: [SeriesID: Int] = [:]
    private var columns = SampleRows()
    /// The index in `parts` of each row; -1 for a removed row.
    private var owners: [Int32] = []

    /// The number of rows, including removed rows.
    var count: Int { columns.count }

    /// Adds samples of a series.
    ///
    /// - Parameters:
    ///   - ends: empty if all samples are points.
    ///   - most: the maximum number of rows.
    mutating func append(
        to id: SeriesID, _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>, isSorted: Bool, most: Int
    ) {
        let (old, added) = (count, starts.count)
        if added == 0 { return }
        if old + added > Self.many, columns.starts.capacity < most { reserve(most) }
        let place = place(of: id)
        let firstEnd = ends.isEmpty ? starts[0] : ends[0]
        if !isSorted || (starts[0], firstEnd) < parts[place].last { parts[place].isSorted = false }
        if parts[place].count == 0 { parts[place].first = old }
        if parts[place].first + parts[place].count != old { parts[place].isTogether = false }
        parts[place].count += added
        parts[place].hasEnds = parts[place].hasEnds || !ends.isEmpty
        parts[place].last = (starts[added - 1], ends.isEmpty ? starts[added - 1] : ends[added - 1])
        columns.append(starts, ends, values, 0..<added)
        owners.append(contentsOf: repeatElement(Int32(truncatingIfNeeded: place), count: added))
    }

    private mutating func reserve(_ count: Int) {
        columns.starts.reserveCapacity(count)
        if !columns.ends.isEmpty { columns.ends.reserveCapacity(count) }
        columns.values.reserveCapacity(count)
        owners.reserveCapacity(count)
    }

    private mutating func place(of id: SeriesID) -> Int {
        if let last = parts.last, last.series == id { return parts.count - 1 }
        if let known = places[id] { return known }
        parts.append(Part(series: id))
        places[id] = parts.count - 1
        return parts.count - 1
    }

    /// Removes the samples of one series and returns them in the order of their arrival. O(rows).
    mutating func take(_ id: SeriesID) -> (rows: SampleRows, isSorted: Bool)? {
        guard let place = places.removeValue(forKey: id) else { return nil }
        let part = parts[place]
        var order = [Int32]()
        order.reserveCapacity(part.count)
        for row in owners.indices where owners[row] == Int32(truncatingIfNeeded: place) {
            order.append(Int32(truncatingIfNeeded: row))
            owners[row] = -1
        }
        // The part stays, empty, because rows refer to parts by index.
        parts[place] = Part(series: SeriesID(rawValue: 0))
        return (rows(of: part, order[...]), part.isSorted)
    }

    /// Passes the samples of each series in the order of their arrival, the series ascending.
    /// O(rows + series * log series).
    func forEach(
        _ body: (SeriesID, SampleRows, _ isSorted: Bool) throws(StoreError) -> Void
    ) throws(StoreError) {
        let (order, ends) = order()
        for place in places.sorted(by: { $0.key < $1.key }).map(\.value) {
            let part = parts[place]
            let mine = part.isTogether ? [] : order[(ends[place] - part.count)..<ends[place]]
            try body(part.series, rows(of: part, mine), part.isSorted)
        }
    }

    /// Removes all samples and keeps the memory.
    mutating func removeAll() {
        parts = []
        places = [:]
        columns.starts.removeAll(keepingCapacity: true)
        columns.ends = []
        columns.values.removeAll(keepingCapacity: true)
        owners.removeAll(keepingCapacity: true)
    }

    /// Returns the row numbers sorted by part, and the end of each part among them; both empty if all parts are
    /// consecutive.
    private func order() -> (rows: [Int32], ends: [Int]) {
        if parts.allSatisfy(\.isTogether) { return ([], []) }
        var ends = [Int]()
        ends.reserveCapacity(parts.count)
        var end = 0
        for part in parts {
            ends.append(end)
            end += part.count
        }
        var rows = [Int32](repeating: 0, count: end)
        for (row, owner) in owners.enumerated() where owner >= 0 {
            rows[ends[Int(owner)]] = Int32(truncatingIfNeeded: row)
            ends[Int(owner)] += 1
        }
        return (rows, ends)
    }

    private func rows(of part: Part, _ order: ArraySlice<Int32>) -> SampleRows {
        var rows = SampleRows()
        if part.isTogether {
            let range = part.first..<part.first + part.count
            rows.starts = Array(columns.starts[range])
            if part.hasEnds { rows.ends = Array(columns.ends[range]) }
            rows.values = Array(columns.values[range])
        } else {
            rows.starts = order.map { columns.starts[Int($0)] }
            if part.hasEnds { rows.ends = order.map { columns.ends[Int($0)] } }
            rows.values = order.map { columns.values[Int($0)] }
        }
        return rows
    }
}

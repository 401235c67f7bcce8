// SPDX-License-Identifier: Apache-2.0

import Kernels

/// Samples of one series of a store from a start on, in columns.
struct SampleWindow {
    private(set) var starts: [Int64] = []
    private(set) var ends: [Int64] = []
    private(set) var values: [Double] = []
    private(set) var created: [Int64] = []
    private(set) var provenance: [Int64] = []
    private(set) var metadata: [Int64] = []
    private var high: [Int64] = []
    private var low: [Int64] = []
    /// Samples that start at this instant or later may be missing.
    private(set) var limit = Int64.max

    var count: Int { starts.count }

    /// Reads samples of some series.
    ///
    /// - Parameters:
    ///   - from: the first start.
    ///   - most: the number of samples after which no further batch is read.
    ///   - identities: whether to read identities.
    mutating func read(
        _ series: [SeriesID], from: Int64, most: Int, identities: Bool, _ snapshot: Snapshot
    ) throws(HealthStoreError) {
        clear()
        var this = self
        self = SampleWindow()
        try inEngine { () throws(StoreError) in
            try snapshot.scan(
                series, over: TimeRange(from, .max),
                columns: [.starts, .ends, .values, .created, .provenance, .metadata, .identity]
            ) { batch throws(StoreError) in
                this.append(batch, identities)
                return this.count < most
            }
        }
        if this.count >= most { this.limit = this.starts[this.count - 1] }
        self = this
    }

    private mutating func clear() {
        for column in [
            \SampleWindow.starts, \.ends, \.created, \.provenance, \.metadata, \.high, \.low,
        ] as [WritableKeyPath<SampleWindow, [Int64]>] { self[keyPath: column].removeAll(keepingCapacity: true) }
        values.removeAll(keepingCapacity: true)
        limit = .max
    }

    private mutating func append(_ batch: SampleBatch, _ hasIdentities: Bool) {
        let rows = 0..<batch.count
        batch.withColumns { starts, ends, values in
            Kernel.append(starts, rows, to: &self.starts)
            Kernel.append(ends, rows, to: &self.ends)
            Kernel.append(values, rows, to: &self.values)
        }
        Self.append(batch.created, rows, to: &created)
        Self.append(batch.provenance, rows, to: &provenance)
        Self.append(batch.metadata, rows, to: &metadata)
        if hasIdentities {
            Self.append(batch.identities.high, rows, to: &high)
            Self.append(batch.identities.low, rows, to: &low)
        } else {
            high.append(contentsOf: repeatElement(0, count: rows.count))
            low.append(contentsOf: repeatElement(0, count: rows.count))
        }
    }

    private static func append(_ column: BatchColumn, _ rows: Range<Int>, to array: inout [Int64]) {
        if let shared = column.shared {
            array.append(contentsOf: repeatElement(shared, count: rows.count))
        } else {
            for row in rows { array.append(column[row]) }
        }
    }

    /// Returns the identity of a row; zeros for none.
    func identity(_ row: Int) -> SampleIdentity { SampleIdentity(high: high[row], low: low[row]) }

    func hasIdentity(_ row: Int) -> Bool { high[row] != 0 || low[row] != 0 }

    /// Returns whether two rows have the same identity, times, value and time of creation.
    static func areEqual(_ a: borrowing SampleWindow, _ i: Int, _ b: borrowing SampleWindow, _ j: Int) -> Bool {
        a.starts[i] == b.starts[j] && a.low[i] == b.low[j] && a.high[i] == b.high[j] && a.ends[i] == b.ends[j]
            && a.values[i].bitPattern == b.values[j].bitPattern && a.created[i] == b.created[j]
    }

    /// The order in which rows with one start are compared: by identity, then by end and value.
    static func isBefore(_ a: borrowing SampleWindow, _ i: Int, _ b: borrowing SampleWindow, _ j: Int) -> Bool {
        if a.high[i] != b.high[j] { return a.high[i] < b.high[j] }
        if a.low[i] != b.low[j] { return a.low[i] < b.low[j] }
        if a.hasIdentity(i) { return false }
        if a.ends[i] != b.ends[j] { return a.ends[i] < b.ends[j] }
        return a.values[i].bitPattern < b.values[j].bitPattern
    }
}

// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kymograph

// Samples have no identity in an export, so two samples are equal if all their fields are. Multiplicity counts: a
// stored row matches one row of a load, and the match is recorded for later batches of the load.
extension HealthLoader {
    /// Removes the rows that are stored already, each as often as it is stored.
    func removeStored(_ rows: inout HealthRows, _ id: SeriesID) throws(HealthStoreError) {
        guard let first = rows.starts.first, let last = rows.starts.last else { return }
        let range = TimeRange(first, last &+ 1)
        var match = StoredMatch(rows)
        try inEngine { () throws(StoreError) in
            try baseline.forEachBlock(
                of: id, startingIn: range, columns: [.starts, .ends, .values, .created, .provenance, .metadata]
            ) { place, batch throws(StoreError) in
                match.take(batch, &met[place])
            }
        }
        if match.count > 0 { match.removeMatched(from: &rows) }
    }
}

/// The rows of a batch that are stored already.
struct StoredMatch {
    private let rows: HealthRows
    private var isMatched: [Bool]
    private(set) var count = 0
    /// The rows of one instant with many rows, by all other fields.
    private var crowd: (start: Int64, rows: [RowKey: [Int]]) = (0, [:])
    /// The number of rows of one instant from which a dictionary is used.
    private static let crowded = 32

    /// The fields of a row other than its start.
    private struct RowKey: Hashable {
        var end: Int64
        var value: UInt64
        var created: Int64
        var provenance: Int64
        var metadata: Int64
    }

    init(_ rows: HealthRows) {
        self.rows = rows
        isMatched = [Bool](repeating: false, count: rows.count)
    }

    /// Matches the rows of a block that are not matched yet.
    mutating func take(_ block: SampleBatch, _ met: inout [UInt64]?) {
        let columns = Columns(block)
        var at = lowerBound(block.start(at: 0))
        for row in 0..<block.count {
            let start = block.start(at: row)
            // Skips the matched rows of this instant.
            while at < rows.count, rows.starts[at] < start || (rows.starts[at] == start && isMatched[at]) { at += 1 }
            if at == rows.count { return }
            guard rows.starts[at] == start, met.map({ $0[row >> 6] >> UInt64(row & 63) & 1 == 0 }) ?? true,
                let found = find(columns.key(row), start, at)
            else { continue }
            isMatched[found] = true
            count += 1
            if met == nil { met = [UInt64](repeating: 0, count: (block.count + 63) / 64) }
            met?[row >> 6] |= 1 << UInt64(row & 63)
        }
    }

    /// Returns an equal, unmatched row at or after `at`; nil if there is none.
    private mutating func find(_ key: RowKey, _ start: Int64, _ at: Int) -> Int? {
        let far = at + Self.crowded
        if far < rows.count, rows.starts[far] == start { return findInCrowd(key, start, at) }
        var other = at
        while other < rows.count, rows.starts[other] == start {
            if !isMatched[other], self.key(other) == key { return other }
            other += 1
        }
        return nil
    }

    private mutating func findInCrowd(_ key: RowKey, _ start: Int64, _ at: Int) -> Int? {
        if crowd.start != start || crowd.rows.isEmpty {
            crowd = (start, [:])
            var other = at
            while other < rows.count, rows.starts[other] == start {
                if !isMatched[other] { crowd.rows[self.key(other), default: []].append(other) }
                other += 1
            }
        }
        while let found = crowd.rows[key]?.popLast() {
            if !isMatched[found] { return found }
        }
        return nil
    }

    private func key(_ row: Int) -> RowKey {
        RowKey(
            end: rows.ends[row], value: rows.values[row].bitPattern, created: rows.created[row],
            provenance: rows.provenance[row], metadata: rows.metadata[row])
    }

    /// The columns of a block; an absent column has the values that a load writes.
    private struct Columns {
        let block: SampleBatch
        let created: BatchColumn
        let provenance: BatchColumn
        let metadata: BatchColumn

        init(_ block: SampleBatch) {
            self.block = block
            created = block.created
            provenance = block.provenance
            metadata = block.metadata
        }

        func key(_ row: Int) -> RowKey {
            let sample = block[row]
            return RowKey(
                end: sample.end, value: sample.value.bitPattern,
                created: created.value(at: row) ?? HealthRows.noDate, provenance: provenance[row],
                metadata: metadata[row])
        }
    }

    private func lowerBound(_ start: Int64) -> Int {
        (0..<rows.count).partitioningIndex { rows.starts[$0] >= start }
    }

    /// Removes the matched rows.
    func removeMatched(from rows: inout HealthRows) {
        let kept = isMatched.indices.filter { !isMatched[$0] }
        rows.starts = kept.map { rows.starts[$0] }
        rows.ends = kept.map { rows.ends[$0] }
        rows.values = kept.map { rows.values[$0] }
        rows.created = kept.map { rows.created[$0] }
        rows.provenance = kept.map { rows.provenance[$0] }
        rows.metadata = kept.map { rows.metadata[$0] }
    }
}

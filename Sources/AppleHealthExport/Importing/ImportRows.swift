// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kernels
import KymographHealth

/// Samples of all series, collected in columns, and sorted by series and time before they are written.
struct ImportRows {
    /// The number of samples collected before they are written; 44 bytes each.
    static let capacity = 250_000

    /// The maximum number of samples per call of the loader, which takes more memory for each.
    private static let piece = 8_192

    private var starts: [Int64] = []
    private var ends: [Int64] = []
    private var values: [Double] = []
    private var created: [Int64] = []
    private var provenance: [Int32] = []
    private var metadata: [Int32] = []
    private var series: [Int32] = []
    private let capacity: Int
    /// The columns that are set aside, in the order of `columns`; empty if they are in memory.
    private var aside: [PendingBodies.Place] = []

    init(capacity: Int) { self.capacity = capacity }

    var isFull: Bool { starts.count >= capacity }

    /// One sample.
    struct Row {
        var start: Int64
        var end: Int64
        var value: Double
        var created: Int64
        /// A row of the provenance table.
        var provenance: Int32
        /// A local number of the loader.
        var metadata: Int32
        /// A slot of the loader.
        var series: Int32
    }

    @inline(__always)
    mutating func append(_ row: Row) {
        if starts.capacity == 0 { reserve() }
        starts.append(row.start)
        ends.append(row.end)
        values.append(row.value)
        created.append(row.created)
        provenance.append(row.provenance)
        metadata.append(row.metadata)
        series.append(row.series)
    }

    /// Reserves the memory at once; unused pages take no memory.
    private mutating func reserve() {
        starts.reserveCapacity(capacity)
        ends.reserveCapacity(capacity)
        values.reserveCapacity(capacity)
        created.reserveCapacity(capacity)
        provenance.reserveCapacity(capacity)
        metadata.reserveCapacity(capacity)
        series.reserveCapacity(capacity)
    }

    /// Writes all rows with the loader, series by series, and removes them.
    mutating func flush(to loader: HealthLoader) throws(HealthStoreError) {
        try restore(from: loader)
        if starts.isEmpty { return }
        try loader.resolveMetadata()
        let (order, bounds) = bySeries()
        let slots = bounds.indices.dropLast().filter { bounds[$0] < bounds[$0 + 1] }
        for slot in slots.sorted(by: { loader.isBefore($0, $1) }) {
            var places = sorted(order[bounds[slot]..<bounds[slot + 1]])
            while !places.isEmpty {
                try loader.write(rows(places.prefix(Self.piece), loader), to: slot)
                places = places.dropFirst(Self.piece)
            }
        }
        starts.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        created.removeAll(keepingCapacity: true)
        provenance.removeAll(keepingCapacity: true)
        metadata.removeAll(keepingCapacity: true)
        series.removeAll(keepingCapacity: true)
    }

    private static var wide: [WritableKeyPath<ImportRows, [Int64]>] { [\.starts, \.ends, \.created] }
    private static var narrow: [WritableKeyPath<ImportRows, [Int32]>] { [\.provenance, \.metadata, \.series] }

    /// Moves the rows out of the memory until they are written, if there are many: the documents of an export, which
    /// follow its records, need memory of their own.
    ///
    /// - Ordering: after the last `append` before `flush`.
    mutating func setAside(in loader: HealthLoader) throws(HealthStoreError) {
        guard aside.isEmpty, starts.count > capacity / 8 else { return }
        for column in Self.wide {
            aside.append(try loader.setAside(Kernel.bytes(of: self[keyPath: column])))
            self[keyPath: column] = []
        }
        for column in Self.narrow {
            aside.append(try loader.setAside(Kernel.bytes(of: self[keyPath: column])))
            self[keyPath: column] = []
        }
        aside.append(try loader.setAside(Kernel.bytes(of: values)))
        values = []
    }

    /// Reads the rows that were set aside.
    private mutating func restore(from loader: HealthLoader) throws(HealthStoreError) {
        if aside.isEmpty { return }
        var places = aside[...]
        aside = []
        // The documents and routes took memory in pieces that are too small for the columns.
        UnusedMemory.release()
        for column in Self.wide { self[keyPath: column] = try Self.read(&places, loader) }
        for column in Self.narrow { self[keyPath: column] = try Self.read(&places, loader) }
        values = try Self.read(&places, loader)
    }

    /// Reads the next column that was set aside.
    private static func read<Number: BitwiseCopyable & ExpressibleByIntegerLiteral>(
        _ places: inout ArraySlice<PendingBodies.Place>, _ loader: HealthLoader
    ) throws(HealthStoreError) -> [Number] {
        guard let place = places.popFirst() else { return [] }
        return Kernel.numbers(try loader.bytes(setAsideAt: place))
    }

    /// Returns the places of all samples, sorted by slot and by their order in the file, and the start of each slot.
    private func bySeries() -> (order: [Int32], bounds: [Int]) {
        var bounds = [Int](repeating: 0, count: Int(series.max() ?? 0) + 2)
        for slot in series { bounds[Int(slot) + 1] += 1 }
        for slot in bounds.indices.dropFirst() { bounds[slot] += bounds[slot - 1] }
        var next = bounds
        var order = [Int32](repeating: 0, count: series.count)
        for (place, slot) in series.enumerated() {
            order[next[Int(slot)]] = Int32(truncatingIfNeeded: place)
            next[Int(slot)] += 1
        }
        return (order, bounds)
    }

    /// Returns places sorted by start, then end, then order in the file.
    ///
    /// Files are nearly sorted: rows out of order are removed, sorted, and merged again.
    private func sorted(_ places: ArraySlice<Int32>) -> ArraySlice<Int32> {
        var kept: [Int32] = []
        var late: [Int32] = []
        var highest = (Int64.min, Int64.min)
        for (done, place) in places.enumerated() {
            let key = (starts[Int(place)], ends[Int(place)])
            if key < highest {
                if late.isEmpty { kept = Array(places.prefix(done)) }
                late.append(place)
            } else {
                highest = key
                if !late.isEmpty { kept.append(place) }
            }
        }
        if late.isEmpty { return places }
        late.sort { precedes($0, $1) || (!precedes($1, $0) && $0 < $1) }
        var result: [Int32] = []
        result.reserveCapacity(places.count)
        var at = 0
        for place in late {
            // Equal rows keep the order of the file.
            while at < kept.count, !precedes(place, kept[at]) {
                result.append(kept[at])
                at += 1
            }
            result.append(place)
        }
        result.append(contentsOf: kept[at...])
        return result[...]
    }

    @inline(__always)
    private func precedes(_ a: Int32, _ b: Int32) -> Bool {
        let (a, b) = (Int(a), Int(b))
        return starts[a] != starts[b] ? starts[a] < starts[b] : ends[a] < ends[b]
    }

    private func rows(_ places: ArraySlice<Int32>, _ loader: HealthLoader) -> HealthRows {
        var rows = HealthRows()
        rows.starts = places.map { starts[Int($0)] }
        rows.ends = places.map { ends[Int($0)] }
        rows.values = places.map { values[Int($0)] }
        rows.created = places.map { created[Int($0)] }
        rows.provenance = places.map { Int64(provenance[Int($0)]) }
        rows.metadata = places.map { loader.metadataRow(metadata[Int($0)]) }
        return rows
    }
}

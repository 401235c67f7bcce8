// SPDX-License-Identifier: Apache-2.0

import Bytes

/// Rows of series, packed in a few arrays: a study has millions of series, and a separate row needs four allocations.
///
/// A collection of `SeriesRow`; each element is unpacked on access.
package struct SeriesRows: Sendable, Equatable {
    package private(set) var ids: [Int64] = []
    private var kinds: [UInt8] = []
    /// For each row: the name, a NUL and the labels' text.
    private var text: [UInt8] = []
    /// The end of each row's text.
    private var ends: [Int] = []

    package init() {}

    package init(_ rows: some Sequence<SeriesRow>) {
        for row in rows { append(row) }
    }

    package mutating func append(_ row: SeriesRow) {
        let labels = Labels.encode(row.labels)
        append(id: row.id, kind: row.kind, name: row.name.utf8.span, labels: labels.utf8.span)
    }

    /// - Parameter labels: canonical, as `Labels.encode` writes them.
    mutating func append(id: Int64, kind: UInt8, name: Span<UInt8>, labels: Span<UInt8>) {
        text.append(copying: name)
        text.append(0)
        text.append(copying: labels)
        ids.append(id)
        kinds.append(kind)
        ends.append(text.count)
    }

    /// Appends a range of rows of another collection.
    package mutating func append(_ rows: SeriesRows, _ range: Range<Int>) {
        if range.isEmpty { return }
        let from = rows.first(of: range.lowerBound)
        let shift = text.count - from
        ids.append(contentsOf: rows.ids[range])
        kinds.append(contentsOf: rows.kinds[range])
        text.append(contentsOf: rows.text[from..<rows.ends[range.upperBound - 1]])
        ends.append(contentsOf: rows.ends[range].lazy.map { $0 + shift })
    }

    /// Returns the rows whose ids `isWanted` accepts.
    package func filtered(_ isWanted: (Int64) -> Bool) -> SeriesRows {
        var rows = SeriesRows()
        for (place, id) in ids.enumerated() where isWanted(id) { rows.append(self, place..<place + 1) }
        return rows
    }

    /// Inserts a row at its position in the order of ids, or replaces the row with the same id.
    ///
    /// - Requires: ascending ids.
    /// - Parameter labels: canonical, as `Labels.encode` writes them.
    package mutating func put(id: Int64, kind: UInt8, name: String, labels: String) {
        let (name, labels) = (name.utf8.span, labels.utf8.span)
        if id > ids.last ?? .min { return append(id: id, kind: kind, name: name, labels: labels) }
        let place = insertion(of: id)
        let known = ids[place] == id ? 1 : 0
        var all = SeriesRows()
        all.append(self, 0..<place)
        all.append(id: id, kind: kind, name: name, labels: labels)
        all.append(self, place + known..<count)
        self = all
    }

    /// Releases unused capacity.
    package mutating func shrink() {
        ids = ids.exact
        kinds = kinds.exact
        text = text.exact
        ends = ends.exact
    }

    /// Returns the index of an id, or nil. O(1) if the ids have no gap, else O(log n).
    ///
    /// - Requires: ascending ids.
    package func place(of id: Int64) -> Int? {
        guard let first = ids.first, id >= first else { return nil }
        let (distance, overflow) = id.subtractingReportingOverflow(first)
        if !overflow, distance < ids.count, ids[Int(distance)] == id { return Int(distance) }
        let place = insertion(of: id)
        return place < ids.count && ids[place] == id ? place : nil
    }

    /// Returns the first index whose id is not less than `id`.
    private func insertion(of id: Int64) -> Int { (0..<ids.count).partitioningIndex { ids[$0] >= id } }

    package func kind(at place: Int) -> UInt8 { kinds[place] }

    /// Returns the name and the canonical text of the labels.
    package func texts(at place: Int) -> (name: String, labels: String) {
        let all = text[first(of: place)..<ends[place]]
        // Canonical labels contain no NUL.
        let middle = all.lastIndex(of: 0) ?? all.endIndex
        return (
            String(decoding: all[..<middle], as: UTF8.self), String(decoding: all[middle...].dropFirst(), as: UTF8.self)
        )
    }

    private func first(of place: Int) -> Int { place == 0 ? 0 : ends[place - 1] }
}

extension SeriesRows: RandomAccessCollection, MutableCollection, ExpressibleByArrayLiteral {
    package var startIndex: Int { 0 }
    package var endIndex: Int { ids.count }

    package init(arrayLiteral rows: SeriesRow...) { self.init(rows) }

    /// Reading costs O(text of the row), writing O(text of all).
    package subscript(place: Int) -> SeriesRow {
        get {
            let (name, labels) = texts(at: place)
            return SeriesRow(id: ids[place], name: name, labels: Labels.decode(labels) ?? [:], kind: kinds[place])
        }
        set {
            var all = SeriesRows()
            all.append(self, 0..<place)
            all.append(newValue)
            all.append(self, place + 1..<count)
            self = all
        }
    }
}

extension RowReader {
    /// Appends the row of `SELECT id,kind,name,labels` to `rows`.
    func series(to rows: inout SeriesRows) throws(CatalogError) {
        let (id, kind, _, _, _) = try ints(0..<2)
        // SQLite does not check the order of the rows that it reads.
        let last = rows.ids.last ?? 0
        try require(id > last, "series \(id) follows series \(last); run verify, then repair the store")
        try require(0...255 ~= kind, "the kind of series \(id) is \(kind), outside 0 to 255")
        try withText(2) { name throws(CatalogError) in
            try withText(3) { labels throws(CatalogError) in
                try require(Labels.isCanonical(labels), "the labels of series \(id) cannot be read")
                rows.append(id: id, kind: UInt8(kind), name: name, labels: labels)
            }
        }
    }
}

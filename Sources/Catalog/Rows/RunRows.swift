// SPDX-License-Identifier: Apache-2.0

/// Rows of runs, packed in a few arrays: a study's segment has a run for each of very many series, and most bytes of a
/// summary are zero or repeated.
///
/// A collection of `RunRow`; each element is unpacked on access.
package struct RunRows: Sendable, Equatable {
    package private(set) var series: [Int64] = []
    private var packed = PackedWords()
    /// The end of each row's packed words.
    private var ends: [Int] = []
    /// The words of the first row, the model for packing the others: runs of one segment often have equal times.
    private var first: [UInt64] = []
    /// Maximum number of words in a model; a row of the current format has 27.
    private static let mostModelWords = 32

    package init() {}

    package init(_ rows: some Sequence<RunRow>) {
        for row in rows { append(row) }
    }

    package mutating func append(_ row: RunRow) {
        append(
            series: row.series, row.rootOffset, row.rootLength, levels: row.levels, blocks: row.blocks,
            summary: row.summary.span)
    }

    mutating func append(
        series one: Int64, _ rootOffset: Int64, _ rootLength: Int64, levels: Int, blocks: Int64, summary: Span<UInt8>
    ) {
        /// Returns word `number` of the summary: eight bytes, little-endian.
        func word(_ number: Int) -> UInt64 {
            let first = 8 * number
            if first + 8 <= summary.count { return summary.word(at: first) }
            var word: UInt64 = 0
            for at in first..<summary.count { word |= UInt64(summary[at]) << UInt64(8 * (at - first)) }
            return word
        }
        let words = (summary.count + 7) / 8
        var packer = WordPacker(like: first)
        packer.put(UInt64(bitPattern: rootOffset), UInt64(bitPattern: rootLength), into: &packed)
        packer.put(UInt64(bitPattern: Int64(levels)), UInt64(bitPattern: blocks), into: &packed)
        packer.put(UInt64(summary.count), words > 0 ? word(0) : 0, into: &packed)
        for number in stride(from: 1, to: words, by: 2) {
            packer.put(word(number), number + 1 < words ? word(number + 1) : 0, into: &packed)
        }
        if series.isEmpty {
            var unpacker = WordUnpacker(packed, at: 0, like: [])
            first = (0..<Swift.min(5 + words, Self.mostModelWords)).map { _ in unpacker.next() }
        }
        series.append(one)
        ends.append(packed.count)
    }

    /// Unpacks the row at `place`: the summary into an array whose memory is reused, the other columns as the result.
    package func unpack(
        _ place: Int, summary: inout [UInt8]
    ) -> (rootOffset: Int64, rootLength: Int64, levels: Int, blocks: Int64) {
        var unpacker = WordUnpacker(packed, at: place == 0 ? 0 : ends[place - 1], like: place == 0 ? [] : first)
        let rootOffset = Int64(bitPattern: unpacker.next())
        let rootLength = Int64(bitPattern: unpacker.next())
        let levels = Int(Int64(bitPattern: unpacker.next()))
        let blocks = Int64(bitPattern: unpacker.next())
        let length = Int(unpacker.next())
        let padded = (length + 7) / 8 * 8
        if summary.count != padded { summary = [UInt8](repeating: 0, count: padded) }
        var output = summary.mutableSpan
        for at in stride(from: 0, to: padded, by: 8) { output.put(unpacker.next(), at: at) }
        summary.removeLast(padded - length)
        return (rootOffset, rootLength, levels, blocks)
    }

    /// Releases unused capacity.
    package mutating func shrink() {
        series = series.exact
        packed.shrink()
        ends = ends.exact
    }

    private func row(_ place: Int) -> RunRow {
        var summary = [UInt8]()
        let rest = unpack(place, summary: &summary)
        return RunRow(
            series: series[place], rootOffset: rest.rootOffset, rootLength: rest.rootLength, levels: rest.levels,
            blocks: rest.blocks, summary: summary)
    }
}

extension RowReader {
    /// Appends the row of `SELECT ...,series,root_offset,root_length,levels,blocks,summary` to `rows`.
    ///
    /// - Parameter column: the column of `series`.
    func run(from column: Int, to rows: inout RunRows) throws(CatalogError) {
        let (series, rootOffset, rootLength, levels, blocks) = try ints(column..<column + 5)
        let last = rows.series.last ?? 0
        try require(
            series > last,
            "the run of series \(series) follows the run of series \(last); run verify, then repair the store")
        try require(rootOffset >= 0, "the root of a run of series \(series) is at \(rootOffset)")
        try require(rootLength >= 0, "the root of a run of series \(series) has \(rootLength) bytes")
        try require(0...255 ~= levels, "a run of series \(series) has \(levels) levels")
        try require(blocks >= 0, "a run of series \(series) has \(blocks) blocks")
        try withBlob(column + 5) { summary throws(CatalogError) in
            rows.append(
                series: series, rootOffset, rootLength, levels: Int(levels), blocks: blocks, summary: summary)
        }
    }
}

extension RunRows: RandomAccessCollection, MutableCollection, ExpressibleByArrayLiteral {
    package var startIndex: Int { 0 }
    package var endIndex: Int { series.count }

    package init(arrayLiteral rows: RunRow...) { self.init(rows) }

    /// Reading costs O(1), writing O(rows).
    package subscript(place: Int) -> RunRow {
        get { row(place) }
        set {
            var rows = Array(self)
            rows[place] = newValue
            self = RunRows(rows)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Rows of runs in a few arrays: a segment of a study has a run for each of very many series, and most of a summary's
/// bytes are zeros or repeated.
///
/// A collection of `RunRow`, which are put together when they are asked for.
package struct RunRows: Sendable, Equatable {
    /// The series of each run.
    package private(set) var series: [Int64] = []
    private var bytes: [UInt8] = []
    /// Where the packed words of each row end.
    private var ends: [Int] = []

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
        /// The word of eight bytes of the summary, the first of which counts least.
        func word(_ number: Int) -> UInt64 {
            let first = 8 * number
            if first + 8 <= summary.count { return summary.word(at: first) }
            var word: UInt64 = 0
            for at in first..<summary.count { word |= UInt64(summary[at]) << UInt64(8 * (at - first)) }
            return word
        }
        let words = (summary.count + 7) / 8
        bytes.append(addingCapacity: (3 + (words + 1) / 2) * WordPacker.mostBytes) { output in
            var packer = WordPacker()
            packer.put(UInt64(bitPattern: rootOffset), UInt64(bitPattern: rootLength), into: &output)
            packer.put(UInt64(bitPattern: Int64(levels)), UInt64(bitPattern: blocks), into: &output)
            packer.put(UInt64(summary.count), words > 0 ? word(0) : 0, into: &output)
            for number in stride(from: 1, to: words, by: 2) {
                packer.put(word(number), number + 1 < words ? word(number + 1) : 0, into: &output)
            }
        }
        series.append(one)
        ends.append(bytes.count)
    }

    /// Puts the summary of a row into an array, whose memory is used further, and gives the rest of the row.
    package func unpack(
        _ place: Int, summary: inout [UInt8]
    ) -> (rootOffset: Int64, rootLength: Int64, levels: Int, blocks: Int64) {
        let bytes = bytes.span
        var unpacker = WordUnpacker(at: place == 0 ? 0 : ends[place - 1])
        let rootOffset = Int64(bitPattern: unpacker.next(bytes))
        let rootLength = Int64(bitPattern: unpacker.next(bytes))
        let levels = Int(Int64(bitPattern: unpacker.next(bytes)))
        let blocks = Int64(bitPattern: unpacker.next(bytes))
        let length = Int(unpacker.next(bytes))
        let padded = (length + 7) / 8 * 8
        if summary.count != padded { summary = [UInt8](repeating: 0, count: padded) }
        var target = summary.mutableSpan
        var output = target.mutableBytes
        for at in stride(from: 0, to: padded, by: 8) {
            output.storeBytes(of: unpacker.next(bytes).littleEndian, toByteOffset: at, as: UInt64.self)
        }
        summary.removeLast(padded - length)
        return (rootOffset, rootLength, levels, blocks)
    }

    /// Gives back memory that was taken for rows to come.
    package mutating func shrink() {
        series = Array(series[...])
        bytes = Array(bytes[...])
        ends = Array(ends[...])
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
    /// Appends the row of `SELECT ...,series,root_offset,root_length,levels,blocks,summary` from a column on to others.
    func run(from column: Int, to rows: inout RunRows) throws {
        let series = try int(column, in: 1...Int64.max, "the series of a run")
        let rootOffset = try int(column + 1, in: 0...Int64.max, "the root of a run")
        let rootLength = try int(column + 2, in: 0...Int64.max, "the root length of a run")
        let levels = try int(column + 3, in: 0...255, "the levels of a run")
        let blocks = try int(column + 4, in: 0...Int64.max, "the blocks of a run")
        try withBlob(column + 5) { summary in
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

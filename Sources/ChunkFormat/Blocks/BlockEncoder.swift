// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import ColumnCodec
package import Kernels

/// Encodes samples as the bytes of blocks.
///
/// The encoder adapts to previous blocks, so one encoder serves consecutive blocks of one series. Equal blocks in equal
/// order give equal bytes.
package struct BlockEncoder {
    /// The result of encoding a block.
    package struct Result {
        package let summary: Summary
        /// The encoding of each column, in the order on disk.
        package let choices: [(column: String, choice: ColumnChoice)]
    }

    var unitChecksum = UnitChecksum()
    var values = RealColumnEncoder()
    var integers = [IntegerColumnEncoder](repeating: IntegerColumnEncoder(), count: Candidate.count)
    var trials = [ByteWriter](repeating: ByteWriter(capacity: 2048), count: 3)
    var scratch: [[Int64]] = [[], [], []]
    var choices: [(column: String, choice: ColumnChoice)] = []

    package init() {}

    /// Discards what the encoder learned from previous blocks, before it encodes another series.
    package mutating func forget() {
        values.forget()
        for index in integers.indices { integers[index].forget() }
    }

    /// Appends the block of `buffer` to a writer. Takes about 10 ns per sample.
    ///
    /// - Requires: 1 to 6,144 samples; ascending starts; no end before its start; finite values; side columns at least
    ///   as long as the block.
    /// - Throws: `misuse` if a requirement is not met; then nothing is written.
    package mutating func encode(
        _ buffer: BlockBuffer, identity: BlockIdentity, into writer: inout ByteWriter
    ) throws(FormatError) -> Result {
        let start = writer.count
        let result = try draft(buffer, series: identity.series, position: identity.position, into: &writer)
        do {
            try unitChecksum.close(&writer, from: start, of: identity)
        } catch {
            writer.bytes.removeSubrange(start...)
            throw error
        }
        return result
    }

    /// Appends the block of `buffer` without its trailer; `UnitChecksum.close` adds it once the block's position is
    /// known. Otherwise like `encode(_:identity:into:)`.
    ///
    /// - Parameter position: used only in error messages.
    package mutating func draft(
        _ buffer: BlockBuffer, series: UInt64, position: UInt64 = 0, into writer: inout ByteWriter
    ) throws(FormatError) -> Result {
        try Self.check(buffer)
        let start = writer.count
        let born = buffer.born.bounds(count: buffer.count) ?? (0, 0)
        let summary = Kernel.summarize(
            starts: buffer.starts, ends: buffer.hasEnds ? buffer.ends : nil, values: buffer.values,
            range: 0..<buffer.count, minBorn: born.least, maxBorn: born.greatest)
        var header = BlockHeader(
            count: buffer.count, length: 0, series: series, endFromNextStart: false, createdBase: .absolute,
            forms: 0, grid: buffer.grid.rawValue)
        choices.removeAll(keepingCapacity: true)
        values.favorsSize = buffer.grid == .count
        for index in integers.indices { integers[index].favorsSize = buffer.grid == .count }
        for _ in 0..<BlockHeader.size { writer.put(UInt8(0)) }
        encodeColumns(buffer, &header, &writer)
        header.length = writer.count - start + SegmentFormat.trailerBytes
        guard header.length <= SegmentFormat.maximumBlockBytes else {
            writer.bytes.removeSubrange(start...)
            throw FormatError(.misuse, at: position, "a block of \(header.length) bytes")
        }
        header.write(into: &writer.bytes, at: start)
        return Result(summary: summary, choices: choices)
    }

    private static func check(_ buffer: BlockBuffer) throws(FormatError) {
        func refuse(_ what: String) -> FormatError { FormatError(.misuse, at: 0, what) }
        let count = buffer.count
        guard count >= 1, count <= SegmentFormat.maximumSamples else { throw refuse("a block of \(count) samples") }
        guard buffer.starts.count >= count, buffer.values.count >= count, !buffer.hasEnds || buffer.ends.count >= count
        else { throw refuse("columns shorter than the block") }
        guard Kernel.isAscending(buffer.starts, 0..<count) else {
            throw refuse("samples that are not in the order of their starts")
        }
        guard !buffer.hasEnds || ColumnLoop.neverBefore(buffer.ends, buffer.starts, count: count) else {
            throw refuse("a sample that ends before it starts")
        }
        guard Kernel.allFinite(buffer.values, 0..<count) else { throw refuse("a value that is not finite") }
        for column in [buffer.created, buffer.provenance, buffer.metadata, buffer.born] {
            guard column.isLongEnough(count) else { throw refuse("a side column shorter than the block") }
        }
        guard buffer.identityHigh.isLongEnough(count), buffer.identityLow.isLongEnough(count),
            buffer.identityHigh.isAbsent == buffer.identityLow.isAbsent
        else { throw refuse("half an identity, or one shorter than the block") }
    }
}

extension IntColumn {
    func isLongEnough(_ count: Int) -> Bool {
        if case .values(let array) = self { array.count >= count } else { true }
    }
}

extension BlockHeader {
    /// Writes the fixed part over bytes that already exist.
    func write(into bytes: inout [UInt8], at: Int) {
        bytes[at] = UnitKind.block.rawValue
        bytes[at + 1] = flagByte
        store(UInt64(count), 2, into: &bytes, at: at + 2)
        store(UInt64(length), 4, into: &bytes, at: at + 4)
        store(series, 8, into: &bytes, at: at + 8)
        store(UInt64(forms), 2, into: &bytes, at: at + 16)
        bytes[at + 18] = grid
    }

    private func store(_ number: UInt64, _ size: Int, into bytes: inout [UInt8], at: Int) {
        for index in 0..<size { bytes[at + index] = UInt8(truncatingIfNeeded: number >> UInt64(index * 8)) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec
import Glibc
import Kernels

@testable import ChunkFormat

/// Decodes blocks as the rooms do and compares with the naive decoder. One decoder and one buffer serve an input and
/// its variants, as they serve many blocks in a store.
struct BlockChecker {
    private var decoder = BlockDecoder()
    private let buffer = BlockBuffer()

    private static let sets: [ColumnSet] = [
        [.starts], [.values], [.starts, .values], [.starts, .ends, .values], [.created], [.ends, .born],
        [.identity, .metadata],
    ]

    mutating func check(_ bytes: [UInt8], isInput: Bool, choice: UInt64) {
        let expected: Result<NaiveBlock?, any Error> = Result { try NaiveBlock(bytes, series: Checksums.series) }
        check(bytes, worth: expected, isInput: isInput, choice: choice)
    }

    /// Checks an input on every level and with every choice of columns, and a variant on some, chosen by `choice`.
    ///
    /// - Parameter expected: the naive decoder's block; nil where the two decoders may differ.
    mutating func check(
        _ bytes: [UInt8], worth expected: Result<NaiveBlock?, any Error>, isInput: Bool, choice: UInt64
    ) {
        var whole = (try? expected.get()) ?? nil
        defer { Kernel.force(level: -1) }
        if !isInput {
            let level = Int(choice & 0xFF) % (Kernel.highestLevel + 1)
            Kernel.force(level: level)
            let spare = choice >> 8 & 3 == 0 ? 0 : SegmentFormat.spareBytes
            let given = Exact.copy(of: bytes, 0..<bytes.count, spare: spare)
            compare(given, bytes.count, expected, level, &whole)
            // In a refused block each part may be valid or not.
            switch choice >> 10 & 7 {
            case 0: sink(given, bytes.count, whole)
            case 1: _ = try? BlockAnatomy(given, at: 0)
            case 2, 3: part(given, bytes.count, Self.sets[Int(choice >> 16 & 0xFF) % Self.sets.count], whole)
            default: break
            }
            return
        }
        let exact = Exact.copy(of: bytes, 0..<bytes.count)
        let padded = Exact.copy(of: bytes, 0..<bytes.count, spare: SegmentFormat.spareBytes)
        for level in 0...Kernel.highestLevel {
            Kernel.force(level: level)
            compare(level == 1 ? exact : padded, bytes.count, expected, level, &whole)
        }
        Kernel.force(level: -1)
        for columns in Self.sets { part(padded, bytes.count, columns, whole) }
        sink(padded, bytes.count, whole)
        _ = try? BlockAnatomy(exact, at: 0)
    }

    private mutating func compare(
        _ bytes: [UInt8], _ length: Int, _ expected: Result<NaiveBlock?, any Error>, _ level: Int,
        _ whole: inout NaiveBlock?
    ) {
        switch (decode(bytes, length, .all), expected) {
        case (nil, .success(let block?)): require(block.isSame(as: buffer, .all), "level \(level): different samples")
        case (nil, .success(nil)): finding("LZ4 that the naive decoder refuses")
        case (nil, .failure(let why)): finding("decoded a block that the format refuses: \(why)")
        case (let error?, .success(.some)) where NaiveLZ4.isRefusal(error.what): whole = nil
        case (let error?, .success(.some)): finding("refused a block that the format allows: \(error)")
        case (.some, _): break
        }
    }

    /// Decodes into a buffer that does not already have the samples. Returns the error of a refused block, or nil.
    private mutating func decode(_ bytes: [UInt8], _ length: Int, _ columns: ColumnSet) -> FormatError? {
        unsafe buffer.starts.withUnsafeMutableBytes { unsafe _ = memset($0.baseAddress!, 0x5E, $0.count) }
        unsafe buffer.ends.withUnsafeMutableBytes { unsafe _ = memset($0.baseAddress!, 0x5E, $0.count) }
        unsafe buffer.values.withUnsafeMutableBytes { unsafe _ = memset($0.baseAddress!, 0x5E, $0.count) }
        do throws(FormatError) {
            try decoder.decode(
                bytes, at: 0, length: length, identity: Checksums.identity(), columns: columns, into: buffer)
        } catch {
            require(buffer.count == 0, "samples after an error")
            return error
        }
        return nil
    }

    /// Checks that some columns decoded alone equal those of the whole block.
    private mutating func part(_ bytes: [UInt8], _ length: Int, _ columns: ColumnSet, _ whole: NaiveBlock?) {
        let error = decode(bytes, length, columns)
        guard let whole else { return }
        require(error == nil, "refused some columns of a valid block")
        require(buffer.decoded.isSuperset(of: columns), "columns were not decoded")
        require(whole.isSame(as: buffer, buffer.decoded), "columns \(columns.rawValue) decoded alone differ")
    }

    /// Decodes samples directly into arrays: all of them, and those of a range.
    private mutating func sink(_ bytes: [UInt8], _ length: Int, _ whole: NaiveBlock?) {
        guard let whole, let middle = whole.starts.dropFirst(whole.starts.count / 2).first
        else { return }
        for range in [Int64.min..<Int64.max, middle..<Int64.max] {
            var (starts, values) = ([Int64](), [Double]())
            do throws(FormatError) {
                try SampleSink.append(whole.starts.count, to: &starts, &values) { (sink) throws(FormatError) in
                    try decoder.decode(
                        bytes, at: 0, length: length, identity: Checksums.identity(), startingIn: range,
                        into: sink.rows(from: 0, whole.starts.count))
                }
            } catch { finding("a valid block cannot be decoded into arrays: \(error)") }
            let rows = whole.starts.indices.filter { range.contains(whole.starts[$0]) }
            require(
                starts == rows.map { whole.starts[$0] } && values.map(\.bitPattern) == rows.map { whole.values[$0] },
                "different samples in arrays")
        }
    }
}

extension NaiveBlock {
    /// True if some columns of a buffer equal those of this block.
    func isSame(as buffer: BlockBuffer, _ columns: ColumnSet) -> Bool {
        guard buffer.count == starts.count else { return false }
        for row in 0..<buffer.count {
            if columns.contains(.starts), buffer.starts[row] != starts[row] { return false }
            if columns.contains(.ends), buffer.end(at: row) != ends[row] { return false }
            if columns.contains(.values), buffer.values[row].bitPattern != values[row] { return false }
        }
        return (!columns.contains(.created) || isSame(buffer.created, sides[0]))
            && (!columns.contains(.provenance) || isSame(buffer.provenance, sides[1]))
            && (!columns.contains(.metadata) || isSame(buffer.metadata, sides[2]))
            && (!columns.contains(.identity) || isSame(buffer.identityHigh, sides[3]))
            && (!columns.contains(.identity) || isSame(buffer.identityLow, sides[4]))
            && (!columns.contains(.born) || isSame(buffer.born, sides[5]))
    }

    private func isSame(_ column: IntColumn, _ values: [Int64]?) -> Bool {
        guard let values else { return column.value(at: 0) == nil }
        return values.indices.allSatisfy { column.value(at: $0) == values[$0] }
    }

    /// Creates a block from the content of a buffer.
    init(_ buffer: BlockBuffer) {
        let rows = 0..<buffer.count
        starts = Array(buffer.starts[rows])
        ends = rows.map { buffer.end(at: $0) }
        values = buffer.values[rows].map(\.bitPattern)
        let columns = [
            buffer.created, buffer.provenance, buffer.metadata, buffer.identityHigh, buffer.identityLow, buffer.born,
        ]
        sides = columns.map { column in
            if rows.isEmpty || column.value(at: 0) == nil { return nil }
            return rows.map { column.value(at: $0) ?? 0 }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ColumnCodec
import Kernels

/// Decoding of starts and values directly into a caller's arrays.
extension BlockDecoder {
    /// Verifies the block `bytes[at..<at + length]` and decodes its samples into the rows of a sink from `row` on.
    ///
    /// A block without 64 spare bytes after it is copied first.
    /// - Requires: the rows exist in the sink.
    /// - Parameter expected: the number of samples in the block's index entry; any other number is an error.
    package mutating func decode(
        _ bytes: [UInt8], at: Int, length: Int, identity: BlockIdentity, expected: Int, into sink: SampleSink, row: Int
    ) throws(FormatError) {
        try withSpare(bytes, at, length, identity) { (decoder, bytes, at, header) throws(FormatError) in
            guard header.count == expected else {
                throw FormatError(.malformed, at: UInt64(at + 2), "\(header.count) samples, not \(expected)")
            }
            try sink.fill(row, expected) { (starts, values) throws(FormatError) in
                var body = BlockBody(header, bytes, at: at)
                try body.samples(bytes, &starts, &values, &decoder.codec)
            }
        }
    }

    /// Decodes only the samples that start in `range`.
    ///
    /// - Parameter most: the maximum number of these samples; more are an error.
    /// - Returns: the number of samples decoded.
    package mutating func decode(
        _ bytes: [UInt8], at: Int, length: Int, identity: BlockIdentity, startingIn range: Range<Int64>, most: Int,
        into sink: SampleSink, row: Int
    ) throws(FormatError) -> Int {
        var rows = 0..<0
        try withSpare(bytes, at, length, identity) { (decoder, bytes, at, header) throws(FormatError) in
            var starts = decoder.edgeStarts
            var values = decoder.edgeValues
            decoder.edgeStarts = []
            decoder.edgeValues = []
            defer {
                decoder.edgeStarts = starts
                decoder.edgeValues = values
            }
            if starts.isEmpty {
                starts = [Int64](repeating: 0, count: BlockBuffer.arrayLength)
                values = [Double](repeating: 0, count: BlockBuffer.arrayLength)
            }
            var body = BlockBody(header, bytes, at: at)
            try body.starts(bytes, &starts, &decoder.codec)
            let all = 0..<header.count
            let low = Kernel.lowerBound(starts, all, range.lowerBound)
            rows = low..<Kernel.lowerBound(starts, low..<header.count, range.upperBound)
            guard rows.count <= most else {
                throw FormatError(.malformed, at: UInt64(at + 2), "\(rows.count) samples, more than \(most)")
            }
            if rows.isEmpty { return }
            try body.skipEnds(bytes)
            try body.values(bytes, &values, &decoder.codec)
            sink.fill(row, rows.count) { (startSpan, valueSpan) in
                for (to, from) in rows.enumerated() {
                    startSpan[to] = starts[from]
                    valueSpan[to] = values[from]
                }
            }
        }
        return rows.count
    }
}

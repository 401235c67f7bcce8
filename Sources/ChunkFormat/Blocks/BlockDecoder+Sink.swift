// SPDX-License-Identifier: Apache-2.0

import ColumnCodec
import Kernels

/// Decoding of starts and values directly into a caller's arrays.
extension BlockDecoder {
    /// Verifies the block `bytes[at..<at + length]` and decodes its samples into rows of a sink.
    ///
    /// A block without 64 spare bytes after it is copied first.
    /// - Requires: the rows exist in the sink.
    /// - Parameter rows: as many rows as samples in the block's index entry; any other number is an error.
    package mutating func decode(
        _ bytes: [UInt8], at: Int, length: Int, identity: BlockIdentity, into rows: SampleSink.Rows
    ) throws(FormatError) {
        try withSpare(bytes, at, length, identity) { (decoder, bytes, at, header) throws(FormatError) in
            guard header.count == rows.count else {
                throw FormatError(.malformed, at: UInt64(at + 2), "\(header.count) samples, not \(rows.count)")
            }
            try rows.sink.fill(rows.first, rows.count) { (starts, values) throws(FormatError) in
                var body = BlockBody(header, bytes, at: at)
                try body.samples(bytes, &starts, &values, &decoder.codec)
            }
        }
    }

    /// Decodes only the samples that start in `range`.
    ///
    /// - Parameter rows: the rows to fill, from the first on; more samples than rows are an error.
    /// - Returns: the number of samples decoded.
    package mutating func decode(
        _ bytes: [UInt8], at: Int, length: Int, identity: BlockIdentity, startingIn range: Range<Int64>,
        into rows: SampleSink.Rows
    ) throws(FormatError) -> Int {
        var samples = 0..<0
        try withSpare(bytes, at, length, identity) { (decoder, bytes, at, header) throws(FormatError) in
            var starts = decoder.edgeStarts
            var values = decoder.edgeValues
            decoder.edgeStarts = []
            decoder.edgeValues = []
            defer {
                decoder.edgeStarts = starts
                decoder.edgeValues = values
            }
            let length = BlockBuffer.length(for: header.count)
            if starts.count < length {
                starts = [Int64](repeating: 0, count: max(length, BlockBuffer.arrayLength))
                values = [Double](repeating: 0, count: starts.count)
            }
            var body = BlockBody(header, bytes, at: at)
            try body.starts(bytes, &starts, &decoder.codec)
            let all = 0..<header.count
            let low = Kernel.lowerBound(starts, all, range.lowerBound)
            samples = low..<Kernel.lowerBound(starts, low..<header.count, range.upperBound)
            guard samples.count <= rows.count else {
                throw FormatError(
                    .malformed, at: UInt64(at + 2), "\(samples.count) samples, more than \(rows.count)")
            }
            if samples.isEmpty { return }
            try body.skipEnds(bytes)
            try body.values(bytes, &values, &decoder.codec)
            rows.sink.fill(rows.first, samples.count) { (startSpan, valueSpan) in
                for (to, from) in samples.enumerated() {
                    startSpan[to] = starts[from]
                    valueSpan[to] = values[from]
                }
            }
        }
        return samples.count
    }
}

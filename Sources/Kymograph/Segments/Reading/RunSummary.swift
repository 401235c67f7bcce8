// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ColumnCodec
import Kernels
import TimeIndex

/// The encoding of a run's summary in its catalog row: the fixed encoding of a summary and a checksum.
///
/// Queries use this summary without reading the segment, and SQLite does not detect flipped bits. So it has a CRC-32C
/// of its own, over the segment's id, the series and the encoding.
enum RunSummary {
    static func encode(_ summary: Summary, segment: [UInt8], series: Int64) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        SummaryCodec.encode(summary, into: &writer)
        writer.put(checksum(writer.bytes, segment, series))
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8], segment: [UInt8], series: Int64) throws(ByteError) -> Summary {
        var all = bytes
        return try decode(&all, Kernel.crc32c(segment, 0..<segment.count), series: series)
    }

    /// - Parameters:
    ///   - bytes: the encoding; the series is appended for the checksum.
    ///   - sum: the checksum of the segment's id.
    static func decode(_ bytes: inout [UInt8], _ sum: UInt32, series: Int64) throws(ByteError) -> Summary {
        let length = bytes.count
        guard length == SummaryCodec.length + 4 else {
            throw ByteError(offset: length, what: "a summary of \(length) bytes")
        }
        var owner = UInt64(bitPattern: series)
        for _ in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: owner))
            owner >>= 8
        }
        let seed = Kernel.crc32c(bytes, length..<length + 8, seed: sum)
        let end = SummaryCodec.length
        var reader = ByteReader(bytes)
        let summary = try SummaryCodec.decode(&reader)
        guard try reader.u32() == Kernel.crc32c(bytes, 0..<end, seed: seed) else {
            throw ByteError(offset: end, what: "the checksum does not match")
        }
        if let fault = summary.fault { throw ByteError(offset: 0, what: fault) }
        return summary
    }

    /// Returns the summary of bytes that `decode` has already verified.
    static func known(_ bytes: [UInt8]) -> Summary {
        var reader = ByteReader(bytes)
        return (try? SummaryCodec.decode(&reader)) ?? Summary()
    }

    private static func checksum(_ bytes: [UInt8], _ segment: [UInt8], _ series: Int64) -> UInt32 {
        var owner = ByteWriter(capacity: 24)
        owner.put(bytes: segment)
        owner.put(series)
        return Kernel.crc32c(bytes, 0..<bytes.count, seed: Kernel.crc32c(owner.bytes, 0..<owner.count))
    }
}

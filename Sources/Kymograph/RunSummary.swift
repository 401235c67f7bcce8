// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ColumnCodec
import Kernels
import TimeIndex

/// The summary of a run as its catalog row keeps it: the fixed encoding of a summary and a checksum.
///
/// Whole queries are answered from it without a look into the segment, and SQLite does not notice a flipped bit; so it
/// carries its own CRC-32C over the segment's id, the series and the encoding.
enum RunSummary {
    static func encode(_ summary: Summary, segment: [UInt8], series: Int64) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        SummaryCodec.encode(summary, into: &writer)
        writer.put(checksum(writer.bytes, segment, series))
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8], segment: [UInt8], series: Int64) throws(ByteError) -> Summary {
        var reader = ByteReader(bytes)
        let summary = try SummaryCodec.decode(&reader)
        let end = reader.offset
        guard try reader.u32() == checksum(Array(bytes[0..<end]), segment, series), reader.remaining == 0 else {
            throw ByteError(offset: end, what: "the checksum does not match")
        }
        if let fault = summary.fault { throw ByteError(offset: 0, what: fault) }
        return summary
    }

    private static func checksum(_ bytes: [UInt8], _ segment: [UInt8], _ series: Int64) -> UInt32 {
        var owner = ByteWriter(capacity: 24)
        owner.put(bytes: segment)
        owner.put(series)
        return Kernel.crc32c(bytes, 0..<bytes.count, seed: Kernel.crc32c(owner.bytes, 0..<owner.count))
    }
}

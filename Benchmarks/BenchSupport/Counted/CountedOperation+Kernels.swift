// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import ColumnCodec
import Kernels

extension CountedOperation {
    /// The number of columns of values and codecs.
    private static let columns = 8
    private static var column: Range<Int> { 0..<KernelColumns.count }

    /// Operations on kernels and codecs, without stores.
    static let kernels: [CountedOperation] =
        [
            CountedOperation("sums", 10, "sum, minimum, maximum of 8,192 values") { _ in
                let values = (0..<columns).flatMap { KernelColumns.reals("decimal", $0) }
                return Body(run: { blackHole(Kernel.sums(values, 0..<values.count).sum.hi) })
            },
            CountedOperation("crc32c", 10, "checksum of 64 KiB") { _ in
                let bytes = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                return Body(run: { blackHole(Kernel.crc32c(bytes, 0..<bytes.count)) })
            },
            CountedOperation("decode-delta", 10, "8 columns of times") { _ in
                try decoding(KernelColumns.integers("delta", 0), Encoding.delta)
            },
            CountedOperation("decode-decimal", 10, "8 columns of decimals") { _ in
                var encoder = RealColumnEncoder()
                encoder.forced = Encoding.decimal
                var writer = ByteWriter()
                _ = encoder.encode(KernelColumns.reals("decimal", 0), column, into: &writer)
                let end = writer.count
                for _ in 0..<Encoding.spare { writer.put(UInt8(0)) }
                let bytes = writer.bytes
                var decoder = ColumnDecoder()
                var out = [Double](repeating: 0, count: KernelColumns.count + Encoding.spare)
                return Body(run: {
                    for _ in 0..<columns {
                        _ = try decoder.reals(bytes, at: 0, end: end, count: KernelColumns.count, into: &out)
                    }
                })
            },
            CountedOperation("encode-block", 3, "16 blocks of times and decimals") { _ in
                let blocks = (0..<16).map(block)
                var encoder = BlockEncoder()
                var writer = ByteWriter(capacity: 1 << 18)
                return Body(run: {
                    encoder.forget()
                    writer.bytes.removeAll(keepingCapacity: true)
                    for (i, block) in blocks.enumerated() {
                        _ = try encoder.encode(block, identity: identity(i), into: &writer)
                    }
                })
            },
            CountedOperation("decode-block", 10, "16 times a block of times and decimals") { _ in
                var encoder = BlockEncoder()
                var writer = ByteWriter()
                _ = try encoder.encode(block(0), identity: identity(0), into: &writer)
                let length = writer.count
                for _ in 0..<SegmentFormat.spareBytes { writer.put(UInt8(0)) }
                let bytes = writer.bytes
                var decoder = BlockDecoder()
                let buffer = BlockBuffer()
                return Body(run: {
                    for _ in 0..<16 {
                        try decoder.decode(
                            bytes, at: 0, length: length, identity: identity(0), columns: [.starts, .values],
                            into: buffer)
                    }
                })
            },
        ]

    private static func decoding(_ values: [Int64], _ encoding: UInt8) throws -> Body {
        var encoder = IntegerColumnEncoder()
        encoder.forced = encoding
        var writer = ByteWriter()
        _ = encoder.encode(values, column, into: &writer)
        let end = writer.count
        for _ in 0..<Encoding.spare { writer.put(UInt8(0)) }
        let bytes = writer.bytes
        var decoder = ColumnDecoder()
        var out = [Int64](repeating: 0, count: KernelColumns.count + Encoding.spare)
        return Body(run: {
            for _ in 0..<columns {
                _ = try decoder.integers(bytes, at: 0, end: end, count: KernelColumns.count, into: &out)
            }
        })
    }

    private static func identity(_ position: Int) -> BlockIdentity {
        let id = [UInt8](repeating: 1, count: SegmentFormat.idBytes)
        return BlockIdentity(store: id, segment: id, series: 1, position: UInt64(position))
    }

    private static func block(_ index: Int) -> BlockBuffer {
        let buffer = BlockBuffer()
        buffer.count = KernelColumns.count
        buffer.starts.replaceSubrange(column, with: KernelColumns.integers("delta", index))
        buffer.values.replaceSubrange(column, with: KernelColumns.reals("decimal", index))
        return buffer
    }
}
